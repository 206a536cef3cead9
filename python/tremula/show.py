# SPDX-License-Identifier: Apache-2.0
"""What notebooks draw: the tiles of a tensor, and the cycles of an engine."""

import html

_COLOURS = {"compute": "#4c78a8", "exchange": "#f58518", "global_exchange": "#e45756", "host_exchange": "#72b7b2", "sync": "#bab0ac"}


def mapping_html(tensor):
    """The number of elements on each tile as bars; at most 400 bars, each the maximum of the tiles that it stands for."""
    counts = {tile: sum(end - begin for begin, end in pairs) for tile, pairs in tensor.mapping.items()}
    head = "<b>%s</b> %s %s" % ("Tensor", html.escape(tensor.type.name), html.escape(str(tensor.shape)))
    if not counts:
        return "<div>%s: on no tile</div>" % head
    last, most = max(counts), max(counts.values())
    step = last // 400 + 1
    bars = []
    for first in range(0, last + 1, step):
        value = max((counts.get(tile, 0) for tile in range(first, min(first + step, last + 1))), default=0)
        height = 40.0 * value / most
        name = "tile %d" % first if step == 1 else "tiles %d to %d" % (first, min(first + step, last + 1) - 1)
        bars.append('<rect x="%d" y="%.1f" width="2" height="%.1f" fill="#4c78a8"><title>%s: %d elements</title></rect>' % (2 * (first // step), 40 - height, height, name, value))
    return '<div>%s: %d elements on %d tiles, at most %d on one<br><svg width="%d" height="40">%s</svg><br>elements on each tile, 0 to %d</div>' % (
        head, tensor.size, len(counts), most, 2 * (last // step + 1), "".join(bars), last)


def cycles_html(cycles):
    """The account of the cycles on the tile that ended last, as one bar."""
    total = cycles.total or 1
    parts, x = [], 0.0
    for name, colour in _COLOURS.items():
        width = 600.0 * getattr(cycles, name) / total
        parts.append('<rect x="%.1f" y="0" width="%.1f" height="18" fill="%s"><title>%s: %d cycles, %.1f %%</title></rect>' % (
            x, width, colour, name, getattr(cycles, name), 100.0 * getattr(cycles, name) / total))
        x += width
    legend = ", ".join("<span style='color:%s'>%s</span> %d" % (colour, name, getattr(cycles, name)) for name, colour in _COLOURS.items() if getattr(cycles, name))
    return '<div><b>%d cycles</b> in %d steps<br><svg width="600" height="18">%s</svg><br>%s</div>' % (cycles.total, cycles.steps, "".join(parts), legend)


def engine_html(engine):
    from ._native import Error

    try:
        return cycles_html(engine.cycles)
    except Error as problem:  # a device without a model of time
        return "<div>Engine on %s: %s</div>" % (html.escape(repr(engine.device)), html.escape(str(problem)))
