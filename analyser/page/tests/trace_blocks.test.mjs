// SPDX-License-Identifier: Apache-2.0
// Lightweight profiles: lanes of tiles with their blocks, as in the report's table of blocks.
//     tests/analyser/run-trace BUILD trace_blocks.test.mjs
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { count, rows, serve } from "./trace_reports.mjs";
import {
    COLOURS,
    bandTop,
    calloutAt,
    choose,
    cycleOf,
    graph,
    near,
    openTrace,
    pixel,
    pixels,
    settled,
    themeColour,
    xOf,
} from "./trace_tools.mjs";

const BLOCK = [122, 154, 80];
const FLUSH = [179, 162, 208];
const [COMMON, COPY, FLUSHED, OVERFLOW, UNKNOWN] = [0, 1, 2, 3, 4];
const PER_IPU = 4;
const ROW = 16; // pixels

/** Blocks of a report; for a tile's drawn blocks, `row` is the number of blocks that enclose them. */
function blocksOf(name) {
    return rows(
        name,
        `SELECT b.id, b.run, b.tile, b.kind, b.cycles_from AS start, b.cycles_to AS stop, b.lost,
        p.name, p.type, p.detail
        FROM blocks b LEFT JOIN programs p ON p.id = b.program ORDER BY b.id`,
    ).map((block) => {
        const phase = block.type === "StreamCopyMid" ? `${block.type} ${block.detail}` : block.type;
        return { ...block, phase: block.kind === COPY || block.kind === FLUSHED ? phase : null };
    });
}
const blocks = blocksOf("blocks");
const tilesWith = (of, accept) => [...new Set(of.filter(accept).map((block) => block.tile))].sort((a, b) => a - b);
const selected = tilesWith(blocks, (block) => block.kind === COMMON);
const others = tilesWith(blocks, (block) => !selected.includes(block.tile));
const title = (block) => block.name || ["Block", "Stream copy", "Buffer flush", "Overflow", "Unknown"][block.kind];
const depth = (block, of) =>
    of.filter(
        (one) => one.tile === block.tile && one.id !== block.id && one.start < block.start && one.stop > block.start,
    ).length;

let served, page;
before(async () => {
    served = await serve(["blocks"]);
    page = served.page;
});
after(async () => {
    await served.close();
});

const text = (selector, of = page) => of.locator(selector).first().textContent();
const titles = (of = page) => of.locator(".gutter-band span").allTextContents();
const check = async (name, of = page) => {
    await of.locator("label.check", { hasText: new RegExp(`^${name}$`) }).click();
    await settled(of);
};
/** Opens the graph at a window; returns a function from a block to its point in it, in its row. */
async function open(parameters, of = page) {
    await openTrace(of, parameters);
    const where = await graph(of);
    const tops = new Map();
    for (const [i, name] of (await titles(of)).entries())
        if (name) tops.set(name, (await of.locator(".gutter-band").nth(i).boundingBox()).y);
    const at = (cycle, tile, row = 0) => [
        xOf(where, cycle),
        tops.get(typeof tile === "number" ? `tile ${tile}` : tile) + row * ROW + 3,
    ];
    return { where, at };
}
const middle = (block) => (block.start + block.stop) / 2;
const around = (block, more = 60) => `?trace.from=${Math.max(0, block.start - more)}&trace.to=${block.stop + more}`;

