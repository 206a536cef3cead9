# SPDX-License-Identifier: Apache-2.0
"""properties.py PVA RANDOM_REPORT CODELETS: over random reports, what each view shows is what the report's tables say.

The tables are read by Python's own sqlite3, with arrays decoded here (docs/reference/report-files.md), so that libpva, the
server and the commands are on one side and SQL on the other.  TREMULA_ROUNDS programs are made, from TREMULA_SEED on."""
import csv
import io
import json
import math
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

from client import Failed, Server


def decode(blob):
    """The elements of an array up to the last token; those after it are 0."""
    values, at, last = [], 0, 0

    def number():
        nonlocal at
        result = shift = 0
        while True:
            byte = blob[at]
            at += 1
            result |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return result

    def difference():
        nonlocal last
        coded = number()
        last = (last + (coded >> 1 ^ -(coded & 1))) % 2**64
        return last

    while at < len(blob or b""):
        token = number()
        if token & 1:
            values += [difference() for _ in range(token >> 1)]
        else:
            values += [difference()] * (token >> 1)
    return values


class Tables:
    """The report in SQL: rows("SELECT ...") with the functions total(array), at(array, tile) and among(array, from, to)."""

    def __init__(self, directory):
        self.db = sqlite3.connect(f"file:{directory}/profile.pop?mode=ro", uri=True)
        self.db.create_function("total", 1, lambda blob: sum(decode(blob)), deterministic=True)
        self.db.create_function("at", 2, lambda blob, i: dict(enumerate(decode(blob))).get(i, 0), deterministic=True)
        self.db.create_function("among", 3, lambda blob, begin, end: sum(decode(blob)[begin:end]), deterministic=True)
        self.tiles, self.per_ipu, self.ipus = self.rows("SELECT tiles_per_replica, tiles_per_ipu, ipus_per_replica FROM target")[0]

    def rows(self, sql, *parameters):
        return self.db.execute(sql, parameters).fetchall()

    def column(self, sql, *parameters):
        return [row[0] for row in self.rows(sql, *parameters)]

    def one(self, sql, *parameters):
        return self.rows(sql, *parameters)[0][0]


def same(what, shown, wanted):
    """Numbers may differ by rounding; lists element by element; NULL is 0 or NaN in columns of numbers."""
    if isinstance(wanted, (list, tuple)):
        assert len(shown) == len(wanted), f"{what}: {len(shown)} values, not {len(wanted)}: {shown} and {wanted}"
        for i, (a, b) in enumerate(zip(shown, wanted)):
            same(f"{what} [{i}]", a, b)
    elif isinstance(wanted, (int, float)) and isinstance(shown, (int, float)):
        assert math.isclose(shown, wanted, rel_tol=1e-6, abs_tol=1e-6), f"{what}: {shown}, not {wanted}"
    else:
        assert shown == wanted, f"{what}: {shown!r}, not {wanted!r}"


PROPERTIES = []


def property(check):
    PROPERTIES.append(check)
    return check


# ---- memory ----

USED = "m.overlap <> 1"  # shared addresses once


@property
def memory(get, t):
    answer = get("memory")
    same("total", answer["total"], t.one("SELECT sum(total) FROM memory_by_tile"))
    same("gaps", answer["total"] + answer["gaps"] if answer["gaps"] < answer["total"] else answer["gaps"],
         t.one("SELECT sum(total_including_gaps) FROM memory_by_tile"))
    categories = dict(t.rows(f"SELECT c.name, sum(m.bytes) FROM memory_by_category m JOIN var_categories c ON c.id = m.category "
                             f"WHERE {USED} GROUP BY 1"))
    same("categories", {c["name"]: c["bytes"] for c in answer["categories"] if c["bytes"]}, {k: v for k, v in categories.items() if v})
    same("all categories", sum(categories.values()), answer["total"])


