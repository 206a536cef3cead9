# SPDX-License-Identifier: Apache-2.0
"""Sizes of files, functions, macros and lines, and their limits."""
import collections
import os
import re
import subprocess

from .tree import Finding, rule

DIRECTORIES = ("include", "src", "tools", "bench", "examples", "tests", "analyser", "python")
SUFFIXES = (".c", ".h", ".def", ".cpp", ".hpp")
COLUMNS = 120
TABLE_COLUMNS = 1000  # tables, *.def, have a row to a line
EXCEPTIONS = "scripts/budget.txt"
Size = collections.namedtuple("Size", "kind file line name lines")  # a line's `lines` are its columns


def macros(lines):
    """Line, name and length of each #define."""
    at = 0
    while at < len(lines):
        first = at
        while at + 1 < len(lines) and lines[at].endswith("\\"):
            at += 1
        at += 1
        words = lines[first].replace("(", " ").replace("#", " ").split()
        if lines[first].lstrip().startswith("#") and words[:1] == ["define"]:
            yield first + 1, words[1], at - first


def functions(tree, files):
    """File, line, name and length of each function."""
    for language, suffixes in (("C", (".c", ".h", ".def")), ("C++", (".cpp", ".hpp"))):
        chosen = "\n".join(name for name in files if name.endswith(suffixes))
        command = ["ctags", "--fields=+ne", "--kinds-%s=f" % language, "--language-force=" + language, "-o", "-", "-L", "-"]
        tags = subprocess.run(command, cwd=tree.root, input=chosen, stdout=subprocess.PIPE, check=True, text=True).stdout
        for tag in tags.splitlines():
            fields = tag.split("\t")
            extra = dict(field.split(":", 1) for field in fields[3:] if ":" in field)
            if "line" in extra and "end" in extra:
                yield fields[1], int(extra["line"]), fields[0], int(extra["end"]) - int(extra["line"]) + 1


def measure(tree):
    """All sizes of the C and C++ sources in DIRECTORIES."""
    files = [name for name in tree.files if name.endswith(SUFFIXES) and name.split("/")[0] in DIRECTORIES]
    tree.tool("ctags", package="universal-ctags")
    yield from (Size("function", *row) for row in functions(tree, files))
    for name in files:
        lines = tree.lines(name)
        yield Size("file", name, 1, os.path.basename(name), len(lines) - 1)
        for line, macro, count in macros(lines):
            yield Size("macro", name, line, macro, count)
        for at, line in enumerate(lines):
            if len(line) > COLUMNS:
                yield Size("line", name, at + 1, "-", len(line))


PAGE = (".ts", ".tsx")
HEAD = re.compile(r"^(\s*)(?:export |default |async |static |private |public |protected |readonly )*"
                  r"(?:function\*? ?(\w+)|(?:const|let) (\w+)[^=\n]* = (?:async )?(?:function\b|\([^\n]*|\w+ =>)"
                  r"|(?!if\b|for\b|while\b|switch\b|return\b|catch\b)(\w+)\()")


def typescript(lines):
    """Line, name and length of each function, method and named arrow function, in the format that the page's linter demands: the body ends with a brace (or a
    parenthesis) at the column of the head."""
    for at, line in enumerate(lines):
        head = HEAD.match(line)
        if not head:
            continue
        opens = at
        while opens + 1 < len(lines) and opens < at + 12 and not re.search(r"[{>[;]$|=> \($|^\s*$", lines[opens]):
            opens += 1
        method = head.group(4)
        if not lines[opens].endswith(("{", "(")) or (method and not re.search(r"\)(?:: [^=]*)? \{$", lines[opens])):
            continue
        ends = re.compile(re.escape(head.group(1)) + ("}" if lines[opens].endswith("{") else r"\)") + r"[),;]*$")
        outside = re.compile(r"\s{0,%u}\S" % (len(head.group(1)) - 1)) if head.group(1) else re.compile("(?!)")
        last = next((end for end in range(opens + 1, len(lines)) if ends.match(lines[end]) or outside.match(lines[end])), opens)
        if ends.match(lines[last]):
            yield at + 1, next(filter(None, head.groups()[1:])), last - at + 1


