# SPDX-License-Identifier: Apache-2.0
"""The operation libraries as Python modules, made from the table of the C interface.

A function keeps its C name without the library's prefix, and its arguments in their order, except that

  graph, sequence, cache and the caller's place    are the current ones;
  name and options                                 are keyword arguments with defaults, options a dictionary;
  results that C returns through pointers          are returned (a tuple, if there are several);
  shapes and dimensions                            are tuples, types NumPy's or names, enumerators their names ("ADD");
  structures                                       are dictionaries, or objects of the class with the C name.
"""

import ctypes
import functools
import types as modules

import numpy as np

from . import _native, _table, graph as graphs, signatures, types
from .tensor import Tensor

_COperand = _native.type_of("popops_operand")


class Structure:
    """A value of a structure of the C interface: attributes are its fields."""

    def __init__(self, name, value, graph=None, keep=None):
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_value", value)
        object.__setattr__(self, "_graph", graph)
        object.__setattr__(self, "_keep", keep or {})

    def _kinds(self):
        return dict(_table.STRUCTS[self._name])

    def __getattr__(self, field):
        kinds = self._kinds()
        if field not in kinds:
            raise AttributeError("%s has no field %r (it has %s)" % (self._name, field, ", ".join(kinds)))
        if field in self._keep:
            return self._keep[field]
        return to_python(self._graph, kinds[field], getattr(self._value, field))

    def __setattr__(self, field, value):
        kinds = self._kinds()
        if field not in kinds:
            raise AttributeError("%s has no field %r (it has %s)" % (self._name, field, ", ".join(kinds)))
        if isinstance(value, Tensor):
            object.__setattr__(self, "_graph", value.graph)
        converted = to_c(self._graph, kinds[field], value)
        self._keep[field] = value
        self._keep[field + " "] = converted  # what a pointer in it refers to
        setattr(self._value, field, converted)

    def __dir__(self):
        return list(self._kinds())

    def __repr__(self):
        return "%s(%s)" % (self._name, ", ".join("%s=%r" % (field, getattr(self, field)) for field in self._kinds()))


def structure(name, graph=None, **fields):
    made = Structure(name, _native.type_of(name)(), graph)
    for field, value in fields.items():
        setattr(made, field, value)
    return made


def enumerator(kind, value):
    """A number of an enumeration: from a number, or a name with or without the prefix that the names share."""
    if not isinstance(value, str):
        return int(value)
    rows = _table.ENUMS[kind]
    wanted = value.upper()
    found = [number for name, number in rows.items() if name == wanted or name.endswith("_" + wanted)]
    exact = [number for name, number in rows.items() if name == (kind + "_" + wanted).upper() or name == wanted]
    if exact or len(set(found)) == 1:
        return (exact or found)[0]
    prefix = len(_common_prefix(list(rows)))
    for name, number in rows.items():
        if name[prefix:] == wanted:
            return number
    raise ValueError("%r is none of %s" % (value, ", ".join(name[prefix:] for name in rows)))


def _common_prefix(names):
    first, last = min(names), max(names)
    length = 0
    while length < min(len(first), len(last)) and first[length] == last[length]:
        length += 1
    return first[: first.rfind("_", 0, length) + 1]


def operand(value):
    if isinstance(value, Tensor):
        return _COperand(value.handle)
    if isinstance(value, (bool, np.bool_, int, np.integer)):
        return _native.function("popops_operand_of_int")(int(value))
    if isinstance(value, (float, np.floating)):
        return _native.function("popops_operand_of_double")(float(value))
    shown = "an array of shape %s" % (value.shape,) if isinstance(value, np.ndarray) else repr(value)
    raise TypeError("an operand is a tensor or a number, not %s; graph.constant(array) makes a tensor of an array" % shown)


