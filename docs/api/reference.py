#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""reference.py DIRECTORY: the reference of the packages tremula and pva as Markdown, a file for each module, from their signatures and docstrings."""

import inspect
import os
import sys

import pva
import tremula
import tremula.onnx

LIBRARIES = ("popops", "poplin", "popnn", "poprand", "poputil", "gcl")
TREMULA = ("IPUModel", "CPU", "Device", "Target", "Graph", "Tensor", "concat", "ComputeSet", "Program", "Stream", "Engine", "Cycles", "Error", "version")


def block(value):
    """A docstring as it stands."""
    text = inspect.getdoc(value) or ""
    if text.startswith("The element-wise operator"):  # the page of the header says the rest once
        text = text.split("\n")[0]
    return "```text\n%s\n```\n" % text.partition("---- <")[0].strip() if text else ""  # behind it: the introduction of the C header


def head(level, name, value):
    try:
        signature = str(inspect.signature(value))
    except (TypeError, ValueError):
        signature = "(...)"
    return "%s %s\n\n```python\n%s%s\n```\n\n%s" % ("#" * level, name, name.rpartition(".")[2], signature, block(value))


def members(name, value):
    for inner, member in vars(value).items():
        if inner.startswith("_"):
            continue
        if isinstance(member, property):
            yield "### %s.%s\n\n%s" % (name, inner, block(member))
        elif callable(member):
            yield head(3, name + "." + inner, member)


def module(name, value, names):
    yield "# %s\n\n%s" % (name, block(value))
    for each in names:
        member = getattr(value, each)
        if inspect.isclass(member):
            yield "## %s\n\n%s" % (each, block(member))
            yield from members(each, member)
        else:
            yield head(2, each, member)


def main(directory):
    wanted = [("tremula", tremula, TREMULA), ("onnx", tremula.onnx, ("load", "operators", "Model", "Session", "Value", "Use", "Nodes")),
              ("pva", pva, ["openReport", "openTrace", "List"] + sorted(each.__name__ for each in pva._classes.values()))]
    for library in LIBRARIES:
        value = getattr(tremula, library)
        wanted.append((library, value, [name for name in dir(value) if callable(getattr(value, name))]))
    for name, value, names in wanted:
        with open(os.path.join(directory, name + ".md"), "w") as file:
            file.write("\n".join(module(value.__name__, value, names)))


if __name__ == "__main__":
    main(sys.argv[1])
