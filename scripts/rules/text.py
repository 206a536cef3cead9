# SPDX-License-Identifier: Apache-2.0
"""Rules of all files: licence, paths, links, spelling, shell scripts, format."""
import os
import re

from .tree import Finding, line_of, rule

# Texts, data, and formats without comments.
WITHOUT_LICENCE = re.compile(r"(^|/)(LICENSE|\.gitignore|\.clang-format|.*\.(md|json|ipynb|txt|csv|expected|words|gp|bin|png|jpg|onnx))$|^tests/.*/(corpus|data|expected)/")
# Written so that the line itself is none.
MACHINE_PATH = re.compile(r"(^|[^A-Za-z0-9_.}])/(wor[k]|roo[t]|far[m]|hom[e])/")
SPELLED = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/*", "src/*", "include/*", "tools/*", "bench/*", "examples/*", "scripts/*", "cmake/*",
           "python/*", "analyser/*")
NOT_SPELLED = re.compile(r"^analyser/page/dist/|package-lock\.json$|\.svg$|\.(png|jpg)$")
SPELLINGS = "inout,lod,nin,bu,iif,coo"  # words of the field that codespell does not know
SOURCES = ("*.c", "*.h", "*.cc", "*.cpp", "*.hpp")
TEXT_COLUMNS = 160
AT_ONCE = 40  # files per run of a tool


@rule("licences")
def licences(tree):
    """Every source file, script and build file names its licence in its first three lines."""
    for name in tree.files:
        if WITHOUT_LICENCE.search(name) and not name.endswith("CMakeLists.txt"):
            continue
        if not any("SPDX-License-Identifier: Apache-2.0" in line for line in tree.lines(name)[:3]):
            yield Finding(name, 0, "no SPDX line")


@rule("paths")
def paths(tree):
    """No file contains a path of one particular machine."""
    for name in tree.files:
        for match in MACHINE_PATH.finditer(tree.text(name)):
            yield Finding(name, line_of(tree.text(name), match.end()), "a path of one machine")


UNLISTED = ("docs/README.md", "docs/decisions/", "docs/api/")  # docs/README.md need not name these
NAMED_PAGE = re.compile(r"\bdocs/[A-Za-z0-9_/.-]+\.(?:md|svg|png|[1-9])\b")


@rule("links")
def links(tree):
    """Every relative link of a Markdown file has a target, every docs/FILE that any file names exists, and docs/README.md names every page."""
    for name in tree.select("*.md"):
        text = re.sub(r"^```.*?^```", lambda block: "\n" * block.group().count("\n"), tree.text(name), flags=re.M | re.S)
        for match in re.finditer(r"\]\(([^)#: \n]+)", text):
            if not tree.exists(os.path.join(os.path.dirname(name), match.group(1))):
                yield Finding(name, line_of(text, match.start()), "no file '%s'" % match.group(1))
    index = tree.text("docs/README.md") if tree.exists("docs/README.md") else ""
    for name in tree.select("docs/*.md"):
        if not name.startswith(UNLISTED) and "(%s)" % name[len("docs/"):] not in index:
            yield Finding("docs/README.md", 0, "does not name %s" % name[len("docs/"):])
    for name in tree.files:
        if "/dist/" in name or name.startswith(("CHANGELOG", "tests/lint/")):
            continue
        for match in NAMED_PAGE.finditer(tree.text(name)):
            if not tree.exists(match.group()):
                yield Finding(name, line_of(tree.text(name), match.start()), "no file '%s'" % match.group())


@rule("columns")
def columns(tree):
    """Lines of text in Markdown have at most 160 columns; rows of tables, code and links on their own may be longer."""
    for name in tree.select("*.md"):
        text = re.sub(r"^```.*?^```", lambda block: "\n" * block.group().count("\n"), tree.text(name), flags=re.M | re.S)
        for at, line in enumerate(text.split("\n"), 1):
            if len(line) > TEXT_COLUMNS and " " in line[:TEXT_COLUMNS] and not line.lstrip().startswith(("|", "<", "[", "![")):
                yield Finding(name, at, "has %u columns (allowed: %u)" % (len(line), TEXT_COLUMNS))


@rule("words")
def words(tree):
    """Spelling, by codespell, of what people read: sources, documents, scripts. Tests contain misspelt names on purpose."""
    codespell = tree.tool("codespell")
    chosen = [name for name in tree.select(*SPELLED) if not NOT_SPELLED.search(name)]
    output, _ = tree.run([codespell, "-L", SPELLINGS] + chosen)
    for file, line, text in re.findall(r"(?m)^(.+?):(\d+): (.* ==> .*)$", output):
        yield Finding(file, int(line), text)


@rule("shell")
def shell(tree):
    """Shell scripts have no warning of shellcheck."""
    shellcheck = tree.tool("shellcheck")
    scripts = [name for name in tree.files if re.match(r"#!/bin/(ba)?sh", tree.text(name)[:16])]
    output, _ = tree.run([shellcheck, "-S", "warning", "-f", "gcc"] + scripts) if scripts else ("", 0)
    for file, line, text in re.findall(r"(?m)^(.+?):(\d+):\d+: (.*)$", output):
        yield Finding(file, int(line), text)


@rule("format")
def clang_format(tree):
    """Every C and C++ file has the format of clang-format 14 with the project's .clang-format; `--write` rewrites files that differ."""
    tool, files = tree.tool("clang-format-14", "clang-format"), tree.select(*SOURCES)
    for at in range(0, len(files), AT_ONCE):
        output, _ = tree.run([tool, "--dry-run", "--Werror"] + files[at : at + AT_ONCE])
        for file, line, text in re.findall(r"(?m)^(.+?):(\d+):\d+: error: (.*)$", output):
            yield Finding(file, int(line), text)


def write_format(tree):
    """A few rounds, until it is stable."""
    tool, files = tree.tool("clang-format-14", "clang-format"), tree.select(*SOURCES)
    for _ in range(3):
        for at in range(0, len(files), AT_ONCE):
            tree.run([tool, "-i"] + files[at : at + AT_ONCE])


clang_format.write = write_format
