# SPDX-License-Identifier: Apache-2.0
"""Tensors: immutable views of variables, indexed and combined as NumPy's arrays are.

Indexing, reshaping and transposing make views and cost nothing on the device.  Arithmetic adds an operation to the graph's current program
(`with graph.sequence():`) and gives a new tensor."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import _native, types

DType = Any  # "float", "half", ..., an element type, or a NumPy type
Shape = Union[int, Sequence[int]]


class Tensor:
    """A view of a graph's variables.  `shape`, `dtype`, `ndim` and `size` are NumPy's; `handle` is the C value."""

    __slots__ = ("graph", "handle", "_kept", "__weakref__")
    __array_priority__ = 100  # NumPy's arrays leave the operators to this class

    def __init__(self, graph, handle):
        self.graph = graph
        self.handle = handle
        # Views that need storage of the graph are counted, so that loops that make many do not grow it.
        self._kept = bool(handle.form & 1 or handle.source >> 31)
        if self._kept:
            _native.function("pop_tensor_retain")(_native.byref(handle))

    def __del__(self):
        if getattr(self, "_kept", False) and self.graph.alive:
            _native.function("pop_tensor_release")(_native.byref(self.handle))

    def __array__(self, *arguments: Any, **keywords: Any) -> Any:
        """Refused: NumPy would make an array of tensors."""
        raise TypeError("a tensor has no values while the graph is built: graph.host_read(tensor, name), then engine[name] after a run")

    # ---- what it is ----

    @property
    def ndim(self) -> int:
        return self.handle.rank

    @property
    def shape(self) -> Tuple[int, ...]:
        rank = self.handle.rank
        dims = (_native.SIZE * max(rank, 1))()
        _native.function("pop_tensor_shape")(self.handle, _native.address(dims), rank)
        return tuple(dims[:rank])

    @property
    def size(self) -> int:
        return _native.function("pop_tensor_num_elements")(self.handle)

    @property
    def type(self) -> types.Type:
        """The element type on the device."""
        return types.by_number(self.handle.type)

    @property
    def dtype(self) -> Any:
        """The NumPy type of the elements."""
        return self.type.numpy

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of a tensor of rank 0")
        return self.shape[0]

    def __repr__(self) -> str:
        buffer = _native.text_buffer(512)
        _native.function("pop_tensor_to_string")(self.handle, _native.address(buffer), len(buffer))
        return "Tensor(%s)" % buffer.value.decode(errors="replace")

    def _repr_html_(self) -> str:
        from . import show

        return show.mapping_html(self)

    def __iter__(self) -> Iterator[Tensor]:
        for i in range(len(self)):
            yield self[i]

    def __bool__(self):
        raise TypeError("a tensor has no value while the graph is built; graph.if_(tensor) decides on the device")

    def __eq__(self, other: Any) -> Tensor:  # type: ignore[override]
        return self._binary("EQUAL", other)

    def __ne__(self, other: Any) -> Tensor:  # type: ignore[override]
        return self._binary("NOT_EQUAL", other)

    __hash__ = object.__hash__

    def is_same(self, other: Any) -> bool:
        """Whether both are the same elements in the same order and shape (== compares values on the device)."""
        return bool(_native.function("pop_tensor_equal")(self.handle, other.handle))

    # ---- views ----

    def _view(self, name, *arguments):
        handle = _native.function(name)(_native.here(), self.handle, *arguments)
        self.graph.check()
        return Tensor(self.graph, handle)

    def __getitem__(self, index: Any) -> Tensor:
        """Integers, slices (with any step), None and ..., as in NumPy."""
        items = list(index) if isinstance(index, tuple) else [index]
        if sum(item is Ellipsis for item in items) > 1:
            raise IndexError("an index can only have a single ellipsis ('...')")
        named = sum(item is not None and item is not Ellipsis for item in items)
        if named > self.ndim:
            raise IndexError("too many indices: the tensor has rank %d, but %d were given" % (self.ndim, named))
        if Ellipsis in [item for item in items if item is Ellipsis]:
            place = next(i for i, item in enumerate(items) if item is Ellipsis)
            items[place : place + 1] = [slice(None)] * (self.ndim - named)
        view, dim = self, 0
        for item in items:
            if item is None:
                view = view._view("pop_tensor_expand", _native.dims(dim))
                dim += 1
            elif isinstance(item, slice):
                view = view._slice(item, dim)
                dim += 1
            else:
                view = view._pick(item, dim)
        return view

    def _slice(self, item, dim):
        length = self.shape[dim]
        begin, end, step = item.indices(length)
        if step < 0:
            count = len(range(begin, end, step))
            last = begin + (count - 1) * step if count else begin
            view = self._view("pop_tensor_slice", last if count else 0, begin + 1 if count else 0, dim)._view("pop_tensor_reverse", dim)
            return view if step == -1 or not count else view._view("pop_tensor_sub_sample", -step, dim)
        view = self if (begin, end) == (0, length) else self._view("pop_tensor_slice", begin, max(begin, end), dim)
        return view if step == 1 else view._view("pop_tensor_sub_sample", step, dim)

    def _pick(self, item, dim):
        try:
            number = item.__index__()
        except AttributeError:
            raise IndexError("a tensor's index is an integer, a slice, None or ..., not %r; popops.gather and multi_slice take tensors" % (item,)) from None
        length = self.shape[dim]
        if not -length <= number < length:
            raise IndexError("index %d is out of bounds for dimension %d with size %d" % (number, dim, length))
        number %= length
        return self._view("pop_tensor_slice", number, number + 1, dim)._view("pop_tensor_squeeze", _native.dims(dim))

    def reshape(self, *shape: Union[int, Sequence[int]]) -> Tensor:
        """A view of another shape; one size may be -1."""
        sizes = list(shape[0]) if len(shape) == 1 and not isinstance(shape[0], numbers.Integral) else list(shape)
        if -1 in sizes:
            rest = 1
            for size in sizes:
                rest *= size if size != -1 else 1
            sizes[sizes.index(-1)] = self.size // rest if rest else 0
        return self._view("pop_tensor_reshape", _native.shape(sizes))

    def flatten(self) -> Tensor:
        return self._view("pop_tensor_flatten")

    @property
    def T(self) -> Tensor:
        """The order of the dimensions reversed."""
        return self._view("pop_tensor_transpose")

    def transpose(self, *axes: Union[int, Sequence[int]]) -> Tensor:
        """The dimensions in another order; without arguments reversed."""
        axes = axes[0] if len(axes) == 1 and not isinstance(axes[0], numbers.Integral) else axes
        return self._view("pop_tensor_dim_shuffle", _native.dims([axis % self.ndim for axis in axes])) if axes else self.T

    def squeeze(self, axis: Union[int, Sequence[int], None] = None) -> Tensor:
        axes = [i for i, size in enumerate(self.shape) if size == 1] if axis is None else [a % self.ndim for a in ([axis] if isinstance(axis, numbers.Integral) else axis)]
        return self._view("pop_tensor_squeeze", _native.dims(axes))

    def broadcast(self, times: int, axis: int) -> Tensor:
        """The tensor `times` over along a dimension, without copies."""
        return self._view("pop_tensor_broadcast", times, axis % self.ndim)

    def reinterpret(self, dtype: DType) -> Tensor:
        """The same bits as another type of that size."""
        return self._view("pop_tensor_reinterpret", types.of(dtype))

    # ---- where its elements are ----

    def map(self, tile: int) -> Tensor:
        """Puts all elements on one tile.  Returns the tensor."""
        self.graph.call("pop_graph_set_tile_mapping", self.handle, tile)
        return self

    def map_linearly(self, min_elements: Optional[int] = None, grain: Optional[int] = None) -> Tensor:
        """Spreads the elements over all tiles, in order.  Returns the tensor."""
        if min_elements is None and grain is None:
            self.graph.call("poputil_map_tensor_linearly", self.handle)
        else:
            self.graph.call("poputil_map_tensor_linearly_grain", self.handle, 1 if min_elements is None else min_elements, 1 if grain is None else grain)
        return self

    def map_as(self, mapping: Mapping[int, Sequence[Tuple[int, int]]]) -> Tensor:
        """Sets a mapping: a dictionary tile -> list of (begin, end) of the flattened tensor.  Returns the tensor."""
        last = max(mapping, default=-1)
        lists = [[tuple(pair) for pair in mapping.get(tile, ())] for tile in range(last + 1)]
        value = _native.interval_lists(lists)
        self.graph.call("pop_graph_set_tile_mapping_lists", self.handle, _native.byref(value))
        return self

    @property
    def mapping(self) -> Dict[int, List[Tuple[int, int]]]:
        """tile -> list of (begin, end) of the flattened tensor, for the tiles that have elements.  Elements without a tile are left out."""
        lists = _native.empty_interval_lists()
        complete = _native.BOOL()
        self.graph.call("pop_graph_get_tile_mapping", self.handle, _native.byref(complete), _native.byref(lists))
        try:
            return _native.read_interval_lists(lists)
        finally:
            _native.function("pop_interval_lists_free")(_native.byref(lists))

    # ---- arithmetic, in the graph's current program ----

    if TYPE_CHECKING:  # the operators that the end of this file makes

        def _operator(self, other: Any) -> Tensor: ...

        __add__ = __radd__ = __iadd__ = __sub__ = __rsub__ = __isub__ = __mul__ = __rmul__ = __imul__ = __truediv__ = __rtruediv__ = __itruediv__ = _operator
        __mod__ = __rmod__ = __imod__ = __pow__ = __rpow__ = __ipow__ = __lshift__ = __rlshift__ = __ilshift__ = __rshift__ = __rrshift__ = __irshift__ = _operator
        __and__ = __rand__ = __iand__ = __or__ = __ror__ = __ior__ = __xor__ = __rxor__ = __ixor__ = __lt__ = __le__ = __gt__ = __ge__ = _operator

    def _binary(self, operator, other, swapped=False, in_place=False):
        from . import popops

        operands = (other, self) if swapped else (self, other)
        if in_place:
            popops.binary_in_place(operator, *operands)
            return self
        return popops.binary(operator, *operands)

    def _unary(self, operator):
        from . import popops

        return popops.unary(operator, self)

    def __neg__(self) -> Tensor:
        return self._unary("NEGATE")

    def __abs__(self) -> Tensor:
        return self._unary("ABSOLUTE")

    def __invert__(self) -> Tensor:
        return self._unary("LOGICAL_NOT" if self.type.name == "BOOL" else "BITWISE_NOT")

    def __matmul__(self, other: Any) -> Tensor:
        from . import poplin

        if self.ndim == 3:
            return poplin.mat_mul_grouped(self, other, self.type)
        vectors = (self.ndim == 1, other.ndim == 1)
        out = poplin.mat_mul(self[None, :] if vectors[0] else self, other[:, None] if vectors[1] else other)
        if vectors[1]:
            out = out[..., 0]
        return out[0] if vectors[0] else out

    def astype(self, dtype: DType) -> Tensor:
        """A copy of another type."""
        from . import popops

        return popops.cast(self, types.of(dtype))

    def _reduce(self, operator, axis, keepdims=False, scale=None):
        from . import popops

        axes = tuple(range(self.ndim)) if axis is None else tuple(a % self.ndim for a in ((axis,) if isinstance(axis, numbers.Integral) else axis))
        out = popops.reduce(self, dims=axes, params={"op": operator, "scale": scale} if scale is not None else {"op": operator})
        return out.reshape([1 if i in axes else size for i, size in enumerate(self.shape)]) if keepdims else out

    def sum(self, axis: Union[int, Sequence[int], None] = None, keepdims: bool = False) -> Tensor:
        return self._reduce("ADD", axis, keepdims)

    def max(self, axis: Union[int, Sequence[int], None] = None, keepdims: bool = False) -> Tensor:
        return self._reduce("MAX", axis, keepdims)

    def min(self, axis: Union[int, Sequence[int], None] = None, keepdims: bool = False) -> Tensor:
        return self._reduce("MIN", axis, keepdims)

    def prod(self, axis: Union[int, Sequence[int], None] = None, keepdims: bool = False) -> Tensor:
        return self._reduce("MUL", axis, keepdims)

    def mean(self, axis: Union[int, Sequence[int], None] = None, keepdims: bool = False) -> Tensor:
        out = self._reduce("ADD", axis, keepdims)
        return out / float(self.size // out.size) if out.size else out


_OPERATORS = {
    "add": "ADD", "sub": "SUBTRACT", "mul": "MULTIPLY", "truediv": "DIVIDE", "mod": "REMAINDER", "pow": "POWER", "lshift": "SHIFT_LEFT", "rshift": "SHIFT_RIGHT_SIGN_EXTEND",
}
_BITS = {"and": ("LOGICAL_AND", "BITWISE_AND"), "or": ("LOGICAL_OR", "BITWISE_OR"), "xor": ("NOT_EQUAL", "BITWISE_XOR")}


def _make_operator(name, choose):
    def forward(self, other):
        return self._binary(choose(self), other)

    def backward(self, other):
        return self._binary(choose(self), other, swapped=True)

    def in_place(self, other):
        return self._binary(choose(self), other, in_place=True)

    setattr(Tensor, "__%s__" % name, forward)
    setattr(Tensor, "__r%s__" % name, backward)
    setattr(Tensor, "__i%s__" % name, in_place)


for _name, _operator in _OPERATORS.items():
    _make_operator(_name, lambda tensor, operator=_operator: operator)
for _name, _pair in _BITS.items():
    _make_operator(_name, lambda tensor, pair=_pair: pair[0 if tensor.type.name == "BOOL" else 1])
for _name, _operator in {"lt": "LESS_THAN", "le": "LESS_THAN_EQUAL", "gt": "GREATER_THAN", "ge": "GREATER_THAN_EQUAL"}.items():
    setattr(Tensor, "__%s__" % _name, lambda self, other, operator=_operator: self._binary(operator, other))


def concat(tensors: Iterable[Tensor], axis: int = 0) -> Tensor:
    """The tensors one after the other along a dimension: a view."""
    tensors = list(tensors)
    if not tensors:
        raise ValueError("concat of no tensors: the result would have no type")
    graph = tensors[0].graph
    handle = graph.call("pop_tensor_concat", _native.tensor_list(tensors), axis % tensors[0].ndim)
    return Tensor(graph, handle)
