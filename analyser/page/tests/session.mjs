// SPDX-License-Identifier: Apache-2.0
// Shared by the browser tests: one browser, servers that end with the test process in any case, pages, and helpers to
// read them. FACTS has libpva's figures of REPORT (tests/analyser/facts.py).
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { after } from "node:test";
import { openPage, startBrowser } from "./browser.mjs";
import { query, startServer } from "./server.mjs";

export const { PVA, REPORT, OTHER, FACTS } = process.env;
export const facts = FACTS ? JSON.parse(readFileSync(FACTS, "utf8")) : null;
export const browser = await startBrowser();
const servers = new Set();
after(async () => {
    await browser.close();
    await Promise.all([...servers].map((server) => server.close()));
});

/** Starts `pva serve` with words and returns its address; `cwd` sets its directory. */
export async function serve(words = [], options = {}) {
    const server = await startServer(PVA, words, options);
    servers.add(server);
    return server.url;
}

const shared = new Map();
/** The address of a server for these directories, shared by all tests of a file. */
export function shown(...directories) {
    const key = directories.join("\n");
    if (!shared.has(key)) shared.set(key, serve(directories));
    return shared.get(key);
}

/** Opens a page at a fragment and waits for a selector. Options are openPage's. */
export async function at(url, fragment, ready, options = {}) {
    const page = await openPage(browser, url + fragment, options);
    page.setDefaultTimeout(Number(process.env.WAIT ?? 60000));
    await page.waitForSelector(ready);
    return page;
}

/** Asserts that the page had no problem except those containing one of `expected`, then closes it. */
export async function done(page, ...expected) {
    const problems = page.problems.filter((text) => !expected.some((word) => text.includes(word)));
    assert.deepEqual(problems, []);
    await page.context().close();
}

export const count = (number) => number.toLocaleString("en-GB");
export const sum = (numbers) => numbers.reduce((all, number) => all + number, 0);
/** A difference in per cent of the first number, as the page shows it. */
export function perCent(a, b) {
    if (!a) return b ? "new" : "0.00 %";
    return `${b > a ? "+" : b < a ? "−" : ""}${((Math.abs(b - a) / a) * 100).toFixed(2)} %`;
}
/** Bytes as the page shows them in binary multiples. */
export function bytes(value) {
    const names = ["B", "KiB", "MiB", "GiB"];
    let power = 0;
    let scaled = Math.abs(value);
    for (; scaled >= 1024 && power < 3; ++power) scaled /= 1024;
    const digits = power === 0 ? count(scaled) : scaled.toFixed(scaled >= 100 ? 0 : 1);
    return `${value < 0 ? "−" : ""}${digits} ${names[power]}`;
}
export const rows = (sql, directory = REPORT) => query(PVA, directory, sql);
/** The number in "… 1,234 bytes". */
export const bytesOf = (tip) => Number(/([\d,]+) bytes/.exec(tip)[1].replaceAll(",", ""));

/** Cells of the visible table's rows inside `within`. */
export const cells = (page, within = "") =>
    page.$$eval(`${within} .table-rows .tr`, (all) =>
        all.map((row) => [...row.querySelectorAll(".td")].map((cell) => cell.textContent)),
    );

/** Waits until `accept` returns true for the cells; returns the cells. */
export async function cellsWhen(page, accept, within = "") {
    const end = Date.now() + 30000;
    for (;;) {
        const found = await cells(page, within);
        if (accept(found)) return found;
        if (Date.now() > end) throw new Error(`the table is ${JSON.stringify(found.slice(0, 5))}`);
        await page.waitForTimeout(50);
    }
}

/** The file that a button saves: name and bytes. */
export async function saved(page, selector) {
    const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.locator(selector).first().click({ force: true }),
    ]);
    return { name: download.suggestedFilename(), data: readFileSync(await download.path()) };
}

/** The lines that the graph's CSV button saves, as fields, without the titles. */
export async function graphCsv(page) {
    const { data } = await saved(page, ".graph-buttons button:text-is('CSV')");
    const lines = data.toString().trim().split("\r\n");
    return lines.slice(1).map((line) => line.split(","));
}

/** Chooses an item of a menu by its title, then closes the menu. */
export async function menu(page, name, title) {
    await page.click(`[aria-label="${name}"]`);
    await page
        .locator(".menu-list [role^=menuitem]")
        .filter({ hasText: new RegExp(`^[☑☐●○]?${title}$`) })
        .click();
    if (await page.locator(".menu-list").count()) await page.mouse.click(5, 400); // a click outside closes it
}

/** Modifies the profile.pop of a copy of a report. */
export function change(directory, sql) {
    const script = "import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.executescript(sys.argv[2]); d.commit()";
    execFileSync("python3", ["-c", script, `${directory}/profile.pop`, sql]);
}
