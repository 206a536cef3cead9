# SPDX-License-Identifier: Apache-2.0
"""The notebooks run from top to bottom, and what their cells show can be shown."""

import ast
import json
import os
import unittest

try:
    import numpy  # noqa: F401
except ImportError:
    raise unittest.SkipTest("NumPy is not installed for this Python") from None

PLACE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "notebooks")


def run_cell(source, namespace, name):
    """Runs a cell; returns the value of its last line, if that is an expression."""
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), namespace)
    return eval(compile(ast.Expression(last.value), name, "eval"), namespace) if last else None


class Notebooks(unittest.TestCase):
    def test_they_run(self):
        names = sorted(name for name in os.listdir(PLACE) if name.endswith(".ipynb"))
        self.assertEqual(len(names), 3)
        for name in names:
            with open(os.path.join(PLACE, name)) as file:
                cells = json.load(file)["cells"]
            namespace = {}
            for i, cell in enumerate(cells):
                if cell["cell_type"] == "code":
                    with self.subTest(notebook=name, cell=i):
                        value = run_cell("".join(cell["source"]), namespace, "%s cell %d" % (name, i))
                        shown = value._repr_html_() if hasattr(value, "_repr_html_") else repr(value)
                        self.assertTrue(shown)


if __name__ == "__main__":
    unittest.main()
