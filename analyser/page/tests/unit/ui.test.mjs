// SPDX-License-Identifier: Apache-2.0
// Formatting of numbers, and the visible rows of a table.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "../load.mjs";

const format = await load("text/format.ts");
const names = await load("text/names.ts");
const { shownRows, asTsv, asCsv } = await load("ui/rows.ts");

test("bytes in each unit", () => {
    assert.equal(format.bytes(638976, "binary"), "624 KiB");
    assert.equal(format.bytes(8192, "binary"), "8.0 KiB");
    assert.equal(format.bytes(8000, "si"), "8.0 kB");
    assert.equal(format.bytes(1024, "bytes"), "1,024 B");
    assert.equal(format.bytes(0, "binary"), "0 B");
});

test("names keep the end that tells them apart", () => {
    assert.equal(names.shortName("a/b/c/d"), "…/c/d");
    assert.equal(names.shortName("a/b"), "a/b");
    assert.equal(
        names.shortName("popops::BinaryOp1DSupervisor<popops::expr::BinaryOpType::ADD,float>"),
        "popops::BinaryOp1DSupervisor<ADD, float>",
    );
    assert.equal(names.shortName("<message:a/b>"), "<message:a/b>");
    assert.equal(names.shortTypes("a < b"), "a < b");
    assert.equal(names.shortTypes("Map<Pair<x::A,y::B>,int>"), "Map<Pair<A, B>, int>");
    assert.equal(names.foldTypes("Map<Pair<x::A,y::B>,int>::get"), "Map<…>::get");
    const fitted = (name, length) => names.fitName(name, (text) => text.length <= length);
    assert.equal(fitted("layer/first/Convolve", 30), "layer/first/Convolve");
    assert.equal(fitted("layer/first/Convolve", 17), "…/first/Convolve");
    assert.equal(fitted("layer/first/Convolve", 12), "…/Convolve");
    assert.equal(fitted("poplin::ConvPartial1x1Out<float,float,true,false,16>", 30), "poplin::ConvPartial1x1Out<…>");
    assert.equal(fitted("StreamCopy12", 8), "Str…py12");
    assert.equal(fitted("StreamCopy12", 3), "");
    for (let length = 0; length < 40; ++length) {
        const text = fitted("net/block_7/attention/softmax_12", length);
        assert.ok(text.length <= length, `${text} fits into ${length}`);
        assert.ok(text === "" || text.endsWith("12"), `${text} has the end`);
    }
});

test("equal variables of an operation are one box", async () => {
    const { foldEqual } = await load("data/operations.ts");
    const program = (id) => ({
        kind: "program",
        id,
        label: `step ${id}`,
        type: "",
        size: 1,
        alwaysLive: false,
        count: 1,
    });
    const variable = (id, label, size) => ({
        kind: "variable",
        id,
        label,
        type: "",
        size,
        alwaysLive: false,
        count: 1,
    });
    const nodes = [program(0), program(1)];
    const edges = [];
    for (let i = 0; i < 128; ++i) {
        nodes.push(variable(i, `sum/partials/${i}`, 2048));
        edges.push({ from: 0, to: 2 + i }, { from: 2 + i, to: 1 });
    }
    nodes.push(variable(200, "sum/partials/200", 8)); // only read: another box
    edges.push({ from: nodes.length - 1, to: 1 });
    const folded = foldEqual(nodes, edges);
    assert.deepEqual(
        folded.nodes.slice(2).map(({ label, count, size }) => [label, count, size]),
        [
            ["sum/partials/#", 128, 262144],
            ["sum/partials/200", 1, 8],
        ],
    );
    assert.deepEqual(folded.edges, [
        { from: 0, to: 2 },
        { from: 2, to: 1 },
        { from: 3, to: 1 },
    ]);
});

test("equal variables of the memory table are one row", async () => {
    const { foldVariables } = await load("views/memory/tables.tsx");
    const row = (id, name, bytes) => ({ id, name, type: "float", bytes, alwaysLive: 0, largest: bytes });
    const rows = [row(0, "weights", 4096), ...Array.from({ length: 128 }, (_, i) => row(1 + i, `partials/${i}`, 2048))];
    rows.push(row(200, "a/1", 8), row(201, "a/2", 8));
    const folded = foldVariables(rows);
    assert.deepEqual(
        folded.map((one) => [one.name, one.ids.length, one.bytes, one.largest]),
        [
            ["partials/#", 128, 262144, 2048],
            ["weights", 1, 4096, 4096],
            ["a/1", 1, 8, 8],
            ["a/2", 1, 8, 8],
        ],
    );
});