def to_c(graph, kind, value):
    """A Python value as an argument of a C type."""
    base = kind.replace("const ", "").strip()
    if base == "pop_tensor":
        if not isinstance(value, Tensor):
            if value is None:
                return _native.CTensor()
            raise TypeError("a tensor is needed, not %r; graph.constant(value) makes one" % (value,))
        return value.handle
    if base == "popops_operand":
        return operand(value)
    if base == "pop_type":
        return 0 if value is None else types.of(value)
    if base == "pop_shape":
        return _native.shape(tuple(value) if not isinstance(value, int) else (value,))
    if base == "pop_dims":
        return _native.dims(value)
    if base == "pop_tensors":
        return _native.tensor_list(list(value))
    if base == "pop_options":
        return _native.options(value)
    if base == "char *":
        return None if value is None else value.encode()
    if base == "pop_program":
        return value.handle
    if base == "pop_compute_set":
        return value.handle
    if base in _table.ENUMS:
        return enumerator(base, value)
    if base in _table.STRUCTS:
        return _struct(graph, base, value)
    if kind.startswith("const ") and base.endswith(" *"):
        inner = base[:-2]
        if value is None:
            return None
        if inner == "pop_tensor":
            return _native.address(ctypes.pointer(value.handle))
        if inner in _table.STRUCTS:
            return _native.address(ctypes.pointer(_struct(graph, inner, value)))
        if inner == "pop_target":
            return value.address
    if base.endswith("*"):
        return value
    return value


def _struct(graph, name, value):
    if isinstance(value, Structure):
        return value._value
    if isinstance(value, dict):
        made = structure(name, graph, **value)
        made._value.keep = made
        return made._value
    if isinstance(value, ctypes.Structure):
        return value
    fields = _table.STRUCTS[name]
    if isinstance(value, (tuple, list)) and len(value) <= len(fields):
        return _struct(graph, name, {field: item for (field, _), item in zip(fields, value)})
    if len(fields) and name == "popops_reduce_params" and isinstance(value, str):
        return _struct(graph, name, {"op": value})
    raise TypeError("%s is a dictionary of %s, not %r" % (name, ", ".join(field for field, _ in fields), value))


def to_python(graph, kind, value):
    """A C result as a Python value."""
    base = kind.replace("const ", "").strip()
    if base == "pop_tensor":
        return Tensor(graph, value) if value.store else None
    if base == "pop_program":
        return graphs.Program(graph, value)
    if base == "pop_compute_set":
        return graphs.ComputeSet(graph, value)
    if base == "pop_type":
        return types.by_number(value)
    if base in _table.STRUCTS:
        return Structure(base, value, graph)
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return value


def make(name):
    """The Python function of a C function."""
    row = _table.FUNCTIONS[name]
    header, symbol, result, rows, text = row
    library = header.partition("/")[0]
    parameters, signature = signatures.of(row)
    short = name[len(library) + 1 :]

    def call(*arguments, **keywords):
        try:
            bound = signature.bind(*arguments, **keywords)
        except TypeError as problem:
            raise TypeError("%s.%s%s: %s" % (library, short, signature, problem)) from None
        bound.apply_defaults()
        given = bound.arguments
        graph = given.get("graph") or _graph_of(given.values())
        failure, results, converted, keep = None, [], [], []
        for p in parameters:
            if p.kind == "pop_where":
                converted.append(_native.here())
            elif p.kind in ("pop_graph *", "const pop_graph *"):
                if graph is None:
                    raise TypeError("%s.%s: no argument is a tensor, so name the graph: graph=..." % (library, short))
                converted.append(graph.handle)
            elif p.caller and p.kind == "pop_program":
                converted.append((given.get("program") or graph.current()).handle)
            elif p.kind == "poplin_planning_cache *":
                converted.append(graph.cache if graph else None)
            elif p.kind == "pop_error *":
                failure = _native.CError()
                converted.append(_native.byref(failure))
            elif p.result:
                place = _native.type_of(p.kind[:-2])()
                results.append((p.kind[:-2], place))
                converted.append(_native.byref(place))
            elif p.inout:
                tensors = given[p.name]
                array = (_native.CTensor * max(len(tensors), 1))(*[t.handle if t is not None else _native.CTensor() for t in tensors])
                results.append(("pop_tensor []", (array, len(tensors))))
                converted.append(_native.address(array))
            else:
                value = to_c(graph, p.kind, given[p.name])
                keep.append(value)
                converted.append(value)
        value = _native.function(name)(*converted)
        if result == "pop_status" and failure is not None:
            _native.check(value, failure)
        if graph is not None:
            graph.check()
        out = [to_python(graph, kind, place) if kind != "pop_tensor []" else [Tensor(graph, place[0][i]) for i in range(place[1])] for kind, place in results]
        if result not in ("void", "pop_status") and not (result == "_Bool" and out):
            out.insert(0, to_python(graph, result, value))
        return out[0] if len(out) == 1 else tuple(out) if out else None

    call.__name__ = call.__qualname__ = short
    call.__signature__ = signature
    call.__doc__ = _documentation(name, row, parameters)
    call.__module__ = "tremula." + library
    return call


