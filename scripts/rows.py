# SPDX-License-Identifier: Apache-2.0
# Names that tests use, for check-poplibs-rows and check-cpp-rows: identifiers of a test's code after the preprocessor, without comments, strings and
# included headers, so that a name counts only if code uses it, not if a comment contains it.  Names that macros and tables (.def) compose count.
import functools
import os
import re
import subprocess

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def flat(name):
    """addInPlace, add_in_place and ADD_IN_PLACE are one name: C and C++ spell it differently."""
    return re.sub(r"[^A-Za-z0-9]", "", name).lower()


@functools.lru_cache(maxsize=None)
def identifiers(test):
    """The flat names of a test's code, and the code."""
    language = ["g++", "-std=c++17"] if test.endswith((".cpp", ".hpp")) else ["gcc", "-std=c11", "-D_GNU_SOURCE"]
    command = language + ["-E", "-Iinclude", "-Isrc", "-Itests", "-Itests/cpp", "-DSOURCE_DIR=\"\"", "-DGOLDEN=\"\"", test]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit("%s: the preprocessor refuses it: %s" % (test, done.stderr.strip().splitlines()[0]))
    own, code = False, []
    for line in done.stdout.splitlines():
        mark = re.match(r'# \d+ "([^"]*)"', line)
        if mark:
            own = mark.group(1).startswith("tests/") or mark.group(1).endswith(".def")
        elif own:
            code.append(re.sub(r'"(\\.|[^"\\])*"', '""', line))
    text = "\n".join(code)
    return " ".join(sorted({flat(word) for word in re.findall(r"[A-Za-z_]\w*", text)})), text


def uses(test, name):
    """Whether a test's code has the name, alone or after that of a library or class (pop_ops_add_at), or the sign of an operator."""
    names, code = identifiers(test)
    sign = re.fullmatch(r"operator *(\W+)", name)
    if sign:
        return sign.group(1).rstrip("]") in code
    return re.search(r"%s(at)?\b" % re.escape(flat(name)), names) is not None
