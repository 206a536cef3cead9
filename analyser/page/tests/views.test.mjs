// SPDX-License-Identifier: Apache-2.0
// Features common to all views, the page that opens reports, preferences, and the trace's summary: used through the
// user interface on a real server.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import {
    OTHER,
    REPORT,
    at,
    bytes,
    cells,
    cellsWhen,
    count,
    done,
    facts,
    graphCsv,
    menu,
    rows,
    saved,
    serve,
    shown,
    sum,
} from "./session.mjs";
import { settled } from "./trace_tools.mjs";

const work = dirname(REPORT);
const view = async (page, id) => {
    await page.click(`[data-view="${id}"]`);
    await page.waitForSelector(`[data-view="${id}"][aria-current]`);
};

test("VIW-01 REL-04 the views in the header; reports that lack a view's data say so; reload and close", async () => {
    const page = await at(await serve([REPORT]), "", "[data-verdict]");
    const views = ["insights", "summary", "memory", "liveness", "programs", "operations", "trace"];
    const ids = await page.$$eval("[data-view]", (all) => all.map((one) => one.dataset.view));
    assert.deepEqual(ids.slice(0, views.length), views);
    for (const id of ids) {
        await view(page, id);
        assert.ok((await page.textContent("main")).length > 0, id);
    }
    await menu(page, "reports", "Reload");
    await page.waitForSelector(".report-name");
    await menu(page, "reports", "Close");
    await page.waitForSelector("#path-0");
    assert.equal(await page.textContent(".report-name"), "no report");
    assert.ok(await page.isDisabled('[data-view="memory"]'));
    assert.deepEqual(await (await fetch(new URL("/api/reports", page.url()))).json(), []);
    await done(page, "404", "400");
    // Without execution and debug information, missing views are grey and name the option that records their data.
    const bare = join(work, "bare");
    mkdirSync(bare);
    cpSync(join(REPORT, "archive.a"), join(bare, "archive.a"));
    const other = await at(await serve([bare]), "#/trace", "main .empty");
    await other.waitForSelector('[data-view="trace"].missing');
    assert.match(await other.textContent("main"), /autoReport\.outputExecutionProfile/);
    await done(other);
});

test("VIW-02 the bar between graph and tabs is dragged, moved by keys, reset, and stays in other views", async () => {
    const page = await at(await shown(REPORT), "#/memory", '[data-series="total"]');
    const height = async () => (await page.locator(".split > .pane").first().boundingBox()).height;
    const first = await height();
    const bar = await page.locator(".split-bar").boundingBox();
    await page.mouse.move(bar.x + 300, bar.y + bar.height / 2);
    await page.mouse.down();
    await page.mouse.move(bar.x + 300, bar.y - 150, { steps: 5 });
    await page.mouse.up();
    const smaller = await height();
    assert.ok(Math.abs(first - smaller - 150) < 12, `${first} became ${smaller}`);
    await page.focus(".split-bar");
    await page.keyboard.press("ArrowDown");
    assert.ok((await height()) > smaller + 5);
    await page.keyboard.press("ArrowUp");
    await view(page, "liveness");
    await view(page, "memory");
    await page.waitForSelector(".split-bar");
    assert.ok(Math.abs((await height()) - smaller) < 3, "it is as it was left");
    await page.dblclick(".split-bar");
    assert.ok(Math.abs((await height()) - first) < 3);
    await done(page);
});

/** The window of positions of the memory graph. */
const tiles = async (page) => (await graphCsv(page)).map((line) => Number(line[0]));
const tilesWhen = async (page, accept) => {
    for (let i = 0; i < 200; ++i) {
        const found = await tiles(page).catch(() => []);
        if (found.length && accept(found)) return found;
        await page.waitForTimeout(50);
    }
    throw new Error(`the graph shows ${await tiles(page)}`);
};

