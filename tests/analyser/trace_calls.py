# SPDX-License-Identifier: Apache-2.0
"""trace_calls.py PVA REPORT: the calls of the trace agree with libpva on each step of each tile."""
import json
import math
import os
import shutil
import sqlite3
import subprocess
import sys

import host_trace
import pva
from client import case, Failed, Server

NOTHING = 255
WAIT = {"Sync Internal", "Sync External", "Sans", "SyncAns"}
WORK = {"OnTileExecute", "DoExchange", "GlobalExchange", "StreamCopyMid Host", "StreamCopyMid RemoteBuffer", "StreamCopyMid Mixed"}


def near(what, got, wanted):
    assert abs(got - wanted) <= 1e-6 * max(1, abs(wanted)), f"{what}: {got}, not {wanted}"


def equal(what, got, wanted):
    assert got == wanted, f"{what}: {got!r}, not {wanted!r}"


class Step:
    def __init__(self, index, step):
        program = step.program
        self.index, self.type, self.name = index, program.typeName, program.name
        detail = program.detail
        self.kind = {"Sync": "Sync Internal" if detail == "Internal" else "Sync External",
                     "StreamCopyMid": "StreamCopyMid " + (detail if detail in ("Host", "RemoteBuffer") else "Mixed")}.get(self.type, self.type)
        self.begin, self.end = list(step.cyclesFromByTile), list(step.cyclesToByTile)
        self.program = program._id
        self.ipus = [(i.activeTiles, i.activeCycles.cyclesFrom.min, i.activeCycles.cyclesTo.max, i.cycles, i.dataIn, i.dataOut) for i in step.ipus]

    def seen(self, ipu, begin=0, end=float("inf")):
        active, first, last = self.ipus[ipu][:3]
        return active and last >= begin and first <= end


def check_lanes(server, report, steps):
    lanes = server.get("trace/lanes")
    equal("mode", lanes["mode"], "detailed")
    equal("steps", lanes["steps"], len(steps))
    equal("runs", [(r["name"], r["firstStep"], r["steps"], r["from"], r["to"]) for r in lanes["runs"]],
          [(r.name, sum(len(q.steps) for q in list(report.execution.runs)[:i]), len(r.steps), r.cycles.cyclesFrom, r.cycles.cyclesTo)
           for i, r in enumerate(report.execution.runs)])
    for kind in lanes["kinds"]:
        equal(kind["name"], kind["steps"], sum(bool(s.seen(ipu)) for s in steps for ipu in range(lanes["ipus"]) if s.kind == kind["name"]))
    for lane in lanes["lanes"]:
        ipu = lane["ipu"]
        equal("a lane's begin", lane["from"], min(s.ipus[ipu][1] for s in steps if s.seen(ipu)))
        equal("a lane's end", lane["to"], max(s.ipus[ipu][2] for s in steps if s.seen(ipu)))
    return lanes


