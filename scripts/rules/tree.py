# SPDX-License-Identifier: Apache-2.0
"""A tree of files as the rules see it, the registry of rules, and what a rule finds."""
import collections
import fnmatch
import os
import re
import shutil
import subprocess

RULES = {}  # name -> function, in the order of the modules
Finding = collections.namedtuple("Finding", "file line text")  # line 0: of the whole file


def rule(name):
    """Registers a function under the name that `scripts/lint NAME` takes."""

    def register(function):
        RULES[name] = function
        return function

    return register


class Missing(Exception):
    """A tool that a rule needs is not installed; the rule is skipped."""

    def __init__(self, tool, package):
        super().__init__("%s is not installed: sudo apt-get install %s" % (tool, package))


class Tree:
    """The project's own files below a directory: those that git tracks, or, in an unpacked archive, everything but what the build makes. Texts are read once."""

    def __init__(self, root):
        self.root = os.path.abspath(root)
        self._texts = {}
        self._listings = {}
        self.files = sorted(self._list())

    def _list(self):
        if shutil.which("git"):
            tracked = subprocess.run(["git", "ls-files"], cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
            if tracked.returncode == 0 and tracked.stdout:
                return [name for name in tracked.stdout.splitlines() if os.path.isfile(self.path(name))]
        found = []
        for where, below, names in os.walk(self.root):
            below[:] = [name for name in below if name not in ("build", "dist", ".git", "node_modules", "__pycache__")]
            found += [os.path.relpath(os.path.join(where, name), self.root) for name in names]
        return found

    def path(self, name):
        return os.path.join(self.root, name)

    def exists(self, name):
        return os.path.exists(self.path(name))

    def text(self, name):
        if name not in self._texts:
            with open(self.path(name), encoding="utf-8", errors="replace") as file:
                self._texts[name] = file.read()
        return self._texts[name]

    def lines(self, name):
        return self.text(name).split("\n")

    def select(self, *patterns):
        """Files that one of the patterns matches ('*' stands for '/' too), sorted."""
        if patterns not in self._listings:
            expression = re.compile("|".join(fnmatch.translate(pattern) for pattern in patterns))
            self._listings[patterns] = [name for name in self.files if expression.match(name)]
        return self._listings[patterns]

    def page(self, name):
        """The page of docs with a file name, whatever group it is in; None without one."""
        return next(iter(self.select("docs/" + name, "docs/*/" + name)), None)

    def run(self, command, **options):
        """What a command run at the root printed, its errors included, and its status."""
        done = subprocess.run(command, cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False, **options)
        return done.stdout, done.returncode

    def tool(self, *names, package=None):
        """The first of the names that is a command."""
        for name in names:
            if shutil.which(name):
                return name
        raise Missing(names[-1], package or names[-1])


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1