@property
def memory_by_tile(get, t):
    columns = {"total": "total", "gaps": "total_including_gaps", "nonInterleaved": "non_interleaved", "interleaved": "interleaved",
               "overflowed": "overflowed", "alwaysLive": "always_live", "notAlwaysLive": "not_always_live"}
    for figure, column in columns.items():
        answer = get("memory/tiles", series=figure, key=figure, pixels=8192)
        same(figure, answer[figure], t.column(f"SELECT {column} FROM memory_by_tile ORDER BY tile"))
        same(f"sum of {figure}", answer["meta"]["sum"], sum(answer[figure]))
    for kind, sql in (("variable", "SELECT id, bytes_by_tile FROM variables"),
                      ("exchange", "SELECT id, code_bytes_by_tile FROM exchanges")):
        for number, blob in t.rows(f"{sql} ORDER BY id LIMIT 12"):
            shown = get("memory/tiles", series=f"{kind}:{number}", key=f"{kind}:{number}", pixels=8192)
            same(f"{kind} {number}", shown[f"{kind}:{number}"], (decode(blob) + [0] * t.tiles)[: t.tiles])
    for (name,) in t.rows("SELECT name FROM var_categories"):
        shown = get("memory/tiles", series=f"category:{name}", key=f"category:{name}", pixels=8192)[f"category:{name}"]
        wanted = [t.one(f"SELECT ifnull(sum(at(m.bytes_by_tile, ?)), 0) FROM memory_by_category m JOIN var_categories c ON c.id = "
                        f"m.category WHERE c.name = ? AND {USED}", tile, name) for tile in range(t.tiles)]
        same(name, shown, wanted)


@property
def memory_of_a_tile(get, t):
    for tile in range(min(t.tiles, 5)):
        layout = get("memory/layout", tile=tile)
        rows = t.rows("SELECT id, name, category, offset, size_bytes FROM lowered_variables WHERE tile = ? ORDER BY id", tile)
        same(f"lowered variables of tile {tile}", sorted(zip(layout["id"], layout["address"], layout["bytes"])),
             sorted((r[0], r[3], r[4]) for r in rows))
        same(f"names on tile {tile}", sorted(layout["name"]), sorted(r[1] for r in rows))


@property
def memory_variables(get, t):
    answer = get("memory/variables")
    rows = t.rows("SELECT id, name, type, bytes, always_live, bytes_by_tile FROM variables ORDER BY bytes DESC, id")
    for i, column in enumerate(("id", "name", "type", "bytes", "alwaysLive")):
        same(column, answer[column], [r[i] for r in rows])
    same("largest", answer["largest"], [max(decode(r[5]) or [0]) for r in rows])
    same("by tile", [r[3] for r in rows], [sum(decode(r[5])) for r in rows])


@property
def memory_code(get, t):
    names = {"code": "code", "vertex_data": "vertex_data", "edge_ptr": "edge_ptr", "copy_ptr": "copy_ptr", "descriptor": "descriptor",
             "padding": "padding"}
    for kind, table, key in (("computeSets", "compute_sets", "compute_set"), ("vertexTypes", "vertex_types", "id")):
        whole, some = get("memory/code", kind=kind), get("memory/code", kind=kind, tiles="0,1")
        for name in names:
            shown = next((c for c in whole if c.lower().replace("_", "") == name.replace("_", "")), name)
            same(f"{kind} {name}", whole[shown], t.column(f"SELECT {name}_bytes FROM {table} ORDER BY {key}"))
            same(f"{kind} {name} by tile", whole[shown], t.column(f"SELECT total({name}_bytes_by_tile) FROM {table} ORDER BY {key}"))
            same(f"{kind} {name} of two tiles", some[shown],
                 t.column(f"SELECT at({name}_bytes_by_tile, 0) + at({name}_bytes_by_tile, 1) FROM {table} ORDER BY {key}"))
    exchanges = get("memory/code", kind="exchanges")
    same("exchanges", exchanges["code"], t.column("SELECT code_bytes FROM exchanges ORDER BY id"))
    same("their data", exchanges["data"], t.column("SELECT total_data FROM exchanges ORDER BY id"))
    same("half of what moves", exchanges["data"],
         t.column("SELECT (total(sent_by_tile) + total(received_by_tile)) / 2 FROM exchanges ORDER BY id"))
    code = dict(t.rows(f"SELECT c.name, sum(m.bytes) FROM memory_by_category m JOIN var_categories c ON c.id = m.category WHERE {USED} "
                       "GROUP BY 1"))
    for category, kind in (("internalExchangeCode", "internal"), ("globalExchangeCode", "global"), ("hostExchangeCode", "host")):
        same(f"{category} in Memory", code.get(category, 0), t.one("SELECT ifnull(sum(code_bytes), 0) FROM exchanges WHERE kind = ?", kind))


