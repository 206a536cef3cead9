// SPDX-License-Identifier: Apache-2.0
// The trace of other reports: its mode, its cache, steps that are too small, two reports compared.
//     tests/analyser/run-trace BUILD trace_modes.test.mjs
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { openPage } from "./browser.mjs";
import { startServer } from "./server.mjs";
import { browser, change, serve as serveWords } from "./session.mjs";
import { alone, around, count, directory, factsOf, pva, rows, serve, stretch } from "./trace_reports.mjs";
import { COLOURS, bandTop, graph, near, openTrace, pixel, pixels, settled, xOf } from "./trace_tools.mjs";

test("EXE-05 the options are those of the mode that the report was recorded in", async () => {
    for (const [name, mode, options] of [
        [
            "report",
            "Detailed trace",
            [
                "Tile balance",
                "Terminals",
                "Text",
                "External syncs",
                "SyncAns and Sans",
                "Live memory",
                "Relative cycles",
                "Group executions",
                "Group syncs",
                "Separate overlapping steps",
                "New BSP statistics",
            ],
        ],
        ["blocks", "Lightweight profile", ["Text", "Buffer flushes", "Aggregate stream copies", "Relative cycles"]],
    ]) {
        const { page, close } = await serve([name]);
        await openTrace(page);
        assert.deepEqual(await page.locator(".trace-mode").allTextContents(), [mode]);
        assert.deepEqual(await page.locator("label.check span").allTextContents(), options);
        const [{ steps }] = rows(name, "SELECT count(*) AS steps FROM steps");
        assert.equal(steps > 0, mode === "Detailed trace");
        await close();
    }
});

/** The details of a step in the trace, from a server on a directory. */
async function shownBy(path, step, use = async () => undefined) {
    const server = await startServer(pva, [path]);
    const page = await openPage(browser, server.url);
    const { x, y } = await around(page, step, "&trace.text=false");
    assert.ok(near(await pixel(page, x, y), COLOURS[step.kind]), "the trace is right");
    const { fromCache } = await page.evaluate(async () => (await fetch("api/trace/lanes")).json());
    await use(page);
    assert.deepEqual(page.problems, []);
    await page.context().close();
    await server.close();
    return fromCache;
}

test("EXE-06 the cache is made, read, made again when damaged, and deleted from the menu", async () => {
    const step = alone(factsOf("report").lanes[0], (one) => one.kind === "OnTileExecute");
    const work = mkdtempSync(join(tmpdir(), "cache"));
    const copy = join(work, "report");
    cpSync(directory("report"), copy, { recursive: true });
    const cache = join(copy, "profile.pop_cache");
    rmSync(cache, { force: true });
    assert.equal(await shownBy(copy, step), false);
    assert.ok(statSync(cache).size > 0);
    assert.equal(await shownBy(copy, step), true);
    writeFileSync(cache, "this is no cache");
    assert.equal(await shownBy(copy, step), false);
    const deleted = await shownBy(copy, step, async (page) => {
        await page.click('[data-view="summary"]'); // the trace would create it again
        await page.waitForSelector('[data-view="summary"][aria-current]');
        await settled(page);
        await page.click('[aria-label="menu"]');
        const [answer] = await Promise.all([
            page.waitForResponse((one) => one.url().endsWith("api/cache/delete")),
            page.click("text=Delete the cache"),
        ]);
        assert.deepEqual(await answer.json(), { deleted: 1 });
        assert.ok(!existsSync(cache));
        await page.waitForSelector('[data-view="summary"][aria-current]');
    });
    assert.equal(deleted, true);
    rmSync(work, { recursive: true });
});

