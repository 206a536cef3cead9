// SPDX-License-Identifier: Apache-2.0
// With two reports open, every figure says of which report it is: tables, plots, legends, captions and tooltips.
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { before, test } from "node:test";
import { OTHER, REPORT, at, cells, count, done, perCent, serve, shown, sum } from "./session.mjs";
import { settled } from "./trace_tools.mjs";

const NAMES = ["label-source", "label-target"];
const DIRECTORIES = NAMES.map((name) => `${REPORT}-${name}`);
let two;
before(async () => {
    cpSync(REPORT, DIRECTORIES[0], { recursive: true });
    cpSync(OTHER, DIRECTORIES[1], { recursive: true });
    two = await serve(DIRECTORIES);
});

const named = (text) => NAMES.some((name) => text.includes(name));

/** Texts of what must have a name and has none: a legend's entry, a title, a table with its bar and its tabs. */
const unnamed = (page) =>
    page.evaluate((names) => {
        const has = (text) => names.some((name) => text.includes(name));
        const text = (element) => element?.textContent ?? "";
        const units = [
            ...document.querySelectorAll(
                ".insights section h2, .flame-entries, .flame-title, .plan-scale, .tree-head, .trace-title, " +
                    ".summary h3, .graph-key [data-series], .u-legend .u-series:not(:first-child) th",
            ),
        ].map((unit) => [text(unit), text(unit)]);
        const tabs = (inside) => text(inside.closest(".tabs")?.querySelector(".tab-extra"));
        for (const table of document.querySelectorAll(".table, .details-table, dl.facts, .trace-figures")) {
            const label = text(table.closest(".of-report")?.querySelector(".report-label"));
            const head = text(table.querySelector(".table-bar, thead")) + text(table.querySelector(".head"));
            const shown = head + tabs(table) + label + text(table.closest(".summary-tab"));
            units.push([`${table.className}: ${head || text(table)}`, shown]);
        }
        return units.filter(([, shown]) => !has(shown)).map(([unit]) => unit);
    }, NAMES);

/** Tooltips with figures that name no report. */
async function unnamedTips(page, within) {
    const bad = [];
    const tips = await page.locator(`${within} [data-tip]:visible`).all();
    for (const tip of tips.slice(0, 12)) {
        if (!/\d/.test(await tip.getAttribute("data-tip"))) continue;
        await tip.dispatchEvent("pointerover", { clientX: 5, clientY: 5 });
        const text = await page.textContent(".tooltip");
        if (!named(text)) bad.push(text);
    }
    return bad;
}

/** The tooltip at a place of an element, as shares of its width and height. */
async function tipAt(page, selector, x, y) {
    const area = await page.locator(selector).first().boundingBox();
    await page.mouse.move(area.x + x * area.width, area.y + y * area.height);
    await page.mouse.move(area.x + x * area.width + 1, area.y + y * area.height);
    await page.waitForSelector(".tooltip:not([hidden])");
    return page.textContent(".tooltip");
}

const VIEWS = [
    ["insights", "[data-share]", ".insights"],
    ["summary", "[data-fact]"],
    ["memory", "[data-detail]", ".tabs"],
    ["memory?memory.tab=variables", ".table-rows .tr"],
    ["memory?memory.tab=vertexTypes", ".table-rows .tr"],
    ["memory?memory.tab=difference", ".table-rows .tr"],
    ["memory?memory.graph=map", ".plan-scale"],
    ["memory?memory.breakdown=region&memory.gaps=true", "[data-series=gaps]"],
    ["liveness", ".table-rows .tr"],
    ["liveness?liveness.tab=always&liveness.always=true", ".table-rows .tr"],
    ["liveness?liveness.tab=step&liveness.steps=2", "[data-step-fact]"],
    ["programs", "[data-fact=within]"],
    ["programs?programs.tab=tiles&programs.report=1", ".tree-row"],
    ["operations", ".table-rows .tr"],
    ["operations?operations.show=graph&operations.tab=steps", ".graph-node"],
    ["trace", "[data-row=cycles]", ".summary-tab"],
    ["trace?trace.tab=details&step=3&trace.side=1", "[data-step]", ".details-tab"],
    ["trace?trace.tab=steps", ".table-rows .tr"],
    ["source", "[data-worst]"],
    ["flame", ".flame canvas"],
    ["flame?flame.name=model&flame.shape=sandwich&flame.report=1", ".flame canvas"],
    ["difference", ".table-rows .tr"],
    ["sql", ".table-rows .tr"],
    ["sql?sql.as=chart&sql.report=1&sql.q=SELECT%20tile,%20total%20FROM%20memory_by_tile", ".uplot canvas"],
];

test("CMP-02 two reports: every table, legend, title and tooltip says of which report it is", async () => {
    const failed = [];
    for (const [fragment, ready, tips] of VIEWS) {
        const page = await at(two, `#/${fragment}`, "main");
        await page.waitForSelector(ready).catch(() => failed.push([fragment, `no ${ready}`]));
        await settled(page);
        failed.push(...(await unnamed(page)).map((unit) => [fragment, unit]));
        if (tips) failed.push(...(await unnamedTips(page, tips)).map((tip) => [fragment, tip]));
        const status = await page.textContent(".status");
        for (const name of NAMES) assert.ok(status.includes(`${name}: `), status);
        await done(page);
    }
    assert.deepEqual(failed, []);
});

