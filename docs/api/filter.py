#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""filter.py FROM TO: copies the headers of a tree with the project's plain comments as Doxygen's (docs/api/Doxyfile).

- The comment at the head of a file describes the file; the licence line is dropped.
- A comment before a declaration documents it, and those that follow without a blank line or another comment and are other forms of it:
  have its name, or its result and arguments.  A comment after code on the same line documents what stands before it.  Comments in
  bodies of functions document nothing.
- A macro that only adds the caller's line is dropped, and the function behind it gets its name and its arguments:
  `#define f(...) f_at(POP_HERE, __VA_ARGS__)` and `f_at(pop_where where, int a)` are `f(int a)`.
- An element-wise operator by name (`popops_add`), a macro too, is a function with its arguments; another name of a call says so.
- `T a, b;` is two declarations.
Lines keep their numbers. Each header is in the group of its library and language."""

import os
import re
import sys

SCOPE = re.compile(r"\b(namespace|struct|class|union|enum)\b[^()]*$|extern \"C\"\s*$")
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*\#(?:\\\n|[^\n])*|[{};]|\n', re.S | re.M)
AT = re.compile(r"\s*#\s*define\s+(\w+)\(\.\.\.\)\s+(?:\\\n\s*)?\1_at\(POP_HERE, __VA_ARGS__\)\s*$")
OPERATOR = re.compile(r"\s*#\s*define\s+(popops_\w+)\(\.\.\.\)\s+(?:\\\n\s*)?POPOPS_(UNARY|BINARY|TERNARY)\((\w*), \w+, __VA_ARGS__\)\s*$")
ALIAS = re.compile(r"\s*#\s*define\s+\w+\((?:graph, )?\.\.\.\)\s+(?:\\\n\s*)?(?!POPI?_|POPOPS_)(\w+)\((?:graph, (POPNN_\w+), )?__VA_ARGS__\)\s*$")
SEVERAL = re.compile(r"^(\s*)((?:const |unsigned |struct |enum )*[\w:]+(?:<[^;]*>)?(?: const)?) +(\**\w+(?:\[[^\]]*\])*(?:,\s+\**\w+(?:\[[^\]]*\])*)+)$")


def words(comment):
    """The text of a comment on one line."""
    if comment.startswith("//"):
        return comment.lstrip("/ ").strip()
    return " ".join(line.strip().lstrip("*").strip() for line in comment[2:-2].strip("*< \n").splitlines()).strip()


def escaped(text):
    """Names of headers are no tags of HTML."""
    text = re.sub(r"<([A-Za-z_./]+)>", r"\\<\1\\>", text)
    return re.sub(r"(?<![\\\w])@(?=\w)", r"\\@", text)


def signature(text):
    """The name of a function, and its result and its arguments without their names; None for what is no function."""
    match = re.match(r"\s*(?:template <.*?>\s*)?(.*?)(\w+|operator\W+)\((.*)\)", re.sub(r"/\*.*?\*/|POP_API|POP_MUST_CHECK|static inline|inline", "", text, flags=re.S), re.S)
    if not match:
        return None
    result, name, arguments = match.groups()
    kinds = [re.sub(r"\b\w+$", "", argument.split("=")[0].strip()).split() for argument in arguments.split(",")]
    return name, (result.split(), kinds)


class Filter:
    def __init__(self, text, path):
        self.at = {name for name in (match.group(1) for match in map(AT.match, re.findall(r"^[ \t]*#(?:\\\n|[^\n])*", text, re.M)) if match)}
        self.out = []
        self.scopes = [True]  # whether declarations in it are documented
        self.head = ""        # of the declaration at hand
        self.start = 0        # where it begins in out
        self.comment = None   # the comment before the declarations at hand
        self.fresh = False    # ... and no declaration has followed it
        self.first = None     # signature of the first declaration after the comment
        self.seen_file = False
        self.apart = False    # the declaration before was a list of variables, which have its comment
        self.text = text
        self.path = path

    def run(self):
        position = 0
        for match in TOKEN.finditer(self.text):
            self.code(self.text[position:match.start()])
            position = match.end()
            self.token(match.group(), match.start())
        self.code(self.text[position:])
        text = "".join(self.out)
        # In the place of the licence line; other lines keep their numbers.
        library = self.path.split("/")[0]
        language = "cpp" if self.path.endswith("pp") else "c"
        return "/** @addtogroup %s_%s\n@{ */ %s/** @} */\n" % (language, library, text[1:])

    def documented(self):
        return all(self.scopes)

    def code(self, text):
        if text.strip() and not self.head.strip():
            self.start = len(self.out)
        self.head += text
        self.out.append(text)

    def describe(self, start):
        """The declaration at hand takes the comment of the group, if it is not the first of it and is like the first."""
        text = "".join(self.out[self.start:])
        if not self.documented() or not self.comment or not text.strip():
            return
        names = signature(text)
        if self.fresh:
            self.fresh, self.first = False, names
        elif names and self.first and (names[0] == self.first[0] or names[1] == self.first[1]) and not re.match(r"[ \t]*(/\*|//)", self.text[start + 1:]):
            self.out.insert(self.start, "/** %s */ " % escaped(self.comment))

    def token(self, token, start):
        if token == "\n":
            if re.match(r"[ \t]*\n", self.text[start + 1:start + 200]):
                self.comment = None
            self.out.append(token)
            self.head += "\n" if self.head.strip() else ""
        elif token.startswith(("/*", "//")):
            self.remark(token, start)
        elif token.lstrip().startswith("#"):
            self.directive(token)
        elif token == "{":
            self.describe(start)
            self.scopes.append(bool(SCOPE.search(self.head)) and "=" not in self.head.split("enum")[0])
            if self.scopes[-1]:
                self.comment = None
            self.head = ""
            self.out.append(token)
        elif token == "}":
            inner = self.scopes.pop() if len(self.scopes) > 1 else True
            self.head = "" if not inner else "}"
            self.out.append(token)
            if inner:
                self.comment = None
        elif token == ";":
            self.out.append(token)
            self.describe(start)
            self.finish(start)
        else:
            self.code(token)

    def directive(self, token):
        if AT.match(token):
            if not self.fresh:
                self.comment = None
            self.out.append("\n" * token.count("\n"))
            return
        token = re.sub(r"/\* ([^\n]*\*/)$", r"/**< \1", token)
        operator = OPERATOR.match(token)
        if operator:
            token = self.operator(*operator.groups()) + "\n" * token.count("\n")
        alias = ALIAS.match(token)
        if alias and not self.fresh:
            token += " /**< %s%s. */" % (alias.group(1), " with " + alias.group(2) if alias.group(2) else ", under another name")
        if re.match(r"\s*#\s*define", token) or operator:
            if self.documented() and self.comment and not self.fresh and operator:
                self.out.append("/** %s */ " % escaped(self.comment))
            self.fresh = False
        self.out.append(token)

    @staticmethod
    def operator(name, kind, form):
        """The declaration of an element-wise operator that is a macro over one function."""
        operands = {"UNARY": ["pop_tensor a"], "BINARY": ["popops_operand a", "popops_operand b"], "TERNARY": ["popops_operand a", "popops_operand b", "popops_operand c"]}
        arguments = ["pop_graph *graph"] + operands[kind] + ["pop_tensor out"] * (form == "_with_output") + ["pop_program sequence", "const char *name"]
        return "%s %s(%s);" % ("void" if form else "pop_tensor", name, ", ".join(arguments))

    def finish(self, start):
        """A declaration ends: functions with the caller's line get their names, and lists of variables are taken apart."""
        text = "".join(self.out[self.start:])
        for name in re.findall(r"\b(\w+)_at\(\s*(?:pop_where where,?\s*)", text):
            if name in self.at:
                text = re.sub(r"\b%s_at\((\s*)pop_where where(,\s*)?" % name, lambda m: name + "(" + ("void" if not m.group(2) else "\n" * m.group(2).count("\n")), text)
        doc, code = re.match(r"(\s*(?:/\*\*.*?\*/ )?)(.*)$", text, re.S).groups()
        several = SEVERAL.match(code[:-1]) if self.documented() else None
        self.apart = bool(several)
        if several:
            end = re.match(r"[ \t]*(/\*.*?\*/|//[^\n]*)", self.text[start + 1:], re.S)
            indent, kind, names = several.groups()
            doc = "/** %s */ " % escaped(words(end.group(1))) if end else doc.strip() and doc or ("/** %s */ " % escaped(self.comment) if self.comment else "")
            text = indent + " ".join("%s%s %s;" % (doc, kind, name) for name in re.split(r",\s+", names)) + "\n" * names.count("\n")
        self.out[self.start:] = [text]
        self.head = ""

    def remark(self, token, start):
        line = self.text[self.text.rfind("\n", 0, start) + 1:start]
        if "SPDX-License" in token:
            self.out.append("\n" * token.count("\n"))
        elif not self.documented() or re.match(r"(/\*|//) ?-{3,}|// clang-format|/\* clang-format|// NOLINT", token):
            self.comment = None if self.documented() else self.comment
            self.out.append(token)
        elif line.strip() and not line.strip() == "{":
            if not self.apart:
                self.out.append(self.marked(token, "<"))
        else:
            before = self.text[:start].count("\n")
            rest = self.text[start + len(token):]
            if self.seen_file and re.match(r"[ \t]*\n[ \t]*(\n|$)", rest):  # text between declarations
                self.out.append(token)
                self.comment = None
            elif not self.seen_file and before <= 1:
                self.out.append(self.marked(token, " @file %s " % self.path))
            else:
                self.out.append(self.marked(token, ""))
                joined = token.startswith("//") and self.fresh and self.comment
                self.comment = (self.comment + " " if joined else "") + words(token)
                self.fresh = True
            self.seen_file = True

    def marked(self, token, mark):
        return token[:2] + token[1] + mark + escaped(token)[2:]


def main():
    source, target = sys.argv[1:]
    for directory, _, names in os.walk(source):
        for name in names:
            path = os.path.relpath(os.path.join(directory, name), source)
            if not name.endswith((".h", ".hpp", ".def")) or "/" not in path:
                continue
            with open(os.path.join(source, path), encoding="utf-8") as file:
                text = file.read()
            os.makedirs(os.path.dirname(os.path.join(target, path)), exist_ok=True)
            with open(os.path.join(target, path), "w", encoding="utf-8") as file:
                file.write(text if name.endswith(".def") else Filter(text, path).run())


if __name__ == "__main__":
    main()
