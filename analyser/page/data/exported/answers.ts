// SPDX-License-Identifier: Apache-2.0
// The embedded answers of an exported page, by request; columns are base64 text.
import { Columns, decodeColumns } from "../columns";
import { Encodable } from "../encode";

export interface ColumnsAnswer {
    meta: unknown;
    columns: Encodable;
}

/** The answer to a request; undefined: not embedded. */
export type Answer = { json: unknown } | ColumnsAnswer | undefined;
export type Asked = { readonly [name: string]: string };

export class Answers {
    private readonly decoded = new Map<string, Columns>();

    constructor(private readonly kept: { readonly [key: string]: unknown }) {}

    raw(path: string, parameters: Asked = {}): unknown {
        const words = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
        return this.kept[words.length ? `${path}?${words.sort().join("&")}` : path];
    }

    json<T>(path: string, parameters: Asked = {}): T | undefined {
        return this.raw(path, parameters) as T | undefined;
    }

    columns<Meta>(path: string, parameters: Asked = {}): Columns<Meta> | undefined {
        const text = this.raw(path, parameters);
        if (typeof text !== "string") return undefined;
        let found = this.decoded.get(text);
        if (!found) this.decoded.set(text, (found = decodeColumns(bytesOf(text).buffer)));
        return found as Columns<Meta>;
    }
}

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
}

/** Filters the rows of all number columns by `keep`; text columns are kept whole. */
export function rowsWhere(columns: Columns, names: readonly string[], keep: (row: number) => boolean): Encodable {
    const result: { [name: string]: Encodable[string] } = {};
    for (const name of names) result[name] = columns.numbers(name).filter((_: number, row: number) => keep(row));
    return result;
}
