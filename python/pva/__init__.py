# SPDX-License-Identifier: Apache-2.0
"""Report files and trace files: what a program needed and did on the modelled machine.

    import pva
    report = pva.openReport("profile.pop")
    print(sum(step.ipus[0].cycles for step in report.execution.steps))

Classes and properties are those of libpva's <pva/model.def>; `help(pva.Program)` lists those of a class.  Lists are read as they are used.  What fails
raises pva.Error; an object that is not there is None.

Where the extension module pva.pva_core was built, objects are those of C++ (<pva/pva.hpp>), registered with pybind11: an extension module may return or take
a pva::Report.  Elsewhere ctypes reads the same library, more slowly; PVA_WITH_CTYPES=1 asks for that.
"""

import enum
import os
import warnings
from collections.abc import Sequence

from . import show, tables
from .errors import Error

_core = None
if not os.environ.get("PVA_WITH_CTYPES"):
    try:
        from . import pva_core as _core
    except ImportError:
        pass
if _core is None:
    from . import with_ctypes as _core

Object = _core.Object
List = _core.List
_UINT, _BOOL, _REAL, _TEXT, _NUMBERS, _OBJECT, _LIST = range(7)
_SCALARS = (_UINT, _BOOL, _REAL, _TEXT)
_ALWAYS_LIVE_FOR_TILE, _LIVE_FOR_TILE, _LIVE_FOR_IPU, _LOWERED_FOR_TILE, _BLOCKS_OF_TILE, _PROCESS_BY_PID, _THREAD_BY_TID = range(7)
_print_length = 10


def _extend(of):
    """The functions of a class are added to another one."""

    def extend(added):
        for name, value in vars(added).items():
            if name not in ("__module__", "__dict__", "__weakref__", "__doc__"):
                setattr(of, name, value)

    return extend


@_extend(Object)
class _ObjectsToo:
    def __dir__(self):
        return sorted(set(object.__dir__(self)) | set(self._properties))

    def scalars(self):
        """The properties that are numbers or texts, by name."""
        return {name: getattr(self, name) for name, (_, kind) in self._properties.items() if kind in _SCALARS}

    def objects(self):
        """(name, object or None) of the properties that are objects."""
        return [(name, getattr(self, name)) for name, (_, kind) in self._properties.items() if kind == _OBJECT]

    def __repr__(self):
        parts = []
        for name, (_, kind) in self._properties.items():
            if kind in _SCALARS:
                parts.append("%s=%r" % (name, getattr(self, name)))
            elif kind in (_NUMBERS, _LIST):
                found = getattr(self, name)
                parts.append("%s=[%d]" % (name, len(found() if callable(found) else found)))
        return "%s(%s)" % (type(self).__name__, ", ".join(parts))


@_extend(List)
class _ListsToo:
    index, count, __contains__, __reversed__ = Sequence.index, Sequence.count, Sequence.__contains__, Sequence.__reversed__

    def __repr__(self):
        shown = [repr(item) for item in self[:_print_length]]
        if len(self) > _print_length:
            shown.append("... %d in all" % len(self))
        return "[" + ", ".join(shown) + "]"

    def to_pandas(self):
        """A pandas DataFrame with a row for each object: its numbers and texts, and those of the objects that it has."""
        return tables.frame([tables.row(item) for item in self])

    def _repr_html_(self):
        return show.list_html(self, _print_length)


for _class in (Object, List, *_core.classes):
    _class.__module__ = __name__
globals().update({each.__name__: each for each in _core.classes})


def _enumerate(of, name, members):
    """An enumeration within a class."""
    kind = enum.IntEnum(name, {member: i for i, member in enumerate(members)}, module=__name__, qualname=of.__name__ + "." + name)
    setattr(of, name, kind)
    return kind


def _named(of, attribute, kind):
    """Gives the numbers of a property their names."""
    number, last = vars(of)[attribute], len(kind) - 1
    setattr(of, attribute, property(lambda self: kind(min(number.fget(self), last)), doc=number.__doc__))


_types = _core.program_types()
_named(Program, "type", _enumerate(Program, "Type", _types))  # noqa: F821
_named(Target, "type", _enumerate(Target, "Type", ["Ipu", "IpuModel", "Cpu", "Unknown"]))  # noqa: F821
_named(Target, "architecture", _enumerate(IPU, "Architecture", ["Ipu1", "Ipu2", "Ipu21", "Unknown"]))  # noqa: F821
_named(
    InstrumentationSettings,  # noqa: F821
    "compute",
    _enumerate(InstrumentationSettings, "Compute", ["Off", "Vertex", "Tile", "Ipu", "Device", "Unknown"]),  # noqa: F821
)
_named(
    InstrumentationSettings,  # noqa: F821
    "externalExchange",
    _enumerate(InstrumentationSettings, "ExternalExchange", ["Off", "Tile", "Unknown"]),  # noqa: F821
)


