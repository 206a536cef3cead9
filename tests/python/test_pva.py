# SPDX-License-Identifier: Apache-2.0
"""The module pva: how its objects behave, and the errors of files that it cannot read.  REPORTS names a directory with reports."""
import collections
import os
import random
import shutil
import sqlite3
import sys
import tempfile
import threading
import types
import unittest
import unittest.mock
from xml.etree import ElementTree

import pva

REPORT = os.path.join(os.environ["REPORTS"], "report")


def walk(value, depth, seen):
    """Reads every property of an object and of the objects that it contains, to a depth."""
    if isinstance(value, pva.List):
        for item in value[:3]:
            walk(item, depth, seen)
    elif isinstance(value, pva.Object) and depth and value not in seen:
        seen.add(value)
        for name in value._properties:
            found = getattr(value, name)
            walk(found() if callable(found) else found, depth - 1, seen)


class Objects(unittest.TestCase):
    def setUp(self):
        self.report = pva.openReport(REPORT)

    def test_paths(self):
        for path in (REPORT, os.path.join(REPORT, "profile.pop"), os.fsencode(REPORT)):
            self.assertEqual(pva.openReport(path).compilation.target.numTiles, 8)
        self.assertEqual(len(pva.openReport(os.path.join(REPORT, "profile.pop"), os.path.join(REPORT, "debug.cbor")).debugContexts), len(self.report.debugContexts))

    def test_every_property_can_be_read(self):
        seen = set()
        walk(self.report, 6, seen)
        names = {type(each).__name__ for each in seen}
        self.assertTrue({"Report", "Program", "ExecutionStep", "LoweredVar", "Operation", "DebugContext", "Location"} <= names, names)

    def test_lists_are_sequences(self):
        tiles = self.report.compilation.tiles
        self.assertEqual(len(tiles), 8)
        self.assertEqual(tiles[-1], tiles[7])
        self.assertNotEqual(tiles[0], tiles[1])
        self.assertEqual(tiles[2:4], [tiles[2], tiles[3]])
        self.assertEqual(len(list(tiles)), 8)
        self.assertEqual(len({tiles[0], tiles[0], tiles[1]}), 2)
        with self.assertRaisesRegex(IndexError, "index 8 of a list of 8"):
            tiles[8]
        with self.assertRaises(IndexError):
            tiles[-9]

    def test_objects_outlive_their_report(self):
        step = self.report.execution.steps[3]
        name = step.program.name
        del self.report
        self.assertEqual(step.program.name, name)

    def test_a_name_that_is_not_there(self):
        with self.assertRaisesRegex(AttributeError, "Tile.*memry"):
            self.report.compilation.tiles[0].memry

    def test_numbers_of_tiles_that_are_not_there(self):
        step = self.report.compilation.livenessProgramSteps[0]
        for ask in (step.notAlwaysLiveMemoryForTile, self.report.compilation.alwaysLiveVariablesForTile, self.report.compilation.loweredVariables.forTile, self.report.execution.blocks):
            with self.assertRaisesRegex(pva.Error, "tile 8"):
                ask(8)
        with self.assertRaisesRegex(pva.Error, "IPU 2"):
            step.notAlwaysLiveMemoryForIpu(2)
        self.assertEqual(len(self.report.execution.blocks(7)), 0)  # and the file can be read on

    def test_printing(self):
        self.assertIn("numTiles=8", repr(self.report.compilation.target))
        pva.Report.listPrintLength(2)
        self.addCleanup(pva.Report.listPrintLength, 10)
        self.assertTrue(repr(self.report.compilation.tiles).endswith("... 8 in all]"))

    def test_enumerations(self):
        self.assertIn("OnTileExecute", pva.Program.Type.__members__)
        self.assertEqual(self.report.compilation.target.type, pva.Target.Type.IpuModel)
        self.assertEqual(self.report.compilation.target.architecture, pva.IPU.Architecture.Ipu2)
        self.assertEqual(self.report.instrumentationSettings.compute.name, "Tile")

    def test_files_in_threads_of_their_own(self):
        found = []

        def read():
            report = pva.openReport(REPORT)
            found.append(sum(step.ipus[0].cycles for step in report.execution.steps))

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 4)
        self.assertEqual(len(set(found)), 1)


