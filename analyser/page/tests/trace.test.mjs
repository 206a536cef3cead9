// SPDX-License-Identifier: Apache-2.0
// The execution trace in a browser, against the real server and the report's own figures.
//     node tests/trace.test.mjs PVA REPORT          (tests/analyser/run-page)
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { readFileSync } from "node:fs";
import { openPage } from "./browser.mjs";
import { REPORT, browser, rows, shown } from "./session.mjs";
import { COLOURS, bandHeight, bandTop, cycleOf, graph, near, openTrace, pixel, settled, xOf } from "./trace_tools.mjs";

let page;
/** Steps on IPU 0 with the report's figures. */
let steps;
const text = (selector) => page.locator(selector).first().textContent();
const number = (value) => Number(value.replace(/[^0-9.]/g, ""));
const url = () => decodeURIComponent(page.url());

before(async () => {
    steps = rows(`SELECT s.id, s.type, s.detail, s.name, s.run, i.cycles, i.active_tiles, i.tile_balance AS balance,
        i.cycles_base + i.active_cycles_from_min AS start, i.cycles_base + i.active_cycles_to_max AS stop
        FROM steps s JOIN steps_by_ipu i ON i.step_id = s.id WHERE i.ipu = 0 AND i.active_tiles > 0 ORDER BY s.id`);
    page = await openPage(browser, await shown(REPORT));
});
const kindOf = (step) =>
    step.type === "Sync" || step.type === "StreamCopyMid" ? `${step.type} ${step.detail}` : step.type;
/** The step of a type with the longest visible part: `at` is the middle of the part that no other step overlaps,
 * `seen` its length. */
function alone(type) {
    let best = null;
    for (const step of steps) {
        if (step.type !== type) continue;
        const others = steps.filter((one) => one !== step && one.stop > step.start && one.start < step.stop);
        const edges = [step.start, step.stop, ...others.flatMap((one) => [one.start, one.stop])]
            .filter((at) => at >= step.start && at <= step.stop)
            .sort((a, b) => a - b);
        for (let i = 0; i + 1 < edges.length; ++i) {
            const at = (edges[i] + edges[i + 1]) / 2;
            const seen = edges[i + 1] - edges[i];
            if (!others.some((one) => one.start < at && one.stop > at) && seen > (best?.seen ?? 0))
                best = { ...step, at, seen };
        }
    }
    assert.ok(best, `the report has a ${type} that is seen`);
    return best;
}
/** Opens the trace around a step; returns a point where it is visible. */
async function around(step, options = "") {
    const at = step.at ?? (step.start + step.stop) / 2;
    const half = Math.max(20, (step.seen ?? step.stop - step.start) * 4);
    const end = rows("SELECT max(cycles_to) AS cycles FROM runs")[0].cycles; // a window stays inside the trace
    await openTrace(
        page,
        `?trace.from=${Math.max(0, Math.floor(at - half))}&trace.to=${Math.min(end, Math.ceil(at + half))}${options}`,
    );
    const where = await graph(page);
    return { where, x: xOf(where, at), y: (await bandTop(page, "IPU 0")) + 2 };
}

test("EXE-01 EXE-30 EXE-31 flat: each kind of step has the report's place, length and colour", async () => {
    for (const type of new Set(steps.map((step) => step.type))) {
        if (["Sans", "SyncAns"].includes(type)) continue; // hatched
        const only = alone(type);
        const colour = COLOURS[kindOf(only)];
        const { where, x, y } = await around(only);
        assert.ok(
            near(await pixel(page, x, y), colour),
            `${kindOf(only)} is ${await pixel(page, x, y)}, expected ${colour}`,
        );
        const covered = (cycle) => steps.some((one) => one.id !== only.id && one.start <= cycle && one.stop >= cycle);
        for (const edge of [only.start - 3, only.stop + 3])
            if (edge > where.from && edge < where.to && !covered(edge))
                assert.ok(
                    !near(await pixel(page, xOf(where, edge), y), colour),
                    `${kindOf(only)} ends at ${only.stop}`,
                );
    }
    assert.deepEqual(page.problems, []);
});

