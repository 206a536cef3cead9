// SPDX-License-Identifier: Apache-2.0
// Every name of a report is text: markup and scripts in names of tensors, programs, types, runs, options, files and
// directories have no effect, in any view, in comparisons, and in the page that `pva export` writes.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openPage } from "./browser.mjs";
import { PVA, REPORT, browser, change, serve } from "./session.mjs";

const work = mkdtempSync(join(tmpdir(), "names"));
after(() => rmSync(work, { recursive: true }));

const EVIL =
    `</script><script>window.broken = 1</script>"'><img src=x onerror="window.broken=1">` + "&lt;b&gt;{{7*7}}\u2028";
const quoted = `'${EVIL.replaceAll("'", "''")}'`;
const directory = join(work, `<img src=x onerror=window.broken=1>`);
cpSync(REPORT, directory, { recursive: true, filter: (name) => !name.endsWith("_cache") });
const NAMES = [
    ["variables", "name"],
    ["variables", "type"],
    ["programs", "name"],
    ["programs", "detail"],
    ["compute_sets", "name"],
    ["vertex_types", "name"],
    ["exchanges", "name"],
    ["live_variables", "name"],
    ["vars_string_table", "string"],
    ["var_categories", "name"],
    ["runs", "name"],
    ["options", "value"],
    ["target", "architecture"],
    ["instrumentation", "mode"],
];
change(
    directory,
    NAMES.map(([table, column]) => `UPDATE ${table} SET ${column} = ${quoted} || ' ' || ifnull(${column}, '');`).join(
        "",
    ) +
        `INSERT INTO metrics VALUES(${quoted}, 1); INSERT INTO options VALUES(${quoted}, 'x', 1);` +
        `INSERT INTO run_parameters VALUES(0, ${quoted}, ${quoted}); ` +
        `INSERT OR REPLACE INTO info VALUES('engine', ${quoted});` +
        `INSERT OR REPLACE INTO info VALUES('out_of_memory', ${quoted}); ` +
        `INSERT OR REPLACE INTO info VALUES(${quoted}, ${quoted});` +
        "UPDATE files SET bytes = bytes + 1 WHERE name = 'archive.a'",
);
for (const name of ["app.json", "framework.json"])
    writeFileSync(join(directory, name), JSON.stringify({ [EVIL]: { [EVIL]: EVIL } }));

const VIEWS = [
    "insights",
    "summary",
    "memory",
    "liveness",
    "programs",
    "operations",
    "source",
    "flame",
    "trace",
    "sql",
    "files",
    "difference",
];

/** Asserts that no name became an element, and that no script of one ran. */
async function harmless(page, what) {
    const found = await page.evaluate(() => ({
        broken: window.broken ?? null,
        images: document.querySelectorAll("img[src=x]").length,
        scripts: [...document.querySelectorAll("script")].filter(
            (one) => one.textContent.trim() === "window.broken = 1",
        ).length,
    }));
    assert.deepEqual(found, { broken: null, images: 0, scripts: 0 }, what);
}

/** Opens each view, points at what it draws, and opens its tabs. */
async function visit(page, address, views) {
    for (const view of views) {
        await page.goto(`${address}#/${view}`);
        await page.waitForTimeout(400);
        await harmless(page, view);
        for (const tab of await page.locator("[role=tab]").all()) {
            await tab.click({ timeout: 2000 }).catch(() => undefined);
            await page.waitForTimeout(80);
        }
        const row = page.locator(".table-rows .tr").first();
        if (await row.count()) await row.click({ timeout: 2000, force: true }).catch(() => undefined);
        for (const x of [500, 700, 900]) {
            await page.mouse.move(x, 300); // tooltips and callouts
            await page.waitForTimeout(80);
        }
        await harmless(page, `${view}, used`);
    }
}

test("names are text in every view", async () => {
    const address = await serve([directory]);
    const page = await openPage(browser, address);
    await visit(page, address, VIEWS);
    assert.ok((await page.title()).length > 0);
    await page.goto(`${address}#/programs`);
    await page.waitForSelector(".tree-label");
    assert.ok((await page.textContent(".tree-label")).length > 0);
    assert.ok(
        (await page.evaluate(() => document.body.textContent)).includes("window.broken = 1"),
        "the names are shown as they are",
    );
    await page.context().close();
});

test("names are text in a comparison", async () => {
    const address = await serve([directory, REPORT]);
    const page = await openPage(browser, address);
    await visit(page, address, ["difference", "flame", "memory", "trace", "programs"]);
    await page.context().close();
});

test("names are text in the page that is exported", async () => {
    const file = join(work, "page.html");
    execFileSync(PVA, ["export", directory, "--to", "html", "--output", file]);
    const page = await openPage(browser, `file://${file}`);
    await visit(
        page,
        `file://${file}`,
        VIEWS.filter((view) => view !== "sql" && view !== "difference"),
    );
    await page.context().close();
});
