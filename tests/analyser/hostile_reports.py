# SPDX-License-Identifier: Apache-2.0
"""hostile_reports.py PVA REPORT: reports that somebody made to harm their reader: tables that never end, files that block or are
devices, names that are formulas or move a terminal's cursor.  Outputs replace what was there only when they are complete."""
import contextlib
import os
import pty
import shutil
import sqlite3
import stat
import subprocess
import sys

from client import case, Failed, Server

SECONDS = 30


def run(command, *arguments, text=None):
    environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=1")
    environment.pop("LD_PRELOAD", None)
    return subprocess.run([command, *arguments], capture_output=True, text=True, timeout=SECONDS, env=environment, input=text, check=False)


def changed(directory, work, name, sql):
    """A copy of the report that SQL has changed."""
    copy = os.path.join(work, name)
    shutil.copytree(directory, copy, ignore=shutil.ignore_patterns("*_cache"))
    database = sqlite3.connect(os.path.join(copy, "profile.pop"), isolation_level=None)
    database.executescript(sql)
    database.close()
    return copy


@case
def check_outputs(command, directory, work):
    """An export that fails leaves what has the name of its output: a file, the target of a link, a device."""
    damaged = changed(directory, work, "damaged", "DROP TABLE pattern_ipus")
    precious, link, device = (os.path.join(work, name) for name in ("page.html", "link", "null"))
    with open(precious, "w", encoding="utf-8") as file:
        file.write("precious")
    os.symlink("page.html", link)
    outputs = [precious, link]
    try:
        os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        with open(device, "wb"):
            outputs.append(device)
    except OSError:
        pass  # only root makes devices
    for output in outputs:
        for form in ("html", "csv", "json", "perfetto"):
            done = run(command, "export", damaged, "--to", form, "--output", output)
            assert done.returncode == 2 and "pattern_ipus" in done.stderr, done
            assert os.path.lexists(output), f"{output} was removed"
    with open(precious, encoding="utf-8") as file:
        assert file.read() == "precious", "a failed export replaced a file"
    for output in outputs:
        done = run(command, "export", directory, "--to", "csv", "--output", output)
        assert done.returncode == 0, done
    assert os.path.islink(link) and os.path.getsize(precious) > 1000
    full = run(command, "export", directory, "--to", "csv", "--output", "/dev/full")
    assert full.returncode == 2 and "No space left" in full.stderr and os.path.exists("/dev/full"), full
    assert not [name for name in os.listdir(work) if name.endswith(".tmp")], os.listdir(work)


@case
def check_schema(command, directory, work):
    """What stands in place of a table, or runs beside it, is refused before it is read."""
    endless = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT z.* FROM z, r"
    changes = {
        "view programs": f"ALTER TABLE programs RENAME TO z; CREATE VIEW programs AS {endless}",
        "view format": f"ALTER TABLE format RENAME TO z; CREATE VIEW format AS {endless}",
        "trigger": "CREATE TRIGGER t AFTER INSERT ON programs BEGIN DELETE FROM programs; END",
        "table strange": "CREATE VIRTUAL TABLE strange USING rtree(id, a, b)",
        "view executed": f"ALTER TABLE executed_rows RENAME TO z; DROP VIEW executed; CREATE VIEW executed AS {endless}",
        "table generated": "CREATE TABLE generated(a, b AS (zeroblob(200000000)))",
    }
    for what, sql in changes.items():
        try:
            copy = changed(directory, work, what.replace(" ", "_"), sql)
        except sqlite3.OperationalError as error:
            assert "no such module" in str(error), error  # Python's SQLite may have no rtree
            continue
        for arguments in (["check"], ["summary"], ["advise"], ["export", "--to", "csv"], ["export", "--to", "html"], ["compare", directory], ["query", "SELECT 1"]):
            done = run(command, arguments[0], copy, *arguments[1:])
            assert done.returncode == 2 and what in done.stderr + done.stdout, (arguments, what, done)


