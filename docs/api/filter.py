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
A C++ declaration without a comment has that of the C function or field of its name.
A property of libpva is a function with its description in pva/model.def.
Lines keep their numbers. Each header is in the group of its library and language."""

import os
import re
import sys

SCOPE = re.compile(r"\b(namespace|struct|class|union|enum)\b[^()]*$|extern \"C\"\s*$")
CLASS = re.compile(r"\s*\}?\s*(?:(?:public|private|protected):\s*)?template\s*<[^{}]*>\s*(?:class|struct)\b(?![^{}]*\)\s*$)")
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*\#(?:\\\n|[^\n])*|[{};]|\n', re.S | re.M)
AT = re.compile(r"\s*#\s*define\s+(\w+)\(\.\.\.\)\s+(?:\\\n\s*)?\1_at\(POP_HERE, __VA_ARGS__\)\s*$")
OPERATOR = re.compile(r"\s*#\s*define\s+(popops_\w+)\(\.\.\.\)\s+(?:\\\n\s*)?POPOPS_(UNARY|BINARY|TERNARY)\((\w*), \w+, __VA_ARGS__\)\s*$")
ALIAS = re.compile(r"\s*#\s*define\s+\w+\((?:graph, )?\.\.\.\)\s+(?:\\\n\s*)?(?!POPI?_|POPOPS_)(\w+)\((?:graph, (POPNN_\w+), )?__VA_ARGS__\)\s*$")
NAME = r"\**\w+(?:\[[^\]]*\])*(?:\(\w+\)| = \w+)?"
SEVERAL = re.compile(r"^(\s*)((?:const |unsigned |struct |enum |constexpr )*[\w:]+(?:<[^;]*>)?(?: const)?) +(%s(?:,\s+%s)+)$" % (NAME, NAME))


def words(comment):
    """The text of a comment on one line."""
    if comment.startswith("//"):
        return comment.lstrip("/ ").strip()
    return " ".join(line.strip().lstrip("*").strip() for line in comment[2:-2].strip("*< \n").splitlines()).strip()


def escaped(text):
    """Names of headers are no tags of HTML."""
    text = re.sub(r"<([A-Za-z_./]+)>", r"\\<\1\\>", text)
    return re.sub(r"(?<![\\\w])@(?=\w)", r"\\@", text)


# What a C++ declaration without a comment does, where its form says it.
FORMS = [
    (r"operator==", "Whether both are equal."), (r"operator!=", "Whether both differ."), (r"operator<<\(std::(?:basic_)?ostream", "Writes the value as text."),
    (r"explicit operator bool", "Whether there is a value."), (r"operator<\(", "An order, for sorted containers."),
    (r"= delete;?$", "Not available."), (r"(?<!~)\b(\w+)\(const \1(?:<[^>]*>)? &\w*\)", "A copy."), (r"(?<!~)\b(\w+)\((?:const )?\1 &&\w*\)", "Takes the other's contents."),
    (r"operator=\((?:const )?\w+(?:<[^>]*>)? &&\w*\)", "Takes the other's contents."), (r"operator=\((?:const )?\w+(?:<[^>]*>)? &?\w*\)", "Becomes a copy of the other."),
    (r"~\w+\(", "Releases what the object owns."), (r"explicit \w+\(pop_\w+ \*?\w+\)", "Of the value that the C interface has made."),
    (r"\bpop\w* \*?c\(\)", "The value of the C interface."),
    (r"\b(?:begin|cbegin|data)\(\)", "The first element, or end() if there is none."), (r"\bc?end\(\)", "The place after the last element."),
    (r"\bsize\(\)", "Number of elements."), (r"\bempty\(\)", "Whether there are no elements."), (r"\bfront\(\)", "The first element."), (r"\bback\(\)", "The last element."),
    (r"\bmax_size\(\)", "The number of elements that it can have."), (r"T &operator\[\]\(std::size_t", "An element by its index."),
    (r"operator\(\)\(", "What a call of the object does."), (r"operator(?:\+\+|--)\(", "Adds or subtracts 1."), (r"operator(?:\*|->)\(\)", "The object that is held."), (r"operator\[\]\((?:const )?(?:std::)?size_t", "An element by its index."),
    (r"explicit \w+_(?:error|field)\((?:const )?std::string|^\s*\w+_error\(const std::string", "With this text."), (r"\btypedef .*\b(?:value_type|iterator|const_iterator|reference|const_reference|size_type|difference_type|initializer_list);?$", "As in containers of the standard library."),
    (r"^\s*(?:public: )?(?:POP_API )?(?:constexpr )?(\w+)\(\)", "An object without contents."), (r"(?:[^:]|::)\boperator(?:>|<=|>=)\(", "Compares both."), (r"\bconst char \*toString\(", "The enumerator's name."), (r"size_t hash\(\)|hash_value\(|size_t operator\(\)\(const", "A hash: equal values have equal hashes."), (r"\bDebugId getId\(\)|getPathName\(\)|getSourceLocation\(\)", "What the constructor was given or has made."),
    (r"\bstatic std::string to_string\(", "The value in the name of a vertex type."),
    (r"^\s*(?:explicit )?\w+\(Where where|^\s*(?:POP_API )?(?:constexpr )?(\w+)\(\) =", "An object without contents."),
]


def form(text):
    """The description of a standard form of declarations; empty for others."""
    text = re.sub(r"\s+", " ", text).strip()
    return next((what for pattern, what in FORMS if re.search(pattern, text)), "")


def signature(text):
    """The name of a function, and its result and its arguments without their names; None for what is no function."""
    match = re.match(r"\s*(?:template <.*?>\s*)?(.*?)(\w+|operator\W+)\((.*)\)", re.sub(r"/\*.*?\*/|POP_API|POP_MUST_CHECK|static inline|inline", "", text, flags=re.S), re.S)
    if not match:
        return None
    result, name, arguments = match.groups()
    kinds = [re.sub(r"\b\w+$", "", argument.split("=")[0].strip()).split() for argument in arguments.split(",")]
    return name, (result.split(), kinds)


def snake(name):
    """addHostToDeviceFIFO is add_host_to_device_fifo, numIPUs is num_ipus."""
    name = re.sub(r"IPU(s?)", lambda m: "Ipu" + m.group(1), name)
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()


def properties(source):
    """Descriptions of libpva's properties (pva/model.def), by CLASS_PROPERTY."""
    with open(os.path.join(source, "pva", "model.def"), encoding="utf-8") as file:
        rows = re.findall(r'PVA_PROPERTY\((\w+), (\w+), (\w+), \w+, \w+,\s*"((?:[^"\\]|\\.)*)"\)', file.read())
    return {"%s_%s" % (of, constant): what or re.sub(r"([A-Z])", r" \1", name).lower() for of, constant, name, what in rows}


