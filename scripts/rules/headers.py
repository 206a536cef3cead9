# SPDX-License-Identifier: Apache-2.0
"""Public headers compile alone, in C and C++."""
import concurrent.futures
import fnmatch
import os
import re
import shutil
import subprocess
import tempfile

from .tree import Finding, Missing, rule

WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-fsyntax-only", "-Iinclude")
STANDARDS = os.environ.get("STANDARDS", "11 20").split()  # of C++; check-all has all four
ALL_STANDARDS = bool(os.environ.get("EACH"))  # each header with each compiler and standard, instead of with the first of each
SHOWN = 12  # lines of a compiler
STANDARD = "poplar/detail/standard.hpp"  # what headers of programs bring of the standard library
# Headers that need not bring names of the standard library: lists of names and values, and headers of codelets.
BRINGS_NOTHING = """poplar/CodeletFileType.hpp poplar/DataStreamType.hpp poplar/FunctionBufferMappingType.hpp poplar/ReplicatedStreamMode.hpp
poplar/SerializationFormat.hpp poplar/SyncType.hpp poplar/TargetType.hpp poplar/TensorCloneMethod.hpp poplar/UpsampleMethod.hpp
poplar/VariableMappingMethod.hpp poplar/Quarter*.hpp poplar/*Half*.hpp poplar/InOutTypes.hpp poplar/Vector*Types.hpp poplar/VectorLayout.hpp
poplar/FieldTypes.hpp poplar/Alignment.hpp poplar/Loops.hpp poplar/TileConstants.hpp poplar/StackSizeDefs.hpp poplar/TypeTraits.hpp
poplar/replication_factor.hpp *Def.hpp popops/ExprOp*.hpp popops/SortOrder.hpp popops/EncodingConstants.hpp popfloat/experimental/GfloatExpr.hpp popsolver/Variable.hpp gccs/* pva/* pvti/*
*/detail/* */impl/* *.h ipu_* ipuvectormath""".split()
PROGRAMS = ("pop*/*", "gccs/*", "gcl/*", "pva/*", "pvti/*")  # other C++ headers are of codelets


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def compile_text(tree, command, text):
    """The first lines of a compiler's messages; none if it takes the text."""
    done = subprocess.run([*command, "-"], cwd=tree.root, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return "\n".join(done.stdout.splitlines()[:SHOWN]) if done.returncode else ""


def in_parallel(jobs):
    """Results of calls without arguments, in their order."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [done.result() for done in [pool.submit(job) for job in jobs]]


@rule("headers")
def headers(tree):
    """Each public C header compiles alone, included twice, in pedantic C11, with gcc and clang; so do the macros that users write (tests/headers)."""
    compilers = [name for name in ("gcc", "clang") if shutil.which(name)]
    if not compilers:
        raise Missing("gcc", "gcc")
    work = []
    for name in tree.select("include/pop*/*.h", "include/pv*/*.h", "include/tremula/*.h", "tests/headers/*.c"):
        include = "#include <%s>\n" % name[len("include/"):]
        text = tree.text(name) if name.endswith(".c") else include * 2 + "typedef int not_empty;\n"
        work += [(name, compiler, text) for compiler in compilers]

    def check(name, compiler, text):
        messages = compile_text(tree, [compiler, "-std=c11", *WARNINGS, "-Itests/headers", "-x", "c"], text)
        return messages and Finding(name, 0, "does not compile alone (%s)\n%s" % (compiler, messages))

    yield from filter(None, in_parallel([lambda job=job: check(*job) for job in work]))


def cpp_headers(tree):
    """Names, below include, of the C++ headers, and of those that codelets include."""
    chosen = tree.select("include/*.hpp", "include/ipu*", "include/print.h", "include/*AvailableVTypes.h", "include/arch/*.h")
    return [name[len("include/"):] for name in chosen]


def brings_standard(tree, header, seen):
    """Whether a header's includes lead to STANDARD."""
    path = "include/" + header
    if header in seen or not os.path.exists(os.path.join(tree.root, path)):
        return False
    seen.add(header)
    names = re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)', tree.text(path), re.MULTILINE)
    return STANDARD in names or any(brings_standard(tree, name, seen) for name in names)


