# SPDX-License-Identifier: Apache-2.0
"""memory_calls.py PVA REPORT: the calls of Summary, Insights, Memory and Liveness agree with libpva."""
import json
import subprocess
import sys

import pva
from client import case, Server


def equal(what, got, wanted):
    assert got == wanted, f"{what}: {got!r}, not {wanted!r}"


def numbers(values):
    return [float(value) for value in values]


@case
def check_summary(server, report):
    answer = server.get("summary")
    target, graph = report.compilation.target, report.compilation.graph
    for name, wanted in (("tiles", target.numTiles), ("ipus", target.numIPUs), ("tilesPerIpu", target.tilesPerIpu),
                         ("bytesPerTile", target.bytesPerTile), ("totalMemory", target.totalMemory)):
        equal(f"target's {name}", answer["target"][name], wanted)
    equal("graph", answer["graph"], {"computeSets": graph.numComputeSets, "edges": graph.numEdges,
                                     "variables": graph.numVars, "vertices": graph.numVertices})
    equal("options", [(o["name"], o["value"], bool(o["isSet"])) for o in answer["options"]],
          [(o.name, o.value, o.isSet) for o in report.options])
    equal("runs", [(r["name"], r["cycles"]) for r in answer["runs"]],
          [(r.name, r.cycles.cyclesTo - r.cycles.cyclesFrom) for r in report.execution.runs])
    equal("framework.json", answer["framework"], {"content": {"name": "none", "layers": [1, 2]}})
    assert "error" in answer["application"], "app.json is broken, and is shown"
    versions = {row["name"]: row["value"] for row in answer["info"]}
    equal("version", versions["poplar_version"], report.poplarVersion.string)


@case
def check_insights(server, report, command, directory):
    answer = server.get("insights")
    memories = [tile.memory for tile in report.compilation.tiles]
    equal("bytes in use", answer["memory"]["used"], sum(m.total.excludingGaps for m in memories))
    equal("overflowing", answer["memory"]["overflowing"], 0)
    ranked = sorted(range(len(memories)), key=lambda t: (-memories[t].total.excludingGaps, t))
    equal("worst tiles", [row["tile"] for row in answer["worstTiles"]], ranked[:5])
    equal("tiles in the histogram", sum(bar["tiles"] for bar in answer["histogram"]), len(memories))
    cycles = report.execution.totalCycles
    for name in ("total", "activeCompute", "compute", "exchange", "globalExchange", "streamCopy", "sync"):
        equal(f"cycles of {name}", answer["cycles"][name], getattr(cycles, name))
    steps = report.compilation.livenessProgramSteps
    peak = max(range(len(steps)), key=lambda s: (steps[s].notAlwaysLiveMemory.bytes, -s))
    equal("peak", (answer["peak"]["step"], answer["peak"]["bytes"]), (peak, steps[peak].notAlwaysLiveMemory.bytes))
    expected = json.loads(subprocess.run([command, "advise", directory, "--format", "json"], check=True, capture_output=True).stdout)
    answer = server.get("insights/advice", rows=10)
    advice, total = answer["entries"], answer["sum"]
    assert advice, "there is something to improve"
    equal("advice", [(a["kind"], a["name"], round(a["cycles"]), a["line"]) for a in advice],
          [(a["kind"], a["name"], round(a["cycles"]), a["line"]) for a in expected[:10]])
    equal("saved and left are all", round(total["saved"]["total"] + total["left"]), cycles.total)
    assert all(0 <= total["saved"][part] <= total[part] for part in PARTS), total


PARTS = ("compute", "exchange", "globalExchange", "host", "sync", "other")


def activity(program):
    kind = program.typeName
    names = {"OnTileExecute": "compute", "DoExchange": "exchange", "GlobalExchange": "globalExchange", "Sync": "sync", "Sans": "sync",
             "SyncAns": "sync"}
    return names.get(kind, "host" if kind.startswith("StreamCopy") else "other")