test("VIW-03 VIW-04 mini-map, wheel and drag of a graph of bars", async () => {
    const page = await at(await shown(REPORT), "#/memory", '[data-series="total"]');
    assert.equal((await tilesWhen(page, (all) => all.length === 8)).length, 8);
    const box = await page.locator('[data-graph="memory"]').boundingBox();
    const x = (share) => box.x + 76 + share * (box.width - 88);
    const y = box.y + box.height - 60;
    await page.mouse.move(x(0.9), y);
    for (let i = 0; i < 5; ++i) await page.mouse.wheel(0, -120);
    const near = await tilesWhen(page, (all) => all.length < 8);
    assert.ok(near.includes(7), `about the pointer: ${near}`);
    await page.mouse.move(x(0.2), y);
    await page.mouse.down();
    await page.mouse.move(x(1), y, { steps: 6 });
    await page.mouse.up();
    const moved = await tilesWhen(page, (all) => all[0] < near[0]);
    assert.equal(moved.length, near.length);
    // The mini-map is above: a click at its left end moves the window there.
    await page.mouse.click(x(0.05), box.y + 10);
    const left = await tilesWhen(page, (all) => all[0] === 0);
    assert.equal(left.length, near.length);
    // Drags its right handle to the end.
    const edge = left.length / 8;
    await page.mouse.move(x(edge), box.y + 18);
    await page.mouse.down();
    await page.mouse.move(x(1), box.y + 18, { steps: 6 });
    await page.mouse.up();
    await tilesWhen(page, (all) => all.length === 8);
    await done(page);
});

test("VIW-05 VIW-06 VIW-09 buttons and keys of navigation; the options fold; all is shown again", async () => {
    const page = await at(await shown(REPORT), "#/memory", '[data-series="total"]');
    await tilesWhen(page, (all) => all.length === 8);
    await page.click('.graph-buttons [aria-label="zoom in"]');
    const near = await tilesWhen(page, (all) => all.length < 8);
    await page.click('.graph-buttons [aria-label="zoom out"]');
    await tilesWhen(page, (all) => all.length > near.length);
    await page.keyboard.press("w");
    await page.keyboard.press("w");
    await tilesWhen(page, (all) => all.length < 8);
    await page.keyboard.press("a");
    await page.keyboard.press("a");
    await page.keyboard.press("a");
    await tilesWhen(page, (all) => all[0] === 0);
    await page.keyboard.press("d");
    await tilesWhen(page, (all) => all[0] > 0);
    await page.keyboard.press("0");
    await tilesWhen(page, (all) => all.length === 8);
    await page.keyboard.press("w");
    await tilesWhen(page, (all) => all.length < 8);
    await page.click('.graph-buttons [aria-label="show all"]');
    await tilesWhen(page, (all) => all.length === 8);
    await page.click("aside.options .fold");
    await page.waitForSelector("aside.options.folded");
    assert.equal(await page.locator(".options-body").count(), 0);
    await page.click("aside.options .fold");
    await page.waitForSelector(".options-body");
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open]");
    const keys = await page.textContent("dialog");
    for (const what of ["this list", "one step back"]) assert.ok(keys.includes(what), keys);
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog", { state: "detached" });
    // The trace: magnification as a number, pages to the left and right.
    await view(page, "trace");
    await page.waitForSelector('[aria-label="magnification in percent"]');
    await settled(page);
    await page.fill('[aria-label="magnification in percent"]', "400");
    await page.keyboard.press("Enter");
    await settled(page);
    const window = () => page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.split("?")[1])));
    const whole = rows("SELECT max(cycles_to) AS cycles FROM runs")[0].cycles;
    const length = async () => Number((await window())["trace.to"]) - Number((await window())["trace.from"]);
    assert.ok(Math.abs((await length()) / whole - 0.25) < 0.02, `${await length()} of ${whole}`);
    const before = await window();
    await page.click('[aria-label="a page to the left"]');
    await settled(page);
    const after = await window();
    const moved = Number(before["trace.from"]) - Number(after["trace.from"]);
    assert.ok(Math.abs(moved / (await length()) - 0.9) < 0.02, `moved by ${moved}`);
    await done(page);
});