test("CMP-02 two reports: what is below the pointer in a graph has the names of both, or of its report", async () => {
    for (const [view, selector, x, y, names] of [
        ["memory", "[data-graph=memory]", 0.5, 0.8, NAMES],
        ["liveness", "[data-graph=liveness]", 0.5, 0.8, NAMES],
        ["flame", ".flame canvas", 0.1, 0.02, [NAMES[0]]],
        ["flame?flame.report=1", ".flame canvas", 0.1, 0.02, [NAMES[1]]],
        ["difference", ".flame canvas", 0.1, 0.02, NAMES],
        ["trace?trace.layout=flat", ".trace-graph:last-child .trace-canvas", 0.3, 0.25, [NAMES[1]]],
    ]) {
        const page = await at(two, `#/${view}`, selector);
        await settled(page);
        const text = await tipAt(page, selector, x, y);
        for (const name of names) assert.ok(text.includes(name), `${view}: ${text}`);
        await done(page);
    }
});

test("CMP-02 the details of a program are those of the report that is chosen", async () => {
    const page = await at(two, "#/programs", "[data-fact=within]");
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.click("[aria-label=report] [data-choice='1']");
    await page.click(".tree-row >> nth=3");
    await settled(page);
    const details = asked.filter((url) => url.includes("programs/details"));
    assert.ok(details.length > 0 && details.every((url) => /report=1/.test(url)), asked.join("\n"));
    await done(page);
});

test("two reports in a narrow window: no view's tab is outside of it", async () => {
    for (const width of [1024, 720]) {
        const page = await at(two, "#/memory", "[data-detail]", { width, height: 700 });
        const boxes = await page.$$eval("nav [data-view]", (all) =>
            all.map((one) => one.getBoundingClientRect().right),
        );
        assert.ok(Math.max(...boxes) <= width, `${width}: ${boxes}`);
        await done(page);
    }
});

test("CMP-03 differences are in per cent of the first report, with a sign, and each view says so", async () => {
    const shares = (text) => /\(([+−]?[\d.]+ %|new)\)$/.exec(text);
    for (const [fragment, cell, head] of [
        ["insights", "[data-difference]", ".insights thead th:last-child"],
        ["memory?memory.tab=difference", ".table-rows .td:last-child", "[data-column=difference]"],
        ["liveness?liveness.tab=always", ".table-rows .td:last-child", "[data-column=difference0]"],
        ["source", ".table-rows .td:nth-child(4)", "[data-column=difference]"],
    ]) {
        const page = await at(two, `#/${fragment}`, cell);
        await page.waitForSelector(head);
        assert.match(await page.textContent(head), /Difference \(% of first\)/, fragment);
        for (const text of await page.locator(cell).allTextContents())
            if (text !== "–") assert.ok(shares(text), `${fragment}: ${text}`);
        await done(page);
    }
    const page = await at(two, "#/liveness?liveness.tab=always", '.table-rows .tr:has-text("model/matrix")');
    await page.waitForSelector("[data-column=difference0]");
    const cells = await page.locator('.table-rows .tr:has-text("model/matrix") .td').allTextContents();
    const [a, b] = cells.slice(1, 3).map((text) => Number(text.replaceAll(",", "")));
    assert.ok(b > a);
    assert.equal(shares(cells[3])[1], perCent(a, b));
    await done(page);
});

test("EXE-51 the summary of the trace says that its shares are of the sum of steps", async () => {
    const page = await at(await shown(REPORT), "#/trace?trace.tab=summary", "[data-row=proportions] [data-sum]");
    await settled(page);
    const all = Number(await page.getAttribute("[data-row=proportions] [data-sum]", "data-sum"));
    const tip = await page.getAttribute("[data-row=proportions] .proportions", "data-tip");
    const parts = [...tip.matchAll(/([\d,]+) cycles?$/gm)].map((one) => Number(one[1].replaceAll(",", "")));
    assert.ok(Math.abs(sum(parts) - all) <= parts.length, `${all}: ${tip}`);
    const text = await page.textContent("[data-row=proportions]");
    assert.ok(text.includes(`of ${count(all)} cycles, the sum of steps`), text);
    await page.click("[data-row=proportions] .link");
    await page.waitForSelector("[data-share]");
    await done(page);
});

test("OPS-02 exchange of an operation is a part of its critical-path cycles, as that of its line is", async () => {
    const page = await at(await shown(REPORT), "#/operations", ".table-rows .tr");
    const titles = await page.locator("[role=columnheader]").allTextContents();
    const [elapsed, exchange] = ["Critical-path", "Exchange"].map((title) =>
        titles.findIndex((one) => one.replace(/ [▲▼]$/, "").startsWith(title)),
    );
    let all = 0;
    for (const row of await cells(page, ".layout-main > .split > .pane:first-child")) {
        const [whole, part] = [row[elapsed], row[exchange]].map((text) => Number(text.replaceAll(",", "")));
        assert.ok(part <= whole, row.join());
        all += part;
    }
    assert.ok(all > 0, "some operation exchanges");
    await done(page);
});