@property
def insights(get, t):
    answer = get("insights")
    tiles = t.one("SELECT tiles_per_replica FROM target")
    if t.one("SELECT type FROM target") == "IPU_MODEL":  # random_report.cpp has its units: 4 multiply-adds of halves, 1 of floats
        same("peak", answer["arithmetic"]["peak"], {"half": 2 * tiles * 12 * 4, "float": 2 * tiles * 6, "exchange": 8 * tiles})
    same("always live", answer["alwaysLive"], answer["alwaysLive"])
    for scope, count in (("model", 1), ("ipu", t.ipus), ("tile", min(3, t.tiles))):
        for index in range(count):
            part = get("insights/scope", scope=scope, index=index)
            begin, end = {"model": (0, t.tiles), "ipu": (index * t.per_ipu, (index + 1) * t.per_ipu), "tile": (index, index + 1)}[scope]
            wanted = t.rows("SELECT name, among(bytes_by_tile, ?, ?) AS b FROM variables WHERE b > 0 ORDER BY b DESC, id LIMIT 10", begin, end)
            same(f"variables of {scope} {index}", [v["bytes"] for v in part["variables"]], [r[1] for r in wanted])


# ---- liveness ----

@property
def liveness(get, t):
    sources = [("all", 0, 0, t.tiles)] + [("ipu", i, i * t.per_ipu, (i + 1) * t.per_ipu) for i in range(t.ipus)]
    sources += [("tile", i, i, i + 1) for i in range(min(3, t.tiles))]
    for source, index, begin, end in sources:
        answer = get("liveness/steps", source=source, index=index, pixels=8192)
        wanted = t.column("SELECT among(l.bytes_by_tile, ?, ?) FROM liveness_steps s JOIN live_lists l ON l.id = s.list ORDER BY s.id", begin, end)
        same(f"live of {source} {index}", answer["maximum"], wanted)
        same(f"peak of {source} {index}", answer["meta"]["peakBytes"], max(wanted, default=0))
        same(f"always live of {source} {index}", answer["meta"]["alwaysLive"],
             t.one("SELECT among(bytes_by_tile, ?, ?) FROM live_lists WHERE id = 0", begin, end))
        for step in get("liveness/step", source=source, index=index, steps=answer["meta"]["peakStep"]) if wanted else []:
            same(f"variables at the peak of {source} {index}", sum(v["bytes"] for v in step["variables"]), step["bytes"])
            same(f"bytes at the peak of {source} {index}", step["bytes"], answer["meta"]["peakBytes"])
        always = get("liveness/always", source=source, index=index)
        same(f"always-live variables of {source} {index}", sum(always["bytes"]), always["meta"]["bytes"])
    same("list by tile", t.column("SELECT bytes FROM live_lists ORDER BY id"), t.column("SELECT total(bytes_by_tile) FROM live_lists ORDER BY id"))


# ---- programs, operations, source lines, flame graphs ----

