// SPDX-License-Identifier: Apache-2.0
// The wire format of columns.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "../load.mjs";
import { encode } from "../tcol.mjs";

const { decodeColumns } = await load("data/columns.ts");

function buffer(bytes) {
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
}

test("all types, odd lengths and an odd header", () => {
    const columns = [
        { name: "a", type: "u8", values: [1, 2, 255] },
        { name: "b", type: "u16", values: [1, 65535, 7] },
        { name: "c", type: "u32", values: [4294967295] },
        { name: "d", type: "f32", values: [0.5, -1.25, 3] },
        { name: "e", type: "f64", values: [2 ** 53, 0.1] },
        { name: "f", type: "text", values: ["", "σ/x", "<b>"] },
        { name: "g", type: "f64", values: [] },
    ];
    for (const pad of ["", "1", "12", "123", "1234567"]) {
        const decoded = decodeColumns(buffer(encode({ pad }, columns)));
        assert.equal(decoded.meta.pad, pad);
        for (const { name, type, values } of columns)
            assert.deepEqual(type === "text" ? decoded.texts(name) : Array.from(decoded.numbers(name)), values);
    }
});

test("a column of another kind, none such, and something else than columns", () => {
    const decoded = decodeColumns(buffer(encode({}, [{ name: "a", type: "u8", values: [1] }])));
    assert.throws(() => decoded.texts("a"), /no column of texts "a"/);
    assert.throws(() => decoded.numbers("b"), /no column of numbers "b"/);
    assert.throws(() => decodeColumns(buffer(Buffer.from('{"error":1}'))), /not in the format of columns/);
});