test("tiles in use", async () => {
    const { usedRange } = await load("draw/scale.ts");
    const tiles = (count, first, end) => Array.from({ length: count }, (_, i) => (i >= first && i < end ? 5 : 0));
    assert.deepEqual(usedRange(tiles(1472, 0, 64)), { from: 0, to: 67 });
    assert.deepEqual(usedRange(tiles(1472, 100, 140)), { from: 98, to: 142 });
    assert.deepEqual(usedRange(tiles(1472, 0, 1200)), { from: 0, to: 1472 });
    assert.deepEqual(usedRange(tiles(8, 0, 0)), { from: 0, to: 8 });
    assert.deepEqual(usedRange([]), { from: 0, to: 0 });
});

test("names and shares", () => {
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
const namesOf = (state) => shownRows(rows, columns, state).map((row) => row.name);

test("sort, with what is missing last in both orders", () => {
    assert.deepEqual(namesOf({ sort: "bytes" }), ["b", '=x"y', "a9", "a10"]);
    assert.deepEqual(namesOf({ sort: "-bytes" }), ["a9", '=x"y', "b", "a10"]);
    assert.deepEqual(namesOf({ sort: "name" }).slice(1), ["a9", "a10", "b"]);
});

test("filters", () => {
    assert.deepEqual(namesOf({ text: "A" }), ["a10", "a9"]);
    assert.deepEqual(namesOf({ ranges: { bytes: [4, null] } }), ["a9", '=x"y']);
    assert.deepEqual(namesOf({ ranges: { bytes: [null, 5] }, sort: "-bytes" }), ['=x"y', "b"]);
});

test("copies and files", () => {
    assert.equal(asTsv(rows.slice(0, 2), columns, ["Name", "Bytes"]), "Name\tBytes\nb\t3\na10\t");
    assert.equal(asCsv(rows.slice(3), columns, ["Name", "Bytes"]), 'Name,Bytes\r\n"\'=x""y",5\r\n');
});

test("documents are split into sections, whose blocks and marks are read, and searched", async () => {
    const { blocksOf, excerpt, marksOf, searchSections, sectionsOf } = await load("text/markdown.ts");
    const text =
        "# Page\n\nFirst *text* with [a link](x.md).\n\n```sh\n# no title\nmake\n```\n\n## Sync & exchange\n\n" +
        "- one `code`\n- two\n  more\n\n| a | b |\n| --- | --- |\n| `1` | **2** |\n\n![picture](p.png)\n";
    const sections = sectionsOf(text);
    assert.deepEqual(
        sections.map((one) => [one.page, one.title, one.level]),
        [
            ["Page", "Page", 1],
            ["Page", "Sync & exchange", 2],
        ],
    );
    assert.deepEqual(blocksOf(sections[0].text), [
        { kind: "text", text: "First *text* with [a link](x.md)." },
        { kind: "code", text: "# no title\nmake" },
    ]);
    assert.deepEqual(blocksOf(sections[1].text), [
        { kind: "list", items: ["one `code`", "two\n  more"] },
        {
            kind: "table",
            rows: [
                [" a ", " b "],
                [" `1` ", " **2** "],
            ],
        },
    ]);
    assert.deepEqual(marksOf("a `b` **c** [d](e) <b>"), [
        { kind: "text", text: "a " },
        { kind: "code", text: "b" },
        { kind: "text", text: " " },
        { kind: "strong", text: "c" },
        { kind: "text", text: " d <b>" },
    ]);
    assert.deepEqual(
        searchSections(sections, "EXCHANGE code").map((one) => one.title),
        ["Sync & exchange"],
    );
    assert.deepEqual(searchSections(sections, "nowhere"), []);
    assert.deepEqual(searchSections(sections, "  "), []);
    assert.equal(excerpt(sections[0], "link"), "First text with a link.");
});

test("an error of SQL names the columns of the tables in the query, or the nearest table", async () => {
    const { hintOf } = await load("data/sql.ts");
    const schema = [
        { name: "runs", columns: ["id", "name", "cycles_from"] },
        { name: "steps", columns: ["id", "type"] },
    ];
    assert.equal(
        hintOf("no such column: r.namee", "SELECT r.namee FROM runs r", schema),
        "Is it name? runs has the columns id, name, cycles_from.",
    );
    assert.equal(
        hintOf("parse_error: no such table: step", "SELECT * FROM step", schema),
        "The nearest table is steps, with the columns id, type.",
    );
    assert.equal(hintOf('near "FRM": syntax error', "SELECT 1 FRM runs", schema), "");
    assert.equal(hintOf("no such column: x", "SELECT x", schema), "");
});
