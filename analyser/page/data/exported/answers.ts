// SPDX-License-Identifier: Apache-2.0
// The embedded answers of an exported page, by request.
import { Columns, decodeColumns } from "../columns";
import { Encodable } from "../encode";
import { restoreColumns } from "./packed";

export interface ColumnsAnswer {
    meta: unknown;
    columns: Encodable;
}

/** The answer to a request; undefined: not embedded. */
export type Answer = { json: unknown } | ColumnsAnswer | undefined;
export type Asked = { readonly [name: string]: string };

/** Position, size, and whether it is columns (1) or JSON (0). */
type Place = readonly [at: number, size: number, columns: number];

const DIGITS = 8; // of the length of the index

export class Answers {
    private readonly decoded = new Map<string, Columns>();
    private readonly index: { readonly [key: string]: Place };
    private readonly bytes: Uint8Array<ArrayBuffer>;

    /** The length of the index in hexadecimal digits, the index, and the answers. */
    constructor(all: ArrayBuffer) {
        const text = (at: number, size: number) => new TextDecoder().decode(new Uint8Array(all, at, size));
        const length = parseInt(text(0, DIGITS), 16);
        this.index = JSON.parse(text(DIGITS, length)) as { [key: string]: Place };
        this.bytes = new Uint8Array(all, DIGITS + length);
    }

    private placeOf(path: string, parameters: Asked): { key: string; place: Place | undefined } {
        const words = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
        const key = words.length ? `${path}?${words.sort().join("&")}` : path;
        return { key, place: this.index[key] };
    }

    /** The bytes of an answer as the server sends them; undefined: not embedded. */
    raw(path: string, parameters: Asked = {}): Uint8Array<ArrayBuffer> | undefined {
        const { place } = this.placeOf(path, parameters);
        if (!place) return undefined;
        const bytes = this.bytes.subarray(place[0], place[0] + place[1]);
        return place[2] ? restoreColumns(bytes) : bytes;
    }

    json<T>(path: string, parameters: Asked = {}): T | undefined {
        const { place } = this.placeOf(path, parameters);
        const bytes = place && !place[2] ? this.raw(path, parameters) : undefined;
        return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as T);
    }

    columns<Meta>(path: string, parameters: Asked = {}): Columns<Meta> | undefined {
        const { key, place } = this.placeOf(path, parameters);
        if (!place?.[2]) return undefined;
        let found = this.decoded.get(key);
        if (!found) {
            const bytes = this.raw(path, parameters) as Uint8Array<ArrayBuffer>;
            this.decoded.set(key, (found = decodeColumns(bytes.buffer)));
        }
        return found as Columns<Meta>;
    }
}

/** Filters the rows of all number columns by `keep`; text columns are kept whole. */
export function rowsWhere(columns: Columns, names: readonly string[], keep: (row: number) => boolean): Encodable {
    const result: { [name: string]: Encodable[string] } = {};
    for (const name of names) result[name] = columns.numbers(name).filter((_: number, row: number) => keep(row));
    return result;
}