test("EXE-25 where most steps are narrower than a pixel, a note below the mini-map says to zoom in", async () => {
    const { page, close } = await serve(["long"]);
    await openTrace(page);
    const note = page.locator(".too-small");
    await note.waitFor();
    const [, invisible, all] = /^([\d,]+) of ([\d,]+) steps are too small/.exec(await note.textContent());
    const number = (text) => Number(text.replaceAll(",", ""));
    assert.ok(number(invisible) > 0 && number(invisible) <= number(all), `${invisible} of ${all}`);
    const map = await page.locator(".minimap").boundingBox();
    const box = await note.boundingBox();
    assert.ok(box.y >= map.y + map.height && box.y < map.y + map.height + 60, "below the mini-map");
    const where = await graph(page);
    const [{ steps }] = rows("long", "SELECT count(*) AS steps FROM steps");
    assert.ok(steps > 10 * where.width);
    // Where the report's steps are wide enough there is no note.
    const [first] = rows(
        "long",
        `SELECT i.cycles_base + i.active_cycles_from_min AS start, i.cycles_base + i.active_cycles_to_max AS stop
            FROM steps s JOIN steps_by_ipu i ON i.step_id = s.id
            WHERE i.active_tiles > 0 AND s.name = 'layer/there' AND s.type = 'DoExchange' ORDER BY s.id LIMIT 1`,
    );
    await openTrace(page, `?trace.from=${first.start - 100}&trace.to=${first.stop + 400}&trace.text=false`);
    await note.waitFor({ state: "detached" });
    const near0 = await graph(page);
    assert.ok(
        near(
            await pixel(page, xOf(near0, (first.start + first.stop) / 2), (await bandTop(page, "IPU 0")) + 2),
            COLOURS.DoExchange,
        ),
    );
    await page.keyboard.press("0");
    await note.waitFor();
    await close();
});

test("EXE-26 CMP-02 two reports: their traces above each other or side by side, linked or not", async () => {
    const both = ["report", "copies"].map(factsOf);
    const { page, close } = await serve(["report", "copies"]);
    const boxes = async () => Promise.all([0, 1].map((i) => page.locator(".trace-canvas").nth(i).boundingBox()));
    const titles = ["report", "copies"];
    /** Whether each graph shows a step of its report at the right position. */
    const right = async (find) => {
        for (const [i, { lanes }] of both.entries()) {
            const step = find(lanes[0]);
            const where = await graph(page, i);
            const y = (await bandTop(page, "IPU 0", i)) + 2;
            const [colour] = await pixels(page, xOf(where, step.at), y, 1, 1, ".trace-canvas canvas.main", i);
            assert.ok(near(colour, COLOURS[step.kind]), `report ${i}: ${step.kind} at ${step.at} is ${colour}`);
        }
    };
    const widest = (lane) =>
        lane
            .filter((step) => step.kind in COLOURS)
            .map((step) => stretch(lane, step))
            .reduce((a, b) => (b.seen > a.seen ? b : a));
    await openTrace(page, "?trace.text=false");
    assert.deepEqual(await page.locator(".trace-title").allTextContents(), titles);
    let [a, b] = await boxes();
    assert.ok(a.x === b.x && b.y >= a.y + a.height, "one above the other at first");
    await right(widest);
    await page.click(".change-layout");
    await settled(page);
    [a, b] = await boxes();
    assert.ok(a.y === b.y && b.x >= a.x + a.width && Math.abs(a.width - b.width) < 4, "side by side");
    await right(widest);
    await page.reload();
    await page.waitForSelector(".change-layout");
    await settled(page);
    [a, b] = await boxes();
    assert.ok(a.y === b.y && b.x > a.x, "the link has it");
    // Linked: a zoom in one shows the same cycles in the other.
    await page.mouse.move(a.x + 300, a.y + 60);
    await page.mouse.wheel(0, -300);
    await page.waitForFunction(() => location.hash.includes("trace.from="));
    await settled(page);
    assert.ok(!page.url().includes("from1"));
    const zoomed = await graph(page, 0);
    const inside = (lane) =>
        lane
            .filter((step) => step.kind in COLOURS)
            .map((step) => stretch(lane, step))
            .filter((step) => step.at > zoomed.from && step.at < zoomed.to)
            .reduce((one, two) => (two.seen > one.seen ? two : one));
    await right(inside);
    // Not linked: the other window does not move.
    await page.click('button:has-text("Linked")');
    await settled(page);
    await page.mouse.move(b.x + 300, b.y + 60);
    await page.mouse.wheel(0, -400);
    await page.waitForFunction(() => location.hash.includes("trace.from1="));
    await settled(page);
    const first = await graph(page, 0);
    assert.deepEqual([first.from, first.to], [zoomed.from, zoomed.to]);
    // The summary has a column for each IPU of each report.
    const columns = (
        await page.locator(".summary-tab .trace-figures:not(.whole-reports) thead th").allTextContents()
    ).slice(1);
    assert.deepEqual(
        columns,
        titles.flatMap((name) => [`${name}, IPU 0`, `${name}, IPU 1`]),
    );
    await page.click(".change-layout");
    await settled(page);
    [a, b] = await boxes();
    assert.ok(a.x === b.x && b.y > a.y);
    await openTrace(page);
    const steps = await page.locator('[data-row="steps"] td').allTextContents();
    assert.deepEqual(
        steps,
        both.flatMap(({ lanes }) => lanes.map((lane) => count(lane.length))),
    );
    // A click in the second selects a step of that report.
    const step = widest(both[1].lanes[0]);
    const where = await graph(page, 1);
    await page.mouse.click(xOf(where, step.at), (await bandTop(page, "IPU 0", 1)) + 4);
    await page.waitForSelector(`[data-step="${step.id}"]`);
    assert.equal(await page.locator('[data-figure="kind"]').first().textContent(), step.kind);
    assert.equal(await page.locator('[data-figure="cycles 0"]').first().textContent(), `${count(step.cycles)} cycles`);
    await close();
});

