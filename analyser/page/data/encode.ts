// SPDX-License-Identifier: Apache-2.0
// Encodes the format that columns.ts decodes, for answers computed in the page.
import { NumberColumn } from "./columns";

const NAMES = new Map<unknown, string>([
    [Uint8Array, "u8"],
    [Uint16Array, "u16"],
    [Uint32Array, "u32"],
    [Float32Array, "f32"],
    [Float64Array, "f64"],
]);

export type Encodable = { readonly [name: string]: NumberColumn | readonly string[] };

function textBytes(texts: readonly string[]): Uint8Array {
    const parts = texts.map((text) => new TextEncoder().encode(text));
    const size = parts.reduce((sum, part) => sum + part.length, 0);
    const bytes = new Uint8Array(4 * (parts.length + 1) + size);
    const offsets = new Uint32Array(bytes.buffer, 0, parts.length + 1);
    let at = 0;
    parts.forEach((part, i) => {
        bytes.set(part, 4 * (parts.length + 1) + at);
        at += part.length;
        offsets[i + 1] = at;
    });
    return bytes;
}

const round8 = (size: number) => (size + 7) & ~7;

export function encodeColumns(meta: unknown, columns: Encodable): Uint8Array<ArrayBuffer> {
    let at = 0;
    const parts = Object.entries(columns).map(([name, values]) => {
        const type = NAMES.get(values.constructor) ?? "text";
        const bytes =
            type === "text"
                ? textBytes(values as readonly string[])
                : new Uint8Array(
                      (values as NumberColumn).buffer,
                      (values as NumberColumn).byteOffset,
                      (values as NumberColumn).byteLength,
                  );
        const part = { described: { name, type, count: values.length, at, bytes: bytes.length }, bytes };
        at += round8(bytes.length);
        return part;
    });
    const header = new TextEncoder().encode(JSON.stringify({ meta, columns: parts.map((part) => part.described) }));
    const start = round8(8 + header.length);
    const result = new Uint8Array(start + at);
    result.set(new TextEncoder().encode("TCOL"));
    new DataView(result.buffer).setUint32(4, header.length, true);
    result.set(header, 8);
    for (const part of parts) result.set(part.bytes, start + part.described.at);
    return result;
}