test("VIW-10 a tab without a selection says what to do", async () => {
    // Views that have some state select nothing when they are opened.
    const some = "memory.gaps=true&liveness.always=true&programs.ids=true&operations.tab=steps";
    const page = await at(await shown(REPORT), `#/memory?${some}`, ".empty");
    for (const [id, tab, text] of [
        ["memory", "details", /Click a tile in the graph to see its contents/],
        ["memory", "layout", /Click a tile to see the addresses of its variables/],
        ["liveness", "notAlways", /Click a step in the graph to see its live variables/],
        ["liveness", "debug", /Click a step in the graph, or a variable in a table/],
        ["programs", "", /Select a step in the program tree to see its details/],
        ["operations", "steps", /Click an operation to see its program steps/],
        ["trace", "area", /Hold Shift and drag over lanes/],
    ]) {
        await view(page, id);
        if (tab) await page.click(`[data-tab="${tab}"]`);
        await page.waitForFunction(
            (source) => new RegExp(source).test(document.querySelector("main").textContent),
            text.source,
        );
    }
    await done(page);
});

test("VIW-14 a view opens with an answer: the fullest tile, the peak step, the costliest program, rows", async () => {
    const page = await at(await shown(REPORT), "#/memory", "[data-detail], .facts, table");
    const hash = () => decodeURIComponent(new URL(page.url()).hash);
    await page.waitForFunction(() => /memory\.tiles="\d+/.test(decodeURIComponent(location.hash)));
    const fullest = facts.memory.indexOf(Math.max(...facts.memory));
    assert.ok(new RegExp(`memory\\.tiles="?${fullest}\\b`).test(hash()), hash());
    const entries = await page.evaluate(() => history.length);
    await view(page, "liveness");
    await page.waitForFunction(() => /liveness\.steps=/.test(location.hash));
    const peak = facts.live.indexOf(Math.max(...facts.live));
    assert.ok(new RegExp(`liveness\\.steps="?${peak}\\b`).test(hash()), hash());
    await view(page, "programs");
    await page.waitForFunction(() => /program=\d+/.test(location.hash));
    const [costliest] = Object.entries(facts.elapsed).sort((a, b) => b[1] - a[1])[0];
    assert.ok(new RegExp(`program=${costliest}\\b`).test(hash()), `${hash()}: ${costliest}`);
    await view(page, "sql");
    await page.waitForSelector(".table-rows .tr");
    assert.ok((await page.locator(".table-rows .tr").count()) > 1, "the example has run");
    await page.waitForFunction((wanted) => history.length === wanted, entries + 3); // an answer adds no entry
    await done(page);
});

test("VIW-11 filters, scroll, zoom and selection are as they were when a view is left and shown again", async () => {
    const page = await at(await shown(REPORT), "#/memory?memory.tab=layout&memory.tiles=5", ".table-rows .tr");
    await page.fill('[aria-label="filter tile-5"]', "e");
    await page.waitForTimeout(200);
    await page.$eval(".table-scroll", (box) => {
        box.scrollTop = 96;
        box.dispatchEvent(new Event("scroll"));
    });
    const scrolled = await page.$eval(".table-scroll", (box) => box.scrollTop);
    assert.ok(scrolled > 40, "the table can be scrolled");
    const box = await page.locator('[data-graph="memory"]').boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height - 60);
    for (let i = 0; i < 4; ++i) await page.mouse.wheel(0, -120);
    const near = await tilesWhen(page, (all) => all.length < 8);
    await view(page, "liveness");
    await view(page, "summary");
    await view(page, "memory");
    await page.waitForSelector(".table-rows .tr");
    assert.deepEqual(await tilesWhen(page, (all) => all.length < 8), near);
    assert.equal(await page.inputValue('[aria-label="filter tile-5"]'), "e");
    assert.equal(await page.inputValue("[name=tiles]"), "5");
    await page.waitForFunction((top) => document.querySelector(".table-scroll").scrollTop === top, scrolled);
    await done(page);
});

