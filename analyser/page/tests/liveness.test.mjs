// SPDX-License-Identifier: Apache-2.0
// The Liveness view, checked row by row through the user interface; figures are compared with the report's own.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
    OTHER,
    PVA,
    REPORT,
    at,
    bytes,
    cells,
    cellsWhen,
    count,
    done,
    facts,
    graphCsv,
    rows,
    serve,
    shown,
    sum,
    perCent,
} from "./session.mjs";
import { load } from "./load.mjs";

const { CATEGORIES, categoryTitle } = await load("data/concepts.ts");
/** A variable as the page names it: categories are in words. */
const named = (name) => (CATEGORIES[name] ? categoryTitle(name) : name);

const STEPS = facts.live.length;
const PEAK = facts.live.indexOf(Math.max(...facts.live));
const open = async (fragment = "", ready = '[data-graph="liveness"]') => {
    const page = await at(await shown(REPORT), `#/liveness${fragment}`, ready);
    await graphWhen(page, (lines) => lines.length > 0);
    return page;
};
/** Lines of the graph's CSV (step, program, maximum, minimum, always live), once `accept` returns true. */
async function graphWhen(page, accept) {
    for (let i = 0; i < 300; ++i) {
        const lines = await graphCsv(page).catch(() => []);
        if (accept(lines)) return lines;
        await page.waitForTimeout(50);
    }
    throw new Error("the graph does not show it");
}
const live = (lines) => lines.map((line) => Number(line.at(-3)));
const byTile = (column, tiles) => `(SELECT total(value) FROM array(${column}, 8) WHERE i IN (${tiles.join()}))`;
/** Bytes at each step on tiles. */
const liveOn = (tiles) =>
    rows(`SELECT ${byTile("l.bytes_by_tile", tiles)} AS bytes FROM liveness_steps s JOIN live_lists l ON l.id = s.list
        ORDER BY s.id`).map((one) => one.bytes);
/** Variables live at a step on tiles: [name, bytes], largest first. */
const variablesOn = (step, tiles) =>
    rows(`SELECT v.name, ${byTile("v.bytes_by_tile", tiles)} AS bytes FROM liveness_steps s JOIN live_lists l
        ON l.id = s.list,
        array(l.variable_list, l.variables) a JOIN live_variables v ON v.id = a.value WHERE s.id = ${step}`)
        .filter((one) => one.bytes > 0)
        .map((one) => [one.name, count(one.bytes)])
        .sort();
const place = async (page, step) => {
    const box = await page.locator('[data-graph="liveness"]').boundingBox();
    return [box.x + 76 + ((step + 0.5) / STEPS) * (box.width - 88), box.y + box.height - 60];
};
const chosenSteps = (page, wanted) =>
    page.waitForFunction(
        (text) =>
            decodeURIComponent(new URLSearchParams(location.hash.split("?")[1]).get("liveness.steps") ?? "").replaceAll(
                '"',
                "",
            ) === text,
        wanted,
    );

test("LIV-01 the graph of live memory: a callout with step, program and bytes; a click selects the step", async () => {
    const page = await open();
    assert.deepEqual(live(await graphCsv(page)), facts.live);
    const [{ name, type }] = rows(
        `SELECT p.name, p.type FROM liveness_steps s JOIN programs p ON p.id = s.program WHERE s.id = ${PEAK}`,
    );
    await page.mouse.move(...(await place(page, PEAK)));
    await page.waitForFunction(
        (text) => document.querySelector(".tooltip:not([hidden])")?.textContent.includes(text),
        `Step ${PEAK}: ${name}, ${type}`,
    );
    const tip = await page.textContent(".tooltip");
    assert.ok(tip.includes(`${count(facts.live[PEAK])} B not always live`), tip);
    assert.ok(tip.includes(`${count(facts.alwaysLive)} B always live`), tip);
    await page.mouse.click(...(await place(page, PEAK)));
    await chosenSteps(page, String(PEAK));
    await done(page);
});

