# SPDX-License-Identifier: Apache-2.0
"""compare.py DIRECTORY: the same figures from the engine's profile (JSON), from profile.pop through libpva, and by plain SQL (the system's SQLite)."""
import json
import os
import sqlite3
import sys

import pva

directory = sys.argv[1]
with open(os.path.join(directory, "graph.json")) as file:
    graph = json.load(file)
with open(os.path.join(directory, "execution.json")) as file:
    executed = json.load(file)
report = pva.openReport(directory)
compilation, execution = report.compilation, report.execution
db = sqlite3.connect("file:%s?mode=ro" % os.path.join(directory, "profile.pop"), uri=True)
bad = 0


def sql(query):
    return [row[0] if len(row) == 1 else row for row in db.execute(query)]


def same(what, *figures):
    global bad
    if any(figure != figures[0] for figure in figures):
        bad += 1
        print("%s differs:" % what, *figures, sep="\n    ")


for name in ("numComputeSets", "numVertices", "numEdges", "numVars"):
    column = {"C": "num_compute_sets", "V": "num_vertices", "E": "num_edges"}.get(name[3])
    if name == "numVars":
        column = "num_vars"
    same(name, graph["graph"][name], getattr(compilation.graph, name), *sql("SELECT %s FROM graph" % column))
same("tiles", graph["target"]["numTiles"], compilation.target.numTiles, len(compilation.tiles), *sql("SELECT num_tiles FROM target"))
same("bytes of a tile", graph["target"]["bytesPerTile"], compilation.target.bytesPerTile, *sql("SELECT bytes_per_tile FROM target"))
same("clock", graph["target"]["clockFrequency"], compilation.target.clockFrequency, *sql("SELECT clock_frequency FROM target"))

memory = graph["memory"]
tiles = [tile.memory for tile in compilation.tiles]
same("memory with gaps", memory["byTile"]["totalIncludingGaps"], [t.total.includingGaps for t in tiles],
     sql("SELECT total_including_gaps FROM memory_by_tile ORDER BY tile"))
same("memory", memory["byTile"]["total"], [t.total.excludingGaps for t in tiles], sql("SELECT total FROM memory_by_tile ORDER BY tile"))
for region in ("interleaved", "nonInterleaved", "overflowed"):
    column = "non_interleaved" if region == "nonInterleaved" else region
    same(region, memory["byTile"][region], [getattr(t, region).excludingGaps for t in tiles], sql("SELECT %s FROM memory_by_tile ORDER BY tile" % column))
for name, category in memory["byCategory"].items():
    of = [getattr(t.category, name) for t in tiles]
    same("category " + name, category["total"], [c.total if c else 0 for c in of])
    for overlap, number in (("nonOverlapped", 0), ("overlapped", 1)):
        for region, place in (("nonInterleaved", 0), ("interleaved", 1), ("overflowed", 2)):
            figures = category[region][overlap]
            total = sql("SELECT bytes FROM memory_by_category m JOIN var_categories c ON c.id = m.category WHERE c.name = '%s' AND region = %d AND "
                        "overlap = %d" % (name, place, number)) or [0]
            same("category %s, %s, %s" % (name, region, overlap), figures, [getattr(getattr(c, region), overlap) if c else 0 for c in of])
            same("sum of category %s, %s, %s" % (name, region, overlap), sum(figures), *total)

liveness = memory["liveness"]
same("always live by tile", liveness["alwaysLive"]["bytesByTile"], [t.alwaysLiveBytes for t in tiles], sql("SELECT always_live FROM memory_by_tile ORDER BY tile"))
same("always live", sorted((v["name"], v["size"]) for v in liveness["alwaysLive"]["variables"]),
     sorted((v.name, v.size) for v in compilation.alwaysLiveVariables))
same("most live", liveness["notAlwaysLive"]["maxBytes"], max(s.notAlwaysLiveMemory.bytes for s in compilation.livenessProgramSteps),
     report.worstLivenessStep().notAlwaysLiveMemory.bytes, *sql("SELECT max(bytes) FROM live_lists WHERE id > 0"))
same("most live by tile", liveness["notAlwaysLive"]["maxBytesByTile"], [t.notAlwaysLiveBytes for t in tiles],
     sql("SELECT not_always_live FROM memory_by_tile ORDER BY tile"))

sets = graph["computeSets"]
same("compute sets", sets["names"], [s.name for s in compilation.computeSets], sql("SELECT name FROM compute_sets ORDER BY compute_set"))
same("vertex types", graph["vertexTypes"]["names"], [t.name for t in compilation.vertexTypes], sql("SELECT name FROM vertex_types ORDER BY id"))
same("vertices of sets", sets["vertexCounts"], [[v.count for v in s.vertices] for s in compilation.computeSets])
same("estimates", sets["cycleEstimates"]["cyclesByTile"], [s.estimatedCyclesByTile for s in compilation.computeSets])

simulation = executed["simulation"]
cycles = simulation["tileCycles"]
totals = execution.totalCycles
row = sql("SELECT total, active_compute, compute, exchange, global_exchange, stream_copy, sync FROM execution_cycle_totals")[0]
same("cycles of tiles", [simulation["cycles"]] + [cycles[k] for k in ("activeCompute", "compute", "doExchange", "globalExchange", "streamCopy", "sync")],
     [totals.total, totals.activeCompute, totals.compute, totals.exchange, totals.globalExchange, totals.streamCopy, totals.sync], list(row))
