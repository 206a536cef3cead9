// SPDX-License-Identifier: Apache-2.0
// The options of a detailed trace, each used through the user interface: drawings and counts are compared with
// libpva's figures.
//     tests/analyser/run-trace BUILD trace_options.test.mjs
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { alone, around, count, factsOf, percent, serve } from "./trace_reports.mjs";
import {
    COLOURS,
    bandHeight,
    bandTop,
    calloutAt,
    choose,
    graph,
    near,
    openTrace,
    pixel,
    pixels,
    settled,
    themeColour,
    xOf,
} from "./trace_tools.mjs";

const { lanes, steps, tilesPerIpu } = factsOf("report");
const SYNCS = ["Sync Internal", "Sync External", "Sans", "SyncAns"];
const WORK = [
    "OnTileExecute",
    "DoExchange",
    "GlobalExchange",
    "StreamCopyMid Host",
    "StreamCopyMid RemoteBuffer",
    "StreamCopyMid Mixed",
];
let served, page;

before(async () => {
    served = await serve(["report"]);
    page = served.page;
});
after(async () => {
    await served.close();
});

const text = (selector) => page.locator(selector).first().textContent();
const check = async (title) => {
    await page.locator("label.check", { hasText: new RegExp(`^${title}$`) }).click();
    await settled(page);
};
const titles = () => page.locator(".gutter-band span:not(.bsp-buttons)").allTextContents();

/** Tile balance of a window whose edges cross no step: weighted by length, without syncs. */
function balanceOf(lane) {
    const weighed = lane.filter((step) => !SYNCS.includes(step.kind));
    return (
        weighed.reduce((sum, step) => sum + step.balance * step.cycles, 0) /
        weighed.reduce((sum, step) => sum + step.cycles, 0)
    );
}

test("EXE-10 Select IPU: one lane and one column of the summary, or all", async () => {
    await openTrace(page);
    assert.deepEqual(await titles(), ["IPU 0", "IPU 1"]);
    for (const ipu of [1, 0]) {
        await openTrace(page);
        await page.selectOption('.trace-bar [aria-label="Select IPU"]', { label: `IPU ${ipu}` });
        await settled(page);
        assert.deepEqual(await titles(), [`IPU ${ipu}`]);
        assert.deepEqual((await page.locator(".summary-tab thead th").allTextContents()).slice(1), [`IPU ${ipu}`]);
        assert.equal(await text('[data-row="balance"] td'), percent(balanceOf(lanes[ipu])));
        // Steps of this IPU alone are in the one remaining lane.
        const other = lanes[1 - ipu];
        const own = lanes[ipu].filter(
            (step) => step.kind === "OnTileExecute" || !other.some((one) => one.id === step.id),
        );
        const step = alone(lanes[ipu], (one) => own.some((mine) => mine.id === one.id) && one.kind in COLOURS);
        const place = await around(page, step, `&trace.ipu=${ipu}`);
        assert.ok(near(await pixel(page, place.x, place.y), COLOURS[step.kind]), step.kind);
    }
    await page.selectOption('.trace-bar [aria-label="Select IPU"]', { label: "All IPUs" });
    await settled(page);
    assert.deepEqual(await titles(), ["IPU 0", "IPU 1"]);
});

test("EXE-11 Tile balance: the lower part of a step is shaded, as much as tiles are in use", async () => {
    const shares = new Set();
    for (const kind of ["OnTileExecute", "DoExchange", "StreamCopyMid Host", "StreamCopyBegin"]) {
        const step = alone(lanes[0], (one) => one.kind === kind);
        const off = await around(page, step, "&trace.text=false");
        const full = (column) => column.filter((colour) => near(colour, COLOURS[kind])).length;
        assert.equal(full(await pixels(page, off.x, off.y - 2, 1, 18)), 17, "without the option all of it");
        await check("Tile balance");
        const column = await pixels(page, off.x, off.y - 2, 1, 18);
        assert.ok(
            Math.abs(full(column) - step.balance * 17) <= 1,
            `${kind}: ${full(column)} of 17 pixels, balance ${step.balance}`,
        );
        if (step.balance < 0.85) assert.ok(!near(column[0], COLOURS[kind]), "the upper part is light");
        shares.add(step.balance.toFixed(2));
    }
    assert.ok(shares.size >= 3, "the report has steps of different balances");
});

