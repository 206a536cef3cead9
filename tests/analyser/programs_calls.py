# SPDX-License-Identifier: Apache-2.0
"""Calls of programs, operations, source lines, flame graphs, differences and SQL agree with libpva."""
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pva
from client import case, Failed, Server

NONE = 0xFFFFFFFF


def equal(what, seen, wanted):
    assert seen == wanted, f"{what}: {seen!r}, not {wanted!r}"


def executions(report):
    """By id of a program: executions, cycles of the slowest tile, cycles of all tiles, cycles of the run."""
    costs, end = {}, 0
    for step in report.execution.steps:
        cost = costs.setdefault(step.program._id, [0, 0, 0, 0])
        last = max(ipu.allCycles.cyclesTo.max for ipu in step.ipus)
        cost[0] += 1
        cost[1] += max(ipu.cycles for ipu in step.ipus)
        cost[2] += sum(step.cyclesByTile)
        cost[3] += max(last - end, 0)
        end = max(end, last)
    return costs


def check_tree(report, answer):
    """Programs that contain others: their executions, and their cycles with those of the functions that they call."""
    programs, executions, within = report.compilation.programs, answer["executions"], answer["within"]
    database = sqlite3.connect(f"file:{sys.argv[2]}/profile.pop?mode=ro", uri=True)
    runs = database.execute("SELECT count(*) FROM runs WHERE steps > 0").fetchone()[0]
    database.close()
    equal("executions of the control program", [executions[root] for root in answer["meta"]["control"]], [float(runs)])
    roots = sum(within[root] for root in answer["meta"]["control"])
    assert abs(roots - report.execution.totalCycles.total) < 1e-6 * roots, f"{roots} of {report.execution.totalCycles.total} cycles"
    calls = [i for i, p in enumerate(programs) if p.typeName == "Call"]
    assert calls, "the report calls no function"
    for i in calls:
        assert executions[i] > 0 and within[i] > 0, f"call {i}: {executions[i]} executions, {within[i]} cycles"
    for function in answer["meta"]["functions"]:
        mine = [i for i in calls if answer["target"][i] == function]
        near = sum(within[i] for i in mine)
        assert not mine or abs(near - within[function]) < 1e-6 * near, f"calls of {function}: {near}, not {within[function]}"
    for parent, child in zip(answer["parentOf"], answer["child"]):
        if programs[parent].typeName == "Sequence":
            equal(f"executions of a part of a sequence, {child}", executions[child], executions[parent])


def check_programs(server, report):
    answer = server.get("programs/list")
    programs = report.compilation.programs
    costs = executions(report)
    equal("types", answer["type"], [p.typeName for p in programs])
    equal("names", answer["name"], [p.name for p in programs])
    children = [(p._id, c._id) for p in programs for c in p.children]
    equal("children", list(zip(answer["parentOf"], answer["child"])), children)
    equal("control programs", answer["meta"]["control"], [p._id for p in report.compilation.controlPrograms])
    equal("functions", answer["meta"]["functions"], [p._id for p in report.compilation.functions])
    for column, at in (("times", 0), ("cycles", 1), ("elapsed", 3)):
        equal(column, answer[column], [float(costs.get(i, [0] * 4)[at]) for i in range(len(programs))])
    equal("cycles of the run", sum(answer["elapsed"]), report.execution.totalCycles.total)
    check_tree(report, answer)
    head = next(p for p in programs if p.typeName == "OnTileExecute" and p.name == "head")
    one = server.get("programs/details", id=head._id)
    equal("cycles by tile", one["estimate"], [float(c) for c in head.estimatedCyclesByTile])
    equal("vertices", [(v["type"], v["count"]) for v in one["meta"]["vertices"]],
          [(v.type.name, v.count) for v in head.computeset.vertices])
    equal("variables", [v["name"] for v in one["meta"]["variables"]], [v.name for v in head.vars])
    equal("line", one["meta"]["contexts"][-1]["line"], head.debugContext.location.lineNumber)
    server.refused("programs/details", "does not exist", id=len(programs))
    return costs


