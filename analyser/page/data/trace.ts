// SPDX-License-Identifier: Apache-2.0
// The execution trace: types of the requests below trace/ (docs/reference/analyser-server.md). Times are cycles of the
// tile clock, f64. Indices: a step's in execution.steps, a run's in execution.runs; tiles are numbered over all IPUs.
import { getColumns } from "./client";
import { Columns } from "./columns";
import { onForget } from "./load";
import { NONE, RectangleColumns } from "./rectangles";

/** The report of requests, and whether they are on the axis of the host (data/host.ts). */
export type TraceSource = { report: number; host?: 1 };

export interface TraceRun {
    name: string;
    from: number;
    to: number;
    firstStep: number;
    steps: number;
    startMicroseconds: number; // since 1970
    endMicroseconds: number;
    shift: number; // what its cycles have been moved by, on the host's axis
}

export interface TraceKind {
    name: string;
    class: "work" | "wait" | "idle";
    steps: number; // over all IPUs
}

export interface TraceLane {
    ipu: number;
    firstTile: number;
    tiles: number;
    from: number;
    to: number;
}

/** A tile with blocks of lightweight profiling; it was selected unless it only has stream copies of other tiles. */
export interface TraceTile {
    tile: number;
    blocks: number;
    rows: number;
    selected: boolean;
}

/** Where a detailed trace opens: an iteration of the main loop, or all of it. */
export interface Opening {
    from: number;
    to: number;
    step: number; // the first one that computes; -1: none
    iterations: number; // of the main loop; 0: there is none
    tiles: number; // one more than the last tile in use; 0: unknown
    marks: number[]; // where iterations begin, or some of them
}