test("EXE-12 Terminals: a line at the right end of each step", async () => {
    const step = alone(lanes[0], (one) => one.kind === "OnTileExecute");
    const { where, y } = await around(page, step, "&trace.text=false");
    const ink = await themeColour(page, "ink");
    const ends = lanes[0].filter((one) => one.stop > where.from && one.stop < where.to);
    assert.ok(ends.length > 0);
    const lines = async () => {
        const found = [];
        for (const one of ends)
            found.push(near(await pixel(page, where.x + Math.round(xOf(where, one.stop) - where.x) - 1, y + 8), ink));
        return found;
    };
    assert.ok(
        (await lines()).every((line) => !line),
        "no lines without the option",
    );
    await check("Terminals");
    assert.ok(
        (await lines()).every((line) => line),
        `a line at ${ends.map((one) => one.stop)}`,
    );
});

test("EXE-13 Group executions: neighbours of one process are one rectangle with its name", async () => {
    const pre = lanes[0].find((step) => step.name === "layer/inner/ExchangePre");
    const post = lanes[0].find((step) => step.name === "layer/inner/GlobalPost/GlobalExchange");
    const group = lanes[0].filter((step) => step.id >= pre.id && step.id <= post.id);
    assert.ok(group.some((step) => step.name === "layer/inner") && group.some((step) => step.kind === "Sync External"));
    await openTrace(page, `?trace.from=${pre.start - 100}&trace.to=${post.stop + 900}&trace.text=false`);
    const where = await graph(page);
    const y = (await bandTop(page, "IPU 0")) + 8;
    const sync = group.find((step) => step.kind === "Sync External");
    const inSync = xOf(where, sync.stop - 40);
    assert.ok(near(await pixel(page, inSync, y), COLOURS["Sync External"]));
    await check("Group executions");
    const layer = await themeColour(page, "layer");
    for (const cycle of [pre.start + 10, sync.stop - 40, post.stop - 10])
        assert.ok(near(await pixel(page, xOf(where, cycle), y), layer), `at ${cycle}`);
    assert.ok(
        near(await pixel(page, xOf(where, post.stop + 60), y), COLOURS["Sync External"]),
        "the sync behind it is none of it",
    );
    const tip = await calloutAt(page, inSync, y, "layer/inner");
    assert.ok(tip.includes(`${group.length} steps`), tip.join());
    assert.ok(tip.includes(`from ${count(pre.start)} to ${count(post.stop)}`), tip.join());
});

test("EXE-14 Group syncs: syncs that follow each other are one rectangle", async () => {
    const lane = lanes[0];
    const at = lane.findIndex(
        (step, i) =>
            SYNCS.includes(step.kind) &&
            SYNCS.includes(lane[i + 1]?.kind) &&
            !SYNCS.includes(lane[i + 2]?.kind) &&
            !SYNCS.includes(lane[i - 1]?.kind),
    );
    const [first, second] = [lane[at], lane[at + 1]];
    const [from, to] = [Math.min(first.start, second.start), Math.max(first.stop, second.stop)];
    await openTrace(page, `?trace.from=${from - 50}&trace.to=${to + 50}`);
    const where = await graph(page);
    const y = (await bandTop(page, "IPU 0")) + 8;
    const x = xOf(where, (from + to) / 2);
    const name = (step) => (step.kind.startsWith("Sync ") ? step.kind : step.name);
    await page.mouse.move(x, y);
    await page.waitForFunction(
        (wanted) => wanted.includes(document.querySelector(".tooltip > div")?.textContent),
        [name(first), name(second)],
    );
    await page.mouse.move(x, where.y + where.height - 5);
    await check("Group syncs");
    await page.mouse.move(x, y);
    await page.waitForFunction(() => /^2 steps of /.test(document.querySelector(".tooltip > div")?.textContent ?? ""));
    const tip = await text(".tooltip");
    assert.ok(tip.includes(`${count(to - from)} cycles`), tip);
    assert.ok(!tip.includes("zoom in"), "no zoom shows them apart");
    // A single sync stays a single step.
    const single = alone(
        lane,
        (step) =>
            step.kind.startsWith("Sync ") &&
            [-1, 1].every((side) => !SYNCS.includes(lane[lane.findIndex((one) => one.id === step.id) + side]?.kind)),
    );
    const place = await around(page, single, "&trace.syncs=true");
    await calloutAt(page, place.x, place.y, single.kind);
    assert.ok(near(await pixel(page, place.x, place.y), COLOURS[single.kind]));
});

test("EXE-15 Text: names on steps, or none", async () => {
    const step = alone(lanes[0], (one) => one.name === "model/add/Op/Add");
    const { where, x, y } = await around(page, step);
    const wide = Math.floor((step.seen / (where.to - where.from)) * where.width) - 8;
    const inside = async () =>
        (await pixels(page, x - wide / 2, y, wide, 14)).filter((colour) => !near(colour, COLOURS.OnTileExecute, 12))
            .length;
    assert.ok((await inside()) > 20, "letters are drawn");
    await check("Text");
    assert.equal(await inside(), 0);
    await check("Text");
    assert.ok((await inside()) > 20);
});

