// SPDX-License-Identifier: Apache-2.0
// Decodes application/x-tremula-columns: "TCOL", u32 length of a JSON header, the header, zeros up to a multiple of 8,
// then arrays in little-endian order. Arrays of numbers are views of the answer, not copies.

export type NumberColumn = Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array;

interface Described {
    name: string;
    type: "u8" | "u16" | "u32" | "f32" | "f64" | "text";
    count: number;
    at: number;
    bytes: number;
}

export class Columns<Meta = unknown> {
    constructor(
        readonly meta: Meta,
        private readonly columns: Map<string, NumberColumn | string[]>,
    ) {}

    /** All columns, by name. */
    all(): { [name: string]: NumberColumn | string[] } {
        return Object.fromEntries(this.columns);
    }

    has(name: string): boolean {
        return this.columns.has(name);
    }

    numbers(name: string): NumberColumn {
        const column = this.columns.get(name);
        if (!column || Array.isArray(column)) throw new Error(`the answer has no column of numbers "${name}"`);
        return column;
    }

    texts(name: string): readonly string[] {
        const column = this.columns.get(name);
        if (!column || !Array.isArray(column)) throw new Error(`the answer has no column of texts "${name}"`);
        return column;
    }
}

function texts(buffer: ArrayBuffer, at: number, column: Described): string[] {
    const offsets = new Uint32Array(buffer, at, column.count + 1);
    const bytes = new Uint8Array(buffer, at + 4 * (column.count + 1), column.bytes - 4 * (column.count + 1));
    const decoder = new TextDecoder();
    return Array.from({ length: column.count }, (_, i) => decoder.decode(bytes.subarray(offsets[i], offsets[i + 1])));
}

export function decodeColumns<Meta>(buffer: ArrayBuffer): Columns<Meta> {
    const view = new DataView(buffer);
    if (buffer.byteLength < 8 || view.getUint32(0, false) !== 0x54434f4c)
        throw new Error("the answer is not in the format of columns");
    const length = view.getUint32(4, true);
    const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length))) as {
        meta: Meta;
        columns: Described[];
    };
    const start = (8 + length + 7) & ~7;
    const columns = new Map<string, NumberColumn | string[]>();
    for (const column of header.columns) {
        const at = start + column.at;
        switch (column.type) {
            case "u8":
                columns.set(column.name, new Uint8Array(buffer, at, column.count));
                break;
            case "u16":
                columns.set(column.name, new Uint16Array(buffer, at, column.count));
                break;
            case "u32":
                columns.set(column.name, new Uint32Array(buffer, at, column.count));
                break;
            case "f32":
                columns.set(column.name, new Float32Array(buffer, at, column.count));
                break;
            case "f64":
                columns.set(column.name, new Float64Array(buffer, at, column.count));
                break;
            case "text":
                columns.set(column.name, texts(buffer, at, column));
                break;
        }
    }
    return new Columns(header.meta, columns);
}