@case
def check_account(server, report):
    """The account of time is the critical path, in Insights, Flame and the commands alike."""
    wanted, end = dict.fromkeys(PARTS, 0), 0
    for step in report.execution.steps:
        last = max(ipu.allCycles.cyclesTo.max for ipu in step.ipus)
        wanted[activity(step.program)] += max(last - end, 0)
        end = max(end, last)
    account = server.get("insights")["account"]
    equal("account", {part: account[part] for part in PARTS}, {part: float(n) for part, n in wanted.items()})
    equal("all of it", (account["total"], sum(account[part] for part in PARTS)), (end, end))
    equal("runs", [run["name"] for run in account["runs"]], [run.name for run in report.execution.runs])
    for part in PARTS + ("total",):
        equal(f"{part} by run", sum(run[part] for run in account["runs"]), account[part])
    frames = server.get("flame/tree", metric="elapsed")
    flame = dict.fromkeys(PARTS, 0)
    for name, cycles in zip(frames["name"], frames["self"]):
        kind = name.split(" ")[0]
        if cycles:
            flame["host" if kind.startswith("StreamCopy") else {"OnTileExecute": "compute", "DoExchange": "exchange",
                  "GlobalExchange": "globalExchange"}.get(kind, "sync" if kind in ("Sync", "Sans", "SyncAns") else "other")] += cycles
    equal("Flame's", flame, {part: account[part] for part in PARTS})
    command, directory = sys.argv[1:3]
    for arguments in ("summary", "advise"):
        text = subprocess.run([command, arguments, directory], check=True, capture_output=True, text=True).stdout
        line = next(line for line in text.splitlines() if line.strip().startswith("all "))
        share = f"{100 * account['compute'] / account['total']:.1f}%"
        assert share in text and f"{end:,}" in line, (arguments, share, line)


@case
def check_tiles(server, report):
    memories = [tile.memory for tile in report.compilation.tiles]
    whole = server.get("memory/tiles", series="total,gaps,alwaysLive,notAlwaysLive,nonInterleaved,category:variable")
    equal("tiles", whole["tile"], list(range(len(memories))))
    equal("total", whole["total"], numbers(m.total.excludingGaps for m in memories))
    equal("gaps", whole["gaps"], numbers(m.total.includingGaps for m in memories))
    equal("alwaysLive", whole["alwaysLive"], numbers(m.alwaysLiveBytes for m in memories))
    equal("notAlwaysLive", whole["notAlwaysLive"], numbers(m.notAlwaysLiveBytes for m in memories))
    equal("nonInterleaved", whole["nonInterleaved"], numbers(m.nonInterleaved.excludingGaps for m in memories))
    equal("variables", whole["category:variable"], numbers(m.category.variable.total for m in memories))
    few = server.get("memory/tiles", series="total", key="total", pixels=3)
    equal("bins", (few["first"], few["last"]), ([0, 2, 5], [2, 5, 8]))
    totals = whole["total"]
    for first, last, tile, most, least in zip(few["first"], few["last"], few["tile"], few["maximum"], few["minimum"]):
        equal("a bin", (totals[tile], most, least), (max(totals[first:last]), max(totals[first:last]), min(totals[first:last])))
    equal("an IPU", server.get("memory/tiles", ipu=1)["tile"], [4, 5, 6, 7])
    equal("sum", whole["meta"]["sum"], sum(whole["gaps"]))
    plan = server.get("memory/plan", figure="total")
    equal("plan", plan["bytes"], totals)
    equal("places", sorted(plan["order"]), [0, 1, 2, 3])
    equal("physical order", sorted(server.get("memory/tiles", order="physical")["tile"]), list(range(8)))
    server.refused("memory/tiles", "no IPU 2", ipu=2)
    server.refused("memory/tiles", "no figure", series="total,none")
    server.refused("memory/tiles", "no order", order="none")
    server.refused("memory/tiles", "pixels", pixels="many")


