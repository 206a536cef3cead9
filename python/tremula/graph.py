# SPDX-License-Identifier: Apache-2.0
"""Graphs: variables, codelets, vertices and programs.

    graph = tremula.Graph(tremula.IPUModel(tiles_per_ipu=4))
    a = graph.variable(numpy.float32, (4, 8), name="a").map_linearly()
    with graph.sequence() as main:
        b = tremula.popops.tanh(a * 2 + 1)
        with graph.repeat(10):
            a += b
"""

from __future__ import annotations

import ctypes
import os
import threading
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _native, types
from .device import Device, Options
from .tensor import DType, Shape, Tensor

_CProgram = _native.type_of("pop_program")
_CConnection = _native.type_of("pop_connection")
_CPrograms = _native.type_of("pop_programs")
_LIBRARIES = ("popops", "poplin", "poprand", "popnn")
_state = threading.local()


def current_graph() -> Optional[Graph]:
    """The graph of the innermost `with graph.sequence():` of this thread, or None."""
    stack = getattr(_state, "stack", None)
    return stack[-1].graph if stack else None


class Program:
    """A program; `with program:` makes it the one that operations are added to, if it is a sequence."""

    def __init__(self, graph, handle, what="program"):
        self.graph = graph
        self.handle = handle
        self.what = what

    def __enter__(self) -> Program:
        if not hasattr(_state, "stack"):
            _state.stack = []
        _state.stack.append(self)
        return self

    def __exit__(self, *exception):
        _state.stack.pop()

    def add(self, program: Program) -> Program:
        """Adds a program to a sequence.  Returns the sequence."""
        self.graph.call("pop_sequence_add", self.handle, program.handle)
        return self

    def __repr__(self) -> str:
        return "<%s %d>" % (self.what, self.handle.id)


class Branch(Program):
    """The program of graph.if_(...); `with branch.otherwise():` fills its other side."""

    def otherwise(self) -> Program:
        return self.other


class Stream:
    """A stream between host and device; Engine.connect gives it data."""

    def __init__(self, graph, handle, name, dtype, shape):
        self.graph, self.handle, self.name, self.dtype, self.shape = graph, handle, name, dtype, shape

    def __repr__(self) -> str:
        return "Stream(%r, %r, %r)" % (self.name, self.dtype, self.shape)


class ComputeSet:
    """Vertices that run at the same time."""

    def __init__(self, graph, handle):
        self.graph, self.handle = graph, handle

    def vertex(self, type: str, tile: Optional[int] = None, edges: Optional[Mapping[str, Any]] = None, cycles: Optional[int] = None, **state: Any) -> Any:
        """Adds a vertex.  `edges` maps fields to tensors (a list of tensors for a vector of vectors), further arguments set fields of the vertex's state."""
        handle = self.graph.call("pop_graph_add_vertex", self.handle, type.encode())
        for field, tensor in (edges or {}).items():
            if isinstance(tensor, Tensor):
                self.graph.call("pop_graph_connect", handle, field.encode(), tensor.handle)
            else:
                self.graph.call("pop_graph_connect_list", handle, field.encode(), _native.tensor_list(list(tensor)))
        for field, value in state.items():
            self.graph.set_field(handle, field, value)
        if tile is not None:
            self.graph.call("pop_graph_map_vertex", handle, tile)
        if cycles is not None:
            self.graph.call("pop_graph_set_perf_estimate", handle, cycles, 0)
        return handle

    def vertices(self, type: str, tiles: Any, edges: Optional[Mapping[str, Tensor]] = None, **state: Any) -> None:
        """Adds a vertex for each entry of `tiles`, an array, in one call: vertex i gets element i of each tensor of `edges` along its first dimension,
        and entry i of each array of `state` (a number is given to all)."""
        tiles = np.ascontiguousarray(tiles, dtype=np.uint32)
        edges = edges or {}
        connections = (_CConnection * max(len(edges), 1))(*[_CConnection(field.encode(), tensor.handle) for field, tensor in edges.items()])
        rows = _native.type_of("pop_field_values")
        arrays = [self._values(value, len(tiles)) for value in state.values()]
        fields = (rows * max(len(state), 1))(*[rows(name.encode(), int(types.of(array.dtype)), array.ctypes.data) for name, array in zip(state, arrays)])
        self.graph.call("pop_graph_add_vertices", self.handle, type.encode(), len(tiles), tiles.ctypes.data,
                        _native.type_of("pop_connections")(len(edges), _native.address(connections)), _native.address(fields), len(state))

    @staticmethod
    def _values(value, count):
        array = np.asarray(value)
        if array.dtype == np.float64:
            array = array.astype(np.float32)
        array = np.ascontiguousarray(np.broadcast_to(array, (count,)))
        return array


