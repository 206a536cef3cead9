// SPDX-License-Identifier: Apache-2.0
// The visible rows of a table: sorted, filtered, as text. It does not use the DOM.
import { Json } from "../state";
import { csvField } from "./save";

export type Cell = string | number | null;

export interface TableState {
    sort?: string; // id of a column; "-id" sorts in descending order
    text?: string; // filter: a text that some text column contains
    ranges?: { [column: string]: [number | null, number | null] };
    hidden?: string[]; // ids of hidden columns; absent: those that are hidden by default
}

export interface Values<Row> {
    id: string;
    value: (row: Row) => Cell;
    order?: (row: Row) => number; // sorts instead of the value
}

/** A table's state from the URL. */
export function tableState(value: Json | undefined): TableState {
    return value && typeof value === "object" && !Array.isArray(value) ? value : {};
}

function compare(a: Cell, b: Cell): number {
    if (a === b) return 0;
    if (a === null) return 1; // missing values sort last
    if (b === null) return -1;
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b), "en", { numeric: true });
}

export function shownRows<Row>(
    rows: readonly Row[],
    columns: readonly Values<Row>[],
    state: TableState,
): readonly Row[] {
    const words = (state.text ?? "")
        .toLowerCase()
        .split(/\s+/)
        .filter((word) => word !== "");
    const ranges = columns
        .filter((column) => state.ranges?.[column.id])
        .map((column) => ({ column, range: (state.ranges ?? {})[column.id] }));
    let shown = rows;
    if (words.length || ranges.length)
        shown = rows.filter((row) => {
            for (const { column, range } of ranges) {
                const value = column.value(row);
                if (typeof value !== "number") return false;
                if (range[0] !== null && value < range[0]) return false;
                if (range[1] !== null && value > range[1]) return false;
            }
            if (!words.length) return true;
            const text = columns
                .map((column) => String(column.value(row) ?? ""))
                .join("\n")
                .toLowerCase();
            return words.every((word) => text.includes(word));
        });
    if (!state.sort) return shown;
    const down = state.sort.startsWith("-");
    const column = columns.find((one) => one.id === (down ? state.sort?.slice(1) : state.sort));
    if (!column) return shown;
    const keyed = shown.map((row) => ({ row, key: (column.order ?? column.value)(row) }));
    keyed.sort((a, b) =>
        a.key === null || b.key === null ? compare(a.key, b.key) : down ? compare(b.key, a.key) : compare(a.key, b.key),
    );
    return keyed.map(({ row }) => row);
}

/** Rows as lines of tab-separated values, for a spreadsheet's paste; `titles` are the first line. */
export function asTsv<Row>(rows: readonly Row[], columns: readonly Values<Row>[], titles: readonly string[]): string {
    const clean = (cell: Cell) => String(cell ?? "").replace(/[\t\r\n]+/g, " ");
    return [titles.map(clean), ...rows.map((row) => columns.map((column) => clean(column.value(row))))]
        .map((line) => line.join("\t"))
        .join("\n");
}

export function asCsv<Row>(rows: readonly Row[], columns: readonly Values<Row>[], titles: readonly string[]): string {
    return [titles.map(csvField), ...rows.map((row) => columns.map((column) => csvField(column.value(row))))]
        .map((line) => line.join(",") + "\r\n")
        .join("");
}