test("VIW-12 a dialog fills the window and becomes small again by the button left of its title", async () => {
    const page = await at(await shown(REPORT), "", "[data-verdict]");
    const size = async () => page.locator("dialog[open]").boundingBox();
    for (const open of [() => page.click('header [aria-label="keys"]'), () => menu(page, "menu", "Getting started")]) {
        await open();
        await page.waitForSelector("dialog[open]");
        const small = await size();
        const [button, title] = await Promise.all(
            ['[aria-label="full screen"]', "dialog h2"].map((one) => page.locator(one).first().boundingBox()),
        );
        assert.ok(button.x < title.x, "left of the title");
        await page.click('dialog [aria-label="full screen"]');
        const full = await size();
        assert.ok(full.width > 1440 * 0.9 && full.height > 900 * 0.9 && full.width > small.width + 100);
        await page.click('dialog [aria-label="full screen"]');
        assert.ok(Math.abs((await size()).width - small.width) < 2);
        await page.click('dialog [aria-label="close"]');
        await page.waitForSelector("dialog", { state: "detached" });
    }
    await done(page);
});

test("VIW-13 a series is taken out of the graph by its entry in the key, and comes back", async () => {
    const page = await at(await shown(REPORT), "#/memory?memory.breakdown=region", '[data-series="nonInterleaved"]');
    const series = async () => (await graphCsv(page)).map((line) => line.slice(3).map(Number));
    for (let i = 0; i < 100 && (await series())[0]?.length !== 3; ++i) await page.waitForTimeout(50);
    assert.deepEqual(
        (await series()).map((values) => sum(values)),
        facts.used,
    );
    await page.click('[data-series="nonInterleaved"]');
    assert.equal(await page.getAttribute('[data-series="nonInterleaved"]', "aria-pressed"), "false");
    for (let i = 0; i < 100 && (await series())[0]?.length !== 2; ++i) await page.waitForTimeout(50);
    assert.ok((await series()).every((values) => sum(values) === 0));
    await page.click('[data-series="nonInterleaved"]');
    for (let i = 0; i < 100 && (await series())[0]?.length !== 3; ++i) await page.waitForTimeout(50);
    assert.equal(sum((await series())[0]), facts.used[0]);
    await done(page);
});

/** The page that opens reports, of a server without one. */
const landing = async () => {
    const page = await at(await serve([], { cwd: work }), "", "#path-0");
    return { page, type: (path, which = 0) => page.fill(`#path-${which}`, path) };
};
const opened = async (page, name) =>
    page.waitForFunction((wanted) => document.querySelector(".report-name")?.textContent === wanted, name);

test("OPN-03 OPN-04 CMP-01 recent reports and comparisons: the last first; what is gone says so", async () => {
    const parent = basename(work);
    const third = join(work, "third");
    cpSync(REPORT, third, { recursive: true });
    const { page, type } = await landing();
    for (const [a, b] of [[REPORT], [third], [REPORT, OTHER], [REPORT]]) {
        await type(a);
        if (b) await type(b, 1);
        await page.click(b ? "button:text-is('Compare')" : ".path-row button:text-is('Open')");
        await opened(
            page,
            `${parent}/` +
                [a, b]
                    .filter(Boolean)
                    .map((one) => basename(one))
                    .join("  ↔  "),
        );
        await menu(page, "reports", "Close");
        await page.waitForSelector("#path-0");
    }
    const list = () => page.locator(".directories .name").allTextContents();
    await page.click('[data-tab="recent"]');
    assert.deepEqual(await list(), [REPORT, third]);
    await page.click('[data-tab="comparisons"]');
    assert.deepEqual(await list(), [`${REPORT}  ↔  ${OTHER}`]);
    await page.click(`.name:has-text("${OTHER}")`);
    await opened(page, `${parent}/${basename(REPORT)}  ↔  ${basename(OTHER)}`);
    await menu(page, "reports", "Close");
    await page.waitForSelector("#path-0");
    // A deleted one gives a message, and a button to remove it from the list.
    renameSync(third, `${third}-gone`);
    await page.click('[data-tab="recent"]');
    await page.click(`.name:has-text("third")`);
    await page.waitForSelector("[role=alert]");
    assert.match(await page.textContent("[role=alert]"), /no graph profile found/);
    await page.click("text=Remove from the recent ones");
    await page.waitForFunction(() => document.querySelectorAll(".directories .name").length === 1);
    assert.deepEqual(await list(), [REPORT]);
    await page.click('[aria-label="remove from the list"]');
    await page.waitForSelector("text=No report was opened from this page yet.");
    // At most 64 are kept.
    const many = await page.evaluate(() => {
        const all = Array.from({ length: 70 }, (_, i) => [`/somewhere/${i}`]);
        localStorage.setItem("tremula.recent", JSON.stringify(all));
        return all.length;
    });
    await page.reload();
    await page.waitForSelector("#path-0");
    await type(REPORT);
    await page.click(".path-row button:text-is('Open')");
    await opened(page, `${parent}/${basename(REPORT)}`);
    const kept = await page.evaluate(() => JSON.parse(localStorage.getItem("tremula.recent")));
    assert.ok(many > 64 && kept.length === 64 && kept[0][0] === REPORT);
    await done(page, "404", "400");
});

