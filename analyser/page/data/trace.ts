// SPDX-License-Identifier: Apache-2.0
// The execution trace: shapes of the calls below trace/ (docs/reference/analyser-server.md).  Times are cycles of the
// tile clock, f64.  Indexes: a step's in execution.steps, a run's in execution.runs; tiles count through all IPUs.
import { getColumns, getJson } from "./client";
import { Columns } from "./columns";

export interface TraceRun {
    index: number;
    name: string;
    from: number;
    to: number;
    firstStep: number;
    steps: number;
}

/** An IPU's lane; in lightweight mode a profiled tile's, or the "I/O Events" lane of an IPU. */
export interface TraceLane {
    id: number; // parameter `lane`
    title: string;
    kind: "ipu" | "tile" | "io";
    ipu: number;
    tile: number | null;
    rows: number; // flame: depth of the deepest step
}

/** trace/lanes?report= */
export interface TraceLanes {
    detailed: boolean; // steps of all tiles
    lightweight: boolean; // blocks of some tiles
    clock: number; // Hz
    ipus: number;
    tilesPerIpu: number;
    from: number;
    to: number;
    steps: number;
    runs: TraceRun[];
    types: string[]; // names of types, by the number that `type` columns hold
    lanes: TraceLane[];
}

/** Of a window, how it is drawn; every option is a parameter of the call. */
export interface WindowOptions {
    layout: "flat" | "flame";
    groupExecutions: boolean; // flat: neighbours whose names have the same parent are one
    groupSyncs: boolean; // neighbouring syncs are one
    separate: boolean; // flat: steps that overlap in time have rows of their own
    hide: string; // numbers of types that are left out, "10,12"
    flushes: boolean; // lightweight: phases of buffer flushes
    aggregate: boolean; // lightweight: stream copies of tiles without blocks go to the I/O lane
}

export const NO_STEP = 0xffffffff;

/** trace/window?report=&lane=&from=&to=&pixels=&...: at most two rectangles a pixel and row, in order of row and time. */
export interface Rectangles {
    from: Float64Array;
    to: Float64Array;
    row: Uint8Array;
    type: Uint8Array; // the type that has most cycles in it; 255: a layer of a flame graph
    step: Uint32Array; // the step, or the first of `count`
    count: Uint32Array; // steps in it
    balance: Float32Array; // tile balance, 0 to 1; of several weighted by cycles
    name: Uint32Array; // index in names
    names: readonly string[];
    exact: boolean; // no rectangle stands for several steps because of its size
}

function rectangles(columns: Columns<{ exact: boolean }>): Rectangles {
    return {
        from: columns.numbers("from") as Float64Array,
        to: columns.numbers("to") as Float64Array,
        row: columns.numbers("row") as Uint8Array,
        type: columns.numbers("type") as Uint8Array,
        step: columns.numbers("step") as Uint32Array,
        count: columns.numbers("count") as Uint32Array,
        balance: columns.numbers("balance") as Float32Array,
        name: columns.numbers("name") as Uint32Array,
        names: columns.texts("names"),
        exact: columns.meta.exact,
    };
}

export function loadLanes(report: number, signal?: AbortSignal): Promise<TraceLanes> {
    return getJson<TraceLanes>("trace/lanes", { report }, signal);
}

export async function loadWindow(
    where: { report: number; lane: number; from: number; to: number; pixels: number },
    options: WindowOptions,
    signal?: AbortSignal,
): Promise<Rectangles> {
    return rectangles(await getColumns<{ exact: boolean }>("trace/window", { ...where, ...options }, signal));
}