@case
def check_repeats(command, directory, work):
    """Loops that cannot be are one clear error, and long ones end soon where nothing goes through their steps."""
    # One repeat of all rows, and one of the first inside it: both as they can be.
    loops = """UPDATE executed_rows SET repeat = 7; DELETE FROM repeats; INSERT INTO repeats VALUES(7, NULL, 0, (SELECT max(id) + 1 FROM executed_rows), 3, 1000000);
               UPDATE executed_rows SET repeat = 3 WHERE id = 0; UPDATE executed_rows SET id = -5 - id WHERE id > 0; UPDATE executed_rows SET id = 4 - id WHERE id < 0;
               UPDATE repeats SET steps = steps + 9; INSERT INTO repeats VALUES(3, 7, 0, 1, 10, 1)"""
    damages = ["times = -1", "times = 0", "times = 1", "times = 'x'", "times = NULL", "times = 9223372036854775807", "times = 1099511627776",
               "steps = 0", "steps = -3", "steps = 4611686018427387904", "steps = NULL", "first_step = -1", "first_step = 9223372036854775807",
               "growth = -1", "growth = 9223372036854775807", "times = 4000000000, growth = 4000000000", "growth = 'x', times = NULL"]
    rows = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {}) INSERT INTO repeats SELECT 100 + i, NULL, {}, 2, {} FROM n"
    changes = [f"{loops}; UPDATE repeats SET {damage} WHERE id = {which}" for damage in damages for which in (3, 7)]
    changes += [f"{loops}; UPDATE repeats SET first_step = (SELECT steps - 1 FROM repeats WHERE id = 7), times = 2 WHERE id = 3",
                f"{loops}; INSERT INTO repeats VALUES(8, NULL, 0, 1, 10, 1)",
                "DELETE FROM repeats; " + rows.format(17, "0, 1 << i", 0),
                "DELETE FROM repeats; INSERT INTO repeats VALUES(1, NULL, 1000, 1000000000, 2, 0)"]
    for i, sql in enumerate(changes):
        copy = changed(directory, work, f"repeats{i}", sql)
        lines = {}
        for arguments in (["query", "SELECT count(*) FROM executed"], ["query", "SELECT sum(times) FROM executed_times"], ["summary", "--steps"], ["advise"],
                          ["export", "--to", "csv", "--output", os.devnull], ["check"])[:: 1 if i % 5 == 0 else 3]:
            done = run(command, arguments[0], copy, *arguments[1:])
            lines[arguments[0]] = [line for line in (done.stderr + done.stdout).splitlines() if "repeat " in line or "rows are numbered" in line]
            assert done.returncode == (1 if arguments[0] == "check" else 2) and len(lines[arguments[0]]) == 1, (sql, arguments, done)
        shutil.rmtree(copy)
    copy = changed(directory, work, "loops", loops)
    counted = run(command, "query", copy, "SELECT count(*), max(id) + 1, executed_count(), (SELECT sum(times) FROM executed_times), (SELECT sum(times) FROM "
                  "executed_elapsed) FROM executed", "--format", "csv").stdout.splitlines()[1].split(",")
    with contextlib.closing(sqlite3.connect(os.path.join(copy, "profile.pop"))) as report:
        assert counted == [str(report.execute("SELECT count(*) FROM executed").fetchone()[0])] * 5, counted
    for sql, what in (("UPDATE executed_rows SET repeat = NULL WHERE id = 0", "the repeat of a row is not the one that it is in: id 0, repeat null"),
                      ("UPDATE repeats SET parent = NULL WHERE id = 3", "the repeat around a repeat is not the one that it is in: id 3, parent null"),
                      ("UPDATE executed_rows SET id = 5 WHERE id = 0", "the repeat of a row is not the one that it is in: id 5, repeat 3"),
                      ("DELETE FROM executed_rows WHERE id = (SELECT max(id) FROM executed_rows)", "executed steps have gaps: rows ")):
        done = run(command, "check", changed(copy, work, f"consistent{len(what)}{len(sql)}", sql))
        assert done.returncode == 1 and what in done.stdout, (sql, done)
    long = changed(copy, work, "long", "UPDATE repeats SET times = 10000000000 WHERE id = 7; UPDATE runs SET steps = steps * 10000000000")
    for arguments in (["query", "SELECT * FROM executed WHERE id = executed_count() - 1"], ["query", "SELECT sum(times), sum(cycles) FROM executed_elapsed"],
                      ["query", "SELECT sum(times) FROM executed_times"], ["query", "SELECT max(id) FROM executed"], ["query", "SELECT min(id) FROM executed"], ["advise"], ["summary"]):
        done = run(command, arguments[0], long, *arguments[1:])
        assert done.returncode == 0, (arguments, done)
    with Server(command, long) as server:
        server.get("insights")
        try:
            server.get("trace/lanes")
            raise AssertionError("a trace of 10,000 million iterations is shown")
        except Failed as error:
            assert "most of them in loops" in error.text, error
    hidden = changed(directory, work, "hidden", "DROP VIEW executed; CREATE VIEW executed AS WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) "
                     "SELECT i AS id, 1 AS run, 1 AS program, 1 AS pattern, 0 AS drift, 0 AS base FROM r")
    for arguments in (["check"], ["query", "SELECT count(*) FROM steps_by_ipu"], ["summary", "--steps"]):
        done = run(command, arguments[0], hidden, *arguments[1:])
        assert done.returncode == 0, (arguments, done)