def slowest(step):
    return max(ipu.cycles for ipu in step.ipus)


class Notebooks(unittest.TestCase):
    """What a notebook shows of a report, and its lists as tables."""

    def setUp(self):
        self.report = pva.openReport(REPORT)

    def test_texts_say_name_type_and_cycles(self):
        steps = self.report.execution.steps
        step = max(steps, key=slowest)
        for part in (repr(step.program.name), step.program.typeName, "cycles=%d" % slowest(step)):
            self.assertIn(part, repr(step))
        self.assertIn("cycles=%d" % self.report.execution.totalCycles.total, repr(self.report))
        self.assertIn("steps=[%d]" % len(self.report.execution.runs[0].steps), repr(self.report.execution.runs[0]))

    def test_a_report_shows_what_costs_most_first(self):
        text = self.report._repr_html_()
        sums = collections.Counter()
        for each in self.report.execution.steps:
            if not each.program.typeName.startswith("Sync"):
                sums[each.program._id] += slowest(each)
        (_, cycles), = sums.most_common(1)
        self.assertIn("<tbody><tr><td>%d</td>" % cycles, text)
        most = max(tile.memory.total.includingGaps for tile in self.report.compilation.tiles)
        self.assertIn("the fullest has %d of" % most, text)
        self.assertEqual(text.count("<rect"), 5 + 8)  # kinds of cycles, tiles
        ElementTree.fromstring(text.replace("<br>", "<br/>"))
        ElementTree.fromstring("<div>%s</div>" % self.report.execution.steps._repr_html_())

    def test_lists_become_frames(self):
        frames = types.ModuleType("pandas")
        frames.DataFrame = lambda rows, columns=None: rows
        with unittest.mock.patch.dict(sys.modules, {"pandas": frames}):
            steps, tiles = self.report.execution.steps, self.report.compilation.tiles
            rows = steps.to_pandas()
            self.assertEqual([row["cycles"] for row in rows], [slowest(step) for step in steps])
            self.assertEqual([row["program"] for row in rows], [step.program.name for step in steps])
            self.assertIn(True, [row["line"] > 0 and row["file"].endswith(".cpp") for row in rows])
            self.assertEqual([row["variable"] for row in tiles.to_pandas()], [tile.memory.category.variable.total for tile in tiles])
            runs = self.report.execution.runs
            self.assertEqual(runs.to_pandas()[0]["cycles.cyclesTo"], runs[0].cycles.cyclesTo)
            for found in (self.report.compilation.programs, self.report.compilation.computeSets, self.report.compilation.variables, self.report.operations,
                          self.report.debugContexts, self.report.options, self.report.compilation.loweredVariables.allVars):
                self.assertEqual(len(found.to_pandas()), len(found))
        with unittest.mock.patch.dict(sys.modules, {"pandas": None}):
            with self.assertRaisesRegex(ImportError, "to_pandas.. needs the package pandas: `pip install pandas`"):
                self.report.execution.steps.to_pandas()


