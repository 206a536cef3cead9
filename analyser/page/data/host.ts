// SPDX-License-Identifier: Apache-2.0
// What the host did while a report was recorded: threads as lanes, graphs of series (docs/reference/trace-files.md).
// With host=1 the trace's cycles are on the host's axis, on which recorded runs take their own cycles.
import { NONE } from "./rectangles";
import { getColumns } from "./client";
import { Rectangles, TraceSource } from "./trace";

export interface HostThread {
    index: number;
    tid: number;
    name: string;
    rows: number;
    events: number;
}

export interface HostProcess {
    pid: number;
    name: string;
    file: string;
    threads: HostThread[];
}

export interface HostGraph {
    index: number;
    process: number;
    name: string;
    unit: string;
    min: number;
    max: number;
    series: string[];
}

/** trace/hosts?report= */
export interface Hosts {
    processes: HostProcess[]; // none: there is no trace file beside the report
    graphs: HostGraph[];
    events: number;
    note: string | null; // what was left out
}

/** trace/host_event?report=&index= */
export interface HostEvent {
    index: number;
    label: string;
    channel?: string;
    metadata?: string | null;
    from: number; // cycles of the axis
    to: number;
    startMicroseconds: number; // since 1970
    nanoseconds: number;
    ended: boolean;
    pid: number;
    tid: number;
    process: string;
    thread: string;
}

/** Colours of events, by their names; they follow the kinds of blocks in a trace's looks. */
export const HOST_KINDS = ["Host 1", "Host 2", "Host 3", "Host 4", "Host 5"] as const;

function kindOf(label: string): number {
    let hash = 7;
    for (let i = 0; i < label.length; ++i) hash = (hash * 31 + label.charCodeAt(i)) >>> 0;
    return hash % HOST_KINDS.length;
}

/** trace/host?thread=&from=&to=&pixels=: the events of a thread as rectangles; `block` has their indices. */
export async function loadHostLane(
    where: TraceSource & { thread: number; from: number; to: number; pixels: number },
    options: { q: string; base: number }, // base: number of looks before those of the host
    signal?: AbortSignal,
): Promise<Rectangles> {
    const columns = await getColumns<{ rows: number }>("trace/host", { ...where, q: options.q || undefined }, signal);
    const numbers = <T>(name: string) => columns.numbers(name) as unknown as T;
    const [label, depth, count] = [
        numbers<Uint32Array>("label"),
        numbers<Uint8Array>("depth"),
        numbers<Uint32Array>("count"),
    ];
    const labels = columns.texts("labels");
    const kinds = labels.map((text) => options.base + kindOf(text));
    return {
        from: numbers("from"),
        to: numbers("to"),
        row: depth,
        depth,
        overlap: depth,
        rows: columns.meta.rows,
        kind: Uint8Array.from(label, (one) => kinds[one]),
        block: numbers<Uint32Array>("event"),
        step: new Uint32Array(label.length).fill(NONE),
        count,
        balance: new Float32Array(label.length),
        label,
        matches: options.q ? numbers("matches") : null,
        labels,
        exact: count.every((one) => one === 1),
        nanoseconds: numbers("nanoseconds"),
    };
}

/** Values of a graph's series in a window: the least and the most of each pixel. */
export interface HostSeries {
    at: Float64Array;
    low: Float64Array;
    high: Float64Array;
    series: Uint32Array;
}

export async function loadHostSeries(
    where: TraceSource & { graph: number; from: number; to: number; pixels: number },
    signal?: AbortSignal,
): Promise<HostSeries> {
    const columns = await getColumns<unknown>("trace/series", { ...where }, signal);
    const numbers = <T>(name: string) => columns.numbers(name) as unknown as T;
    return { at: numbers("at"), low: numbers("low"), high: numbers("high"), series: numbers("series") };
}
