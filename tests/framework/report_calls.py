# SPDX-License-Identifier: Apache-2.0
"""The analyser of a framework's report: Operations open with its operators; the other views have them by debug path."""
import sys

from client import Server


def equal(what, seen, wanted):
    assert seen == wanted, f"{what}: {seen}, expected {wanted}"


def check_operations(server):
    table = server.get("operations/table")
    equal("layer", table["meta"]["layer"], "framework")
    operators = {name: i for i, name in enumerate(table["name"]) if name}
    equal("operators", len(operators), 30)
    for name, i in operators.items():
        equal(f"type of {name}", table["call"][i], name.split("/")[-1].split(":")[0])
    for name in ("hidden/MatMul:0", "loss/CrossEntropy:5", "hidden/Adam:20"):
        i = operators[name]
        assert table["cycles"][i] > 0 and table["elapsed"][i] > 0, name
    poplibs = server.get("operations/table", layer="poplibs")
    equal("critical-path cycles", sum(table["elapsed"]), sum(poplibs["elapsed"]))
    assert table["data"][operators["hidden/MatMul:0"]] > 0


def check_paths(server):
    """Layers of the model are frames of the flame graph, their operators frames below them."""
    tree = server.get("flame/tree", metric="elapsed")
    frames = {}
    for i, name in enumerate(tree["name"]):
        parent = tree["parent"][i]
        frames[i] = frames[parent] + "/" + name if parent else name
    paths = dict(zip(frames.values(), tree["total"]))
    total = paths["hidden"]
    assert 0 < paths["hidden/MatMul:0"] < total, paths
    assert sum(v for k, v in paths.items() if k.startswith("hidden/") and k.count("/") == 1) <= total * 1.000001


def check_record(server):
    """The debug information of a program has its operator's record."""
    programs = server.get("programs/list")
    numbers = [i for i, name in enumerate(programs["name"]) if name.startswith("hidden/MatMul:0/")]
    assert numbers
    found = []
    for number in numbers:
        for context in server.get("programs/details", id=number)["meta"]["contexts"]:
            if context["layer"] == "framework":
                found.append(context["json"])
    assert found
    equal("opid", found[0]["opid"], "MatMul:0")
    equal("inputs", [i["name"] for i in found[0]["inputs"]], ["pixels", "hidden/weights"])
    equal("shape of the result", found[0]["outputs"][0]["shape"], [8, 32])


with Server(sys.argv[1], sys.argv[2]) as the_server:
    check_operations(the_server)
    check_paths(the_server)
    check_record(the_server)
print("framework: operations, paths and records agree")
