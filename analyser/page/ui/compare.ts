// SPDX-License-Identifier: Apache-2.0
// A request to one report or to both, and the formatted difference of two numbers.
import { Parameters } from "../data/client";
import { Columns } from "../data/columns";
import { Loaded, useColumns, useJson } from "../data/load";
import { Report } from "../data/reports";

/** Answers of the source and, when two reports are open, of the target. */
export function useJsonOfBoth<T>(
    reports: readonly Report[],
    path: string | null,
    parameters: Parameters = {},
): [Loaded<T>, Loaded<T> | null] {
    const source = useJson<T>(path, { ...parameters, report: 0 });
    const target = useJson<T>(reports.length > 1 ? path : null, { ...parameters, report: 1 });
    return [source, reports.length > 1 ? target : null];
}

export function useColumnsOfBoth<Meta>(
    reports: readonly Report[],
    path: string | null,
    parameters: Parameters = {},
): [Loaded<Columns<Meta>>, Loaded<Columns<Meta>> | null] {
    const source = useColumns<Meta>(path, { ...parameters, report: 0 });
    const target = useColumns<Meta>(reports.length > 1 ? path : null, { ...parameters, report: 1 });
    return [source, reports.length > 1 ? target : null];
}

/** Short names of the source and of the target: the end of their paths in which they differ. */
export function reportTitles(reports: readonly Report[]): string[] {
    if (reports.length < 2) return reports.map((report) => report.name);
    const parts = reports.map((report) => report.directory.split("/").filter((part) => part));
    let same = 0; // parts at the end that are equal
    const at = (i: number) => parts.map((all) => all[all.length - 1 - i]);
    while (at(same)[0] !== undefined && at(same)[0] === at(same)[1]) ++same;
    return parts.map((all, i) => all.slice(Math.max(0, all.length - 1 - same)).join("/") || reports[i].name);
}

/** Difference of two numbers in per cent of the first, the rule of all views: "+60.00 %"; "new": there is no first. */
export function changeText(source: number | null, target: number | null, digits = 2): string {
    const [a, b] = [source ?? 0, target ?? 0];
    if (a === 0 && b !== 0) return "new";
    const share = a === 0 ? 0 : (b - a) / Math.abs(a);
    return `${share > 0 ? "+" : share < 0 ? "−" : ""}${(Math.abs(share) * 100).toFixed(digits)} %`;
}

/** Says in a column's head what its per cents are of. */
export const DIFFERENCE = "Difference (% of first)";

/** "+2.8 MiB (+186.67 %)": the difference, and its per cent of the first number; a dash when both are missing. */
export function differenceText(
    source: number | null,
    target: number | null,
    format: (value: number) => string,
): string {
    if (source === null && target === null) return "–";
    const [a, b] = [source ?? 0, target ?? 0];
    const sign = b > a ? "+" : b < a ? "−" : "";
    return `${sign}${format(Math.abs(b - a))} (${changeText(a, b)})`;
}

/** CSS class: more than the source, less, or equal. */
export function differenceClass(source: number | null, target: number | null): string {
    const change = (target ?? 0) - (source ?? 0);
    return change > 0 ? "more" : change < 0 ? "less" : "same";
}
