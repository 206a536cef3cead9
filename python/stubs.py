#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stubs.py PACKAGE: writes PACKAGE/popops.pyi and so on, what type checkers and editors know of the libraries' functions, from PACKAGE/_table.py."""

import inspect
import os
import sys

PLAIN = {"pop_tensor": "Tensor", "popops_operand": "Operand", "pop_type": "DType", "pop_shape": "Shape", "pop_dims": "Shape", "pop_tensors": "Sequence[Tensor]",
         "pop_options": "Optional[Mapping[str, object]]", "_Bool": "bool", "float": "float", "double": "float", "const char *": "str", "pop_program": "Program",
         "const pop_tensor *": "Optional[Tensor]", "pop_compute_set": "ComputeSet", "void": "None"}
# Functions that operations.py writes itself.
WRITTEN = {"popops_reduce": "def reduce(in_: Tensor, dims: Optional[Shape] = ..., params: Any = ..., out_type: DType = ..., options: Optional[Mapping[str, object]] = ..., "
                            "name: str = ..., *, program: Optional[Program] = ..., graph: Optional[Graph] = ...) -> Tensor: ...\n"}
HEAD = """# SPDX-License-Identifier: Apache-2.0
from typing import Any, Mapping, Optional, Sequence, Tuple, Union
from .graph import ComputeSet, Graph, Program
from .tensor import Tensor
Operand = Union[Tensor, int, float]
Shape = Union[int, Sequence[int]]
DType = Any
"""
# `import x as x` hands a name on.
INIT = """# SPDX-License-Identifier: Apache-2.0
from . import %s, onnx as onnx
from ._native import Error as Error
from .device import CPU as CPU, Device as Device, IPUModel as IPUModel, Target as Target
from .engine import Cycles as Cycles, Engine as Engine
from .graph import ComputeSet as ComputeSet, Graph as Graph, Program as Program, Stream as Stream
from .tensor import Tensor as Tensor, concat as concat
from .types import Type as Type

def version() -> str: ...

"""


def python_type(kind, table):
    base = kind.replace("const ", "").replace(" *", "").strip()
    if kind in PLAIN:
        return PLAIN[kind]
    if base in table.ENUMS:
        return "Union[str, int]"
    if "int" in base or base in ("size_t", "unsigned", "long", "long long", "unsigned long long", "ptrdiff_t"):
        return "int"
    return "Any"


def result_type(row, parameters, table):
    results = [] if row[2] in ("void", "pop_status") else [python_type(row[2], table)]
    results += [python_type(p.kind[:-2], table) for p in parameters if p.result]
    results += ["Sequence[Tensor]" for p in parameters if p.inout]
    if row[2] == "_Bool" and len(results) > 1:
        results = results[1:]
    return results[0] if len(results) == 1 else "Tuple[%s]" % ", ".join(results) if results else "None"


def stub(name, row, kinds, signature, parameters, table):
    arguments, star = [], False
    for p in signature.parameters.values():
        if p.kind == inspect.Parameter.KEYWORD_ONLY and not star:
            arguments.append("*")
            star = True
        kind = {"program": "Optional[Program]", "graph": "Optional[Graph]"}.get(p.name) if p.kind == inspect.Parameter.KEYWORD_ONLY else python_type(kinds[p.name], table)
        arguments.append("%s: %s%s" % (p.name, kind, "" if p.default is inspect.Parameter.empty else " = ..."))
    text = row[4].replace("\\", "\\\\").replace('"', '\\"').split("\n\n")[0]
    return 'def %s(%s) -> %s:\n    """%s"""\n    ...\n' % (name, ", ".join(arguments), result_type(row, parameters, table), text)


def whole(table, libraries):
    """The stub of the package: its element types and its exceptions have no line in __init__.py."""
    types = [name[len("POP_") :] for name in table.ENUMS["pop_type"] if name not in ("POP_TYPE_NULL", "POP_TYPE_COUNT")]
    kinds = [name[len("POP_") :] for name, status in table.ENUMS["pop_status"].items() if status and name not in ("POP_STATUS_COUNT", "POP_POPLAR_ERROR")]
    classes = ["".join(word.capitalize() for word in kind.split("_")) for kind in kinds]
    return INIT % ", ".join("%s as %s" % (name, name) for name in libraries) + "".join("%s: Type\n" % name for name in types) + "".join(
        "\nclass %s(Error): ...\n" % name for name in classes)


def main(package):
    sys.path.insert(0, package)
    import _table as table
    import signatures

    texts = {}
    for name, row in table.FUNCTIONS.items():
        library = row[0].partition("/")[0]
        if library in ("poplar", "tremula") or not name.startswith(library + "_"):
            continue
        if name in WRITTEN:
            texts.setdefault(library, []).append(WRITTEN[name])
            continue
        parameters, signature = signatures.of(row)
        kinds = {p.name: p.kind for p in parameters}
        texts.setdefault(library, []).append(stub(name[len(library) + 1 :], row, kinds, signature, parameters, table))
    operands = {"unary": "a: Tensor", "binary": "a: Operand, b: Operand", "ternary": "a: Operand, b: Operand, c: Operand"}
    for name, (kind, _) in table.OPERATORS.items():
        for form, more, result in (("", "", "Tensor"), ("_in_place", "", "None"), ("_with_output", ", out: Tensor", "None")):
            texts["popops"].append('def %s%s(%s%s, name: str = ..., *, program: Optional[Program] = ..., graph: Optional[Graph] = ...) -> %s: ...\n' % (
                name, form, operands[kind], more, result))
    for library, functions in texts.items():
        with open(os.path.join(package, library + ".pyi"), "w") as file:
            file.write(HEAD + "".join(functions))
    with open(os.path.join(package, "__init__.pyi"), "w") as file:
        file.write(whole(table, sorted(texts)))
    with open(os.path.join(package, "py.typed"), "w"):
        pass


if __name__ == "__main__":
    main(sys.argv[1])
