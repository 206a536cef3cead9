# SPDX-License-Identifier: Apache-2.0
"""Rules that compare the source with a table: of options, of constants that enter a cost, of the files and names that pages mention."""
import collections
import fnmatch
import re

from .tree import Finding, line_of, rule

CORE_OPTION = re.compile(r'POP_OPTION\("([a-z]*)", "([^"]*)", ')
LIBRARY_OPTION = re.compile(r'([A-Z_]+)_OPTION\("([^"]*)", [A-Z_]+, ([A-Za-z0-9_.]+), ')
Option = collections.namedtuple("Option", "table line group key effect")  # effect: yes, none, checked, hardware or name (another one)


def options_of(tree, table, row):
    """Rows of a table of options; effect None where a row could not be read."""
    text = tree.text(table) if tree.exists(table) else ""
    begins = [match for match in re.finditer(r"^[A-Z_]*_?OPTION\(", text, re.M)]
    for at, begin in enumerate(begins):
        end = begins[at + 1].start() if at + 1 < len(begins) else len(text)
        body = " ".join(re.sub(r"^(#|/\*|//).*", "", text[begin.start() : end], flags=re.M).split())
        match = row.match(body)
        effect = re.search(r'("none: [^"]*"|NULL|HARDWARE|")\)( /\*.*)?[^")]*$', body)
        kinds = {"NULL": "none", "HARDWARE": "hardware", '"': "yes", None: None}
        kind = kinds.get(effect and effect.group(1), "checked" if row is CORE_OPTION else "none")
        if body.rstrip().endswith(')') and '"another name of ' in body:
            kind = "name"
        line = line_of(text, begin.start())
        if not match or kind is None:
            yield Option(table, line, "", body[:60], None)
        elif row is CORE_OPTION:
            yield Option(table, line, match.group(1), match.group(2), kind)
        else:
            yield Option(table, line, match.group(3), match.group(2), kind)


@rule("options")
def options(tree):
    """The tables of options (src/base/options.def, src/poplibs/options.def) against source and tests. A core option has an effect if and only if something in
    src reads it ("none: why": the value is checked, without effect). An option with an effect has a test that sets it, or that has a comment "option: NAME"
    if it is set in another way."""
    read = "\n".join(tree.text(name) for name in tree.select("src/*.c") if name != "src/base/options.c")
    tested = set()
    for name in tree.select("tests/*"):
        tested.update(re.findall(r'"([A-Za-z][A-Za-z0-9_.]*)', tree.text(name)))
        for comment in re.findall(r"option: (.*)", tree.text(name)):
            tested.update(re.split(r"[, ]+", comment))
    rows = list(options_of(tree, "src/base/options.def", CORE_OPTION)) + list(options_of(tree, "src/poplibs/options.def", LIBRARY_OPTION))
    for option in rows:
        here, core = (option.table, option.line), option.table == "src/base/options.def"
        if option.effect is None:
            yield Finding(*here, "the row could not be read: %s" % option.key)
            continue
        is_read = '"%s"' % option.key in read
        if core and option.key != "*" and option.effect in ("none", "hardware") and is_read:
            yield Finding(*here, "option %s has no effect in the table, but something reads it" % option.key)
        if core and option.key != "*" and option.effect == "yes" and not is_read:
            yield Finding(*here, "option %s has an effect, but nothing reads it" % option.key)
        if option.effect == "yes" and option.key not in tested:
            yield Finding(*here, "option %s (%s) has an effect, but no test sets it" % (option.key, option.group))


CONSTANTS_PAGE = "docs/reference/cost-constants.md"
COSTED = tuple("src/%s/*.%s" % (directory, kind) for directory in ("target", "poplin", "popops", "popnn", "poprand", "poputil", "poplibs", "popsparse", "popfloat", "gcl")
               for kind in "ch")
NUMBER = re.compile(r"[0-9][0-9.]*(?:e-?[0-9]+)?")