@case
def check_kinds_of_files(command, directory, work):
    """FIFOs where files are expected: each command ends, and the server answers and ends."""
    parent = os.path.join(work, "fifos")
    os.mkdir(parent)
    for name in ("profile.pop", "profile.pop-wal", "archive.a", "debug.cbor", "app.json", "framework.json", "profile.pop_cache"):
        copy = os.path.join(parent, name)
        shutil.copytree(directory, copy)
        if os.path.exists(os.path.join(copy, name)):
            os.remove(os.path.join(copy, name))
        os.mkfifo(os.path.join(copy, name))
        refused = name.startswith("profile.pop") and not name.endswith("cache")
        for arguments in (["check"], ["summary"], ["advise"], ["export", "--to", "html"]):
            done = run(command, arguments[0], copy, *arguments[1:])
            assert done.returncode in ((2,) if refused else (0, 1)), (name, arguments, done.returncode, done.stderr)
            assert not refused or "regular file" in done.stderr, done
    for path in (os.path.join(parent, "archive.a", "archive.a"), "/dev/zero"):
        done = run(command, "check", path)
        assert done.returncode == 2, done
    with Server(command, os.path.join(parent, "app.json")) as server:  # its neighbours have the others
        assert len(server.get("reports")) == 1
        assert "not a regular file" in str(server.get("summary")), "app.json is a FIFO"
        server.get("trace/window", pixels=4)
    with Server(command, os.path.join(parent, "profile.pop_cache")) as server:
        assert sum(server.get("trace/window", pixels=4)["count"]) > 0


@case
def check_permissions(command, directory, work):
    """Who may not read the report may not read its cache."""
    copy = os.path.join(work, "private")
    shutil.copytree(directory, copy, ignore=shutil.ignore_patterns("*_cache"))
    os.chmod(os.path.join(copy, "profile.pop"), 0o600)
    with Server(command, copy) as server:
        server.get("trace/window", pixels=4)
    mode = stat.S_IMODE(os.stat(os.path.join(copy, "profile.pop_cache")).st_mode)
    assert mode == 0o600, oct(mode)