@case
def check_windows(server, lanes, steps):
    names = [k["name"] for k in lanes["kinds"]]
    for ipu in range(lanes["ipus"]):
        for begin, end in ((lanes["from"], lanes["to"]), (1000, 2600), (2400, 2401), (0, 0), (1e9, 2e9)):
            seen = [s for s in steps if s.seen(ipu, begin, end)]
            for pixels in (1, 7, 100, 8192):
                answer = server.get("trace/window", lane=ipu, **{"from": begin, "to": end}, pixels=pixels)
                equal("steps in a window", sum(answer["count"]), len(seen))
                width, single = (end - begin) / pixels, {}
                for i, number in enumerate(answer["step"]):
                    if number == 0xFFFFFFFF:
                        continue
                    step = single[number] = steps[number]
                    equal("a step's rectangle", (answer["from"][i], answer["to"][i]), step.ipus[ipu][1:3])
                    equal("its kind", names[answer["kind"][i]], step.kind)
                    if step.type != "Sync":
                        assert answer["labels"][answer["label"][i]].startswith(step.name), step.name
                large = {s.index for s in seen if s.ipus[ipu][2] - s.ipus[ipu][1] >= width}
                assert large <= set(single), f"steps as wide as a pixel are not shown: {large - set(single)}"
                small = [i for i, n in enumerate(answer["step"]) if n not in large]
                assert len(small) <= pixels, "more than one rectangle a pixel"
                flame = server.get("trace/window", lane=ipu, **{"from": begin, "to": end}, pixels=pixels, flame=1)
                top = sum(c for c, depth in zip(flame["count"], flame["depth"]) if depth == 0)
                equal("steps at the top of a flame graph", top, len(seen))
                flame = server.get("trace/window", lane=ipu, **{"from": begin, "to": end}, pixels=pixels, flame=2)
                top = sum(c for c, depth in zip(flame["count"], flame["depth"]) if depth == 0)
                equal("steps at the top of a flame graph of programs", top, len(seen))
    hidden = server.get("trace/window", hide="Sync External,SyncAns", pixels=8192)
    equal("hidden", sum(hidden["count"]), sum(bool(s.seen(0)) for s in steps if s.kind not in ("Sync External", "SyncAns")))
    grouped = server.get("trace/window", group="syncs", pixels=8192)
    equal("steps of groups", sum(grouped["count"]), sum(bool(s.seen(0)) for s in steps))
    assert len(grouped["count"]) < len(server.get("trace/window", pixels=8192)["count"]), "nothing was joined"
    server.refused("trace/window", "lane", lane=lanes["ipus"])
    server.refused("trace/window", "pixels", pixels=8193)
    server.refused("trace/window", "from", **{"from": 5, "to": 4})
    server.refused("trace/window", "number", **{"from": "nan"})
    server.refused("trace/window", "Snyc", hide="Snyc")


def inside(step, tile, begin, end):
    return max(0, min(step.end[tile], end) - max(step.begin[tile], begin))


@case
def check_statistics(server, lanes, steps):
    per_ipu = lanes["tilesPerIpu"]
    for begin, end in ((lanes["from"], lanes["to"]), (700, 9000.5), (2410, 2420), (700, 1e6)):
        answer = server.get("trace/summary", **{"from": begin, "to": end})
        for ipu in answer["ipus"]:
            number = ipu["ipu"]
            tiles = range(number * per_ipu, (number + 1) * per_ipu)
            work = top = bottom = 0
            for kind in ipu["kinds"]:
                mine = [s for s in steps if s.kind == kind["kind"] and s.seen(number)]
                near(f"tile cycles of {kind['kind']}", kind["tileCycles"], sum(inside(s, t, begin, end) for s in mine for t in tiles))
                cycles = total = 0
                for s in mine:
                    active, first, last, longest = s.ipus[number][:4]
                    part = max(0, min(last, end) - max(first, begin)) / (last - first) if last > first else float(begin <= first <= end)
                    cycles += part * longest
                near(f"cycles of {kind['kind']}", kind["cycles"], cycles)
                work += kind["tileCycles"] * (kind["kind"] in WORK)
                top += kind["tileCycles"] * (kind["kind"] not in WAIT)
                bottom += kind["cycles"] * (kind["kind"] not in WAIT)
            shown = min(end, lanes["to"]) - max(begin, lanes["from"]) # of the window, what is in the trace
            near("utilisation", ipu["tileUtilisation"], work / shown / per_ipu)
            near("cycles", answer["cycles"], shown)
            if bottom:
                near("balance", ipu["tileBalance"], top / bottom / per_ipu)
        near("data", sum(d["received"] for i in server.get("trace/summary")["ipus"] for d in i["data"]),
             sum(i[4] for s in steps for i in s.ipus if i[0] and (s.type == "GlobalExchange" or s.type == "StreamCopyMid")))
        for first, count in ((0, lanes["ipus"] * per_ipu), (2, 3)):
            area = server.get("trace/area", tile=first, tiles=count, **{"from": begin, "to": end})
            for i in range(count):
                near("work of a tile", area["work"][i], sum(inside(s, first + i, begin, end) for s in steps if s.kind in WORK))
                near("wait of a tile", area["wait"][i], sum(inside(s, first + i, begin, end) for s in steps if s.kind in WAIT))
            equal("histogram", sum(area["meta"]["histogram"]), count)
            equal("left out", area["meta"]["leftOut"], 0)
    server.refused("trace/area", "tiles", tile=0, tiles=0)
    server.refused("trace/area", "tiles", tile=10**6)