/** trace/lanes?report= */
export interface TraceLanes {
    mode: "detailed" | "lightweight" | "none";
    host: boolean; // whether cycles are on the axis of the host
    clockFrequency: number; // Hz
    ipus: number;
    tilesPerIpu: number;
    depth: number; // of the flame graph
    from: number;
    to: number;
    first: number; // begin of the trace; for lightweight profiles, begin of the first block
    steps: number;
    opening: Opening;
    runs: TraceRun[];
    kinds: TraceKind[]; // indexed by the numbers in `kind` columns
    lanes: TraceLane[];
    tiles: TraceTile[];
    blockPhases: string[]; // kinds of steps for the phases of stream copies
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

/** Parameters of trace/window: what to draw. */
export interface WindowOptions {
    flame: 0 | 1 | 2; // rows for the components of debug names, or (2) for the enclosing programs
    group: string; // "", "syncs", "executions", "syncs,executions"
    hide: string; // names of hidden kinds, separated by commas
    q: string; // search text; "": none
}

/** trace/window?report=&lane=&from=&to=&pixels=&...: at most two rectangles for each pixel and row, sorted by row
 * and time. */
export interface Rectangles extends RectangleColumns {
    depth: Uint8Array; // flame: of the layer
    overlap: Uint8Array; // rows for rectangles that overlap in time
    rows: number; // number of rows in `row`
    block: Uint32Array | null; // for lightweight profiles: the block's number; NONE: several
    exact: boolean; // no rectangle summarises several narrow steps
}

/** trace/bsp?report=&tile=&tiles=&from=&to=&pixels=&height=&hide=: activity of tiles, row by row; 255: none. */
export interface BspPicture {
    width: number;
    height: number;
    from: number;
    to: number;
    kind: Uint8Array; // width x height
}

/** Statistics over tiles. */
export interface Spread {
    min: number;
    mean: number;
    max: number;
    deviation: number;
}

export interface StepIpu {
    ipu: number;
    cycles: number; // of the slowest tile
    activeTiles: number;
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

export interface StepExchange {
    kind: string;
    totalData: number | null; // bytes
    dataBalance: number | null; // mean / max
    codeBytes: number | null;
    fromHost: number | null; // bytes of a stream copy
    toHost: number | null;
}

/** The slowest tile, and the time that the others wait for it. */
export interface StepCritical {
    tile: number;
    cycles: number;
    lost: number; // cycles, the mean over all tiles
    vertices: { type: string; count: number }[]; // on that tile
}

/** Meta of trace/step?report=&index=. */
export interface TraceStep {
    step: number;
    program: number;
    run: number;
    kind: string;
    name: string;
    detail: string;
    live: number; // live bytes, including always-live ones; 0: unknown
    ipus: StepIpu[];
    computeSet: string | null;
    flops: { flops: number; uncounted: number }[]; // of a compute set; uncounted: vertices without an estimate
    computeSetMemory: { [part: string]: number | null }[]; // bytes by purpose, and `id`
    exchange: StepExchange[];
    vertices: { type: string; count: number }[];
    sources: { name: string; bytes: number }[]; // variables that are read, the 50 largest
    destinations: { name: string; bytes: number }[];
    source: SourceLine | null; // in the user's source
    critical: StepCritical | null;
}

/** A step with its activity on each tile, over all IPUs. */
export interface TraceStepTiles extends TraceStep {
    from: number;
    to: number;
    cycles: Float64Array; // by tile
    sent: Float64Array | null; // bytes by tile
    received: Float64Array | null;
}

export interface KindShare {
    kind: string;
    cycles: number;
}

/** A column of the summary: an IPU in the window. */
export interface SummaryIpu {
    ipu: number;
    tileBalance: number | null; // weighted by length, without syncs
    tileUtilisation: number | null; // computed from the activity of each tile
    kinds: { kind: string; cycles: number; tileCycles: number; steps: number }[];
    data: { name: string; received: number; transmitted: number }[]; // GlobalExchange, StreamCopy Host ...; bytes
}

/** trace/summary?report=&from=&to=&hide= */
export interface TraceSummary {
    from: number;
    to: number;
    cycles: number;
    overflows: boolean; // counters exceed 32 bits
    ipus: SummaryIpu[];
}

/** trace/area?report=&from=&to=&tile=&tiles=&hide= */
export interface TraceArea {
    firstTile: number;
    tiles: number;
    utilisation: number; // mean over tiles of the fraction of time in which they work
    min: number;
    max: number;
    deviation: number;
    kinds: { kind: string; tileCycles: number }[];
    histogram: number[]; // number of tiles by that fraction, from 0 to 1
    steps: number;
    leftOut: number; // steps not evaluated, because the area is too large
    work: Float64Array; // cycles by tile
    wait: Float64Array;
    idle: Float64Array;
}

/** trace/memory?report=&from=&to=&pixels=: the maximum of live bytes in each pixel. */
export interface MemoryTrack {
    from: number;
    to: number;
    live: Float32Array;
    max: number; // over the whole report
    alwaysLive: number;
}

export async function loadWindow(
    where: TraceSource & { lane: number; from: number; to: number; pixels: number },
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
        rows: 1,
        block: null,
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

/** Assigns rows to rectangles: one for each depth or, when separated, as many for each depth as overlap. */
export function placeRows(value: Rectangles, separate: boolean): void {
    const { depth, overlap } = value;
    const needed: number[] = [];
    depth.forEach((one, i) => (needed[one] = Math.max(needed[one] ?? 1, separate ? overlap[i] + 1 : 1)));
    const first: number[] = [0];
    for (let i = 0; i < needed.length; ++i) first[i + 1] = first[i] + (needed[i] ?? 1);
    value.row = separate ? depth.map((one, i) => first[one] + overlap[i]) : depth;
    value.rows = Math.max(1, first[needed.length]);
}

export async function loadBsp(
    where: TraceSource & {
        tile: number;
        tiles: number;
        from: number;
        to: number;
        pixels: number;
        height: number;
        hide: string;
    },
    signal?: AbortSignal,
): Promise<BspPicture> {
    const columns = await getColumns<{ width: number; height: number; from: number; to: number }>(
        "trace/bsp",
        where,
        signal,
    );
    return { ...columns.meta, kind: columns.numbers("kind") as Uint8Array };
}

/** A step of a layer. */
export interface LayerStep {
    step: number;
    kind: number; // index into TraceLanes.kinds
    name: string;
    from: number;
    to: number;
    cycles: number;
    activeTiles: number;
    balance: number;
    activeBalance: number;
}

/** trace/layer?report=&lane=&from=&to=&name=&tree=&hide=: at most 10,000 steps, and their total number. */
export async function loadLayer(
    where: TraceSource & { lane: number; from: number; to: number; name: string; tree: string; hide: string },
    signal?: AbortSignal,
): Promise<{ rows: LayerStep[]; steps: number; cycles: number }> {
    const columns = await getColumns<{ steps: number; cycles: number }>("trace/layer", where, signal);
    const [step, kind, label, from, to, cycles] = ["step", "kind", "label", "from", "to", "cycles"].map((name) =>
        columns.numbers(name),
    );
    const [activeTiles, balance, activeBalance] = ["activeTiles", "balance", "activeBalance"].map((name) =>
        columns.numbers(name),
    );
    const names = columns.texts("labels");
    const rows = Array.from(step, (one, i) => ({
        step: one,
        kind: kind[i],
        name: names[label[i]] ?? "",
        from: from[i],
        to: to[i],
        cycles: cycles[i],
        activeTiles: activeTiles[i],
        balance: balance[i],
        activeBalance: activeBalance[i],
    }));
    return { ...columns.meta, rows };
}

export async function loadMemoryTrack(
    where: TraceSource & { lane: number; from: number; to: number; pixels: number },
    signal?: AbortSignal,
): Promise<MemoryTrack> {
    const columns = await getColumns<{ from: number; to: number; max: number; alwaysLive: number }>(
        "trace/memory",
        where,
        signal,
    );
    return { ...columns.meta, live: columns.numbers("live") as Float32Array };
}

export async function loadArea(
    where: TraceSource & { tile: number; tiles: number; from: number; to: number; hide: string },
    signal?: AbortSignal,
): Promise<TraceArea> {
    const columns = await getColumns<Omit<TraceArea, "work" | "wait" | "idle">>("trace/area", where, signal);
    const number = (name: string) => columns.numbers(name) as Float64Array;
    return { ...columns.meta, work: number("work"), wait: number("wait"), idle: number("idle") };
}

const steps = new Map<string, Promise<TraceStepTiles>>();
onForget(() => steps.clear());

function stepOf(columns: Columns<TraceStep>): TraceStepTiles {
    const [begin, end] = [columns.numbers("from"), columns.numbers("to")];
    const cycles = Float64Array.from(begin, (from, tile) => end[tile] - from);
    let [from, to] = [Infinity, -Infinity];
    const any = cycles.some((one) => one > 0);
    for (let tile = 0; tile < cycles.length; ++tile) {
        if (any && cycles[tile] <= 0) continue;
        from = Math.min(from, begin[tile]);
        to = Math.max(to, end[tile]);
    }
    const optional = (name: string) => (columns.has(name) ? (columns.numbers(name) as Float64Array) : null);
    return { ...columns.meta, from, to, cycles, sent: optional("sent"), received: optional("received") };
}

/** Cached for a while, because callouts and details request the same step. */
export function loadStep(source: TraceSource, index: number): Promise<TraceStepTiles> {
    const key = `${source.report} ${source.host ?? 0} ${index}`;
    let step = steps.get(key);
    if (!step) {
        step = getColumns<TraceStep>("trace/step", { ...source, index }).then(stepOf);
        step.catch(() => steps.delete(key));
        steps.set(key, step);
        if (steps.size > 64) steps.delete([...steps.keys()][0]);
    }
    return step;
}

/** Statistics over the tiles of an IPU. */
export function spreadOf(values: ArrayLike<number>, first: number, count: number): Spread {
    let [min, max, sum, squares] = [Infinity, -Infinity, 0, 0];
    for (let i = first; i < first + count; ++i) {
        min = Math.min(min, values[i]);
        max = Math.max(max, values[i]);
        sum += values[i];
        squares += values[i] * values[i];
    }
    const mean = sum / count;
    return { min, mean, max, deviation: Math.sqrt(Math.max(0, squares / count - mean * mean)) };
}

/** Bytes of a step's compute set over all tiles; null: it has none. */
export function computeSetBytes(step: TraceStep): number | null {
    const parts = step.computeSetMemory[0];
    if (!parts) return null;
    return Object.entries(parts).reduce((sum, [name, bytes]) => (name === "id" ? sum : sum + (bytes ?? 0)), 0);
}

/** Whether a step moves data; the syncs of an exchange refer to its data, too, but move none. */
export function movesData(step: TraceStep): boolean {
    return step.exchange.length > 0 && /^(DoExchange|GlobalExchange|StreamCopy)/.test(step.kind);
}