def methods(text, described):
    """libpva's classes with their properties as the functions that they are."""
    kinds = {"UINT": "std::uint64_t", "INT": "int", "REAL": "double", "BOOL": "bool", "TEXT": "std::string", "NUMBERS": "Numbers"}

    def method(match):
        kind, arguments = match.group(1), [argument.strip() for argument in match.group(2).split(",")]
        result = arguments[0] if kind == "OBJECT" else "List<%s>" % arguments[0] if kind == "LIST" else kinds[kind]
        what = described.get(arguments[-1]) or re.sub(r"([A-Z])", lambda capital: " " + capital.group(1).lower(), arguments[-2])
        return "/** %s */ %s %s() const;" % (escaped(what), result, arguments[-2])
    return re.sub(r"PVA_OBJECT\(\w+\)", "", re.sub(r"PVA_METHOD_(\w+)\(([^)]*)\)", method, text))


class Known:
    """Descriptions of the C interface, by the name of the function, or the name of the struct and the field."""
    CLASSES = {"data_stream": "stream", "ipu_model": "ipu_model", "model": "popsolver_model", "program": "program"}

    def __init__(self):
        self.texts = {}

    def read(self, text):
        """Takes the descriptions of a header that has been filtered."""
        for comment, name in re.findall(r"/\*\* ((?:(?!\*/).)*?) \*/\s*(?:static inline |POP_API )*[\w \*]*?\**(\w+)\(", text, re.S):
            self.texts.setdefault(name, comment)
        for name, comment in re.findall(r"\b(\w+)\([^;{]*\)\s*;\s*/\*\*< ((?:(?!\*/).)*?) \*/", text, re.S):
            self.texts.setdefault(name, comment)
        for name, body in re.findall(r"typedef struct (\w+) \{(.*?)^\}", text, re.S | re.M):
            for field, comment in re.findall(r"\b(\w+)(?:\[\w*\])*;\s*/\*\*< ((?:(?!\*/).)*?) \*/", body, re.S):
                self.texts[name + "." + field] = comment
            for comment, field in re.findall(r"/\*\* ((?:(?!\*/).)*?) \*/\s*[\w \*]+?\**(\w+)(?:\[\w*\])*;", body, re.S):
                self.texts.setdefault(name + "." + field, comment)

    def find(self, library, scopes, name, is_function):
        """What the C interface says of a C++ name in these namespaces and classes; empty if it has no such name."""
        short, within = snake(name), [snake(scope) for scope in scopes if scope and scope != library]
        kind = self.CLASSES.get(within[-1], within[-1]) if within else ""
        bare = re.sub(r"^(get|is)_", "", short)
        prefix = "pop" if library == "poplar" else library
        if is_function:
            names = ["_".join(filter(None, part)) for word in (short, bare) for part in
                     ((prefix, kind, word), (prefix, kind, "get", word), (prefix, "_".join(within), word), (prefix, word), (kind, word), (prefix, within[0] if within else "", word))]
            if library == "gcl":
                base = re.sub(r"_(cross|within)_replica$", "", short).replace("to_destination", "with_output")
                names += ["popops_%s_%s" % (where, base) for where in (("ipu", "group") if short.endswith("within_replica") else ("group", "ipu"))]
            if scopes and scopes[-1] == name:
                names += [prefix + "_" + short, prefix + "_" + short + "_create"]
        else:
            names = ["%s_%s%s.%s" % (prefix, kind, end, short) for end in ("", "_params")] + ["pop_ipu_model." + short] * (kind == "ipu_model")
        text = next((self.texts[known] for known in names if known in self.texts), "")
        return " ".join(line.strip().lstrip("*").strip() for line in text.splitlines())


