# SPDX-License-Identifier: Apache-2.0
"""The C interface under ctypes: libraries, types, errors and the caller's place, all from the table that declarations.py makes."""

import ctypes
import os
import re
import sys

from . import _table

_HERE = os.path.dirname(os.path.abspath(__file__))
_BASIC = {
    "_Bool": ctypes.c_bool, "char": ctypes.c_char, "signed char": ctypes.c_byte, "unsigned char": ctypes.c_ubyte, "short": ctypes.c_short, "unsigned short": ctypes.c_ushort,
    "int": ctypes.c_int, "unsigned": ctypes.c_uint, "unsigned int": ctypes.c_uint, "long": ctypes.c_long, "unsigned long": ctypes.c_ulong, "long long": ctypes.c_longlong,
    "unsigned long long": ctypes.c_ulonglong, "float": ctypes.c_float, "double": ctypes.c_double, "size_t": ctypes.c_size_t, "uint8_t": ctypes.c_uint8,
    "uint16_t": ctypes.c_uint16, "uint32_t": ctypes.c_uint32, "uint64_t": ctypes.c_uint64, "int8_t": ctypes.c_int8, "int16_t": ctypes.c_int16, "int32_t": ctypes.c_int32,
    "int64_t": ctypes.c_int64,
}
_types = {}


def type_of(text):
    """The ctypes type of a type of the table; None for void.  Pointers to anything but text are plain addresses."""
    found = _types.get(text)
    if found is None and text not in _types:
        found = _types[text] = _make_type(text)
    return found


def _make_type(text):
    array = re.match(r"(.*) \[(\d+)\]$", text)
    if array:
        return type_of(array.group(1)) * int(array.group(2))
    base = text.replace("const ", "").replace(" const", "").strip()
    if base.endswith("*"):
        return ctypes.c_char_p if text == "const char *" else ctypes.c_void_p
    if base == "void":
        return None
    if base in _BASIC:
        return _BASIC[base]
    if base in _table.ENUMS:
        return ctypes.c_int
    if base in _table.ALIASES:
        return type_of(_table.ALIASES[base])
    if base in _table.CALLBACKS or base.startswith("callback "):
        return ctypes.c_void_p
    for rows, kind in ((_table.STRUCTS, ctypes.Structure), (_table.UNIONS, ctypes.Union)):
        if base in rows:
            return type(base, (kind,), {"_fields_": [(name, type_of(field)) for name, field in rows[base]]})
    raise TypeError("the C interface has no type %r" % text)


def callback_type(name):
    """The ctypes function type of a callback of the table."""
    result, parameters = _table.CALLBACKS[name]
    return ctypes.CFUNCTYPE(type_of(result), *[type_of(kind) for _, kind in parameters])


# ---- libraries ----


def _places(name):
    file, versioned = "lib%s.so" % name, "lib%s.so.0" % name
    folder = os.environ.get("TREMULA_LIBRARIES")  # for tests and builds that are not installed
    if folder:
        yield os.path.join(folder, file)
    yield os.path.join(_HERE, "prefix", "lib", versioned)  # a wheel
    yield os.path.normpath(os.path.join(_HERE, "..", "..", "lib", file))  # an installation
    yield versioned
    yield file


def _load(name):
    problems = []
    for place in _places(name):
        if os.sep in place and not os.path.exists(place):
            continue
        try:
            return ctypes.CDLL(place, mode=ctypes.RTLD_GLOBAL)
        except OSError as problem:
            problems.append(str(problem))
    raise ImportError("lib%s.so was not found; TREMULA_LIBRARIES can name its directory%s" % (name, "".join("\n  " + text for text in problems)))


_libraries = {}


def library(name):
    if name not in _libraries:
        _libraries[name] = _load(name)
    return _libraries[name]


_functions = {}


def function(name):
    """A function by the name that C programs use; `_at` forms take the caller's place first."""
    found = _functions.get(name)
    if found is None:
        row = _table.FUNCTIONS.get(name)
        if row is None:
            raise AttributeError("the C interface has no function %r" % name)
        header, symbol, result, parameters, _ = row
        home = {"tremula/onnx.h": "tremula_onnx"}.get(header) or header.partition("/")[0]
        found = getattr(library(home), symbol)
        found.restype = type_of(result)
        found.argtypes = [type_of(kind) for _, kind in parameters]
        _functions[name] = found
    return found


# ---- values that many calls take ----

SIZE, BOOL = ctypes.c_size_t, ctypes.c_bool
byref = ctypes.byref
text_buffer = ctypes.create_string_buffer


