// SPDX-License-Identifier: Apache-2.0
// page.mjs PVA REPORT: time and memory of the analyser's page for a report, as lines "measure, value, unit, aim" with
// tabs: time to the
// first picture without and with the cache, main-thread time of frames of panning and zooming, memory of page and server.
import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { frameTimes, pageMemory, percentile, startBrowser } from "./browser.mjs";

const [pva, report] = process.argv.slice(2);
const print = (measure, value, unit, aim = 0) => console.log([measure, value, unit, aim].join("\t"));

async function serve() {
    const child = spawn(pva, ["serve", report, "--no-browser"], { stdio: ["ignore", "pipe", "inherit"] });
    for await (const line of createInterface(child.stdout)) {
        const found = /(http:\S+)/.exec(line);
        if (found) return { url: found[1], child };
    }
    throw new Error("pva serve does not start");
}

async function end({ child }) {
    const gone = new Promise((done) => child.on("exit", done));
    child.kill("SIGTERM");
    await gone;
}

/** In the page: records when the lane of each IPU has steps drawn over most of its width. */
function watchPaint() {
    const gutter = 96;
    const drawn = (band, canvas, context) => {
        const [box, place] = [canvas.getBoundingClientRect(), band.getBoundingClientRect()];
        const y = Math.floor(place.top + place.height / 2 - box.top);
        if (y >= canvas.height) return true; // below the window
        const row = new Uint32Array(context.getImageData(0, y, canvas.width, 1).data.buffer);
        const paper = new Uint32Array(context.getImageData(canvas.width - 1, canvas.height - 1, 1, 1).data.buffer)[0];
        return row.slice(gutter).filter((pixel) => pixel !== paper).length > row.length / 4;
    };
    const look = () => {
        const canvas = document.querySelector(".trace-canvas canvas.main");
        const bands = [...document.querySelectorAll(".gutter-band")].filter((band) => /IPU \d/.test(band.textContent));
        if (bands.length && bands.every((band) => drawn(band, canvas, canvas.getContext("2d")))) window.paintedAt = performance.now();
        else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}

async function open(browser, url) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    await page.addInitScript(watchPaint);
    await page.goto(`${url}#/trace`);
    await page.waitForFunction(() => window.paintedAt, undefined, { timeout: 120000, polling: 50 });
    return { page, seconds: (await page.evaluate(() => window.paintedAt)) / 1000 };
}

/** Drags and turns the wheel like a user, 60 times a second; the times of all frames. */
async function pan(page) {
    const box = await page.locator(".trace-canvas").boundingBox();
    const y = box.y + box.height / 2;
    for (let k = 0; k < 3; ++k) {
        const [from, to] = k % 2 ? [0.2, 0.9] : [0.9, 0.2];
        await page.mouse.move(box.x + box.width * from, y);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width * to, y, { steps: 30 });
        await page.mouse.up();
    }
}

async function zoom(page, turns, by) {
    const box = await page.locator(".trace-canvas").boundingBox();
    await page.mouse.move(box.x + box.width * 0.6, box.y + box.height / 2);
    for (let i = 0; i < turns; ++i) await page.mouse.wheel(0, by);
}

const browser = await startBrowser();
rmSync(join(report, "profile.pop_cache"), { force: true });
let server = await serve();
const first = await open(browser, server.url);
print("page, first picture, no cache", first.seconds, "s", 5);
await first.page.context().close();
await end(server);
server = await serve();
const { page, seconds } = await open(browser, server.url);
print("page, first picture, cache", seconds, "s", 1);
const panning = [];
const zooming = [];
for (let depth = 0; depth < 3; ++depth) {
    zooming.push(...(await frameTimes(browser, page, () => zoom(page, 30, -80))));
    panning.push(...(await frameTimes(browser, page, () => pan(page))));
}
zooming.push(...(await frameTimes(browser, page, () => zoom(page, 60, 120))));
print(`page, panning, 95 % of ${panning.length} frames`, percentile(panning, 0.95), "ms", 12);
print(`page, zooming, 95 % of ${zooming.length} frames`, percentile(zooming, 0.95), "ms", 12);
print("page, its process", (await pageMemory(browser)) / 1e6, "MB", 300);
const status = readFileSync(`/proc/${server.child.pid}/status`, "utf8");
print("page, the server then", (Number(/VmHWM:\s+(\d+)/.exec(status)[1]) * 1024) / 1e6, "MB", 500);
await browser.close();
await end(server);