test("LIV-03 what is always live stands below the rest when it is asked for, and a line at all memory", async () => {
    const page = await open("?liveness.tab=notAlways");
    const [first] = await graphCsv(page);
    assert.equal(Number(first.at(-1)), facts.alwaysLive);
    assert.equal(await page.locator('[data-series="always"]').count(), 0);
    // Pixels of a column that have the colour of a series in the key.
    const tall = (step, id) =>
        page.evaluate(
            ([at, steps, series]) => {
                const canvas = document.querySelector('[data-graph="liveness"]');
                const colour = getComputedStyle(
                    document.querySelector(`[data-series="${series}"] .swatch`),
                ).backgroundColor;
                const wanted = colour.match(/\d+/g).slice(0, 3).map(Number);
                const x = Math.round(76 + ((at + 0.5) / steps) * (canvas.clientWidth - 88));
                const { data } = canvas.getContext("2d").getImageData(x, 36, 1, canvas.height - 36);
                let found = 0;
                for (let i = 0; i < data.length; i += 4)
                    if (wanted.every((part, k) => Math.abs(data[i + k] - part) < 6)) ++found;
                return found;
            },
            [step, STEPS, id],
        );
    await page.click('.check:has-text("Include always live")');
    await page.waitForSelector('[data-series="always"]');
    let [rest, always] = [0, 0];
    for (let i = 0; i < 200 && !(always > 20); ++i) {
        await page.waitForTimeout(50);
        [rest, always] = [await tall(PEAK, "live"), await tall(PEAK, "always")];
    }
    const share = facts.live[PEAK] / facts.alwaysLive;
    assert.ok(Math.abs(rest / always - share) < 0.03, `${rest} of ${always} pixels, the report says ${share}`);
    // The line is at the memory of all tiles: the bars shrink below it.
    await page.click('.check:has-text("Show max memory")');
    const capacity = facts.bytesPerTile * facts.used.length;
    for (let i = 0; i < 200 && (await tall(PEAK, "always")) > always / 2; ++i) await page.waitForTimeout(50);
    assert.ok((await tall(PEAK, "always")) <= Math.ceil((facts.alwaysLive / capacity) * 400) + 1);
    await done(page);
});

test("LIV-04 the source: all tiles, one IPU, one tile; graph, steps and tables follow", async () => {
    const page = await open(`?liveness.steps=${PEAK}`, ".table-rows .tr");
    const ipu = [4, 5, 6, 7];
    assert.deepEqual(
        (await cells(page)).map(([name, size]) => [name, size]).sort(),
        variablesOn(PEAK, [0, 1, 2, 3, ...ipu]),
    );
    await page.click('[data-choice="ipu"]');
    await page.fill("[name=index]", "1");
    await page.press("[name=index]", "Enter");
    const wanted = liveOn(ipu);
    await graphWhen(page, (lines) => JSON.stringify(live(lines)) === JSON.stringify(wanted));
    const sorted = (all) => all.map(([name, size]) => [name, size]).sort();
    for (const [choice, index, tiles] of [
        ["ipu", "1", ipu],
        ["tile", "2", [2]],
        ["tile", "5", [5]],
    ]) {
        await page.click(`[data-choice="${choice}"]`);
        await page.fill("[name=index]", index);
        await page.press("[name=index]", "Enter");
        await graphWhen(page, (lines) => JSON.stringify(live(lines)) === JSON.stringify(liveOn(tiles)));
        const own = variablesOn(PEAK, tiles);
        await cellsWhen(page, (all) => JSON.stringify(sorted(all)) === JSON.stringify(own));
    }
    await page.click('[data-tab="always"]');
    const always = rows(`SELECT v.name, ${byTile("v.bytes_by_tile", [5])} AS bytes FROM live_lists l,
        array(l.variable_list, l.variables) a JOIN live_variables v ON v.id = a.value WHERE l.id = 0`)
        .filter((one) => one.bytes > 0)
        .map((one) => [named(one.name), count(one.bytes)])
        .sort();
    await cellsWhen(page, (all) => JSON.stringify(sorted(all)) === JSON.stringify(always));
    await page.click('[data-choice="all"]');
    await graphWhen(page, (lines) => JSON.stringify(live(lines)) === JSON.stringify(facts.live));
    await done(page);
});

