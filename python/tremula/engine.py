# SPDX-License-Identifier: Apache-2.0
"""Engines: a graph's programs, compiled, loaded and run, and what they report."""

from __future__ import annotations

import ctypes
import os
import tempfile
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np

from . import _native
from .device import Device
from .graph import Graph, Options, Program, Stream, programs_value

Path = Union[str, "os.PathLike[str]"]

_CCallback = _native.type_of("pop_stream_callback")
_CCycles = _native.type_of("pop_cycles")
_OK, _RUNTIME_ERROR = 0, _native._table.CONSTANTS["POP_RUNTIME_ERROR"]
_Fetch = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_Progress = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_int, ctypes.c_void_p)


class Cycles:
    """Modelled cycles since load: total, compute, exchange, global_exchange, host_exchange, sync, and the number of steps."""

    def __init__(self, values):
        self.__dict__.update({name: getattr(values, name) for name, _ in _CCycles._fields_})

    def __repr__(self) -> str:
        return "Cycles(%s)" % ", ".join("%s=%d" % pair for pair in self.__dict__.items())

    def _repr_html_(self) -> str:
        from . import show

        return show.cycles_html(self)


class Engine:
    """Compiles programs and loads them onto the graph's device.

    `programs` is a program or a list; run(i) runs the i-th.  `options` are engine options (docs/reference/options.md).  `progress` is called with the number of
    steps that are done and their total while it compiles; `progress=True` prints them."""

    def __init__(self, graph: Graph, programs: Union[Program, Sequence[Program]], options: Options = None, progress: Union[bool, Callable[[int, int], None], None] = None, name: Optional[str] = None, device: Optional[Device] = None) -> None:
        self.graph = graph
        self._handle = None
        self._kept = {}  # arrays and callbacks that streams use
        self._raised = None
        programs = [programs] if isinstance(programs, Program) else list(programs)
        failure = _native.CError()
        executable = ctypes.c_void_p()
        if progress is True:
            progress = _print_progress
        callback = _Progress(lambda done, total, user: progress(done, total)) if progress else None
        status = _native.function("pop_compile_graph_named")(_native.here(), graph.handle, programs_value(programs), _native.options(options),
                                                             ctypes.cast(callback, ctypes.c_void_p) if callback else None, None,
                                                             name.encode() if name else None, _native.byref(executable), _native.byref(failure))
        if status:
            _native.function("pop_graph_take_error")(graph.handle, None)
        _native.check(status, failure)
        self._handle = _native.function("pop_engine_create_from")(executable, _native.options(options), _native.byref(failure))
        _native.function("pop_executable_destroy")(executable)
        if not self._handle:
            _native.raise_error(failure)
        self.load(device or graph.device)

    def __del__(self):
        if getattr(self, "_handle", None):
            _native.function("pop_engine_destroy")(self._handle)
            self._handle = None

    def _call(self, name, *arguments):
        failure = _native.CError()
        status = _native.function(name)(self._handle, *arguments, _native.byref(failure))
        if self._raised:
            raised, self._raised = self._raised, None
            raise raised
        _native.check(status, failure)

    def load(self, device: Optional[Device] = None) -> None:
        """Loads (again): variables get their initial values."""
        self.device = device or self.device
        self._call("pop_engine_load", self.device.handle)

    def run(self, program: int = 0, name: Optional[str] = None) -> Engine:
        """Runs a program.  Returns the engine."""
        self._call("pop_engine_run_named", program, name.encode() if name else None)
        return self

    # ---- data ----

    def _array(self, name):
        try:
            shape, dtype = self.graph.hosts[name]
        except (AttributeError, KeyError):
            raise KeyError("no tensor %r: graph.host_access(tensor, name) or host_read names one before the engine is made" % name) from None
        replicas = _native.function("pop_engine_num_replicas")(self._handle)
        return ((replicas,) if replicas > 1 else ()) + shape, dtype

    def write(self, name: str, values: Any) -> None:
        """Writes a variable that graph.host_access named.  An array of the variable's type and shape is used in place."""
        shape, dtype = self._array(name)
        values = np.ascontiguousarray(np.broadcast_to(np.asarray(values, dtype=dtype), shape))
        self._call("pop_engine_write_tensor", name.encode(), values.ctypes.data, values.nbytes)

    def read(self, name: str, out: Any = None) -> Any:
        """The values of a tensor that graph.host_access or host_read named, in a new array or in `out`."""
        shape, dtype = self._array(name)
        if out is None:
            out = np.empty(shape, dtype=dtype)
        elif out.shape != shape or out.dtype != dtype or not out.flags.c_contiguous:
            raise ValueError("out is %s of %s; %r needs %s of %s, contiguous" % (out.shape, out.dtype, name, shape, dtype))
        self._call("pop_engine_read_tensor", name.encode(), out.ctypes.data, out.nbytes)
        return out

    __getitem__ = read
    __setitem__ = write

    def connect(self, stream: Union[Stream, str], data: Any) -> None:
        """Gives a stream its data: an array that each transfer uses; for input a generator, an iterator or a function that returns arrays, for output a
        function that takes an array (valid during the call).  An exception in it ends the run and is raised by run()."""
        stream = self.graph.streams[stream] if isinstance(stream, str) else stream
        if isinstance(data, np.ndarray):
            if data.dtype != stream.dtype or data.size < int(np.prod(stream.shape)) or not data.flags.c_contiguous:
                raise ValueError("the array is %s of %s; stream %r transfers %s of %s, contiguous" % (data.shape, data.dtype, stream.name, stream.shape, stream.dtype))
            self._kept[stream.name] = data
            self._call("pop_engine_connect_stream", stream.name.encode(), data.ctypes.data)
            return
        count = int(np.prod(stream.shape, dtype=np.int64))
        bytes_ = count * stream.dtype.itemsize
        to_device = _native.function("pop_stream_direction")(stream.handle) == 0
        if to_device:
            give = data if callable(data) else iter(data).__next__
        elif not callable(data):
            raise TypeError("a stream to the host takes an array or a function, not %r" % (data,))

        def fetch(address, user):
            try:
                buffer = np.frombuffer((ctypes.c_char * bytes_).from_address(address), dtype=stream.dtype).reshape(stream.shape)
                if to_device:
                    buffer[...] = give()
                else:
                    buffer.flags.writeable = False
                    data(buffer)
                return _OK
            except StopIteration:
                self._raised = RuntimeError("stream %r: the generator ended before the program did" % stream.name)
            except BaseException as problem:  # handed on by run()
                self._raised = problem
            return _RUNTIME_ERROR

        pointer = _Fetch(fetch)
        self._kept[stream.name] = pointer
        self._call("pop_engine_connect_stream_callback", stream.name.encode(), _CCallback(ctypes.cast(pointer, ctypes.c_void_p)))

    # ---- what it did ----

    @property
    def cycles(self) -> Cycles:
        """Modelled cycles of everything run since load."""
        values = _CCycles()
        self._call("pop_engine_cycles", _native.byref(values))
        return Cycles(values)

    def report(self, execution: bool = True) -> Any:
        """A report of what was compiled and run since load, as a pva report (pva.openReport)."""
        import pva

        path = _native.text_buffer(4096)
        self._call("pop_engine_temporary_report", execution, _native.address(path), len(path))
        return pva.openReport(path.value.decode())

    def write_report(self, directory: Path, execution: bool = True) -> None:
        """Writes profile.pop to a directory: `pva serve DIRECTORY` draws it."""
        os.makedirs(directory, exist_ok=True)
        self._call("pop_engine_write_report", os.fspath(directory).encode(), execution)

    def summary(self) -> str:
        """The summary that Poplar prints, as text."""
        libc = ctypes.CDLL(None)
        libc.fopen.restype = ctypes.c_void_p
        with tempfile.NamedTemporaryFile("r") as file:
            target = libc.fopen(file.name.encode(), b"w")
            try:
                self._call("pop_engine_print_profile_summary", target, _native.options({"colours": False}))
            finally:
                libc.fclose(ctypes.c_void_p(target))
            return file.read()

    def _repr_html_(self) -> str:
        from . import show

        return show.engine_html(self)


def _print_progress(done, total):
    print("\rcompiling %d/%d" % (done, total), end="" if done < total else "\n", flush=True)
