# SPDX-License-Identifier: Apache-2.0
"""Report files and trace files: what a program needed and did on the modelled machine.

    import pva
    report = pva.openReport("profile.pop")
    print(sum(step.ipus[0].cycles for step in report.execution.steps))

Classes and properties are those of libpva's <pva/model.def>; `help(pva.Program)` lists those of a class.  Lists are read as they are used.  What fails
raises pva.Error; an object that is not there is None.
"""

import ctypes
import enum
import os
import warnings
from collections.abc import Sequence

from . import show, tables


class Error(RuntimeError):
    """What went wrong; `kind` is its name, such as "file_load_error"."""

    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


# The C interface.


class _Object(ctypes.Structure):
    _fields_ = [("file", ctypes.c_void_p), ("type", ctypes.c_int), ("part", ctypes.c_uint32), ("key", ctypes.c_uint64), ("owner", ctypes.c_uint64)]


class _Failure(ctypes.Structure):
    """Room for a pop_error, whose first member is its status."""

    _fields_ = [("words", ctypes.c_uint64 * 512)]


def _load():
    here = os.path.dirname(os.path.abspath(__file__))
    places = [os.environ.get("PVA_LIBRARY", ""), os.path.join(here, "..", "tremula", "prefix", "lib", "libpva.so.0"), os.path.join(here, "..", "..", "lib", "libpva.so"), "libpva.so.0", "libpva.so"]
    for place in places:
        if place and (os.path.exists(place) or os.sep not in place):
            try:
                return ctypes.CDLL(place)
            except OSError:
                continue
    raise ImportError("libpva.so was not found; PVA_LIBRARY can name it")


_lib = _load()
_UINT, _BOOL, _REAL, _TEXT, _NUMBERS, _OBJECT, _LIST = range(7)
_ALWAYS_LIVE_FOR_TILE, _LIVE_FOR_TILE, _LIVE_FOR_IPU, _LOWERED_FOR_TILE, _BLOCKS_OF_TILE, _PROCESS_BY_PID, _THREAD_BY_TID = range(7)


def _declare(name, result, *arguments):
    function = getattr(_lib, name)
    function.restype = result
    function.argtypes = arguments
    return function


_open_report = _declare("pva_open_report", ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p)
_open_trace = _declare("pva_open_trace", ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_close = _declare("pva_close", None, ctypes.c_void_p)
_root = _declare("pva_root", _Object, ctypes.c_void_p)
_failed = _declare("pva_failed", ctypes.c_bool, ctypes.c_void_p)
_take_error = _declare("pva_take_error", ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_uint = _declare("pva_uint", ctypes.c_uint64, _Object, ctypes.c_int)
_real = _declare("pva_real", ctypes.c_double, _Object, ctypes.c_int)
_text = _declare("pva_text", ctypes.c_size_t, _Object, ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t)
_get = _declare("pva_get", _Object, _Object, ctypes.c_int)
_count = _declare("pva_count", ctypes.c_uint64, _Object, ctypes.c_int)
_at = _declare("pva_at", _Object, _Object, ctypes.c_int, ctypes.c_uint64)
_numbers = _declare("pva_numbers", ctypes.c_uint64, _Object, ctypes.c_int, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_void_p)
_ask = _declare("pva_ask", _Object, _Object, ctypes.c_int, ctypes.c_uint64)
_peak_tile = _declare("pva_peak_tile", _Object, ctypes.c_void_p)
_longest_steps = _declare("pva_longest_steps", ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
_worst_step = _declare("pva_worst_liveness_step", _Object, ctypes.c_void_p)
_class_name = _declare("pva_class_name", ctypes.c_char_p, ctypes.c_int)
_property_class = _declare("pva_property_class", ctypes.c_int, ctypes.c_int)
_property_name = _declare("pva_property_name", ctypes.c_char_p, ctypes.c_int)
_property_text = _declare("pva_property_text", ctypes.c_char_p, ctypes.c_int)
_property_kind = _declare("pva_property_kind", ctypes.c_int, ctypes.c_int)
_program_type_name = _declare("pva_program_type_name", ctypes.c_char_p, ctypes.c_int)
_status_name = _declare("pop_status_name", ctypes.c_char_p, ctypes.c_int)
_error_format = _declare("pop_error_format", ctypes.c_size_t, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t)


def _raise(failure):
    status = ctypes.cast(ctypes.byref(failure), ctypes.POINTER(ctypes.c_int))[0]
    buffer = ctypes.create_string_buffer(4096)
    _error_format(ctypes.byref(failure), buffer, len(buffer))
    kind = _status_name(status).decode()
    text = buffer.value.decode(errors="replace").split("\n")[0]
    raise Error(kind, text.partition(kind + ": ")[2] or text)  # "pva_open_report: file_load_error: ..."


class _File:
    """An open file, which its objects share."""

    def __init__(self, open_, *arguments):
        failure = _Failure()
        self.handle = open_(*arguments, ctypes.byref(failure))
        if not self.handle:
            _raise(failure)

    def __del__(self):
        if getattr(self, "handle", None):
            _close(self.handle)
            self.handle = None

    def check(self):
        if _failed(self.handle):
            failure = _Failure()
            _take_error(self.handle, ctypes.byref(failure))
            _raise(failure)


# Objects and lists.

_print_length = 10


class Object:
    """Anything that a file holds."""

    _properties = {}

    def __init__(self, file, handle):
        self._file = file
        self._handle = handle

    def _identity(self):
        h = self._handle
        return (h.file, h.type, h.part, h.key, h.owner)

    def __eq__(self, other):
        return isinstance(other, Object) and self._identity() == other._identity()

    def __hash__(self):
        return hash(self._identity())

    def __dir__(self):
        return sorted(set(super().__dir__()) | set(self._properties))

    def scalars(self):
        """The properties that are numbers or texts, by name."""
        return {name: getattr(self, name) for name, (_, kind) in self._properties.items() if kind in (_UINT, _BOOL, _REAL, _TEXT)}

    def objects(self):
        """(name, object or None) of the properties that are objects."""
        return [(name, getattr(self, name)) for name, (_, kind) in self._properties.items() if kind == _OBJECT]

    def __repr__(self):
        parts = []
        for name, (number, kind) in self._properties.items():
            if kind in (_UINT, _BOOL, _REAL, _TEXT):
                parts.append("%s=%r" % (name, getattr(self, name)))
            elif kind in (_NUMBERS, _LIST):
                parts.append("%s=[%d]" % (name, _count(self._handle, number)))
        return "%s(%s)" % (type(self).__name__, ", ".join(parts))


class List(Sequence):
    """A list that is read as it is used."""

    def __init__(self, file, handle, number):
        self._file = file
        self._handle = handle
        self._number = number
        self._length = _count(handle, number)
        file.check()

    def __len__(self):
        return self._length

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._length))]
        if index < 0:
            index += self._length
        if not 0 <= index < self._length:
            raise IndexError("index %d of a list of %d" % (index, self._length))
        return _wrap(self._file, _at(self._handle, self._number, index))

    def __repr__(self):
        shown = [repr(item) for item in self[:_print_length]]
        if self._length > _print_length:
            shown.append("... %d in all" % self._length)
        return "[" + ", ".join(shown) + "]"

    def to_pandas(self):
        """A pandas DataFrame with a row for each object: its numbers and texts, and those of the objects that it has."""
        return tables.frame([tables.row(item) for item in self])

    def _repr_html_(self):
        return show.list_html(self, _print_length)


