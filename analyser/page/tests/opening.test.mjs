// SPDX-License-Identifier: Apache-2.0
// Opening reports: URLs that name one, the demo report, windows, the most expensive lines; data that the browser stores
// for later sessions.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, test } from "node:test";
import { openPage } from "./browser.mjs";
import { startServer } from "./server.mjs";
import { OTHER, PVA, REPORT, at, browser, count, done, facts, rows, serve, shown } from "./session.mjs";
import { settled } from "./trace_tools.mjs";

const work = mkdtempSync(join(tmpdir(), "opening"));
after(() => rmSync(work, { recursive: true }));
const named = (page, name) =>
    page.waitForFunction((text) => document.querySelector(".report-name")?.textContent.endsWith(text), name);

async function close(page) {
    // The page loads itself again once reports are open: a menu that was opened before is gone then.
    let chosen = false;
    for (let attempt = 0; attempt < 10 && !chosen; ++attempt) {
        await page.click('[aria-label="reports"]');
        chosen = await page.click("[role=menuitem]:text-is('Close')", { timeout: 3000 }).then(
            () => true,
            () => false,
        );
    }
    assert.ok(chosen, "the menu of reports offers to close them");
    await page.waitForSelector("#path-0");
}

test("OPN-05 the address of a recent report or comparison is copied, and opens it", async () => {
    const url = await serve([]);
    const page = await at(url, "", "#path-0");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const copied = async () => {
        await page.click('[aria-label="copy the address"]');
        return page.evaluate(() => navigator.clipboard.readText());
    };
    await page.fill("#path-0", REPORT);
    await page.click(".path-row button:text-is('Open')");
    await named(page, basename(REPORT));
    await close(page);
    await page.click('[data-tab="recent"]');
    const one = await copied();
    await page.click('[data-tab="browse"]');
    await page.fill("#path-0", REPORT);
    await page.fill("#path-1", OTHER);
    await page.click("button:text-is('Compare')");
    await named(page, basename(OTHER));
    await close(page);
    await page.click('[data-tab="comparisons"]');
    const two = await copied();
    // This browser has opened them before, so they open at once.
    for (const [address, name] of [
        [one, basename(REPORT)],
        [two, basename(OTHER)],
    ]) {
        const again = await page.context().newPage();
        await again.goto(address);
        await named(again, name);
        await close(again);
        await again.close();
    }
    await done(page, "404"); // for paths that are being typed
    // In another browser the paths are shown and a click opens them: a URL alone never makes the server open a
    // directory.
    const other = await openPage(browser, two);
    await other.waitForSelector("#path-1");
    await settled(other);
    assert.deepEqual([await other.inputValue("#path-0"), await other.inputValue("#path-1")], [REPORT, OTHER]);
    assert.equal(await other.textContent(".report-name"), "no report");
    await other.click("button:text-is('Compare')");
    await named(other, basename(OTHER));
    await done(other, "404");
});

test("OPN-07 the demo report that came with the command is a click away; without one there is no button", async (t) => {
    const bin = join(work, "bin");
    mkdirSync(bin);
    cpSync(PVA, join(bin, "pva"));
    for (const place of [null, "demo-report", "share/tremula/demo-report"]) {
        if (place) cpSync(REPORT, join(work, place), { recursive: true });
        const server = await startServer(join(bin, "pva"), []);
        t.after(() => server.close());
        const page = await at(server.url, "", ".directories");
        const button = page.locator("button:text-is('Open the demo report')");
        await settled(page);
        if (!place) assert.equal(await button.count(), 0);
        else {
            await button.click();
            await named(page, "/demo-report");
            await page.waitForSelector("[data-verdict]");
            const [{ directory }] = await page.evaluate(async () => (await fetch("api/reports")).json());
            assert.ok(directory.endsWith(`/${place}`), directory);
            rmSync(join(work, place), { recursive: true });
        }
        await done(page);
    }
});

test("OPN-10 a new window has reports of its own", async () => {
    const url = await serve([REPORT]);
    const page = await at(url, "#/summary", "[data-fact]");
    await page.click('[aria-label="reports"]');
    const [second] = await Promise.all([
        page.context().waitForEvent("page"),
        page.click("[role=menuitem]:text-is('New window')"),
    ]);
    await second.waitForSelector("#path-0");
    assert.notEqual(new URL(second.url()).port, new URL(url).port);
    await second.fill("#path-0", OTHER);
    await second.click(".path-row button:text-is('Open')");
    await named(second, basename(OTHER));
    await page.reload();
    await named(page, basename(REPORT));
    const directories = (of) => of.evaluate(async () => (await (await fetch("api/reports")).json())[0].directory);
    assert.deepEqual([await directories(page), await directories(second)], [REPORT, OTHER]);
    // A page of another site cannot open one, and their number is limited.
    const asked = (origin) =>
        fetch(`${url}api/window`, { method: "POST", body: "{}", headers: origin ? { Origin: origin } : {} });
    assert.equal((await asked("http://elsewhere.example")).status, 403);
    for (let i = 1; i < 16; ++i) assert.equal((await asked()).status, 200);
    const refused = await asked();
    assert.equal(refused.status, 409);
    assert.match((await refused.json()).error, /16 windows/);
    await done(page);
});

