// SPDX-License-Identifier: Apache-2.0
// Differences of two reports by debug path: the rows of `pva compare`.
import { getColumns } from "./client";
import { Loaded, useLoaded } from "./load";

export interface Difference {
    what: string;
    path: string; // "" for a total
    unit: string;
    change: "added" | "removed" | "changed" | "same";
    a: number;
    b: number;
    difference: number;
    basis: string; // what the figure is the sum or the maximum of
}

export function useDifferences(wanted: boolean): Loaded<Difference[]> {
    return useLoaded(wanted ? "differences" : null, async (signal) => {
        const columns = await getColumns("difference/table", {}, signal);
        const [what, path, unit, change, basis] = ["what", "path", "unit", "change", "basis"].map((name) =>
            columns.texts(name),
        );
        const [a, b, difference] = ["a", "b", "difference"].map((name) => columns.numbers(name));
        return what.map((_, i) => ({
            what: what[i],
            path: path[i],
            unit: unit[i],
            change: change[i] as Difference["change"],
            a: a[i],
            b: b[i],
            difference: difference[i],
            basis: basis[i],
        }));
    });
}
