// SPDX-License-Identifier: Apache-2.0
// A model's nodes with cycles, FLOP and bytes, in Insights, Operations, the roofline and Flame: the report of an ONNX
// model (NODES) beside what `tremula run` printed of it (PRINTED).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { at, cells, count, done, rows, saved, shown } from "./session.mjs";

const { NODES, PRINTED } = process.env;
/** FLOP and bytes of weights and outputs by node, as the command prints them. */
const printed = new Map(
    [...readFileSync(PRINTED, "utf8").matchAll(/^ *\d+ +[\d.]+% +(\d+) +(\d+) +(\d+) {2}(\S+) \((\w+)\)$/gm)].map(
        ([, flops, weights, outputs, name, call]) => [
            name,
            { flops: Number(flops), weights: Number(weights), outputs: Number(outputs), call },
        ],
    ),
);
const COUNTED = [...printed].filter(([, node]) => node.flops > 0);
let url;
before(async () => {
    assert.ok(COUNTED.length >= 3, `the command printed ${printed.size} nodes`);
    url = await shown(NODES);
});

const flopText = (value) => `${count(value)} FLOP`;

test("Insights lists the costliest nodes with their FLOP, and FLOP of the run", async () => {
    const page = await at(url, "#/insights", "[data-operation]");
    for (const [name, node] of COUNTED)
        assert.equal(
            await page.textContent(`[data-operation="${name}"] td:nth-child(4)`),
            count(node.flops),
            `FLOP of ${name}`,
        );
    const [{ flops }] = await rows("SELECT sum(flops) AS flops FROM compute_set_vertices", NODES);
    assert.equal(await page.textContent("[data-figure=flops]"), flopText(Number(flops)));
    await page.click('[data-operation="conv"] .link');
    await page.waitForSelector(".table-rows .tr.selected");
    assert.match(await page.textContent(".table-rows .tr.selected"), /conv/);
    await done(page);
});

test("Operations shows cycles, FLOP and bytes of each node, and FLOP of its steps", async () => {
    const page = await at(url, "#/operations", ".table-rows .tr");
    const titles = await page.$$eval(".tr.head [role=columnheader]", (all) => all.map((one) => one.textContent.trim()));
    const column = (title) => titles.findIndex((one) => one.startsWith(title));
    const table = await cells(page);
    for (const [name, node] of printed) {
        const row = table.find((one) => one[column("Debug name")] === name);
        assert.equal(row[column("Operation")], node.call, name);
        assert.equal(row[column("FLOP")], flopText(node.flops), `FLOP of ${name}`);
    }
    for (const title of ["FLOP/cycle", "% of peak", "Weights", "Outputs"]) assert.ok(column(title) > 0, title);
    await page.click(".table-rows .tr:has-text('Gemm')");
    await page.click("[data-tab=steps]");
    await page.waitForSelector(".tabs .table-rows .tr");
    const steps = await cells(page, ".tabs");
    const convolve = steps.find((one) => /OnTileExecute \(output\/Convolve\)/.test(one[1]));
    assert.ok(
        convolve.includes(flopText(printed.get("output").flops)),
        `the products are in the step output/Convolve: ${convolve}`,
    );
    await done(page);
});

test("the roofline has a dot for each node with arithmetic; a click selects it; it is saved", async () => {
    const page = await at(url, "#/operations?operations.show=roofline", ".roofline canvas[data-dots]");
    await page.waitForFunction(() => JSON.parse(document.querySelector(".roofline canvas").dataset.dots)[0][0] > 64);
    const dots = JSON.parse(await page.getAttribute(".roofline canvas", "data-dots"));
    assert.equal(dots.length, COUNTED.length);
    // One FLOP a byte more is further right, one a cycle more is further up: as the table has them.
    const box = await page.locator(".roofline canvas").boundingBox();
    const seen = new Set();
    for (const [x, y] of dots) {
        await page.mouse.move(box.x + x + 1, box.y + y);
        await page.mouse.move(box.x + x, box.y + y);
        await page.mouse.click(box.x + x, box.y + y);
        await page.waitForSelector(".facts");
        const name = (await page.textContent(".facts dd")).split(" ").pop();
        await page.waitForFunction((text) => location.hash.includes(`operation=${text}`), encodeURIComponent(name));
        seen.add(name);
    }
    assert.deepEqual([...seen].sort(), COUNTED.map(([name]) => name).sort());
    const { name, data } = await saved(page, "[data-save=svg]");
    assert.equal(name, "roofline.svg");
    for (const word of ["conv", "output", "products of halves", "FLOP a cycle"])
        assert.ok(data.toString().includes(word), word);
    await done(page);
});

test("Flame adds FLOP up by node", async () => {
    const page = await at(url, "#/flame?flame.metric=flops", ".table-rows .tr");
    const all = await cells(page);
    const [{ flops }] = await rows(
        "SELECT sum(flops) AS flops FROM compute_set_vertices v JOIN compute_sets c USING(compute_set) WHERE " +
            "c.name LIKE 'conv/%'",
        NODES,
    );
    const conv = all.find((one) => one[0] === "conv");
    assert.equal(conv[2].replaceAll(/[^\d]/g, ""), String(flops));
    await done(page);
});

test("Source has FLOP of lines, and the trace those of a step", async () => {
    const page = await at(url, "#/source", ".table-rows .tr");
    const line = (await cells(page)).find((one) => /conv\.relu/.test(one[0]));
    assert.ok(line.includes(count(printed.get("conv.relu").flops)), String(line));
    await page.goto(`${url}#/trace`);
    await page.waitForSelector("[data-tab=details]");
    await page.click("[data-tab=details]");
    await page.waitForSelector("[data-figure=flops]");
    const [{ most }] = await rows(
        "SELECT max(f) AS most FROM (SELECT sum(flops) AS f FROM compute_set_vertices GROUP BY compute_set)",
        NODES,
    );
    assert.ok(Number((await page.textContent("[data-figure=flops]")).replaceAll(",", "")) <= Number(most));
    await done(page, "404"); // a node has no text on this machine
});