test("EXE-33 hover: name, cycles, compute set and its memory", async () => {
    const step = alone("OnTileExecute");
    const { x, y } = await around(step);
    await page.mouse.move(x, y);
    await page.waitForFunction(() => /compute set/.test(document.querySelector(".tooltip")?.textContent ?? ""));
    const tip = await text(".tooltip");
    const [set] = rows(`SELECT c.compute_set AS id, c.name, 
                 c.code_bytes + c.vertex_data_bytes + c.copy_ptr_bytes + c.descriptor_bytes +
                 c.edge_ptr_bytes + c.padding_bytes AS bytes
        FROM compute_sets c JOIN steps s ON s.compute_set = c.compute_set WHERE s.id = ${step.id}`);
    assert.ok(
        tip.includes(step.name) && tip.includes(`${(step.stop - step.start).toLocaleString("en-GB")} cycles`),
        tip,
    );
    assert.ok(tip.includes(`compute set ${set.id}, memory`), tip);
    const shown = /memory ([\d.,]+) (B|KiB)/.exec(tip);
    assert.ok(Math.abs(number(shown[1]) * (shown[2] === "KiB" ? 1024 : 1) - set.bytes) <= 52, `${tip}: ${set.bytes}`);
    await page.mouse.move(5, 400);
});

test("EXE-35 EXE-60 EXE-64 EXE-65 EXE-67 click: details of each kind are the report's", async () => {
    for (const type of ["OnTileExecute", "DoExchange", "StreamCopyMid", "Sync"]) {
        const step = alone(type);
        const { x, y } = await around(step);
        await page.mouse.click(x, y);
        await page.waitForSelector(`[data-step="${step.id}"]`);
        await page.waitForSelector(".trace-plots canvas");
        assert.equal(number(await text('[data-figure="cycles 0"]')), step.cycles, type);
        assert.equal(await text('[data-figure="balance 0"]'), `${(step.balance * 100).toFixed(1)} %`, type);
        await page.waitForFunction((id) => location.hash.includes(`step=${id}&`), step.id);
        const tabs = await page.locator(".trace-plots [role=tab]").allTextContents();
        assert.deepEqual(
            tabs,
            type === "Sync" || type === "OnTileExecute" ? ["Cycles by tile"] : ["Cycles by tile", "Data by tile"],
            type,
        );
    }
    assert.deepEqual(page.problems, []);
});

test("EXE-50 EXE-51 EXE-53 EXE-54 summary: cycles, weighted balance without syncs, data of stream copies", async () => {
    await openTrace(page, "?trace.tab=summary");
    const all = rows("SELECT max(cycles_to) AS cycles FROM runs")[0].cycles;
    const where = await graph(page);
    assert.equal(number((await text('[data-row="cycles"] td')).split("(")[0]), where.lanes.to - where.lanes.from);
    assert.ok(where.lanes.to >= all);
    const weighed = steps.filter((step) => !["Sync", "Sans", "SyncAns"].includes(step.type));
    const balance =
        weighed.reduce((sum, step) => sum + step.balance * step.cycles, 0) /
        weighed.reduce((sum, step) => sum + step.cycles, 0);
    assert.equal(await text('[data-row="balance"] td'), `${(balance * 100).toFixed(1)} %`);
    const [data] = rows(
        "SELECT sum(i.data_in) AS received FROM steps s JOIN steps_by_ipu " +
            "i ON i.step_id = s.id WHERE i.ipu = 0 AND s.type = 'StreamCopyMid'",
    );
    const shown = /Rx ([\d.,]+) (B|KiB|MiB)/.exec(await text('[data-row="copies"] td'));
    const unit = { B: 1, KiB: 1024, MiB: 1048576 }[shown?.[2] ?? "B"];
    assert.ok(
        Math.abs(number(shown?.[1] ?? "0") * unit - data.received) <= 0.05 * unit,
        `${shown?.[0]}: ${data.received}`,
    );
    const kinds = await page
        .locator('[data-row="proportions"] td')
        .first()
        .locator(".proportions > span")
        .evaluateAll((list) => list.map((one) => [one.dataset.kind, one.getBoundingClientRect().width]));
    const execute = steps.filter((step) => step.type === "OnTileExecute").reduce((sum, step) => sum + step.cycles, 0);
    const total = steps.reduce((sum, step) => sum + step.cycles, 0);
    assert.ok(Math.abs(kinds.find(([kind]) => kind === "OnTileExecute")[1] / 320 - execute / total) < 0.02);
    await page.click("text=New BSP statistics");
    await settled(page);
    assert.match(await text('[data-row="balance"] th'), /utilisation/);
});