test("EXE-16 Separate overlapping steps: at each cycle there are as many rows in use as steps", async () => {
    const lane = lanes[0];
    const [from, to] = [3300, 5700];
    const shown = lane.filter((step) => step.stop > from && step.start < to);
    const edges = [...new Set(shown.flatMap((step) => [step.start, step.stop]))]
        .filter((at) => at > from && at < to)
        .sort((a, b) => a - b);
    const middles = edges
        .slice(1)
        .map((edge, i) => [(edge + edges[i]) / 2, edge - edges[i]])
        .filter(([, length]) => length >= 16)
        .map(([at]) => at);
    const active = (cycle) => shown.filter((step) => step.start < cycle && step.stop > cycle).length;
    assert.ok(Math.max(...middles.map(active)) >= 2, "steps overlap");
    await openTrace(page, `?trace.from=${from}&trace.to=${to}&trace.text=false`);
    const paper = await themeColour(page, "paper");
    const used = async (where, top, rows) => {
        const found = [];
        for (const cycle of middles) {
            let taken = 0;
            for (let row = 0; row < rows; ++row)
                taken += (await pixels(page, xOf(where, cycle), top + row * 18 + 4, 1, 10)).every(
                    (colour) => !near(colour, paper),
                );
            found.push(taken);
        }
        return found;
    };
    let top = await bandTop(page, "IPU 0");
    assert.deepEqual(
        await used(await graph(page), top, 1),
        middles.map((cycle) => Math.min(1, active(cycle))),
        "in one row they cover each other",
    );
    await check("Separate overlapping steps");
    top = await bandTop(page, "IPU 0");
    const where = await graph(page);
    assert.deepEqual(await used(where, top, 3), middles.map(active));
    // The additional rows have a dashed border.
    const border = (await pixels(page, where.x + 100, top + 18 + 17, 60, 1)).map((colour) => near(colour, paper));
    assert.ok(border.includes(true) && border.includes(false), "dashes");
});

test("EXE-17 External syncs: hidden in the graph, left out of the statistics, and said", async () => {
    const step = alone(lanes[0], (one) => one.kind === "Sync External");
    const { x, y } = await around(page, step, "&trace.tab=summary&trace.text=false");
    assert.ok(near(await pixel(page, x, y), COLOURS["Sync External"]));
    await check("External syncs");
    assert.ok(near(await pixel(page, x, y), await themeColour(page, "paper")), "nothing is there");
    assert.match(await text(".notice"), /^Hidden: Sync External\. Steps of hidden kinds are left out of tile balance/);
    await openTrace(page, "?trace.external=false");
    const shown = await page.locator('[data-row="steps"] td').allTextContents();
    assert.deepEqual(
        shown,
        lanes.map((lane) => count(lane.filter((one) => one.kind !== "Sync External").length)),
    );
    const kinds = await page
        .locator('[data-row="proportions"] td')
        .first()
        .locator(".proportions > span")
        .evaluateAll((list) => list.map((one) => one.dataset.kind));
    assert.ok(!kinds.includes("Sync External") && kinds.includes("Sync Internal"));
    await check("External syncs");
    assert.deepEqual(
        await page.locator('[data-row="steps"] td').allTextContents(),
        lanes.map((lane) => count(lane.length)),
    );
});

test("EXE-19 EXE-55 New BSP statistics: tile utilisation is what tiles do at each cycle", async () => {
    const [from, to] = [2000, 9000];
    await openTrace(page, `?trace.from=${from}&trace.to=${to}&trace.tab=summary`);
    assert.equal(await text('[data-row="balance"] th'), "Tile balance");
    await check("New BSP statistics");
    assert.equal(await text('[data-row="balance"] th'), "Tile utilisation");
    const shown = await page.locator('[data-row="balance"] td').allTextContents();
    const widths = await page
        .locator('[data-row="balance"] .bar > span')
        .evaluateAll((list) => list.map((one) => one.getBoundingClientRect().width / one.parentElement.clientWidth));
    lanes.forEach((_, ipu) => {
        let work = 0;
        for (const step of steps.filter((one) => WORK.includes(one.kind)))
            for (let tile = ipu * tilesPerIpu; tile < (ipu + 1) * tilesPerIpu; ++tile)
                work += Math.max(0, Math.min(to, step.end[tile]) - Math.max(from, step.begin[tile]));
        const share = work / tilesPerIpu / (to - from);
        assert.equal(shown[ipu], percent(share));
        assert.ok(Math.abs(widths[ipu] - share) < 0.02, "the bar is as long");
    });
    await page.hover('[data-row="balance"] th');
    await page.waitForFunction(() =>
        /StreamCopyMid; syncs and the begin and end of stream copies count as idle/.test(
            document.querySelector(".tooltip")?.textContent ?? "",
        ),
    );
});

