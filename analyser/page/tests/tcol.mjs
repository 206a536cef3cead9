// SPDX-License-Identifier: Apache-2.0
// Encodes columns as the server does, for tests without the server.
const SIZES = { u8: 1, u16: 2, u32: 4, f32: 4, f64: 8 };

function columnBytes({ type, values }) {
    if (type !== "text") {
        const bytes = Buffer.alloc(values.length * SIZES[type]);
        const write = {
            u8: "writeUInt8",
            u16: "writeUInt16LE",
            u32: "writeUInt32LE",
            f32: "writeFloatLE",
            f64: "writeDoubleLE",
        }[type];
        values.forEach((value, i) => bytes[write](value, i * SIZES[type]));
        return bytes;
    }
    const texts = values.map((value) => Buffer.from(value));
    const offsets = Buffer.alloc(4 * (values.length + 1));
    let at = 0;
    texts.forEach((text, i) => {
        at += text.length;
        offsets.writeUInt32LE(at, 4 * (i + 1));
    });
    return Buffer.concat([offsets, ...texts]);
}

const padded = (bytes) => Buffer.concat([bytes, Buffer.alloc(-bytes.length & 7)]);

/** columns: [{name, type, values}]. */
export function encode(meta, columns) {
    const bodies = columns.map(columnBytes);
    let at = 0;
    const described = columns.map(({ name, type, values }, i) => {
        const one = { name, type, count: values.length, at, bytes: bodies[i].length };
        at += padded(bodies[i]).length;
        return one;
    });
    const header = Buffer.from(JSON.stringify({ meta, columns: described }));
    const start = Buffer.alloc(8);
    start.write("TCOL");
    start.writeUInt32LE(header.length, 4);
    return Buffer.concat([padded(Buffer.concat([start, header])), ...bodies.map(padded)]);
}
