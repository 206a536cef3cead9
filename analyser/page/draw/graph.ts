// SPDX-License-Identifier: Apache-2.0
// Layout of a graph of programs and variables: in columns from left to right, each node after its inputs.
import { GraphNode, OperationGraph } from "../data/operations";
import { Pen } from "./pen";

export const NODE_WIDTH = 168;
export const NODE_HEIGHT = 24;
const GAP_X = 56;
const GAP_Y = 10;

export interface Placed {
    x: number;
    y: number;
}

/** Columns in program order: a variable that was written before is to the left of its reader. */
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
            if (written.has(variable) || sources.includes(variable)) continue; // updated in place: it keeps its column
            column[variable] = column[at] + 1;
            written.add(variable);
        }
    });
    // A variable that no program writes before is placed directly before its first reader.
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

const PIECES = 16; // segments of a curve

/** End points of an edge's curve, and the distance of its control points. */
export function edgeCurve(from: Placed, to: Placed): { x1: number; y1: number; x2: number; y2: number; bend: number } {
    const forward = to.x > from.x;
    const [x1, x2] = forward ? [from.x + NODE_WIDTH, to.x] : [from.x, to.x + NODE_WIDTH];
    const bend = Math.max(24, Math.abs(x2 - x1) / 2) * (forward ? 1 : -1);
    return { x1, y1: from.y + NODE_HEIGHT / 2, x2, y2: to.y + NODE_HEIGHT / 2, bend };
}

export interface GraphLook {
    line: string;
    ink: string;
    colour: (node: GraphNode) => string;
    label: (node: GraphNode) => string;
}

/** Draws the graph with a pen, for files. */
export function drawGraph(pen: Pen, graph: OperationGraph, look: GraphLook): void {
    const { placed } = place(graph);
    pen.strokeStyle = look.line;
    for (const edge of graph.edges) {
        const { x1, y1, x2, y2, bend } = edgeCurve(placed[edge.from], placed[edge.to]);
        pen.beginPath();
        pen.moveTo(x1, y1);
        for (let i = 1; i <= PIECES; ++i) {
            const [t, u] = [i / PIECES, 1 - i / PIECES];
            const [a, b, c, d] = [u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t];
            pen.lineTo(a * x1 + b * (x1 + bend) + c * (x2 - bend) + d * x2, (a + b) * y1 + (c + d) * y2);
        }
        pen.stroke();
    }
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    graph.nodes.forEach((node, i) => {
        const { x, y } = placed[i];
        pen.fillStyle = look.colour(node);
        pen.fillRect(x, y, NODE_WIDTH, NODE_HEIGHT);
        pen.strokeStyle = look.line;
        pen.strokeRect(x, y, NODE_WIDTH, NODE_HEIGHT);
        pen.fillStyle = look.ink;
        pen.fillText(look.label(node), x + 8, y + NODE_HEIGHT / 2);
    });
}