def _wrap(file, handle):
    file.check()
    if handle.type == 0:
        return None
    return _classes[handle.type](file, handle)


def _read(self, number, kind):
    handle = self._handle
    if kind == _OBJECT:
        return _wrap(self._file, _get(handle, number))
    if kind == _LIST:
        return List(self._file, handle, number)
    if kind in (_UINT, _BOOL):
        value = _uint(handle, number)
    elif kind == _REAL:
        value = _real(handle, number)
    elif kind == _TEXT:
        buffer = ctypes.create_string_buffer(512)
        length = _text(handle, number, buffer, len(buffer))
        if length >= len(buffer):
            buffer = ctypes.create_string_buffer(length + 1)
            _text(handle, number, buffer, len(buffer))
        value = buffer.value.decode(errors="replace")
    else:
        count = _count(handle, number)
        array = (ctypes.c_uint64 * count)()
        if count:
            _numbers(handle, number, 0, count, array)
        value = list(array)
    self._file.check()
    return bool(value) if kind == _BOOL else value


def _property(number, kind, text):
    return property(lambda self: _read(self, number, kind), doc=text or None)


def _make_classes():
    """A class for each of the model's, with a property for each of its properties."""
    classes, number = {}, 0
    while True:
        of = _property_class(number)
        if not of:
            return classes
        if of not in classes:
            classes[of] = type(_class_name(of).decode(), (Object,), {"_properties": {}, "__module__": __name__})
        name, kind = _property_name(number).decode(), _property_kind(number)
        classes[of]._properties[name] = (number, kind)
        setattr(classes[of], name, _property(number, kind, _property_text(number).decode()))
        number += 1


_classes = _make_classes()
globals().update({each.__name__: each for each in _classes.values()})


def _enumerate(of, name, members):
    """An enumeration within a class."""
    kind = enum.IntEnum(name, {member: i for i, member in enumerate(members)}, module=__name__, qualname=of.__name__ + "." + name)
    setattr(of, name, kind)
    return kind


def _named(of, attribute, kind):
    """Gives the numbers of a property their names."""
    number, _ = of._properties[attribute]
    last = len(kind) - 1

    def read(self):
        return kind(min(_read(self, number, _UINT), last))

    setattr(of, attribute, property(read, doc=getattr(of, attribute).__doc__))


def _program_types():
    names = []
    while True:
        name = _program_type_name(len(names)).decode()
        names.append(name)
        if name == "Unknown":
            return names


_types = _program_types()
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
        found = _wrap(self._file, _ask(self._handle, query, number))
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
    number, kind = of._properties[attribute]

    def read(self):
        return _read(self, number, kind)

    read.__doc__ = getattr(of, attribute).__doc__
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
    count = min(max(count, 0), len(self.execution.steps))
    found = (_Object * count)()
    number = _longest_steps(self._file.handle, found, count)
    self._file.check()
    return [_wrap(self._file, _Object.from_buffer_copy(found[i])) for i in range(number)]


Report.listPrintLength = staticmethod(_list_print_length)  # noqa: F821
Report.peakTile = lambda self: _wrap(self._file, _peak_tile(self._file.handle))  # noqa: F821
Report.worstLivenessStep = lambda self: _wrap(self._file, _worst_step(self._file.handle))  # noqa: F821
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
    debug = os.fsencode(debugCborPath) if debugCborPath is not None else None
    file = _File(_open_report, os.fsencode(profilePath), debug)
    report = _wrap(file, _root(file.handle))
    if report.warning:
        warnings.warn(report.warning, stacklevel=2)
    return report


def openTrace(pvtiPath):
    """Opens a file of trace points."""
    file = _File(_open_trace, os.fsencode(pvtiPath))
    return _wrap(file, _root(file.handle))