test("OPN-08 the path: directories as it is typed, arrow keys choose, a file opens its view", async () => {
    const { page, type } = await landing();
    await type(`${work}/rep`);
    const names = () => page.locator(".directories [role=option] .name").allTextContents();
    await page.waitForFunction(() => {
        const all = [...document.querySelectorAll(".directories [role=option] .name")].map((one) => one.textContent);
        return all.length > 1 && all.every((name) => name === ".." || name.startsWith("rep"));
    });
    const wanted = (await names()).indexOf(basename(REPORT));
    for (let i = 0; i <= wanted; ++i) await page.press("#path-0", "ArrowDown");
    assert.equal(await page.locator('[role=option][aria-selected="true"] .name').textContent(), basename(REPORT));
    await page.press("#path-0", "ArrowUp");
    await page.press("#path-0", "ArrowDown");
    await page.press("#path-0", "Enter");
    await opened(page, `${basename(work)}/${basename(REPORT)}`);
    for (const [file, id] of [
        ["archive.a", "memory"],
        ["debug.cbor", "operations"],
    ]) {
        await menu(page, "reports", "Close");
        await page.waitForSelector("#path-0");
        await type(join(REPORT, file));
        await page.press("#path-0", "Enter");
        await page.waitForSelector(`[data-view="${id}"][aria-current]`);
        await page.waitForSelector(".layout");
    }
    await done(page, "404", "400");
});

test("OPN-11 what takes long is said with its time in the status bar, and can be cancelled there", async () => {
    const page = await at(await shown(REPORT), "#/summary", "[data-fact]");
    let answer;
    const held = new Promise((go) => (answer = go));
    await page.route("**/api/programs/list*", async (route) => {
        await held;
        await route.continue().catch(() => undefined);
    });
    await view(page, "programs");
    await page.waitForSelector(".status .activity");
    assert.match(await page.textContent(".status .activity"), /loading programs\/list \(\d+\.\d s\)/);
    await page.click(".status .activity >> text=cancel");
    await page.waitForSelector(".status .activity", { state: "detached" });
    await page.waitForSelector("text=cancelled");
    answer();
    await done(page, "ERR_FAILED", "Failed to load");
});

test("OPN-13 the guide and the keys are a click away, in the page that opens reports and in every view", async () => {
    const { page } = await landing();
    await page.click("text=Getting started");
    assert.match(await page.textContent("dialog"), /POPLAR_ENGINE_OPTIONS/);
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog", { state: "detached" });
    await done(page, "404", "400");
    const other = await at(await shown(REPORT), "#/flame", ".flame canvas");
    await menu(other, "menu", "Getting started");
    assert.match(await other.textContent("dialog"), /autoReport/);
    await other.keyboard.press("Escape");
    // Titles have tooltips: a column's definition.
    await view(other, "operations");
    await other.waitForSelector("[data-column=elapsed]");
    await other.hover("[data-column=elapsed]");
    await other.waitForFunction(() =>
        /\w{20,}|\w+ \w+ \w+/.test(document.querySelector(".tooltip:not([hidden])")?.textContent ?? ""),
    );
    await done(other);
});

