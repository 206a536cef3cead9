// SPDX-License-Identifier: Apache-2.0
// Where the nodes of a graph of programs and variables stand: in columns from left to right, a node behind what it
// needs.
import { OperationGraph } from "../data/operations";

export const NODE_WIDTH = 168;
export const NODE_HEIGHT = 24;
const GAP_X = 56;
const GAP_Y = 10;

export interface Placed {
    x: number;
    y: number;
}

/** Columns by the order of programs: what a program reads that was written before stands left of it. */
function columns(graph: OperationGraph): number[] {
    const column = graph.nodes.map(() => 0);
    const reads = new Map<number, number[]>();
    const writes = new Map<number, number[]>();
    const add = (map: Map<number, number[]>, key: number, value: number) =>
        map.set(key, [...(map.get(key) ?? []), value]);
    for (const { from, to } of graph.edges)
        if (graph.nodes[from].kind === "variable") add(reads, to, from);
        else add(writes, from, to);
    const written = new Set<number>();
    graph.nodes.forEach((node, at) => {
        if (node.kind !== "program") return;
        const sources = reads.get(at) ?? [];
        column[at] =
            1 + sources.reduce((most, variable) => Math.max(most, written.has(variable) ? column[variable] : 0), 0);
        for (const variable of writes.get(at) ?? []) {
            if (written.has(variable) || sources.includes(variable)) continue; // in place: it stays where it is
            column[variable] = column[at] + 1;
            written.add(variable);
        }
    });
    // What no program writes first stands directly before its first reader.
    graph.nodes.forEach((node, at) => {
        if (node.kind !== "variable" || written.has(at)) return;
        const readers = graph.edges.filter((edge) => edge.from === at).map((edge) => column[edge.to]);
        column[at] = readers.length ? Math.max(0, Math.min(...readers) - 1) : 0;
    });
    return column;
}

export function place(graph: OperationGraph): { placed: Placed[]; width: number; height: number } {
    const column = columns(graph);
    const rows: number[][] = [];
    graph.nodes.forEach((_, at) => (rows[column[at]] ??= []).push(at));
    const placed: Placed[] = graph.nodes.map(() => ({ x: 0, y: 0 }));
    const middleOf = (at: number) => {
        const left = graph.edges
            .filter((edge) => edge.to === at && column[edge.from] < column[at])
            .map((edge) => placed[edge.from].y);
        return left.length ? left.reduce((sum, y) => sum + y, 0) / left.length : Number.POSITIVE_INFINITY;
    };
    let height = 0;
    let shown = 0;
    for (const nodes of rows) {
        if (!nodes) continue;
        const keyed = nodes.map((at) => ({ at, key: middleOf(at) }));
        keyed.sort((a, b) => (a.key === b.key ? a.at - b.at : a.key < b.key ? -1 : 1));
        keyed.forEach(({ at }, i) => {
            placed[at] = { x: GAP_X / 2 + shown * (NODE_WIDTH + GAP_X), y: GAP_Y + i * (NODE_HEIGHT + GAP_Y) };
        });
        height = Math.max(height, GAP_Y + nodes.length * (NODE_HEIGHT + GAP_Y));
        ++shown;
    }
    return { placed, width: shown * (NODE_WIDTH + GAP_X), height };
}
