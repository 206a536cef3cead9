# SPDX-License-Identifier: Apache-2.0
"""Objects of libpva that extension modules return and take (tests/python/extension.cpp) are those of the package pva.  REPORTS names a directory with reports."""
import gc
import os
import subprocess
import sys
import threading
import unittest

import pva

try:
    import extension
except ImportError:
    extension = None

REPORT = os.path.join(os.environ["REPORTS"], "report")


@unittest.skipUnless(extension, "pva.pva_core was not built for this Python")
class Extensions(unittest.TestCase):
    def test_a_session_returns_its_report(self):
        session = extension.Session()
        session.run()
        report = session.getReport()
        self.assertIsInstance(report, pva.Report)
        self.assertEqual(len(report.compilation.tiles), report.compilation.target.numTiles)
        cycles = sum(step.ipus[0].cycles for step in report.execution.steps)
        self.assertGreater(cycles, 0)
        self.assertEqual(extension.cycles(report), report.execution.totalCycles.total)
        self.assertIn("Report(ipu2", repr(report))
        self.assertIn("DoExchange", [program.type.name for program in report.compilation.programs])

    def test_reports_outlive_their_session(self):
        session = extension.Session()
        session.run()
        steps = session.getReport().execution.steps
        del session
        gc.collect()
        self.assertGreater(sum(step.ipus[0].cycles for step in steps), 0)

    def test_objects_of_every_shape_pass(self):
        report, same = pva.openReport(REPORT), extension.open(REPORT)
        self.assertEqual([each.memory.total.includingGaps for each in extension.tiles(same)], [each.memory.total.includingGaps for each in report.compilation.tiles])
        programs = extension.programs(same)
        self.assertEqual([each.type for each in programs], [each.type for each in report.compilation.programs])
        self.assertEqual({type(each) for each in programs}, {pva.Program})
        self.assertEqual(extension.name(report.compilation.programs[1]), report.compilation.programs[1].name)
        self.assertEqual(programs[1], same.compilation.programs[1])
        self.assertNotEqual(programs[1], report.compilation.programs[1])  # of another open file
        with self.assertRaises(TypeError):
            extension.cycles(report.compilation)

    def test_threads(self):
        """Opening releases the interpreter's lock, reading does not: threads open files at once and share a report."""
        shared, results, begin = pva.openReport(REPORT), [], threading.Barrier(4)

        def facts(report):
            return ([tile.memory.total.includingGaps for tile in report.compilation.tiles], [step.ipus[0].cycles for step in report.execution.steps])

        def read():
            begin.wait()
            for _ in range(5):
                results.extend([facts(pva.openReport(REPORT)), facts(shared)])
                with self.assertRaises(pva.Error):
                    pva.openReport("absent.pop")

        threads = [threading.Thread(target=read) for _ in range(begin.parties)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, [facts(pva.openReport(REPORT))] * 40)

    def test_the_null_object(self):
        nothing = extension.nothing()
        self.assertFalse(nothing)
        self.assertIsNone(nothing.compilation)
        self.assertEqual(len(nothing.operations), 0)
        self.assertEqual(nothing.longestSteps(0) if nothing.execution else [], [])

    def test_errors_of_extensions_are_the_packages(self):
        with self.assertRaisesRegex(pva.Error, "absent.pop") as caught:
            extension.open("absent.pop")
        self.assertEqual(caught.exception.kind, "file_load_error")

    def test_ctypes_can_be_asked_for(self):
        code = "import pva; print(pva.List.__init__.__module__, pva.openReport(%r).execution.totalCycles.total)" % REPORT
        printed = subprocess.run([sys.executable, "-c", code], env=dict(os.environ, PVA_WITH_CTYPES="1"), check=True, capture_output=True, text=True).stdout
        self.assertEqual(printed, "pva.with_ctypes %d\n" % pva.openReport(REPORT).execution.totalCycles.total)
        self.assertEqual(type(pva.List.__len__).__name__, "instancemethod")


if __name__ == "__main__":
    unittest.main()