def measure_page(tree):
    """The sizes of the analyser's page."""
    for name in tree.files:
        if name.endswith(PAGE) and name.startswith("analyser/page/") and "/tests/" not in name:
            lines = tree.lines(name)
            yield Size("file", name, 1, os.path.basename(name), len(lines) - 1)
            for line, function, count in typescript(lines):
                yield Size("function", name, line, function, count)


def limit(size):
    tests = size.file.startswith("tests/")
    if size.kind == "line":
        return TABLE_COLUMNS if size.file.endswith(".def") else COLUMNS
    return {"file": 900 if tests else 600, "function": 140 if tests else 70, "macro": 8}[size.kind]


def exceptions(tree):
    """(kind, file, name) -> size allowed and reason, and the findings of the table itself."""
    allowed, reasons, wrong = {}, {}, []
    for at, row in enumerate(tree.lines(EXCEPTIONS) if tree.exists(EXCEPTIONS) else [], 1):
        if not row.strip():
            continue
        what, _, reason = row.partition("#")
        kind, file, name, size = what.split()
        key = (kind, file, name)
        if kind == "line":
            wrong.append(Finding(EXCEPTIONS, at, "no line may have more than %u columns" % COLUMNS))
        if not reason.strip():
            wrong.append(Finding(EXCEPTIONS, at, "%s has no reason (# after its size)" % " ".join(key)))
        allowed[key] = max(allowed.get(key, 0), int(size))
        reasons[key] = reason.strip()
    return allowed, reasons, wrong


def beyond(sizes, allowed):
    """Findings of the sizes above their limits, and of exceptions that are not needed."""
    seen = set()
    for size in sizes:
        key, most = (size.kind, size.file, size.name), limit(size)
        if size.lines <= most:
            continue
        seen.add(key)
        if size.lines > allowed.get(key, 0):
            unit = "columns" if size.kind == "line" else "lines"
            by = "%u by %s" % (allowed[key], EXCEPTIONS) if key in allowed else most
            yield Finding(size.file, size.line, "%s %s has %u %s (allowed: %s)" % (size.kind, size.name, size.lines, unit, by))
    for key in sorted(set(allowed) - seen):
        yield Finding(EXCEPTIONS, 0, "%s is within its limit now: delete the row" % " ".join(key))


@rule("budget")
def budget(tree):
    """Sizes have limits: a file 600 lines, a function 70, in tests 900 and 140; a macro 8 lines, a line 120 columns. Exceptions, each with a reason, are in
    scripts/budget.txt (kind, file, name, size, reason; the largest of a name counts) and may shrink, never grow. `--write` writes the sizes again."""
    allowed, _, wrong = exceptions(tree)
    yield from wrong
    yield from beyond(measure(tree), {key: size for key, size in allowed.items() if not key[1].endswith(PAGE)})


@rule("page-budget")
def page_budget(tree):
    """The files and functions of the analyser's page have the limits of the others (budget): 600 and 70 lines. Exceptions are in scripts/budget.txt too."""
    allowed, _, _ = exceptions(tree)
    yield from beyond(measure_page(tree), {key: size for key, size in allowed.items() if key[1].endswith(PAGE)})


def write_budget(tree):
    _, reasons, _ = exceptions(tree)
    largest = {}
    for size in [*measure(tree), *measure_page(tree)]:
        key = (size.kind, size.file, size.name)
        if size.lines > limit(size) and size.kind != "line":
            largest[key] = max(largest.get(key, 0), size.lines)
    with open(tree.path(EXCEPTIONS), "w", encoding="utf-8") as file:
        for key in sorted(largest):
            file.write(" ".join(key) + " %u%s\n" % (largest[key], " # " + reasons[key] if reasons.get(key) else ""))


budget.write = write_budget
