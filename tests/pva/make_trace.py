# SPDX-License-Identifier: Apache-2.0
"""Writes a trace with libpvti, for usages.c, .cpp and .py.  PVTI_OPTIONS names the file."""
import threading

import libpvti as pvti

channel = pvti.createTraceChannel("PyTest")
pvti.ThreadName("main loop")
for epoch in range(3):
    with pvti.Tracepoint(channel, "epoch", {"number": epoch}):
        pvti.Tracepoint.begin(channel, "step")
        pvti.Tracepoint.event(channel, "tick \u00e9")
        pvti.Tracepoint.end(channel, "step")


@pvti.instrument_fn(channel)
def work():
    pvti.ThreadName("worker")


worker = threading.Thread(target=work)
worker.start()
worker.join()
