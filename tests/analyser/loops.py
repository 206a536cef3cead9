# SPDX-License-Identifier: Apache-2.0
"""loops.py PVA REPORT: reports in which the steps of loops are stored once (repeats) read as those with a row for each step, in SQL, libpva, the server and
the commands.  TREMULA_ROUNDS programs with loops within each other and branches are made, from TREMULA_SEED on."""
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import pva
from client import Failed, Server
from properties import PROPERTIES, Tables

HERE = os.path.dirname(os.path.abspath(__file__))
# What is of the host, or of the option that the two reports differ by.
OF_HOST = {"start", "end", "startMicroseconds", "endMicroseconds", "microseconds", "id", "cache", "note", "milliseconds", "environment", "report"}
TABLES = {"executed": "SELECT * FROM executed ORDER BY id", "steps": "SELECT * FROM steps ORDER BY id", "by IPU": "SELECT * FROM steps_by_ipu ORDER BY 1, 2",
          "patterns": "SELECT * FROM patterns ORDER BY 1", "figures": "SELECT * FROM pattern_ipus ORDER BY 1, 2", "arrays": "SELECT * FROM arrays ORDER BY 1",
          "drifts": "SELECT * FROM drifts ORDER BY 1, 2", "runs": "SELECT id, cycles_from, cycles_to, first_step, steps FROM runs",
          "totals": "SELECT * FROM execution_cycle_totals", "by tile": "SELECT * FROM execution_cycles_by_tile"}
# Of libpva alone; the first part is also in the page of the format.
QUERIES = {"times": "SELECT run, program, pattern, sum(times), min(first) FROM executed_times GROUP BY 1, 2, 3",
           "critical path": "SELECT run, program, times, cycles FROM executed_elapsed ORDER BY 1, 2",
           "count": "SELECT executed_count(), (SELECT count(*) FROM executed), (SELECT max(id) FROM executed), (SELECT min(id) FROM executed)",
           "a step": "SELECT * FROM executed WHERE id = executed_count() / 2", "no step": "SELECT * FROM executed WHERE id < 0 OR id > 1e15 OR id = 'x'",
           "some": "SELECT * FROM executed WHERE id > 2 AND id <= 90 AND id >= 1.5 ORDER BY id DESC", "backwards": "SELECT * FROM executed ORDER BY id DESC",
           "together": "SELECT a.id, b.pattern, c.id FROM executed a JOIN executed b ON b.id = a.id + 1 LEFT JOIN executed c ON c.id = b.id + 1"}


def page_queries():
    with open(os.path.join(HERE, "../../docs/reference/report-files.md"), encoding="utf-8") as page:
        return dict(re.findall(r"^([A-Z][^\n]*):\n\n```sqlite\n(.*?);\n```", page.read(), re.MULTILINE | re.DOTALL))


def same(what, stored, expanded):
    if stored != expanded:
        at = next((i for i, (a, b) in enumerate(zip(stored, expanded)) if a != b), None) if isinstance(stored, list) else None
        shown = (stored, expanded) if at is None else (stored[at], expanded[at])
        raise AssertionError(f"{what}: {str(shown[0])[:700]} where loops are stored once, {str(shown[1])[:700]} where not")


def plain(answer):
    """Without what depends on the host."""
    if isinstance(answer, dict):
        return {key: plain(value) for key, value in answer.items() if key not in OF_HOST}
    if isinstance(answer, float) and answer != answer:
        return "NaN"
    return [plain(value) for value in answer] if isinstance(answer, list) else answer


def rows_of(directory, sql):
    with sqlite3.connect(f"file:{directory}/profile.pop?mode=ro", uri=True) as database:
        return [tuple(round(v, 9) if isinstance(v, float) else v for v in row) for row in database.execute(sql)]  # sums of other orders