test("wheel zooms about the pointer, drag pans, keys move, 0 shows all", async () => {
    await openTrace(page);
    let where = await graph(page);
    const x = where.x + 96 + where.width * 0.3;
    const y = where.y + 100;
    const cycle = cycleOf(where, x);
    await page.mouse.move(x, y);
    await page.mouse.wheel(0, -600);
    await page.waitForFunction(() => location.hash.includes("trace.from"));
    where = await graph(page);
    assert.ok(where.to - where.from < (where.lanes.to - where.lanes.from) * 0.6);
    assert.ok(Math.abs(cycleOf(where, x) - cycle) < (where.to - where.from) / 200, "the cycle under the pointer stays");
    const before = where;
    await page.mouse.down();
    await page.mouse.move(x - 100, y, { steps: 4 });
    await page.mouse.up();
    await settled(page);
    where = await graph(page);
    const moved = (before.to - before.from) * (100 / where.width);
    assert.ok(Math.abs(where.from - before.from - moved) < moved * 0.1, `${where.from - before.from} is ${moved}`);
    await page.mouse.move(x, where.y + 3);
    for (const [key, check] of [
        ["d", (a, b) => b.from > a.from],
        ["ArrowLeft", (a, b) => b.from < a.from],
        ["w", (a, b) => b.to - b.from < a.to - a.from],
        ["s", (a, b) => b.to - b.from > a.to - a.from],
    ]) {
        const old = await graph(page);
        await page.keyboard.press(key, { delay: 60 });
        await settled(page);
        assert.ok(check(old, await graph(page)), key);
    }
    await page.keyboard.press("0");
    await settled(page);
    assert.ok(!url().includes("trace.from"));
});

test("mini-map: a click moves the window, a handle changes it; the axis marks one; Back goes back", async () => {
    const steps = [..."123"];
    await openTrace(page, "?trace.from=1000&trace.to=2000");
    let where = await graph(page);
    const map = await page.locator(".minimap").boundingBox();
    const at = (cycle) => map.x + 96 + (cycle / where.lanes.to) * where.width;
    await page.mouse.click(at(where.lanes.to * 0.75), map.y + 12);
    await settled(page);
    where = await graph(page);
    assert.ok(
        Math.abs((where.from + where.to) / 2 - where.lanes.to * 0.75) < where.lanes.to / where.width + 2,
        steps.join(),
    );
    assert.ok(Math.abs(where.to - where.from - 1000) <= 2);
    await page.mouse.move(at(where.to), map.y + 12);
    await page.mouse.down();
    await page.mouse.move(at(where.lanes.to * 0.95), map.y + 12, { steps: 3 });
    await page.mouse.up();
    await settled(page);
    const wide = await graph(page);
    assert.ok(Math.abs(wide.to - where.lanes.to * 0.95) < (3 * where.lanes.to) / where.width);
    const [left, right] = [wide.x + 96 + wide.width * 0.25, wide.x + 96 + wide.width * 0.5];
    await page.mouse.move(left, wide.y + 10);
    await page.mouse.down();
    await page.mouse.move(right, wide.y + 10, { steps: 3 });
    await page.mouse.up();
    await settled(page);
    const marked = await graph(page);
    assert.ok(Math.abs(marked.from - cycleOf(wide, left)) < 3 && Math.abs(marked.to - cycleOf(wide, right)) < 3);
    await page.goBack();
    await settled(page);
    assert.equal((await graph(page)).to, wide.to);
});

