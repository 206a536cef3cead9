# SPDX-License-Identifier: Apache-2.0
"""tests/coverage.tsv: what the interfaces and the analyser have to offer, row by row, and the tests that use it.

Columns: interface (cpp: C++, LIBRARY: both languages, analyser), section of the reference, tier (T1: tutorials and common networks, T2: other public
programs, T3: rare, -: all must have a test), the row, what a test's code must contain one of (names; =TEXT is taken literally; ? is a row of prose, which no
name identifies), and the tests. Tests of the analyser have the row's id in their titles."""
import collections
import concurrent.futures
import functools
import os
import re
import subprocess

from .tree import Finding, rule

TABLE = "tests/coverage.tsv"
DEMANDED = ("T1", "T2", "-")
MOST_TESTS = 3  # that --write lists for a row
Row = collections.namedtuple("Row", "line interface section tier text uses tests")
INCLUDES = ("-Iinclude", "-Isrc", "-Itests", "-Itests/cpp", '-DSOURCE_DIR=""', '-DGOLDEN=""')


def flat(name):
    """addInPlace, add_in_place and ADD_IN_PLACE are one name: C and C++ spell it differently."""
    return re.sub(r"[^A-Za-z0-9]", "", name).lower()


def preprocessed(tree, test):
    """A test's code after the preprocessor, without comments, strings and included headers: a name counts only if code uses it. Names that macros and tables
    (.def) compose count."""
    language = ["g++", "-std=c++17"] if test.endswith((".cpp", ".hpp")) else ["gcc", "-std=c11", "-D_GNU_SOURCE"]
    done = subprocess.run([*language, "-E", *INCLUDES, test], cwd=tree.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    own, code = False, [] if not done.returncode else [tree.text(test)]  # what only a build can include is read as it is
    for line in done.stdout.splitlines() if not done.returncode else []:
        mark = re.match(r'# \d+ "([^"]*)"', line)
        if mark:
            own = mark.group(1).startswith("tests/") or mark.group(1).endswith(".def")
        elif own:
            code.append(re.sub(r'"(\\.|[^"\\])*"', '""', line))
    return "\n".join(code)


class Code:
    """The code of tests, read once each."""

    def __init__(self, tree):
        tree.tool("g++")
        self.tree, self._names = tree, {}

    def read(self, tests):
        wanted = [test for test in sorted(set(tests)) if test not in self._names]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for test, text in zip(wanted, pool.map(functools.partial(preprocessed, self.tree), wanted)):
                self._names[test] = (" ".join(sorted({flat(word) for word in re.findall(r"[A-Za-z_]\w*", text)})), text)

    def uses(self, test, name):
        """Whether a test's code has the name, alone or after that of a library or class (pop_ops_add_at), the sign of an operator, or the =TEXT."""
        names, code = self._names[test]
        if name.startswith("="):
            return name[1:] in code
        sign = re.fullmatch(r"operator *(\W+)", name)
        if sign:  # a shift has spaces around it, the end of two template arguments has not
            return (" %s " if sign.group(1) in ("<<", ">>") else "%s") % sign.group(1).rstrip("]") in code
        return re.search(r"%s(at)?\b" % re.escape(flat(name)), names) is not None


def read(tree):
    for at, line in enumerate(tree.lines(TABLE) if tree.exists(TABLE) else [], 1):
        if line and not line.startswith("#"):
            fields = (line.split("\t") + [""] * 6)[:6]
            yield Row(at, *fields[:4], fields[4].split(", ") if fields[4] else [], fields[5].split())


def holds(tree, code, row, test):
    """Whether a test has what the row demands."""
    if row.interface == "analyser":
        return re.search(r"\b%s\b" % row.section, tree.text(test)) is not None
    return row.uses == ["?"] or any(code.uses(test, name) for name in row.uses)


@rule("coverage")
def coverage(tree):
    """Each row of tests/coverage.tsv that must have a test (tiers T1 and T2, and the analyser's) names one whose code uses it. `--write` finds the tests of
    rows with names again."""
    rows = list(read(tree))
    code = Code(tree)
    code.read(test for row in rows if row.interface != "analyser" for test in row.tests if tree.exists(test))
    for row in rows:
        name = " ".join((row.interface, row.section, row.text)).strip()
        if row.tier in DEMANDED and not row.tests:
            yield Finding(TABLE, row.line, "no test: %s" % name)
        for test in row.tests:
            if not tree.exists(test):
                yield Finding(TABLE, row.line, "there is no test %s" % test)
            elif not holds(tree, code, row, test):
                yield Finding(TABLE, row.line, "%s does not use %s" % (test, ", ".join(row.uses) or name))


def candidates(tree, row):
    """Tests in which --write looks for a row: those listed, then those of its interface."""
    if row.interface == "cpp":
        return tree.select("tests/cpp/*.cpp", "tests/codelets/*.cpp")
    return tree.select("tests/*/test_%s*.c" % row.interface, "tests/cpp/*test_%s*.cpp" % row.interface)


def write(tree):
    rows = {row.line: row for row in read(tree)}
    code = Code(tree)
    code.read(test for row in rows.values() if row.interface != "analyser" for test in candidates(tree, row) + [t for t in row.tests if tree.exists(t)])
    lines = tree.lines(TABLE)
    for at, row in rows.items():
        if row.interface == "analyser" or row.uses == ["?"]:
            continue
        found = [test for test in row.tests if tree.exists(test) and holds(tree, code, row, test)]
        found = found or [test for test in candidates(tree, row) if holds(tree, code, row, test)][:MOST_TESTS]
        lines[at - 1] = "\t".join([row.interface, row.section, row.tier, row.text, ", ".join(row.uses), " ".join(found)]).rstrip("\t")
    with open(tree.path(TABLE), "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


coverage.write = write
