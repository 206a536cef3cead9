# SPDX-License-Identifier: Apache-2.0
"""ONNX models on a modelled machine.

    import numpy as np
    import tremula as tm

    model = tm.onnx.load("net.onnx")
    print(model)                                          # inputs, outputs, operators, and which of them are missing
    session = model.compile(tm.IPUModel(), batch=1)
    outputs = session.run({"x": np.ones((1, 3, 224, 224))})
    print(session.cycles, session.nodes)                  # the cycles of everything, and of each node
    session.write_report("report")                        # `pva serve report`

It is libtremula_onnx for Python: docs/libraries/onnx.md says which types and operators there are, and how shapes become known.
"""

from __future__ import annotations

import ctypes
import os
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, Union

import numpy as np

from . import _native, _table, device as devices, types
from .device import Device, Options
from .engine import Cycles, Engine, Path
from .graph import Graph, Program, Stream
from .nodes import Node, Nodes

try:
    _native.library("tremula_onnx")
except ImportError as problem:
    raise ImportError("tremula.onnx: %s; a build has it if protobuf-c and ONNX's schema are there (scripts/install-dependencies)" % problem) from None

_CTensor = _native.type_of("tremula_onnx_tensor")
_CValue = _native.type_of("tremula_onnx_value")
_COperator = _native.type_of("tremula_onnx_operator")
_CUse = _native.type_of("tremula_onnx_use")
_CNode = _native.type_of("tremula_onnx_node_cost")
_PREFIX = "TREMULA_ONNX_"
_NUMBERS = {name[len(_PREFIX) :]: number for name, number in _table.ENUMS["tremula_onnx_type"].items()}
_NUMPY = {number: np.dtype(name.lower()) for name, number in _NUMBERS.items()
          if name in ("FLOAT16", "DOUBLE", "BOOL", "COMPLEX64", "COMPLEX128") or "INT" in name}
_NUMPY[_NUMBERS["FLOAT"]] = np.dtype(np.float32)
_BY_NUMPY = {dtype: number for number, dtype in _NUMPY.items()}


def _text(value):
    return value.decode(errors="replace") if value else ""


def _call(name, *arguments):
    """A call whose last argument is an error."""
    failure = _native.CError()
    _native.check(_native.function(name)(*arguments, _native.byref(failure)), failure)



class Value:
    """An input or output of a model: its name, dtype (None where NumPy has no such type) and shape.

    A dimension that the file leaves open is its name, or None where it has none; shape is None if the file gives none."""

    def __init__(self, row):
        self.name = _text(row.name)
        self.type = _native.function("tremula_onnx_type_name")(row.type).decode()
        self.dtype = _NUMPY.get(row.type)
        self.shape = None if row.rank < 0 else tuple(
            row.dims[i] if row.dims[i] >= 0 else _text(row.parameters[i]) or None for i in range(row.rank))

    def __repr__(self) -> str:
        dims = "of any shape" if self.shape is None else "{%s}" % ", ".join("?" if dim is None else str(dim) for dim in self.shape)
        return "%s: %s %s" % (self.name, self.type, dims)


class Use:
    """An operator of a model: name, domain, the number of its nodes, whether it is supported, and the first node that uses it."""

    def __init__(self, row):
        self.name, self.domain, self.nodes, self.supported, self.first_node = _text(row.name), _text(row.domain), row.nodes, row.supported, _text(row.first_node)

    def __repr__(self) -> str:
        return "%s x %d%s" % (self.name, self.nodes, "" if self.supported else " (missing; first in %r)" % self.first_node)


