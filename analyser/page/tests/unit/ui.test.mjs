// SPDX-License-Identifier: Apache-2.0
// Formatting of numbers, and the visible rows of a table.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "../load.mjs";

const format = await load("ui/format.ts");
const { shownRows, asTsv, asCsv } = await load("ui/rows.ts");

test("bytes in each unit", () => {
    assert.equal(format.bytes(638976, "binary"), "624 KiB");
    assert.equal(format.bytes(8192, "binary"), "8.0 KiB");
    assert.equal(format.bytes(8000, "si"), "8.0 kB");
    assert.equal(format.bytes(1024, "bytes"), "1,024 B");
    assert.equal(format.bytes(0, "binary"), "0 B");
});

test("names and shares", () => {
    assert.equal(format.shortName("a/b/c/d"), "…/c/d");
    assert.equal(format.shortName("a/b"), "a/b");
    assert.equal(
        format.middle("StreamCopy", (text) => text.length <= 8),
        "Stre…opy",
    );
    assert.equal(
        format.middle("StreamCopy", () => false),
        "",
    );
    assert.equal(format.percent(0.1234), "12.3 %");
    assert.equal(format.time(1850000, 1.85e9), "1.00 ms");
    assert.equal(format.time(1, 0), "");
});

const rows = [
    { name: "b", bytes: 3 },
    { name: "a10", bytes: null },
    { name: "a9", bytes: 7 },
    { name: '=x"y', bytes: 5 },
];
const columns = [
    { id: "name", value: (row) => row.name },
    { id: "bytes", value: (row) => row.bytes },
];
const names = (state) => shownRows(rows, columns, state).map((row) => row.name);

test("sort, with what is missing last in both orders", () => {
    assert.deepEqual(names({ sort: "bytes" }), ["b", '=x"y', "a9", "a10"]);
    assert.deepEqual(names({ sort: "-bytes" }), ["a9", '=x"y', "b", "a10"]);
    assert.deepEqual(names({ sort: "name" }).slice(1), ["a9", "a10", "b"]);
});

test("filters", () => {
    assert.deepEqual(names({ text: "A" }), ["a10", "a9"]);
    assert.deepEqual(names({ ranges: { bytes: [4, null] } }), ["a9", '=x"y']);
    assert.deepEqual(names({ ranges: { bytes: [null, 5] }, sort: "-bytes" }), ['=x"y', "b"]);
});

test("copies and files", () => {
    assert.equal(asTsv(rows.slice(0, 2), columns, ["Name", "Bytes"]), "Name\tBytes\nb\t3\na10\t");
    assert.equal(asCsv(rows.slice(3), columns, ["Name", "Bytes"]), 'Name,Bytes\r\n"\'=x""y",5\r\n');
});