test("EXE-95 a trace opens at an iteration of its main loop, as flame and tiles, a step selected", async () => {
    const { page, close } = await serve(["report"]);
    await page.evaluate(() => (location.hash = "#/trace"));
    await page.reload();
    await page.waitForSelector("[data-step]");
    await settled(page);
    const { opening, from, to } = await page.evaluate(async () => (await fetch("api/trace/lanes?report=0")).json());
    assert.ok(opening.iterations >= 3 && opening.marks.length >= 3, JSON.stringify(opening).slice(0, 200));
    assert.ok(opening.marks.includes(opening.from) && opening.marks.includes(opening.to), "it is one iteration");
    assert.ok(opening.to - opening.from < (to - from) / 2);
    const shown = await graph(page);
    assert.ok(shown.from <= opening.from && shown.to >= opening.to);
    assert.ok(shown.to - shown.from <= (opening.to - opening.from) * 1.05 + 2, "and hardly more");
    const hash = decodeURIComponent(new URL(page.url()).hash);
    assert.match(hash, /trace\.layout=flame/);
    assert.match(hash, /trace\.bsp=true/);
    assert.equal(await page.getAttribute("[data-step]", "data-step"), String(opening.step));
    await close();
});

test("EXE-96 plots by tile fill the height below the graph, at any height of the window", async () => {
    const { page, close } = await serve(["report"]);
    let before = 0;
    for (const height of [700, 900, 1200]) {
        await page.setViewportSize({ width: 1280, height });
        await page.evaluate(() => (location.hash = "#/trace"));
        await page.reload();
        await page.waitForSelector(".trace-plots canvas");
        await settled(page);
        const plot = (await page.locator(".trace-plots canvas").first().boundingBox()).height;
        const room = (await page.locator(".details-tab").boundingBox()).height;
        assert.ok(plot > 0.5 * room, `${plot} of ${room} pixels at ${height}`);
        assert.ok(plot > before, `${plot} pixels at ${height}, ${before} in a lower window`);
        before = plot;
    }
    await close();
});

