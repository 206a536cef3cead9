# SPDX-License-Identifier: Apache-2.0
"""archive.py REPORT ARCHIVE NOTHING: a directory with only archive.a has the memory figures of the complete report; an empty one, an archive that is
damaged, and files of old formats are refused."""
import os
import sys

import pva

whole, alone = pva.openReport(sys.argv[1]), pva.openReport(sys.argv[2])


def memory(report):
    return [(tile.memory.total.excludingGaps, tile.memory.total.includingGaps) for tile in report.compilation.tiles]


def variables(report):
    return sorted((var.name, var.tileId, var.bytes, var.offset) for var in report.compilation.loweredVariables.allVars)


assert memory(alone) == memory(whole), (memory(alone), memory(whole))
assert variables(alone) == variables(whole) and len(variables(whole)) > 20
assert len(alone.compilation.programs) == 0 and len(alone.execution.steps) == 0 and len(alone.compilation.computeSets) == 0
assert "the number of IPUs (shown as 1)" in alone.warning and "unknown" in alone.warning and not whole.warning
assert alone.peakTile().memory.total.includingGaps == whole.peakTile().memory.total.includingGaps


def refused(path, words):
    try:
        pva.openReport(path)
    except Exception as error:
        assert words in str(error), (words, str(error))
    else:
        raise AssertionError("%s was opened" % path)


nothing = sys.argv[3]
refused(nothing, "no graph profile found")
for name in ("graph.json", "graph.cbor", "execution.json", "execution.cbor", "profile_info.json"):  # CAP-08
    with open(os.path.join(nothing, name), "w") as file:
        file.write("{}")
    refused(os.path.join(nothing, name), "SQLite")
refused(nothing, "no graph profile found")
with open(os.path.join(sys.argv[2], "archive.a"), "rb") as file:
    data = file.read()
for damaged in (b"", data[:4], data[:100], data[:len(data) // 2], data[:8] + b"x" * 200, data.replace(b"ELF", b"FLE")):
    with open(os.path.join(nothing, "archive.a"), "wb") as file:
        file.write(damaged)
    refused(nothing, "damaged")
