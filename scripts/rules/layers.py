# SPDX-License-Identifier: Apache-2.0
"""Which directory may include which (docs/decisions/0001-layers-and-one-library.md, 0016-subdirectories.md)."""
import os
import re

from .tree import Finding, line_of, rule

LAYERS = {"base": 1, "value": 2, "pvti": 3, "pva": 3, "target": 2, "tile": 3, "popc": 3, "graph": 3, "program": 3, "image": 3, "compiler": 4, "timeline": 4,
          "profile": 5, "report": 6, "engine": 7, "mpi": 8}
LIBRARIES = ("poputil", "popsolver", "popops", "poprand", "poplin", "popnn", "popsparse", "popfloat", "gcl", "onnx", "popef", "popdist")  # each may use those before it
READERS = ("pva", "pvti")
OTHERS = ("analyser/server", "tools", "bench")  # only cycles are refused there, of directories and of files (a source and its header are one)
INCLUDE = re.compile(r'^ *# *include *(["<])([^">]*)[">]', re.M)


class Edges:
    """Includes between directories: from each, those that it includes, and where."""

    def __init__(self):
        self.next, self.place = {}, {}

    def add(self, source, target, place):
        if source != target and (source, target) not in self.place:
            self.place[source, target] = place
            self.next.setdefault(source, []).append(target)

    def cycles(self, what):
        """A finding for each cycle, at its last include."""
        done, path = set(), []

        def visit(node):
            path.append(node)
            for other in self.next.get(node, []):
                if other in path:
                    circle = path[path.index(other):] + [other]
                    steps = ["%s -> %s (%s:%u)" % (a, b, *self.place[a, b]) for a, b in zip(circle, circle[1:])]
                    yield Finding(*self.place[node, other], what + " include each other in a cycle:\n    " + "\n    ".join(steps))
                elif other not in done:
                    yield from visit(other)
            path.pop()
            done.add(node)

        for node in list(self.next):
            if node not in done:
                yield from visit(node)


def of_public(source, target, name, public):
    """What is wrong with an include of a public header."""
    rank = LIBRARIES.index
    allowed = target not in LIBRARIES or (source in LIBRARIES and rank(target) <= rank(source)) or (source == "poplibs" and target in ("poputil", "popops"))
    if not allowed:
        yield "%s includes <%s>, which is above it" % (source, name)
    if not public and source in LIBRARIES and name.endswith(".hpp"):
        yield "<%s> is C++" % name


def of_private(source, target, name):
    """What is wrong with an include of a header of src."""
    if source in LIBRARIES or source == "poplibs":
        if target not in (source, "poplibs"):
            yield '%s includes "%s": a library sees public headers alone' % (source, name)
        return
    if source in READERS and target not in (source, "base", "value"):
        yield "%s includes %s: a reader links without compiler and engine" % (source, name)
    if target in READERS and target != source:
        yield "%s includes %s: readers are for those who have files" % (source, name)
    if source not in LAYERS:
        yield "directory %s has no layer (scripts/rules/layers.py)" % source
    elif target not in LAYERS:
        yield 'include "%s" names no known directory' % name
    elif LAYERS[target] > LAYERS[source]:
        yield "%s includes %s, which is above it" % (source, name)


@rule("layers")
def layers(tree):
    """An include in src goes to the same layer or a lower one; directories do not include each other in a cycle, nor do sub-directories, in src, the
    analyser's server, the tools and the benchmarks; in the last three, files (a source and its header) do not either. Operation libraries use only public
    headers, of libpoplar and of libraries before them, and src/poplibs, which they share. Readers of files (pva, pvti) use only base and value."""
    edges = Edges()
    for file in tree.select("src/*.c", "src/*.h", "src/*.cpp", "include/*.h", "include/*.cpp", "include/pop*/*.hpp"):
        public, source = file.startswith("include/"), file.split("/")[1]
        for match in INCLUDE.finditer(tree.text(file)):
            line, quoted, name = line_of(tree.text(file), match.end()), match.group(1) == '"', match.group(2)
            target = name.split("/")[0]
            if "/" not in name:
                if quoted and not public:
                    yield Finding(file, line, 'include "%s" names no directory' % name)
                continue
            if quoted and not public:
                place = (file, line)
                if source == target:
                    edges.add(os.path.dirname(file[len("src/"):]), os.path.dirname(name), place)
                else:
                    edges.add(source, target, place)
            wrong = of_private(source, target, name) if quoted and not public else of_public(source, target, name, public)
            yield from (Finding(file, line, text) for text in wrong)
    files = Edges()
    for place in OTHERS:
        for file in tree.select(place + "/*.c", place + "/*.h", place + "/*.cpp", place + "/*.hpp"):
            for match in INCLUDE.finditer(tree.text(file)):
                target = next((path for path in (os.path.join(place, match.group(2)), os.path.join(os.path.dirname(file), match.group(2))) if tree.exists(path)), None)
                if match.group(1) == '"' and target:
                    target, here = os.path.normpath(target), (file, line_of(tree.text(file), match.end()))
                    edges.add(os.path.dirname(file), os.path.dirname(target), here)
                    files.add(os.path.splitext(file)[0], os.path.splitext(target)[0], here)
    yield from edges.cycles("directories")
    yield from files.cycles("files")
