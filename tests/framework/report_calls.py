# SPDX-License-Identifier: Apache-2.0
"""The analyser of a framework's report: Operations open with its operators; the other views have them by debug path, and by the model's lines."""
import os
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


def text_of_line(where):
    file, line = where
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "..", "..", "examples", "framework", os.path.basename(file)), encoding="utf-8") as source:
        return source.read().split("\n")[int(line) - 1]


def check_source(server):
    """Lines of the model have the cycles of its operators, gradients included; the framework's own code has none."""
    table = server.get("source/lines")
    operators = server.get("operations/table", layer="framework")
    lines = {}
    for where, cycles in zip(zip(table["file"], table["line"]), table["elapsed"]):
        lines[where] = lines.get(where, 0) + cycles
    by_line = {}
    for where, cycles in zip(zip(operators["file"], operators["line"]), operators["elapsed"]):
        by_line[where] = by_line.get(where, 0) + cycles
    named = {where: cycles for where, cycles in by_line.items() if where[0]}
    assert {os.path.basename(file) for file, _ in named} == {"model.cpp", "training.cpp"}, named
    for where, cycles in named.items():
        equal(f"cycles of {where}", lines[where], cycles)
    product = [where for where in named if os.path.basename(where[0]) == "model.cpp" and '"MatMul"' in text_of_line(where)]
    equal("lines of products", len(product), 1)
    wanted = sum(e for n, c, e in zip(operators["name"], operators["call"], operators["elapsed"]) if c == "MatMul")
    equal("cycles of products and their gradients", lines[product[0]], wanted)


def check_trace(server):
    """Rows of the trace's flame view: a layer of the model, its operators below it, their steps below these."""
    lanes = server.get("trace/lanes")
    spans = {}
    lane = lanes["lanes"][0]
    window = server.get("trace/window", lane=0, pixels=8192, flame=1, **{"from": lane["from"], "to": lane["to"]})
    for label, depth, start, end in zip(window["label"], window["depth"], window["from"], window["to"]):
        name = window["labels"][label] if label != 0xFFFFFFFF else ""
        spans.setdefault(name, []).append((depth, start, end))
    for name, depth in (("hidden", 0), ("hidden/MatMul:0", 1), ("loss/CrossEntropy:5", 1), ("output/Adam:28", 1)):
        assert spans.get(name) and {d for d, _, _ in spans[name]} == {depth}, (name, spans.get(name))
    for _, start, end in spans["hidden/MatMul:0"]:
        assert any(a <= start and end <= b for _, a, b in spans["hidden"]), (start, end)


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
    check_source(the_server)
    check_trace(the_server)
    check_record(the_server)
print("framework: operations, paths, lines, the trace and records agree")