test("LIV-05 filters: of steps by their names, of variables by theirs; the total of what is live", async () => {
    const page = await open(`?liveness.steps=${PEAK}`, ".table-rows .tr");
    assert.equal(await page.textContent("[data-total]"), `Total ${bytes(facts.live[PEAK])}`);
    const named = rows(`SELECT s.id, p.name FROM liveness_steps s JOIN programs p ON p.id = s.program ORDER BY s.id`);
    const kept = named.filter((one) => one.name.includes("layer")).map((one) => one.id);
    assert.ok(kept.length > 1 && kept.length < STEPS);
    await page.fill("[name=filter]", "layer");
    const lines = await graphWhen(page, (all) => all.length === kept.length);
    assert.deepEqual(
        lines.map((line) => Number(line[0])),
        kept,
    );
    assert.deepEqual(
        live(lines),
        kept.map((step) => facts.live[step]),
    );
    await page.fill("[name=filter]", "no such step");
    await page.waitForSelector('text=No step has "no such step" in its name.');
    await page.fill("[name=filter]", "");
    await graphWhen(page, (all) => all.length === STEPS);
    await page.fill('[aria-label="filter live"]', "message");
    const wanted = facts.liveVariables[PEAK].filter(([name]) => /message/i.test(name)).map(([, size]) => count(size));
    const found = await cellsWhen(page, (all) => all.length === wanted.length);
    assert.deepEqual(found.map(([, size]) => size).sort(), wanted.sort());
    await done(page);
});

test("LIV-06 tabs: what is always live or not, sorted; vertices, cycles and debug of the step", async () => {
    const page = await open(`?liveness.steps=${PEAK}`, ".table-rows .tr");
    const names = async () => (await cells(page)).map(([name]) => name);
    await page.click('[data-column="name"]');
    const ascending = await cellsWhen(
        page,
        (all) => all.length > 1 && all.every(([name], i) => !i || all[i - 1][0].localeCompare(name) <= 0),
    );
    await page.click('[data-column="name"]');
    await cellsWhen(page, (all) => all.length > 1 && all[0][0] === ascending.at(-1)[0]);
    assert.deepEqual(await names(), ascending.map(([name]) => name).reverse());
    await page.click('[data-column="size0"]');
    const sizes = facts.liveVariables[PEAK].map(([, size]) => size).sort((a, b) => b - a);
    await cellsWhen(
        page,
        (all) => JSON.stringify(all.map(([, size]) => size)) === JSON.stringify(sizes.map((size) => count(size))),
    );
    await page.click('[data-tab="always"]');
    const always = facts.alwaysLiveVariables.map(([name, size]) => [named(name), count(size)]).sort();
    await cellsWhen(
        page,
        (all) => JSON.stringify(all.map(([name, size]) => [name, size]).sort()) === JSON.stringify(always),
    );
    await page.click('[data-tab="step"]');
    const [step] =
        rows(`SELECT p.name, p.type, p.compute_set, c.estimated_cycles FROM liveness_steps s JOIN programs p ON
        p.id = s.program LEFT JOIN compute_sets c ON c.compute_set = p.compute_set WHERE s.id = ${PEAK}`);
    const fact = (title) => page.textContent(`[data-step-fact="${title}"]`);
    assert.equal(await fact("Program"), step.name);
    assert.equal(await fact("Type"), step.type);
    assert.equal(await fact("Live, not always"), bytes(facts.live[PEAK]));
    assert.equal(await fact("Variables"), String(facts.liveVariables[PEAK].length));
    assert.equal(await fact("Estimated cycles of one execution"), count(step.estimated_cycles));
    const vertices =
        rows(`SELECT t.name, v.count FROM compute_set_vertices v JOIN vertex_types t ON t.id = v.vertex_type
        WHERE v.compute_set = ${step.compute_set}`);
    assert.equal(await fact("Vertices"), vertices.map((one) => `${count(one.count)} × ${one.name}`).join(", "));
    await page.click('[data-tab="debug"]');
    await page.waitForSelector(".debug [data-source]");
    assert.match(await page.getAttribute(".debug [data-source]", "data-source"), /make_report\.cpp:\d+$/);
    await done(page);
});

