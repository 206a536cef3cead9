# SPDX-License-Identifier: Apache-2.0
"""Lists of report objects as tables: columns of plain values, and pandas where it is installed."""


def frame(rows, columns=None):
    """A pandas DataFrame of dictionaries."""
    try:
        import pandas
    except ImportError:
        raise ImportError("to_pandas() needs the package pandas: `pip install pandas`, or `apt-get install python3-pandas`") from None
    return pandas.DataFrame(rows, columns=columns)


def _location(context):
    """The columns of the line of the program that made an object."""
    place = context.location if context is not None else None
    return {"file": place.fileName if place is not None else "", "line": place.lineNumber if place is not None else 0}


def _step(step):
    ipus, program = list(step.ipus), step.program
    slowest = max(ipus, key=lambda ipu: ipu.cycles, default=None)
    row = {"program": program.name, "type": program.typeName, "cycles": slowest.cycles if slowest is not None else 0,
           "tileBalance": slowest.tileBalance if slowest is not None else 0.0, "activeTiles": sum(ipu.activeTiles for ipu in ipus),
           "dataIn": sum(ipu.dataIn for ipu in ipus), "dataOut": sum(ipu.dataOut for ipu in ipus), "run": step.run.name if step.run is not None else ""}
    row.update(_location(program.debugContext))
    return row


def _tile(tile):
    memory = tile.memory
    row = {"tileId": tile.tileId, "bytes": memory.total.excludingGaps, "alwaysLiveBytes": memory.alwaysLiveBytes, "notAlwaysLiveBytes": memory.notAlwaysLiveBytes,
           "overflowed": memory.overflowed.includingGaps}
    row.update({name: getattr(memory.category, name).total for name in memory.category._properties})
    return row


def _plain(item):
    """The values of an object that are numbers or texts, then those of the objects that it has, as "object.value"."""
    row = item.scalars()
    for name, found in item.objects():
        if name == "debugContext":
            row.update(_location(found))
        elif found is not None:
            row.update({"%s.%s" % (name, inner): value for inner, value in found.scalars().items()})
    return row


_ROWS = {"ExecutionStep": _step, "Tile": _tile}


def row(item):
    """An object as a dictionary of plain values."""
    return _ROWS.get(type(item).__name__, _plain)(item)