def compile_standard(tree, directory):
    """Compiles STANDARD, which takes most of the time of a header that includes it.  Returns the options that use the result."""
    file = os.path.join(directory, "standard.hpp")
    with open(file, "w", encoding="utf-8") as out:
        out.write("#include <%s>\n" % STANDARD)
    options = [option for option in WARNINGS if option != "-fsyntax-only"]
    done = subprocess.run(["g++", "-std=c++" + STANDARDS[0], *options, "-x", "c++-header", file, "-o", file + ".gch"], cwd=tree.root,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return ["-Winvalid-pch", "-include", file] if done.returncode == 0 else []


def alone(tree, header, standard_options):
    """The finding of a header that does not compile alone, included twice, with the names that it must bring."""
    brought = "" if matches(header, BRINGS_NOTHING) else tree.text("tests/headers/brought.hpp")
    if header == "poplar/Vertex.hpp":
        brought = tree.text("tests/headers/brought_codelets.hpp")
    defines = [] if matches(header, PROGRAMS) else ["-D__POPC__"]
    if not ALL_STANDARDS and standard_options and not defines and brings_standard(tree, header, set()):
        defines, brought = standard_options, ""  # it brings what STANDARD brings, which is checked itself
    text = "#include <%s>\n" % header * 2 + brought
    for compiler in ("g++", "clang++") if ALL_STANDARDS else ("g++",):
        for standard in STANDARDS if ALL_STANDARDS else STANDARDS[:1]:
            messages = compile_text(tree, [compiler, "-std=c++" + standard, *WARNINGS, *defines, "-x", "c++"], text)
            if messages:
                return Finding("include/" + header, 0, "does not compile alone (%s, C++%s)\n%s" % (compiler, standard, messages))
    if ALL_STANDARDS and matches(header, ["poplar/*.hpp"]) and header.count("/") == 1:
        messages = compile_text(tree, ["g++", "-std=c++" + STANDARDS[0], *WARNINGS, "-DTREMULA_HEADER_ONLY", "-x", "c++"], text)
        if messages:
            return Finding("include/" + header, 0, "does not compile alone (TREMULA_HEADER_ONLY)\n%s" % messages)
    return None


def together(tree, what, chosen, command):
    messages = compile_text(tree, [*command, *WARNINGS, "-x", "c++"], "".join("#include <%s>\n" % name for name in chosen))
    return messages and Finding("include", 0, "the headers of %s do not compile together (%s)\n%s" % (what, " ".join(command), messages))


@rule("cpp-headers")
def all_cpp_headers(tree):
    """Each public C++ header compiles alone, included twice, with the names of the standard library that it must bring (tests/headers/brought.hpp), and all
    together with g++ and clang++ by each standard of STANDARDS (11 20). EACH=1 compiles each alone with each compiler and standard, those of poplar once
    more with the library's functions inline (TREMULA_HEADER_ONLY)."""
    for compiler in ("g++", "clang++"):
        tree.tool(compiler, package={"g++": "g++", "clang++": "clang"}[compiler])
    chosen = cpp_headers(tree)
    programs = [name for name in chosen if matches(name, PROGRAMS)]
    codelets = [name for name in chosen if not matches(name, PROGRAMS)]
    jobs = []
    for compiler in ("g++", "clang++"):
        for standard in STANDARDS:
            command = [compiler, "-std=c++" + standard]
            jobs.append(lambda command=command: together(tree, "programs", programs, command))
            jobs.append(lambda command=command: together(tree, "codelets", codelets, command + ["-D__POPC__"]))
    of_poplar = [name for name in programs if matches(name, ["poplar/*.hpp"]) and name.count("/") == 1]
    jobs.append(lambda: together(tree, "poplar", of_poplar, ["g++", "-std=c++" + STANDARDS[0], "-DTREMULA_HEADER_ONLY"]))
    with tempfile.TemporaryDirectory() as directory:
        options = compile_standard(tree, directory) if "include/" + STANDARD in tree.files else []
        jobs += [lambda name=name: alone(tree, name, options) for name in chosen]
        yield from filter(None, in_parallel(jobs))
