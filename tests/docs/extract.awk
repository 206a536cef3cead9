# SPDX-License-Identifier: Apache-2.0
# Writes the blocks of a Markdown file to files.  A C, C++, assembly (asm) or Python block that begins with a comment naming a file becomes that file (codelets, say,
# that a program loads); another C or C++ block with a main becomes programN.c or programN.cpp, another Python block programN.py.  A ```console block becomes
# programN.console.  An ```output block after a program is what it prints.
# Names of programs go to standard output; lines of the document go into #line, so that messages of the compiler name them.
/^```/ && !fenced {
    fenced = 1; kind = substr($0, 4); text = ""; start = NR + 1; main_seen = 0; name = ""
    next
}
/^```/ && fenced {
    fenced = 0
    if (kind == "c" || kind == "cpp") {
        if (!name && main_seen) name = "program" ++count "." kind
        if (name) {
            if (name ~ /\.(c|cpp)$/ && main_seen) { print name; last = name }
            printf "#line %d \"%s\"\n%s", start, document, text > (directory "/" name)
            close(directory "/" name)
        }
    } else if (kind == "asm" && name) {
        printf "%s", text > (directory "/" name)
        close(directory "/" name)
    } else if (kind == "python" || kind == "console") {
        if (!name) name = "program" ++count (kind == "python" ? ".py" : ".console")
        print name
        last = name
        printf "%s", text > (directory "/" name)
        close(directory "/" name)
    } else if (kind == "output" && last) {
        printf "%s", text > (directory "/" last ".expected")
        close(directory "/" last ".expected")
    }
    next
}
fenced {
    if (NR == start && match($0, /^(\/\* [A-Za-z0-9_-]+\.[ch] \*\/|\/\/ [A-Za-z0-9_-]+\.(cpp|hpp|S)|# [A-Za-z0-9_-]+\.py)$/)) { name = $0; gsub(/\/\* | \*\/|\/\/ |# /, "", name) }
    if ($0 ~ /^int main\(/) main_seen = 1
    text = text $0 "\n"
}
