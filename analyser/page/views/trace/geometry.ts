// SPDX-License-Identifier: Apache-2.0
// Vertical layout of the trace's graph, in pixels below the axis.
import { TraceLanes } from "../../data/trace";
import { TraceOptions } from "./options";

export const ROW_HEIGHT = { flat: 18, flame: 16, programs: 16 } as const;
export const RUN_HEIGHT = 14;
export const BSP_HEIGHT = 112;
export const TRACK_HEIGHT = 48;
const GAP = 6;

/** "title": the name of an IPU above the lanes of its tiles, when no bar of runs shows it. */
export type BandKind = "memory" | "runs" | "title" | "lane" | "bsp" | "blocks";

export interface Band {
    kind: BandKind;
    key: string;
    lane: number; // IPU; blocks: index into `tiles`
    y: number;
    height: number;
    rows: number;
    title: string; // "": none
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

function detailed(
    lanes: TraceLanes,
    options: TraceOptions,
    collapsed: ReadonlySet<string>,
    rowsOf: RowCounts,
    add: (band: Omit<Band, "y">) => void,
) {
    for (const { ipu } of lanes.lanes) {
        if (options.ipu >= 0 && options.ipu !== ipu) continue;
        const key = laneKey(ipu);
        const folded = collapsed.has(key);
        const rows = folded ? 1 : (rowsOf.get(key) ?? 1);
        if (options.runs)
            add({
                kind: "runs",
                key: `${key}.runs`,
                lane: ipu,
                height: RUN_HEIGHT,
                rows: 1,
                title: "",
                collapsed: false,
            });
        add({
            kind: "lane",
            key,
            lane: ipu,
            height: rows * ROW_HEIGHT[options.layout],
            rows,
            title: `IPU ${ipu}`,
            collapsed: folded,
        });
        if (options.bsp && !folded)
            add({
                kind: "bsp",
                key: `${key}.bsp`,
                lane: ipu,
                height: BSP_HEIGHT,
                rows: 1,
                title: "tiles",
                collapsed: false,
            });
    }
}

function lightweight(
    lanes: TraceLanes,
    options: TraceOptions,
    collapsed: ReadonlySet<string>,
    rowsOf: RowCounts,
    add: (band: Omit<Band, "y">) => void,
) {
    for (let ipu = 0; ipu < lanes.ipus; ++ipu) {
        if (options.ipu >= 0 && options.ipu !== ipu) continue;
        const own = lanes.tiles
            .map((tile, place) => ({ ...tile, place }))
            .filter((one) => Math.floor(one.tile / lanes.tilesPerIpu) === ipu);
        if (!own.length) continue;
        const others = own.filter((one) => !one.selected);
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
}

export function bandsOf(
    lanes: TraceLanes,
    options: TraceOptions,
    collapsed: ReadonlySet<string>,
    rowsOf: RowCounts,
): Bands {
    const bands: Band[] = [];
    let y = 4;
    const add = (band: Omit<Band, "y">) => {
        bands.push({ ...band, y });
        y += band.height + (band.kind === "runs" || band.kind === "title" ? 2 : GAP);
    };
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
    if (lanes.mode === "lightweight") lightweight(lanes, options, collapsed, rowsOf, add);
    else detailed(lanes, options, collapsed, rowsOf, add);
    return { bands, height: y };
}

/** The band at a height; null between bands. */
export function bandAt(bands: readonly Band[], y: number): Band | null {
    return bands.find((band) => y >= band.y && y < band.y + band.height) ?? null;
}
