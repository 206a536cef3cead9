// SPDX-License-Identifier: Apache-2.0
// The Programs and Operations views, checked row by row through the user interface; figures are compared with the
// report's own.
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { test } from "node:test";
import { PVA, REPORT, at, cells, cellsWhen, change, count, done, facts, rows, serve, shown, sum } from "./session.mjs";
import { query } from "./server.mjs";

const labelOf = ({ type, name, detail }) => {
    const inner = type === "Sync" ? detail : name;
    const kind = type === "StreamCopyMid" && detail ? `${type} ${detail}` : type;
    return inner ? `${kind} (${inner})` : kind;
};
const program = (id) => facts.programs.find((one) => one.id === id);
const open = async (fragment = "", ready = ".tree-row") =>
    at(await shown(REPORT), `#/programs${fragment}`, ready, { height: 2000 }); // tall enough for all rows
const labels = (page) => page.locator(".tree-label").allTextContents();

test("PRG-03 the list of control programs and functions by number: one of them is shown alone", async () => {
    const page = await open();
    const titles = await page.locator(".program-list button").allTextContents();
    const named = (ids) => ids.map((id, i) => `${i} ${program(id).name ?? ""}`);
    assert.deepEqual(titles, [...named(facts.control), ...named(facts.functions)]);
    const children = (id) =>
        rows(`SELECT child FROM program_children WHERE program = ${id} ORDER BY position`).map((one) => one.child);
    const below = (id) => [id, ...children(id).flatMap(below)];
    const list = page.locator(".program-list").nth(1).locator("button").first();
    await list.click();
    await page.waitForSelector(`.tree-row:first-child [data-program="${facts.functions[0]}"]`);
    assert.deepEqual(
        await labels(page),
        below(facts.functions[0]).map((id) => labelOf(program(id))),
    );
    assert.equal(await list.getAttribute("aria-pressed"), "true");
    await list.click(); // again: unfolds all
    await page.waitForSelector(`.tree-row:first-child [data-program="${facts.control[0]}"]`);
    await done(page);
});

