// SPDX-License-Identifier: Apache-2.0
// The execution trace: shapes of the calls below trace/ (docs/reference/analyser-server.md).  Times are cycles of the
// tile clock, f64.  Indexes: a step's in execution.steps, a run's in execution.runs; tiles count through all IPUs.
import { getColumns, getJson } from "./client";
import { NONE, RectangleColumns } from "../draw/lanes";

export interface TraceRun {
    name: string;
    from: number;
    to: number;
    firstStep: number;
    steps: number;
    startMicroseconds: number; // since 1970
    endMicroseconds: number;
}

export interface TraceKind {
    name: string;
    class: "work" | "wait" | "idle";
    steps: number; // of all IPUs
}

export interface TraceLane {
    ipu: number;
    firstTile: number;
    tiles: number;
    from: number;
    to: number;
}

/** A tile with blocks of lightweight profiling; it is selected unless stream copies of others are all it has. */
export interface TraceTile {
    tile: number;
    blocks: number;
    rows: number;
    selected: boolean;
}

/** trace/lanes?report= */
export interface TraceLanes {
    mode: "detailed" | "lightweight" | "none";
    clockFrequency: number; // Hz
    ipus: number;
    tilesPerIpu: number;
    depth: number; // of the flame graph
    from: number;
    to: number;
    steps: number;
    runs: TraceRun[];
    kinds: TraceKind[]; // by the number that `kind` columns hold
    lanes: TraceLane[];
    tiles: TraceTile[];
    note: string | null;
}

/** trace/run?report=&index= */
export interface TraceRunDetails {
    name: string;
    from: number;
    to: number;
    startMicroseconds: number;
    endMicroseconds: number;
    steps: number;
    parameters: { name: string; value: string }[];
}

/** Of a window, what is drawn; parameters of the call. */
export interface WindowOptions {
    flame: 0 | 1;
    group: string; // "", "syncs", "executions", "syncs,executions"
    hide: string; // names of kinds that are left out, with commas
    q: string; // what is searched for; "": nothing
}

/** trace/window?report=&lane=&from=&to=&pixels=&...: at most two rectangles a pixel and row, in order of row and time. */
export interface Rectangles extends RectangleColumns {
    depth: Uint8Array; // flame: of the layer
    overlap: Uint8Array; // rows for what overlaps in time
    overlaps: number; // how many
    exact: boolean; // none stands for several steps because they are small
}

/** trace/bsp?report=&first=&last=&from=&to=&width=&height=: what tiles do, row by row; 255: nothing. */
export interface BspPicture {
    width: number;
    height: number;
    from: number;
    to: number;
    kind: Uint8Array; // width x height
    step: Uint32Array; // width x height; NONE: none
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
    const columns = await getColumns<{ rows: number }>("trace/window", { ...where, ...options }, signal);
    const numbers = <T>(name: string) => columns.numbers(name) as unknown as T;
    const [step, label] = [numbers<Uint32Array>("step"), numbers<Uint32Array>("label")];
    const depth = numbers<Uint8Array>("depth");
    return {
        from: numbers("from"),
        to: numbers("to"),
        row: depth,
        depth,
        overlap: numbers("row"),
        overlaps: columns.meta.rows,
        kind: numbers("kind"),
        step,
        count: numbers("count"),
        balance: numbers("balance"),
        label,
        matches: columns.has("matches") ? numbers("matches") : null,
        labels: columns.texts("labels"),
        exact: step.every((one, i) => one !== NONE || label[i] !== NONE),
    };
}

export async function loadBsp(
    where: { report: number; first: number; last: number; from: number; to: number; width: number; height: number; hide: string },
    signal?: AbortSignal,
): Promise<BspPicture> {
    const columns = await getColumns<{ width: number; height: number; from: number; to: number }>("trace/bsp", where, signal);
    return { ...columns.meta, kind: columns.numbers("kind") as Uint8Array, step: columns.numbers("step") as Uint32Array };
}

export async function loadMemoryTrack(
    where: { report: number; from: number; to: number; pixels: number },
    signal?: AbortSignal,
): Promise<MemoryTrack> {
    const columns = await getColumns<{ peak: number; alwaysLive: number }>("trace/memory", where, signal);
    const number = (name: string) => columns.numbers(name) as Float64Array;
    return { ...columns.meta, from: number("from"), to: number("to"), bytes: number("bytes") };
}
