// SPDX-License-Identifier: Apache-2.0
// Blocks of lightweight profiling, as rectangles of a tile's lane.
import { NONE } from "../draw/lanes";
import { getColumns } from "./client";
import { Rectangles } from "./trace";

/** trace/blocks?report=&tile=&io=&from=&to=&pixels=&flushes=&q=: of a tile, or (io >= 0) the stream copies of an IPU's other tiles. */
export async function loadBlocks(
    where: { report: number; tile: number; io: number; from: number; to: number; pixels: number },
    options: { flushes: 0 | 1; q: string },
    signal?: AbortSignal,
): Promise<Rectangles> {
    const columns = await getColumns<{ rows: number }>("trace/blocks", { ...where, ...options }, signal);
    const numbers = <T>(name: string) => columns.numbers(name) as unknown as T;
    const [step, label] = [numbers<Uint32Array>("step"), numbers<Uint32Array>("label")];
    const row = numbers<Uint8Array>("row");
    return {
        from: numbers("from"),
        to: numbers("to"),
        row,
        depth: row,
        overlap: row,
        overlaps: columns.meta.rows,
        kind: numbers("kind"),
        step,
        count: numbers("count"),
        balance: new Float32Array(step.length),
        label,
        matches: columns.has("matches") ? numbers("matches") : null,
        labels: columns.texts("labels"),
        exact: step.every((one, i) => one !== NONE || label[i] !== NONE),
    };
}
