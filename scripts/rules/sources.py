# SPDX-License-Identifier: Apache-2.0
"""Rules of C sources: one meaning to a tag, listed mutable state, declarations in the header of their source, numbers without a locale, logged calls."""
import collections
import os
import re
import subprocess

from .tree import Finding, line_of, rule

LIBRARIES = ("poputil", "popsolver", "popops", "poprand", "poplin", "popnn", "popsparse", "popfloat", "gcl", "popef", "popdist", "poplibs")
DEFINITION = re.compile(r"^[ \t]*(?:static |const |typedef )*(struct|union|enum)\s+(\w+)\s*\{", re.M)


@rule("tags")
def tags(tree):
    """A tag of a struct, union or enum in src has one meaning. Operation libraries are linked separately and include no internal header but those of
    src/poplibs: a tag may have a meaning in each of them."""
    places = collections.defaultdict(list)
    for name in tree.select("src/*.c", "src/*.h"):
        if name.split("/")[1] not in LIBRARIES:
            for match in DEFINITION.finditer(tree.text(name)):
                places[match.group(2)].append((name, line_of(tree.text(name), match.start(2))))
    for tag, where in sorted(places.items()):
        if len(where) > 1:
            yield Finding(*where[0], "'%s' is defined elsewhere as well: %s" % (tag, ", ".join("%s:%u" % place for place in where[1:])))


TYPE = (r"(?:const |_Thread_local |_Atomic |atomic_\w+ |volatile |struct \w+ |unsigned |bool |int |char |void |FILE |[us]?size_t |u?int\d+_t |pid_t |sem_t "
        r"|pop_\w+ |pthread_\w+ )")
VARIABLE = re.compile(r"^([ \t]*(?:static |_Thread_local |__attribute__\(\(tls_model\(\"initial-exec\"\)\)\) )+(?!inline)" + TYPE + r"+)(\*(?:const )?)*\w+(?:\[[^\]]*\])*(?:, [^;(]*)?(?: =.*)?[;{]", re.M)


def is_mutable(match):
    """A pointer to const is mutable itself."""
    return not match.group(2).endswith("const ") if match.group(2) else "const " not in match.group(1)


@rule("state")
def state(tree):
    """Mutable variables with static storage in src are in the table "Mutable state" of architecture.md, by file."""
    page = tree.page("architecture.md")
    table = tree.text(page).split("## Mutable state", 1)[1].split("\n## ", 1)[0] if page else ""
    listed = set()
    for row in re.findall(r"^\| `([^`]+)`", table, re.M):
        directory = row.split("/")[0]
        listed |= {name if "/" in name else directory + "/" + name for name in row.split(", ")}
    found = set()
    for name in tree.select("src/*.c"):
        file, text = name[len("src/"):], tree.text(name)
        for match in filter(is_mutable, VARIABLE.finditer(text)):
            found.add(file)
            if file not in listed:
                yield Finding(name, line_of(text, match.start()), "not in the table of %s: %s" % (page, match.group(0).strip()))
    for file in sorted(listed - found):
        yield Finding(page, 0, "src/%s has no mutable state" % file)


@rule("threads")
def threads(tree):
    """Thread-local variables in src are of the model initial-exec: for those of any other the C library allocates memory at their first use in a thread, and
    ends the process where there is none. Codelets, and what popc writes around them, have none at all: their objects are loaded while a program runs."""
    for name in tree.select("src/*.c", "src/*.h"):
        for at, line in enumerate(tree.text(name).split("\n"), 1):
            if re.search(r"\b(?:_Thread_local|__thread|thread_local)\b", line.split("/*")[0]) and 'tls_model("initial-exec")' not in line:
                yield Finding(name, at, "a thread-local variable that is not initial-exec")


APART = ("src/base", "src/poplibs")  # a header for each source: other directories choose from them
NAMED_DIFFERENTLY = {"src/pva": "src/pva/reader.h", "src/poputil": "src/poputil/support.h"}  # <pva/pva.h> and <poputil/poputil.h> are public


def header_of(directory):
    """The header of a directory's functions: src/popops/reduce/reduce.h."""
    return NAMED_DIFFERENTLY.get(directory, "%s/%s.h" % (directory, os.path.basename(directory)))


def owns_something(text):
    """Whether a header has a type, a macro or an inline function; otherwise it only declares functions."""
    code = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    code = re.sub(r"\A\s*#ifndef (\w+)\s*#define \1\b|#\s*(?:include|endif)\b.*", "", code)
    return bool(re.search(r"[{#]|\btypedef\b", code))


def may_declare(header, source):
    """A source's functions are declared in its own header, in the header of its directory, or in that of its prefix (asm.h for asm_names.c)."""
    directory, name = os.path.split(source[:-len(".c")])
    own = os.path.dirname(header) == directory and (name + "_").startswith(os.path.basename(header)[:-len(".h")] + "_")
    return own or header == header_of(directory)


