# SPDX-License-Identifier: Apache-2.0
"""The objects of files, read by ctypes: for every Python, where the extension module pva_core was not built for it.

Names are those of pva_core (python/pva_core/module.cpp); the package adds the rest to both."""

import ctypes
import os
from collections.abc import Sequence

from .errors import Error


class _Handle(ctypes.Structure):
    """pva_object."""

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


def _declare(name, result, *arguments):
    function = getattr(_lib, name)
    function.restype = result
    function.argtypes = arguments
    return function


_open_report = _declare("pva_open_report", ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p)
_open_trace = _declare("pva_open_trace", ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_close = _declare("pva_close", None, ctypes.c_void_p)
_root = _declare("pva_root", _Handle, ctypes.c_void_p)
_failed = _declare("pva_failed", ctypes.c_bool, ctypes.c_void_p)
_take_error = _declare("pva_take_error", ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_uint = _declare("pva_uint", ctypes.c_uint64, _Handle, ctypes.c_int)
_real = _declare("pva_real", ctypes.c_double, _Handle, ctypes.c_int)
_text = _declare("pva_text", ctypes.c_size_t, _Handle, ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t)
_get = _declare("pva_get", _Handle, _Handle, ctypes.c_int)
_count = _declare("pva_count", ctypes.c_uint64, _Handle, ctypes.c_int)
_at = _declare("pva_at", _Handle, _Handle, ctypes.c_int, ctypes.c_uint64)
_numbers = _declare("pva_numbers", ctypes.c_uint64, _Handle, ctypes.c_int, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_void_p)
_ask = _declare("pva_ask", _Handle, _Handle, ctypes.c_int, ctypes.c_uint64)
_peak_tile = _declare("pva_peak_tile", _Handle, ctypes.c_void_p)
_longest_steps = _declare("pva_longest_steps", ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
_worst_step = _declare("pva_worst_liveness_step", _Handle, ctypes.c_void_p)
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


class List:
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


def _wrap(file, handle):
    file.check()
    return _by_number[handle.type](file, handle) if handle.type else None


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
    made, number = {}, 0
    while True:
        of = _property_class(number)
        if not of:
            return made
        if of not in made:
            made[of] = type(_class_name(of).decode(), (Object,), {"_properties": {}})
        name, kind = _property_name(number).decode(), _property_kind(number)
        made[of]._properties[name] = (number, kind)
        setattr(made[of], name, _property(number, kind, _property_text(number).decode()))
        number += 1


_by_number = _make_classes()
classes = list(_by_number.values())


def program_types():
    names = []
    while True:
        name = _program_type_name(len(names)).decode()
        names.append(name)
        if name == "Unknown":
            return names


def open_report(path, debug):
    file = _File(_open_report, path, debug)
    return _wrap(file, _root(file.handle))


def open_trace(path):
    file = _File(_open_trace, path)
    return _wrap(file, _root(file.handle))


def ask(self, query, number):
    return _wrap(self._file, _ask(self._handle, query, number))


def peak_tile(report):
    return _wrap(report._file, _peak_tile(report._file.handle))


def worst_liveness_step(report):
    return _wrap(report._file, _worst_step(report._file.handle))


def longest_steps(report, count):
    found = (_Handle * count)()
    number = _longest_steps(report._file.handle, found, count)
    report._file.check()
    return [_wrap(report._file, _Handle.from_buffer_copy(found[i])) for i in range(number)]


Sequence.register(List)
