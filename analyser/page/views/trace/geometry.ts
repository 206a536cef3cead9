// SPDX-License-Identifier: Apache-2.0
// Vertical layout of the trace's graph, in pixels below the axis.
import { Hosts } from "../../data/host";
import { TraceLanes } from "../../data/trace";
import { TraceOptions } from "./options";

export const ROW_HEIGHT = { flat: 18, flame: 16, programs: 16 } as const;
export const RUN_HEIGHT = 14;
export const BSP_HEIGHT = 112; // at least; pictures of tiles take the height that is left
export const BSP_MOST = 320;
export const TRACK_HEIGHT = 48;
const GAP = 6;

/** "title": the name of an IPU above the lanes of its tiles, when no bar of runs shows it. */
export type BandKind = "memory" | "runs" | "title" | "lane" | "bsp" | "blocks" | "host" | "series";

export interface Band {
    kind: BandKind;
    key: string;
    lane: number; // IPU; blocks: index into `tiles`; host and series: of the thread and of the graph
    y: number;
    height: number;
    rows: number;
    title: string; // "": none
    tip?: string; // the title, where it is longer
    collapsed: boolean;
}

/** Number of rows of a lane by its key, as far as known from drawing. */
export type RowCounts = ReadonlyMap<string, number>;

export interface Bands {
    bands: Band[];
    height: number;
}

export function laneKey(ipu: number): string {
    return `ipu${ipu}`;
}

export function tileKey(tile: number): string {
    return `tile${tile}`;
}

type Add = (band: Omit<Band, "y">) => void;

/** What the bands of an IPU depend on. */
interface Shown {
    lanes: TraceLanes;
    options: TraceOptions;
    collapsed: ReadonlySet<string>;
    rowsOf: RowCounts;
}

/** Steps of an IPU and, below them, what its tiles do. */
function steps({ options, collapsed, rowsOf }: Shown, ipu: number, add: Add): void {
    const key = laneKey(ipu);
    const folded = collapsed.has(key);
    const rows = folded ? 1 : (rowsOf.get(key) ?? 1);
    const one = { lane: ipu, rows: 1, collapsed: false };
    if (options.runs) add({ ...one, kind: "runs", key: `${key}.runs`, height: RUN_HEIGHT, title: "" });
    add({
        kind: "lane",
        key,
        lane: ipu,
        height: rows * ROW_HEIGHT[options.layout],
        rows,
        title: `IPU ${ipu}`,
        collapsed: folded,
    });
    if (options.bsp && !folded) add({ ...one, kind: "bsp", key: `${key}.bsp`, height: BSP_HEIGHT, title: "tiles" });
}

/** Tiles of an IPU that recorded blocks; a report may have them beside its steps. */
function blocks({ lanes, options, collapsed, rowsOf }: Shown, ipu: number, add: Add): void {
    const own = lanes.tiles
        .map((tile, place) => ({ ...tile, place }))
        .filter((one) => Math.floor(one.tile / lanes.tilesPerIpu) === ipu);
    if (!own.length) return;
    const others = own.filter((one) => !one.selected);
    if (lanes.mode === "lightweight")
        add({
            kind: options.runs ? "runs" : "title",
            key: `ipu${ipu}.runs`,
            lane: ipu,
            height: RUN_HEIGHT,
            rows: 1,
            title: `IPU ${ipu}`,
            collapsed: false,
        });
    const lane = (key: string, place: number, title: string, known: number) => {
        const folded = collapsed.has(key);
        const rows = folded ? 1 : Math.max(known, rowsOf.get(key) ?? 1);
        add({ kind: "blocks", key, lane: place, height: rows * ROW_HEIGHT.flame, rows, title, collapsed: folded });
    };
    if (options.aggregate && others.length) lane(`io${ipu}`, others[0].place, "I/O Events", 1);
    for (const one of options.aggregate ? own.filter((tile) => tile.selected) : own)
        lane(tileKey(one.tile), one.place, `tile ${one.tile}`, 1);
}

/** Threads of each process, and below them its graphs. */
function host(
    hosts: Hosts,
    collapsed: ReadonlySet<string>,
    rowsOf: RowCounts,
    add: (band: Omit<Band, "y">) => void,
): void {
    hosts.processes.forEach((process, number) => {
        const one = { rows: 1, collapsed: false };
        add({
            ...one,
            kind: "title",
            key: `process${number}`,
            lane: number,
            height: RUN_HEIGHT,
            title: process.name || "process",
            tip: `process ${process.pid}: ${process.name}\n${process.file}`,
        });
        for (const thread of process.threads) {
            const key = `thread${thread.index}`;
            const folded = collapsed.has(key);
            const rows = folded ? 1 : Math.max(thread.rows, rowsOf.get(key) ?? 1);
            add({
                kind: "host",
                key,
                lane: thread.index,
                height: rows * ROW_HEIGHT.flame,
                rows,
                title: thread.name || `thread ${thread.tid}`,
                tip: `thread ${thread.tid}: ${thread.name}\n${thread.events.toLocaleString("en-GB")} events`,
                collapsed: folded,
            });
        }
        for (const graph of hosts.graphs.filter((each) => each.process === number))
            add({
                ...one,
                kind: "series",
                key: `graph${graph.index}`,
                lane: graph.index,
                height: TRACK_HEIGHT,
                title: graph.name,
            });
    });
}

export function bandsOf(
    lanes: TraceLanes,
    hosts: Hosts | null,
    options: TraceOptions,
    collapsed: ReadonlySet<string>,
    rowsOf: RowCounts,
    graphHeight: number,
): Bands {
    const bands: Band[] = [];
    let y = 4;
    const add = (band: Omit<Band, "y">) => {
        bands.push({ ...band, y });
        y += band.height + (band.kind === "runs" || band.kind === "title" ? 2 : GAP);
    };
    if (hosts) host(hosts, collapsed, rowsOf, add);
    if (options.memory)
        add({
            kind: "memory",
            key: "memory",
            lane: 0,
            height: TRACK_HEIGHT,
            rows: 1,
            title: "live memory",
            collapsed: false,
        });
    const shown = { lanes, options, collapsed, rowsOf };
    for (let ipu = 0; ipu < lanes.ipus; ++ipu) {
        if (options.ipu >= 0 && options.ipu !== ipu) continue;
        if (lanes.mode === "detailed") steps(shown, ipu, add);
        blocks(shown, ipu, add);
    }
    return { bands, height: y + stretch(bands, graphHeight - y) };
}

/** Divides the height that is left among the pictures of tiles; returns how much they take. */
function stretch(bands: readonly Band[], left: number): number {
    const pictures = bands.filter((band) => band.kind === "bsp");
    const each = Math.min(BSP_MOST - BSP_HEIGHT, Math.floor(left / Math.max(1, pictures.length)));
    if (each <= 0 || !pictures.length) return 0;
    let moved = 0;
    for (const band of bands) {
        band.y += moved;
        if (band.kind !== "bsp") continue;
        band.height += each;
        moved += each;
    }
    return moved;
}

/** The band at a height; null between bands. */
export function bandAt(bands: readonly Band[], y: number): Band | null {
    return bands.find((band) => y >= band.y && y < band.y + band.height) ?? null;
}