test("EXE-03 EXE-49 a lane for each selected tile, by IPU; blocks nested below each other, gaps", async () => {
    assert.deepEqual(selected, [0, 2, 4, 6]);
    const outer = blocks.find((block) => block.name === "model/outer" && block.tile === 2);
    const { where, at } = await open(`${around(outer, 400)}&trace.text=false`);
    const wanted = [0, 1].flatMap((ipu) => [
        `IPU ${ipu}`,
        "I/O Events",
        ...selected.filter((tile) => Math.floor(tile / PER_IPU) === ipu).map((tile) => `tile ${tile}`),
    ]);
    assert.deepEqual(await titles(), wanted);
    const paper = await themeColour(page, "paper");
    const line = await themeColour(page, "line");
    const wide = (block) => ((block.stop - block.start) / (where.to - where.from)) * where.width >= 6;
    const shown = blocks.filter(
        (block) =>
            selected.includes(block.tile) &&
            block.kind === COMMON &&
            middle(block) > where.from &&
            middle(block) < where.to &&
            wide(block),
    );
    assert.ok(shown.length >= 8 && new Set(shown.map((block) => block.tile)).size === 4);
    for (const block of shown) {
        const row = depth(block, blocks);
        assert.equal(row, block.name === "model/outer" ? 0 : 1);
        const [x, y] = at(middle(block), block.tile, row);
        assert.ok(near(await pixel(page, x, y), BLOCK), `${block.name} of tile ${block.tile} in row ${row}`);
    }
    const inner = shown.find((block) => block.name === "model/inner");
    const [x, y] = at(middle(inner), inner.tile, 1);
    const tip = await calloutAt(page, x, y, "model/inner");
    assert.ok(
        tip.some((part) => part.startsWith(`${count(inner.stop - inner.start)} cycles`)),
        tip.join(),
    );
    assert.ok(
        tip.includes(`from ${count(inner.start)} to ${count(inner.stop)}`) && tip.includes(`tile ${inner.tile}`),
        tip.join(),
    );
    // Between blocks there is a gap without data.
    const next = blocks.find((block) => block.tile === inner.tile && block.start > inner.stop);
    const close = await open(`?trace.from=${inner.start - 30}&trace.to=${next.stop + 30}&trace.text=false`);
    const gap = (inner.stop + next.start) / 2;
    const empty = await pixels(page, close.at(gap, inner.tile)[0], close.at(gap, inner.tile, 1)[1], 1, 10);
    assert.ok(
        empty.every((colour) => near(colour, paper) || near(colour, line)),
        `nothing at ${gap}: ${empty}`,
    );
    for (const block of [inner, next])
        assert.ok(near(await pixel(page, ...close.at(middle(block), inner.tile, 1)), BLOCK));
    assert.ok(near(await pixel(page, ...close.at(gap, inner.tile)), BLOCK), "the block around both goes on");
    // There is neither BSP nor tile balance.
    await page.click('[aria-label="Execution View"]');
    assert.deepEqual(await page.locator(".menu-list button").allTextContents(), ["☑Runs"]);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator('[data-row="balance"]').count(), 0);
});

test("EXE-70 a common block: exact begin and end; the window's sums by tile", async () => {
    const block = blocks.find((one) => one.name === "model/second" && one.tile === 4);
    const { where, at } = await open(around(block));
    await page.mouse.click(...at(middle(block), 4, 1));
    await page.waitForSelector(`[data-block="${block.id}"]`);
    for (const [figure, value] of [
        ["kind", "Block"],
        ["tile", "4"],
        ["begin", count(block.start)],
        ["end", count(block.stop)],
        ["cycles", `${count(block.stop - block.start)} cycles`],
    ])
        assert.equal(await text(`[data-figure="${figure}"]`), value, figure);
    await page.click('[data-tab="summary"]');
    await page.waitForSelector('[data-row="covered"]');
    await settled(page);
    const tiles = (await page.locator(".summary-tab thead th").allTextContents()).slice(1);
    assert.deepEqual(
        tiles,
        selected.map((tile) => `tile ${tile}`),
    );
    const [from, to] = [Math.floor(where.from), Math.ceil(where.to)];
    const inside = (one) => Math.max(0, Math.min(to, one.stop) - Math.max(from, one.start));
    const touches = (one) => one.stop >= from && one.start <= to;
    const cell = (row) => page.locator(`[data-row="${row}"] td`).allTextContents();
    const by = (accept) => selected.map((tile) => blocks.filter((one) => one.tile === tile && accept(one)));
    assert.deepEqual(
        await cell("blocks"),
        by((one) => one.kind === COMMON && touches(one)).map((list) => count(list.length)),
    );
    assert.deepEqual(
        await cell("flushes"),
        by((one) => one.kind === FLUSHED && touches(one)).map((list) => count(list.length)),
    );
    const covered = by((one) => depth(one, blocks) === 0).map((list) =>
        list.reduce((sum, one) => sum + inside(one), 0),
    );
    assert.deepEqual(
        (await cell("covered")).map((one) => one.split(",")[0]),
        covered.map((one) => `${count(one)} cycles`),
    );
});