COSTS = """WITH whole AS (SELECT pattern, max(cycles) AS longest, sum(cycles_sum) AS total, max(all_to_max) AS last FROM pattern_ipus GROUP BY 1),
ends AS (SELECT e.id, e.program, w.longest, w.total, max(e.base + ifnull(d.cycles, 0) + i.all_to_max) AS last FROM executed e
    JOIN whole w ON w.pattern = e.pattern JOIN pattern_ipus i ON i.pattern = e.pattern
    LEFT JOIN drifts d ON d.drift = e.drift AND d.ipu = i.ipu GROUP BY e.id),
moved AS (SELECT *, max(0, last - ifnull(max(last) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)) AS delay FROM ends),
costs AS (SELECT program, count(*) AS times, sum(longest) AS cycles, sum(total) AS tiles, sum(delay) AS elapsed FROM moved GROUP BY 1)
"""


def total_cycles(t):
    return sum(t.column("SELECT total FROM execution_cycle_totals"))


@property
def programs(get, t):
    answer = get("programs/list")
    for column, figure in (("times", "times"), ("cycles", "cycles"), ("elapsed", "elapsed")):
        same(column, answer[column], t.column(f"{COSTS} SELECT ifnull(c.{figure}, 0) FROM programs p LEFT JOIN costs c ON c.program = p.id ORDER BY p.id"))
    same("all cycles", sum(answer["elapsed"]), total_cycles(t))
    control = t.column("SELECT program FROM control_programs ORDER BY position")
    same("control programs", sum(answer["within"][i] for i in control), total_cycles(t))
    same("their executions", [answer["executions"][i] for i in control],
         t.column("SELECT (SELECT count(*) FROM runs r WHERE r.steps > 0) FROM control_programs c ORDER BY position"))
    for i in range(len(answer["times"])):
        assert answer["executions"][i] >= answer["times"][i], f"program {i}: {answer['executions'][i]} executions, {answer['times'][i]} steps"
    code = t.column("SELECT p.control_code_bytes - ifnull((SELECT sum(q.control_code_bytes) FROM program_children k JOIN programs q ON q.id = k.child "
                    "WHERE k.program = p.id), 0) + CASE p.type WHEN 'DoExchange' THEN (SELECT code_bytes FROM exchanges x WHERE x.id = p.exchange) "
                    "ELSE 0 END FROM programs p ORDER BY p.id")
    same("code", answer["code"], code)


@property
def sums_of_programs(get, t):
    wanted = t.rows(f"{COSTS} SELECT sum(times), sum(cycles), sum(tiles), sum(elapsed) FROM costs")[0]
    operations = get("operations/table")
    for column, value in zip(("times", "cycles", "tileCycles", "elapsed"), wanted):
        same(f"operations: {column}", sum(operations[column]), value)
    lines = get("source/lines")
    for column in ("exchange", "host"):
        same(f"operations: {column}", sum(operations[column]), sum(lines[column]))
    for column, value in zip(("times", "cycles", "tileCycles", "elapsed"), wanted):
        same(f"source lines: {column}", sum(lines[column]), value)
    same("programs", sum(lines["programs"]), t.one("SELECT count(*) FROM programs"))
    for line, (exchange, host, elapsed) in enumerate(zip(lines["exchange"], lines["host"], lines["elapsed"])):
        assert exchange + host <= elapsed, f"line {line}: exchange of {exchange} and host of {host} of {elapsed} cycles"
    of_type = f"{COSTS} SELECT ifnull(sum(elapsed), 0) FROM costs c JOIN programs p ON p.id = c.program WHERE p.type"
    same("host of lines", sum(lines["host"]), t.one(f"{of_type} LIKE 'StreamCopy%'"))
    same("exchange of lines", sum(lines["exchange"]), t.one(f"{of_type} <> 'OnTileExecute' AND p.type NOT LIKE 'StreamCopy%'"))
    for metric, value in zip(("elapsed", "cycles", "tileCycles"), (wanted[3], wanted[1], wanted[2])):
        same(f"flame graph of {metric}", get("flame/tree", metric=metric)["total"][0], value)
    for metric, sql in (("variables", "SELECT sum(bytes) FROM live_variables"), ("exchangeCode", "SELECT sum(code_bytes) FROM exchanges"),
                        ("alwaysLive", "SELECT bytes FROM live_lists WHERE id = 0"),
                        ("vertexState", "SELECT sum(copy_ptr_bytes + descriptor_bytes + edge_ptr_bytes + padding_bytes + vertex_data_bytes) "
                         "FROM compute_sets")):
        shown = get("flame/tree", metric=metric)["total"]
        same(f"flame graph of {metric}", shown[0] if shown else 0, t.one(sql) or 0)