test("PRF-01 PRF-04 units of memory: binary, SI or bytes, everywhere; ticks are powers of 2", async () => {
    const page = await at(await shown(REPORT), "#/insights", '[data-figure="used"]');
    const used = sum(facts.used);
    const figure = () => page.textContent('[data-figure="used"]');
    assert.equal(await figure(), bytes(used));
    const si = (value) => (value < 1000 ? `${value} B` : `${(value / 1000).toFixed(value >= 1e5 ? 0 : 1)} kB`);
    for (const [title, wanted] of [
        ["SI prefixes \\(1.0 kB\\)", si],
        ["Bytes only \\(1,024 B\\)", (value) => `${count(value)} B`],
    ]) {
        await menu(page, "menu", title);
        await page.waitForFunction(
            (text) => document.querySelector('[data-figure="used"]').textContent === text,
            wanted(used),
        );
        const [row] = await page.locator(".bars tr:has-text('Tile')").allTextContents();
        assert.ok(row.endsWith(wanted(Math.max(...facts.used))), row);
        await view(page, "memory");
        await page.waitForFunction(
            (text) => document.querySelector("main").textContent.includes(text),
            `${wanted(used)} without gaps, `,
        );
        await view(page, "insights");
        await page.waitForSelector('[data-figure="used"]');
    }
    await page.waitForFunction(() => location.hash.startsWith("#/insights"));
    await page.reload(); // the browser stores it
    await page.waitForSelector('[data-figure="used"]');
    assert.equal(await figure(), `${count(used)} B`);
    await menu(page, "menu", "Binary multiples \\(1.0 KiB\\)");
    await view(page, "memory");
    await page.waitForSelector('[data-series="total"]');
    await page.waitForTimeout(400);
    const { data } = await saved(page, "button:text-is('SVG')");
    const texts = [...data.toString().matchAll(/<text[^>]*>([^<]*)</g)].map((one) => one[1]);
    const ticks = texts.filter((text) => /^[\d,.]+ (B|KiB|MiB)$/.test(text));
    assert.ok(ticks.length > 2, texts.join());
    const values = ticks.map((text) => {
        const [number, unit] = text.replaceAll(",", "").split(" ");
        return Number(number) * { B: 1, KiB: 1024, MiB: 1 << 20 }[unit];
    });
    values.sort((a, b) => a - b);
    const step = values[1] - values[0];
    assert.equal(Math.log2(step) % 1, 0, `the step is ${step} bytes`);
    for (const value of values) assert.equal(value % step, 0);
    await done(page);
});

test("PRF-02 light and dark: page, canvases and text; as the system says unless it is chosen", async () => {
    const paper = (page) =>
        page.$eval("body", (one) => getComputedStyle(one).backgroundColor.match(/\d+/g).map(Number));
    const corner = (page) =>
        page.$eval('[data-graph="memory"]', (canvas) => [
            ...canvas
                .getContext("2d")
                .getImageData(1, canvas.height - 2, 1, 1)
                .data.slice(0, 3),
        ]);
    const page = await at(await shown(REPORT), "#/memory", '[data-series="total"]');
    await page.waitForTimeout(300);
    assert.deepEqual(await paper(page), [255, 255, 255]);
    assert.deepEqual(await corner(page), [255, 255, 255]);
    await menu(page, "menu", "Dark");
    await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
    await page.waitForTimeout(300);
    const dark = await paper(page);
    assert.ok(dark.every((part) => part < 64));
    assert.deepEqual(await corner(page), dark);
    await page.reload();
    await page.waitForSelector('[data-series="total"]');
    assert.deepEqual(await paper(page), dark);
    await done(page);
    const system = await at(await shown(REPORT), "#/memory", '[data-series="total"]', { dark: true });
    assert.deepEqual(await paper(system), dark);
    await menu(system, "menu", "Light");
    await system.waitForFunction(() => document.documentElement.dataset.theme === "light");
    assert.deepEqual(await paper(system), [255, 255, 255]);
    await done(system);
});

