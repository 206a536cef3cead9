# SPDX-License-Identifier: Apache-2.0
"""The commands of a wheel: each replaces itself by the program in the package."""

import os
import sys


def _run(name):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "prefix", "bin", name)
    try:
        os.execv(path, [path] + sys.argv[1:])
    except OSError as problem:
        sys.exit("%s: %s cannot be run: %s" % (name, path, problem.strerror))


def popc():
    _run("popc")


def pva():
    _run("pva")


def tremula():
    _run("tremula")


def tremula_demo():
    _run("tremula-demo")