@rule("declarations")
def declarations(tree):
    """A directory of src has one header that only declares functions, which bears the directory's name (src/D/d.h); a source has a header of its own where there is a
    type to own (or a macro or an inline function). Functions are declared in one of these, or in the header of the source's prefix (asm.h for asm_names.c).
    Exceptions: public interfaces (include), pass_*, the compiler's list of passes, and base and poplibs, with a header for each source."""
    tree.tool("ctags", package="universal-ctags")
    files = tree.select("src/*.c", "src/*.h")
    command = ["ctags", "--languages=C", "--langmap=C:.c.h", "--kinds-C=fp", "--fields=+Kn", "-o", "-", "-L", "-"]
    done = subprocess.run(command, cwd=tree.root, input="\n".join(files), stdout=subprocess.PIPE, text=True, check=True)
    defined, declared = {}, []
    for tag in (line.split("\t") for line in done.stdout.splitlines()):
        name, file, kinds = tag[0], tag[1], tag[3:]
        if "file:" in kinds or file.count("/") < 2:
            continue
        line = next((int(kind[len("line:"):]) for kind in kinds if kind.startswith("line:")), 0)
        library = file.split("/")[1]
        if "function" in kinds and file.endswith(".c"):
            defined[library, name] = file
        elif "prototype" in kinds and file.endswith(".h"):
            declared.append((file, line, name, library))
    for file, line, name, library in declared:
        source = defined.get((library, name))
        if source and not name.startswith("pass_") and not may_declare(file, source):
            yield Finding(file, line, "declares %s, which is defined in %s" % (name, source))
    alone = collections.defaultdict(list)
    for file in sorted({file for file, *_ in declared}):
        if not owns_something(tree.text(file)) and os.path.dirname(file) not in APART:
            alone[os.path.dirname(file)].append(file)
    for directory, headers in alone.items():
        for file in headers if len(headers) > 1 else []:
            if file != header_of(directory):
                yield Finding(file, 0, "only declares functions: %s is the header for these" % header_of(directory))


@rule("prefixes")
def prefixes(tree):
    """A name of src with the prefix of a public interface (pop_, and PREFIX_ of each directory of include) is declared in a header of include: functions,
    variables and tags that are not do not bear it."""
    tree.tool("ctags", package="universal-ctags")
    names = sorted({file.split("/")[1] for file in tree.select("include/*/*.h")} - {"poplar"} | {"pop"})
    public = set(re.findall(r"\w+", " ".join(tree.text(file) for file in tree.select("include/*.h", "include/*.def"))))
    command = ["ctags", "--languages=C", "--langmap=C:.c.h", "--kinds-C=fpvsegu", "--fields=n", "-o", "-", "-L", "-"]
    done = subprocess.run(command, cwd=tree.root, input="\n".join(tree.select("src/*.c", "src/*.h")), stdout=subprocess.PIPE, text=True, check=True)
    bears = re.compile("(?:%s)_" % "|".join(names))
    for name, file, *_, line in (tag.split("\t") for tag in done.stdout.splitlines()):
        if bears.match(name) and name not in public:
            yield Finding(file, int(line[len("line:"):]), "%s is private, but has a public prefix" % name)


OF_POPLAR = {"half"}  # names that Poplar gives without a prefix to C codelets


@rule("public-names")
def public_names(tree):
    """Names that a public C header defines (functions, macros, types, enumerators, variables) bear the prefix of a directory of include, or pop_, popc_ or POPI_
    (what macros of poplar/vertex.h are made of); a macro that the header undefines need not. Headers of Poplar's codelets (ipudef.h, print.h, arch, AvailableVTypes.h) have Poplar's names."""
    tree.tool("ctags", package="universal-ctags")
    files = [file for file in tree.select("include/*/*.h") if not re.match(r"include/(arch|ipu\w*)/|.*/AvailableVTypes\.h$", file)]
    prefixes = "|".join(sorted({file.split("/")[1] for file in files} | {"pop", "popc", "popi"}))
    allowed = re.compile("(?i:%s)_|__anon" % prefixes)
    command = ["ctags", "--languages=C", "--langmap=C:.c.h", "--kinds-C=fpvsegutd", "--fields=n", "-o", "-", "-L", "-"]
    done = subprocess.run(command, cwd=tree.root, input="\n".join(files), stdout=subprocess.PIPE, text=True, check=True)
    for name, file, *_, line in (tag.split("\t") for tag in done.stdout.splitlines()):
        number = int(line[len("line:"):])
        local = re.match(r" +typedef", tree.lines(file)[number - 1])
        undefined = re.search(r"^# *undef %s\b" % name, tree.text(file), re.M)
        if not (allowed.match(name) or name in OF_POPLAR or local or undefined):
            yield Finding(file, number, "%s has no prefix: every includer gets the name" % name)