test("EXE-47 search greys what does not match, counts, steps through and clears", async () => {
    const step = alone("OnTileExecute");
    const other = alone("StreamCopyMid");
    const part = step.name.split("/").pop();
    const matches = rows(`SELECT id FROM steps WHERE lower(name) LIKE lower('%${part}%') ORDER BY id`).map(
        (row) => row.id,
    );
    await openTrace(page);
    await page.keyboard.press("/");
    await page.keyboard.type(part);
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /of/.test(document.querySelector(".matches")?.textContent ?? ""));
    assert.equal(await text(".matches"), `1 of ${matches.length.toLocaleString("en-GB")}`);
    await page.waitForFunction((id) => location.hash.includes(`step=${id}&`), matches[0]);
    await page.keyboard.press("Enter");
    await page.waitForFunction((id) => location.hash.includes(`step=${id}&`), matches[1 % matches.length]);
    await page.click('[aria-label="the match before"]');
    await page.waitForFunction((id) => location.hash.includes(`step=${id}&`), matches[0]);
    await page.click('[aria-label="ten matches on"]');
    await page.waitForFunction((id) => location.hash.includes(`step=${id}&`), matches[10 % matches.length]);
    let place = await around(step, `&trace.q=${encodeURIComponent(part)}`);
    assert.ok(near(await pixel(page, place.x, place.y), COLOURS.OnTileExecute), "a match keeps its colour");
    place = await around(other, `&trace.q=${encodeURIComponent(part)}`);
    assert.ok(near(await pixel(page, place.x, place.y), [195, 201, 208]), "what does not match is grey");
    await page.click('[aria-label="clear the search"]');
    await settled(page);
    assert.ok(near(await pixel(page, place.x, place.y), COLOURS["StreamCopyMid Host"]));
});

test("EXE-32 EXE-36 EXE-40 flame: layers by name; a double click expands one, details list its steps", async () => {
    const nested = steps.find((step) => step.name.includes("/") && step.type === "OnTileExecute");
    const layer = nested.name.split("/")[0];
    const { x, y } = await around(nested, "&trace.layout=flame");
    await page.mouse.move(x, y);
    await page.waitForFunction(() => !document.querySelector(".tooltip")?.hidden);
    assert.ok((await text(".tooltip")).startsWith(layer), await text(".tooltip"));
    await page.mouse.dblclick(x, y);
    await settled(page);
    await page.waitForSelector("[data-layer]");
    const inside = steps.filter((step) => step.name.startsWith(`${layer}/`) || step.name === layer);
    const where = await graph(page);
    assert.ok(where.from <= nested.start && where.to >= nested.stop);
    const shown = await page.locator(".details-tab .table-rows .tr").count();
    assert.ok(shown > 0 && shown <= inside.length);
    const rows = (await bandTop(page, "IPU 0")) + 5;
    await page.click('[aria-label="IPU 0: collapse"]');
    await page.waitForSelector('[aria-label="IPU 0: expand"]');
    await settled(page);
    assert.match(url(), /trace.folded=\["ipu0"\]/);
    const below = await pixel(page, xOf(where, (nested.start + nested.stop) / 2) + 1.5, rows + 16);
    assert.ok(near(below, [255, 255, 255]) || near(below, [221, 225, 230]), `nothing below the first row: ${below}`);
});

test("EXE-37 click, then Shift and click: the window holds both", async () => {
    await openTrace(page);
    const wide = [...steps]
        .sort((a, b) => b.stop - b.start - (a.stop - a.start))
        .slice(0, 2)
        .sort((a, b) => a.start - b.start);
    const where = await graph(page);
    const y = (await bandTop(page, "IPU 0")) + 5;
    const middle = (step) => xOf(where, (step.start + step.stop) / 2);
    await page.mouse.click(middle(wide[0]), y);
    await page.waitForSelector("[data-step]");
    const id = Number(await page.locator("[data-step]").getAttribute("data-step"));
    const first = steps.find((step) => step.id === id);
    await page.keyboard.down("Shift");
    await page.mouse.click(middle(wide[1]), y);
    await page.keyboard.up("Shift");
    await settled(page);
    const zoomed = await graph(page);
    assert.ok(zoomed.from <= first.start && zoomed.to >= wide[1].stop, `${zoomed.from} to ${zoomed.to}`);
    assert.ok(zoomed.to - zoomed.from < (wide[1].stop - first.start) * 1.3 + 10);
});

