# SPDX-License-Identifier: Apache-2.0
"""usages.py DIRECTORY BLOCKS TRACE: the same as usages.cpp."""
import os
import sys

import pva

report = pva.openReport(os.path.join(sys.argv[1], "profile.pop"), os.path.join(sys.argv[1], "debug.cbor"))
compilation, execution = report.compilation, report.execution
Type = pva.Program.Type

print(1, compilation.graph.numComputeSets, compilation.target.numTiles, report.poplarVersion.string)
print(2, sum(step.ipus[0].cycles for step in execution.steps), "of", execution.totalCycles.total)


class Names(pva.ProgramVisitor):
    def __init__(self):
        super().__init__()
        self.names = []

    def visitOnTileExecute(self, program):
        self.names.append(program.name)


names = Names()
for step in execution.steps:
    step.program.accept(names)
print(3, *names.names)
print(10, sum(step.program.type == Type.StreamCopyMid for step in execution.steps))

tiles = [tile.memory for tile in compilation.tiles]
print("4 %d:" % compilation.target.bytesPerTile, *(memory.total.includingGaps for memory in tiles))
always = sum(memory.alwaysLiveBytes for memory in tiles)
live = max(step.notAlwaysLiveMemory.bytes for step in compilation.livenessProgramSteps)
print(5, sum(memory.total.excludingGaps for memory in tiles), max(memory.total.excludingGaps for memory in tiles), always, always + live)
for each in compilation.computeSets:
    print("6 %s:" % each.name, *(word for vertex in each.vertices for word in (sum(vertex.countByTile), vertex.type.name)))
for ipu in compilation.ipus:
    of = [tile.memory.category for tile in ipu.tiles]
    print(
        7,
        sum(c.vertexCode.total for c in of),
        sum(c.internalExchangeCode.total for c in of),
        sum(c.vertexInstanceState.total for c in of),
        sum(c.controlCode.total for c in of),
        sum(c.variable.nonInterleaved.nonOverlapped for c in of),
    )

run = execution.runs[0]
for step in run.steps:
    if step.program.type == Type.GlobalExchange:
        for ipu in step.ipus:
            if ipu.dataIn + ipu.dataOut > 64:
                print(8, step.program.name, ipu.activeCycles.cyclesFrom.max, ipu.activeCycles.cyclesTo.max)


def interval(step):
    cycles = step.ipus[0].activeCycles
    return cycles.cyclesFrom.max, cycles.cyclesTo.max


copies = [interval(step) for step in run.steps if step.program.type == Type.StreamCopyMid]
compute = [interval(step) for step in run.steps if step.program.type == Type.OnTileExecute]
print(9, sum(max(0, min(a[1], b[1]) - max(a[0], b[0])) for a in compute for b in copies), "of", len(copies), "copies")

brief = compilation.loweredVariables.allBriefVars
print(
    "11 %d steps, %s" % (len(compilation.livenessProgramSteps), "variables" if len(brief) else "none"),
    len(brief),
    sum(var.bytes for var in brief if var.equivalenceClass.id == 1),
    sum(var.bytes * (i.end - i.start) for var in brief for i in var.equivalenceClass.steps),
    len(compilation.loweredVariables.forTile(1)),
)
steps = compilation.livenessProgramSteps
live_bytes = [0] * len(steps)
for var in brief:
    for i in var.equivalenceClass.steps if var.tileId == 1 else []:
        for step in range(i.start, i.end):
            live_bytes[step] += var.bytes
print("11 tile 1:", *("%d/%d" % (live_bytes[i], step.notAlwaysLiveMemoryForTile(1).bytes) for i, step in enumerate(steps)))

analysis = pva.OperationAnalysis(report)
print(12, len(analysis.operations), len(report.debugContexts))
for operation in analysis.operations:
    print(12, operation.name, len(operation.programs()), operation.debugContext.layer)
for variable in compilation.variables:
    context = variable.debugContext
    place = context.location
    print(12, variable.name, variable.bytes, "%s:%d" % (os.path.basename(place.fileName), place.lineNumber), int('"category":"variable"' in context.json))
for run in execution.runs:
    print(15, run.name, len(run.steps), int(run.microseconds.end >= run.microseconds.start))

for program in compilation.programs:
    name = program.computeset.name if program.computeset else ""
    print("p", program._id, program.type.name, program.name, len(program.children), sum(program.codeBytesByTile), sum(program.estimatedCyclesByTile), name)
first = next(step for step in execution.steps if step.program.type == Type.DoExchange)
print("e", first.program.name, *first.cyclesByTile)

print("q", report.peakTile().tileId, report.peakTile().memory.total.includingGaps)
for step in report.longestSteps(5):
    print("q", step.program.type.name, step.program.name, step.ipus[0].cycles)
worst = report.worstLivenessStep()
print("q", worst.program.name, worst.notAlwaysLiveMemory.bytes, *("%s=%d" % (v.name, v.size) for v in worst.notAlwaysLiveMemory.variables))
print("q", *("%s=%d" % (v.name, v.size) for v in compilation.alwaysLiveVariables))

memory = [tile.memory.total.includingGaps for tile in compilation.tiles]
print("f memory", sum(memory), max(memory))
print("f cycles", execution.totalCycles.total)
for step in execution.steps:
    kind, figures = step.program.type, ["f", step.program.type.name]
    if kind not in (Type.Sync, Type.Sans, Type.SyncAns):
        ipus = step.ipus
        figures += ["from", max(ipu.allCycles.cyclesFrom.max for ipu in ipus), "to", max(ipu.allCycles.cyclesTo.max for ipu in ipus)]
        if kind not in (Type.StreamCopyBegin, Type.StreamCopyEnd):
            figures += ["cycles", max(ipu.cycles for ipu in ipus), "tiles", sum(ipu.activeTiles for ipu in ipus)]
        figures += [step.program.name] if step.program.name else []
    print(*figures)

blocks = pva.openReport(sys.argv[2]).execution.blocks(0)
print(
    13,
    len(blocks),
    blocks[0].program.name,
    sum(block.isCommon for block in blocks),
    sum(block.isOverflow for block in blocks),
    sum(block.isBlockFlush for block in blocks),
    sum(block.isStreamCopy for block in blocks),
    sum(block.cyclesTo - block.cyclesFrom for block in blocks if block.isCommon and block.cyclesTo),
)


def show(event, depth):
    print(14, depth, "%s/%s" % (event.channel, event.label), int(event.duration), event.metadata)
    for child in event.children():
        show(child, depth + 1)


trace = pva.openTrace(sys.argv[3])
for process in trace.processes:
    for thread in process.threads:
        print(14, process.name, thread.name, int(trace.process(process.pid).thread(thread.tid) == thread))
        for event in thread.events:
            show(event, 0)