class Filter:
    def __init__(self, text, path, known):
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
        self.known = known
        self.braces = 0       # open in the arguments of the declaration at hand
        self.names = []       # of the scopes

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
        if re.match(r"\s*(public|private|protected):\s*$", text):
            self.out.append(text.replace("protected", "private"))
            return
        if text.strip() and not self.head.strip():
            self.start = len(self.out)
        self.head += text
        self.out.append(text)

    def describe(self, start):
        """The declaration at hand takes the comment of the group, if it is not the first of it and is like the first."""
        text = "".join(self.out[self.start:])
        if not self.documented() or not text.strip():
            return
        if re.match(r"\s*(namespace|class|struct|using)\b", text):
            self.fresh = False
            return
        beside = re.match(r"[ \t]*(/\*|//)", self.text[start + 1:])
        names = signature(text)
        if self.comment and self.fresh:
            self.fresh, self.first = False, names
        elif beside:
            return
        elif self.comment and names and self.first and (names[0] == self.first[0] or names[1] == self.first[1]):
            self.out.insert(self.start, "/** %s */ " % escaped(self.comment))
        elif "union" in self.names:
            what = "The value, if it is of this kind. */ "
            self.out.insert(*((len(self.out), " /**< " + what) if text.lstrip().startswith("}") else (self.start, "/** " + what)))
        elif self.path.endswith("pp"):
            self.supply(text)

    def supply(self, text):
        """The description of a C++ declaration without a comment: by its form, or that of the C interface."""
        description = form(text)
        if not description:
            names = signature(text)
            field = re.search(r"(\w+)(?: = [^;]*)?;?\s*$", text)
            name = names[0] if names else field and field.group(1)
            description = name and self.known.find(self.path.split("/")[0], self.names, name, bool(names))
        if description:
            self.out.insert(self.start, "/** %s */ " % escaped(description))

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
        elif token == "{" and self.head.count("(") > self.head.count(")") or token == "}" and self.braces:  # a default argument
            self.braces += 1 if token == "{" else -1
            self.head += token
            self.out.append(token)
        elif token == "{":
            self.describe(start)
            self.scopes.append(bool(CLASS.match(self.head)) or bool(SCOPE.search(self.head)) and "=" not in self.head.split("enum")[0])
            name = re.search(r"\b(?:namespace|class|struct)\s+(?:POP_API\s+)?(\w+)", self.head) if self.scopes[-1] else None
            self.names.append(name.group(1) if name else "union" if re.search(r"\bunion\s*$", self.head) else "")
            if self.scopes[-1]:
                self.comment = None
            self.head = ""
            self.out.append(token)
        elif token == "}":
            inner = self.scopes.pop() if len(self.scopes) > 1 else True
            del self.names[-1:]
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
        return escaped(token) if token.startswith("///") else token[:2] + token[1] + mark + escaped(token)[2:]


def main():
    source, target = sys.argv[1:]
    known, described = Known(), properties(source)
    paths = [os.path.relpath(os.path.join(directory, name), source) for directory, _, names in os.walk(source) for name in names]
    for path in sorted(paths, key=lambda path: (path.endswith("pp"), path)):  # C first
        if not path.endswith((".h", ".hpp", ".def")) or "/" not in path:
            continue
        with open(os.path.join(source, path), encoding="utf-8") as file:
            text = file.read()
        if not path.endswith(".def"):
            text = Filter(text, path, known).run()
        if path.startswith("pva/"):
            text = methods(text, described)
        if path.endswith(".h"):
            known.read(text)
        os.makedirs(os.path.dirname(os.path.join(target, path)), exist_ok=True)
        with open(os.path.join(target, path), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