def without_comments(lines):
    """Lines with texts emptied and comments taken out."""
    inside = False
    for line in lines:
        line = re.sub(r'"([^"\\]|\\.)*"', '""', line)
        if inside:
            _, end, line = line.partition("*/")
            if not end:
                yield ""
                continue
            inside = False
        line = re.sub(r"/\*([^*]|\*[^/])*\*/", "", line)
        line, begin, _ = line.partition("/*")
        inside = bool(begin)
        yield line


def numbers_of(line):
    """The numbers above two of a line, and its fractions."""
    for word in NUMBER.findall(re.sub(r"[A-Za-z_][A-Za-z_0-9]*", " ", line)):
        value = float(re.match(r"[0-9]+(\.[0-9]*)?(e-?[0-9]+)?", word).group())
        if value > 2 or ("." in word and value > 0 and value != 1):
            yield word


def enumerators(text):
    """NAME = VALUE of an enumeration whose value has a number."""
    for part in re.sub(r"\}.*", "", text[text.index("{") + 1 :]).split(","):
        pair = [side.strip(" ") for side in part.split("=")]
        if len(pair) == 2 and re.search(r"(^|[^A-Za-z_0-9])[0-9]", pair[1]) and "sizeof" not in pair[1]:
            yield "%s = %s" % tuple(pair)


def constants_of(lines):
    """Named numbers of a source, and the numbers of functions that give cycles, costs or estimates, and of lines that name cycles or a cost."""
    inside, found, name, costs, enumeration = False, [], "", False, ""
    for line in without_comments(lines):
        if enumeration or re.search(r"(^|[^A-Za-z_])enum[A-Za-z_0-9 ]*\{", line):
            enumeration += " " + line
            if "}" in line:
                yield from enumerators(enumeration)
                enumeration = ""
        define = re.match(r"#define ([A-Z][A-Z0-9_]*) +([-(]*[0-9].*)", line)
        if define:
            yield "%s = %s" % (define.group(1), define.group(2).rstrip(" "))
        if re.match(r"[a-z].*\(", line) and not line.endswith(";"):
            head = line.partition("(")[0]
            name = re.split(r"[ *]", head)[-1]
            costs = "pop_perf" in head or re.search(r"cycles|cost|estimate", name) is not None
        if line.startswith("{"):
            inside, found = True, []
        if inside and (costs or re.search(r"cycles|_cost", line)):
            found += numbers_of(line)
        if line.startswith("}"):
            if inside and found:
                yield "%s(): %s" % (name, " ".join(found))
            inside = False


def constant_rows(tree):
    """All constants as the page has them: "| file | constant |"."""
    for name in tree.select(*COSTED):
        if "/host/" not in name:
            for constant in constants_of(tree.lines(name)):
                yield name, "| %s | %s |" % (name[len("src/"):], constant)


def listed_constants(tree):
    """Line and row of the page's table, and its source."""
    for at, line in enumerate(tree.lines(CONSTANTS_PAGE) if tree.exists(CONSTANTS_PAGE) else [], 1):
        match = re.match(r"(\| [a-z]*/[^|]*\|[^|]*\|) (.*)", line)
        if match:
            yield at, match.group(1), match.group(2).split("|")[0].strip()


@rule("constants")
def constants(tree):
    """docs/reference/cost-constants.md lists all constants that can enter a modelled cost, each with its source: named numbers of the target and the libraries,
    numbers above two, and fractions, in functions that give cycles, costs or estimates. Kernels of the CPU device (src/poplin/host) are no part of it.
    `--write` makes the rows anew and keeps their sources; each new row needs one."""
    left = collections.Counter(row for _, row, _ in listed_constants(tree))
    for name, row in constant_rows(tree):
        if not left[row]:
            yield Finding(name, 0, "%s has no row: %s" % (CONSTANTS_PAGE, row))
        left[row] -= left[row] > 0
    for at, row, source in listed_constants(tree):
        if left[row]:
            left[row] -= 1
            yield Finding(CONSTANTS_PAGE, at, "no longer there: %s" % row)
        elif not source:
            yield Finding(CONSTANTS_PAGE, at, "no source: %s" % row)