@case
def check_tile(server, report):
    for one in server.get("memory/tile", tiles="0,5"):
        memory = report.compilation.tiles[one["tile"]].memory
        equal("total", (one["total"], one["gaps"]), (memory.total.excludingGaps, memory.total.includingGaps))
        equal("IPU", (one["ipu"], one["tileOfIpu"]), divmod(one["tile"], 4))
        sums = {}
        for row in one["categories"]:
            if row["overlap"] != 1:
                sums[row["name"]] = sums.get(row["name"], 0) + row["bytes"]
        equal("categories", sums, {name: value.total for name in memory.category._properties
                                   for value in [getattr(memory.category, name)] if value.total})
    server.refused("memory/tile", "no tile '8'", tiles="0,8")
    server.refused("memory/tile", "names no tile")
    layout = server.get("memory/layout", tile=5)
    lowered = sorted((v for v in report.compilation.loweredVariables.allVars if v.tileId == 5), key=lambda v: (v.offset, v._id))
    equal("layout", list(zip(layout["name"], layout["address"], layout["bytes"], layout["category"])),
          [(v.name, v.offset, v.bytes, v.category) for v in lowered])
    found = server.get("memory/variables", search="MATRIX")
    matrix = [v for v in report.compilation.variables if "matrix" in v.name]
    equal("variables", sorted(found["id"]), sorted(v._id for v in matrix))
    figure = f"variable:{int(found['id'][0])}"
    equal("a variable's tiles", server.get("memory/tiles", series=figure)[figure],
          numbers(next(v for v in matrix if v._id == found["id"][0]).bytesByTile))
    code = server.get("memory/code", kind="vertexTypes")
    equal("code", list(zip(code["name"], code["code"])), [(t.name, t.codeBytes) for t in report.compilation.vertexTypes])
    on_tile = server.get("memory/code", kind="vertexTypes", tiles="2,3")
    equal("code of tiles", on_tile["code"], [sum(t.codeBytesByTile[2:4]) for t in report.compilation.vertexTypes])


@case
def check_liveness(server, report):
    steps = report.compilation.livenessProgramSteps
    whole = server.get("liveness/steps")
    equal("live", whole["maximum"], numbers(s.notAlwaysLiveMemory.bytes for s in steps))
    always = sum(v.size for v in report.compilation.alwaysLiveVariables)
    equal("always live", whole["meta"]["alwaysLive"], always)
    for tile in (0, 6):
        equal("live on a tile", server.get("liveness/steps", source="tile", index=tile)["maximum"],
              numbers(s.notAlwaysLiveMemory.bytesByTile[tile] for s in steps))
    equal("live on an IPU", server.get("liveness/steps", source="ipu", index=1)["maximum"],
          numbers(sum(s.notAlwaysLiveMemory.bytesByTile[4:8]) for s in steps))
    filtered = server.get("liveness/steps", filter="LAYER/inner")
    equal("filtered", filtered["step"], [i for i, s in enumerate(steps) if "layer/inner" in s.program.name])
    few = server.get("liveness/steps", pixels=2)
    half = len(steps) // 2
    equal("bins", few["maximum"], [max(whole["maximum"][:half]), max(whole["maximum"][half:])])
    names = server.get("liveness/names")
    equal("names", list(zip(names["name"], names["type"])), [(s.program.name, s.program.typeName) for s in steps])
    peak = whole["meta"]["peakStep"]
    one, = server.get("liveness/step", steps=peak)
    equal("a step's variables", sorted((v["name"], v["bytes"]) for v in one["variables"]),
          sorted((v.name, v.size) for v in steps[peak].notAlwaysLiveMemory.variables))
    name = max(one["variables"], key=lambda v: v["bytes"])["name"]
    life = server.get("liveness/variable", name=name)
    live = [step for first, end, _ in life["intervals"] for step in range(first, end)]
    equal("lifetime", live, [i for i, s in enumerate(steps) if any(v.name == name for v in s.notAlwaysLiveMemory.variables)])
    table = server.get("liveness/always")
    equal("always-live variables", sorted(zip(table["name"], table["bytes"])),
          sorted((v.name, v.size) for v in report.compilation.alwaysLiveVariables))
    located = server.get("liveness/variable", name="model/matrix")
    assert located["variables"][0]["debug"]["file"].endswith("make_report.cpp"), located
    assert located["variables"][0]["debug"]["line"] > 0
    for path, word, parameters in (("step", "no step", {"steps": 10**6}), ("step", "no step", {"steps": "1,x"}),
                                   ("variable", "no live variable", {"name": "x'; --"}), ("steps", "no source", {"source": "x"}),
                                   ("steps", "no tile 8", {"source": "tile", "index": 8})):
        server.refused(f"liveness/{path}", word, **parameters)


def main():
    command, directory = sys.argv[1:]
    with open(f"{directory}/framework.json", "w") as file:
        file.write('{"name": "none", "layers": [1, 2]}')
    with open(f"{directory}/app.json", "w") as file:
        file.write("{")
    report = pva.openReport(directory)
    with Server(command, directory) as server:
        check_summary(server, report)
        check_insights(server, report, command, directory)
        check_tiles(server, report)
        check_tile(server, report)
        check_liveness(server, report)


main()