class ProgramVisitor:
    """Override visitOnTileExecute and the like; the others do nothing."""

    def __init__(self):
        pass


for _name in _types:
    setattr(ProgramVisitor, "visit" + _name, lambda self, program: None)


def _accept(self, visitor):
    """Calls the visitor's function of the program's type."""
    getattr(visitor, "visit" + self.type.name)(self)


Program.accept = _accept  # noqa: F821


def _asks(query, then=None):
    def ask(self, number):
        found = _core.ask(self, query, number)
        return getattr(found, then) if then and found is not None else found

    return ask


CompilationReport.alwaysLiveVariablesForTile = _asks(_ALWAYS_LIVE_FOR_TILE, "variables")  # noqa: F821
LivenessProgramStep.notAlwaysLiveMemoryForTile = _asks(_LIVE_FOR_TILE)  # noqa: F821
LivenessProgramStep.notAlwaysLiveMemoryForIpu = _asks(_LIVE_FOR_IPU)  # noqa: F821
LoweredVariables.forTile = _asks(_LOWERED_FOR_TILE, "allVars")  # noqa: F821
ExecutionReport.blocks = _asks(_BLOCKS_OF_TILE, "blocks")  # noqa: F821
Trace.process = _asks(_PROCESS_BY_PID)  # noqa: F821
Process.thread = _asks(_THREAD_BY_TID)  # noqa: F821


def _as_method(of, attribute):
    found = vars(of)[attribute]

    def read(self):
        return found.fget(self)

    read.__doc__ = found.__doc__
    setattr(of, attribute, read)


# These are methods in Python too.
_as_method(Operation, "programs")  # noqa: F821
_as_method(Event, "children")  # noqa: F821


def _list_print_length(length):
    """How many elements of a list are printed."""
    global _print_length
    _print_length = length


def _longest(self, count):
    """The steps that took most cycles, the longest first."""
    return _core.longest_steps(self, min(max(count, 0), len(self.execution.steps)))


Report.listPrintLength = staticmethod(_list_print_length)  # noqa: F821
Report.peakTile = lambda self: _core.peak_tile(self)  # noqa: F821
Report.worstLivenessStep = lambda self: _core.worst_liveness_step(self)  # noqa: F821
Report.longestSteps = _longest  # noqa: F821


def _step_text(self):
    program = self.program
    return "ExecutionStep(program=%r, type=%s, cycles=%d, tiles=%d)" % (program.name, program.typeName, max((ipu.cycles for ipu in self.ipus), default=0), sum(ipu.activeTiles for ipu in self.ipus))


def _run_text(self):
    cycles = self.cycles
    return "Run(name=%r, steps=[%d], cycles=%d)" % (self.name, len(self.steps), cycles.cyclesTo - cycles.cyclesFrom if cycles is not None else 0)


def _report_text(self):
    target = self.compilation.target
    return "Report(%s, %d tiles, %d compute sets, %d vertices, runs=[%d], steps=[%d], cycles=%d)" % (
        target.architectureName, target.numTiles, self.compilation.graph.numComputeSets, self.compilation.graph.numVertices, len(self.execution.runs), len(self.execution.steps),
        self.execution.totalCycles.total)


ExecutionStep.__repr__ = _step_text  # noqa: F821
Run.__repr__ = _run_text  # noqa: F821
Report.__repr__ = _report_text  # noqa: F821
Report._repr_html_ = lambda self: show.report_html(self)  # noqa: F821
Trace._repr_html_ = lambda self: show.trace_html(self)  # noqa: F821


class OperationAnalysis:
    """Programs of a report, grouped by the calls of libraries that made them; needs debug.cbor."""

    def __init__(self, report):
        self.operations = report.operations


def openReport(profilePath, debugCborPath=None):
    """Opens profile.pop, or a directory that holds one; debug.cbor beside it is used unless another is named, and where
    it is damaged or of another report a warning says so."""
    report = _core.open_report(os.fsencode(profilePath), os.fsencode(debugCborPath) if debugCborPath is not None else None)
    if report.warning:
        warnings.warn(report.warning, stacklevel=2)
    return report


def openTrace(pvtiPath):
    """Opens a file of trace points."""
    return _core.open_trace(os.fsencode(pvtiPath))