def run(command, *words):
    environment = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "ASAN_OPTIONS")}
    done = subprocess.run([command, *words], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, f"{' '.join(words)}: {done.stdout[-500:]}{done.stderr[-500:]}"
    return done.stdout


def check_sql(command, reports):
    for what, sql in {**TABLES, **page_queries()}.items():
        if what != "Runs with their cycles and their time on the host":
            same(what, *(rows_of(directory, sql) for directory in reports))
    for what, sql in {**TABLES, **QUERIES, **page_queries()}.items():
        if "time on the host" not in what:
            same(f"pva query, {what}", *(run(command, "query", directory, sql, "--format", "csv") for directory in reports))


def figures(step):
    return [step.program._id, step.run.name, list(step.cyclesByTile), list(step.cyclesFromByTile), list(step.cyclesToByTile), [
        list(s.cyclesByTile) for s in step.computeSets], [[i.cycles, i.activeTiles, i.dataIn, i.dataOut, i.tileBalance, i.activeTileBalance] + [
                end for cycles in (i.activeCycles, i.allCycles) for part in (cycles.cyclesFrom, cycles.cyclesTo) for end in (part.min, part.max)]
                for i in step.ipus]]


def check_earlier_version(command, report, work):
    """A report of version 1.1, in which executed is a table."""
    earlier = os.path.join(work, "earlier")
    shutil.copytree(report, earlier, ignore=shutil.ignore_patterns("*_cache"))
    with sqlite3.connect(os.path.join(earlier, "profile.pop")) as database:
        database.executescript("DROP VIEW executed; CREATE TABLE executed(id INTEGER PRIMARY KEY, run INTEGER, program INTEGER, pattern INTEGER, drift INTEGER, "
                               "base INTEGER); INSERT INTO executed SELECT id, run, program, pattern, drift, base FROM executed_rows; DROP TABLE executed_rows; DROP "
                               "TABLE repeats; UPDATE format SET minor = 1")
    database.close()
    for what, sql in {**TABLES, **QUERIES}.items():
        same(f"version 1.1, {what}", *(run(command, "query", directory, sql, "--format", "csv") for directory in (earlier, report)))
    for words in (["summary", "--steps"], ["advise"], ["check"], ["export", "--to", "csv", "--output", "/dev/stdout"]):
        same(f"version 1.1, {words[0]}", *(run(command, words[0], directory, *words[1:]) for directory in (earlier, report)))
    same("version 1.1, longest steps", *([figures(step) for step in pva.openReport(directory).longestSteps(9)] for directory in (earlier, report)))
    with Server(command, earlier) as server, Server(command, report) as present:
        same("version 1.1, the trace", *(plain(each.get("trace/window", pixels=200)) for each in (server, present)))


def check_libpva(reports):
    opened = [pva.openReport(directory) for directory in reports]
    counts = [len(report.execution.steps) for report in opened]
    same("steps", *counts)
    chosen = range(0, counts[0], max(1, counts[0] // 300))
    same("figures of steps", *([figures(report.execution.steps[i]) for i in chosen] for report in opened))
    same("steps of runs", *([(len(r.steps), figures(r.steps[len(r.steps) - 1])) for r in report.execution.runs if len(r.steps)] for report in opened))
    for count in (1, 7, 60):
        same(f"the {count} longest steps", *([figures(step) for step in report.longestSteps(count)] for report in opened))


def check_server(command, reports):
    """Each request of properties.py, and those for whole answers."""
    asked = {}
    with Server(command, reports[0]) as stored, Server(command, reports[1]) as expanded:

        def get(path, /, **parameters):
            asked[path, json.dumps(parameters)] = answer = expanded.get(path, **parameters)
            return answer

        tables = Tables(reports[1])
        for each in PROPERTIES:
            if "memory" not in each.__name__ and "live" not in each.__name__:
                each(get, tables)
        lanes = get("trace/lanes")
        window = {"from": lanes["from"], "to": lanes["to"]}
        for part in (window, {"from": lanes["to"] / 3, "to": lanes["to"] / 2}):
            for flame in (0, 1):
                get("trace/window", lane=0, pixels=500, flame=flame, **part)
            for path in ("trace/summary", "trace/lost", "trace/memory", "trace/area", "trace/bsp"):
                try:
                    get(path, lane=0, pixels=300, height=4, ipu=0, tile=0, tiles=lanes["tilesPerIpu"], rows=50, **part)
                except Failed as error:
                    raise AssertionError(f"{path}: {error}") from None
        for path in ("insights", "insights/advice", "programs/list", "operations/table", "source/lines"):
            get(path)
        get("trace/search", q="loop", step=0)
        for (path, parameters), answer in asked.items():
            if path not in ("summary", "reports"):
                same(f"{path} {parameters}", plain(stored.get(path, **json.loads(parameters))), plain(answer))
    return len(asked)


def check_commands(command, reports):
    for words in (["summary"], ["summary", "--steps", "--vars"], ["advise"]):
        texts = [run(command, words[0], directory, *words[1:]) for directory in reports]
        same(" ".join(words), *([line for line in text.splitlines() if directory not in line] for text, directory in zip(texts, reports)))
    for form in ("csv", "json", "perfetto", "chrome"):
        same(f"export {form}", *(run(command, "export", directory, "--to", form, "--output", "/dev/stdout") for directory in reports)
             if form != "perfetto" else ("", ""))
    for directory in reports:
        run(command, "check", directory)


def check(command, seed, work):
    reports = [os.path.join(work, kind) for kind in ("stored", "expanded")]
    for directory, fold in zip(reports, ("true", "false")):
        environment = dict(os.environ, POPLAR_ENGINE_OPTIONS=json.dumps({"debug.foldLoops": fold}), ASAN_OPTIONS="detect_leaks=0")
        environment.pop("LD_PRELOAD", None)
        subprocess.run([os.environ["RANDOM_REPORT"], os.path.join(HERE, "../pva/codelets.c"), directory, str(seed), "loops"], check=True, env=environment)
    folded = rows_of(reports[0], "SELECT count(*), ifnull(max(parent IS NOT NULL), 0) FROM repeats")[0]
    assert rows_of(reports[1], "SELECT count(*) FROM repeats") == [(0,)]
    check_sql(command, reports)
    check_libpva(reports)
    check_server(command, reports)
    check_commands(command, reports)
    if seed % 3 == 2:
        check_earlier_version(command, reports[1], work)
    return folded


def main():
    first, rounds = int(os.environ.get("TREMULA_SEED", "2")), int(os.environ.get("TREMULA_ROUNDS", "1"))
    bad = repeats = within = 0
    for seed in range(first, first + rounds):
        work = tempfile.mkdtemp()
        try:
            folded = check(sys.argv[1], seed, work)
            repeats, within = repeats + folded[0], within + folded[1]
        except (AssertionError, Failed) as error:
            print(f"TREMULA_SEED={seed} TREMULA_ROUNDS=1: {error}")
            bad += 1
        finally:
            shutil.rmtree(work)
    print("failed" if bad else "passed", rounds, "programs,", repeats, "repeats,", within, "programs with some inside others")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
