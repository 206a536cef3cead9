# SPDX-License-Identifier: Apache-2.0
"""Graph programs for tiled processors: build, run on a modelled IPU or the CPU, and see the cycles of every tile.

    import numpy as np
    import tremula as tm

    graph = tm.Graph(tm.IPUModel())
    a = graph.host_access(graph.variable(np.float32, (64, 64)).map_linearly(), "a")
    with graph.sequence() as main:
        graph.host_read(a @ a + 1.0, "out")
    engine = tm.Engine(graph, main)
    engine["a"] = np.eye(64)
    print(engine.run()["out"], engine.cycles)

`tremula.popops`, `poplin`, `popnn`, `poprand`, `poputil` and `gcl` hold the operations under their C names without the prefix; help() of one shows its
shapes and options.  `tremula.onnx` loads ONNX models.  `engine.report()` is a report of the module `pva`.
"""

import importlib as _importlib
import sys as _sys

from . import types as _types
from . import _native, _table
from ._native import Error
from .device import CPU, Device, IPUModel, Target
from .engine import Cycles, Engine
from .graph import ComputeSet, Graph, Program, Stream
from .operations import Library as _Library
from .tensor import Tensor, concat

for _name in ("poplin", "popnn", "popops", "poprand", "poputil", "gcl"):
    _texts = [text for header, text in _table.HEADERS.items() if header.startswith(_name + "/")]
    globals()[_name] = _sys.modules["tremula." + _name] = _Library(_name, "Operations of lib%s." % _name)
globals().update(_types.ALL)
Type = _types.Type


def __getattr__(name):
    """Exception classes by name: tremula.InvalidTileMapping; tremula.onnx when it is first used, since it loads a library of its own."""
    if name == "onnx":
        return _importlib.import_module("tremula.onnx")
    for status in _table.ENUMS["pop_status"].values():
        if status and status != _table.CONSTANTS["POP_STATUS_COUNT"] and _native.error_class(status).__name__ == name:
            return _native.error_class(status)
    raise AttributeError("module 'tremula' has no %r" % name)


def version():
    """The version of the libraries."""
    return _native.function("pop_version_string")().decode()