@case
def check_tiles(server, lanes, steps):
    names, width, height = [k["name"] for k in lanes["kinds"]], 97, 8
    for begin, end in ((lanes["from"], lanes["to"]), (2400, 2497)):
        picture = server.get("trace/bsp", pixels=width, height=height, **{"from": begin, "to": end})
        for tile in range(height):
            for pixel in range(width):
                cycle = begin + (end - begin) * (pixel + 0.5) / width
                mine = [s.kind for s in steps if s.begin[tile] <= cycle < s.end[tile]]
                kind = picture["kind"][tile * width + pixel]
                equal(f"tile {tile} at {cycle}", NOTHING if kind == NOTHING else names[kind], mine[-1] if mine else NOTHING)
    for step in steps[::7]:
        answer = server.get("trace/step", index=step.index)
        equal("begins", answer["from"], [float(c) for c in step.begin])
        equal("ends", answer["to"], [float(c) for c in step.end])
        equal("name", answer["meta"]["name"], step.name)
        equal("cycles", [i["cycles"] for i in answer["meta"]["ipus"]], [i[3] for i in step.ipus])
    server.refused("trace/step", "step", index=len(steps))
    server.refused("trace/bsp", "rows", height=0)


@case
def check_search(server, steps):
    answer = server.get("trace/search", q="LAYER/")
    found = [s.index for s in steps if "layer/" in s.name.lower()]
    equal("matches", answer["steps"], found)
    equal("the first", answer["meta"]["current"]["step"], found[0])
    at = found[0]
    for skip in (1, 1, -1, 10, -10, -1, len(found)):
        wanted = found[(found.index(at) + skip) % len(found)]
        at = server.get("trace/search", q="layer/", step=at, skip=skip)["meta"]["current"]["step"]
        equal(f"{skip} on", at, wanted)
    equal("none", server.get("trace/search", q="no such name")["meta"]["matches"], 0)
    matches = server.get("trace/window", q="layer/", pixels=10)
    equal("matches of a window", sum(matches["matches"]), sum(bool(steps[i].seen(0)) for i in found))
    server.refused("trace/search", "empty")


@case
def check_memory(server, report, steps, lanes):
    live, always = {}, sum(v.size for v in report.compilation.alwaysLiveVariables)
    for step in report.compilation.livenessProgramSteps:
        live[step.program._id] = max(live.get(step.program._id, 0), step.notAlwaysLiveMemory.bytes + always)
    answer = server.get("trace/memory", pixels=1)
    equal("most that is live", answer["live"], [float(max(live.get(s.program, 0) for s in steps if s.seen(0)))])
    equal("always live", answer["meta"]["alwaysLive"], always)
    lost = server.get("trace/lost")
    for row in lost["programs"]:
        mine = [s for s in steps if s.program == row["program"]]
        longest = [max(i[3] for i in s.ipus) for s in mine if any(i[0] for i in s.ipus)]
        near("cycles of a program", row["cycles"], sum(longest))
        if row["cause"] == "imbalance":
            near("lost", row["lost"], sum(m - sum(e - b for b, e in zip(s.begin, s.end)) / len(s.begin) for m, s in zip(longest, mine)))
        step = steps[row["step"]]
        equal("critical tile", step.end[row["criticalTile"]] - step.begin[row["criticalTile"]], max(longest))


