# SPDX-License-Identifier: Apache-2.0
"""Reads the tables of public calls and the lists of exceptions."""
import os
import re

RELEASES = ("1.2", "3.4")
NAME = r"(?:\S+::operator [^()]+?(?= \()|\S+)"
ROW = re.compile(r"(1\.2|3\.4|both) +(deleted-)?(\w+) (%s)(?: \((.*?)\)(?: -> (.*))?| = (-?\d+)| : (.*))?$" % NAME)
# What the tables leave out: names of the standard library and of poplar that stand in every other row.
SHORT = {name: "std::" + name for name in "string vector pair array function".split()}
SHORT.update({name: "poplar::" + name for name in ("Graph Tensor Type ComputeSet OptionFlags DebugContext DebugNameAndId Target StringRef Interval "
                                                   "ArrayRef TensorCloneMethod").split()})
SHORT.update({name: "poplar::program::" + name for name in ("Sequence", "Program")})
SHORT["ULL"] = "unsigned long long"


SHORT_NAME = re.compile(r"(?<![\w:])(%s)(?!\w|::)" % "|".join(SHORT))


def whole(text):
    """A type with all its names in full."""
    return SHORT_NAME.sub(lambda match: SHORT[match.group()], text)


def split_types(text):
    """The types of a list, at the commas that stand in no brackets."""
    types, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "<(") - (letter in ">)")
        if letter == "," and not depth:
            types.append(text[start:at].strip())
            start = at + 1
    last = text[start:].strip()
    return types + [last] if last else types


class Row:
    """One public name: its header, kind, types of arguments (the first `least` have no default), and result, type or value."""

    def __init__(self, header, text):
        match = ROW.match(text)
        if not match:
            raise SystemExit("interface: cannot read the row '%s' of %s" % (text, header))
        release, deleted, self.kind, self.name, types, result, value, of = match.groups()
        self.header, self.text = header, text
        self.scope, self.last = re.match(r"(.*?)::(operator.*|[^:]*)$", self.name).groups()
        self.releases = RELEASES if release == "both" else (release,)
        self.deleted = bool(deleted)
        leading, _, rest = (types or "").partition("|")
        first, more = split_types(whole(leading)), split_types(whole(rest))
        self.types, self.least = first + more, len(first)
        self.result = whole(result or of or value or "")


def _entries(path):
    """(header, reason, row) of a file: lines that continue a row are indented."""
    header = reason = None
    texts = []
    with open(path) as file:
        for line in file.read().split("\n"):
            if line.startswith(" ") and texts:
                texts[-1][2] += " " + line.strip()
            elif re.match(r"\w+/[\w/]+\.hpp(:| \*)?$", line):
                header = line.rstrip(":").replace(" *", "")
                if line.endswith("*"):
                    texts.append([header, reason, "*"])
            elif line.startswith("because "):
                reason = line[len("because "):]
            elif line and not line.startswith("#"):
                texts.append([header, reason, line])
    return texts


def read_table(path):
    return [Row(header, text) for header, _, text in _entries(path)]


def read_exceptions(path, table):
    """The rows of the table that a list of exceptions names; a row that the table has not, or without a reason, is an error."""
    known = {(row.header, row.text): row for row in table}
    excepted = set()
    for header, reason, text in _entries(path) if os.path.exists(path) else []:
        if not reason:
            raise SystemExit("interface: %s: no reason for '%s'" % (path, text))
        if text == "*":
            excepted |= {row for row in table if row.header == header and not row.deleted}
        elif (header, text) in known:
            excepted.add(known[header, text])
        else:
            raise SystemExit("interface: %s: %s has no row '%s'" % (path, header, text))
    return excepted
