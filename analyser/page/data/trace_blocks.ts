// SPDX-License-Identifier: Apache-2.0
// Blocks of lightweight profiling, as rectangles of a tile's lane.
import { LAYER, NONE } from "./rectangles";
import { getColumns } from "./client";
import { Rectangles, TraceSource } from "./trace";

/** Kinds of blocks in the order of the server's numbers; their looks follow those of the kinds of steps. */
export const BLOCK_KINDS = ["Block", "Stream copy", "Buffer flush", "Overflow", "Unknown"] as const;
const STREAM_COPY = 1;
const FLUSH = 2;
const KIND = 15; // mask of the kind
const BEGIN = 16; // the begin is unknown: drawn from the end of the previous overflow
const END = 32; // the end is unknown: drawn up to the next overflow

/** trace/block?report=&index= */
export interface BlockDetails {
    block: number;
    name: string | null;
    kind: "Common" | "StreamCopy" | "Flush" | "Overflow" | "Unknown";
    phase: string | null; // of a stream copy or flush, as a kind of step
    tile: number;
    selected: boolean; // false: the tile was not selected but takes part in a stream copy of a selected one
    run: number;
    program: number | null;
    from: number | null; // null: not recorded
    to: number | null;
    shownFrom: number; // where it is drawn
    shownTo: number;
    lost: number; // blocks that began and ended in an overflow
}

/** A tile of trace/block_totals?report=&from=&to=: cycles inside the window; `covered` counts each cycle once. */
export interface BlockTotals {
    tile: number;
    selected: boolean;
    lost: number;
    covered: number;
    kinds: { kind: BlockDetails["kind"]; blocks: number; cycles: number }[];
}

export interface BlockOptions {
    flushes: boolean;
    q: string;
    base: number; // number of kinds of steps, which precede those of blocks
}

/** trace/blocks?report=&tile=&io=&from=&to=&pixels=: of a tile or, with io=1, the stream copies of its IPU's tiles
 * that have no other blocks. */
export async function loadBlocks(
    where: TraceSource & { tile: number; io: 0 | 1; from: number; to: number; pixels: number },
    options: BlockOptions,
    signal?: AbortSignal,
): Promise<Rectangles> {
    const columns = await getColumns<unknown>("trace/blocks", where, signal);
    const [all, phase] = [columns.numbers("kind"), columns.numbers("phase")];
    const kept = [...all.keys()].filter((i) => options.flushes || (all[i] & KIND) !== FLUSH);
    const numbers = (name: string) => columns.numbers(name);
    const texts = columns.texts("labels");
    const words = options.q.toLowerCase();
    const labels: string[] = [];
    const label = new Uint32Array(kept.length);
    const matches = new Uint32Array(kept.length);
    kept.forEach((i, at) => {
        const bits = all[i];
        const unknown = bits & BEGIN ? "begin unknown" : bits & END ? "end unknown" : "";
        const lost = numbers("lost")[i];
        const name = texts[numbers("label")[i]] ?? BLOCK_KINDS[bits & KIND] ?? "";
        const notes = [unknown, lost ? `${lost} blocks lost` : ""].filter((note) => note).join(", ");
        label[at] = labels.length;
        labels.push(notes ? `${name} (${notes})` : name);
        matches[at] = name.toLowerCase().includes(words) ? 1 : 0;
    });
    const row = Uint8Array.from(kept, (i) => numbers("row")[i]);
    const count = Uint32Array.from(kept, (i) => numbers("count")[i]);
    return {
        from: Float64Array.from(kept, (i) => numbers("from")[i]),
        to: Float64Array.from(kept, (i) => numbers("to")[i]),
        row,
        depth: row,
        overlap: row,
        // Phases of stream copies look like those in detailed traces.
        kind: Uint8Array.from(kept, (i) =>
            (all[i] & KIND) === STREAM_COPY && phase[i] !== LAYER
                ? phase[i]
                : Math.min(LAYER, options.base + (all[i] & KIND)),
        ),
        rows: row.reduce((rows, one) => Math.max(rows, one + 1), 1),
        block: Uint32Array.from(kept, (i) => numbers("block")[i]),
        step: new Uint32Array(kept.length).fill(NONE),
        count,
        balance: new Float32Array(kept.length),
        label,
        matches: options.q ? matches : null,
        labels,
        exact: count.every((one) => one === 1),
    };
}
