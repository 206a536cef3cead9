# SPDX-License-Identifier: Apache-2.0
"""How the arguments of a C function become those of its Python function; without NumPy and the libraries, since the build makes stubs with it."""

import inspect

try:
    from . import _table
except ImportError:  # python/stubs.py
    import _table

CALLER = {"pop_where", "pop_graph *", "const pop_graph *", "pop_program", "poplin_planning_cache *"}  # what the current graph and program give
LAST = {"const char *", "pop_options"}


class Parameter:
    """How a parameter of a C function becomes an argument of the Python function."""

    def __init__(self, name, kind):
        self.name = name + "_" if name in ("in", "from", "is", "lambda", "with", "class", "global") else name
        self.kind = kind
        base = kind.replace("const ", "").strip()
        self.caller = kind in CALLER and (base != "pop_program" or name in ("sequence", "program"))
        self.result = kind.endswith(" *") and not kind.startswith("const ") and (kind[:-2] == "pop_tensor" or kind[:-2] in _table.STRUCTS) and kind != "pop_error *"
        self.inout = False
        self.default = inspect.Parameter.empty
        if kind == "pop_options":
            self.default = None
        elif kind == "const char *" and name == "name":
            self.default = ""
        elif kind == "_Bool":
            self.default = False
        elif name in ("out_type", "output_type") and kind == "pop_type":
            self.default = None
        elif name == "partials_type":
            self.default = "float"
        elif kind == "const pop_tensor *" or "reduce" == name or name == "context":
            self.default = None


def parameters_of(row):
    parameters = [Parameter(name, kind) for name, kind in row[3]]
    for parameter, following in zip(parameters, parameters[1:]):
        if parameter.kind == "pop_tensor *" and following.kind == "size_t":
            parameter.result, parameter.inout = False, True  # an array of tensors
    return parameters


def _python_order(parameters):
    """C's order, with name and options last; an argument before one without a default has none either."""
    order = [p for p in parameters if p.kind not in LAST] + [p for p in parameters if p.kind in LAST]
    needed = False
    for p in reversed(order):
        needed = needed or p.default is inspect.Parameter.empty
        if needed:
            p.default = inspect.Parameter.empty
    return order


def of(row):
    """The parameters of a function of the table, and the signature of the Python function."""
    parameters = parameters_of(row)
    shown = [p for p in parameters if not p.caller and not p.result and p.kind != "pop_error *"]
    named = [inspect.Parameter(p.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=p.default) for p in _python_order(shown)]
    if any(p.caller and p.kind == "pop_program" for p in parameters):
        named.append(inspect.Parameter("program", inspect.Parameter.KEYWORD_ONLY, default=None))
    if any(p.kind.endswith("pop_graph *") for p in parameters):
        named.append(inspect.Parameter("graph", inspect.Parameter.KEYWORD_ONLY, default=None))
    return parameters, inspect.Signature(named)
