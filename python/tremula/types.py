# SPDX-License-Identifier: Apache-2.0
"""Element types: names of the C++ interface, and the NumPy types that hold their values."""

from typing import Any

import numpy as np

from . import _native, _table

_PREFIX = "POP_"
_NUMPY = {
    "BOOL": np.bool_, "CHAR": np.int8, "SIGNED_CHAR": np.int8, "UNSIGNED_CHAR": np.uint8, "SHORT": np.int16, "UNSIGNED_SHORT": np.uint16, "INT": np.int32,
    "UNSIGNED_INT": np.uint32, "LONGLONG": np.int64, "UNSIGNED_LONGLONG": np.uint64, "HALF": np.float16, "FLOAT": np.float32, "DOUBLE": np.float64,
    "QUARTER": np.uint8, "QUARTER_METADATA": np.uint8,
}
_SYNONYMS = {"half": "HALF", "float": "FLOAT", "int": "INT", "unsigned": "UNSIGNED_INT", "bool": "BOOL", "double": "DOUBLE"}


class Type(int):
    """An element type of devices; `numpy` is the NumPy type of its values."""

    name: str
    numpy: Any

    def __new__(cls, name):
        value = super().__new__(cls, _table.CONSTANTS[_PREFIX + name])
        value.name = name
        value.numpy = np.dtype(_NUMPY[name]) if name in _NUMPY else None
        return value

    @property
    def size(self):
        """Bytes of an element on the device."""
        return _native.function("pop_type_size")(self)

    def __repr__(self):
        return "tremula." + self.name


ALL = {name[len(_PREFIX) :]: Type(name[len(_PREFIX) :]) for name in _table.ENUMS["pop_type"] if name not in ("POP_TYPE_NULL", "POP_TYPE_COUNT")}
_BY_NUMBER = {int(value): value for value in ALL.values()}
# The types that NumPy's types become: signed char and char have one NumPy type.
_BY_NUMPY = {np.dtype(_NUMPY[name]): ALL[name] for name in reversed(list(_NUMPY)) if name in ALL}
_BY_NUMPY[np.dtype(np.int8)] = ALL["SIGNED_CHAR"]


def by_number(number):
    return _BY_NUMBER.get(number)


def of(what):
    """The element type of a name ("float", "HALF"), a NumPy type, or an element type."""
    if isinstance(what, Type):
        return what
    if isinstance(what, str):
        name = _SYNONYMS.get(what, what.upper().replace(" ", "_"))
        if name in ALL:
            return ALL[name]
    try:
        return _BY_NUMPY[np.dtype(what)]
    except (TypeError, KeyError):
        raise _native.error_class(_table.CONSTANTS["POP_TYPE_ERROR"])("%r is no element type (float, half, int, unsigned int, bool, ... or a NumPy type)" % (what,)) from None
