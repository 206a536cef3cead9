// SPDX-License-Identifier: Apache-2.0
// Chromium for the bench: a page, main-thread time of frames from the browser's own tracing, memory.
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";

export function chromiumPath() {
    if (process.env.CHROMIUM) return process.env.CHROMIUM;
    for (const directory of (process.env.PATH ?? "").split(delimiter))
        for (const name of ["chromium", "chromium-browser", "google-chrome"])
            if (existsSync(join(directory, name))) return join(directory, name);
    return null;
}

export function startBrowser() {
    return chromium.launch({ executablePath: chromiumPath(), headless: true, args: ["--no-sandbox", "--disable-gpu"] });
}

const TIMELINE = "disabled-by-default-devtools.timeline";
const CATEGORIES = ["devtools.timeline", TIMELINE, `${TIMELINE}.frame`, "__metadata"];

/** Main-thread times (ms) of the frames that `work` causes: all tasks from a frame's begin to the next one's, each with
 * the processor time of the thread in it. */
export async function frameTimes(browser, page, work) {
    await browser.startTracing(page, { categories: CATEGORIES });
    await work();
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
    const main = mainThread(traceEvents);
    const own = traceEvents.filter((event) => event.pid === main.pid && event.tid === main.tid);
    const begins = own.filter((event) => event.name === "BeginMainThreadFrame").map((event) => event.ts);
    begins.sort((a, b) => a - b);
    const tasks = own.filter((event) => event.ph === "X" && event.name === "RunTask").sort((a, b) => a.ts - b.ts);
    const times = new Array(Math.max(0, begins.length - 1)).fill(0);
    let end = 0;
    let frame = -1;
    for (const task of tasks) {
        if (task.ts < end) continue; // nested in another one
        end = task.ts + task.dur;
        // A frame begins within its task.
        while (frame + 1 < begins.length && begins[frame + 1] < end) ++frame;
        if (frame >= 0 && frame < times.length) times[frame] += (task.tdur ?? task.dur) / 1000;
    }
    return times;
}

/** The main thread of the page: the renderer's with the most frames. */
function mainThread(events) {
    const counts = new Map();
    for (const event of events)
        if (event.name === "BeginMainThreadFrame") {
            const key = `${event.pid} ${event.tid}`;
            counts.set(key, (counts.get(key) ?? 0) + 1);
        }
    const [key] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? ["0 0"];
    const [pid, tid] = key.split(" ").map(Number);
    return { pid, tid };
}

export function percentile(values, share) {
    const sorted = [...values].sort((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}

/** Resident bytes of the page's process, with its share of shared libraries (PSS). */
export async function pageMemory(browser) {
    const session = await browser.newBrowserCDPSession();
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    await session.detach();
    const pages = processInfo.filter((one) => one.type === "renderer").map((one) => proportional(one.id));
    return Math.max(0, ...pages);
}

function proportional(pid) {
    const found = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"));
    return found ? Number(found[1]) * 1024 : 0;
}
