# SPDX-License-Identifier: Apache-2.0
"""broken.py BUILD REPORT BLOCKS: reports in which one reference or row is wrong are read in C, C++ and Python: one clear error in each, never a signal."""
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import pva

# The change, the report that is changed, and the error.
STEP = "UPDATE executed_rows SET program = %s WHERE id = (SELECT max(id) FROM executed_rows)"
CHANGES = [
    ("report", STEP % 99999, "program 99999 is missing"),
    ("report", STEP % -1, "has no program"),
    ("report", STEP % "NULL", "has no program"),
    ("report", STEP % "'text'", "has no program"),
    ("report", "DELETE FROM executed_rows WHERE id = 3", "step 3 is missing"),
    ("report", "UPDATE executed_rows SET run = 77 WHERE id = 5", "run 77 is missing"),
    ("report", "UPDATE executed_rows SET pattern = 777777 WHERE id = 5", "pattern "),
    ("report", "DELETE FROM programs WHERE id = 5", "program 5 is missing"),
    ("report", "UPDATE program_children SET child = 99999 WHERE position = 0", "program 99999 is missing"),
    ("report", "UPDATE control_programs SET program = 99999", "program 99999 is missing"),
    ("report", "UPDATE liveness_steps SET program = 99999 WHERE id = 1", "program 99999 is missing"),
    ("report", "UPDATE liveness_steps SET program = NULL WHERE id = 1", "has no program"),
    ("report", "UPDATE liveness_steps SET list = 99999 WHERE id = 1", "live list 99999 is missing"),
    ("report", "UPDATE programs SET compute_set = 99999 WHERE compute_set IS NOT NULL", "compute set 99999 is missing"),
    ("report", "UPDATE programs SET target = 99999 WHERE type = 'Call'", "program 99999 is missing"),
    ("report", "UPDATE compute_set_vertices SET vertex_type = vertex_type + 99999", "vertex type "),
    ("report", "UPDATE program_vars SET var = var + 99999", "is missing"),
    ("report", "DELETE FROM memory_by_tile WHERE tile = 2", "tile memory 2 is missing"),
    ("report", "UPDATE vars_info SET var = 99999 WHERE var IS NOT NULL", "variable 99999 is missing"),
    ("report", "UPDATE vars_info SET equivalence_class = NULL WHERE id = 1", "has no equivalenceClass"),
    ("blocks", "UPDATE blocks SET program = 99999 WHERE id = 2", "program 99999 is missing"),
    ("blocks", "UPDATE blocks SET program = NULL WHERE id = 2", "has no program"),
    ("blocks", "UPDATE blocks SET run = 77 WHERE id = 2", "run 77 is missing"),
]

# Values that the command reads by its own queries: it exits with an error code, soon.
QUERIED = [
    "UPDATE programs SET target = id",
    "UPDATE program_children SET child = program",
    "UPDATE live_lists SET variables = 9000000000",
    "UPDATE programs SET type = NULL, name = NULL",
    "UPDATE runs SET name = NULL",
    "UPDATE vars_string_table SET string = NULL",
    "UPDATE live_variables SET name = NULL",
    "UPDATE executed_rows SET base = 9223372036854775807",
]
COMMANDS = [["summary", "--vars", "--steps"], ["advise"], ["check"], ["export", "--to", "html", "--output", os.devnull], ["export", "--to", "csv"]]


def walk(thing, depth=0):
    """Reads the properties of an object: objects five levels down, lists three, with at most 400 elements."""
    for name in thing._properties:
        value = getattr(thing, name)
        value = value() if callable(value) else value
        if isinstance(value, pva.List) and depth < 3:
            for i in range(min(len(value), 400)):
                walk(value[i], depth + 1)
        elif isinstance(value, pva.Object) and depth < 5:
            walk(value, depth + 1)


def read(directory):
    """The text of the first error; empty if there is none."""
    try:
        report = pva.openReport(directory)
        walk(report)
        for tile in range(report.compilation.target.numTiles):
            for block in report.execution.blocks(tile):
                walk(block, 2)
        return ""
    except pva.Error as error:
        return str(error)


build = sys.argv[1]
sources = {"report": sys.argv[2], "blocks": sys.argv[3]}
bad = 0
environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
environment.pop("ASAN_OPTIONS", None)
for source in sources.values():
    for program in ("pva_broken_c", "pva_broken_cpp"):
        subprocess.run([os.path.join(build, program), source], check=True, stdout=subprocess.DEVNULL, env=environment)
    if read(source):
        sys.exit("a whole report fails: " + read(source))
with tempfile.TemporaryDirectory() as work:
    copy = os.path.join(work, "copy")
    for source, sql, text in CHANGES:
        shutil.copytree(sources[source], copy)
        with sqlite3.connect(os.path.join(copy, "profile.pop")) as db:
            changed = db.execute(sql).rowcount
        db.close()
        if not changed:
            bad += print("no row is changed by", sql) is None
        for program in ("pva_broken_c", "pva_broken_cpp"):
            done = subprocess.run([os.path.join(build, program), copy], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, text=True)
            if done.returncode != 3 or text not in done.stdout or done.stdout.count("\n") != 1:
                bad += print("%s of %s: ended with %d and printed %r, not '%s'" % (program, sql, done.returncode, done.stdout[:300], text)) is None
        message = read(copy)
        if text not in message:
            bad += print("Python of %s: printed %r, not '%s'" % (sql, message, text)) is None
        shutil.rmtree(copy)
    for sql in QUERIED:
        shutil.copytree(sources["report"], copy)
        with sqlite3.connect(os.path.join(copy, "profile.pop")) as db:
            db.execute(sql)
        db.close()
        for command in COMMANDS:
            line = [os.path.join(build, "bin", "pva"), command[0], copy] + command[1:]
            done = subprocess.run(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment, text=True, timeout=300)
            if done.returncode not in (0, 1, 2) or (done.returncode == 2) != done.stderr.startswith("pva"):
                bad += print("pva %s of %s: ended with %d, %s" % (command[0], sql, done.returncode, done.stderr[-300:])) is None
        shutil.rmtree(copy)
print("failed" if bad else "passed")
sys.exit(bad != 0)
