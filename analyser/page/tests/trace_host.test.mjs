// SPDX-License-Identifier: Apache-2.0
// The host's threads and graphs above the IPUs, on one axis; blocks beside the steps of one report.
//     tests/analyser/run-trace BUILD trace_host.test.mjs
import assert from "node:assert/strict";
import { test } from "node:test";
import { rows, serve } from "./trace_reports.mjs";
import { COLOURS, bandTop, calloutAt, graph, near, openTrace, pixel, settled, xOf } from "./trace_tools.mjs";

const HOSTS = {
    "Host 1": [227, 199, 123],
    "Host 2": [159, 195, 224],
    "Host 3": [187, 167, 214],
    "Host 4": [165, 203, 169],
    "Host 5": [224, 174, 155],
};
const isHost = (colour) => Object.values(HOSTS).some((one) => near(colour, one));

/** The graph's window, on the host's axis. */
async function axis(page) {
    const lanes = await page.evaluate(async () => (await fetch("api/trace/lanes?report=0&host=1")).json());
    const where = await graph(page);
    const query = new URLSearchParams(decodeURIComponent(new URL(page.url()).hash).split("?")[1] ?? "");
    const at = (name) => Number(query.get(`trace.${name}`) ?? lanes[name]);
    return { ...where, from: at("from"), to: at("to"), lanes };
}

test("SYS-01 threads of the host are lanes above the IPUs, on one axis; a click shows an event", async () => {
    const { page, close } = await serve(["host"]);
    await openTrace(page, "?trace.layout=flat&trace.text=false");
    const titles = await page.locator(".gutter-band > span").allTextContents();
    // Names are text, whatever they contain.
    assert.deepEqual(titles, ["<b>reader</b>", "thread 200", "trainer", "main", "loader", "queue", "IPU 0"]);
    const where = await axis(page);
    const [run] = where.lanes.runs;
    const clock = where.lanes.clockFrequency;
    // trainer: "train" begins the axis, 20 ms before the first run; "prepare" is from 2 to 12 ms.
    assert.equal(Math.round((run.from / clock) * 1e3), 20);
    const row = (number) => bandTop(page, "main").then((top) => top + 16 * number + 8);
    const prepare = xOf(where, 0.007 * clock);
    assert.ok(isHost(await pixel(page, prepare, await row(1))), "prepare is drawn");
    assert.ok(!isHost(await pixel(page, xOf(where, 0.015 * clock), await row(1))), "it has ended");
    const said = await calloutAt(page, prepare, await row(1), "prepare");
    assert.deepEqual(said.slice(0, 2), ["prepare", "10.0 ms on the host"]);
    // The run of the host and that of the IPU have the same place.
    for (const cycle of [run.from, run.to]) {
        const inside = cycle === run.from ? 3 : -3;
        assert.ok(isHost(await pixel(page, xOf(where, cycle) + inside, await row(1))));
        assert.ok(!isHost(await pixel(page, xOf(where, cycle) - inside, await row(1))));
        const lane = (await bandTop(page, "IPU 0")) + 9;
        const isStep = (colour) => Object.values(COLOURS).some((one) => near(colour, one));
        assert.ok(isStep(await pixel(page, xOf(where, cycle) + inside, lane)), `a step at ${cycle}`);
        assert.ok(!isStep(await pixel(page, xOf(where, cycle) - inside, lane)), `no step beside ${cycle}`);
    }
    await page.mouse.click(prepare, await row(1));
    await page.waitForSelector("[data-event]");
    assert.equal(await page.textContent("[data-event] .path"), "prepare");
    assert.equal(await page.textContent('[data-event] [data-figure="process"]'), "trainer 100");
    assert.match(await page.textContent("[data-event]"), /batch3/); // its metadata
    await page.click("text=Fit the event");
    await settled(page);
    const fitted = await axis(page);
    assert.ok(fitted.from < 0.002 * clock && fitted.to > 0.012 * clock && fitted.to < 0.02 * clock);
    await close();
});

test("SYS-02 graphs of the host are lines, with their values at the pointer", async () => {
    const { page, close } = await serve(["host"]);
    await openTrace(page, "?trace.layout=flat");
    const where = await axis(page);
    const clock = where.lanes.clockFrequency;
    const y = (await bandTop(page, "queue")) + 24;
    const said = await calloutAt(page, xOf(where, 0.0083 * clock), y, "queue");
    assert.deepEqual(said, ["queue", "waiting: 3 batches", "free: 8 batches"]);
    // The line of "waiting" goes from 0 to 4 and back: at 4 ms it is at its top, at 5 ms at its foot.
    const colour = [213, 94, 0];
    const height = async (time) => {
        const x = xOf(where, time * clock);
        const top = await bandTop(page, "queue");
        for (let at = top + 16; at < top + 48; ++at) if (near(await pixel(page, x, at), colour, 60)) return at - top;
        return -1;
    };
    const [high, low] = [await height(0.0139), await height(0.0151)];
    assert.ok(high > 0 && low > high + 8, `${high} and ${low} pixels from the top`);
    await close();
});

test("SYS-03 without the host's threads the axis is that of the report, and the window stays at its run", async () => {
    const { page, close } = await serve(["host"]);
    const plain = await page.evaluate(async () => (await fetch("api/trace/lanes")).json());
    const [, second] = plain.runs;
    await openTrace(
        page,
        `?trace.layout=flat&trace.host=false&trace.from=${second.from + 100}&trace.to=${second.from + 900}`,
    );
    assert.deepEqual(await page.locator(".gutter-band > span").allTextContents(), ["IPU 0"]);
    await page.click("text=Threads of the host");
    await page.waitForSelector(".gutter-band.host");
    await settled(page);
    const where = await axis(page);
    const moved = where.lanes.runs[1];
    assert.deepEqual([where.from, where.to], [moved.from + 100, moved.from + 900]);
    await page.click("text=Threads of the host");
    await page.waitForSelector(".gutter-band.host", { state: "detached" });
    await settled(page);
    const back = await graph(page);
    assert.deepEqual([back.from, back.to], [second.from + 100, second.from + 900]);
    await close();
});

test("SYS-04 a report of blocks and steps shows both", async () => {
    const { page, close } = await serve(["both"]);
    await openTrace(page, "?trace.layout=flat&trace.text=false");
    const titles = await page.locator(".gutter-band > span").allTextContents();
    assert.deepEqual(titles, ["IPU 0", "I/O Events", "tile 0", "IPU 1", "I/O Events", "tile 4"]);
    const [block] = rows(
        "both",
        "SELECT b.cycles_from AS start, b.cycles_to AS stop FROM blocks b JOIN programs p ON p.id = b.program WHERE " +
            "p.name = 'model/outer' AND b.tile = 0 ORDER BY b.id LIMIT 1",
    );
    const where = await graph(page);
    const x = xOf(where, (block.start + block.stop) / 2);
    assert.ok(near(await pixel(page, x, (await bandTop(page, "tile 0")) + 8), [122, 154, 80]), "the block is drawn");
    await page.mouse.click(x, (await bandTop(page, "tile 0")) + 8);
    await page.waitForSelector("[data-block]");
    assert.equal(await page.textContent('[data-block] [data-figure="begin"]'), block.start.toLocaleString("en-GB"));
    await page.click("text=Summary >> nth=-1");
    await page.waitForSelector('[data-row="proportions"]');
    await close();
});
