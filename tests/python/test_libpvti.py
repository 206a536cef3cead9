# SPDX-License-Identifier: Apache-2.0
"""Trace points that Python writes, read by pva.  Each case is its own process: a process has one set of options."""
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from xml.etree import ElementTree

import pva

PRELUDE = """
import libpvti as pvti
channel = pvti.createTraceChannel("test")
"""


class Traces(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.directory)

    def run_python(self, text, options=None):
        """Runs a program; returns its output."""
        environment = dict(os.environ)
        environment["PVTI_OPTIONS"] = options if options is not None else '{"enable":"true","directory":"%s"}' % self.directory
        done = subprocess.run([sys.executable, "-c", PRELUDE + text], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode()

    def trace(self, text):
        """The path of the trace that a program writes."""
        self.run_python(text)
        (name,) = os.listdir(self.directory)
        return os.path.join(self.directory, name)

    def events(self, text):
        """The events of the only thread of the trace that a program writes."""
        (process,) = pva.openTrace(self.trace(text)).processes
        (thread,) = process.threads
        return list(thread.events)

    def test_nothing_is_written_unless_asked_for(self):
        printed = self.run_python('pvti.Tracepoint.event(channel, "x")\nprint(pvti.isEnabled(), repr(pvti.getCurrentTraceFilename()))', "{}")
        self.assertEqual(printed, "False ''\n")
        self.assertEqual(os.listdir(self.directory), [])

    def test_events_nest_and_carry_metadata(self):
        (outer,) = self.events(
            'with pvti.Tracepoint(channel, "outer", pvti.createJsonMetadata({"a": [1, 2]})):\n'
            '    pvti.Tracepoint.begin(channel, "inner", \'{"b":1}\')\n'
            '    pvti.Tracepoint.end(channel, "inner")\n'
            '    pvti.Tracepoint.event(channel, "tick")\n'
        )
        self.assertEqual((outer.label, outer.channel, outer.metadata), ("outer", "test", '{"a": [1, 2]}'))
        inner, tick = outer.children()
        self.assertEqual((inner.label, inner.metadata, tick.label, tick.duration), ("inner", '{"b":1}', "tick", 0))
        self.assertTrue(outer.timestamp <= inner.timestamp <= tick.timestamp <= outer.timestamp + outer.duration)

    def test_a_notebook_shows_a_lane_for_each_thread(self):
        text = pva.openTrace(self.trace('import threading\n'
                                        'def work():\n    with pvti.Tracepoint(channel, "a < b"):\n        pvti.Tracepoint.event(channel, "tick")\n'
                                        'work()\nother = threading.Thread(target=work)\nother.start()\nother.join()\n'))._repr_html_()
        self.assertEqual((text.count("<svg"), text.count("<rect"), text.count("a &lt; b")), (2, 4, 2))
        ElementTree.fromstring(text.replace("<br>", "<br/>"))

    def test_metadata_that_is_no_json_becomes_a_json_string(self):
        texts = ("plain text", '{"a": 1', 'a "quote"\n', "\u00e9t\u00e9", "3", '"text"', "[1, 2")
        found = self.events("".join("pvti.Tracepoint.event(channel, 'e', %r)\n" % text for text in texts))
        self.assertEqual([json.loads(event.metadata) for event in found], list(texts[:4]) + [3, "text", "[1, 2"])

    def test_an_exception_ends_its_event(self):
        first, second = self.events(
            'try:\n    with pvti.Tracepoint(channel, "fails"):\n        raise ValueError\nexcept ValueError:\n    pass\npvti.Tracepoint.event(channel, "then")\n'
        )
        self.assertGreater(first.duration, 0)
        self.assertEqual((second.label, len(first.children())), ("then", 0))

    def test_functions_and_methods_are_instrumented(self):
        events = self.events(
            '@pvti.instrument_fn(channel)\ndef load(path, mode="r"):\n    "Reads."\n    return path + mode\n'
            '@pvti.instrument(["step"], channel)\nclass Model:\n    def step(self, n):\n        return n + 1\n    def other(self):\n        return 0\n'
            'assert load("a", mode="b") == "ab" and load.__doc__ == "Reads." and load.__name__ == "load"\n'
            "assert Model().step(1) == 2 and Model().other() == 0\n"
            'try:\n    pvti.instrument(["absent"], channel)(Model)\n    raise SystemExit("no error")\n'
            "except AttributeError as error:\n    assert \"class Model has no method 'absent'\" in str(error)\n"
        )
        self.assertEqual([event.label for event in events], ["load", "Model.step"])

    def test_channels_are_switched(self):
        events = self.events(
            'quiet = pvti.TraceChannel("quiet", False)\npvti.Tracepoint.event(quiet, "no")\nquiet.enable()\npvti.Tracepoint.event(quiet, "yes")\n'
            'pvti.disableTraceChannels(["quiet"])\nassert not pvti.checkTraceChannel("quiet") and pvti.checkTraceChannel("test")\n'
            'assert {"test", "quiet", "Poplar"} <= set(pvti.listTraceChannels()) and quiet.name == "quiet"\n'
        )
        self.assertEqual([event.label for event in events], ["yes"])

    def test_graphs_and_histograms(self):
        path = self.trace(
            'loss = pvti.Graph("loss", "nats").addSeries("train")\nloss.add(2.5)\nloss.add(1)\n'
            'sizes = pvti.HeatmapInt("sizes", [0, 10, 100], "B")\nsizes.add([1, 2, 50])\npvti.HeatmapDouble("empty", [0, 0.5, 1]).add([])\n'
        )
        db = sqlite3.connect(path)
        self.addCleanup(db.close)
        self.assertEqual(db.execute("SELECT g.name, unit, value FROM series_values v JOIN graphs g ON g.id = v.graph ORDER BY timestamp").fetchall(), [("loss", "nats", 2.5), ("loss", "nats", 1.0)])
        rows = db.execute("SELECT name, bin_quantities FROM HEATMAP_DATA d JOIN heatmaps h ON h.id = d.heatmap ORDER BY h.id").fetchall()
        self.assertEqual(rows, [("sizes", b"\2\0\0\0\1\0\0\0"), ("empty", bytes(8))])

    def test_threads_have_names_and_events_of_their_own(self):
        path = self.trace(
            "import threading\npvti.ThreadName(\"main\")\n"
            'def work():\n    pvti.ThreadName("worker")\n    pvti.Tracepoint.event(channel, "of the worker")\n'
            "other = threading.Thread(target=work)\nother.start()\nother.join()\n"
            'pvti.Tracepoint.event(channel, "of main")\n'
        )
        (process,) = pva.openTrace(path).processes
        self.assertEqual({thread.name: [event.label for event in thread.events] for thread in process.threads}, {"main": ["of main"], "worker": ["of the worker"]})
        for thread in process.threads:
            self.assertEqual(process.thread(thread.tid), thread)
        self.assertIsNone(process.thread(1))

    def test_a_second_file_after_closing(self):
        printed = self.run_python(
            'pvti.Tracepoint.event(channel, "first")\na = pvti.getCurrentTraceFilename()\npvti.closeTrace()\n'
            'pvti.Tracepoint.event(channel, "second")\nb = pvti.getCurrentTraceFilename()\nassert a != b\nprint(a)\nprint(b)\n'
        )
        labels = [pva.openTrace(path).processes[0].threads[0].events[0].label for path in printed.split()]
        self.assertEqual(labels, ["first", "second"])


if __name__ == "__main__":
    unittest.main()