def on_terminal(*words):
    """What a terminal gets from a command."""
    main, child = pty.openpty()
    environment = dict(os.environ, TERM="xterm", ASAN_OPTIONS="detect_leaks=1")
    environment.pop("LD_PRELOAD", None)
    with subprocess.Popen(words, stdout=child, stderr=child, env=environment) as process:
        os.close(child)
        shown = b""
        try:
            while part := os.read(main, 4096):
                shown += part
        except OSError:
            pass  # the end of a terminal
        assert process.wait() in (0, 1, 2), shown
    os.close(main)
    return shown


@case
def check_names_everywhere(command, directory, work):
    """No name of a report reaches a terminal as a sequence, not even one that pva itself writes."""
    copy = os.path.join(work, "names")
    shutil.copytree(directory, copy, ignore=shutil.ignore_patterns("*_cache"))
    evil = "\x1b[31mevil\x1b[1m\x1b[0m\u202e\u009b"
    named = 0
    with contextlib.closing(sqlite3.connect(os.path.join(copy, "profile.pop"))) as report, report:
        for table, sql in report.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'").fetchall():
            for column in {c[1] for c in report.execute(f"PRAGMA table_info({table})")} & {"name", "text", "title"}:
                if table not in ("format", "info", "files", "options", "metrics"):
                    named += report.execute(f"UPDATE OR IGNORE {table} SET {column} = ? || {column} WHERE typeof({column}) = 'text'", (evil,)).rowcount
    assert named > 20, named
    own = (b"\x1b[0m", b"\x1b[1m", b"\x1b[31m", b"\x1b[32m")
    seen = 0
    for words in (["summary", copy, "--vars", "--steps"], ["check", copy], ["advise", copy], ["compare", directory, copy],
                  ["query", copy, "SELECT name FROM variables LIMIT 3"], ["query", copy, "SELECT missing FROM variables"]):
        shown = on_terminal(command, *words)
        seen += shown.count(b"\\x1b[31mevil\\x1b[1m\\x1b[0m\\u202e\\u009b")
        assert not any(sequence + b"evil" in shown for sequence in own), (words, shown)
        for sequence in own:
            shown = shown.replace(sequence, b"")
        assert b"\x1b" not in shown and "\u202e".encode() not in shown and "\u009b".encode() not in shown, (words, shown)
    assert seen > 20, seen


@case
def check_names(command, directory, work):
    """Names that spreadsheets would run and terminals would obey."""
    formula, control = '=HYPERLINK("http://evil.example")', "a\x1b[2Jb\rc\x07d\u009be"
    cells = "SELECT {} AS a, -5 AS b, '+1.5e3' AS c, '-x' AS d"
    quoted = run(command, "query", directory, cells.format(f"'{formula}'"), "--format", "csv", "--spreadsheet")
    assert quoted.stdout == 'a,b,c,d\n"\'=HYPERLINK(""http://evil.example"")",-5,+1.5e3,"\'-x"\n', quoted
    plain = run(command, "query", directory, cells.format(f"'{formula}'"), "--format", "csv")
    assert plain.stdout.endswith('"=HYPERLINK(""http://evil.example"")",-5,+1.5e3,-x\n'), plain
    shown = on_terminal(command, "query", directory, f"SELECT '{control}' AS x")
    assert b"a\\x1b[2Jb\\x0dc\\x07d\\u009be" in shown and b"\x1b[2J" not in shown and b"\x07" not in shown, shown
    assert b"\x1b[1mx" in shown, "the heading is not bold"
    piped = run(command, "query", directory, f"SELECT '{control}' AS x", "--format", "csv")
    assert "\x1b[2J" in piped.stdout, "a file does not have the bytes of the report"


def main():
    command, directory = sys.argv[1], sys.argv[2]
    work = os.path.dirname(directory)
    check_outputs(command, directory, work)
    check_schema(command, directory, work)
    check_repeats(command, directory, work)
    check_kinds_of_files(command, directory, work)
    check_permissions(command, directory, work)
    check_names(command, directory, work)
    check_names_everywhere(command, directory, work)


main()
