# SPDX-License-Identifier: Apache-2.0
"""queries.py PAGE DIRECTORY PVA: the queries of docs/reference/report-files.md have the same results with the pva command, the system's SQLite and libpva."""
import json
import os
import re
import sqlite3
import subprocess
import sys

import pva

page, directory, command = sys.argv[1:]
with open(page, encoding="utf-8") as file:
    queries = re.findall(r"^([A-Z][^\n]*):\n\n```sqlite\n(.*?);\n```", file.read(), re.MULTILINE | re.DOTALL)
assert len(queries) == 10, len(queries)
db = sqlite3.connect("file:%s?mode=ro" % os.path.join(directory, "profile.pop"), uri=True)
environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
found = {}
for title, query in queries:
    cursor = db.execute(query)
    names = [column[0] for column in cursor.description]
    rows = cursor.fetchall()
    text = subprocess.run([command, "query", directory, query, "--format", "json"], env=environment, stdout=subprocess.PIPE, check=True).stdout
    by_command = [tuple(row[name] for name in names) for row in json.loads(text)]
    same = len(rows) == len(by_command) and all(
        abs(a - b) < 1e-9 if isinstance(a, float) else a == b for mine, its in zip(rows, by_command) for a, b in zip(mine, its)
    )
    assert rows and same, (title, rows, by_command)
    found[title] = rows


def of(words):
    """The rows of the query whose title has these words."""
    (title,) = [title for title in found if words in title]
    return found[title]


report = pva.openReport(directory)
compilation, execution = report.compilation, report.execution
memory = [tile.memory for tile in compilation.tiles]
assert [bytes_ for _, bytes_ in of("five tiles")] == sorted((m.total.includingGaps for m in memory), reverse=True)[:5]
assert sum(bytes_ for _, bytes_ in of("by category")) == sum(m.total.excludingGaps for m in memory)
assert of("always live") == [(sum(m.alwaysLiveBytes for m in memory),)]
worst = report.worstLivenessStep()
assert of("most live bytes")[0][2:] == (worst.program.name, worst.notAlwaysLiveMemory.bytes)
assert [row[3] for row in of("ten longest")] == [max(ipu.cycles for ipu in step.ipus) for step in report.longestSteps(10)]
by_type = {}
for step in execution.steps:
    count, cycles = by_type.get(step.program.type.name, (0, 0))
    by_type[step.program.type.name] = (count + 1, cycles + step.ipus[0].cycles)
assert {row[0]: row[1:3] for row in of("type of step")} == by_type
names = [step.program.computeset.name for step in execution.steps if step.program.computeset]
assert {row[0]: row[1] for row in of("compute sets that")} == {name: names.count(name) for name in names}
assert [row[0] for row in of("Runs with")] == [run.name for run in execution.runs]
step = execution.steps[of("begins and ends")[0][0]]
assert of("begins and ends")[0][3] == step.ipus[0].activeCycles.cyclesFrom.min
print("passed")