@case
def check_operations(server, report, costs):
    answer = server.get("operations/table", layer="poplibs")
    at = next(i for i, name in enumerate(answer["name"]) if name == "model/add")
    operation = next(o for o in report.operations if o.name == "model/add")
    equal("programs of the operation", answer["programs"][at], len(operation.programs()))
    for column, k in (("times", 0), ("cycles", 1), ("tileCycles", 2), ("elapsed", 3)):
        equal(column, answer[column][at], float(sum(costs.get(p._id, [0] * 4)[k] for p in operation.programs())))
    equal("variables", answer["variables"][at], float(sum(v.bytes for v in operation.vars)))
    equal("the whole run", sum(answer["elapsed"]), report.execution.totalCycles.total)
    equal("all programs", sum(answer["programs"]), len(report.compilation.programs))
    equal("layers", sorted(answer["meta"]["layers"]), ["poplar", "poplibs"])
    server.refused("operations/table", "no layer", layer="x")
    graph = server.get("operations/graph")
    edges = {(p, v) for p, v in zip(graph["edgeProgram"], graph["edgeVariable"])}
    programs = report.compilation.programs
    equal("edges", edges, {(i, v._id) for i in graph["programId"] for v in programs[i].vars})
    limited = server.get("operations/graph", limit=2)
    equal("at most two programs", (limited["meta"]["shown"], limited["meta"]["programs"]), (2, graph["meta"]["programs"]))


@case
def check_source(server, report, costs):
    answer = server.get("source/lines")
    wanted = {}
    for p in report.compilation.programs:
        context, line = p.debugContext, ("", 0)
        while context is not None:
            if context.location is not None and context.location.lineNumber:
                line = (context.location.fileName, context.location.lineNumber)
            context = context.parents[0] if len(context.parents) else None
        wanted[line] = wanted.get(line, 0) + costs.get(p._id, [0] * 4)[3]
    equal("cycles by line", dict(zip(zip(answer["file"], answer["line"]), answer["elapsed"])), wanted)
    for place, exchange in zip(zip(answer["file"], answer["line"]), answer["exchange"]):
        assert 0 <= exchange <= wanted[place], f"line {place}: {exchange} of {wanted[place]} cycles in exchanges"
    (file, line), _ = max(((k, v) for k, v in wanted.items() if k[0]), key=lambda pair: pair[1])
    tiles = server.get("source/tiles", file=file, line=line)
    sums = [0.0] * len(report.compilation.tiles)
    for i in tiles["program"]:
        for tile, cycles in enumerate(report.compilation.programs[i].estimatedCyclesByTile):
            sums[tile] += cycles * costs.get(i, [0])[0]
    equal("cycles by tile of a line", tiles["cycles"], sums)
    server.refused("source/text", "the report does not name it", file="/etc/passwd")
    server.refused("source/text", "the report does not name it", file="")