# ---- the trace ----

KIND = ("CASE p.type WHEN 'Sync' THEN 'Sync ' || CASE p.detail WHEN 'Internal' THEN 'Internal' ELSE 'External' END "
        "WHEN 'StreamCopyMid' THEN 'StreamCopyMid ' || CASE WHEN p.detail IN ('Host', 'RemoteBuffer') THEN p.detail ELSE 'Mixed' END ELSE p.type END")


@property
def trace(get, t):
    lanes = get("trace/lanes")
    same("steps", lanes["steps"], t.one("SELECT count(*) FROM executed"))
    same("runs", [(r["name"], r["from"], r["to"], r["firstStep"], r["steps"]) for r in lanes["runs"]],
         t.rows("SELECT name, cycles_from, cycles_to, first_step, steps FROM runs ORDER BY id"))
    kinds = dict(t.rows(f"SELECT {KIND}, count(*) FROM executed e JOIN programs p ON p.id = e.program JOIN pattern_ipus i ON i.pattern = e.pattern "
                        "WHERE i.active_tiles > 0 GROUP BY 1"))
    same("steps by kind", {k["name"]: k["steps"] for k in lanes["kinds"] if k["steps"]}, kinds)
    for to in (lanes["to"], lanes["to"] * 3):  # in a graph of two reports the window is that of the longer one
        summary = get("trace/summary", **{"from": lanes["from"], "to": to})
        same("cycles of the window", summary["cycles"], lanes["to"] - lanes["from"])
        for ipu in summary["ipus"]:
            rows = {r[0]: r[1:] for r in t.rows(
                f"SELECT {KIND}, sum(i.cycles), sum(i.cycles_sum), count(*), sum(i.data_in), sum(i.data_out) FROM executed e JOIN programs p ON "
                "p.id = e.program JOIN pattern_ipus i ON i.pattern = e.pattern WHERE i.ipu = ? AND i.active_tiles > 0 GROUP BY 1", ipu["ipu"])}
            for kind in ipu["kinds"]:
                same(f"{kind['kind']} of IPU {ipu['ipu']}", (kind["cycles"], kind["tileCycles"], kind["steps"]),
                     rows.get(kind["kind"], (0, 0, 0))[:3])
            for data in ipu["data"]:
                name = data["name"].replace("StreamCopy ", "StreamCopyMid ")
                same(f"{name} of IPU {ipu['ipu']}", (data["received"], data["transmitted"]), rows.get(name, (0, 0, 0, 0, 0))[3:])
            work = sum(k["tileCycles"] for k in ipu["kinds"] if k["kind"] in ("OnTileExecute", "DoExchange", "GlobalExchange") or
                       k["kind"].startswith("StreamCopyMid"))
            if lanes["to"] > lanes["from"]:
                same("utilisation", ipu["tileUtilisation"], work / t.per_ipu / (lanes["to"] - lanes["from"]))