def _graph_of(values):
    for value in values:
        if isinstance(value, Tensor):
            return value.graph
        if isinstance(value, (list, tuple)):
            found = _graph_of(value)
            if found:
                return found
        if isinstance(value, dict):
            found = _graph_of(value.values())
            if found:
                return found
        if isinstance(value, Structure) and value._graph is not None:
            return value._graph
    return graphs.current_graph()


def _documentation(name, row, parameters):
    header, symbol, result, rows, text = row
    lines = [text] if text else []
    returned = ([result] if result not in ("void", "pop_status") else []) + ["%s %s" % (p.kind[:-2], p.name) for p in parameters if p.result]
    if returned:
        lines.append("Returns " + ", ".join(returned) + ".")
    lines.append("C: %s(%s), <%s>." % (name, ", ".join("%s %s" % (kind, field) for field, kind in rows if kind != "pop_where"), header))
    introduction = _table.HEADERS.get(header)
    if introduction:
        lines.append("---- <%s> ----\n%s" % (header, introduction))
    return "\n\n".join(lines)


def _operator(name):
    """An element-wise operator by its name: add(a, b), add_in_place(a, b), add_with_output(a, b, out)."""
    for form in ("", "_in_place", "_with_output"):
        base = name[: len(name) - len(form)] if form else name
        if (not form or name.endswith(form)) and base in _table.OPERATORS:
            kind, constant = _table.OPERATORS[base]
            whole = make("popops_" + kind + form)
            made = functools.partial(whole, _table.CONSTANTS[constant])
            made.__name__ = name
            signature = whole.__signature__
            made.__signature__ = signature.replace(parameters=[p for p in signature.parameters.values() if p.name != "op"])
            made.__doc__ = "The element-wise operator %s.\n\n%s" % (base, _table.HEADERS["popops/element_wise.h"])
            return made
    return None


def reduce(in_, dims=None, params="ADD", out_type=None, options=None, name="", *, program=None, graph=None):
    """Reduces over dims (None: all).  params is an operation's name, or {"op": ..., "update": ..., "scale": ...}; see popops_reduce in <popops/reduce.h>."""
    dims = range(in_.ndim) if dims is None else (dims,) if isinstance(dims, int) else dims
    return make_cached("popops_reduce")(in_, out_type, tuple(d % in_.ndim for d in dims), params, name, options, program=program, graph=graph)


@functools.lru_cache(None)
def make_cached(name):
    return make(name)


class Library(modules.ModuleType):
    """A library as a module: functions and structures are made when they are first used."""

    def __init__(self, name, text):
        super().__init__("tremula." + name, text)
        self.__library = name
        self.__path__ = []
        if name == "popops":
            self.reduce = reduce

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        library = self.__library
        prefix = "pop_" if library == "poplar" else library + "_"
        whole = prefix + name
        if whole in _table.FUNCTIONS:
            value = make_cached(whole)
        elif whole in _table.STRUCTS:
            value = functools.partial(structure, whole)
        elif library == "popops" and _operator(name):
            value = _operator(name)
        else:
            import difflib

            near = difflib.get_close_matches(name, self.__dir__(), 3)
            raise AttributeError("tremula.%s has no %r%s" % (library, name, "; did you mean %s?" % " or ".join(near) if near else ""))
        setattr(self, name, value)
        return value

    def __dir__(self):
        prefix = "pop_" if self.__library == "poplar" else self.__library + "_"
        names = [name[len(prefix) :] for name in list(_table.FUNCTIONS) + list(_table.STRUCTS) if name.startswith(prefix) and "_part" not in name]
        if self.__library == "popops":
            names += [base + form for base in _table.OPERATORS for form in ("", "_in_place", "_with_output")]
        return sorted(set(names))
