# SPDX-License-Identifier: Apache-2.0
"""host_trace.py REPORT: writes trace files (docs/reference/trace-files.md) beside a report, of two processes while it ran and of one on another day."""
import os
import sqlite3
import sys

MS = 1000000

SCHEMA = """
CREATE TABLE format(name TEXT, major INTEGER, minor INTEGER, point INTEGER, closed INTEGER);
CREATE TABLE processes(id INTEGER PRIMARY KEY, pid INTEGER, name TEXT, start INTEGER);
CREATE TABLE threads(id INTEGER PRIMARY KEY, process INTEGER, position INTEGER, tid INTEGER, name TEXT);
CREATE TABLE events(id INTEGER PRIMARY KEY, parent INTEGER, position INTEGER, timestamp INTEGER, duration INTEGER, label TEXT, channel TEXT, metadata TEXT);
CREATE TABLE graphs(id INTEGER PRIMARY KEY, name TEXT, unit TEXT);
CREATE TABLE series(graph INTEGER, number INTEGER, name TEXT, PRIMARY KEY(graph, number)) WITHOUT ROWID;
CREATE TABLE series_values(graph INTEGER, series INTEGER, timestamp INTEGER, value REAL);
CREATE TABLE heatmaps(id INTEGER PRIMARY KEY, name TEXT, unit TEXT, edges BLOB);
CREATE TABLE HEATMAP_DATA(heatmap INTEGER, timestamp INTEGER, bin_quantities BLOB);
INSERT INTO format VALUES('tremula trace', 1, 0, 0, 1);
"""


class Trace:
    """A file of one process; events are (thread or event, begin, end or None, label)."""

    def __init__(self, path, pid, name, start):
        if os.path.exists(path):
            os.remove(path)
        self.database = sqlite3.connect(path)
        self.database.executescript(SCHEMA)
        self.ids = 0
        self.database.execute("INSERT INTO processes VALUES(0, ?, ?, ?)", (pid, name, start))

    def id(self):
        self.ids += 1
        return self.ids - 1

    def thread(self, tid, name):
        number = self.id()
        self.database.execute("INSERT INTO threads VALUES(?, 0, ?, ?, ?)", (number, number, tid, name))
        return number

    def event(self, parent, begin, end, label, metadata=None):
        number = self.id()
        length = end - begin if end else 0
        self.database.execute("INSERT INTO events VALUES(?, ?, ?, ?, ?, ?, 'test', ?)", (number, parent, number, begin, length, label, metadata))
        return number

    def graph(self, name, unit, series):
        number = self.id()
        self.database.execute("INSERT INTO graphs VALUES(?, ?, ?)", (number, name, unit))
        for i, (title, values) in enumerate(series):
            self.database.execute("INSERT INTO series VALUES(?, ?, ?)", (number, i, title))
            self.database.executemany("INSERT INTO series_values VALUES(?, ?, ?, ?)", [(number, i, at, value) for at, value in values])

    def close(self):
        self.database.commit()
        self.database.close()


def runs_of(directory):
    """Start and end in nanoseconds, first and last cycle, of each run."""
    database = sqlite3.connect(f"file:{directory}/profile.pop?mode=ro", uri=True)
    rows = database.execute("SELECT start_microseconds * 1000, end_microseconds * 1000, cycles_from, cycles_to FROM runs ORDER BY id").fetchall()
    clock = database.execute("SELECT clock_frequency FROM target").fetchone()[0]
    database.close()
    return rows, clock


def write(directory):
    runs, _ = runs_of(directory)
    begin, end = runs[0][0] - 20 * MS, runs[-1][1] + 10 * MS
    trace = Trace(os.path.join(directory, "trainer.pvti"), 100, "trainer", begin)
    main, loader = trace.thread(100, "main"), trace.thread(101, "loader")
    train = trace.event(main, begin, end, "train")
    trace.event(train, begin + 2 * MS, begin + 12 * MS, "prepare", '{"batch": 3}')
    for i, (start, stop, _, _) in enumerate(runs):
        run = trace.event(train, start, stop, f"run {i}")
        quarter = (stop - start) // 4
        trace.event(run, start + quarter, start + 2 * quarter, "callback")
    trace.event(main, end + MS, None, "mark")
    lost = trace.event(loader, begin + MS, None, "never ended")
    for i in range(1000):  # narrower than pixels
        trace.event(lost, begin + MS + i * 1000, begin + MS + i * 1000 + 500, "load")
    trace.graph("queue", "batches", [("waiting", [(begin + i * MS, i % 5) for i in range(20)]), ("free", [(begin, 8), (end, 2.5)])])
    trace.close()
    other = Trace(os.path.join(directory, "reader.pvti"), 200, "<b>reader</b>", begin)
    other.event(other.thread(200, ""), begin + 5 * MS, runs[0][1], "read <i>file</i>")
    other.close()
    day = 86400 * 1000 * MS
    late = Trace(os.path.join(directory, "tomorrow.pvti"), 300, "tomorrow", begin + day)
    late.event(late.thread(300, "main"), begin + day, end + day, "sleep")
    late.close()


if __name__ == "__main__":
    write(sys.argv[1])