@case
def check_assembly(command, program, assembly, directory):
    """Five executions of a loop that counts down from 41: its line has 42 instructions in each."""
    with subprocess.Popen([program, directory, "1", assembly], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as runs:
        runs.communicate("go\n")
    assert runs.returncode == 0, f"{program} ended with {runs.returncode}"
    source = assembly + ".S"
    text = Path(source).read_text(encoding="utf-8").splitlines()
    loop = next(i for i, line in enumerate(text, 1) if "__runCodelet_assembly__Countdown" in line and "ENTRY" in line) + 5
    assert "brnzdec" in text[loop - 1], text[loop - 1]
    with Server(command, directory) as server:
        answer = server.get("source/lines")
        lines = {line: (answer["instructions"][i], answer["slots"][i])
                 for i, (file, line) in enumerate(zip(answer["file"], answer["line"])) if file == source}
        equal("slots of the loop", lines[loop], (210.0, 210.0))
        equal("slots of all lines", sum(slots for _, slots in lines.values()), 5.0 * (42 + 5))
        equal("text of the lines", server.get("source/text", file=source)["text"].splitlines(), text)
        server.refused("source/text", "the report does not name it", file=source + ".c")
        programs = server.get("programs/list")
        details = [server.get("programs/details", id=i) for i, kind in enumerate(programs["type"]) if kind == "OnTileExecute"]
        of = [d for d in details if any(v["type"] == "assembly::Countdown" for v in d["meta"]["vertices"])]
        equal("cycles of the last execution", [(d["meta"]["vertices"][0]["estimate"], max(d["estimate"])) for d in of], [("counted", 6.0 * (42 + 5))])
    database = sqlite3.connect(f"file:{directory}/profile.pop?mode=ro", uri=True)
    rows = database.execute("SELECT active_cycles, estimate FROM compute_set_vertices v JOIN vertex_types t ON t.id = v.vertex_type "
                            "WHERE t.name = 'assembly::Countdown'").fetchall()
    database.close()
    equal("cycles of the vertex", rows, [(42 + 5, "counted")])


@case
def check_flops(server, report, directory):
    """The sums of all views are those of the vertices: executions of a step times the operations of its compute set."""
    database = sqlite3.connect(f"file:{directory}/profile.pop?mode=ro", uri=True)
    by_program = dict(database.execute("SELECT p.id, sum(v.flops) FROM programs p JOIN compute_set_vertices v USING(compute_set) GROUP BY 1"))
    uncounted = database.execute("SELECT sum(count) FROM compute_set_vertices WHERE flops IS NULL").fetchone()[0]
    wanted, by_run = {}, {}
    for program, run, times in database.execute(
            "SELECT x.program, x.run, count(*) FROM executed x JOIN programs p ON p.id = x.program WHERE p.type = "
            "'OnTileExecute' GROUP BY 1, 2"):
        flops = times * by_program[program]
        wanted[program] = wanted.get(program, 0) + flops
        by_run[run] = by_run.get(run, 0) + flops
    database.close()
    whole = sum(wanted.values())
    assert whole > 0 and uncounted is None, f"{whole} operations, {uncounted} vertices without a count"
    steps = server.get("programs/list")["flops"]
    equal("operations of steps", steps, [float(wanted.get(i, 0)) for i in range(len(steps))])
    for layer in ("poplibs", "poplar"):
        table = server.get("operations/table", layer=layer)
        equal(f"operations of calls of {layer}", (sum(table["flops"]), sum(table["done"])), (whole, whole))
    equal("operations of lines", sum(server.get("source/lines")["flops"]), whole)
    equal("operations by path", server.get("flame/tree", metric="flops")["total"][0], whole)
    found = server.get("insights")["arithmetic"]
    equal("operations of runs", {run["id"]: run["flops"] for run in found["runs"]}, by_run)
    equal("operations of all runs", found["flops"], whole)
    step = next(i for i, p in enumerate(report.execution.steps) if wanted.get(p.program._id))
    counted = server.get("trace/step", index=step)["meta"]["flops"]
    equal("operations of a step", counted, [{"flops": by_program[report.execution.steps[step].program._id], "uncounted": 0}])


@case
def check_old_report(command, directory):
    """A report of an earlier version, without the column, has all else."""
    old = directory + "-old"
    shutil.copytree(directory, old)
    database = sqlite3.connect(f"{old}/profile.pop")
    database.execute("ALTER TABLE compute_set_vertices DROP COLUMN flops")
    database.commit()
    database.close()
    with Server(command, old) as server:
        equal("operations of an old report", server.get("insights")["arithmetic"], None)
        equal("counted", server.get("operations/table")["meta"]["counted"], False)
        equal("operations of steps", sum(server.get("programs/list")["flops"]), 0)
        equal("a step", server.get("trace/step", index=0)["meta"]["flops"], [])


def path_of(answer, node):
    parts = []
    while node:
        parts.insert(0, answer["name"][node])
        node = answer["parent"][node]
    return "/".join(parts)


@case
def check_flame(server, report, costs):
    answer = server.get("flame/tree")
    equal("metric", answer["meta"]["metric"], "elapsed")
    equal("all", answer["total"][0], float(report.execution.totalCycles.total))
    for i, total in enumerate(answer["total"]):
        below = sum(t for t, p in list(zip(answer["total"], answer["parent"]))[1:] if p == i) if i else None
        assert i == 0 or total == answer["self"][i] + below, f"frame {path_of(answer, i)}"
    tree = server.get("flame/tree", metric="cycles")
    paths = {path_of(tree, i): s for i, s in enumerate(tree["self"])}
    head = next(p for p in report.compilation.programs if p.typeName == "OnTileExecute" and p.name == "layer/inner")
    equal("a compute set's cycles", paths["layer/inner/OnTileExecute"], float(costs[head._id][1]))
    live = server.get("flame/tree", metric="alwaysLive")
    equal("always live", live["total"][0], float(sum(v.size for v in report.compilation.alwaysLiveVariables)))
    server.refused("flame/tree", "allowed: elapsed", metric="x")
    server.refused("difference/table", "report", report=0)


@case
def check_sql(server, report):
    answer = server.get("sql/query", q="SELECT tile, total, NULL AS missing FROM memory_by_tile ORDER BY tile")
    equal("columns", [c["name"] for c in answer["meta"]["columns"]], ["tile", "total", "missing"])
    equal("bytes", answer["c1"], [float(t.memory.total.excludingGaps) for t in report.compilation.tiles])
    assert all(value != value for value in answer["c2"]), "NULL is NaN"
    equal("text", server.get("sql/query", q="SELECT '<b>' AS x")["c0"], ["<b>"])
    cut = server.get("sql/query", q="WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n")
    equal("rows of an endless query", (cut["meta"]["rows"], cut["meta"]["cut"]), (50000, True))
    for sql, word in (("", "empty"), ("SELECT x", "no such column"), ("DELETE FROM programs", "read only"),
                      ("ATTACH '/tmp/x' AS y", "read only"), ("PRAGMA journal_mode = wal", "read only")):
        server.refused("sql/query", word, q=sql)
    schema = {table["name"]: table["columns"] for table in server.get("sql/schema")}
    assert "cycles_base" in schema["steps"] and "bytes_by_tile" in schema["variables"], schema.keys()


@case
def check_difference(command, directory, report):
    other = directory + "-other"
    shutil.copytree(directory, other)
    database = sqlite3.connect(f"{other}/profile.pop")
    database.execute("UPDATE live_variables SET bytes = 4096 WHERE name = 'model/matrix'")
    database.execute("DELETE FROM live_variables WHERE name = 'model/out'")
    database.commit()
    renamed = directory + "-renamed"
    shutil.copytree(other, renamed)
    database.close()
    database = sqlite3.connect(f"{renamed}/profile.pop")
    database.execute("UPDATE programs SET name = 'other' || ifnull(name, '')")
    database.commit()
    database.close()

    def compare(a, b):
        return json.loads(subprocess.run([command, "compare", a, b, "--format", "json"], check=False, capture_output=True).stdout)

    compared = compare(directory, other)
    with Server(command, directory, other) as server:
        answer = server.get("difference/table")
        rows = list(zip(answer["what"], answer["path"], answer["a"], answer["b"], answer["change"]))
        equal("rows", rows, [(r["what"], r["path"], r["a"], r["b"], r["change"]) for r in compared])
        # The critical path is that of Insights, and steps add up to it.
        account = server.get("insights")["account"]
        names = {"exchange between IPUs": "globalExchange"}
        path = {names.get(row[1], row[1]): row[2] for row in rows if row[0] == "critical path"}
        equal("critical path", path, {k: account[k] for k in path})
        equal("its sum", sum(path.values()), account["total"])
        steps = [r for r in compare(directory, renamed) if r["what"] == "program"]
        equal("steps", sum(r["a"] for r in steps) + account["other"], account["total"])
        equal("steps of the other", sum(r["b"] for r in steps) + account["other"], account["total"])
        equal("basis", {r["basis"] for r in steps}, {"critical path"})
        tree = server.get("difference/flame", metric="variables")
        both = {path_of(tree, i): (tree["self"][i], tree["selfB"][i]) for i in range(len(tree["self"]))}
        equal("matched by path", both["model/matrix"], (1024.0, 4096.0))
        removed = [v for v in both if v == "model/out"]
        equal("removed", both[removed[0]][1], 0.0)
        same = server.get("difference/flame")
        equal("the same run", same["total"], same["totalB"])


def main():
    command, directory = sys.argv[1:]
    report = pva.openReport(directory)
    with Server(command, directory) as server:
        costs = check_programs(server, report)
        check_operations(server, report, costs)
        check_source(server, report, costs)
        check_flame(server, report, costs)
        check_sql(server, report)
        check_flops(server, report, directory)
    check_old_report(command, directory)
    with tempfile.TemporaryDirectory() as work:
        check_assembly(command, os.environ["RUNS"], str(Path(__file__).resolve().parents[1] / "system/assembly"), work)
    check_difference(command, directory, report)


main()