def address(array):
    """The address of a ctypes array, which the caller keeps."""
    return ctypes.cast(array, ctypes.c_void_p)


Where = type_of("pop_where")
CTensor = type_of("pop_tensor")
CError = type_of("pop_error")
CShape = type_of("pop_shape")
CDims = type_of("pop_dims")
COptions = type_of("pop_options")
COption = type_of("pop_option")
_files = {}  # texts that pop_where points to live as long as the process
_PACKAGE = _HERE + os.sep


def here():
    """The line of the program that called the package: errors and reports name it."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    if frame is None:
        return Where(None, 0, 0)
    name = frame.f_code.co_filename
    file = _files.get(name)
    if file is None:
        file = _files[name] = name.encode()
    return Where(file, frame.f_lineno, 0)


def shape(dims):
    array = (ctypes.c_size_t * len(dims))(*dims)
    value = CShape(len(dims), ctypes.cast(array, ctypes.c_void_p))
    value.keep = array
    return value


def dims(numbers):
    numbers = (numbers,) if isinstance(numbers, int) else tuple(numbers)
    array = (ctypes.c_uint * len(numbers))(*numbers)
    value = CDims(len(numbers), ctypes.cast(array, ctypes.c_void_p))
    value.keep = array
    return value


def option_text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def options(mapping):
    pairs = [(str(key).encode(), option_text(value).encode()) for key, value in (mapping or {}).items()]
    array = (COption * len(pairs))(*pairs)
    value = COptions(ctypes.cast(array, ctypes.c_void_p), len(pairs))
    value.keep = (array, pairs)
    return value


def tensor_list(tensors):
    """A pop_tensors of tensors."""
    array = (CTensor * len(tensors))(*[tensor.handle for tensor in tensors])
    value = type_of("pop_tensors")(len(tensors), address(array))
    value.keep = array
    return value


CInterval = type_of("pop_interval")
CIntervalLists = type_of("pop_interval_lists")


def empty_interval_lists():
    return CIntervalLists(0, None, None)


def interval_lists(lists):
    """A pop_interval_lists of lists of (begin, end)."""
    first = [0]
    for pairs in lists:
        first.append(first[-1] + len(pairs))
    starts = (SIZE * len(first))(*first)
    intervals = (CInterval * first[-1])(*[pair for pairs in lists for pair in pairs])
    value = CIntervalLists(len(lists), address(starts), address(intervals))
    value.keep = (starts, intervals)
    return value


def read_interval_lists(lists):
    """list number -> [(begin, end)] for the lists that are not empty."""
    if not lists.count:
        return {}
    first = (SIZE * (lists.count + 1)).from_address(lists.first)
    intervals = (CInterval * first[lists.count]).from_address(lists.intervals) if first[lists.count] else ()
    return {i: [(intervals[k].begin, intervals[k].end) for k in range(first[i], first[i + 1])] for i in range(lists.count) if first[i] < first[i + 1]}


# ---- errors ----


class Error(RuntimeError):
    """What went wrong.  `kind` is Poplar's name of it, such as "invalid_tile_mapping"; `file` and `line` are the call's, `api` the C call and `path` the
    debug name of the object concerned, where they are known."""

    kind = "poplar_error"

    def __init__(self, text, file=None, line=0, api="", path=""):
        super().__init__(text)
        self.file, self.line, self.api, self.path = file, line, api, path


def _class_name(kind):
    return "".join(word[:1].upper() + word[1:] for word in kind.split("_"))


_error_classes = {}


def error_class(status):
    """The exception class of a status: InvalidTileMapping for invalid_tile_mapping, a subclass of the class of its base."""
    found = _error_classes.get(status)
    if found is None:
        kind = function("pop_status_name")(status).decode()
        base = function("pop_status_base")(status)
        parent = error_class(base) if base else Error
        if kind == "poplar_error":
            found = Error
        else:
            found = type(_class_name(kind), (parent,), {"kind": kind, "__doc__": "An error of kind %s." % kind, "__module__": "tremula"})
        _error_classes[status] = found
    return found


def raise_error(failure):
    text = failure.text.decode(errors="replace") or function("pop_status_name")(failure.status).decode()
    file = failure.where.file.decode(errors="replace") if failure.where.file else None
    place = "\n  at %s:%d" % (file, failure.where.line) if file else ""
    raise error_class(failure.status)(text + place, file, failure.where.line, failure.api.decode(), failure.path.decode(errors="replace"))


def check(status, failure):
    if status:
        raise_error(failure)
