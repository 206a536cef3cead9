# SPDX-License-Identifier: Apache-2.0
"""console.py BLOCK: runs the lines of a console block that begin with "$ " and compares what each prints, on standard output and standard error, with the
lines that follow it.  A line "..." stands for any lines, "..." within a line for any text.  A line "# exit N" is no output: the command ends with N, not 0."""
import difflib
import re
import subprocess
import sys


def pattern(lines):
    """A regular expression for the lines that a command should print."""
    parts = []
    for line in lines:
        parts.append("(?:.*\n)*" if line == "..." else ".*".join(re.escape(part) for part in line.split("...")) + "\n")
    return re.compile("".join(parts))


def check(command, lines):
    """Runs one command; returns whether its output was as expected."""
    wanted = 0
    if lines and lines[-1].startswith("# exit "):
        wanted = int(lines.pop()[7:])
    done = subprocess.run(["sh", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    printed = done.stdout.decode(errors="replace")
    if printed and not printed.endswith("\n"):
        printed += "\n"
    if done.returncode == wanted and pattern(lines).fullmatch(printed):
        return True
    print("$ %s\nended with %d, not %d; printed:" % (command, done.returncode, wanted))
    print("\n".join(difflib.unified_diff(lines, printed.splitlines(), "document", "printed", lineterm="", n=100)) or printed)
    return False


def main():
    blocks = []
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("$ "):
                blocks.append((line[2:], []))
            elif line.startswith("> ") and blocks and not blocks[-1][1]:
                blocks[-1] = (blocks[-1][0] + "\n" + line[2:], [])
            else:
                blocks[-1][1].append(line)
    for command, lines in blocks:
        print("$ " + command)
        if not check(command, lines):
            return 1
    return 0


sys.exit(main())