test("PRG-04 the tree: all open at first, a triangle folds, ids on demand, the colours of the trace", async () => {
    const page = await open();
    const before = await labels(page);
    const [root] = facts.control;
    assert.equal(before[0], labelOf(program(root)));
    assert.ok(before.some((label) => /^OnTileExecute \(/.test(label)));
    await page.locator(".tree-row").first().locator("button").first().click();
    await page.waitForFunction((many) => document.querySelectorAll(".tree-label").length < many, before.length);
    assert.equal((await labels(page))[0], before[0]);
    assert.notEqual((await labels(page))[1], before[1]);
    await page.locator(".tree-row").first().locator("button").first().click();
    await page.waitForFunction((many) => document.querySelectorAll(".tree-label").length === many, before.length);
    await page.click('.check:has-text("Show ids")');
    await page.waitForFunction(() => /\(Id: \d+\)$/.test(document.querySelector(".tree-label").textContent));
    for (const [id, text] of await page.$$eval(".tree-label", (all) =>
        all.map((one) => [one.dataset.program, one.textContent]),
    ))
        assert.equal(text, `${labelOf(program(Number(id)))} (Id: ${id})`);
    const trace = { OnTileExecute: [213, 94, 0], DoExchange: [86, 180, 233] };
    for (const [type, colour] of Object.entries(trace)) {
        const found = await page.$$eval(
            ".tree-row",
            (all, wanted) => {
                const row = all.find((one) => one.querySelector(".tree-label").textContent.startsWith(wanted));
                return getComputedStyle(row.querySelector(".chip")).backgroundColor.match(/\d+/g).map(Number);
            },
            type,
        );
        assert.deepEqual(found, colour, type);
    }
    await done(page);
});

test("PRG-05 selecting a step shows its details, and marks what the same call made", async () => {
    const page = await open(`?program=${facts.operation.programs[0]}`, ".tree-row.selected");
    const marked = await page.$$eval(".tree-row.related .tree-label", (all) =>
        all.map((one) => Number(one.dataset.program)),
    );
    assert.deepEqual(
        [...new Set(marked)].sort((a, b) => a - b),
        [...facts.operation.programs].sort((a, b) => a - b),
    );
    const yellow = await page.$eval(".tree-row.related:not(.selected)", (one) => {
        const pen = document.createElement("canvas").getContext("2d");
        pen.fillStyle = getComputedStyle(one).backgroundColor;
        pen.fillRect(0, 0, 1, 1);
        return [...pen.getImageData(0, 0, 1, 1).data];
    });
    assert.ok(yellow[0] > 200 && yellow[1] > 180 && yellow[2] < 215, `related steps are ${yellow}`);
    const [step] = rows(`SELECT p.type, p.detail FROM programs p WHERE p.id = ${facts.operation.programs[0]}`);
    assert.equal(await page.textContent(".facts dd"), step.detail ? `${step.type} (${step.detail})` : step.type);
    await page.click('.check:has-text("Highlight the operation")');
    await page.waitForFunction(() => !document.querySelector(".tree-row.related"));
    await page.click(`.tree-label[data-program="${facts.head.id}"]`);
    const executions = await page.$$eval(".facts dt", (all) => {
        const title = all.find((one) => one.textContent === "Executions");
        return title.nextElementSibling.textContent;
    });
    assert.equal(executions, count(facts.head.times));
    await done(page);
});

test("PRG-06 searching: matches are marked, counted and stepped through, and the search is kept", async () => {
    const page = await open();
    await page.fill("[aria-label='search programs']", "sync");
    const wanted = (await labels(page)).filter((label) => label.toLowerCase().includes("sync"));
    assert.ok(wanted.length > 2);
    await page.waitForFunction((many) => document.querySelectorAll(".tree-row.found").length === many, wanted.length);
    assert.deepEqual(await page.locator(".tree-row.found .tree-label").allTextContents(), wanted);
    const counter = () => page.textContent(".tree-head .table-count");
    const at2 = (text) =>
        page.waitForFunction((wish) => document.querySelector(".tree-head .table-count")?.textContent === wish, text);
    await page.press("[aria-label='search programs']", "Enter");
    await at2(`1 of ${wanted.length}`);
    await page.press("[aria-label='search programs']", "Enter");
    await at2(`2 of ${wanted.length}`);
    assert.equal(await page.textContent(".tree-row.selected .tree-label"), wanted[1]);
    await page.press("[aria-label='search programs']", "Shift+Enter");
    await at2(`1 of ${wanted.length}`);
    await page.click('[data-view="memory"]');
    await page.waitForSelector('[data-view="memory"][aria-current]');
    await page.click('[data-view="programs"]');
    await page.waitForSelector(".tree-row");
    assert.equal(await page.inputValue("[aria-label='search programs']"), "sync");
    assert.equal(await counter(), `1 of ${wanted.length}`);
    await page.fill("[aria-label='search programs']", "nothing like that");
    await at2("no match");
    await done(page);
});

const table = (page) => cells(page, ".layout-main > .split > .pane:first-child");
const operations = async (url = "") => at(url || (await shown(REPORT)), "#/operations", ".table-rows .tr");

test("OPS-03 operations are sorted by any column, and filtered by text and by ranges", async () => {
    const page = await operations();
    const titles = await page.locator("[role=columnheader]").allTextContents();
    const at = (title) => titles.findIndex((one) => one.startsWith(title));
    const values = async (title) => (await table(page)).map((row) => Number(row[at(title)].replace(/[^0-9.]/g, "")));
    const [cycles] = titles.filter((title) => title.startsWith("Critical-path"));
    const first = await values(cycles.slice(0, 8));
    assert.deepEqual(
        first,
        [...first].sort((a, b) => b - a),
        "the most expensive first",
    );
    assert.equal(sum(first), facts.total);
    await page.click(`[role=columnheader]:nth-child(${at("Critical-path") + 1}) button`);
    await cellsWhen(
        page,
        (all) => Number(all[0][at("Critical-path")].replaceAll(",", "")) === Math.min(...first),
        ".layout-main",
    );
    await page.click('[data-column="name"]');
    const names = (all) => all.map((row) => row[at("Debug name")]);
    const sorted = await cellsWhen(
        page,
        (all) => names(all).every((name, i, list) => !i || list[i - 1].localeCompare(name) <= 0),
        ".layout-main",
    );
    assert.equal(sorted.length, first.length);
    await page.fill('[aria-label="filter operations"]', "model/add");
    const found = await cellsWhen(page, (all) => all.length && all.length < first.length, ".layout-main");
    assert.ok(found.every((row) => row.some((cell) => cell.includes("add"))));
    await page.fill('[aria-label="filter operations"]', "");
    await page.click("text=Ranges");
    const least = Math.max(...first);
    await page.fill(`[aria-label="${titles[at("Critical-path")].replace(/ [▲▼]$/, "")}: min"]`, String(least));
    await page.keyboard.press("Enter");
    await cellsWhen(page, (all) => all.length === first.filter((one) => one >= least).length, ".layout-main");
    await done(page);
});

test("OPS-04 below the table: totals of all operations or figures of one, its program steps, its line", async () => {
    const page = await operations();
    const figure = (name) => page.textContent(`[data-figure="${name}"]`);
    assert.equal(await figure("elapsed"), count(facts.total));
    await page.click(`.table-rows .tr:has-text("${facts.operation.name}")`);
    await page.waitForFunction(() => /operation=/.test(location.hash));
    const share = ((facts.operation.elapsed / facts.total) * 100).toFixed(1);
    await page.waitForFunction(
        (text) => document.querySelector('[data-figure="elapsed"]')?.textContent === text,
        `${count(facts.operation.elapsed)} (${share} % of all)`,
    );
    await page.click("[data-tab=steps]");
    const steps = await cellsWhen(page, (all) => all.length === facts.operation.programs.length, ".tabs");
    assert.deepEqual(
        steps.map(([id, label, times]) => [Number(id), label, times]).sort((a, b) => a[0] - b[0]),
        [...facts.operation.programs]
            .sort((a, b) => a - b)
            .map((id) => [id, labelOf(program(id)), count(facts.times[id] ?? 0)]),
    );
    await page.click("[data-tab=debug]");
    await page.waitForSelector(".tabs .link");
    assert.match(await page.textContent(".tabs .link"), /make_report\.cpp:\d+$/);
    await done(page);
});

test("OPS-05 two reports: one figure at a time, source, target and difference", async () => {
    const other = `${REPORT}-longer`;
    cpSync(REPORT, other, { recursive: true });
    // Each exchange of the second report has 64 more bytes of code.
    change(other, "UPDATE exchanges SET code_bytes = code_bytes + 64");
    const page = await operations(await shown(REPORT, other));
    await page.selectOption('[aria-label="figure"]', "code");
    await page.waitForFunction(
        () =>
            document.querySelector("[data-compared]")?.textContent === "Code (B)" &&
            document.querySelector("[role=columnheader]:nth-child(3)").textContent.startsWith("report"),
    );
    const codes = (directory) =>
        query(
            PVA,
            directory,
            `SELECT total(code_bytes) AS bytes FROM exchanges
                WHERE id IN (SELECT exchange FROM programs WHERE type = 'DoExchange')`,
        )[0].bytes;
    const more = codes(other) - codes(REPORT);
    assert.ok(more > 0);
    const bytesOf = (text) => {
        const [, sign, number, unit] = /^([+−]?)([\d,.]+) ?(B|KiB)?$/.exec(text);
        return (sign === "−" ? -1 : 1) * Number(number.replaceAll(",", "")) * (unit === "KiB" ? 1024 : 1);
    };
    const found = await cellsWhen(
        page,
        (all) => all.length > 1 && all.some((row) => row[4].startsWith("+")),
        ".layout-main",
    );
    let differences = 0;
    for (const [, name, source, target, difference] of found) {
        const [a, b, d] = [source, target, difference].map(bytesOf);
        assert.ok(Math.abs(b - a - d) <= 0.06 * 1024, `${name}: ${source}, ${target}, ${difference}`);
        differences += d;
    }
    assert.ok(Math.abs(differences - more) < 200, `all differences are ${differences}, the reports' ${more}`);
    await page.selectOption('[aria-label="figure"]', "elapsed");
    const same = await cellsWhen(page, (all) => all.length > 1 && all.every((row) => row[4] === "0"), ".layout-main");
    assert.equal(sum(same.map((row) => Number(row[2].replaceAll(",", "")))), facts.total);
    assert.deepEqual(
        same.map((row) => row[2]),
        same.map((row) => row[3]),
    );
    await done(page);
});
