# SPDX-License-Identifier: Apache-2.0
"""What notebooks draw of a report, of a trace and of a list."""

import collections
from html import escape

from . import tables

_COLOURS = {"compute": "#4c78a8", "exchange": "#f58518", "globalExchange": "#e45756", "streamCopy": "#72b7b2", "sync": "#bab0ac"}
_STEPS = 10000  # the longest steps, which are grouped by their program
_BARS = 400
_RECTANGLES = 2000


def table(rows, more=""):
    """Dictionaries as a table."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    head = "".join("<th>%s</th>" % escape(name) for name in columns)
    body = "".join("<tr>%s</tr>" % "".join("<td>%s</td>" % escape(_cell(row.get(name, ""))) for name in columns) for row in rows)
    return "<table><thead><tr>%s</tr></thead><tbody>%s</tbody></table>%s" % (head, body, escape(more))


def _cell(value):
    return "%.4g" % value if isinstance(value, float) else str(value)


def list_html(found, shown):
    rows = [tables.row(item) for item in found[:shown]]
    return table(rows, "%d of %d" % (len(rows), len(found)) if len(found) > len(rows) else "")


def _bar(title, parts):
    """One bar of (name, value, colour)."""
    total = sum(value for _, value, _ in parts) or 1
    drawn, legend, x = [], [], 0.0
    for name, value, colour in parts:
        width = 600.0 * value / total
        drawn.append('<rect x="%.1f" y="0" width="%.1f" height="18" fill="%s"><title>%s: %.1f %%</title></rect>' % (x, width, colour, escape(name), 100.0 * value / total))
        if value:
            legend.append('<span style="color:%s">%s</span> %.1f %%' % (colour, escape(name), 100.0 * value / total))
        x += width
    return '%s<br><svg width="600" height="18">%s</svg><br>%s<br>' % (escape(title), "".join(drawn), ", ".join(legend))


def _memory(report):
    """Bytes by tile as bars; each of at most 400 bars is the maximum of the tiles that it stands for."""
    target, tiles = report.compilation.target, report.compilation.tiles
    used = [tile.memory.total.includingGaps for tile in tiles]
    if not used:
        return ""
    step = (len(used) - 1) // _BARS + 1
    most = max(max(used), 1)
    bars = []
    for first in range(0, len(used), step):
        value = max(used[first : first + step])
        height = 40.0 * value / most
        bars.append('<rect x="%d" y="%.1f" width="2" height="%.1f" fill="#4c78a8"><title>tile %d: %d bytes</title></rect>' % (2 * (first // step), 40 - height, height, first, value))
    return 'memory by tile: the fullest has %d of %d bytes<br><svg width="%d" height="40">%s</svg><br>' % (most, target.bytesPerTile, 2 * len(bars), "".join(bars))


def costs(report):
    """Programs of the longest steps as rows, those that cost most first (cycles of the slowest tile), and the number of steps that were read."""
    cycles, counts, programs = collections.Counter(), collections.Counter(), {}
    steps = report.longestSteps(_STEPS)
    for step in steps:
        program = step.program
        if program.typeName.startswith("Sync"):  # waiting for others: the bar has it
            continue
        cycles[program._id] += max((ipu.cycles for ipu in step.ipus), default=0)
        counts[program._id] += 1
        programs[program._id] = program
    total = report.execution.totalCycles.total or 1
    rows = []
    for number, value in cycles.most_common(10):
        program = programs[number]
        row = {"cycles": value, "share": "%.1f %%" % (100.0 * value / total), "times": counts[number], "type": program.typeName, "program": program.name}
        place = program.debugContext.location if program.debugContext is not None else None
        row["line"] = "%s:%d" % (place.fileName.rpartition("/")[2], place.lineNumber) if place is not None and place.fileName else ""
        rows.append(row)
    return rows, len(steps)


def report_html(report):
    """What ran, where its cycles are, what costs most, and the memory of the tiles."""
    target, totals, steps = report.compilation.target, report.execution.totalCycles, len(report.execution.steps)
    parts = ["<b>Report</b> %s, %d tiles: " % (escape(target.architectureName), target.numTiles)]
    if not steps:
        parts.append("nothing was run, or its execution was not captured<br>")
    else:
        parts.append("%d cycles in %d steps<br>" % (totals.total, steps))
        parts.append(_bar("the tiles' time", [(name, getattr(totals, name), colour) for name, colour in _COLOURS.items()]))
        rows, read = costs(report)
        parts.append(table(rows, "" if read == steps else "of the %d longest steps" % read))
    parts.append(_memory(report))
    return "<div>%s</div>" % "".join(parts)


def _rectangles(events, first, scale, depth, drawn):
    for event in events:
        if len(drawn) >= _RECTANGLES:
            return
        if depth < 4:
            x = (event.timestamp - first) * scale
            drawn.append('<rect x="%.1f" y="%d" width="%.1f" height="14" fill="%s" stroke="white" stroke-width="0.3"><title>%s: %.1f us</title></rect>' % (
                x, 16 * depth, max(event.duration * scale, 0.5), list(_COLOURS.values())[depth], escape(event.label), event.duration))
            _rectangles(event.children(), first, scale, depth + 1, drawn)


def trace_html(trace):
    """A lane of time for each thread, four levels of events deep."""
    lanes = [(process, thread, list(thread.events)) for process in trace.processes for thread in process.threads]
    lanes = [lane for lane in lanes if lane[2]]
    if not lanes:
        return "<div><b>Trace</b>: no events</div>"
    first = min(event.timestamp for _, _, events in lanes for event in events)
    last = max(event.timestamp + event.duration for _, _, events in lanes for event in events)
    drawn = []
    for process, thread, events in lanes:
        rectangles = []
        _rectangles(events, first, 800.0 / ((last - first) or 1), 0, rectangles)
        more = ", the first %d events" % _RECTANGLES if len(rectangles) == _RECTANGLES else ""
        drawn.append('%s, %s%s<br><svg width="800" height="64">%s</svg><br>' % (escape(process.name or "process %d" % process.pid), escape(thread.name or "thread %d" % thread.tid), more, "".join(rectangles)))
    return "<div><b>Trace</b>: %.3f ms<br>%s</div>" % ((last - first) / 1e3, "".join(drawn))
