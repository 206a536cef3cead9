// SPDX-License-Identifier: Apache-2.0
// SQL queries over a report.
import { getColumns } from "./client";
import { NumberColumn } from "./columns";
import { Loaded, useJson, useLoaded } from "./load";

export interface Table {
    name: string;
    columns: string[];
}

export function useSchema(report: number): Loaded<Table[]> {
    return useJson<Table[]>("sql/schema", { report });
}

/** The least number of changes of a letter that make one text of another. */
function distance(a: string, b: string): number {
    let row = Array.from({ length: b.length + 1 }, (_, i) => i);
    for (let i = 1; i <= a.length; ++i) {
        const next = [i];
        for (let k = 1; k <= b.length; ++k)
            next[k] = Math.min(row[k] + 1, next[k - 1] + 1, row[k - 1] + (a[i - 1] === b[k - 1] ? 0 : 1));
        row = next;
    }
    return row[b.length];
}

/** What a query may have meant: the columns of its tables for an unknown column, the nearest table for an unknown
 * one; "": nothing is known. */
export function hintOf(error: string, sql: string, schema: readonly Table[]): string {
    const words = new Set(sql.toLowerCase().match(/\w+/g) ?? []);
    const used = schema.filter((table) => words.has(table.name.toLowerCase()));
    const column = /no such column: (?:\w+\.)?(\w+)/.exec(error)?.[1];
    if (column && used.length) {
        const near = [...new Set(used.flatMap((table) => table.columns))]
            .map((name) => ({ name, by: distance(column.toLowerCase(), name.toLowerCase()) }))
            .sort((a, b) => a.by - b.by)[0];
        const lists = used.map((table) => `${table.name} has the columns ${table.columns.join(", ")}`);
        const meant = near && near.by <= Math.max(2, column.length / 2) ? `Is it ${near.name}? ` : "";
        return `${meant}${lists.join("; ")}.`;
    }
    const table = /no such table: (\w+)/.exec(error)?.[1];
    if (!table || !schema.length) return "";
    const nearest = [...schema]
        .map((one) => ({ one, by: distance(table.toLowerCase(), one.name.toLowerCase()) }))
        .sort((a, b) => a.by - b.by)[0].one;
    return `The nearest table is ${nearest.name}, with the columns ${nearest.columns.join(", ")}.`;
}

export interface ResultColumn {
    name: string;
    numbers?: NumberColumn; // for a column of numbers; else texts
    texts?: readonly string[];
}

export interface Result {
    columns: ResultColumn[];
    rows: number;
    cut: boolean; // more rows exist than are shown
}

interface ResultMeta {
    columns: { name: string; number: boolean }[];
    rows: number;
    cut: boolean;
}

/** The rows of a query; "": nothing is queried. */
export function useQuery(report: number, sql: string): Loaded<Result> {
    return useLoaded(sql ? `sql ${report} ${sql}` : null, async (signal) => {
        const answer = await getColumns<ResultMeta>("sql/query", { report, q: sql }, signal);
        const columns = answer.meta.columns.map(({ name, number }, i): ResultColumn =>
            number ? { name, numbers: answer.numbers(`c${i}`) } : { name, texts: answer.texts(`c${i}`) },
        );
        return { columns, rows: answer.meta.rows, cut: answer.meta.cut };
    });
}
