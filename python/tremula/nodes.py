# SPDX-License-Identifier: Apache-2.0
"""The nodes of an ONNX model as a table: what each costs on the machine."""

import collections


class Node:
    """A node of a model: name, operator, cycles of its steps (of the slowest tile in each), floating-point operations of one run, bytes of weights and of
    outputs, and the IPU that has it."""

    def __init__(self, name, operator, flops, weight_bytes, output_bytes, ipu):
        self.name, self.operator, self.cycles, self.flops = name, operator, 0, flops
        self.weight_bytes, self.output_bytes, self.ipu = weight_bytes, output_bytes, ipu

    def __repr__(self):
        return "%s (%s): %d cycles, %d FLOP, %d bytes of weights, %d of outputs" % (
            self.name, self.operator, self.cycles, self.flops, self.weight_bytes, self.output_bytes)


class Nodes(collections.abc.Sequence):
    """Nodes, those that cost most first.  `other_cycles` are those of steps that belong to no node: inputs, outputs, control, and synchronisation."""

    def __init__(self, rows, report):
        self.total = report.execution.totalCycles.total if report.execution.totalCycles else 0
        self.other_cycles = 0
        named, steps = {row.name: row for row in rows}, collections.Counter()
        for step in report.execution.steps:
            steps["" if _waits(step) else step.program.name] += max((ipu.cycles for ipu in step.ipus), default=0)
        for name, cycles in steps.items():
            row = _of(named, name)
            if row:
                row.cycles += cycles
            else:
                self.other_cycles += cycles
        self._rows = sorted(rows, key=lambda row: -row.cycles)

    def __len__(self):
        return len(self._rows)

    def __getitem__(self, index):
        return self._rows[index]

    def __repr__(self):
        lines = ["%12s %7s %12s %10s %10s  node" % ("cycles", "share", "FLOP", "weights", "output")]
        lines += ["%12d %6.1f%% %12d %10d %10d  %s (%s)" % (
            row.cycles, 100.0 * row.cycles / (self.total or 1), row.flops, row.weight_bytes, row.output_bytes, row.name, row.operator)
                  for row in self._rows[:20]]
        lines += ["... %d nodes in all" % len(self)] if len(self) > 20 else []
        return "\n".join(lines + ["%12d %6.1f%% %12s %10s %10s  what belongs to no node, and synchronisation" % (
            self.other_cycles, 100.0 * self.other_cycles / (self.total or 1), "", "", "")])

    def to_pandas(self):
        """A pandas DataFrame with a row for each node."""
        from pva import tables

        names = ("name", "operator", "cycles", "flops", "weight_bytes", "output_bytes", "ipu")
        return tables.frame([{name: getattr(row, name) for name in names} for row in self._rows], names)


def _waits(step):
    """Whether a step is no work of a node: tiles or the host wait for each other."""
    return step.program.typeName.startswith(("Sync", "StreamCopyBegin", "StreamCopyEnd"))


def _of(named, step):
    """The node whose name a step's name is or begins with, before a slash: the longest one, since a node's name may begin with another's."""
    while step:
        if step in named:
            return named[step]
        step = step.rpartition("/")[0]
    return None
