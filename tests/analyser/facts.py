# SPDX-License-Identifier: Apache-2.0
"""Figures of a report, read by libpva, for tests of the page; and changes its copy, so that there is a difference."""
import json
import sqlite3
import sys

import pva


def change(directory):
    database = sqlite3.connect(f"{directory}/profile.pop")
    database.execute("UPDATE live_variables SET bytes = 4096 WHERE name = 'model/matrix'")
    database.commit()
    database.close()


def program(p):
    return {"id": p._id, "type": p.typeName, "name": p.name, "detail": p.detail}


def outermost_line(context):
    line = 0
    while context is not None:
        line = context.location.lineNumber or line
        context = context.parents[0] if len(context.parents) else None
    return line


def main():
    directory, other = sys.argv[1:]
    change(other)
    report = pva.openReport(directory)
    compilation, execution = report.compilation, report.execution
    elapsed, times, end = {}, {}, 0
    for step in execution.steps:
        last = max(ipu.allCycles.cyclesTo.max for ipu in step.ipus)
        i = step.program._id
        elapsed[i] = elapsed.get(i, 0) + max(last - end, 0)
        times[i] = times.get(i, 0) + 1
        end = max(end, last)
    head = next(p for p in compilation.programs if p.typeName == "OnTileExecute" and p.name == "head")
    operation = next(o for o in report.operations if o.name == "model/add")
    json.dump(
        {
            "total": execution.totalCycles.total,
            "programs": [program(p) for p in compilation.programs],
            "control": [p._id for p in compilation.controlPrograms],
            "functions": [p._id for p in compilation.functions],
            "elapsed": {str(i): c for i, c in elapsed.items()},
            "times": {str(i): c for i, c in times.items()},
            "head": {
                **program(head),
                "elapsed": elapsed[head._id],
                "times": times[head._id],
                "vertices": [{"type": v.type.name, "count": v.count} for v in head.computeset.vertices],
                "variables": [v.name for v in head.vars],
                "line": head.debugContext.location.lineNumber,
            },
            "operation": {
                "name": operation.name,
                "programs": [p._id for p in operation.programs()],
                "elapsed": sum(elapsed.get(p._id, 0) for p in operation.programs()),
            },
            "operations": len(report.operations),
            "memory": [t.memory.total.includingGaps for t in compilation.tiles],
            "matrix": next(v.bytes for v in compilation.variables if v.name == "model/matrix"),
            "used": [t.memory.total.excludingGaps for t in compilation.tiles],
            "bytesPerTile": compilation.target.bytesPerTile,
            "live": [s.notAlwaysLiveMemory.bytes for s in compilation.livenessProgramSteps],
            "liveVariables": [[[v.name, v.size] for v in s.notAlwaysLiveMemory.variables] for s in compilation.livenessProgramSteps],
            "layout": sorted([v.offset, v.name, v.bytes] for v in compilation.loweredVariables.allVars if v.tileId == 5),
            "matrixLine": outermost_line(next(v for v in compilation.variables if v.name == "model/matrix").debugContext),
            "alwaysLiveVariables": [[v.name, v.size] for v in compilation.alwaysLiveVariables],
            "alwaysLive": sum(v.size for v in compilation.alwaysLiveVariables),
        },
        sys.stdout,
    )


main()