test("EXE-24 the colour key has the kinds that the report has, in the colours of the graph", async () => {
    await openTrace(page);
    await page.click('[aria-label="colour key"]');
    const key = await page
        .locator(".colour-key li")
        .evaluateAll((list) =>
            list.map((one) => [
                one.textContent,
                getComputedStyle(one.firstElementChild).backgroundColor.match(/\d+/g).map(Number),
            ]),
        );
    assert.deepEqual(new Set(key.map(([name]) => name)), new Set(lanes.flat().map((step) => step.kind)));
    for (const [kind, colour] of key) {
        if (!(kind in COLOURS)) continue; // hatched
        const ipu = lanes.findIndex((lane) => lane.some((step) => step.kind === kind));
        const step = alone(lanes[ipu], (one) => one.kind === kind);
        const place = await around(page, step, "&trace.text=false");
        assert.ok(near(await pixel(page, place.x, place.y), colour), kind);
    }
    assert.ok(key.length >= 8);
});

test("EXE-43 EXE-41 Execution View: Flat and Flame; its button says which", async () => {
    const step = alone(lanes[0], (one) => one.name === "layer/inner" && one.kind === "OnTileExecute");
    const { x, y } = await around(page, step, "&trace.text=false");
    assert.equal(await text(".execution-view"), "Flat, Runs ▾");
    assert.ok(near(await pixel(page, x, y), COLOURS.OnTileExecute));
    await choose(page, "Execution View", "Flame");
    assert.equal(await text(".execution-view"), "Flame, Runs ▾");
    assert.ok(near(await pixel(page, x, y), await themeColour(page, "layer")), "the layer above");
    assert.ok(near(await pixel(page, x, y + 16), COLOURS.OnTileExecute), "the step below it");
    await calloutAt(page, x, y + 3, "layer");
    await choose(page, "Execution View", "BSP");
    assert.equal(await text(".execution-view"), "Flame, BSP, Runs ▾");
    await choose(page, "Execution View", "BSP");
    await choose(page, "Execution View", "Flat");
    assert.equal(await text(".execution-view"), "Flat, Runs ▾");
    assert.ok(near(await pixel(page, x, y), COLOURS.OnTileExecute));
});

test("EXE-39 BSP: + and − change how many tiles are shown, a drag which, the recycle button shows all", async () => {
    const step = alone(lanes[0], (one) => one.kind === "OnTileExecute");
    const [from, to] = [step.start - 40, step.start + 160];
    await openTrace(page, `?trace.bsp=true&trace.ipu=0&trace.from=${from}&trace.to=${to}`);
    const where = await graph(page);
    const kindAt = (tile, cycle) =>
        steps.filter((one) => one.begin[tile] <= cycle && cycle < one.end[tile]).at(-1)?.kind;
    const shows = async (first, last) => {
        assert.equal(await text(".bsp-buttons small"), `${first}–${last}`);
        const top = await bandTop(page, "tiles");
        const height = (await bandHeight(page, "tiles")) / (last - first + 1);
        let seen = 0;
        for (let tile = first; tile <= last; ++tile)
            for (let cycle = from + 10.5; cycle < to; cycle += 12) {
                const kind = kindAt(tile, cycle);
                if (kind === undefined || !(kind in COLOURS)) continue;
                ++seen;
                const colour = await pixel(page, xOf(where, cycle), top + (tile - first + 0.5) * height);
                assert.ok(near(colour, COLOURS[kind]), `tile ${tile} at ${cycle} is ${colour}, expected ${kind}`);
            }
        assert.ok(seen > 5 * (last - first + 1));
    };
    await shows(0, 3);
    await page.click('[aria-label="IPU 0: fewer tiles"]');
    await settled(page);
    await shows(1, 2);
    await page.reload();
    await page.waitForSelector(".bsp-buttons");
    await settled(page);
    await shows(1, 2); // the URL contains it
    const top = await bandTop(page, "tiles");
    await page.mouse.move(where.x + 400, top + 20);
    await page.mouse.down();
    const tile = (await bandHeight(page, "tiles")) / 2;
    await page.mouse.move(where.x + 400, top + 20 + tile, { steps: 5 });
    await page.mouse.up();
    await settled(page);
    await shows(0, 1);
    await page.click('[aria-label="IPU 0: fewer tiles"]');
    await settled(page);
    await shows(0, 0);
    await page.click('[aria-label="IPU 0: more tiles"]');
    await settled(page);
    await shows(0, 1);
    await page.click('[aria-label="IPU 0: all tiles"]');
    await settled(page);
    await shows(0, 3);
});
