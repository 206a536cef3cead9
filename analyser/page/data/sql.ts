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
