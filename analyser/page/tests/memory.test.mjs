// SPDX-License-Identifier: Apache-2.0
// Insights, Summary, Memory and Liveness, used through the user interface on a real server; rendered values are
// compared with FACTS, which tests/analyser/facts.py wrote through libpva.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { before, test } from "node:test";
import { load } from "./load.mjs";
import { OTHER, PVA, REPORT, at, bytesOf, cells, change, count, done, facts, perCent, serve, sum } from "./session.mjs";

// A report of a program that is out of memory, with files of a framework and an application.
const FULL = `${REPORT}-full`;

let one;
let two;
let full;
before(async () => {
    cpSync(REPORT, FULL, { recursive: true });
    writeFileSync(`${FULL}/framework.json`, JSON.stringify({ name: "<b>frame</b>", layers: [{ kind: "dense" }] }));
    writeFileSync(`${FULL}/app.json`, "{");
    const more = facts.bytesPerTile + 1000;
    const sql = `UPDATE memory_by_tile SET total = ${more}, total_including_gaps = ${more},
            overflowed = 1000 WHERE tile = 3;
        INSERT INTO info VALUES ('out_of_memory', 'tile 3 needs more than it has')`;
    change(FULL, sql);
    one = await serve([REPORT]);
    two = await serve([REPORT, OTHER]);
    full = await serve([FULL]);
});

test("INS-09 the first screen says whether it fits, what a run is for, and what pva advise suggests", async () => {
    const page = await at(one, "", "[data-advice]");
    assert.equal(await page.getAttribute("[data-verdict]", "data-verdict"), "fits");
    assert.equal(await page.textContent('[data-figure="used"]'), `${(sum(facts.used) / 1024).toFixed(1)} KiB`);
    const shares = await page.$$eval("[data-share] b", (parts) => parts.map((part) => parseFloat(part.textContent)));
    assert.ok(Math.abs(sum(shares) - 100) < 0.5, `shares are ${shares}`);
    const said = JSON.parse(execFileSync(PVA, ["advise", REPORT, "--format", "json"]));
    const advice = await page.$$eval("[data-advice]", (all) =>
        all.map((one) => [one.dataset.advice, one.querySelector("b").textContent]),
    );
    assert.deepEqual(
        advice,
        said.slice(0, 3).map((one) => [one.kind, `${count(one.cycles)} ${one.cycles === 1 ? "cycle" : "cycles"}`]),
    );
    const insights = await (await fetch(`${one}api/insights?report=0`)).json();
    const runs = await page.$$eval("[data-run]", (all) => all.map((one) => one.dataset.run));
    const longest = [...insights.account.runs].sort((a, b) => b.total - a.total).map((run) => run.name);
    assert.ok(runs.length > 1);
    assert.deepEqual(runs, longest.slice(0, 6), "runs by name, the longest first");
    const use = `${(insights.account.utilisation * 100).toFixed(1)} %`;
    assert.equal(await page.textContent('[data-figure="utilisation"]'), use);
    const rows = await page.$$eval("[data-sum] tbody tr", (all) =>
        all.map((row) => [...row.querySelectorAll("td")].map((cell) => parseFloat(cell.textContent.split(", ").pop()))),
    );
    const all = rows.pop();
    assert.deepEqual(all[0], 100);
    assert.ok(Math.abs(all[1] + all[2] - 100) < 0.11, "saved and left are all");
    for (const column of [0, 1, 2])
        assert.ok(Math.abs(sum(rows.map((row) => row[column])) - all[column]) < 0.31, `column ${column}: ${rows}`);
    await page.click("[data-advice] button");
    await page.waitForFunction(() => location.hash.startsWith("#/trace") && /program=\d+/.test(location.hash));
    await page.context().close();
});

