# SPDX-License-Identifier: Apache-2.0
# mutate.py TREE COUNT: compiles seeded faults into a copy of the project.  A fault is a small change of one function.  The function gets a copy with the
# change, and calls that copy when the fault's number is on (switch.h), so that one build has all faults.  TREE/mutants.tsv lists them.
#
# Of all possible faults those whose text has the smallest hash, a share for each directory: a change elsewhere does not change the selection.
import glob
import hashlib
import os
import re
import subprocess
import sys

DIRECTORIES = ["base", "target", "graph", "program", "compiler", "engine", "image", "timeline", "profile", "popc"]
# Changes there do not change a result: messages, released memory, hints to the processor.
LEFT_ALONE = re.compile(r"\b(LOG|assert|static_assert|_Static_assert|sizeof|free|\w+_free|\w+_release|\w+_destroy|prefetch\w*|__builtin_\w+|case|enum)\b")

# Min or max of two, and an order of values known to differ: equal values may go either way.
THE_SAME = re.compile(r"([\w.>-]+) [<>]=? ([\w.>-]+) \? (\1 : \2|\2 : \1)|(\S+) != (\S+) \? \(?\4 [<>] \5")


def blank(text):
    """The text with comments, strings and characters as spaces of the same length."""
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def closing(text, at):
    """The index of the parenthesis that closes the one at an index."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return i
    return -1


def parts(text):
    """The pieces of a list between its outer commas."""
    pieces, depth, begin = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            pieces.append(text[begin:i])
            begin = i + 1
    return pieces + [text[begin:]]


class Function:
    def __init__(self, begin, body, end, head):
        self.begin, self.body, self.end = begin, body, end
        opening = head.find("(")
        self.head = head
        self.name = re.search(r"(\w+)\s*$", head[:opening]).group(1)
        result = head[: head.rfind(self.name, 0, opening)]
        self.result = re.sub(r"\b(static|inline|extern)\b", "", result).strip()
        self.list = head[opening + 1 : head.rfind(")")].strip()
        self.names = []
        for part in parts(self.list):
            pointer = re.search(r"\(\*\s*(?:const\s*)?(\w+)\)", part)
            name = pointer or re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*$", part)
            if name and part.strip() != "void":
                self.names.append(name.group(1))


def functions(text, blanked):
    """Functions as clang-format writes them: braces in the first column, the head in the lines above."""
    found = []
    for match in re.finditer(r"^\{\n", blanked, re.M):
        end = blanked.find("\n}\n", match.start())
        begin = match.start()
        while begin > 0:
            line = blanked.rfind("\n", 0, begin - 1) + 1
            words = blanked[line : begin - 1]
            if not words.strip() or words.startswith(("#", "}", " *")) or words.rstrip().endswith(";"):
                break
            begin = line
        head = " ".join(blanked[begin : match.start()].split())
        if end < 0 or not re.match(r"^[\w\s*]+\w\s*\([^{};]*\)$", head) or "..." in head or "__attribute__" in head or head.startswith("struct {"):
            continue
        found.append(Function(begin, match.start(), end + 3, head))
    return found


REPLACED = [  # what, by what, kind
    (r" < ", " <= ", "boundary"), (r" <= ", " < ", "boundary"), (r" > ", " >= ", "boundary"), (r" >= ", " > ", "boundary"),
    (r" == ", " != ", "equality"), (r" != ", " == ", "equality"), (r" && ", " || ", "logic"), (r" \|\| ", " && ", "logic"),
    (r" \+ (?!1\b)", " - ", "arithmetic"), (r" - (?!1\b)", " + ", "arithmetic"), (r" \+ 1\b", "", "off by one"), (r" - 1\b", "", "off by one"),
    (r"(?<=[\w)\]]) \* (?=[\w(])", " + ", "factor"), (r" / ", " * ", "factor"), (r" \+= ", " = ", "sum"), (r"\btrue\b", "false", "constant"),
    (r"\bfalse\b", "true", "constant"), (r"(?<![\w.\[{,] )(?<=[ (])([2-9]|[1-9]\d+)\b(?![.\w])", None, "constant"), (r"\breturn (?=\w)", None, "result"),
]


def changes(text, blanked, function):
    """All faults of a function: (begin, end, new text, kind)."""
    found = []
    begin, end = function.body + 2, function.end - 2
    for pattern, new, kind in REPLACED:
        for m in re.compile(pattern).finditer(blanked, begin, end):
            if kind == "result":
                stop = blanked.find(";", m.end())
                if function.result == "bool" and blanked[m.end() : stop] not in ("true", "false"):
                    found.append((m.end(), stop, "!(%s)" % text[m.end() : stop], kind))
            elif new is None:
                found.append((m.start(1), m.end(1), str(int(m.group(1)) + 1), kind))
            else:
                found.append((m.start(), m.end(), new, kind))
    for m in re.compile(r"\b(?:if|while) \(").finditer(blanked, begin, end):
        close = closing(blanked, m.end() - 1)
        found.append((m.end(), close, "!(%s)" % text[m.end() : close], "condition"))
        after = re.compile(r"\s*return [^;{}]*;(?!\s*else)").match(blanked, close + 1, end)
        if after and blanked[m.start() : m.start() + 2] == "if":
            found.append((close + 1, after.end(), "\n        ;", "error dropped"))
    for m in re.compile(r"^ +\w+\([^{}]*?\);\n", re.M).finditer(blanked, begin, end):
        found.append((m.start(), m.end() - 1, " " * 4 + ";", "call dropped"))
    for m in re.compile(r"\b(?!if|for|while|switch|return)\w+\(").finditer(blanked, begin, end):
        arguments = parts(blanked[m.end() : closing(blanked, m.end() - 1)])
        at = m.end()
        for one, two in zip(arguments, arguments[1:]):
            stop = at + len(one) + 1 + len(two)
            if one.strip() != two.strip() and re.fullmatch(r"\s*[\w.>-]+", one) and re.fullmatch(r"\s*[\w.>-]+", two):
                found.append((at, stop, "%s, %s" % (two.strip(), one.strip()), "arguments swapped"))
            at += len(one) + 1
    return [change for change in found if not skipped(blanked, change)]


def skipped(blanked, change):
    begin = blanked.rfind("\n", 0, change[0] + (blanked[change[0]] == "\n")) + 1
    end = blanked.find("\n", change[1])
    if change[3] == "boundary" and THE_SAME.search(blanked[begin:end]):
        return True
    return LEFT_ALONE.search(blanked[begin:end]) or blanked[begin:end].startswith("#")


class Mutant:
    def __init__(self, path, text, function, change, seen):
        self.path, self.function, self.change = path, function, change
        line = text.rfind("\n", 0, change[0]) + 1
        stop = text.find("\n", change[1])
        self.line = text.count("\n", 0, change[0]) + 1
        self.before = " ".join(text[line:stop].split())
        self.after = " ".join((text[line : change[0]] + change[2] + text[change[1] : stop]).split())
        key = "%s %s: %s => %s" % (path, function.name, self.before, self.after)
        seen[key] = seen.get(key, 0) + 1
        self.key = key if seen[key] == 1 else "%s (%u)" % (key, seen[key])
        self.hash = hashlib.sha256(self.key.encode()).digest()


def candidates(tree, directory):
    found = []
    pattern = os.path.join("src", directory, "**", "*.c")
    for path in sorted(glob.glob(pattern, root_dir=tree, recursive=True)):
        seen = {}
        text = open(os.path.join(tree, path)).read()
        blanked = blank(text)
        for function in functions(text, blanked):
            for change in changes(text, blanked, function):
                found.append(Mutant(path, text, function, change, seen))
    return sorted(found, key=lambda m: m.hash)


def mutated(text, mutants):
    """A file with faults in it, and the lines that belong to each."""
    out, at, lines = ['#include "mutants/switch.h"\n'], 0, {}
    for function in sorted({m.function for m in mutants}, key=lambda f: f.begin):
        f = function
        out.append(text[at : f.begin])
        at = f.end
        out.append("%s;\n" % f.head)
        calls = ""
        for m in [m for m in mutants if m.function is f]:
            begin, end, new, _ = m.change
            copy = text[f.body : begin] + new + text[end : f.end]
            first = "".join(out).count("\n") + 1
            out.append("static %s %s_mutant_%u(%s)\n%s" % (f.result, f.name, m.number, f.list, copy))
            lines[m] = (first, "".join(out).count("\n"))
            call = "%s_mutant_%u(%s)" % (f.name, m.number, ", ".join(f.names))
            calls += "    if (mutant(%uu)) { %s; }\n" % (m.number, call + "; return" if f.result == "void" else "return " + call)
        out.append(text[f.begin : f.body] + "{\n" + calls + text[f.body + 2 : f.end])
    return "".join(out) + text[at:], lines


def broken(tree, path, lines):
    """The faults of a file that do not compile, or that cause a warning."""
    command = ["gcc", "-std=c11", "-D_GNU_SOURCE", "-Wformat", "-Werror=format", "-Werror=incompatible-pointer-types",
               "-Werror=int-conversion", "-Werror=discarded-qualifiers", "-fsyntax-only", "-fmax-errors=0", "-Iinclude", "-Isrc", path]
    if path.endswith("popc/machine.c"):
        command.insert(1, '-DTREMULA_INCLUDE_DIR=""')
    messages = subprocess.run(command, cwd=tree, capture_output=True, text=True).stderr
    at = {int(m.group(1)) for m in re.finditer(r"^%s:(\d+):\d+: (?:fatal )?error" % re.escape(path), messages, re.M)}
    bad = [m for m, (first, last) in lines.items() if any(first <= line <= last for line in at)]
    if at and not bad:  # a missing end would be found after the fault
        before = [(last, m) for m, (first, last) in lines.items() if last < min(at)]
        bad = [max(before, key=lambda pair: pair[0])[1]] if before else []
    if at and not bad:
        sys.exit("%s cannot be mutated:\n%s" % (path, messages))
    return bad


def seed(tree, directory, share, number):
    """Writes a directory's faults into its files; returns them."""
    rest, chosen, texts = candidates(tree, directory), [], {}
    while True:
        each = {}
        while len(chosen) < share and rest:
            chosen.append(rest.pop(0))
        for i, m in enumerate(chosen):
            m.number = number + i
            each.setdefault(m.path, []).append(m)
        bad = []
        for path, mutants in each.items():
            full = os.path.join(tree, path)
            texts.setdefault(path, open(full).read())
            text, lines = mutated(texts[path], mutants)
            with open(full, "w") as file:
                file.write(text)
            bad += broken(tree, path, lines)
        if not bad:
            return chosen
        for path in texts:
            with open(os.path.join(tree, path), "w") as file:
                file.write(texts[path])
        chosen = [m for m in chosen if m not in bad]


def main():
    tree, count = sys.argv[1], int(sys.argv[2])
    sizes = [sum(os.path.getsize(e) for e in os.scandir(os.path.join(tree, "src", d)) if e.name.endswith(".c")) for d in DIRECTORIES]
    chosen = []
    for directory, size in zip(DIRECTORIES, sizes):
        share = max(8, round(count * size / sum(sizes)))
        chosen += seed(tree, directory, share, len(chosen) + 1)
    with open(os.path.join(tree, "mutants.tsv"), "w") as file:
        for m in chosen:
            file.write("%u\t%s:%u\t%s\t%s\n" % (m.number, m.path, m.line, m.change[3], m.key))
    print("%u faults" % len(chosen))


main()