@case
def check_cache(command, directory, steps):
    cache = os.path.join(directory, "profile.pop_cache")

    def ask():
        with Server(command, directory) as server:
            lanes = server.get("trace/lanes")
            return lanes["fromCache"], lanes["note"], server.get("trace/window", pixels=500), lanes

    assert os.path.exists(cache), "no cache was written"
    first = ask()
    assert first[0], "the cache was not used"
    for damage in (lambda data: data[:-1], lambda data: data[:50], lambda data: b"", lambda data: data + b"x",
                   lambda data: data[:104 + 16] + bytes([255]) * 64 + data[104 + 16 + 64:],
                   lambda data: data[:104 + 8 * len(steps)] + b"\xff" * 12 + data[104 + 8 * len(steps) + 12:]):
        with open(cache, "rb") as file:
            data = file.read()
        with open(cache, "wb") as file:
            file.write(damage(data))
        again = ask()
        if damage(data)[:104] == data[:104] and len(damage(data)) == len(data):
            os.unlink(cache)  # wrong but possible numbers cannot be detected
            ask()
        else:
            assert not again[0] and again[2] == first[2], "a damaged cache was used"
    os.utime(os.path.join(directory, "profile.pop"), ns=(1, 1))
    assert not ask()[0], "a stale cache was used"
    assert ask()[0]
    os.unlink(cache)
    os.mkdir(cache)  # a directory cannot be overwritten, not even by root
    answer = ask()
    assert not answer[0] and "no cache" in answer[1] and answer[2] == first[2], answer[1]
    assert sorted(os.listdir(directory)) == sorted(set(os.listdir(directory)) - {n for n in os.listdir(directory) if ".pop_cache." in n})
    os.rmdir(cache)
    with Server(command, directory) as server:
        server.get("trace/lanes")
        assert server.post("cache/delete", {})["deleted"] == 1 and not os.path.exists(cache)


@case
def check_blocks(command, program, directory):
    environment = dict(os.environ, POPLAR_ENGINE_OPTIONS=json.dumps({"debug.instrumentCompute": "false", "profiler.blocks.filter": ".*", "profiler.programs.filter": ".*"}))
    subprocess.run([program, directory, "9"], input="go\n" * 3, text=True, env=environment, check=True, stdout=subprocess.DEVNULL)
    report = pva.openReport(os.path.join(directory, "profile.pop"))
    with Server(command, directory) as server:
        lanes = server.get("trace/lanes")
        equal("mode", lanes["mode"], "lightweight")
        assert lanes["tiles"], "no tile has blocks"
        for tile in lanes["tiles"]:
            blocks = [b for b in report.execution.blocks(tile["tile"])]
            equal("blocks", tile["blocks"], len(blocks))
            answer = server.get("trace/blocks", tile=tile["tile"], pixels=8192)
            equal("blocks of a window", sum(answer["count"]), len(blocks))
            whole = {(b.cyclesFrom, b.cyclesTo) for b in blocks if b.isCommon}
            for i, kind in enumerate(answer["kind"]):
                if kind == 0 and answer["count"][i] == 1:
                    assert (answer["from"][i], answer["to"][i]) in whole, "a block is somewhere else"
            assert any("phase/<i>inner</i>" in label for label in answer["labels"]), answer["labels"]
            equal("a pixel", sum(server.get("trace/blocks", tile=tile["tile"], pixels=1)["count"]), len(blocks))


@case
def check_ipu_level(command, program, directory):
    """Level ipu: cycles of IPUs; tiles have none, and the trace says so."""
    environment = dict(os.environ, POPLAR_ENGINE_OPTIONS=json.dumps({"debug.instrument": "true", "debug.computeInstrumentationLevel": "ipu"}))
    subprocess.run([program, directory, "9"], input="go\n" * 3, text=True, env=environment, check=True, stdout=subprocess.DEVNULL)
    report = pva.openReport(os.path.join(directory, "profile.pop"))
    steps = list(report.execution.steps)
    equal("cycles of tiles", sum(len(s.cyclesByTile) + len(s.cyclesFromByTile) + len(s.cyclesToByTile) for s in steps), 0)
    assert sum(i.cycles for s in steps for i in s.ipus) > 0
    with Server(command, directory) as server:
        lanes = server.get("trace/lanes")
        assert "debug.computeInstrumentationLevel is ipu" in lanes["note"], lanes["note"]
        whole = {"from": lanes["from"], "to": lanes["to"]}
        assert len(server.get("trace/window", lane=0, pixels=64, **whole)["row"])
        picture = server.get("trace/bsp", tile=0, tiles=lanes["tilesPerIpu"], pixels=16, height=4, **whole)
        equal("activity of tiles", set(picture["kind"]), {NOTHING})
    equal("pva check", subprocess.run([command, "check", directory], stdout=subprocess.DEVNULL).returncode, 0)


