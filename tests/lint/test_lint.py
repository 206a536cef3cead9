#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each rule of scripts/lint passes over a small tree that keeps it and names the file and line of one that breaks it."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

PROJECT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
LINT = os.path.join(PROJECT, "scripts", "lint")
LICENCE = "/* SPDX-License-Identifier: Apache-2.0 */\n"
MACHINE = "/".join(("", "home", "someone", "data"))

# rule: (files of a tree that keeps it, files that are added or replaced to break it, what must be printed, in this order)
CASES = {
    "licences": ({"src/base/a.c": LICENCE}, {"src/base/b.c": "int b;\n"}, ["src/base/b.c: licences: no SPDX line"]),
    "paths": ({"docs/a.md": "data/x\n"}, {"docs/b.md": "line\nsee %s\n" % MACHINE}, ["docs/b.md:2: paths: "]),
    "links": ({"docs/README.md": "[a](a.md)\n", "docs/a.md": "[up](README.md)\n"},
              {"docs/a.md": "x\n[gone](none.md)\n", "docs/new.md": "x\n", "src/base/a.c": "\n/* docs/gone.md */\n"},
              ["docs/README.md: links: does not name new.md", "docs/a.md:2: links: no file 'none.md'", "src/base/a.c:2: links: no file 'docs/gone.md'"]),
    "columns": ({"docs/a.md": "short\n| %s |\n" % ("x " * 100)}, {"docs/b.md": "x\n%s\n" % ("x " * 100)}, ["docs/b.md:2: columns: has 200 columns"]),
    "words": ({"docs/a.md": "A receiver.\n"}, {"docs/b.md": "A reciever.\n"}, ["docs/b.md:1: words: reciever ==> receiver"]),
    "shell": ({"run": "#!/bin/sh\necho \"$1\"\n"}, {"bad": "#!/bin/sh\ncd \"$1\"\nread a b <<E\nx\nE\n[ $a == b ]\n"}, ["bad:"]),
    "format": ({".clang-format": "BasedOnStyle: LLVM\n", "src/base/a.c": "int a;\n"}, {"src/base/b.c": "int   b;\n"}, ["src/base/b.c:1: format: "]),
    "budget": ({"src/base/a.c": "int f(void)\n{\n    return 1;\n}\n"},
               {"src/base/b.c": "int f(void)\n{\n%s    return 1;\n}\n" % ("    g();\n" * 80), "analyser/c.c": "\n" * 700,
                "scripts/budget.txt": "file src/base/a.c a.c 900\n"},
               ["analyser/c.c:1: budget: file c.c has 700 lines (allowed: 600)",
                "scripts/budget.txt: budget: file src/base/a.c a.c is within its limit now", "scripts/budget.txt:1: budget: file src/base/a.c a.c has no reason",
                "src/base/b.c:1: budget: function f has 84 lines (allowed: 70)"]),
    "page-budget": ({"analyser/page/a.ts": "export function short(): void {\n  f();\n}\n"},
                    {"analyser/page/b.tsx": "const x = 1;\nexport function Long(\n  a: number,\n): void {\n%s}\nconst arrow = () => {\n%s};\n" % ("  f();\n" * 80, "  f();\n" * 75)},
                    ["analyser/page/b.tsx:2: page-budget: function Long has 84 lines (allowed: 70)",
                     "analyser/page/b.tsx:86: page-budget: function arrow has 77 lines (allowed: 70)"]),
    "tags": ({"src/base/a.h": "struct a {\n};\n", "src/popops/a.c": "struct a {\n};\n"}, {"src/graph/b.c": "\nstruct a {\n};\n"},
             ["src/base/a.h:1: tags: 'a' is defined elsewhere as well: src/graph/b.c:2"]),
    "state": ({"docs/architecture.md": "## Mutable state\n| `base/a.c` | why |\n", "src/base/a.c": "static int count;\n"},
              {"src/base/a.c": "static const int count;\n", "src/base/b.c": "\nstatic const char *last;\n"},
              ["docs/architecture.md: state: src/base/a.c has no mutable state", "src/base/b.c:2: state: not in the table"]),
    "threads": ({"src/base/a.c": "static _Thread_local __attribute__((tls_model(\"initial-exec\"))) int a;\n"},
                {"src/base/b.c": "/* no _Thread_local */\nstatic _Thread_local int b;\n", "src/popc/c.c": "\"static __thread int c;\\n\"\n"},
                ["src/base/b.c:2: threads: a thread-local variable", "src/popc/c.c:1: threads: "]),
    "declarations": ({"src/base/a.c": "int f(void)\n{\n    return 1;\n}\n", "src/base/a.h": "int f(void);\n",
                      "src/graph/a/a.h": "int g(void);\nint h(void);\n", "src/graph/a/g.c": "int g(void)\n{\n    return 1;\n}\n",
                      "src/graph/a/h.c": "int h(void)\n{\n    return 1;\n}\n", "src/graph/a/i.h": "struct i {\n    int j;\n};\nint i_first(void);\n",
                      "src/graph/a/i_one.c": "int i_first(void)\n{\n    return 1;\n}\n"},
                     {"src/base/b.h": "\nint f(void);\n", "src/graph/a/h.h": "/* { */\n#ifndef H\n#define H\n#include <stddef.h>\nint h(void);\n#endif\n",
                      "src/graph/a/i.h": "struct i {\n    int j;\n};\nint i_first(void);\nint h(void);\n"},
                     ["src/base/b.h:2: declarations: declares f, which is defined in src/base/a.c",
                      "src/graph/a/h.h: declarations: only declares functions: src/graph/a/a.h is the header for these",
                      "src/graph/a/i.h:5: declarations: declares h, which is defined in src/graph/a/h.c"]),
    "prefixes": ({"include/popops/a.h": "POP_API void popops_a(void);\n", "src/popops/a.c": "void popops_a(void)\n{\n}\nvoid poplibs_b(void)\n{\n}\n"},
                 {"src/popops/b.c": "struct popops_b {\n    int pop_member;\n};\nvoid popops_c(struct popops_b *b)\n{\n    int popops_local;\n}\n",
                  "src/base/c.h": "void pop_d(void);\n"},
                 ["src/base/c.h:1: prefixes: pop_d is private, but has a public prefix", "src/popops/b.c:1: prefixes: popops_b is private",
                  "src/popops/b.c:4: prefixes: popops_c is private"]),
    "public-names": ({"include/popops/a.h": "#define POPOPS_A 1\n#define ONCE 2\n#undef ONCE\nenum { POPOPS_B };\nvoid pop_c(int d);\n"},
                     {"include/popops/b.h": "\nenum { BLOCK = 3 };\n#define JOIN(a, b) a##b\nstatic inline void widen(void)\n{\n}\n"},
                     ["include/popops/b.h:2: public-names: BLOCK has no prefix", "include/popops/b.h:3: public-names: JOIN has no prefix",
                      "include/popops/b.h:4: public-names: widen has no prefix"]),
    "numbers": ({"src/base/a.c": "x = pop_text_to_double(text);\n", "src/base/text.c": "x = strtod(text, NULL);\n"},
                {"src/base/b.c": "int y;\nx = strtod(text, NULL);\n"}, ["src/base/b.c:2: numbers: strtod( follows the locale: use pop_text_to_double"]),
    "calls": ({"src/popops/a.c": "void pop_ops_a_at(pop_where where, int a)\n{\n    POPLIBS_CALL(graph, where, \"a\");\n}\n"},
              {"src/popops/b.c": "void pop_ops_b_at(pop_where where,\n    int b)\n{\n    work();\n}\n"},
              ["src/popops/b.c:1: calls: pop_ops_b_at does not begin with POPLIBS_CALL"]),
    "layers": ({"src/base/a.c": '#include "base/a.h"\n', "src/graph/b.c": '#include "base/a.h"\n'},
               {"src/base/up.c": '#include "graph/b.h"\n', "src/popops/c.c": '#include "graph/b.h"\n', "src/poplin/d.c": "\n#include <popnn/Lstm.h>\n",
                "analyser/server/x/a.h": '#include "../y/b.h"\n', "analyser/server/y/b.h": '#include "../x/a.h"\n', "analyser/server/main.c": "\n",
                "tools/p.c": '#include "q.h"\n', "tools/q.h": '\n', "tools/q.c": '\n#include "r.h"\n', "tools/r.h": '#include "p.h"\n', "tools/p.h": '\n'},
               ["analyser/server/y/b.h:1: layers: directories include each other in a cycle", "src/base/up.c:1: layers: base includes graph/b.h, which is above it",
                "src/poplin/d.c:2: layers: poplin includes <popnn/Lstm.h>, which is above it", "src/popops/c.c:1: layers: popops includes \"graph/b.h\"",
                "tools/r.h:1: layers: files include each other in a cycle"]),
    "options": ({"src/base/options.def": "POP_OPTION(\"engine\", \"a.b\", BOOL, \"false\", \"prints\")\n", "src/engine/a.c": "get(\"a.b\");\n",
                 "tests/a.c": "set(\"a.b\");\n"},
                {"src/base/options.def": "POP_OPTION(\"engine\", \"a.b\", BOOL, \"false\", NULL)\nPOP_OPTION(\"engine\", \"c\", BOOL, \"false\", \"prints\")\n"},
                ["src/base/options.def:1: options: option a.b has no effect in the table, but something reads it",
                 "src/base/options.def:2: options: option c (engine) has an effect, but no test sets it",
                 "src/base/options.def:2: options: option c has an effect, but nothing reads it"]),
    "constants": ({"docs/reference/cost-constants.md": "| target/a.c | f_cycles(): 7 | guide |\n",
                   "src/target/a.c": "unsigned f_cycles(void)\n{\n    return 7;\n}\n"},
                  {"src/target/b.c": "#define SETUP 30\n"},
                  ["src/target/b.c: constants: docs/reference/cost-constants.md has no row: | target/b.c | SETUP = 30 |"]),
    "walks": ({"docs/walks.md": "## Walk\n1. `src/base/a.c` calls `f`.\n", "src/base/a.c": "int f;\n"},
              {"docs/walks.md": "## Walk\n1. `src/base/a.c` calls `g`.\n2. `none.c`\n3. `src/base/a.c` ends.\n"},
              ["docs/walks.md:2: walks: there is no 'g'", "docs/walks.md:3: walks: there is no 'none.c'", "docs/walks.md:4: walks: the walk goes back to src/base/a.c"]),
    "coverage": ({"tests/coverage.tsv": "popops\t-\tT1\tadd\tadd\ttests/test_popops.c\n", "tests/test_popops.c": "int x = pop_ops_add_at(1);\n"},
                 {"tests/test_popops.c": "int x = sub(1); /* add */\n", "tests/coverage.tsv": "popops\t-\tT1\tadd\tadd\ttests/test_popops.c\n"
                  "popops\t-\tT2\tmul\tmul\t\npopops\t-\tT3\trare\trare\t\ncpp\t1.1\tT1\tGraph()\tGraph\ttests/none.cpp\n"},
                 ["tests/coverage.tsv:1: coverage: tests/test_popops.c does not use add", "tests/coverage.tsv:2: coverage: no test: popops - mul",
                  "tests/coverage.tsv:4: coverage: there is no test tests/none.cpp"]),
    "headers": ({"include/poplar/a.h": "#ifndef A_H\n#define A_H\n#include <stddef.h>\nextern size_t a;\n#endif\n"},
                {"include/poplar/b.h": "#ifndef B_H\n#define B_H\nextern size_t b;\n#endif\n"}, ["include/poplar/b.h: headers: does not compile alone (gcc)"]),
    "cpp-headers": ({"include/poplar/A.hpp": "#pragma once\n#include <string>\n", "tests/headers/brought.hpp": "inline void f(std::string *) {}\n",
                     "include/poplar/detail/standard.hpp": "#pragma once\n#include <string>\n",
                     "include/poplar/C.hpp": "#pragma once\n#include <poplar/detail/standard.hpp>\nextern std::string c;\n"},
                    {"include/poplar/B.hpp": "#pragma once\n", "include/poplar/A.hpp": "#include <string>\ninline int twice() { return 1; }\n",
                     "include/poplar/detail/standard.hpp": "#pragma once\n#include <string>\n", "include/poplar/D.hpp": "#pragma once\nextern std::string none;\n",
                     "include/poplar/C.hpp": "#pragma once\n#include <poplar/detail/standard.hpp>\nextern std::vector<int> c;\n"},
                    ["include/poplar/A.hpp: cpp-headers: does not compile alone", "include/poplar/B.hpp: cpp-headers: does not compile alone",
                     "include/poplar/C.hpp: cpp-headers: does not compile alone", "include/poplar/D.hpp: cpp-headers: does not compile alone"]),
}