FLOAT_FORMAT = r"L?[aAeEfFgG]"
NUMBERS = (  # what, what else must be in the statement, where the rule does not hold, what to call instead, what the function depends on
    (r"(?<!\w)(strto(?:d|f|ld)|ato[fil]|atoll|sto(?:d|f|ld))(?:_l)? *\(", None, None, "pop_text_to_double, strtol", "locale"),
    (r"(?<!\w)v?[sf]?scanf *\(", r"%[*0-9]*l*[aefgAEFG]", None, "pop_text_to_double", "locale"),
    (r"(?<!\w)v(?:sn|s|f|as|d)?printf *\(", None, r"^tools/", "pop_text_vformat", "locale"),
    (r"(?<!\w)(?:is(?:alpha|alnum|digit|xdigit|space|blank|print|punct|upper|lower|cntrl|graph)|to(?:upper|lower)|strn?casecmp|strcoll|strxfrm) *\(", None, None,
     "the classes of poplar/text.h", "locale"),
    (r"(?<!\w)(?:localtime|localtime_r|mktime|ctime|ctime_r|asctime|strftime|put_time|tzset) *\(", None, None, "gmtime_r", "time zone"),
    (r"(?<!\w)(?:strerror|strerror_r|perror) *\(", None, None, "pop_text_from_errno", "locale"),
    (r"(?<!\w)(?:sn|s|f|as|d)?printf *\(", r"%[-+ #0]*[0-9*]*(?:\.[0-9*]*)?" + FLOAT_FORMAT, None, "pop_text_format", "locale"),
    (r"%[-+ #0]*'[-+#0]*[0-9*]*(?:\.[0-9*]+)?(?:hh?|ll?|[jzt])?[diufFgG]", None, None, "no ' flag", "locale"),
    (r"std::(?:regex|[io]?stringstream|locale\(|isalpha|isspace|tolower|toupper)", r"^(?!.*imbue\(std::locale::classic)", r"(?<!pp)$", "std::string and poplar/text.h",
     "locale"),
    (r"<< *[a-z_.]*(?:count|size\(\)|lower|upper|cycles|memory|rows|columns|batchSize|numChannels|\.k|list\[i\])(?= |;|$)", None, r"(?<!pp)$", "std::to_string", "locale"),
)
NUMBERS = [(re.compile(what), other and re.compile(other), not_in and re.compile(not_in), instead, on) for what, other, not_in, instead, on in NUMBERS]
STATEMENT_END = re.compile(r"[;{}] *\\?( */[/*].*)?$|^ *#|^$")


def statements(lines):
    """First line and text of each statement, without comments."""
    text, first = "", 1
    for at, line in enumerate(lines, 1):
        line = re.sub(r"^ *//.*|^ *(/\*|\*).*", "", line)
        line = re.sub(r"/\*[^*]*\*/", "", line)
        if not text:
            first = at
        text += " " + line
        if STATEMENT_END.search(line):
            yield first, text
            text = ""


@rule("numbers")
def numbers(tree):
    """Numbers that the library reads and writes do not depend on the locale or the time zone: only src/base/text.c calls the functions of the C library that
    do (include/poplar/text.h has the functions to call instead; commands set no locale, so their own messages may use vfprintf). C++ headers write numbers
    to streams as text, since a stream may group digits."""
    for name in tree.select("src/*", "include/*", "tools/*"):
        if "json_load" in tree.text(name) and "pop_text_begin" not in tree.text(name):
            yield Finding(name, 0, "jansson reads numbers in the format of the locale: call it between pop_text_begin and pop_text_end")
        if not name.endswith((".c", ".h", ".hpp", ".cpp", ".def")) or name == "src/base/text.c":
            continue
        for line, statement in statements(tree.lines(name)):
            for what, other, not_in, instead, on in NUMBERS:
                match = what.search(statement)
                if match and (not other or other.search(statement)) and not (not_in and not_in.search(name)):
                    yield Finding(name, line, "%s follows the %s: use %s" % (match.group().strip(), on, instead))


CALLS = ("poputil", "popops", "poprand", "poplin", "popnn")
CALL = re.compile(r"^[a-z][\w *]* \*?(pop[a-z0-9_]*_at)\(pop_where[^;{]*?\)\s*\n\{\n([^\n]*)", re.M)


@rule("calls")
def calls(tree):
    """Each public call of an operation library makes its struct call in its first line (src/poplibs/call.h)."""
    for name in tree.select(*("src/%s/*.c" % library for library in CALLS)):
        for match in CALL.finditer(tree.text(name)):
            if not match.group(0).startswith("static") and "POPLIBS_CALL" not in match.group(2):
                yield Finding(name, line_of(tree.text(name), match.start()), "%s does not begin with POPLIBS_CALL" % match.group(1))
