// SPDX-License-Identifier: Apache-2.0
// The packed bytes of an exported page: zlib's format in text of seven bits a character (analyser/server/packed.h).

const BITS = 7;
const MASK = 0x7f;

/** The bytes of a text: characters from 128 on stand for those that HTML would change. */
export function bytesOfText(text: string): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(Math.floor((text.length * BITS) / 8));
    let bits = 0;
    let held = 0;
    let at = 0;
    for (let i = 0; i < text.length && at < bytes.length; ++i) {
        bits |= (text.charCodeAt(i) & MASK) << held;
        held += BITS;
        if (held < 8) continue;
        bytes[at++] = bits & 0xff;
        bits >>>= 8;
        held -= 8;
    }
    return bytes;
}

export async function unpack(text: string): Promise<ArrayBuffer> {
    const stream = new Blob([bytesOfText(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).arrayBuffer();
}

const WIDTHS: { readonly [type: string]: number } = { u16: 2, u32: 4, f32: 4, f64: 8 };

function sums(bytes: Uint8Array<ArrayBuffer>, width: number): void {
    const count = bytes.length / width;
    const values =
        width === 2
            ? new Uint16Array(bytes.buffer, bytes.byteOffset, count)
            : width === 4
              ? new Uint32Array(bytes.buffer, bytes.byteOffset, count)
              : new BigUint64Array(bytes.buffer, bytes.byteOffset, count);
    if (values instanceof BigUint64Array) for (let i = 1; i < count; ++i) values[i] += values[i - 1];
    else for (let i = 1; i < count; ++i) values[i] += values[i - 1];
}

/** Columns whose numbers are differences, their first bytes before their second ones, as they were encoded. */
export function restoreColumns(packed: Uint8Array): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(packed); // a copy, aligned
    const length = new DataView(bytes.buffer).getUint32(4, true);
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length))) as {
        columns: { type: string; count: number; at: number }[];
    };
    const start = (8 + length + 7) & ~7;
    for (const { type, count, at } of header.columns) {
        const width = WIDTHS[type];
        if (!width || !count) continue;
        const column = bytes.subarray(start + at, start + at + count * width);
        const planes = column.slice();
        for (let k = 0; k < width; ++k) for (let i = 0; i < count; ++i) column[i * width + k] = planes[k * count + i];
        sums(column, width);
    }
    return bytes;
}
