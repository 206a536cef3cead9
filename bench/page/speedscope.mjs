// SPDX-License-Identifier: Apache-2.0
// speedscope.mjs PVA REPORT DIRECTORY: speedscope on the report's exported trace (pva export --to chrome), cut to the
// largest
// size that it still opens, as lines "measure, value, unit, aim" with tabs.  DIRECTORY has space for the largest file.
import { spawn } from "node:child_process";
import { createReadStream, createWriteStream, existsSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join, normalize } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { frameTimes, pageMemory, percentile, startBrowser } from "./browser.mjs";

const [pva, report, directory] = process.argv.slice(2);
const PATIENCE = 60; // seconds to open a file
const LARGEST = 1024; // MB
const release = join(dirname(fileURLToPath(import.meta.url)), "node_modules/speedscope/dist/release");
const profile = join(directory, "trace.json");
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };
const print = (measure, value, unit) => console.log([measure, value, unit, 0].join("\t"));

/** Writes the first events of the trace, up to a number of bytes; false: all of it was written. */
async function cut(bytes) {
    const child = spawn(pva, ["export", report, "--to", "chrome"], { stdio: ["ignore", "pipe", "ignore"] });
    const file = createWriteStream(profile);
    let written = 0;
    let last = "";
    for await (const line of createInterface(child.stdout)) {
        if (written >= bytes) break;
        if (last && !file.write(`${last}\n`)) await new Promise((done) => file.once("drain", done));
        written += last.length + 1;
        last = line;
    }
    const whole = written < bytes;
    child.kill();
    await new Promise((done) => file.end(whole ? `${last}\n` : `${last.replace(/,$/, "")}\n]}\n`, done));
    return !whole;
}

function serve() {
    const server = createServer((request, response) => {
        const path = new URL(request.url, "http://localhost").pathname;
        const file = path === "/trace.json" ? profile : join(release, normalize(path));
        if (!existsSync(file)) return void response.writeHead(404).end();
        response.writeHead(200, { "Content-Type": TYPES[extname(file)] ?? "application/octet-stream", "Content-Length": statSync(file).size });
        createReadStream(file).pipe(response);
    });
    return new Promise((done) => server.listen(0, "127.0.0.1", () => done(server)));
}

/** Opens the file: {page, browser, seconds}, or null if it does not open. */
async function open(port) {
    const browser = await startBrowser();
    const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
    const crashed = new Promise((_, fail) => page.on("crash", () => fail(new Error("crashed"))));
    const failed = page.waitForFunction(() => /something went wrong/i.test(document.body?.textContent ?? ""), undefined, { timeout: 1000 * PATIENCE });
    const start = Date.now();
    try {
        const base = `http://127.0.0.1:${port}`;
        await page.goto(`${base}/index.html#profileURL=${encodeURIComponent(`${base}/trace.json`)}`);
        const opened = page.waitForSelector("canvas", { timeout: 1000 * PATIENCE }).then(() => true);
        if (await Promise.race([opened, failed.then(() => false), crashed])) return { page, browser, seconds: (Date.now() - start) / 1000 };
    } catch {
        // It crashed, or took too long.
    }
    failed.catch(() => undefined);
    await browser.close();
    return null;
}

async function pan(page) {
    await page.mouse.move(700, 450);
    for (let i = 0; i < 30; ++i) await page.mouse.wheel(0, i < 10 ? -100 : 0);
    for (let i = 0; i < 60; ++i) await page.mouse.wheel(i % 20 < 10 ? 60 : -60, 0);
}

const server = await serve();
let best = null;
for (let size = 32; size <= LARGEST; size *= 2) {
    const more = await cut(size * 1e6);
    const opened = await open(server.address().port);
    if (!opened) break;
    // A file that opens, but does not move within the same time or ends in a crash, does not count as open.
    const late = new Promise((_, fail) => setTimeout(() => fail(new Error("too slow")), 1000 * PATIENCE).unref());
    const moved = frameTimes(opened.browser, opened.page, () => pan(opened.page));
    moved.catch(() => undefined);
    const times = await Promise.race([moved, late]).catch(() => null);
    if (times)
        best = {
            megabytes: statSync(profile).size / 1e6,
            seconds: opened.seconds,
            frame: percentile(times, 0.95),
            memory: await pageMemory(opened.browser),
        };
    await opened.browser.close().catch(() => undefined);
    if (!more || !times) break;
}
server.close();
rmSync(profile, { force: true });
if (best) {
    print("speedscope, largest trace that it opens", best.megabytes, "MB");
    print("speedscope, first picture of that", best.seconds, "s");
    print("speedscope, 95 % of frames of that", best.frame, "ms");
    print("speedscope, its page's process", best.memory / 1e6, "MB");
}