test("SUM-06 what framework and application wrote is a tree of text, and a broken file is an error", async () => {
    const page = await at(full, "#/summary", "[data-json]");
    const tree = await page.textContent('[data-json="framework.json"]');
    assert.match(tree, /name: <b>frame<\/b>/);
    assert.match(tree, /kind: dense/);
    assert.equal(await page.locator("[data-json] b").count(), 0);
    assert.match(await page.textContent('[data-block="application"]'), /app\.json cannot be read/);
    assert.equal(await page.textContent('[data-fact="Total tiles"]'), String(facts.used.length));
    assert.equal(await page.textContent('[data-file="Frameworks Information"]'), "framework.json");
    assert.equal(await page.textContent('[data-file="Serialized Computation Graph"]'), "not recorded");
    await done(page);
});

test("VIW-07 bars are as tall as libpva says, in the colour of the key; the key switches them off", async () => {
    const page = await at(one, "#/memory", '[data-graph="memory"]');
    await page.waitForSelector('[data-series="total"]');
    const probe = () =>
        page.$eval(
            '[data-graph="memory"]',
            (canvas, tiles) => {
                const pen = canvas.getContext("2d");
                const [left, width] = [76, canvas.clientWidth - 88];
                const blue = ([r, g, b]) => r < 20 && g > 100 && g < 130 && b > 160;
                return Array.from({ length: tiles }, (_, tile) => {
                    const column = pen.getImageData(
                        left + ((tile + 0.5) / tiles) * width,
                        36,
                        1,
                        canvas.height - 36,
                    ).data;
                    let tall = 0;
                    for (let i = 0; i < column.length; i += 4) tall += blue(column.slice(i, i + 3)) ? 1 : 0;
                    return tall;
                });
            },
            facts.used.length,
        );
    await page.waitForFunction(() => document.querySelector('[data-graph="memory"]').clientWidth > 200);
    let heights = await probe();
    for (let i = 0; i < 100 && Math.max(...heights) <= 100; ++i) {
        await page.waitForTimeout(200);
        heights = await probe();
    }
    const most = Math.max(...facts.used);
    const tallest = Math.max(...heights);
    assert.ok(tallest > 100, `bars are ${heights} pixels tall`);
    // A grid line may cross a bar: a few pixels are tolerated.
    heights.forEach((tall, tile) =>
        assert.ok(
            Math.abs(tall / tallest - facts.used[tile] / most) < 0.04,
            `tile ${tile} is ${tall} of ${tallest} pixels`,
        ),
    );
    await page.click('[data-series="total"]');
    for (let i = 0; i < 100 && Math.max(...(await probe())) > 0; ++i) await page.waitForTimeout(200);
    assert.deepEqual(
        await probe(),
        heights.map(() => 0),
    );
    await done(page);
});

test("MEM-02 the layout of a tile: names, addresses and sizes", async () => {
    const page = await at(one, "#/memory?memory.tiles=5&memory.tab=layout", ".table-rows .tr");
    const shown = await cells(page);
    assert.ok(shown.length > 3);
    const known = facts.layout.map(
        ([address, name, bytes]) => `${count(address)} ${name.split("/").pop()} ${count(bytes)}`,
    );
    for (const [address, name, , bytes] of shown)
        assert.ok(known.includes(`${address} ${name.split("/").pop()} ${bytes}`), `${address} ${name} ${bytes}`);
    await page.click('[data-tab="details"]');
    await page.waitForSelector('[data-detail="Memory excluding gaps"]');
    const tip = await page.getAttribute('[data-detail="Memory excluding gaps"] td:nth-child(2)', "data-tip");
    assert.equal(bytesOf(tip), facts.used[5]);
    await done(page);
});

test("MEM-13 a program that is out of memory: the error, the line of the maximum, what overflows", async () => {
    const page = await at(full, "#/memory?memory.tiles=3", '[data-detail="Overflowed"]');
    assert.match(await page.textContent('[role="alert"]'), /tile 3 needs more than it has/);
    assert.equal(await page.isChecked('.check:has-text("Show max memory") input'), true);
    assert.equal(bytesOf(await page.getAttribute('[data-detail="Overflowed"] td:nth-child(2)', "data-tip")), 1000);
    await page.click('[data-view="insights"]');
    await page.waitForSelector("[data-verdict]");
    assert.equal(await page.getAttribute("[data-verdict]", "data-verdict"), "out of memory");
    await done(page);
});

