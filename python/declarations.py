#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""declarations.py INCLUDE OUTPUT [COMPILER]: the C interface as a table for Python.

Reads the C headers below INCLUDE with the compiler's preprocessor, and writes OUTPUT, a Python file with four dictionaries: ENUMS, STRUCTS, CALLBACKS and
FUNCTIONS.  A function's row has its result, its parameters and the comment that stands before it, so that the package tremula needs no list of its own.
Anything in a header that this reader does not understand ends it with an error: nothing is left out in silence.
"""

import os
import pprint
import re
import subprocess
import sys

LIBRARIES = ["poplar", "poputil", "popops", "poplin", "poprand", "popnn", "gcl", "tremula"]
# Headers for codelets, and those whose declarations need types of the C library that Python has no use for.
LEFT_OUT = {"poplar/vertex.h", "poplar/log.h", "poplar/memory.h", "poplar/text.h", "popops/element_functions.h", "popops/element_rows.h", "popops/operator_types.h"}
TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.+-]*|\.\.\.|\"(?:\\.|[^\"])*\"|'(?:\\.|[^'])*'|<<|>>|\S")


class Unread(Exception):
    pass


def headers(include):
    for library in LIBRARIES:
        folder = os.path.join(include, library)
        if not os.path.isdir(folder):
            continue
        for name in sorted(os.listdir(folder)):
            path = library + "/" + name
            if name.endswith(".h") and path not in LEFT_OUT:
                yield path


def preprocess(include, compiler, paths):
    """(header, line of tokens) of everything that the headers declare, without what they include from the system."""
    source = "".join("#include <%s>\n" % path for path in paths)
    result = subprocess.run([compiler, "-E", "-x", "c", "-std=c11", "-I", include, "-"], input=source, capture_output=True, text=True, check=True)
    header = None
    texts = {}
    for line in result.stdout.splitlines():
        if line.startswith("# "):
            file = line.split('"')[1]
            if not file.endswith(".def"):  # rows of the header that includes them
                header = os.path.relpath(file, include) if file.startswith(include) else None
            continue
        if header and line.strip():
            texts.setdefault(header, []).append(line)
    return {path: "\n".join(lines) for path, lines in texts.items()}


class Reader:
    """Recursive descent over the declarations of one preprocessed text."""

    def __init__(self, table):
        self.table = table
        self.tokens = []
        self.position = 0

    def read(self, text):
        self.tokens = TOKEN.findall(text)
        self.position = 0
        while self.position < len(self.tokens):
            self.declaration()

    def peek(self, ahead=0):
        place = self.position + ahead
        return self.tokens[place] if place < len(self.tokens) else ""

    def take(self, expected=None):
        token = self.peek()
        if expected and token != expected:
            raise Unread("expected %r, found %r in: %s" % (expected, token, " ".join(self.tokens[max(0, self.position - 12) : self.position + 12])))
        if not token:
            raise Unread("the text ends within a declaration")
        self.position += 1
        return token

    def accept(self, token):
        if self.peek() == token:
            self.position += 1
            return True
        return False

    def skip(self, opening, closing):
        """Past a bracketed text; returns its tokens."""
        self.take(opening)
        first, depth = self.position, 1
        while depth:
            token = self.take()
            if not token:
                raise Unread("no %r" % closing)
            depth += (token == opening) - (token == closing)
        return self.tokens[first : self.position - 1]

    def attributes(self):
        while self.peek() in ("__attribute__", "__extension__"):
            if self.take() == "__attribute__":
                self.skip("(", ")")

    def declaration(self):
        self.attributes()
        if self.accept(";"):
            return
        if self.peek() == "static":  # an inline function: Python has no use for it
            while self.peek() not in ("{", ";"):
                self.take()
            if self.peek() == "{":
                self.skip("{", "}")
            return
        if self.accept("typedef"):
            self.typedef()
            return
        if self.peek() in ("enum", "struct", "union") and (self.peek(1) == "{" or self.peek(2) == "{"):
            self.aggregate()
            self.take(";")
            return
        kind = self.base_type()
        name, kind = self.declarator(kind)
        if isinstance(kind, dict) and "parameters" in kind:
            self.attributes()
            self.take(";")
            self.table.functions[name] = (kind["result"], kind["parameters"])
        else:  # a variable; arrays of the interface are not used
            while self.take() != ";":
                pass

    def typedef(self):
        if self.peek() in ("struct", "union") and self.peek(2) != "{" and self.peek(1) != "{":
            self.take()
            self.take()
            name = self.take()
            self.take(";")
            self.table.opaque.add(name)
            return
        if self.peek() in ("enum", "struct", "union"):
            fields = self.aggregate()
            name = self.take()
            self.take(";")
            self.table.name(name, fields)
            return
        kind = self.base_type()
        name, kind = self.declarator(kind)
        self.take(";")
        if isinstance(kind, str) and kind.startswith("callback "):
            self.table.callbacks[name] = self.table.callbacks.pop(kind[9:])
        else:
            self.table.aliases[name] = kind

    def aggregate(self):
        """The body of an enum, a struct or a union."""
        what = self.take()
        tag = "" if self.peek() == "{" else self.take()
        if what == "enum":
            values, value = {}, -1
            body = self.skip("{", "}")
            for row in " ".join(body).split(","):
                if not row.strip():
                    continue
                name, _, given = row.partition("=")
                value = self.table.constant(given) if given else value + 1
                values[name.strip()] = value
            self.table.constants.update(values)
            return ("enum", values)
        self.take("{")
        fields = []
        while not self.accept("}"):
            fields += self.member(tag)
        return (what, fields)

    def member(self, tag):
        if self.peek() in ("struct", "union") and (self.peek(1) == "{" or self.peek(2) == "{"):
            inner = self.aggregate()
            kind = self.table.anonymous(tag, inner)
        elif self.peek() == "enum" and (self.peek(1) == "{" or self.peek(2) == "{"):
            self.aggregate()
            kind = "int"
        else:
            kind = self.base_type()
        found = []
        while True:
            if self.peek() == ";":  # a member without a name
                found.append(("", kind))
                break
            name, whole = self.declarator(kind)
            found.append((name, whole))
            if not self.accept(","):
                break
        self.take(";")
        return found

    def base_type(self):
        words = []
        while True:
            token = self.peek()
            if token in ("const", "volatile", "extern", "inline"):
                if token == "const":
                    words.append("const")
                self.take()
            elif token in ("struct", "enum", "union"):
                self.take()
            elif token in ("unsigned", "signed", "long", "short", "char", "int", "double", "float", "void", "_Bool"):
                words.append(self.take())
            elif re.match(r"[A-Za-z_]", token) and not [word for word in words if word != "const"]:
                words.append(self.take())
            else:
                break
        names = [word for word in words if word != "const"]
        if not names:
            raise Unread("no type in: %s" % " ".join(self.tokens[self.position - 5 : self.position + 10]))
        return ("const " if "const" in words else "") + " ".join(names)

    def declarator(self, kind):
        while self.accept("*"):
            kind += " *"
            while self.accept("const"):
                kind += " const"
            self.attributes()
        if self.peek() == "(" and self.peek(1) == "*":  # a pointer to a function
            self.take("(")
            self.take("*")
            name = "" if self.peek() == ")" else self.take()
            self.take(")")
            key = "%s %d" % (name, len(self.table.callbacks))
            self.table.callbacks[key] = (kind, self.parameters())
            return name, "callback " + key
        name = self.take() if re.match(r"[A-Za-z_]", self.peek()) else ""
        if self.peek() == "(":
            return name, {"result": kind, "parameters": self.parameters()}
        sizes = []
        while self.peek() == "[":
            sizes.append(self.table.constant(" ".join(self.skip("[", "]"))))
        for size in reversed(sizes):
            kind = "%s [%d]" % (kind, size)
        return name, kind

    def parameters(self):
        self.take("(")
        found = []
        if self.accept(")"):
            return found
        while True:
            if self.accept("..."):
                found.append(("...", "..."))
            else:
                kind = self.base_type()
                name, kind = self.declarator(kind)
                if not (kind == "void" and not name):
                    found.append((name, re.sub(r" \[\d*\]$", " *", kind)))
            if self.accept(")"):
                return found
            self.take(",")


class Table:
    def __init__(self):
        self.enums, self.structs, self.unions, self.functions, self.callbacks = {}, {}, {}, {}, {}
        self.aliases, self.constants, self.opaque = {}, {}, set()

    def constant(self, text):
        text = re.sub(r"\b(\d+)[uUlL]+\b", r"\1", text.strip())
        return int(eval(text, {"__builtins__": {}}, dict(self.constants))) if text else 0  # an expression of our own headers

    def name(self, name, body):
        what, rows = body
        {"enum": self.enums, "struct": self.structs, "union": self.unions}[what][name] = rows

    def anonymous(self, tag, body):
        name = "%s_part%d" % (tag, len(self.structs) + len(self.unions))
        self.name(name, body)
        return name


def plain(comment):
    """The text of a comment: paragraphs and indented examples keep their lines."""
    lines = [re.sub(r"^\s*\*? ?", "", line).rstrip() for line in comment[2:-2].splitlines()]
    text = "\n".join(lines).strip("\n")
    return "" if text.startswith("----") else text


def comments(include, paths):
    """name -> (header, the comment before its declaration or behind it on its line), and header -> its introduction."""
    found, introductions = {}, {}
    for path in paths:
        with open(os.path.join(include, path)) as file:
            text = file.read()
        blocks = re.findall(r"/\*.*?\*/", text, re.S)
        introductions[path] = plain(blocks[1]) if len(blocks) > 1 and text.startswith(blocks[0]) else ""
        for match in re.finditer(r"^POP_API\b[^;{}]*?\b(\w+)\([^;{}]*;([ \t]*/\*.*?\*/)?", text, re.M | re.S):
            before = re.sub(r"(?:^#define (?:[^\n]*\\\n)*[^\n]*\n)+\Z", "", text[: match.start()], flags=re.M).rstrip(" \t")
            comment = match.group(2) or ""
            if not comment and before.endswith("*/\n"):
                comment = before[before.rindex("/*") :].rstrip()
            found[match.group(1)] = (path, plain(comment.strip()) if comment else "")
    return found, introductions


def operators(include):
    """The rows of operators.def: name -> (kind, the operator's constant)."""
    with open(os.path.join(include, "popops", "operators.def")) as file:
        rows = re.findall(r"^(UNARY|BINARY|TERNARY)\((\w+), \w+, (\w+),", file.read(), re.M)
    return {name: (kind.lower(), "POPOPS_%s_%s" % (kind, constant)) for kind, name, constant in rows}


def main(include, output, compiler="cc"):
    include = os.path.abspath(include)
    paths = list(headers(include))
    texts = preprocess(include, compiler, paths)
    table = Table()
    for path, text in texts.items():
        try:
            Reader(table).read(text)
        except Unread as problem:
            sys.exit("declarations.py: %s: %s" % (path, problem))
    documented, introductions = comments(include, paths)
    functions = {}
    for name, (result, parameters) in sorted(table.functions.items()):
        # A call that passes the caller's place is known by the name of its macro.
        short = name[:-3] if name.endswith("_at") and parameters and parameters[0][1] == "pop_where" else name
        header, text = documented.get(name, ("poplar/poplar.h", ""))
        functions[short] = (header, name, result, parameters, text)
    with open(output + ".new", "w") as file:
        file.write('# SPDX-License-Identifier: Apache-2.0\n"""Made by python/declarations.py from the C headers."""\n')
        for title, value in (("ENUMS", table.enums), ("STRUCTS", table.structs), ("UNIONS", table.unions), ("CALLBACKS", table.callbacks),
                             ("ALIASES", table.aliases), ("CONSTANTS", table.constants), ("FUNCTIONS", functions), ("OPERATORS", operators(include)), ("HEADERS", introductions)):
            file.write("%s = %s\n" % (title, pprint.pformat(value, width=180, compact=True, sort_dicts=False)))
        file.write("OPAQUE = %r\n" % sorted(table.opaque))
    os.replace(output + ".new", output)


if __name__ == "__main__":
    main(*sys.argv[1:])
