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
    times: number;
    cycles: number; // of the slowest tile, in all executions
    elapsed: number; // cycles by which it delays the end of the run; the sum over programs is the whole run
    estimate: number; // of one execution
    code: number; // bytes on all tiles
    children: number[];
    within: number; // elapsed, including its descendants in the tree
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

/** Sums `elapsed` over a subtree; stops at a program that it has visited, because a damaged report may contain a
 * cycle. */
function addUp(programs: readonly Program[], program: Program): number {
    if (program.within >= 0) return program.within;
    program.within = program.elapsed;
    for (const child of program.children) program.within += programs[child] ? addUp(programs, programs[child]) : 0;
    return program.within;
}

function decode(columns: Columns<ListMeta>): ProgramList {
    const text = (name: string) => columns.texts(name);
    const number = (name: string) => columns.numbers(name);
    const [type, name, detail] = [text("type"), text("name"), text("detail")];
    const [target, computeSet, operation] = [number("target"), number("computeSet"), number("operation")];
    const [times, cycles, estimate, code, elapsed] = [
        number("times"),
        number("cycles"),
        number("estimate"),
        number("code"),
        number("elapsed"),
    ];
    const programs = type.map((_, id): Program => ({
        id,
        type: type[id],
        name: name[id],
        detail: detail[id],
        target: target[id],
        computeSet: computeSet[id],
        operation: operation[id],
        times: times[id],
        cycles: cycles[id],
        elapsed: elapsed[id],
        estimate: estimate[id],
        code: code[id],
        children: [],
        within: -1,
    }));
    const [parents, children] = [number("parentOf"), number("child")];
    parents.forEach((parent, i) => programs[parent]?.children.push(children[i]));
    for (const program of programs) addUp(programs, program);
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
    vertices: { type: string; count: number; size: number }[];
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