test("CMP-02 CMP-03 steps of two reports are matched; the summary has whole reports", async () => {
    const other = join(mkdtempSync(join(tmpdir(), "matched")), "slower");
    cpSync(directory("report"), other, { recursive: true });
    rmSync(join(other, "profile.pop_cache"), { force: true });
    const [{ pattern, id, cycles }] = rows(
        "report",
        `SELECT e.pattern, e.id, (SELECT max(cycles) FROM pattern_ipus i WHERE i.pattern = e.pattern) AS cycles
            FROM executed e JOIN programs p ON p.id = e.program WHERE p.type = 'OnTileExecute' ORDER BY e.id LIMIT 1`,
    );
    change(other, `UPDATE pattern_ipus SET cycles = cycles + 70 WHERE pattern = ${pattern}`);
    const page = await openPage(browser, await serveWords([directory("report"), other]));
    await openTrace(page, "?trace.layout=flat&trace.tab=steps");
    await page.waitForSelector(".table-rows .tr");
    const [first] = await page.locator(".table-rows .tr").all();
    const shown = await first.locator(".td").allTextContents();
    assert.deepEqual(shown.slice(2), [count(id), count(id), count(cycles), count(cycles + 70), "+70", "changed"]);
    const heads = await page.locator("[role=columnheader]").allTextContents();
    assert.ok(heads.some((text) => text.startsWith("Cycles, report")) && heads.some((text) => /, slower/.test(text)));
    await first.click();
    await settled(page);
    assert.equal(await page.getAttribute("text=Linked", "aria-pressed"), "false");
    await page.click('[role=tab]:has-text("Details")');
    const row = '.matched [data-difference="Cycles"]';
    await page.waitForSelector(row);
    assert.match(await page.textContent(row), /^\+70 /);
    assert.deepEqual(await page.locator(".matched thead th").allTextContents(), [
        "",
        "report",
        "slower",
        "Difference (% of first)",
    ]);
    await page.click('[role=tab]:has-text("Summary")');
    const [{ total }] = rows("report", "SELECT total FROM execution_cycle_totals");
    await page.waitForSelector('[data-whole="Critical path"]');
    const whole = await page.locator('[data-whole="Critical path"] td').allTextContents();
    assert.deepEqual(whole.slice(0, 2), [count(total), count(total)]);
    assert.deepEqual(page.problems, []);
    await page.context().close();
});

test("EXE-97 proportions have names, colours and per cents in place", async () => {
    const { page, close } = await serve(["report"]);
    await openTrace(page, "?trace.tab=summary");
    const cell = page.locator('[data-row="proportions"] td').first();
    const kinds = await cell.locator(".proportions > span").evaluateAll((all) => all.map((one) => one.dataset.kind));
    const keys = await cell
        .locator("[data-key]")
        .evaluateAll((all) =>
            all.map((one) => [one.dataset.key, one.textContent, one.querySelector("i").style.background]),
        );
    assert.deepEqual(
        keys.map(([kind]) => kind),
        kinds,
    );
    assert.ok(
        keys.every(([kind, text, colour]) => text.startsWith(kind) && /\d %$/.test(text) && colour !== ""),
        JSON.stringify(keys),
    );
    const sum = keys.reduce((all, [, text]) => all + parseFloat(/([\d.]+) %$/.exec(text)[1]), 0);
    assert.ok(Math.abs(sum - 100) < 0.6, `${sum} %`);
    await close();
});

/** What the callout says and what is painted, at points of a lane's row: {x, tip lines, colour}. */
function probe(page, points) {
    return page.evaluate((list) => {
        const element = document.querySelector(".trace-canvas");
        const main = element.querySelector("canvas.main");
        const box = main.getBoundingClientRect();
        const ratio = main.width / box.width;
        const pen = main.getContext("2d");
        const over = document.elementFromPoint(list[0][0], list[0][1]);
        return list.map(([x, y]) => {
            const where = { clientX: x, clientY: y, bubbles: true, pointerId: 1 };
            over.dispatchEvent(new PointerEvent("pointermove", where));
            const tip = document.querySelector(".tooltip");
            const lines = !tip || tip.hidden ? [] : [...tip.children].map((line) => line.textContent);
            const [px, py] = [Math.floor((x - box.left) * ratio), Math.floor((y - box.top) * ratio)];
            return { x, y, lines, colour: [...pen.getImageData(px, py, 1, 1).data.slice(0, 3)] };
        });
    }, points);
}