test("EXE-27 hidden kinds of steps are named, with what they are left out of", async () => {
    const page = await at(await shown(REPORT), "#/trace?trace.layout=flat", '[data-row="steps"] td');
    assert.equal(await page.locator(".notice").count(), 0);
    await page.click("text=SyncAns and Sans");
    await page.waitForSelector(".notice");
    assert.equal(
        (await page.textContent(".notice")).replace(/\s+/g, " ").trim(),
        "Hidden: SyncAns, Sans. Steps of hidden kinds are left out of tile balance, tile utilisation and proportions.",
    );
    await page.click("text=SyncAns and Sans");
    await page.waitForSelector(".notice", { state: "detached" });
    await done(page);
});

test("EXE-48 a name that does not fit loses its middle", async () => {
    const page = await at(await shown(REPORT), "#/trace?trace.layout=flat", ".trace-canvas");
    await settled(page);
    await page.click('[aria-label="save the graph"]');
    const { data } = await saved(page, '[role=menuitem]:has-text("SVG")');
    const labels = [...data.toString().matchAll(/<text[^>]*>([^<]*)</g)].map((one) => one[1]);
    const short = labels.filter((text) => text.includes("…") && !/^\d/.test(text));
    assert.ok(short.length > 0, labels.join(" | "));
    const kinds = [
        ...new Set(facts.programs.flatMap((one) => [one.type, `${one.type} ${one.detail}`, one.name ?? ""])),
    ];
    const parts = kinds.flatMap((name) => [name, name.split("/").at(-1)]);
    for (const text of short) {
        const [head, tail] = text.replace(/^\d+ × /, "").split("…");
        assert.ok(head.length >= 1 && tail.length >= 1 && Math.abs(head.length - tail.length) <= 1, text);
        assert.ok(
            parts.some((name) => name.startsWith(head) && name.endsWith(tail)),
            `${text} is of no name`,
        );
    }
    await done(page);
});

test("EXE-56 the summary's rows in their order, a column for each IPU, and for each report", async () => {
    const page = await at(await shown(REPORT, OTHER), "#/trace?trace.layout=flat", '[data-row="steps"] td');
    await settled(page);
    assert.deepEqual(await page.$$eval(".trace-figures [data-row]", (all) => all.map((one) => one.dataset.row)), [
        "cycles",
        "proportions",
        "balance",
        "copies",
        "global",
        "steps",
    ]);
    const columns = await page.locator('[data-row="cycles"] td').allTextContents();
    assert.equal(columns.length, 4, "two IPUs of two reports");
    assert.ok(
        columns.every((text) => text.startsWith(`${count(facts.total)} cycles`)),
        columns.join(),
    );
    const copies = await page.locator('[data-row="copies"] td').allTextContents();
    assert.deepEqual(copies.slice(0, 2), copies.slice(2), "the programs of both are the same");
    const widths = await page.$$eval('[data-row="balance"] td', (all) => all.map((one) => one.textContent));
    assert.ok(
        widths.every((text) => /\d+\.\d %/.test(text)),
        widths.join(),
    );
    await page.selectOption('[aria-label="Select IPU"]', "1");
    await page.waitForFunction(() => document.querySelectorAll('[data-row="cycles"] td').length === 2);
    await done(page);
});

test("VIW-15 no tab vanishes in a narrow window, or at 200 %", async () => {
    const page = await at(await shown(REPORT), "#/insights", "[data-advice]");
    for (const width of [1440, 1024, 720, 512]) {
        await page.setViewportSize({ width, height: 900 });
        const cut = await page.$$eval("nav button", (all) =>
            all
                .filter((one) => {
                    const { left, right, top, bottom, width: wide } = one.getBoundingClientRect();
                    const nav = one.parentElement.getBoundingClientRect();
                    const inside = left >= nav.left - 1 && right <= nav.right + 1 && right <= window.innerWidth;
                    return !(wide > 0 && inside && top >= 0 && bottom <= nav.bottom + 1);
                })
                .map((one) => one.textContent),
        );
        assert.deepEqual(cut, [], `${width} pixels`);
        const top = (await page.locator("main").boundingBox()).y;
        const below = await page.$eval("nav", (nav) => nav.getBoundingClientRect().bottom);
        assert.ok(below <= top + 1, `the view begins below the tabs at ${width} pixels`);
    }
    await done(page);
});
