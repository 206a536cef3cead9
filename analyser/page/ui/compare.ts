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

/** "2.7 MiB (64.29 %)": the size of the difference, and its share of the larger number; a dash when one is missing. */
export function differenceText(
    source: number | null,
    target: number | null,
    format: (value: number) => string,
): string {
    if (source === null && target === null) return "–";
    const [a, b] = [source ?? 0, target ?? 0];
    const larger = Math.max(Math.abs(a), Math.abs(b));
    const sign = b > a ? "+" : b < a ? "−" : "";
    return (
        `${sign}${format(Math.abs(b - a))} ` +
        `(${larger > 0 ? ((Math.abs(b - a) / larger) * 100).toFixed(2) : "0.00"} %)`
    );
}

/** CSS class: more than the source, less, or equal. */
export function differenceClass(source: number | null, target: number | null): string {
    const change = (target ?? 0) - (source ?? 0);
    return change > 0 ? "more" : change < 0 ? "less" : "same";
}