@case
def check_matched(command, report, directory, steps):
    """Steps of a report beside those of a copy in which one pattern takes 7 cycles more, and the first step has another name."""
    shutil.copytree(report, directory, ignore=shutil.ignore_patterns("*_cache"))
    database = sqlite3.connect(os.path.join(directory, "profile.pop"))
    pattern, = database.execute("SELECT e.pattern FROM executed e JOIN programs p ON p.id = e.program WHERE p.type = 'OnTileExecute' LIMIT 1").fetchone()
    database.execute("UPDATE pattern_ipus SET cycles = cycles + 7 WHERE pattern = ?", (pattern,))
    changed = {e for e, in database.execute("SELECT id FROM executed WHERE pattern = ?", (pattern,))}
    last = len(steps) - 1
    database.execute("DELETE FROM executed_rows WHERE id = ?", (last,))
    database.execute("UPDATE runs SET steps = steps - 1 WHERE id = (SELECT max(id) FROM runs)")
    database.commit()
    database.close()
    with Server(command, report, directory) as server:
        answer = server.get("trace/matched")
        equal("steps", (answer["meta"]["stepsA"], answer["meta"]["stepsB"]), (len(steps), last))
        equal("pairs", answer["meta"]["pairs"], len(steps))
        for a, b, x, y, name in zip(*(answer[column] for column in ("stepA", "stepB", "cyclesA", "cyclesB", "name"))):
            equal("a step's match", b, 0xFFFFFFFF if a == last else a)
            assert steps[a].name in name, f"its name: {name}, not {steps[a].name}"  # the kind is at its end
            equal("its cycles", x, max(i[3] for i in steps[a].ipus))
            equal("those of the other", y, 0 if a == last else x + (7 if a in changed else 0))
        changes = [abs(y - x) for x, y in zip(answer["cyclesA"], answer["cyclesB"])]
        equal("order", changes, sorted(changes, reverse=True))
        one = server.get("trace/matched", side=1, step=3)
        equal("the pair of a step", (one["stepA"], one["stepB"]), ([3], [3]))
        equal("the pair of none", server.get("trace/matched", side=1, step=last)["stepA"], [])
    with Server(command, report) as server:
        try:
            server.get("trace/matched")
            raise AssertionError("one report has matches")
        except Failed as failed:
            equal("one report", failed.code, 400)


def on_axis(runs, clock, time):
    """Where a time of the host is on the axis: recorded runs take their cycles, the rest is time at the clock."""
    at, before = 0, runs[0][0] - 20 * host_trace.MS  # the first event
    for start, stop, first, last in runs:
        if time < start:
            break
        at = math.ceil(at + (start - before) * clock / 1e9)
        if time < stop:
            return at + (last - first) * (time - start) / (stop - start)
        at, before = at + last - first, stop
    return at + (time - before) * clock / 1e9