test("CON-03 CON-04 CON-05 CON-06 CON-07 CON-08 each storage category has its explanation as a tooltip", async () => {
    const { CATEGORIES, categoryTitle } = await load("data/concepts.ts");
    assert.equal(categoryTitle("vertexInstanceState"), "Vertex instance state");
    assert.equal(Object.keys(CATEGORIES).length, 25);
    assert.match(CATEGORIES.constant, /compiler.*variables/);
    assert.match(CATEGORIES.controlId, /Switch.*sync/);
    assert.match(CATEGORIES.controlTable, /table scheduler/);
    assert.match(CATEGORIES.rearrangement, /never always live/);
    assert.match(CATEGORIES.vertexInstanceState, /sizeof\(Vertex\)/);
    const page = await at(one, "#/memory?memory.breakdown=category", '[data-series="category:variable"]');
    for (const entry of await page.$$("[data-series^='category:']")) {
        await entry.hover();
        const name = (await entry.getAttribute("data-series")).slice("category:".length);
        assert.equal(await page.textContent(".tooltip"), name + CATEGORIES[name]);
        assert.equal((await entry.textContent()).trim(), categoryTitle(name));
    }
    await done(page);
});

test(
    "LIV-02 a click on the step where most is live: its " + "variables, and the line that a variable comes from",
    async () => {
        const page = await at(one, "#/liveness", '[data-graph="liveness"]');
        const peak = facts.live.indexOf(Math.max(...facts.live));
        await page.waitForFunction(() => document.querySelector('[data-graph="liveness"]').clientWidth > 200);
        // A click before the bars are drawn selects nothing: clicks until the URL has a step.
        const chosen = () => new RegExp("liveness\\.steps=(?:%22)?(\\d+)").exec(page.url())?.[1];
        for (let i = 0; i < 100 && chosen() === undefined; ++i) {
            const box = await (await page.$('[data-graph="liveness"]')).boundingBox();
            await page.mouse.click(
                box.x + 76 + ((peak + 0.5) / facts.live.length) * (box.width - 88),
                box.y + box.height - 60,
            );
            await page.waitForTimeout(600);
        }
        assert.equal(chosen(), String(peak));
        await page.waitForSelector(".table-rows .tr");
        const shown = (await cells(page)).map(([name, bytes]) => [name, bytes]).sort();
        assert.deepEqual(
            shown.map(([, bytes]) => bytes).sort(),
            facts.liveVariables[peak].map(([, bytes]) => count(bytes)).sort(),
        );
        await page.click('[data-tab="always"]');
        await page.click('.table-rows .tr:has-text("model/matrix")');
        await page.click('[data-tab="debug"]');
        await page.waitForSelector("[data-source]");
        assert.match(
            await page.getAttribute("[data-source]", "data-source"),
            new RegExp(`make_report\\.cpp:${facts.matrixLine}$`),
        );
        await done(page);
    },
);

test("CON-09 CON-10 what ends the life of a variable is explained", async () => {
    const page = await at(one, "#/liveness", 'p:has-text("What is live?")');
    await page.hover('p:has-text("What is live?")');
    const tip = await page.textContent(".tooltip");
    assert.match(tip, /all of them in several compute sets, does not end it/);
    assert.match(tip, /WriteUndef/);
    await done(page);
});

test("CMP-02 two reports: differences of memory and of what is always live", async () => {
    const page = await at(two, "#/liveness?liveness.tab=always", '.table-rows .tr:has-text("model/matrix")');
    const size = facts.alwaysLiveVariables.find(([name]) => name === "model/matrix")[1];
    await page.waitForFunction(() => document.querySelectorAll('[role="columnheader"]').length === 4);
    const [, source, target, change] = (await cells(page)).find(([name]) => name === "model/matrix");
    assert.deepEqual([source, target], [count(size), "4,096"]);
    assert.ok(change.endsWith(`(${perCent(size, 4096)})`), change);
    await page.click('[data-view="memory"]');
    await page.click('[data-tab="difference"]');
    await page.waitForSelector(".table-rows .tr");
    for (const [name, before, now, difference] of await cells(page))
        assert.deepEqual([now, difference], [before, "0 B (0.00 %)"], name);
    await done(page);
});