def write(root, files):
    for name, text in files.items():
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def lint(*arguments, **options):
    return subprocess.run([sys.executable, LINT, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **options)


class Rules(unittest.TestCase):
    def test_each_rule_names_what_breaks_it(self):
        for rule, (kept, broken, expected) in CASES.items():
            with self.subTest(rule=rule), tempfile.TemporaryDirectory() as root:
                write(root, kept)
                good = lint("--root", root, rule)
                if good.returncode == 77:
                    continue  # without its tool
                self.assertEqual((good.returncode, good.stdout), (0, ""), good.stderr)
                write(root, broken)
                bad = lint("--root", root, rule)
                self.assertEqual(bad.returncode, 1, bad.stdout + bad.stderr)
                found = iter(re.findall(r"(?m)^\S+: %s: .*" % rule, bad.stdout))
                for text in expected:
                    self.assertTrue(any(line.startswith(text) for line in found), "%s is not in\n%s" % (text, bad.stdout))

    def test_rules_without_their_tools_are_skipped_and_rewrite_nothing(self):
        with tempfile.TemporaryDirectory() as root:
            write(root, {"src/base/a.c": "int   f(void);\n", "scripts/budget.txt": "function src/base/a.c f 100 # a reason\n"})
            for arguments in (["budget"], ["declarations"], ["prefixes"], ["words"], ["shell"], ["format"], ["--write", "budget"], ["--write", "format"]):
                done = lint("--root", root, *arguments, env={"PATH": root})
                self.assertEqual((done.returncode, done.stdout), (77, ""), arguments)
                self.assertIn("is not installed: sudo apt-get install ", done.stderr)

    def test_every_rule_has_a_case_and_is_run(self):
        listed = set(re.findall(r"(?m)^([a-z-]+) ", lint("--list").stdout))
        self.assertEqual(listed, set(CASES))
        with open(os.path.join(PROJECT, "cmake", "checks.cmake"), encoding="utf-8") as file:
            run = re.search(r"set\(rules ([a-z\s-]+)\)", file.read()).group(1).split()
        self.assertEqual(set(run), listed)


class Writing(unittest.TestCase):
    def test_rewrites_keep_the_rule_and_the_reasons(self):
        long = "int f(void)\n{\n%s    return 1;\n}\n" % ("    g();\n" * 80)
        budget = "file src/base/a.c a.c 900 # gone\nfunction src/base/b.c f 200 # a lesson\n"
        cases = {
            "format": ({".clang-format": "BasedOnStyle: LLVM\n", "a.c": "int   a;\n"}, "a.c", "int a;\n"),
            "budget": ({"src/base/b.c": long, "scripts/budget.txt": budget}, "scripts/budget.txt", "function src/base/b.c f 84 # a lesson\n"),
            "constants": ({"docs/reference/cost-constants.md": "text\n\n| target/a.c | A = 3 | guide |\n| target/a.c | GONE = 4 | guide |\n",
                           "src/target/a.c": "#define A 3\n#define B 5\n"},
                          "docs/reference/cost-constants.md", "text\n\n| target/a.c | A = 3 | guide |\n| target/a.c | B = 5 | |\n"),
            "coverage": ({"tests/coverage.tsv": "popops\t-\tT1\tadd\tadd\ttests/gone.c\n", "tests/x/test_popops.c": "int add;\n"},
                         "tests/coverage.tsv", "popops\t-\tT1\tadd\tadd\ttests/x/test_popops.c\n"),
        }
        for rule, (files, name, expected) in cases.items():
            with self.subTest(rule=rule), tempfile.TemporaryDirectory() as root:
                write(root, files)
                done = lint("--root", root, "--write", rule)
                if done.returncode == 0:
                    with open(os.path.join(root, name), encoding="utf-8") as file:
                        self.assertEqual(file.read(), expected)

    def test_wrong_arguments_are_named(self):
        for arguments, text in ((["none"], "there is no rule 'none'"), (["--write"], "--write takes the names of rules"), (["--write", "tags"], "rewrites nothing")):
            done = lint(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