test("LIV-07 several steps: a column each, and how they differ from the first", async () => {
    const page = await open();
    const other = facts.live.findIndex((value, step) => step !== PEAK && value !== facts.live[PEAK] && value > 0);
    await page.mouse.click(...(await place(page, PEAK)));
    await chosenSteps(page, String(PEAK));
    await page.keyboard.down("Shift");
    await page.mouse.click(...(await place(page, other)));
    await page.keyboard.up("Shift");
    await chosenSteps(page, `${PEAK},${other}`);
    const sizeAt = (step) => Object.fromEntries(facts.liveVariables[step]);
    const [first, second] = [sizeAt(PEAK), sizeAt(other)];
    const all = new Set([...Object.keys(first), ...Object.keys(second)]);
    const table = await cellsWhen(page, (list) => list.length === all.size && list[0].length === 4);
    for (const [name, a, b, difference] of table) {
        const whole = [...all].find((one) => one === name || one.endsWith(name.replace("…/", "")));
        assert.deepEqual(
            [a, b],
            [first[whole], second[whole]].map((value) => (value === undefined ? "" : count(value))),
            whole,
        );
        const [x, y] = [first[whole] ?? 0, second[whole] ?? 0];
        const sign = y > x ? "+" : y < x ? "−" : "";
        assert.equal(difference, `${sign}${bytes(Math.abs(y - x))} (${perCent(x, y)})`, whole);
    }
    assert.equal(
        await page.textContent("[data-total]"),
        `Totals: Step ${PEAK}: ${bytes(sum(Object.values(first)))}, ` +
            `Step ${other}: ${bytes(sum(Object.values(second)))}`,
    );
    await done(page);
});

test("LIV-08 when a variable is live is drawn above the graph and said in words", async () => {
    const page = await open(`?liveness.steps=${PEAK}`, ".table-rows .tr");
    await page.click('.table-rows .tr:has-text("model/scratch")');
    await page.waitForSelector('[data-life="model/scratch"]');
    const steps = facts.liveVariables.flatMap((list, step) =>
        list.some(([name]) => name === "model/scratch") ? [step] : [],
    );
    const spans = [];
    for (const step of steps)
        if (spans.length && spans.at(-1)[1] === step - 1) spans.at(-1)[1] = step;
        else spans.push([step, step]);
    const text = spans.map(([from, to]) => (to > from ? `${from}–${to}` : String(from))).join(", ");
    assert.match(await page.textContent("[data-life]"), new RegExp(`model/scratch: live at steps ${text}`));
    // The mark of the selected step would cover it.
    await page.evaluate(() => (location.hash = "#/liveness?liveness.variable=model/scratch"));
    await chosenSteps(page, "");
    // Its colour appears in the graph exactly where it is live.
    const coloured = () =>
        page.evaluate((count) => {
            const canvas = document.querySelector('[data-graph="liveness"]');
            const colourOf = (selector) =>
                getComputedStyle(document.querySelector(selector))
                    .backgroundColor.match(/\d+/g)
                    .slice(0, 3)
                    .map(Number);
            const own = colourOf("[data-life] .swatch");
            // It is drawn with an opacity of 0.8, over the bars and above them.
            const mixed = [colourOf('[data-series="live"] .swatch'), [255, 255, 255]].map((under) =>
                own.map((part, k) => 0.8 * part + 0.2 * under[k]),
            );
            return Array.from({ length: count }, (_, step) => {
                const x = Math.round(76 + ((step + 0.5) / count) * (canvas.clientWidth - 88));
                const { data } = canvas.getContext("2d").getImageData(x, 36, 1, canvas.height - 36);
                for (let i = 0; i < data.length; i += 4)
                    if (mixed.some((one) => one.every((part, k) => Math.abs(data[i + k] - part) < 6))) return true;
                return false;
            });
        }, STEPS);
    const wanted = Array.from({ length: STEPS }, (_, step) => steps.includes(step));
    let seen = await coloured();
    for (let i = 0; i < 100 && JSON.stringify(seen) !== JSON.stringify(wanted); ++i) {
        await page.waitForTimeout(50);
        seen = await coloured();
    }
    assert.deepEqual(seen, wanted);
    await page.click('[aria-label="hide the variable"]');
    await page.waitForSelector("[data-life]", { state: "detached" });
    await done(page);
});