syncs, phases = ("Sync", "Sans", "SyncAns"), ("StreamCopyBegin", "StreamCopyEnd")


def timed(kind):
    return kind not in syncs


def works(kind):
    return kind not in syncs + phases


theirs = simulation["steps"]
mine = list(execution.steps)
rows = sql("SELECT s.type, s.name, s.detail, max(i.cycles), max(i.cycles_base + i.all_cycles_from_max), max(i.cycles_base + i.all_cycles_to_max), "
           "sum(i.active_tiles), max(p.step) FROM steps s JOIN steps_by_ipu i ON i.step_id = s.id JOIN programs p ON p.id = s.program GROUP BY s.id ORDER BY s.id")
same("steps", [s["type"] for s in theirs], [s.program.type.name for s in mine], [row[0] for row in rows])
same("names of steps", [s.get("name", "") for s in theirs if timed(s["type"])], [s.program.name for s in mine if timed(s.program.type.name)],
     [row[1] for row in rows if timed(row[0])])
same("kinds of syncs", [s["syncType"] for s in theirs if not timed(s["type"])], [row[2] for row in rows if not timed(row[0])])
same("what streams copy", [s["detail"] for s in theirs if s["type"] == "StreamCopyMid"], [row[2] for row in rows if row[0] == "StreamCopyMid"])
same("programs of steps", [s["program"] for s in theirs if timed(s["type"])], [row[7] for row in rows if timed(row[0])])
same("begins of steps", [s["cyclesFrom"] for s in theirs if timed(s["type"])],
     [max(ipu.allCycles.cyclesFrom.max for ipu in s.ipus) for s in mine if timed(s.program.type.name)], [row[4] for row in rows if timed(row[0])])
same("ends of steps", [s["cyclesTo"] for s in theirs if timed(s["type"])],
     [max(ipu.allCycles.cyclesTo.max for ipu in s.ipus) for s in mine if timed(s.program.type.name)],
     [max(s.cyclesToByTile) for s in mine if timed(s.program.type.name)], [row[5] for row in rows if timed(row[0])])
working = [s for s in theirs if works(s["type"])]
same("cycles of steps", [s["cycles"] for s in working], [max(s.cyclesByTile) for s in mine if works(s.program.type.name)],
     [row[3] for row in rows if works(row[0])])
same("active tiles of steps", [s["activeTiles"] for s in working], [sum(c > 0 for c in s.cyclesByTile) for s in mine if works(s.program.type.name)],
     [row[6] for row in rows if works(row[0])])
same("data of steps", [s["totalData"] for s in working if "totalData" in s],
     sql("SELECT x.total_data FROM steps s JOIN exchanges x ON x.id = s.exchange WHERE s.type IN ('DoExchange', 'GlobalExchange', 'StreamCopyMid') ORDER BY s.id"))

# The lines of figures that programs in three languages and the engine print (figures() of the usages).
peak = memory["byTile"]["totalIncludingGaps"]


def figures(path, lines):
    with open(os.path.join(directory, path), "w") as file:
        file.write("f memory %d %d\nf cycles %d\n" % lines[0])
        for kind, name, start, end, cycles, active in lines[1:]:
            line = "f " + kind
            if timed(kind):
                line += " from %d to %d" % (start, end)
                line += " cycles %d tiles %d" % (cycles, active) if works(kind) else ""
                line += " " + name if name else ""
            file.write(line + "\n")


figures("figures-json.txt", [(sum(peak), max(peak), simulation["cycles"])] +
        [(s["type"], s.get("name", ""), s.get("cyclesFrom"), s.get("cyclesTo"), s.get("cycles"), s.get("activeTiles")) for s in theirs])
figures("figures-sql.txt", [sql("SELECT sum(total_including_gaps), max(total_including_gaps), (SELECT total FROM execution_cycle_totals) FROM memory_by_tile")[0]] +
        [(row[0], row[1], row[4], row[5], row[3], row[6]) for row in rows])
for step in execution.steps:  # the arrays by tile agree with the figures by IPU
    per_ipu = compilation.target.tilesPerIpu
    starts, ends, took = step.cyclesFromByTile, step.cyclesToByTile, step.cyclesByTile
    for i, ipu in enumerate(step.ipus):
        of = slice(i * per_ipu, (i + 1) * per_ipu)
        all_cycles = ipu.allCycles
        same("step of %s" % step.program.name,
             (max(took[of]), sum(c > 0 for c in took[of]), min(starts[of]), max(starts[of]), min(ends[of]), max(ends[of])),
             (ipu.cycles, ipu.activeTiles, all_cycles.cyclesFrom.min, all_cycles.cyclesFrom.max, all_cycles.cyclesTo.min, all_cycles.cyclesTo.max))
        balance = sum(took[of]) / (max(took[of]) * per_ipu) if max(took[of]) else 0
        same("balance of %s" % step.program.name, round(balance, 12), round(ipu.tileBalance, 12))
print("failed" if bad else "passed")
sys.exit(bad != 0)
