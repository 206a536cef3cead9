# SPDX-License-Identifier: Apache-2.0
"""trace_facts.py REPORT...: as JSON, the figures of libpva for each step on each tile, by the name of the report's directory."""
import json
import os
import sys

import pva


def kind_of(program):
    detail = program.detail
    if program.typeName == "Sync":
        return "Sync Internal" if detail == "Internal" else "Sync External"
    if program.typeName == "StreamCopyMid":
        return "StreamCopyMid " + (detail if detail in ("Host", "RemoteBuffer") else "Mixed")
    return program.typeName


def vertices_of(program):
    if program.typeName != "OnTileExecute":
        return []
    return [{"type": v.type.name, "byTile": list(v.countByTile)} for v in program.computeset.vertices]


def step_of(index, step):
    program = step.program
    return {
        "id": index,
        "kind": kind_of(program),
        "name": program.name,
        "begin": list(step.cyclesFromByTile),
        "end": list(step.cyclesToByTile),
        "vertices": vertices_of(program),
        "ipus": [
            {
                "cycles": ipu.cycles,
                "activeTiles": ipu.activeTiles,
                "balance": ipu.tileBalance,
                "activeBalance": ipu.activeTileBalance,
                "start": ipu.activeCycles.cyclesFrom.min,
                "stop": ipu.activeCycles.cyclesTo.max,
                "dataIn": ipu.dataIn,
                "dataOut": ipu.dataOut,
            }
            for ipu in step.ipus
        ],
    }


facts = {}
for directory in sys.argv[1:]:
    report = pva.openReport(directory)
    target = report.compilation.target
    facts[os.path.basename(directory)] = {
        "tilesPerIpu": target.tilesPerIpu,
        "ipus": target.ipusPerReplica,
        "memory": [tile.memory.total.excludingGaps for tile in report.compilation.tiles],
        "steps": [step_of(i, step) for i, step in enumerate(report.execution.steps)],
    }
json.dump(facts, sys.stdout)