test("EXE-98 picture, callout and click agree at a thousand pixels; waits do not cover steps that work", async () => {
    const { load } = await import("./load.mjs");
    const { typeColour } = await load("draw/types.ts");
    const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
    const colourOf = (kind) => rgb(typeColour(...(kind.startsWith("Sync") ? [kind] : kind.split(" "))));
    const waits = ["Sans", "SyncAns"];
    let agreed = 0;
    let clicked = 0;
    for (const name of ["report", "copies", "long"]) {
        const { page, close } = await serve([name]);
        await openTrace(page, "?trace.layout=flat&trace.text=false&trace.runs=false");
        const { width, x: left } = await graph(page);
        const y = (await bandTop(page, "IPU 0")) + 9;
        const points = Array.from({ length: 400 }, (_, i) => [left + 97.5 + Math.floor((i * (width - 2)) / 400), y]);
        const seen = await probe(page, points);
        for (const [i, { x, lines, colour }] of seen.entries()) {
            const said = lines
                .map((line) => line.replace(/^mostly /, ""))
                .find((line) => line in COLOURS || waits.includes(line));
            const painted = Object.keys(COLOURS).find((kind) => near(colour, colourOf(kind)));
            if (painted && said) assert.equal(said, painted, `${name}, pixel ${x}: ${lines.join("; ")}, ${colour}`);
            else if (painted) assert.fail(`${name}, pixel ${x} is ${painted}, the callout says ${lines}`);
            else if (said && !waits.includes(said)) {
                // A line between rectangles, or beside a narrow one: its paint is at most two pixels away.
                const beside = await probe(
                    page,
                    [-2, -1, 1, 2].map((by) => [x + by, y]),
                );
                assert.ok(
                    beside.some((one) => near(one.colour, colourOf(said))),
                    `${name}, pixel ${x} has no ${said}: ${lines.join("; ")}, ${colour}`,
                );
            }
            agreed += 1;
            if (i % 50 || !said || !lines.some((line) => line.startsWith("tile balance"))) continue;
            await page.mouse.click(x, y);
            await page.waitForFunction(
                (kind) => document.querySelector("[data-figure=kind]")?.textContent === kind,
                said,
            );
            clicked += 1;
        }
        await close();
    }
    assert.ok(agreed >= 1000, `${agreed} pixels`);
    assert.ok(clicked >= 5, `${clicked} clicks`);
});

test("EXE-99 a search of a lightweight trace counts its blocks and goes to them", async () => {
    const { page, close } = await serve(["blocks"]);
    await openTrace(page);
    const blocks = rows("blocks", "SELECT b.id, p.name FROM blocks b JOIN programs p ON p.id = b.program");
    const [word] = blocks.map((block) => block.name.split("/").at(-1)).filter((text) => text);
    const hits = blocks.filter((block) => block.name.toLowerCase().includes(word.toLowerCase()));
    await page.fill("[aria-label='search steps']", word);
    await page.press("[aria-label='search steps']", "Enter");
    await page.waitForFunction(
        (n) => document.querySelector(".matches")?.textContent === `1 of ${n}`,
        count(hits.length),
    );
    await page.waitForSelector("[data-block]");
    const first = Number(await page.getAttribute("[data-block]", "data-block"));
    assert.ok(
        hits.some((block) => block.id === first),
        `block ${first} matches`,
    );
    await page.click("[aria-label='the next match']");
    await page.waitForFunction(
        (n) => document.querySelector(".matches")?.textContent === `2 of ${n}`,
        count(hits.length),
    );
    await page.waitForFunction((id) => Number(document.querySelector("[data-block]")?.dataset.block) !== id, first);
    await close();
});