def write_constants(tree):
    source = {row: line for line, (_, row, _) in zip((tree.lines(CONSTANTS_PAGE)[at - 1] for at, _, _ in listed_constants(tree)), listed_constants(tree))}
    kept = [line for line in tree.lines(CONSTANTS_PAGE) if not re.match(r"\| [a-z]*/", line)]
    if kept and not kept[-1]:
        kept.pop()  # after the last newline
    rows = [source.get(row, row + " |") for _, row in constant_rows(tree)]
    with open(tree.path(CONSTANTS_PAGE), "w", encoding="utf-8") as file:
        file.write("\n".join(kept + rows) + "\n")


constants.write = write_constants

WALKED = ("src/", "include/", "tools/", "analyser/", "cmake/", "scripts/", "tests/", "examples/", "bench/", "python/", "CMakeLists.txt")
IS_FILE = re.compile(r"^[\w./*{},-]*(/|\.(c|h|cpp|hpp|def|py|md|txt))$|^[\w.-]+/[\w./*-]+$")


def walk_words(tree):
    """Every word of the sources."""
    found = set()
    for name in tree.files:
        if name.startswith(WALKED) and not re.search(r"\.(png|svg|gz|pop|gp|bin|md|js|css|lock)$", name):
            found.update(re.findall(r"[A-Za-z_]\w*", tree.text(name)))
    return found


def steps_back(text):
    """Line and file of each numbered step that begins with the file of an earlier step of its walk without "returns to"."""
    for walk in re.finditer(r"^##+ .*?(?=^##+ |\Z)", text, re.M | re.S):
        begun = set()
        for step in re.finditer(r"^\d+\. .*?(?=^\d+\. |^$|\Z)", walk.group(), re.M | re.S):
            first = next((code for code in re.findall(r"`([^`\n]+)`", step.group()) if IS_FILE.match(code)), None)
            if first in begun and "returns to" not in step.group():
                yield line_of(text, walk.start() + step.start()), first
            begun.add(first)


@rule("walks")
def walks(tree):
    """Every file and name that walks.md and architecture.md have as code exists: a file as a path or the end of one (`a_*.c` stands for several), a name as a
    word of the sources. A walk does not return to a file that an earlier step begins with, unless the step says "returns to"."""
    words = walk_words(tree)

    def is_file(code):
        pattern = code.rstrip("/")
        return any(fnmatch.fnmatch("/" + name, "*/" + pattern) or ("/" + pattern + "/") in "/" + name for name in tree.files)

    def is_word(name):
        return name in words or (name.endswith("*") and (name[:-1] in words or any(word.startswith(name[:-1]) for word in words)))

    for page in filter(None, (tree.page("walks.md"), tree.page("architecture.md"))):
        text = re.sub(r"^```.*?^```", lambda block: "\n" * block.group().count("\n"), tree.text(page), flags=re.M | re.S)
        for span in re.finditer(r"`([^`\n]+)`", text):
            code = span.group(1)
            if re.search(r"[A-Z]{4}.*/|/[A-Z]{4,}", code):  # DIRECTORY stands for any
                continue
            if IS_FILE.match(code):
                missing = [] if is_file(code) else [code]
            else:
                missing = [word for word in re.findall(r"(?<![-.\w/])[A-Za-z_]\w*\*?", code) if not is_word(word)]
            yield from (Finding(page, line_of(text, span.start()), "there is no '%s'" % name) for name in missing)
        for line, name in steps_back(text):
            yield Finding(page, line, 'the walk goes back to %s, with which an earlier step begins, without "returns to"' % name)