test("EXE-04 EXE-22 stream copies of tiles that were not selected: one lane, I/O Events, or a lane each", async () => {
    assert.deepEqual(others, [1, 3, 5, 7]);
    const store = blocks.filter(
        (block) => block.name === "store" && others.includes(block.tile) && block.run === 0 && block.tile < PER_IPU,
    );
    const [copy] = store;
    assert.equal(copy.phase, "StreamCopyMid RemoteBuffer");
    let place = await open(around(copy, 20));
    const [x, y] = place.at(middle(copy), "I/O Events");
    assert.ok(near(await pixel(page, x, y), [181, 101, 201]), "in the colour of its phase");
    const tip = await calloutAt(page, x, y, "store/StreamCopyMid");
    assert.ok(
        tip.some((line) => line.startsWith(`${count(copy.stop - copy.start)} cycles`)),
        tip.join(),
    );
    await check("Aggregate stream copies");
    const wanted = [0, 1].flatMap((ipu) => [
        `IPU ${ipu}`,
        ...[0, 1, 2, 3].map((tile) => `tile ${ipu * PER_IPU + tile}`),
    ]);
    assert.deepEqual(await titles(), wanted);
    place = await open(`${around(copy, 20)}&trace.aggregate=false&trace.text=false`);
    for (const block of store)
        assert.ok(
            near(await pixel(page, ...place.at(middle(block), block.tile)), [181, 101, 201]),
            `tile ${block.tile}`,
        );
    await page.mouse.click(...place.at(middle(store[1]), store[1].tile));
    await page.waitForSelector(`[data-block="${store[1].id}"]`);
    assert.equal(await text('[data-figure="kind"]'), "StreamCopyMid RemoteBuffer");
    assert.match(await text(".details-tab"), /not selected: it takes part in the copy/);
    assert.equal(await text('[data-figure="cycles"]'), `${count(store[1].stop - store[1].start)} cycles`);
});

test("EXE-71 stream copies have three phases, in the colours of the detailed trace and of the key", async () => {
    const tile = 0;
    for (const name of ["fetch", "store", "send"]) {
        const phases = blocks.filter((block) => block.name === name && block.tile === tile && block.run === 0);
        assert.deepEqual(
            phases.map((block) => block.phase),
            [
                "StreamCopyBegin",
                name === "store" ? "StreamCopyMid RemoteBuffer" : "StreamCopyMid Host",
                "StreamCopyEnd",
            ],
        );
        const { at } = await open(
            `?trace.from=${phases[1].start - 40}&trace.to=${phases[1].stop + 40}&trace.text=false`,
        );
        for (const block of phases) {
            const cycle = Math.min(Math.max(middle(block), phases[1].start - 20), phases[1].stop + 20);
            const colour = block.phase === "StreamCopyMid RemoteBuffer" ? [181, 101, 201] : COLOURS[block.phase];
            assert.ok(near(await pixel(page, ...at(cycle, tile)), colour), `${name}: ${block.phase}`);
            await page.mouse.click(...at(cycle, tile));
            await page.waitForSelector(`[data-block="${block.id}"]`);
            assert.equal(await text('[data-figure="kind"]'), block.phase);
            assert.equal(await text('[data-figure="cycles"]'), `${count(block.stop - block.start)} cycles`);
        }
    }
    await page.click('[aria-label="colour key"]');
    const key = await page.locator(".colour-key li").allTextContents();
    assert.deepEqual(
        new Set(key),
        new Set([
            ...blocks.filter((block) => block.kind === COPY).map((block) => block.phase),
            "Block",
            "Buffer flush",
            "Overflow",
            "Unknown",
        ]),
    );
    await page.click('[aria-label="colour key"]');
});