test("EXE-38 EXE-44 BSP: what each tile does, vertical zoom, a click selects the step", async () => {
    const step = alone("OnTileExecute");
    await openTrace(page, `?trace.bsp=true&trace.from=${step.start - 20}&trace.to=${step.stop + 20}`);
    const where = await graph(page);
    const x = xOf(where, step.at);
    const [{ tiles }] = rows("SELECT tiles_per_ipu AS tiles FROM target");
    const top = await bandTop(page, "tiles");
    const tall = await bandHeight(page, "tiles");
    const rowY = (tile, first = 0, count = tiles) => top + ((tile - first + 0.5) / count) * tall;
    const times = await page.evaluate(async (index) => {
        const bytes = await (await fetch(`api/trace/step?index=${index}`)).arrayBuffer();
        return [...new Uint8Array(bytes)];
    }, step.id);
    const { decodeColumns } = await (await import("./load.mjs")).load("data/columns.ts");
    const columns = decodeColumns(Uint8Array.from(times).buffer);
    let seen = 0;
    for (let tile = 0; tile < tiles; ++tile) {
        const [from, to] = [columns.numbers("from")[tile], columns.numbers("to")[tile]];
        if (to - from < 8) continue;
        ++seen;
        assert.ok(
            near(await pixel(page, xOf(where, (from + to) / 2), rowY(tile)), COLOURS.OnTileExecute),
            `tile ${tile} computes`,
        );
    }
    assert.ok(seen > 0);
    await page.mouse.click(x, rowY(0));
    await page.waitForSelector(`[data-step="${step.id}"]`);
    await page.waitForFunction(() => location.hash.includes("tile=0&"));
    await page.click('[aria-label="IPU 0: fewer tiles"]');
    await settled(page);
    const range = await text(".bsp-buttons small");
    assert.notEqual(range, "");
    await page.click('[aria-label="IPU 0: all tiles"]');
    await settled(page);
    assert.equal(await text(".bsp-buttons small"), `0–${tiles - 1}`);
});

test("EXE-34 EXE-41 EXE-42 EXE-45 EXE-46 runs: bars with names; a click shows parameters and times", async () => {
    const runs = rows("SELECT id, name, cycles_from AS start, cycles_to AS stop, steps FROM runs ORDER BY id");
    await openTrace(page);
    const where = await graph(page);
    const y = (await bandTop(page, "IPU 0")) - 9;
    for (const run of runs) {
        await page.mouse.click(xOf(where, (run.start + run.stop) / 2), y);
        await page.waitForSelector(`[data-run="${run.id}"]`);
        await settled(page);
        assert.equal(await text(".details-tab .path"), run.name);
        assert.ok((await text(".details-tab")).includes(`${(run.stop - run.start).toLocaleString("en-GB")} cycles`));
        const parameters = rows(`SELECT name FROM run_parameters WHERE run = ${run.id}`).length;
        assert.equal(await page.locator(".details-tab .table-rows .tr").count(), parameters);
    }
    await page.click('[aria-label="Execution View"]');
    await page.click('[role=menuitemcheckbox]:has-text("Runs")');
    await settled(page);
    assert.equal(await text(".execution-view"), "Flat ▾");
});

test("EXE-18 options: hidden kinds are said and left out; balance shades; the axis starts at 0", async () => {
    const sync = alone("Sync");
    let place = await around(sync);
    assert.ok(near(await pixel(page, place.x, place.y), COLOURS[kindOf(sync)]));
    const step = steps.filter((one) => one.type === "OnTileExecute").sort((a, b) => a.balance - b.balance)[0];
    if (step.balance < 0.8 && step.stop - step.start > 8) {
        place = await around(step, "&trace.balance=true&trace.text=false");
        const top = (await bandTop(page, "IPU 0")) + 1.5;
        const upper = await pixel(page, place.x, top);
        assert.ok(!near(upper, COLOURS.OnTileExecute), `the upper part is light: ${upper}`);
        assert.ok(near(await pixel(page, place.x, top + 14), COLOURS.OnTileExecute));
    }
    await openTrace(page);
    const count = async () => number(await text('[data-row="steps"] td'));
    const all = await count();
    const waiting = steps.filter((one) => ["SyncAns", "Sans"].includes(one.type)).length;
    await page.click("text=SyncAns and Sans");
    await settled(page);
    assert.match(await text(".notice"), /SyncAns, Sans/);
    assert.equal(all - (await count()), waiting);
});

