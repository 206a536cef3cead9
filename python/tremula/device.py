# SPDX-License-Identifier: Apache-2.0
"""Devices: modelled IPUs, and the host's processor."""

from __future__ import annotations

import ctypes
from typing import Any, Mapping, Optional

from . import _native

Options = Optional[Mapping[str, object]]
_CModel = _native.type_of("pop_ipu_model")
_CTarget = _native.type_of("pop_target")


class Target:
    """The description of a machine; the attributes are those of pop_target (num_ipus, tiles_per_ipu, bytes_per_tile, ...)."""

    def __init__(self, address, owner):
        self._fields = ctypes.cast(address, ctypes.POINTER(_CTarget))
        self._owner = owner  # keeps the memory

    def __getattr__(self, name):
        try:
            value = getattr(self._fields.contents, name)
        except AttributeError:
            raise AttributeError("a target has no %r (it has %s)" % (name, ", ".join(field for field, _ in _CTarget._fields_))) from None
        return value.decode() if isinstance(value, bytes) else value

    def __dir__(self):
        return [name for name, _ in _CTarget._fields_]

    @property
    def address(self):
        return ctypes.cast(self._fields, ctypes.c_void_p)

    @property
    def tiles(self) -> int:
        """Tiles of all IPUs."""
        return self.num_ipus * self.tiles_per_ipu

    def __repr__(self) -> str:
        return "Target(%s, %d IPU%s of %d tiles, %d bytes a tile)" % (self.system, self.num_ipus, "" if self.num_ipus == 1 else "s", self.tiles_per_ipu, self.bytes_per_tile)


class Device:
    """A device that engines run on: see IPUModel and CPU."""

    def __init__(self, handle):
        self._handle = handle

    def __del__(self):
        if getattr(self, "_handle", None):
            _native.function("pop_device_destroy")(self._handle)
            self._handle = None

    @property
    def handle(self):
        return self._handle

    @property
    def target(self) -> Target:
        return Target(_native.function("pop_device_target")(self._handle), self)

    def __repr__(self) -> str:
        return "Device(%r)" % self.target


def _made(name, *arguments):
    failure = _native.CError()
    handle = _native.function(name)(*arguments, _native.byref(failure))
    if not handle:
        _native.raise_error(failure)
    return Device(handle)


def IPUModel(version: str = "ipu2", options: Options = None, **fields: Any) -> Device:
    """A modelled IPU: version "ipu1", "ipu2", "ipu21" or "bow", and any field of Poplar's IPUModel under its C name, such as num_ipus, tiles_per_ipu or
    memory_bytes_per_tile.  `options` are target options (docs/reference/options.md)."""
    model = _CModel(version=version.encode())
    known = {name for name, _ in _CModel._fields_}
    for name, value in fields.items():
        if name not in known:
            import difflib

            near = [field for field in sorted(known) if name in field] or difflib.get_close_matches(name, known, 3)
            raise TypeError("IPUModel has no field %r (%s)" % (name, "did you mean %s?" % " or ".join(near) if near else "it has " + ", ".join(sorted(known))))
        setattr(model, name, value)
    return _made("pop_ipu_model_create_device_options", _native.byref(model), _native.options(options))


def CPU() -> Device:
    """The host's processor: one tile, no model of time."""
    return _made("pop_cpu_device_create")