test("EXE-21 EXE-72 buffer flushes are hidden until they are asked for", async () => {
    const flush = blocks.find(
        (block) => block.kind === FLUSHED && block.tile === 2 && block.phase === "StreamCopyMid Host",
    );
    const { at } = await open(`${around(flush, 30)}&trace.text=false`);
    const [x, y] = at(middle(flush), 2, depth(flush, blocks));
    assert.equal(depth(flush, blocks), 1);
    assert.ok(near(await pixel(page, x, y), await themeColour(page, "paper")), "hidden at first");
    await check("Buffer flushes");
    assert.ok(near(await pixel(page, x, y), FLUSH));
    await calloutAt(page, x, y, "BlockFlush/StreamCopyMid");
    await page.mouse.click(x, y);
    await page.waitForSelector(`[data-block="${flush.id}"]`);
    assert.equal(await text('[data-figure="begin"]'), count(flush.start));
    assert.match(await text(".explained"), /the tile's buffer goes to the host/);
    await check("Buffer flushes");
    assert.ok(near(await pixel(page, x, y), await themeColour(page, "paper")));
});

test("EXE-20 text: names on blocks, or none", async () => {
    const block = blocks.find((one) => one.name === "model/inner" && one.tile === 0);
    const { at, where } = await open(around(block, 20));
    const wide = Math.floor(((block.stop - block.start) / (where.to - where.from)) * where.width) - 10;
    const [x, y] = at(middle(block), 0, 1);
    const letters = async () =>
        (await pixels(page, x - wide / 2, y - 2, wide, 13)).filter((colour) => !near(colour, BLOCK, 12)).length;
    assert.ok((await letters()) > 20);
    await check("Text");
    assert.equal(await letters(), 0);
});

test("EXE-23 relative cycles: the axis and callouts count from the first block", async () => {
    const name = "late";
    const other = await serve([name]);
    const own = blocksOf(name);
    const first = Math.min(...own.map((block) => block.start));
    assert.ok(first > 1000, "its first block begins late");
    const axis = async (of) => {
        await of.click('[aria-label="save the graph"]');
        const [download] = await Promise.all([
            of.waitForEvent("download"),
            of.click('[role=menuitem]:has-text("SVG")'),
        ]);
        const svg = readFileSync(await download.path(), "utf8");
        return [...svg.matchAll(/<text [^>]*x="([\d.]+)"[^>]*>([\d,]+)<\/text>/g)].map(([, x, label]) => ({
            x: Number(x),
            value: Number(label.replaceAll(",", "")),
        }));
    };
    const { where, at } = await open(`?trace.from=${first - 500}&trace.to=${first + 800}`, other.page);
    const cycle = (tick) => where.from + ((tick.x - 4 - 96) / where.width) * (where.to - where.from);
    for (const tick of await axis(other.page))
        assert.ok(Math.abs(cycle(tick) - tick.value) < 2, `${tick.value} at ${cycle(tick)}`);
    await check("Relative cycles", other.page);
    const ticks = await axis(other.page);
    assert.ok(ticks.length >= 3);
    for (const tick of ticks)
        assert.ok(
            Math.abs(cycle(tick) - first - tick.value) < 2,
            `${tick.value} at ${cycle(tick)} counts from ${first}`,
        );
    const [block] = own.filter((one) => one.name === "model/inner" && one.tile === 0);
    const tip = await calloutAt(other.page, ...at(middle(block), 0, 1), "model/inner");
    assert.ok(tip.includes(`from ${count(block.start - first)} to ${count(block.stop - first)}`), tip.join());
    await other.close();
});

test("EXE-73 EXE-74 overflow: what is lost is counted, and begins and ends that are not known are said", async () => {
    const other = await serve(["overflow"]);
    const own = blocksOf("overflow").filter((block) => block.run === 0);
    const [overflow] = own.filter((block) => block.kind === OVERFLOW);
    const [unknown] = own.filter((block) => block.kind === UNKNOWN);
    const [endless] = own.filter((block) => block.kind === COMMON && block.stop === null);
    assert.ok(
        overflow.lost > 0 && unknown.start === null && unknown.stop > overflow.stop && endless.start < overflow.start,
    );
    const { where, at } = await open(
        `?trace.from=${endless.start - 200}&trace.to=${unknown.stop + 200}&trace.text=false`,
        other.page,
    );
    const details = async (block, cycle, wanted) => {
        await other.page.mouse.click(...at(cycle, 0));
        await other.page.waitForSelector(`[data-block="${block.id}"]`);
        for (const [figure, value] of Object.entries(wanted))
            assert.equal(await text(`[data-figure="${figure}"]`, other.page), value, figure);
    };
    assert.ok(where.width > 0);
    await details(overflow, middle(overflow), {
        kind: "Overflow",
        begin: count(overflow.start),
        end: count(overflow.stop),
        lost: count(overflow.lost),
    });
    // Its end is in the overflow: it is drawn up to that.
    await details(endless, (endless.start + overflow.start) / 2, {
        kind: "Block",
        begin: count(endless.start),
        end: "not known",
        cycles: "not known",
    });
    let tip = await calloutAt(
        other.page,
        ...at((endless.start + overflow.start) / 2, 0),
        `${endless.name} (end unknown)`,
    );
    assert.ok(tip.length > 1);
    assert.ok(near(await pixel(other.page, ...at((endless.start + overflow.start) / 2, 0)), BLOCK));
    // Its begin is in the overflow: it is drawn from the end of that.
    await details(unknown, unknown.stop - 20, {
        kind: "Unknown",
        begin: "not known",
        end: count(unknown.stop),
        cycles: "not known",
    });
    tip = await calloutAt(other.page, ...at(overflow.stop + 20, 0), "Unknown (begin unknown)");
    assert.ok(tip.length > 1);
    // Both are hatched: several colours, none of them a block's.
    for (const cycle of [middle(overflow), unknown.stop - 100]) {
        const [x, y] = at(cycle, 0);
        const colours = await pixels(other.page, x, y - 1, 12, 10);
        assert.ok(
            new Set(colours.map(String)).size > 1 && !colours.some((colour) => near(colour, BLOCK)),
            `hatched at ${cycle}`,
        );
    }
    // A block inside the unknown one is drawn below it.
    const late = own.find((block) => block.name === "model/late");
    assert.ok(near(await pixel(other.page, ...at(middle(late), 0, 1)), BLOCK));
    tip = await calloutAt(other.page, ...at(middle(overflow), 0), `Overflow (${overflow.lost} blocks lost)`);
    await other.page.click('[data-tab="summary"]');
    await other.page.waitForSelector('[data-row="lost"]');
    await settled(other.page);
    assert.equal(await text('[data-row="lost"] td', other.page), count(overflow.lost));
    await other.close();
});

test("EXE-49b the wheel zooms, drags pan, the mini-map moves the window; Runs shows bars", async () => {
    await openTrace(page);
    const all = await graph(page);
    const y = (await bandTop(page, "tile 2")) + 8;
    const x = all.x + 96 + all.width * 0.4;
    const cycle = cycleOf(all, x);
    await page.mouse.move(x, y);
    for (let i = 0; i < 3; ++i) {
        await page.mouse.wheel(0, -400);
        await settled(page);
    }
    const zoomed = await graph(page);
    assert.ok(
        zoomed.to - zoomed.from < (all.to - all.from) * 0.2 &&
            Math.abs(cycleOf(zoomed, x) - cycle) < (zoomed.to - zoomed.from) / 200,
    );
    await page.mouse.down();
    await page.mouse.move(x - 120, y, { steps: 4 });
    await page.mouse.up();
    await settled(page);
    const panned = await graph(page);
    const wished = (zoomed.to - zoomed.from) * (120 / zoomed.width);
    assert.ok(Math.abs(panned.from - zoomed.from - wished) < wished * 0.1);
    const map = await page.locator(".minimap").boundingBox();
    const target = all.from + (all.to - all.from) * 0.65;
    await page.mouse.click(map.x + 96 + 0.65 * all.width, map.y + 12);
    await settled(page);
    const moved = await graph(page);
    assert.ok(Math.abs((moved.from + moved.to) / 2 - target) < (all.to - all.from) / all.width + 2);
    const shown = blocks.filter(
        (block) =>
            block.name === "model/outer" && block.tile === 2 && block.stop > moved.from && block.start < moved.to,
    );
    for (const block of shown) {
        const at = (Math.max(block.start, moved.from) + Math.min(block.stop, moved.to)) / 2;
        await calloutAt(page, xOf(moved, at), y, "model/outer");
    }
    await page.keyboard.press("0");
    await settled(page);
    const runs = rows("blocks", "SELECT name, cycles_from AS start, cycles_to AS stop FROM runs ORDER BY id");
    const top = (await bandTop(page, "IPU 0")) + 6;
    for (const run of runs) await calloutAt(page, xOf(all, (run.start + run.stop) / 2), top, run.name);
    await choose(page, "Execution View", "Runs");
    assert.equal(await text(".execution-view"), "Blocks ▾");
    assert.ok((await titles()).includes("IPU 0"), "tiles are still grouped by IPU");
    const line = await themeColour(page, "line");
    const paper = await themeColour(page, "paper");
    const above = await pixels(page, all.x + 400, top - 4, 1, 8);
    assert.ok(
        above.every((colour) => near(colour, paper) || near(colour, line)),
        "no bars of runs",
    );
});
