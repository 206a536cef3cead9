# SPDX-License-Identifier: Apache-2.0
"""Trace points of a program, written to a file that pva.openTrace reads.

    import libpvti as pvti
    channel = pvti.createTraceChannel("MyProgram")
    with pvti.Tracepoint(channel, "load"):
        ...

Nothing is recorded unless the environment asks for it: PVTI_OPTIONS='{"enable":"true", "directory":"reports"}'.  What functions do stands in <pvti/pvti.h>.
"""

import ctypes
import functools
import json
import os


def _load():
    here = os.path.dirname(os.path.abspath(__file__))
    places = [os.environ.get("PVTI_LIBRARY", ""), os.path.join(here, "..", "tremula", "prefix", "lib", "libpvti.so.0"), os.path.join(here, "..", "..", "lib", "libpvti.so"), "libpvti.so.0", "libpvti.so"]
    for place in places:
        if place and (os.path.exists(place) or os.sep not in place):
            try:
                return ctypes.CDLL(place)
            except OSError:
                continue
    raise ImportError("libpvti.so was not found; PVTI_LIBRARY can name it")


_lib = _load()
_POINTER, _TEXT, _REAL, _UINT, _SIZE = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_double, ctypes.c_uint, ctypes.c_size_t


def _declare(name, result, *arguments):
    function = getattr(_lib, name)
    function.restype = result
    function.argtypes = arguments
    return function


_enabled = _declare("pvti_enabled", ctypes.c_bool)
_channel_create = _declare("pvti_channel_create", _POINTER, _TEXT)
_channel_name = _declare("pvti_channel_name", _TEXT, _POINTER)
_channel_enable = _declare("pvti_channel_enable", None, _POINTER, ctypes.c_bool)
_channel_enabled = _declare("pvti_channel_enabled", ctypes.c_bool, _POINTER)
_channel_at = _declare("pvti_channel_at", _POINTER, _SIZE)
_begin = _declare("pvti_begin", None, _POINTER, _TEXT, _TEXT)
_end = _declare("pvti_end", None, _POINTER, _TEXT)
_event = _declare("pvti_event", None, _POINTER, _TEXT, _TEXT)
_thread_name = _declare("pvti_thread_name", None, _TEXT)
_graph_create = _declare("pvti_graph_create", _POINTER, _TEXT, _TEXT)
_graph_add_series = _declare("pvti_graph_add_series", _UINT, _POINTER, _TEXT)
_graph_add = _declare("pvti_graph_add", None, _POINTER, _UINT, _REAL)
_heatmap_create = _declare("pvti_heatmap_create", _POINTER, _TEXT, ctypes.POINTER(_REAL), _SIZE, _TEXT)
_heatmap_add = _declare("pvti_heatmap_add", None, _POINTER, ctypes.POINTER(_REAL), _SIZE)
_trace_filename = _declare("pvti_trace_filename", _TEXT)
_close = _declare("pvti_close", None)


def _reals(values):
    values = list(values)
    return (_REAL * len(values))(*values), len(values)


class TraceChannel:
    """A group of trace points that is switched on and off together; several of one name are one."""

    def __init__(self, name, enabled=None):
        self._handle = _channel_create(name.encode())
        if enabled is not None:
            _channel_enable(self._handle, enabled)

    @property
    def name(self):
        return _channel_name(self._handle).decode(errors="replace")

    def enable(self):
        _channel_enable(self._handle, True)

    def disable(self):
        _channel_enable(self._handle, False)

    def isEnabled(self):
        return _channel_enabled(self._handle)


def createTraceChannel(name, enabled=None):
    return TraceChannel(name, enabled)


# The channels of the libraries themselves.
traceDrivers = TraceChannel("Drivers")
tracePoplar = TraceChannel("Poplar")
traceFramework = TraceChannel("Framework")


def enableTraceChannel(name):
    TraceChannel(name).enable()


def disableTraceChannel(name):
    TraceChannel(name).disable()


def enableTraceChannels(names):
    for name in names:
        enableTraceChannel(name)


def disableTraceChannels(names):
    for name in names:
        disableTraceChannel(name)


def checkTraceChannel(name):
    return TraceChannel(name).isEnabled()


def listTraceChannels():
    names = []
    while True:
        channel = _channel_at(len(names))
        if not channel:
            return names
        names.append(_channel_name(channel).decode(errors="replace"))


def isEnabled():
    """Whether PVTI_OPTIONS enables tracing, and it has not failed."""
    return _enabled()


def getCurrentTraceFilename():
    """The path of the trace file, "" before the first event and without tracing."""
    return os.fsdecode(_trace_filename())


def closeTrace():
    """Completes the file.  A later event begins another one."""
    _close()


class Metadata:
    """JSON that events carry: text, or a value that is written as JSON."""

    def __init__(self, value):
        self.text = value if isinstance(value, str) else json.dumps(value)


def createJsonMetadata(value):
    return Metadata(value)


def _metadata(metadata):
    if metadata is None:
        return None
    return (metadata if isinstance(metadata, Metadata) else Metadata(metadata)).text.encode()


class Tracepoint:
    """An event that lasts as long as a `with` block; begin, end and event are events by hand."""

    def __init__(self, channel, label, metadata=None):
        self._channel, self._label, self._metadata = channel, label.encode(), _metadata(metadata)

    def __enter__(self):
        _begin(self._channel._handle, self._label, self._metadata)
        return self

    def __exit__(self, *exception):
        _end(self._channel._handle, self._label)
        return False

    @staticmethod
    def begin(channel, label, metadata=None):
        _begin(channel._handle, label.encode(), _metadata(metadata))

    @staticmethod
    def end(channel, label):
        _end(channel._handle, label.encode())

    @staticmethod
    def event(channel, label, metadata=None):
        _event(channel._handle, label.encode(), _metadata(metadata))


def instrument_fn(channel, label=None):
    """Decorates a function: each call is an event, by the function's name unless label is another."""

    def decorate(function):
        name = label or function.__qualname__

        @functools.wraps(function)
        def traced(*arguments, **named):
            with Tracepoint(channel, name):
                return function(*arguments, **named)

        return traced

    return decorate


def instrument(methods, channel):
    """Decorates a class: calls of the methods that are named are events."""

    def decorate(of):
        for name in methods:
            if not callable(getattr(of, name, None)):
                raise AttributeError("class %s has no method '%s' to instrument" % (of.__name__, name))
            setattr(of, name, instrument_fn(channel)(getattr(of, name)))
        return of

    return decorate


class Series:
    """One line of a graph."""

    def __init__(self, graph, number):
        self._graph, self._number = graph, number

    def add(self, value):
        _graph_add(self._graph, self._number, value)


class Graph:
    """A chart of series of numbers over time."""

    def __init__(self, name, unit=""):
        self._handle = _graph_create(name.encode(), unit.encode())

    def addSeries(self, name):
        return Series(self._handle, _graph_add_series(self._handle, name.encode()))


class HeatmapDouble:
    """Histograms over time, with bins between neighbouring edges."""

    def __init__(self, name, edges, unit=""):
        array, count = _reals(edges)
        self._handle = _heatmap_create(name.encode(), array, count, unit.encode())

    def add(self, values):
        array, count = _reals(values)
        _heatmap_add(self._handle, array, count)


class HeatmapInt(HeatmapDouble):
    """The same, of whole numbers."""


class ThreadName:
    """Names the calling thread."""

    def __init__(self, name):
        _thread_name(name.encode())
