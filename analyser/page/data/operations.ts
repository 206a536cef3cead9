// SPDX-License-Identifier: Apache-2.0
// Operations: costs of the calls of a software layer, and the graph of programs and variables.
import { getColumns } from "./client";
import { Columns } from "./columns";
import { Loaded, useLoaded } from "./load";
import { stem } from "../text/names";
import { Peak } from "./summary";

export const FIGURES = [
    "elapsed",
    "programs",
    "computeSets",
    "times",
    "cycles",
    "tileCycles",
    "exchange",
    "host",
    "estimate",
    "code",
    "vertexState",
    "vertices",
    "data",
    "variables",
    "flops",
    "done",
    "uncounted",
    "calls",
    "weights",
    "outputs",
] as const;
export type Figure = (typeof FIGURES)[number];

export type Operation = {
    context: number;
    call: string; // "popops::add"; "" for objects that no call of the layer made
    name: string; // debug path
    file: string; // of the user's source
    line: number;
} & { [figure in Figure]: number };

interface TableMeta {
    layers: string[];
    layer: string;
    executed: boolean;
    counted: boolean; // the report has floating-point operations
    peak: Peak;
}

export interface OperationTable extends TableMeta {
    operations: Operation[];
}

function decode(columns: Columns<TableMeta>): OperationTable {
    const [context, line] = [columns.numbers("context"), columns.numbers("line")];
    const [call, name, file] = [columns.texts("call"), columns.texts("name"), columns.texts("file")];
    const figures = FIGURES.map((figure) => columns.numbers(figure));
    const operations = call.map((_, i) => {
        const values = Object.fromEntries(FIGURES.map((figure, k) => [figure, figures[k][i]])) as {
            [figure in Figure]: number;
        };
        return { context: context[i], call: call[i], name: name[i], file: file[i], line: line[i], ...values };
    });
    return { operations, ...columns.meta };
}

export function useOperations(report: number | null, layer: string | undefined): Loaded<OperationTable> {
    return useLoaded(report === null ? null : `operations ${report} ${layer ?? ""}`, async (signal) =>
        decode(await getColumns<TableMeta>("operations/table", { report: report ?? 0, layer }, signal)),
    );
}

export interface GraphNode {
    kind: "program" | "variable";
    id: number;
    label: string;
    type: string; // of a program
    size: number; // cycles, or bytes
    alwaysLive: boolean;
    count: number; // variables that one box stands for
}

export interface OperationGraph {
    nodes: GraphNode[];
    edges: { from: number; to: number }[]; // indices of nodes
    programs: number; // programs: total number; shown: number of them in the graph
    shown: number;
}

interface GraphMeta {
    programs: number;
    shown: number;
}

function decodeGraph(columns: Columns<GraphMeta>): OperationGraph {
    const nodes: GraphNode[] = [];
    const programAt = new Map<number, number>();
    const variableAt = new Map<number, number>();
    const [types, names, cycles] = [
        columns.texts("programType"),
        columns.texts("programName"),
        columns.numbers("programCycles"),
    ];
    columns.numbers("programId").forEach((id, i) => {
        programAt.set(id, nodes.length);
        nodes.push({
            kind: "program",
            id,
            label: names[i],
            type: types[i],
            size: cycles[i],
            alwaysLive: false,
            count: 1,
        });
    });
    const [bytes, live, variables] = [
        columns.numbers("variableBytes"),
        columns.numbers("variableAlwaysLive"),
        columns.texts("variableName"),
    ];
    columns.numbers("variableId").forEach((id, i) => {
        variableAt.set(id, nodes.length);
        nodes.push({
            kind: "variable",
            id,
            label: variables[i],
            type: "",
            size: bytes[i],
            alwaysLive: live[i] !== 0,
            count: 1,
        });
    });
    const edges: { from: number; to: number }[] = [];
    const [ofVariable, access] = [columns.numbers("edgeVariable"), columns.numbers("edgeAccess")];
    columns.numbers("edgeProgram").forEach((id, i) => {
        const program = programAt.get(id);
        const variable = variableAt.get(ofVariable[i]);
        if (program === undefined || variable === undefined) return;
        if (access[i] & 1) edges.push({ from: variable, to: program });
        if (access[i] & 2) edges.push({ from: program, to: variable });
    });
    return { ...foldEqual(nodes, edges), ...columns.meta };
}

/** Variables that differ in numbers of their names alone, and that the same programs read and write, are one box. */
export function foldEqual(
    nodes: readonly GraphNode[],
    edges: readonly { from: number; to: number }[],
): Pick<OperationGraph, "nodes" | "edges"> {
    const uses = nodes.map((): string[] => []);
    for (const { from, to } of edges) {
        uses[from].push(`>${to}`);
        uses[to].push(`<${from}`);
    }
    const folded: GraphNode[] = [];
    const groups = new Map<string, number>();
    const at = nodes.map((node, i) => {
        const key =
            node.kind === "program" ? `${i}` : `${stem(node.label)} ${node.alwaysLive} ${uses[i].sort().join()}`;
        const found = node.kind === "variable" ? groups.get(key) : undefined;
        if (found !== undefined) {
            folded[found].label = folded[found].label === node.label ? node.label : stem(node.label);
            folded[found].size += node.size;
            folded[found].count += 1;
            return found;
        }
        groups.set(key, folded.length);
        return folded.push({ ...node }) - 1;
    });
    const seen = new Set<string>();
    const kept = edges
        .map(({ from, to }) => ({ from: at[from], to: at[to] }))
        .filter(({ from, to }) => !seen.has(`${from} ${to}`) && seen.add(`${from} ${to}`));
    return { nodes: folded, edges: kept };
}

/** context: of one operation; undefined: all programs. */
export function useOperationGraph(report: number, context: number | undefined): Loaded<OperationGraph> {
    return useLoaded(`graph ${report} ${context ?? ""}`, async (signal) =>
        decodeGraph(await getColumns<GraphMeta>("operations/graph", { report, context }, signal)),
    );
}
