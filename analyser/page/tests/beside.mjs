// SPDX-License-Identifier: Apache-2.0
// beside.mjs PVA REPORT OTHER SPEEDSCOPE: clicks and seconds until three questions are answered about a report, on the
// page and in speedscope (SPEEDSCOPE is dist/release of its npm package), which reads the same trace as
// `pva export REPORT --to chrome` writes it. docs/reports/openings.md has the table.
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { tmpdir } from "node:os";
import { openPage, startBrowser } from "./browser.mjs";
import { startServer } from "./server.mjs";

const [pva, report, other, speedscope] = process.argv.slice(2);
const browser = await startBrowser();
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };

/** Runs `answer` on a fresh page, which counts its clicks; prints how long it takes from opening on. */
async function measured(tool, question, url, answer) {
    const page = await openPage(browser, "about:blank");
    let clicks = 0;
    const click = async (selector) => {
        ++clicks;
        await page.click(selector);
    };
    const begin = performance.now();
    await page.goto(url);
    const said = await answer(page, click);
    const seconds = ((performance.now() - begin) / 1000).toFixed(1);
    console.log([tool, question, `${clicks} clicks`, `${seconds} s`, said].join("\t"));
    await page.context().close();
}

const one = await startServer(pva, [report]);
await measured("page", "line and tiles", `${one.url}`, async (page, click) => {
    await page.waitForSelector("text=/\\.(c|cpp|py):\\d+$/");
    await click("text=/\\.(c|cpp|py):\\d+$/");
    await page.waitForSelector("[data-worst]");
    return page.textContent("[data-worst]");
});
await measured("page", "compute, exchange, sync or host", `${one.url}`, async (page) => {
    await page.waitForSelector("[data-share]");
    return (await page.locator("[data-share]").allTextContents()).join(", ");
});
await one.close();
const two = await startServer(pva, [report, other]);
await measured("page", "what changed", `${two.url}`, async (page, click) => {
    await click('[data-view="difference"]');
    await page.waitForSelector(".table-rows .tr");
    return page.textContent(".table-rows .tr");
});
await two.close();

const trace = join(mkdtempSync(join(tmpdir(), "beside")), "trace.json");
execFileSync(pva, ["export", report, "--to", "chrome", "--output", trace]);
const files = createServer((request, response) => {
    const path = join(speedscope, request.url === "/" ? "index.html" : request.url.split("?")[0]);
    if (!existsSync(path)) return response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": TYPES[extname(path)] ?? "application/octet-stream" });
    response.end(readFileSync(path));
}).listen(0, "127.0.0.1");
await new Promise((done) => files.once("listening", done));
const address = `http://127.0.0.1:${files.address().port}/`;

/** Opens the trace, which is a click and a choice of a file; the flame chart is ready when its toolbar has tabs. */
async function load(page, click) {
    const chooser = page.waitForEvent("filechooser");
    await click("label:has-text('Browse')");
    await (await chooser).setFiles(trace);
    await page.waitForSelector("text=Left Heavy", { timeout: 60000 });
}
await measured("speedscope", "line and tiles", address, async (page, click) => {
    await load(page, click);
    await click("text=Left Heavy");
    await page.waitForTimeout(300);
    return "widest name; neither line nor tiles";
});
await measured("speedscope", "compute, exchange, sync or host", address, async (page, click) => {
    await load(page, click);
    await click("text=Sandwich");
    await page.waitForSelector("tr", { state: "attached" });
    await page.waitForTimeout(300);
    const rows = await page.locator("tr").allTextContents();
    return `${rows.slice(1, 4).join("; ")}: by name, not by kind`;
});
await measured("speedscope", "what changed", address, async (page, click) => {
    await load(page, click);
    return "one profile at a time";
});
files.close();
await browser.close();