test("LIV-09 CMP-03 two reports: both graphs, and source, target and difference of what is live", async () => {
    const page = await at(
        await shown(REPORT, OTHER),
        `#/liveness?liveness.tab=always`,
        '.table-rows .tr:has-text("model/matrix")',
    );
    await page.waitForSelector('[data-series="target"]');
    await page.waitForFunction(() => document.querySelectorAll('[role="columnheader"]').length === 4);
    const own = Object.fromEntries(facts.alwaysLiveVariables.map(([name, size]) => [named(name), size]));
    for (const [name, source, target, difference] of await cells(page)) {
        const other = name === "model/matrix" ? 4096 : own[name]; // tests/analyser/facts.py changes it
        assert.deepEqual([source, target], [count(own[name]), count(other)], name);
        const share = perCent(own[name], other);
        assert.equal(difference, `${other > own[name] ? "+" : ""}${bytes(other - own[name])} (${share})`, name);
    }
    const more = await page.$eval(
        '.table-rows .tr:has-text("model/matrix") .more',
        (one) => getComputedStyle(one).color,
    );
    const same = await page.$eval('.table-rows .tr:has-text("Stack") .same', (one) => getComputedStyle(one).color);
    const red = more.match(/\d+/g).map(Number);
    assert.ok(red[0] > red[1] + 60 && red[0] > red[2] + 60, `more is red: ${more}`);
    assert.notEqual(same, more);
    // The target's line can be switched off.
    await page.click('[data-series="target"]');
    assert.equal(await page.getAttribute('[data-series="target"]', "aria-pressed"), "false");
    await done(page);
});

test("LIV-10 a program of 31,300 steps: a pixel shows the most of its steps, zooming shows each", async () => {
    const large = `${REPORT}-steps`;
    cpSync(REPORT, large, { recursive: true });
    // Repeats the steps of the report, with two distant ones that are larger than all others.
    const script = `import sqlite3, sys
d = sqlite3.connect(sys.argv[1])
steps = d.execute("SELECT program, list FROM liveness_steps ORDER BY id").fetchall()
lists = d.execute("SELECT s.program, list FROM liveness_steps s JOIN live_lists l ON l.id = s.list "
                  "ORDER BY l.bytes").fetchall()
least, best = lists[0], lists[-1][1]
d.execute("DELETE FROM liveness_steps")
d.executemany("INSERT INTO liveness_steps(id, program, list) VALUES (?, ?, ?)",
              [(i, least[0], best if i in (11111, 29999) else least[1]) for i in range(31300)])
d.commit()`;
    execFileSync("python3", ["-c", script, join(large, "profile.pop")]);
    const page = await at(await serve([large]), "#/liveness", '[data-graph="liveness"]');
    const most = Math.max(...facts.live);
    const lines = await graphWhen(page, (all) => all.length > 100);
    assert.ok(lines.length < 4000, `${lines.length} bars`);
    const peaks = lines.filter((line) => Number(line.at(-3)) === most);
    assert.deepEqual(
        peaks.map((line) => Number(line[0])),
        [11111, 29999],
    );
    await page.evaluate(() => (location.hash = "#/liveness?liveness.from=11100&liveness.to=11120"));
    const near = await graphWhen(page, (all) => all.length === 20);
    assert.deepEqual(
        near.map((line) => [Number(line[0]), Number(line.at(-3)) === most]),
        Array.from({ length: 20 }, (_, i) => [11100 + i, i === 11]),
    );
    await done(page);
});