test("area: Shift and drag over lanes and tiles; statistics of it", async () => {
    await openTrace(page, "?trace.bsp=true");
    const where = await graph(page);
    const [{ tiles }] = rows("SELECT tiles_per_ipu AS tiles FROM target");
    const top = await bandTop(page, "tiles");
    const tall = await bandHeight(page, "tiles");
    const [left, right] = [where.x + 96 + where.width * 0.2, where.x + 96 + where.width * 0.8];
    await page.keyboard.down("Shift");
    await page.mouse.move(left, top + 2);
    await page.mouse.down();
    await page.mouse.move(right, top + tall / tiles + 2, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up("Shift");
    await page.waitForSelector('.area-tab [data-figure="utilisation"]');
    await settled(page);
    const area = /trace.area=\[(\d+),(\d+),(\d+),(\d+)\]/.exec(url()).slice(1).map(Number);
    assert.deepEqual(area.slice(2), [0, 1]);
    assert.ok(Math.abs(area[0] - cycleOf(where, left)) < 3 * (where.lanes.to / where.width));
    const answer = await page.evaluate(async ([from, to]) => {
        const bytes = await (await fetch(`api/trace/area?from=${from}&to=${to}&tile=0&tiles=2`)).arrayBuffer();
        return [...new Uint8Array(bytes)];
    }, area);
    const { decodeColumns } = await (await import("./load.mjs")).load("data/columns.ts");
    const work = decodeColumns(Uint8Array.from(answer).buffer).numbers("work");
    const share = (work[0] + work[1]) / 2 / (area[1] - area[0]);
    assert.equal(await text('[data-figure="utilisation"]'), `${(share * 100).toFixed(1)} %`);
    await page.waitForSelector(".area-tab .uplot");
});

test("pictures: PNG and SVG of the graph", async () => {
    await openTrace(page);
    for (const kind of ["PNG", "SVG"]) {
        await page.click('[aria-label="save the graph"]');
        const [download] = await Promise.all([
            page.waitForEvent("download"),
            page.click(`[role=menuitem]:has-text("${kind}")`),
        ]);
        const bytes = readFileSync(await download.path());
        if (kind === "PNG") assert.equal(bytes.subarray(1, 4).toString(), "PNG");
        else {
            const svg = bytes.toString();
            assert.match(svg, /^<svg [^>]*>/);
            assert.ok((svg.match(/<rect/g) ?? []).length > steps.length / 4);
            assert.ok(svg.includes("IPU 0"));
        }
    }
});

test("live memory is a track; a reload keeps everything", async () => {
    await openTrace(
        page,
        "?trace.memory=true&trace.layout=flame&trace.from=100&trace.to=4000&trace.tab=details&step=3",
    );
    const peak =
        rows("SELECT max(bytes) AS bytes FROM live_lists WHERE id > 0")[0].bytes +
        rows("SELECT bytes FROM live_lists WHERE id = 0")[0].bytes;
    const where = await graph(page);
    const top = await bandTop(page, "live memory");
    await page.mouse.move(where.x + 300, top + 30);
    await page.waitForFunction(() => /live memory/.test(document.querySelector(".tooltip")?.textContent ?? ""));
    assert.ok(peak > 0);
    const hash = url();
    await page.reload();
    await settled(page);
    assert.equal(url(), hash);
    assert.equal(await text('.details-tab [data-figure^="cycles"]').then((one) => one.length > 0), true);
    assert.deepEqual(page.problems, []);
});
