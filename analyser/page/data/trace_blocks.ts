// SPDX-License-Identifier: Apache-2.0
// Blocks of lightweight profiling, as rectangles of a tile's lane.
import { LAYER, NONE } from "../draw/lanes";
import { getColumns } from "./client";
import { Rectangles } from "./trace";

/** Kinds of blocks in the order of the server's numbers; their looks follow those of steps. */
export const BLOCK_KINDS = ["Block", "Stream copy", "Buffer flush", "Overflow", "Unknown"] as const;
const FLUSH = 2;
const KIND = 15; // of a kind's bits; 16: the begin is not known, 32: the end is not known

export interface BlockOptions {
    flushes: boolean;
    q: string;
    base: number; // kinds of steps before those of blocks
}

/** trace/blocks?report=&tile=&io=&from=&to=&pixels=: of a tile, or (io=1) stream copies of its IPU's tiles without other blocks. */
export async function loadBlocks(
    where: { report: number; tile: number; io: 0 | 1; from: number; to: number; pixels: number },
    options: BlockOptions,
    signal?: AbortSignal,
): Promise<Rectangles> {
    const columns = await getColumns<unknown>("trace/blocks", where, signal);
    const all = columns.numbers("kind");
    const kept = [...all.keys()].filter((i) => options.flushes || (all[i] & KIND) !== FLUSH);
    const numbers = (name: string) => columns.numbers(name);
    const texts = columns.texts("labels");
    const words = options.q.toLowerCase();
    const labels: string[] = [];
    const label = new Uint32Array(kept.length);
    const matches = new Uint32Array(kept.length);
    kept.forEach((i, at) => {
        const bits = all[i];
        const unknown = bits & 16 ? "begin unknown" : bits & 32 ? "end unknown" : "";
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
        overlaps: 1,
        kind: Uint8Array.from(kept, (i) => Math.min(LAYER, options.base + (all[i] & KIND))),
        step: new Uint32Array(kept.length).fill(NONE),
        count,
        balance: new Float32Array(kept.length),
        label,
        matches: options.q ? matches : null,
        labels,
        exact: count.every((one) => one === 1),
    };
}