class Graph:
    """A graph for a device or a target."""

    def __init__(self, device: Device, replicas: int = 1, libraries: Sequence[str] = _LIBRARIES) -> None:
        self.device = device
        self.target = device.target
        handle = _native.function("pop_graph_create_replicated")(_native.here(), self.target.address, replicas) if replicas != 1 else \
            _native.function("pop_graph_create")(self.target.address)
        self._handle = handle
        self._status = ctypes.cast(_native.function("pop_graph_error_status")(handle), ctypes.POINTER(ctypes.c_int))
        self._cache = None
        self.alive = True
        self.check()
        for library in libraries:
            self.call(library + "_add_codelets")

    def __del__(self):
        if getattr(self, "alive", False):
            self.alive = False
            if self._cache:
                _native.function("poplin_planning_cache_destroy")(self._cache)
            _native.function("pop_graph_destroy")(self._handle)

    @property
    def handle(self):
        return self._handle

    @property
    def cache(self):
        """The cache of plans that this graph's products and convolutions share."""
        if not self._cache:
            self._cache = _native.function("poplin_planning_cache_create")()
        return self._cache

    # ---- calls of the C interface ----

    def check(self):
        """Raises the graph's error, if it has one, and clears it."""
        if self._status[0]:
            failure = _native.CError()
            _native.function("pop_graph_take_error")(self._handle, _native.byref(failure))
            _native.raise_error(failure)

    def call(self, name, *arguments):
        """A call by its C name; the graph and the caller's line are added where the call takes them."""
        function = _native.function(name)
        row = _native._table.FUNCTIONS[name]
        takes_graph = any(kind.endswith("pop_graph *") for _, kind in row[3][:2])
        where = (_native.here(),) if row[3] and row[3][0][1] == "pop_where" else ()
        result = function(*where, *((self._handle,) if takes_graph else ()), *arguments)
        self.check()
        return result

    # ---- data ----

    def variable(self, dtype: DType, shape: Shape = (), name: str = "", tile: Optional[int] = None) -> Tensor:
        """A variable; map(), map_linearly() or `tile` say where its elements are."""
        handle = self.call("pop_graph_add_variable", types.of(dtype), _native.shape(tuple(np.atleast_1d(shape)) if np.ndim(shape) == 0 and shape != () else shape), name.encode())
        tensor = Tensor(self, handle)
        return tensor if tile is None else tensor.map(tile)

    def constant(self, values: Any, dtype: Optional[DType] = None, name: str = "", tile: Optional[int] = 0) -> Tensor:
        """A constant with the values of an array; it is put on one tile, or spread with tile=None and map_linearly()."""
        values = np.asarray(values)
        kind = types.of(dtype) if dtype is not None else types.of(np.float32 if values.dtype == np.float64 else np.int32 if values.dtype == np.int64 else values.dtype)
        values = np.ascontiguousarray(values)
        handle = self.call("pop_graph_add_constant", kind, _native.shape(values.shape), types.of(values.dtype), values.ctypes.data, name.encode())
        tensor = Tensor(self, handle)
        return tensor if tile is None else tensor.map(tile)

    def set_initial_value(self, tensor: Tensor, values: Any) -> None:
        """What a variable holds after each load of an engine."""
        values = np.ascontiguousarray(np.broadcast_to(np.asarray(values), tensor.shape))
        self.call("pop_graph_set_initial_value", tensor.handle, types.of(values.dtype), values.ctypes.data)

    def host_access(self, tensor: Tensor, name: str) -> Tensor:
        """Lets Engine.write and Engine.read, and engine[name], reach a variable.  Returns the tensor."""
        self.call("pop_graph_create_host_write", name.encode(), tensor.handle)
        self.call("pop_graph_create_host_read", name.encode(), tensor.handle)
        self._host(name, tensor)
        return tensor

    def host_read(self, tensor: Tensor, name: str) -> Tensor:
        """Lets Engine.read reach a tensor."""
        self.call("pop_graph_create_host_read", name.encode(), tensor.handle)
        self._host(name, tensor)
        return tensor

    def _host(self, name, tensor):
        if not hasattr(self, "hosts"):
            self.hosts = {}
        self.hosts[name] = (tensor.shape, tensor.dtype)

    def stream_to_device(self, name: str, dtype: DType, shape: Shape, options: Options = None) -> Stream:
        """A stream from the host; graph.copy(stream, tensor) reads one transfer of that shape."""
        return self._stream("pop_graph_add_host_to_device_fifo", name, dtype, shape, (0,), options)

    def stream_to_host(self, name: str, dtype: DType, shape: Shape, options: Options = None) -> Stream:
        """A stream to the host; graph.copy(tensor, stream) writes one transfer of that shape."""
        return self._stream("pop_graph_add_device_to_host_fifo", name, dtype, shape, (), options)

    def _stream(self, call, name, dtype, shape, mode, options):
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        kind = types.of(dtype)
        count = int(np.prod(shape, dtype=np.int64))
        handle = self.call(call, name.encode(), kind, count, *mode, _native.options(options))
        stream = Stream(self, handle, name, kind.numpy, shape)
        if not hasattr(self, "streams"):
            self.streams = {}
        self.streams[name] = stream
        return stream

    # ---- codelets and vertices ----

    def add_codelets(self, file_or_source: Any, language: Optional[str] = None, flags: str = "") -> None:
        """Loads codelets: a file (.c, .cpp, .gp), or source text with language "c" or "cpp".  Compiling a source needs gcc or clang."""
        if language is None:
            path = os.fspath(file_or_source)
            self.call("pop_graph_add_codelets_flags", path.encode(), 6, flags.encode())
        else:
            kind = {"c": 2, "cpp": 3, "c++": 3}.get(language.lower())
            if kind is None:
                raise ValueError("codelets are written in 'c' or 'cpp', not %r" % language)
            self.call("pop_graph_add_codelets_source", file_or_source.encode(), kind, flags.encode())

    def compute_set(self, name: str = "") -> ComputeSet:
        return ComputeSet(self, self.call("pop_graph_add_compute_set", name.encode()))

    def set_field(self, vertex: Any, field: str, value: Any) -> None:
        """Sets a state field of a vertex: a number, or an array for a vector."""
        if isinstance(value, (bool, int, np.integer)):
            self.call("pop_graph_set_field_int", vertex, field.encode(), int(value))
        elif isinstance(value, (float, np.floating)):
            self.call("pop_graph_set_field_double", vertex, field.encode(), float(value))
        else:
            array = np.ascontiguousarray(value)
            whole = _native.type_of("pop_field")(field.encode(), 2**64 - 1)
            self.call("pop_graph_set_field_vector", vertex, whole, types.of(array.dtype), array.ctypes.data, array.size)

    # ---- programs ----

    def program(self, *programs: Program, name: str = "") -> Program:
        """A sequence of programs."""
        made = self._sequence(name)
        for program in programs:
            made.add(program)
        return made

    def sequence(self, name: str = "") -> Program:
        """An empty sequence; `with graph.sequence() as main:` adds to it what the block builds."""
        return self._sequence(name)

    def _sequence(self, name=""):
        return Program(self, self.call("pop_sequence", name.encode()), "sequence")

    def current(self) -> Program:
        """The sequence that operations are added to."""
        stack = getattr(_state, "stack", [])
        for program in reversed(stack):
            if program.graph is self:
                return program
        raise RuntimeError("there is no current program: build operations within `with graph.sequence() as main:`")

    def _add(self, handle, what):
        program = Program(self, handle, what)
        self.current().add(program)
        return program

    def execute(self, compute_set: ComputeSet, name: str = "") -> Program:
        return self._add(self.call("pop_execute", compute_set.handle, name.encode()), "execute")

    def copy(self, source: Any, destination: Any, name: str = "") -> Program:
        """Adds a copy between tensors, or between a tensor and a stream."""
        if isinstance(source, Stream):
            handle = self.call("pop_copy_from_stream", source.handle, destination.handle, False, name.encode())
        elif isinstance(destination, Stream):
            handle = self.call("pop_copy_to_stream", source.handle, destination.handle, False, name.encode())
        else:
            handle = self.call("pop_copy", source.handle, destination.handle, False, name.encode())
        return self._add(handle, "copy")

    def print(self, tensor: Tensor, title: Optional[str] = None) -> Program:
        """Adds a program that prints a tensor when it runs."""
        return self._add(self.call("pop_print_tensor", title.encode() if title else None, tensor.handle, b""), "print")

    def repeat(self, count: int, name: str = "") -> Program:
        """`with graph.repeat(10):` runs the block ten times."""
        body = self._sequence(name)
        self._add(self.call("pop_repeat", count, body.handle, name.encode()), "repeat")
        return body

    def while_(self, condition: Program, predicate: Tensor, body: Program, name: str = "") -> Program:
        """Runs `condition`, tests the scalar `predicate`, runs `body`, while it is true."""
        return self._add(self.call("pop_repeat_while_true", condition.handle, predicate.handle, body.handle, name.encode()), "while")

    def if_(self, predicate: Tensor, name: str = "") -> Branch:
        """`with graph.if_(p) as branch: ...` and `with branch.otherwise(): ...`."""
        yes, no = self._sequence(name), self._sequence(name)
        self._add(self.call("pop_if", predicate.handle, yes.handle, no.handle, name.encode()), "if")
        branch = Branch(self, yes.handle, "if")
        branch.other = no
        return branch

    def function(self, program: Program) -> Any:
        """A function of a program, for call(): its code exists once."""
        return self.call("pop_graph_add_function", program.handle)

    def invoke(self, function: Any, name: str = "") -> Program:
        return self._add(self.call("pop_call", function, name.encode()), "call")

    def sync(self, name: str = "") -> Program:
        return self._add(self.call("pop_sync", 0, name.encode()), "sync")

    def __repr__(self) -> str:
        count = _native.function
        return "Graph(%r: %d variables, %d vertices, %d compute sets)" % (
            self.target, count("pop_graph_num_variables")(self._handle), count("pop_graph_num_vertices")(self._handle), count("pop_graph_num_compute_sets")(self._handle))


def programs_value(programs):
    array = (_CProgram * len(programs))(*[program.handle for program in programs])
    value = _CPrograms(len(programs), _native.address(array))
    value.keep = array
    return value
