// SPDX-License-Identifier: Apache-2.0
// Steps of two reports that match, with their cycles.
import { getColumns } from "./client";
import { Loaded, useLoaded } from "./load";
import { NONE } from "./rectangles";

export interface MatchedStep {
    a: number | null; // step of the source; null: it has none
    b: number | null;
    kind: number; // index into TraceLanes.kinds
    name: string;
    cyclesA: number; // of the slowest tile
    cyclesB: number;
    change: "changed" | "equal" | "added" | "removed";
}

export interface Matched {
    rows: MatchedStep[];
    pairs: number; // how many there are; `rows` are at most 10,000 of them
}

/** trace/matched: all, the largest difference first, or the pair of a step. */
export function useMatched(on: boolean, of?: { side: number; step: number }): Loaded<Matched> {
    const key = on ? `matched ${JSON.stringify(of ?? null)}` : null;
    return useLoaded(key, async (signal) => {
        const columns = await getColumns<{ pairs: number }>("trace/matched", { ...of }, signal);
        const [a, b, kind] = ["stepA", "stepB", "kind"].map((name) => columns.numbers(name));
        const [cyclesA, cyclesB] = ["cyclesA", "cyclesB"].map((name) => columns.numbers(name));
        const names = columns.texts("name");
        const rows = names.map((name, i): MatchedStep => ({
            a: a[i] === NONE ? null : a[i],
            b: b[i] === NONE ? null : b[i],
            kind: kind[i],
            name,
            cyclesA: cyclesA[i],
            cyclesB: cyclesB[i],
            change:
                a[i] === NONE ? "added" : b[i] === NONE ? "removed" : cyclesA[i] === cyclesB[i] ? "equal" : "changed",
        }));
        return { rows, pairs: columns.meta.pairs };
    });
}