class Damage(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.directory)
        self.path = os.path.join(self.directory, "profile.pop")

    def refused(self, path, text, kind="file_load_error", debug=None):
        with self.assertRaisesRegex(pva.Error, text) as caught:
            walk(pva.openReport(path, debug), 6, set())
        self.assertEqual(caught.exception.kind, kind)
        self.assertNotIn(kind, str(caught.exception))

    def test_what_is_no_report(self):
        self.refused(os.path.join(self.directory, "absent.pop"), "absent.pop.*cannot be read")
        self.refused(self.directory, "no graph profile found", "missing_graph_profile")
        open(self.path, "wb").close()
        self.refused(self.path, "it is empty")
        with open(self.path, "wb") as file:
            file.write(b"\x7fELF" * 1000)
        self.refused(self.path, "is no report")
        sqlite3.connect(os.path.join(self.directory, "other.pop")).execute("CREATE TABLE t(a)").connection.close()
        self.refused(os.path.join(self.directory, "other.pop"), "no table format")
        for path in ("", "a\0b"):
            with self.assertRaises((pva.Error, ValueError)):
                pva.openReport(path)
        with self.assertRaises(TypeError):
            pva.openReport(None)

    def test_a_trace_is_no_report_and_a_report_no_trace(self):
        with self.assertRaisesRegex(pva.Error, "a 'tremula profile', but no trace"):
            pva.openTrace(os.path.join(REPORT, "profile.pop"))

    def test_debug_contexts_that_cannot_be_read(self):
        shutil.copy(os.path.join(REPORT, "profile.pop"), self.path)
        debug = os.path.join(self.directory, "debug.cbor")
        self.refused(self.path, "debug.cbor", debug=debug)
        with open(os.path.join(REPORT, "debug.cbor"), "rb") as whole, open(debug, "wb") as file:
            file.write(whole.read()[:-10])
        self.refused(self.path, "debug.cbor is not a file of debug contexts, or is damaged", "parse_error", debug=debug)

    def test_a_debug_file_that_is_not_used_is_a_warning(self):
        shutil.copy(os.path.join(REPORT, "profile.pop"), self.path)
        with open(os.path.join(REPORT, "debug.cbor"), "rb") as file:
            whole = file.read()
        other = whole[:9] + bytes(reversed(whole[9:25])) + whole[25:]  # an id of no other report
        for data, why in ((b"", "it is empty"), (b"nonsense", "not a file of debug contexts"), (other, "belongs to another report"),
                          (whole[:-10], "it is damaged: it has %d bytes, and %d were written" % (len(whole) - 10, len(whole)))):
            with open(os.path.join(self.directory, "debug.cbor"), "wb") as file:
                file.write(data)
            with self.assertWarnsRegex(UserWarning, "debug.cbor is not used: .*" + why):
                report = pva.openReport(self.path)
            self.assertIn(why, report.warning)
            self.assertEqual(len(report.operations), 0)
            walk(report, 6, set())
        with open(os.path.join(self.directory, "debug.cbor"), "wb") as file:
            file.write(whole)
        report = pva.openReport(self.path)
        self.assertEqual(report.warning, "")
        self.assertGreater(len(report.operations), 0)

    def test_sql_damage_is_an_error_that_names_it(self):
        for change in ("DROP TABLE programs", "PRAGMA legacy_alter_table = ON; ALTER TABLE executed_rows RENAME COLUMN base TO bottom", "UPDATE arrays SET data = x'ffff', parent = NULL"):
            shutil.copy(os.path.join(REPORT, "profile.pop"), self.path)
            db = sqlite3.connect(self.path)
            db.executescript(change)
            db.commit()
            db.close()
            self.refused(self.path, "programs|base|array", "parse_error")

    def test_damaged_bytes_end_in_errors_or_figures(self):
        """Reading any file ends with values, or with pva.Error."""
        with open(os.path.join(REPORT, "profile.pop"), "rb") as file:
            whole = file.read()
        rng = random.Random(14)
        errors = 0
        for _ in range(60):
            damaged = bytearray(whole)
            for _ in range(rng.choice((1, 8, 64))):
                damaged[rng.randrange(len(damaged))] = rng.randrange(256)
            if rng.random() < 0.3:
                del damaged[rng.randrange(len(damaged)) :]
            with open(self.path, "wb") as file:
                file.write(damaged)
            try:
                walk(pva.openReport(self.path), 5, set())
            except pva.Error as error:
                errors += 1
                self.assertTrue(str(error))
        self.assertGreater(errors, 10)

    def test_a_file_is_read_on_after_an_error(self):
        shutil.copy(os.path.join(REPORT, "profile.pop"), self.path)
        db = sqlite3.connect(self.path)
        db.execute("UPDATE arrays SET data = x'ffff', parent = NULL")
        db.commit()
        db.close()
        report = pva.openReport(self.path)
        with self.assertRaisesRegex(pva.Error, "array"):
            report.execution.steps[1].cyclesByTile
        self.assertEqual(report.compilation.target.numTiles, 8)


if __name__ == "__main__":
    unittest.main()
