# SPDX-License-Identifier: Apache-2.0
"""docs/reference/pva-model.md matches the declarations of <pva/model.def>.  `python3 test_model_page.py --write` writes the page."""
import os
import re
import sys
import unittest

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PAGE = os.path.join(SOURCE, "docs", "reference", "pva-model.md")
HEAD = """# The object model of libpva

Every class of report files and trace files, and its properties: in C++ methods, in Python properties, in C a constant for `pva_uint`, `pva_get` and the like
([libpva](../reports/pva.md) says which). `tests/python/test_model_page.py --write` makes this page from `pva/model.def`.

Types: *number* is a natural number, *numbers* an array of them, by tile unless the comment says otherwise; a class's name is an object of it, *list of* a list.
Sizes are bytes and times are tile clock cycles, unless the comment says otherwise.
"""
KINDS = {"UINT": "number", "BOOL": "boolean", "REAL": "real", "TEXT": "text", "NUMBERS": "numbers"}


def page():
    with open(os.path.join(SOURCE, "include", "pva", "model.def"), encoding="utf-8") as file:
        text = file.read()
    names = dict(re.findall(r"PVA_CLASS\((\w+), (\w+)\)", text))
    pattern = r'^PVA_CLASS\((\w+), (\w+)\)|^PVA_PROPERTY\((\w+), (\w+), (\w+), (\w+), (\w+),\s*"((?:[^"\\]|\\.)*)"\)'
    lines = [HEAD]
    for match in re.finditer(pattern, text, re.MULTILINE):
        if match.group(1):
            lines += ["\n## %s\n" % match.group(2), "| property | type | in C | |", "| --- | --- | --- | --- |"]
            continue
        of, constant, name, kind, element, what = match.groups()[2:]
        kind = {"OBJECT": names.get(element), "LIST": "list of %s" % names.get(element)}.get(kind) or KINDS[kind]
        lines.append("| `%s` | %s | `PVA_%s_%s` | %s |" % (name, kind, of, constant, what.replace('\\"', '"').replace("|", "\\|")))
    return "\n".join(lines) + "\n"


class Page(unittest.TestCase):
    def test_the_page_is_the_model(self):
        with open(PAGE, encoding="utf-8") as file:
            self.assertEqual(file.read(), page(), "write it again with --write")

    def test_every_property_is_on_it(self):
        with open(os.path.join(SOURCE, "include", "pva", "model.def"), encoding="utf-8") as file:
            declared = len(re.findall(r"^PVA_PROPERTY\(", file.read(), re.MULTILINE))
        self.assertEqual(page().count("\n| `"), declared)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        with open(PAGE, "w", encoding="utf-8") as page_file:
            page_file.write(page())
    else:
        unittest.main()