@case
def check_host(command, report, directory):
    shutil.copytree(report, directory)
    host_trace.write(directory)
    runs, clock = host_trace.runs_of(directory)
    with open(os.path.join(directory, "broken.pvti"), "w", encoding="ascii") as file:
        file.write("SQLite format 3" + 2000 * "x")
    with Server(command, directory) as server:
        plain, lanes, hosts = server.get("trace/lanes"), server.get("trace/lanes", host=1), server.get("trace/hosts")
        equal("processes", [(p["pid"], p["name"], p["file"], [(t["name"], t["rows"]) for t in p["threads"]]) for p in hosts["processes"]],
              [(200, "<b>reader</b>", "reader.pvti", [("", 1)]), (100, "trainer", "trainer.pvti", [("main", 3), ("loader", 2)])])
        assert hosts["note"].startswith("broken.pvti was not read: "), hosts["note"]
        for i, (start, stop, first, last) in enumerate(runs):
            run = lanes["runs"][i]
            near("a run's place", run["from"], on_axis(runs, clock, start))
            equal("a run's length", run["to"] - run["from"], last - first)
            equal("a run's shift", run["from"] - plain["runs"][i]["from"], run["shift"])
        whole = {"from": lanes["from"], "to": lanes["to"], "host": 1}
        equal("the axis begins with the host", lanes["from"], 0)
        near("and ends with it", lanes["to"], math.ceil(on_axis(runs, clock, runs[-1][1] + 11 * host_trace.MS)))
        main, loader = (t["index"] for t in hosts["processes"][1]["threads"])
        events = server.get("trace/host", thread=main, pixels=8000, **whole)
        seen = {events["labels"][l]: (f, t, d) for l, f, t, d in zip(events["label"], events["from"], events["to"], events["depth"])}
        begin, end = runs[0][0] - 20 * host_trace.MS, runs[-1][1] + 10 * host_trace.MS
        quarter = (runs[1][1] - runs[1][0]) // 4
        for label, start, stop, depth in (("train", begin, end, 0), ("prepare", begin + 2 * host_trace.MS, begin + 12 * host_trace.MS, 1),
                                          ("run 1", runs[1][0], runs[1][1], 1), ("callback", runs[1][0] + quarter, runs[1][0] + 2 * quarter, 2)):
            near(f"{label} begins", seen[label][0], on_axis(runs, clock, start))
            near(f"{label} ends", seen[label][1], on_axis(runs, clock, stop))
            equal(f"{label}'s row", seen[label][2], depth)
        small = server.get("trace/host", thread=loader, pixels=20, q="LOAD", **whole)
        equal("events", sum(small["count"]), 1001)
        equal("matches", sum(small["matches"]), 1000)
        assert len(small["count"]) <= 40, "two rectangles for a pixel at most"
        near("an event that never ended lasts as long as what is in it", small["to"][0],
             on_axis(runs, clock, begin + host_trace.MS + 999 * 1000 + 500))
        series = server.get("trace/series", graph=0, pixels=8000, **whole)
        equal("values", [v for v, s in zip(series["high"], series["series"]) if s == 0], [float(i % 5) for i in range(20)])
        equal("its last value", series["low"][-1], 2.5)
        event = server.get("trace/host_event", index=events["event"][events["label"].index(events["labels"].index("prepare"))])
        equal("an event", (event["label"], event["nanoseconds"], event["pid"], event["metadata"]), ("prepare", 10.0 * host_trace.MS, 100, '{"batch": 3}'))
        for index in (0, plain["steps"] - 1):  # the same step on both axes
            before, after = server.get("trace/step", index=index), server.get("trace/step", index=index, host=1)
            by = lanes["runs"][before["meta"]["run"]]["shift"]
            equal("a step's tiles", after["from"], [f + by for f in before["from"]])
            equal("their ends", after["to"], [t + by for t in before["to"]])
        summary, moved = (server.get("trace/summary", **w) for w in ({"from": plain["from"], "to": plain["to"]}, whole))
        equal("kinds of steps", [i["kinds"] for i in moved["ipus"]], [i["kinds"] for i in summary["ipus"]])
        for path, words in (("trace/host", {"thread": 99}), ("trace/series", {"graph": 7}), ("trace/host_event", {"index": 10 ** 9})):
            try:
                server.get(path, **words)
                raise AssertionError(f"{path} {words} is answered")
            except Failed as failed:
                equal(path, failed.code, 400)


def main():
    command, directory, program = sys.argv[1], sys.argv[2], os.environ["RUNS"]
    report = pva.openReport(os.path.join(directory, "profile.pop"))
    steps = [Step(i, s) for i, s in enumerate(report.execution.steps)]
    with Server(command, directory) as server:
        lanes = check_lanes(server, report, steps)
        assert not lanes["fromCache"] and lanes["note"] is None
        check_windows(server, lanes, steps)
        check_statistics(server, lanes, steps)
        check_tiles(server, lanes, steps)
        check_search(server, steps)
        check_memory(server, report, steps, lanes)
    check_cache(command, directory, steps)
    check_blocks(command, program, os.path.join(directory, "blocks"))
    check_ipu_level(command, program, os.path.join(directory, "ipu"))
    check_matched(command, directory, os.path.join(directory, "matched"), steps)
    check_host(command, directory, os.path.join(directory, "host"))


main()