test("insights: the lines that cost most, each a link to its text and its tiles", async () => {
    const page = await at(await shown(REPORT), "#/insights", "[data-line]");
    const lines = await page.locator("[data-line]").evaluateAll((all) => all.map((one) => one.dataset.line));
    const texts = await page.locator("tr:has([data-line]) .number").allTextContents();
    // Costs of programs from libpva, summed by the line that made them (the page's Source view is checked in
    // pages.test.mjs).
    const head = lines.find((line) => line.endsWith(`:${facts.head.line}`));
    assert.ok(head, lines.join());
    const costs = texts.map((text) => Number(/^[\d,]+(?= cycles, )/.exec(text)[0].replaceAll(",", "")));
    assert.deepEqual(
        costs,
        [...costs].sort((a, b) => b - a),
    );
    assert.ok(costs[lines.indexOf(head)] >= facts.head.elapsed);
    const shares = texts.map((text) => parseFloat(text.split("cycles, ")[1]));
    costs.forEach((cost, i) => assert.ok(Math.abs(shares[i] - (cost / facts.total) * 100) < 0.06, texts[i]));
    await page.click(`[data-line="${lines[0]}"]`);
    await page.waitForSelector(".source-line.selected, .source + *, .empty");
    await settled(page);
    assert.match(await page.textContent(".table-rows .tr.selected"), new RegExp(count(costs[0])));
    await done(page);
    // Without debug.cbor the view names the option that records it.
    const bare = join(work, "bare");
    cpSync(REPORT, bare, { recursive: true });
    rmSync(join(bare, "debug.cbor"));
    const without = await at(await serve([bare]), "#/insights", "text=autoReport.outputDebugInfo");
    assert.equal(await without.locator("[data-line]").count(), 0);
    await done(without);
});

test("PRF-03 what is live on selected tiles is shown, or not, in this session and the next", async () => {
    const [tile] = rows("SELECT always_live AS always, not_always_live AS other FROM memory_by_tile WHERE tile = 5");
    const page = await at(await shown(REPORT), "#/memory?memory.tiles=5", '[data-detail="Always live"]');
    const bytesOf = async (title) =>
        Number(
            /([\d,]+) bytes/
                .exec(await page.getAttribute(`[data-detail="${title}"] td:nth-child(2)`, "data-tip"))[1]
                .replaceAll(",", ""),
        );
    assert.deepEqual([await bytesOf("Always live"), await bytesOf("Not always live")], [tile.always, tile.other]);
    const toggle = async () => {
        await page.click('[aria-label="menu"]');
        await page.click("[role=menuitemcheckbox]:has-text('With live memory')");
        await page.keyboard.press("Escape");
    };
    await toggle();
    await page.waitForFunction(() => !document.querySelector('[data-detail="Always live"]'));
    await page.reload();
    await page.waitForSelector('[data-detail="Memory excluding gaps"]');
    assert.equal(await page.locator('[data-detail="Always live"]').count(), 0);
    await toggle();
    await page.waitForSelector('[data-detail="Always live"]');
    await done(page);
});

test("OPG-03 the size of the graph of operations is kept for later sessions", async () => {
    const page = await at(await shown(REPORT), "#/operations?operations.show=graph", ".graph-node");
    const width = async () => (await page.locator(".graph-scroll svg").boundingBox()).width;
    const first = await width();
    await page.click('[aria-label="larger"]');
    await page.waitForFunction((was) => document.querySelector(".graph-scroll svg").clientWidth > was * 1.2, first);
    const larger = await width();
    assert.ok(Math.abs(larger / first - 1.25) < 0.01, `${first} ${larger}`);
    const later = await page.context().newPage();
    await later.goto(`${await shown(REPORT)}#/operations?operations.show=graph`);
    await later.waitForSelector(".graph-node");
    await settled(later);
    assert.equal((await later.locator(".graph-scroll svg").boundingBox()).width, larger);
    await done(page);
});