class _File:
    """A model of the C interface; a build changes it, so that each session has its own."""

    def __init__(self, source, directory):
        failure = _native.CError()
        if isinstance(source, bytes):
            handle = _native.function("tremula_onnx_read")(source, len(source), os.fsencode(directory) if directory else None, _native.byref(failure))
        else:
            handle = _native.function("tremula_onnx_load")(os.fsencode(source), _native.byref(failure))
        if not handle:
            _native.raise_error(failure)
        self.handle = handle

    def __del__(self):
        if getattr(self, "handle", None):
            _native.function("tremula_onnx_destroy")(self.handle)
            self.handle = None

    def values(self, call):
        """The inputs or the outputs."""
        found = []
        while True:
            address = _native.function(call)(self.handle, len(found))
            if not address:
                return found
            found.append(Value(_CValue.from_address(address)))


class Model:
    """A model that was read: see load()."""

    def __init__(self, source, directory=None):
        self._source, self._directory = source, directory
        self._file = _File(source, directory)
        handle, function = self._file.handle, _native.function
        self.inputs, self.outputs = self._file.values("tremula_onnx_input"), self._file.values("tremula_onnx_output")
        self.opset = function("tremula_onnx_opset")(handle)
        self.producer = _text(function("tremula_onnx_producer")(handle))
        self.num_nodes = function("tremula_onnx_num_nodes")(handle)
        self.weight_bytes = function("tremula_onnx_weight_bytes")(handle)
        rows = (_CUse * function("tremula_onnx_count_operators")(handle, None, 0))()
        function("tremula_onnx_count_operators")(handle, _native.address(rows), len(rows))
        self.operators = [Use(row) for row in rows]

    @property
    def missing(self) -> List[Use]:
        """The operators that are not supported."""
        return [use for use in self.operators if not use.supported]

    def __repr__(self) -> str:
        name = "Model" if isinstance(self._source, bytes) else os.path.basename(os.fsdecode(self._source))
        missing = self.missing
        lines = ["%s: operator set %d, %d nodes, %.3f MB of weights" % (name, self.opset, self.num_nodes, self.weight_bytes / 1e6)]
        lines += ["  input   %r" % value for value in self.inputs] + ["  output  %r" % value for value in self.outputs]
        lines.append("  operators: " + ", ".join(repr(use) for use in self.operators))
        lines.append("  %d operators are missing" % len(missing) if missing else "  all operators are supported")
        return "\n".join(lines)

    def compile(self, device: Optional[Device] = None, inputs: Optional[Mapping[str, Any]] = None, batch: Optional[int] = None, dims: Optional[Mapping[str, int]] = None, type: str = "float", options: Options = None, engine_options: Options = None, progress: Union[bool, Callable[[int, int], None], None] = None) -> Session:
        """Builds the model for a device (by default tremula.IPUModel()), compiles it and loads it: a Session.

        Shapes must be known: an open first dimension is `batch`, another one `dims={"name": n}`; or `inputs` maps names to arrays, or shapes, that
        the session will be run with.  If the contents of an input decide a shape, `inputs` must have its array, and the session is built for it.
        type="half" computes real numbers in 16 bits; `options` are further ones of the libraries ("partialsType", "availableMemoryProportion").
        `engine_options` and `progress` are the engine's (tremula.Engine)."""
        return Session(_File(self._source, self._directory), self.inputs, self.outputs, device or devices.IPUModel(), inputs or {}, batch, dims or {},
                       dict(options or {}, type=type), engine_options, progress)


def load(model: Any, directory: Optional[Path] = None) -> Model:
    """Reads a model: a path, or the bytes of a file, whose external data are in `directory`.  Raises FileLoadError, ParseError."""
    return Model(model, directory)


def operators() -> List[Tuple[str, str, int, int]]:
    """The operators that are supported: (domain, name, first and last operator set)."""
    found, index = [], 0
    while True:
        address = _native.function("tremula_onnx_operator_at")(index)
        if not address:
            return found
        row = _COperator.from_address(address)
        found.append((_text(row.domain), _text(row.name), row.since, row.until))
        index += 1


