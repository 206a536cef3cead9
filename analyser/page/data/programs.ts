// SPDX-License-Identifier: Apache-2.0
// The program tree: all programs with their costs, and the details of one.
import { Columns } from "./columns";
import { Loaded, useColumns, useLoaded } from "./load";
import { getColumns } from "./client";

export const NONE = 0xffffffff; // in columns of ids

export interface Program {
    id: number;
    type: string;
    name: string;
    detail: string;
    target: number; // called program of a Call
    computeSet: number;
    operation: number; // a debug context; NONE
    executions: number;
    cycles: number; // of the slowest tile, in all executions
    elapsed: number; // cycles by which it delays the end of the run; the sum over programs is the whole run
    estimate: number; // of one execution
    code: number; // bytes on all tiles
    children: number[];
    flops: number; // of its vertices, in all executions
    within: number; // elapsed, with its parts and its share of the functions that they call
}

export interface ProgramList {
    programs: Program[];
    control: number[];
    functions: number[];
    executed: boolean;
    debug: boolean;
}

interface ListMeta {
    control: number[];
    functions: number[];
    executed: boolean;
    debug: boolean;
}

function decode(columns: Columns<ListMeta>): ProgramList {
    const text = (name: string) => columns.texts(name);
    const number = (name: string) => columns.numbers(name);
    const [type, name, detail] = [text("type"), text("name"), text("detail")];
    const [target, computeSet, operation] = [number("target"), number("computeSet"), number("operation")];
    const [executions, cycles, estimate, code, elapsed, within, flops] = [
        number("executions"),
        number("cycles"),
        number("estimate"),
        number("code"),
        number("elapsed"),
        number("within"),
        number("flops"),
    ];
    const programs = type.map((_, id): Program => ({
        id,
        type: type[id],
        name: name[id],
        detail: detail[id],
        target: target[id],
        computeSet: computeSet[id],
        operation: operation[id],
        executions: executions[id],
        cycles: cycles[id],
        elapsed: elapsed[id],
        estimate: estimate[id],
        code: code[id],
        children: [],
        flops: flops[id],
        within: within[id],
    }));
    const [parents, children] = [number("parentOf"), number("child")];
    parents.forEach((parent, i) => programs[parent]?.children.push(children[i]));
    return { programs, ...columns.meta };
}

export function usePrograms(report: number): Loaded<ProgramList> {
    return useLoaded(`programs ${report}`, async (signal) =>
        decode(await getColumns<ListMeta>("programs/list", { report }, signal)),
    );
}

export interface DebugContext {
    name: string;
    layer: string;
    file: string;
    function: string;
    line: number; // 0: unknown
    json: unknown;
}

export interface ProgramDetails {
    id: number;
    type: string;
    name: string;
    detail: string;
    vertices: { type: string; count: number; size: number; estimate: string }[]; // estimate: where cycles are from
    variables: { name: string; bytes: number; alwaysLive: boolean }[];
    contexts: DebugContext[]; // innermost first
}

/** Columns: estimate and controlCode, by tile. */
export function useProgramDetails(report: number, id: number | undefined): Loaded<Columns<ProgramDetails>> {
    return useColumns<ProgramDetails>(id === undefined ? null : "programs/details", { report, id });
}

/** "OnTileExecute (layer/add)", as in the trace. */
export function programLabel(program: { type: string; name: string; detail: string }): string {
    const inner = program.type === "Sync" ? program.detail : program.name;
    const kind =
        program.type === "StreamCopyMid" && program.detail ? `${program.type} ${program.detail}` : program.type;
    return inner ? `${kind} (${inner})` : kind;
}
