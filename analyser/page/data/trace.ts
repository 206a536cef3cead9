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
    type: Uint8Array; // the type that has most cycles in it
    layer: Uint8Array; // 1: a part of the debug path above steps (flame); its name is the path up to there
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
        layer: columns.numbers("layer") as Uint8Array,
        step: columns.numbers("step") as Uint32Array,
        count: columns.numbers("count") as Uint32Array,
        balance: columns.numbers("balance") as Float32Array,
        name: columns.numbers("name") as Uint32Array,
        names: columns.texts("names"),
        exact: columns.meta.exact,
    };
}

/** trace/bsp?report=&first=&last=&from=&to=&width=&height=: what tiles do, row by row; 255: nothing. */
export interface BspPicture {
    width: number;
    height: number;
    type: Uint8Array; // width x height
    step: Uint32Array; // width x height; NO_STEP: none
}

export interface Spread {
    min: number;
    mean: number;
    max: number;
    deviation: number;
}

export interface StepIpu {
    ipu: number;
    cycles: number; // of the tile that takes longest
    activeTiles: number;
    from: number;
    to: number;
    allCycles: Spread; // over all tiles
    activeCycles: Spread; // over active tiles
    tileBalance: number;
    activeTileBalance: number;
    dataIn: number; // bytes
    dataOut: number;
}

export interface SourceLine {
    file: string;
    line: number;
    function: string;
}

/** Meta of trace/step?report=&index=; columns by tile: cycles, from, to, and where data moves sent and received. */
export interface TraceStep {
    index: number;
    type: string;
    name: string;
    detail: string;
    program: number;
    run: number;
    from: number;
    to: number;
    ipus: StepIpu[];
    memory: number | null; // bytes of its compute set (9.3), or of the variables that an exchange moves
    codeBytes: number | null; // exchange code
    totalData: number | null;
    dataBalance: number | null; // mean / max
    copiesFromHost: number | null;
    copiesToHost: number | null;
    vertices: { name: string; count: number; cycles: number | null }[];
    sources: { name: string; bytes: number }[]; // variables that are read; cut after 100
    destinations: { name: string; bytes: number }[];
    sourceCount: number; // of all
    destinationCount: number;
    source: SourceLine | null; // the user's line
    overflow: boolean; // cycles beyond 32 bits
}

/** trace/search?report=&q=&at=&direction=: the match that follows a step, and how many there are. */
export interface TraceSearch {
    matches: number; // steps
    names: number; // different names
    position: number; // of the found one among the matches
    step: number | null;
    from: number;
    to: number;
}

export interface TypeShare {
    type: string;
    cycles: number;
    steps: number;
}

/** A column of the summary: an IPU in the window. */
export interface SummaryIpu {
    ipu: number;
    proportions: TypeShare[]; // cycles of the lane inside the window
    tileBalance: number; // weighted by length, syncs left out
    tileUtilisation: number; // EXE-55
    streamCopyIn: number; // bytes: "Rx"
    streamCopyOut: number;
    streamCopy: { detail: string; in: number; out: number }[]; // Host, RemoteBuffer, Mixed
    globalExchangeIn: number;
    globalExchangeOut: number;
    tileCycles: TypeShare[]; // tile-cycles by type: the new statistics
}

/** trace/summary?report=&from=&to=&hide=&exact= */
export interface TraceSummary {
    from: number;
    to: number;
    cycles: number;
    overflow: boolean;
    steps: number;
    ipus: SummaryIpu[];
}

/** trace/area?report=&from=&to=&first=&last=: tiles first to last. */
export interface TraceArea {
    tiles: number;
    cycles: number;
    tileCycles: TypeShare[]; // sums over tiles
    names: { name: string; type: string; steps: number; tileCycles: number; min: number; mean: number; max: number; deviation: number }[];
    histogram: { edges: number[]; counts: number[] }; // of cycles a tile spends in a step
    busyByTile: number[]; // share of the time in which a tile computes or moves data
}

/** trace/memory?report=&from=&to=&pixels=: live bytes of all tiles as a line; columns from, to, bytes. */
export interface MemoryTrack {
    from: Float64Array;
    to: Float64Array;
    bytes: Float64Array;
    peak: number; // of the whole report
    alwaysLive: number;
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

export async function loadBsp(
    where: { report: number; first: number; last: number; from: number; to: number; width: number; height: number },
    signal?: AbortSignal,
): Promise<BspPicture> {
    const columns = await getColumns<{ width: number; height: number }>("trace/bsp", where, signal);
    return { ...columns.meta, type: columns.numbers("type") as Uint8Array, step: columns.numbers("step") as Uint32Array };
}

export async function loadMemoryTrack(
    where: { report: number; from: number; to: number; pixels: number },
    signal?: AbortSignal,
): Promise<MemoryTrack> {
    const columns = await getColumns<{ peak: number; alwaysLive: number }>("trace/memory", where, signal);
    const number = (name: string) => columns.numbers(name) as Float64Array;
    return { ...columns.meta, from: number("from"), to: number("to"), bytes: number("bytes") };
}