class Session:
    """A model on a device: run() as often as you like.  `engine` and `graph` are those of tremula."""

    def __init__(self, file, inputs, outputs, device, given, batch, dims, options, engine_options, progress):
        self._file, self.inputs, self.outputs, self.device = file, inputs, outputs, device
        self._check_names(given)
        arrays = {i: self._converted(i, given[value.name]) for i, value in enumerate(inputs) if value.name in given and not isinstance(given[value.name], tuple)}
        self._fix_shapes(given, arrays, batch, dims)
        self._arrays = arrays
        program = self._build(arrays, options)
        self.engine = Engine(self.graph, program, engine_options, progress)
        _call("tremula_onnx_connect", file.handle, self.engine._handle)  # what the host computes while the program runs

    def _fix_shapes(self, given, arrays, batch, dims):
        dims = dict(dims)
        for i, value in enumerate(self.inputs):
            if value.name in given:
                shape = arrays[i].shape if i in arrays else given[value.name]
                _call("tremula_onnx_set_shape", self._file.handle, i, _native.shape(shape))
            elif batch is not None and value.shape and not isinstance(value.shape[0], int):
                dims.setdefault(value.shape[0] or "%s:0" % value.name, batch)
        for name, size in dims.items():
            _call("tremula_onnx_set_dimension", self._file.handle, name.encode(), size)

    def _check_names(self, given):
        names = [value.name for value in self.inputs]
        for name in given:
            if name not in names:
                raise KeyError("the model has no input %r (it has %s)" % (name, ", ".join(names)))

    def _build(self, arrays, options):
        """Builds; inputs that decide shapes are fixed to what was given, one build after the other."""
        while True:
            self.graph = Graph(self.device, libraries=())
            handle = _native.type_of("pop_program")()
            failure = _native.CError()
            status = _native.function("tremula_onnx_build")(self._file.handle, self.graph.handle, _native.options(options), _native.byref(handle), _native.byref(failure))
            if not status:
                return Program(self.graph, handle, "ONNX model")
            needed = [i for i in arrays if self._asks("needs_value", i) and not self._asks("is_bound", i)]
            if not needed:
                _native.check(status, failure)
            for i in needed:
                _call("tremula_onnx_bind", self._file.handle, i, _native.byref(_tensor(arrays[i])))

    def _asks(self, what, index):
        return _native.function("tremula_onnx_" + what)(self._file.handle, index)

    def _converted(self, index, values):
        """An array of the input's type, without a copy if it is one."""
        value = self.inputs[index]
        if value.dtype is None:
            raise TypeError("input %r has elements of %s, which NumPy does not have" % (value.name, value.type))
        values = np.asarray(values)
        if not np.can_cast(values.dtype, value.dtype, "same_kind"):
            raise TypeError("input %r has elements of %s, and %s are given" % (value.name, value.dtype, values.dtype))
        return np.ascontiguousarray(values, dtype=value.dtype)

    def run(self, inputs: Optional[Mapping[str, Any]] = None) -> Dict[str, Any]:
        """Runs the model once with arrays by the names of its inputs; gives the outputs by name, each a new array."""
        inputs = dict(inputs or {})
        self._check_names(inputs)
        for i, value in enumerate(self.inputs):
            self._feed(i, value.name, inputs)
        targets = [self._target(i) for i in range(len(self.outputs))]
        self.engine.run()
        return {value.name: self._result(i, *target) for i, (value, target) in enumerate(zip(self.outputs, targets))}

    __call__ = run

    def _feed(self, index, name, inputs):
        built = self._asks("built_input", index)
        kind = types.by_number(self._asks("input_host_type", index))
        shape = tuple(built.dims[: built.rank])
        values = self._converted(index, inputs[name]) if name in inputs else None
        if self._asks("is_bound", index):
            if values is not None and not np.array_equal(values, self._arrays[index]):
                raise ValueError("input %r decides a shape: its contents are those that compile() got; compile the model again for others" % name)
            return
        if values is None:
            if kind is None:
                return  # no node reads it
            raise KeyError("no values for input %r: %s of shape %s" % (name, self.inputs[index].dtype, shape))
        if values.shape != shape:
            raise ValueError("input %r was compiled for the shape %s, and has %s" % (name, shape, values.shape))
        if kind is None:
            return
        buffer = values
        if kind.numpy != values.dtype:
            buffer = np.empty(shape, kind.numpy)
            _call("tremula_onnx_to_stream", _native.byref(_tensor(values)), kind, buffer.ctypes.data)
        self._connect(self._asks("input_handle", index), buffer)

    def _target(self, index):
        """What an output's stream writes to, None if the output was computed when the graph was built."""
        built = self._asks("built_output", index)
        shape = tuple(built.dims[: built.rank])
        if built.data:
            return built, shape, None
        buffer = np.empty(shape, types.by_number(self._asks("output_host_type", index)).numpy)
        self._connect(self._asks("output_handle", index), buffer)
        return built, shape, buffer

    def _result(self, index, built, shape, buffer):
        dtype = _NUMPY.get(built.type)
        if dtype is None:
            raise TypeError("output %r has elements of %s, which NumPy does not have" % (self.outputs[index].name, self.outputs[index].type))
        if buffer is None:
            text = ctypes.string_at(built.data, int(np.prod(shape, dtype=np.int64)) * dtype.itemsize)
            return np.frombuffer(text, dtype).reshape(shape).copy()
        result = buffer
        if buffer.dtype != dtype:
            result = np.empty(shape, dtype)
            _native.function("tremula_onnx_from_stream")(types.of(buffer.dtype), buffer.ctypes.data, _native.byref(_tensor(result)))
        return self._cut(index, result)

    def _cut(self, index, result):
        """An output without the rows that the run did not find, where values decide how many there are."""
        tensor = _tensor(result)
        _native.function("tremula_onnx_cut_output")(self._file.handle, index, 0, _native.byref(tensor))
        shape = tuple(tensor.dims[: tensor.rank])
        return result if shape == result.shape else result.ravel()[: int(np.prod(shape, dtype=np.int64))].reshape(shape).copy()

    def _connect(self, handle, buffer):
        name = handle.decode()
        self.engine.connect(Stream(self.graph, None, name, buffer.dtype, buffer.shape), buffer)

    # ---- what it did ----

    @property
    def cycles(self) -> Cycles:
        """Modelled cycles of all runs since the session was compiled."""
        return self.engine.cycles

    @property
    def nodes(self) -> Nodes:
        """A table of the nodes, those that cost most first: cycles in all runs, floating-point operations of a run, bytes of weights and
        outputs, and the IPU."""
        rows, found = [], _CNode()
        while _native.function("tremula_onnx_node")(self._file.handle, len(rows), _native.byref(found)):
            rows.append(Node(_text(found.name), _text(found.operator_name), found.flops, found.weight_bytes, found.output_bytes, found.ipu))
        return Nodes(rows, self.engine.report())

    def report(self) -> Any:
        """A report of the module pva."""
        return self.engine.report()

    def write_report(self, directory: Path) -> None:
        """Writes profile.pop to a directory: `pva serve DIRECTORY` draws it."""
        self.engine.write_report(directory)

    def summary(self) -> str:
        """The summary that Poplar prints, as text."""
        return self.engine.summary()

    def __repr__(self) -> str:
        return "Session(%s on %r)" % (", ".join(value.name for value in self.outputs), self.device.target)

    def _repr_html_(self) -> str:
        return self.engine._repr_html_()


def _tensor(array):
    """A tremula_onnx_tensor with the elements of an array, which it keeps."""
    value = _CTensor(_BY_NUMPY[array.dtype], array.ndim)
    value.dims[: array.ndim] = array.shape
    value.data = array.ctypes.data
    value.keep = array
    return value