@property
def steps(get, t):
    count = t.one("SELECT count(*) FROM executed")
    for index in sorted({i * count // 25 for i in range(25)} if count else []):
        step = get("trace/step", index=index)
        meta, (program, kind) = step["meta"], t.rows(f"SELECT p.id, {KIND} FROM executed e JOIN programs p ON p.id = e.program WHERE e.id = ?", index)[0]
        same("program and kind", (meta["program"], meta["kind"]), (program, kind))
        rows = t.rows("SELECT cycles, active_tiles, data_in, data_out, cycles_base + active_cycles_from_min, cycles_base + active_cycles_to_max, "
                      "tile_balance FROM steps_by_ipu WHERE step_id = ? ORDER BY ipu", index)
        same("by IPU", [(i["cycles"], i["activeTiles"], i["dataIn"], i["dataOut"], i["tileBalance"]) for i in meta["ipus"]],
             [r[:4] + r[6:] for r in rows])
        for i, row in enumerate(rows):
            tiles = range(i * t.per_ipu, (i + 1) * t.per_ipu)
            same("slowest tile", max(step["to"][k] - step["from"][k] for k in tiles), row[0])
            busy = [k for k in tiles if step["to"][k] > step["from"][k]]
            same("active tiles", len(busy), row[1])
            if busy:
                same("extent", (min(step["from"][k] for k in busy), max(step["to"][k] for k in busy)), row[4:6])
        exchange = t.rows("SELECT x.total_data, x.code_bytes, x.from_host, x.to_host, total(x.sent_by_tile), total(x.received_by_tile) FROM programs p "
                          "JOIN exchanges x ON x.id = p.exchange WHERE p.id = ?", program)
        same("exchange", [(e["totalData"], e["codeBytes"], e["fromHost"], e["toHost"], e["sent"], e["received"]) for e in meta["exchange"]], exchange)
        if meta["exchange"] and kind in ("DoExchange", "GlobalExchange") or kind.startswith("StreamCopyMid"):
            same("data of the IPUs", (sum(i["dataOut"] for i in meta["ipus"]), sum(i["dataIn"] for i in meta["ipus"])), exchange[0][4:])
            if kind == "StreamCopyMid RemoteBuffer":
                same("copies of a remote buffer from and to the host", exchange[0][2:4], (0, 0))


@property
def lost(get, t):
    answer = get("trace/lost", rows=1000)
    same("cycles", answer["cycles"], t.one(f"{COSTS} SELECT ifnull(sum(cycles), 0) FROM costs"))
    imbalance = t.one("SELECT ifnull(sum(longest - 1.0 * total / (? * busy)), 0) FROM (SELECT e.id, max(i.cycles) AS longest, sum(i.cycles_sum) AS total, "
                      "sum(i.cycles > 0) AS busy FROM executed e JOIN programs p ON p.id = e.program JOIN pattern_ipus i ON i.pattern = e.pattern "
                      "WHERE p.type = 'OnTileExecute' AND i.active_tiles > 0 GROUP BY 1) WHERE busy", t.per_ipu)
    same("imbalance", answer["lost"]["imbalance"], imbalance)


# ---- the summary, and the commands ----

@property
def summary(get, t):
    answer = get("summary")
    same("runs", [(r["id"], r["name"], r["cycles"]) for r in answer["runs"]], t.rows("SELECT id, name, cycles_to - cycles_from FROM runs ORDER BY id"))
    graph = t.rows("SELECT num_compute_sets, num_vertices, num_edges, num_vars FROM graph")[0]
    same("graph", sorted(answer["graph"].values()), sorted(graph))
    same("metrics", len(answer["metrics"]), t.one("SELECT count(*) FROM metrics"))


def command(pva, *words):
    environment = dict(os.environ)
    environment.pop("LD_PRELOAD", None)
    done = subprocess.run([pva, *words], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, f"pva {' '.join(words)}: {done.stderr}"
    return done.stdout


def check_commands(pva, directory, t):
    """`pva query` of plain tables, and what `pva export` writes."""
    for (table,) in t.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"):
        columns = [c[1] for c in t.rows(f"PRAGMA table_info({table})") if c[2] != "BLOB" and c[1] != "value"]
        sql = f"SELECT {', '.join(columns)} FROM {table}"
        shown = list(csv.reader(io.StringIO(command(pva, "query", directory, sql, "--format", "csv"))))[1:]
        wanted = [["" if v is None else v for v in row] for row in t.rows(sql)]
        same(f"rows of {table}", len(shown), len(wanted))
        for a, b in zip(shown, wanted):
            for x, y in zip(a, b):
                same(f"{table}: {sql}", float(x) if isinstance(y, float) else x, y if isinstance(y, float) else str(y))
    check_export(pva, directory, t)


def check_export(pva, directory, t):
    """The trace as CSV, JSON and Chrome's: a slice for each run, and for each step on each IPU that it takes cycles of."""
    runs = t.rows("SELECT 'Run', id, name, cycles_from, cycles_to, cycles_to - cycles_from, 0, 0, 0 FROM runs ORDER BY id")
    wanted = sorted(runs + t.rows(
        "SELECT p.type, s.step_id, p.name, s.cycles_base + s.active_cycles_from_min, s.cycles_base + s.active_cycles_to_max, s.cycles, s.active_tiles, "
        "s.data_in, s.data_out FROM steps_by_ipu s JOIN executed e ON e.id = s.step_id JOIN programs p ON p.id = e.program WHERE s.cycles > 0"))
    lines = csv.DictReader(io.StringIO(command(pva, "export", directory, "--to", "csv", "--output", "/dev/stdout")))
    same("CSV", sorted((r["type"], int(r["step"]), r["name"], *(int(r[k]) for k in ("from", "to", "cycles", "active_tiles", "data_in", "data_out")))
                       for r in lines), wanted)
    slices = json.loads(command(pva, "export", directory, "--to", "json", "--output", "/dev/stdout"))["slices"]
    same("JSON", sorted((r["type"], r["step"], r["name"], r["from"], r["to"], r["cycles"], r["activeTiles"], r["dataIn"], r["dataOut"]) for r in slices),
         wanted)
    events = json.loads(command(pva, "export", directory, "--to", "chrome", "--output", "/dev/stdout"))["traceEvents"]
    same("Chrome", sorted((e["cat"], e["args"]["step"], e["args"]["cycles"]) for e in events if e["ph"] == "X"), sorted((r[0], r[1], r[5]) for r in wanted))
    same("always live", t.one("SELECT sum(always_live) FROM memory_by_tile"), t.one("SELECT bytes FROM live_lists WHERE id = 0"))
    listing = command(pva, "summary", directory)
    for what, value in (("memory", t.one("SELECT sum(total) FROM memory_by_tile")), ("cycles", total_cycles(t))):
        assert f"{value:,}" in listing, f"pva summary: no {what} of {value:,}"


def check(pva, directory):
    t = Tables(directory)
    with Server(pva, directory) as server:
        for each in PROPERTIES:
            try:
                each(server.get, t)
            except (AssertionError, Failed) as error:
                raise AssertionError(f"{each.__name__}: {error}") from None
    check_commands(pva, directory, t)


def main():
    pva, generator, codelets = sys.argv[1:4]
    first, rounds = int(os.environ.get("TREMULA_SEED", "1")), 4 * int(os.environ.get("TREMULA_ROUNDS", "1"))
    bad = 0
    for seed in range(first, first + rounds):
        directory = tempfile.mkdtemp()
        environment = dict(os.environ)
        environment.pop("LD_PRELOAD", None)
        try:
            subprocess.run([generator, codelets, directory, str(seed)], check=True, env=environment)
            check(pva, directory)
        except AssertionError as error:
            print(f"TREMULA_SEED={seed} TREMULA_ROUNDS=1: {error}")
            bad += 1
        finally:
            shutil.rmtree(directory)
    print("failed" if bad else "passed", rounds, "reports")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
