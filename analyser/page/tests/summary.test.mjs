// SPDX-License-Identifier: Apache-2.0
// Summary and Insights, used through the user interface; rendered values are compared with the report's own figures.
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { test } from "node:test";
import {
    REPORT,
    at,
    bytes,
    cells,
    cellsWhen,
    change,
    count,
    done,
    facts,
    rows,
    serve,
    shown,
    sum,
} from "./session.mjs";

const factsOf = (page, titles) => Promise.all(titles.map((title) => page.textContent(`[data-fact="${title}"]`)));

test("SUM-01 the blocks of the summary fold, and stay folded in other views and after a reload", async () => {
    const page = await at(await shown(REPORT), "#/summary", '[data-block="target"]');
    assert.deepEqual(await page.locator("[data-block] > summary").allTextContents(), [
        "Target",
        "Graph",
        "Report files",
        "Runs",
        "Engine options",
        "Framework",
        "Application",
    ]);
    const height = async () => (await page.locator('[data-block="target"]').boundingBox()).height;
    const open = await height();
    await page.click('[data-block="target"] > summary');
    await page.waitForFunction(() => !document.querySelector('[data-block="target"]').open);
    assert.ok((await height()) < open / 4, "a folded block takes a line");
    assert.equal(await page.isVisible('[data-fact="Type"]'), false);
    await page.click('[data-view="memory"]');
    await page.waitForSelector('[data-view="memory"][aria-current]');
    await page.click('[data-view="summary"]');
    await page.waitForSelector('[data-block="target"]');
    assert.equal(await page.isVisible('[data-fact="Type"]'), false);
    await page.waitForFunction(() => /^#\/summary.*summary\.closed/.test(location.hash));
    await page.reload();
    await page.waitForSelector('[data-block="target"]');
    assert.equal(await page.isVisible('[data-fact="Type"]'), false);
    await page.click('[data-block="target"] > summary');
    await page.waitForSelector('[data-fact="Type"]');
    await done(page);
});

test("SUM-02 SUM-03 SUM-04 target, graph and version are those of the report", async () => {
    const [target] = rows("SELECT * FROM target");
    const [graph] = rows("SELECT * FROM graph");
    const info = Object.fromEntries(rows("SELECT name, value FROM info").map(({ name, value }) => [name, value]));
    const page = await at(await shown(REPORT), "#/summary", '[data-fact="Type"]');
    const titles = {
        Type: "IPUModel",
        Architecture: "Mk2 (ipu2)",
        "Compilation started (UTC)": new Date(Number(info.compile_start) / 1000)
            .toISOString()
            .replace("T", " ")
            .slice(0, 19),
        "Tiles per IPU": count(target.tiles_per_ipu),
        "IPUs per replica": count(target.ipus_per_replica),
        "Total tiles": count(target.num_tiles),
        "Total IPUs": count(target.num_ipus),
        "Memory per tile": bytes(target.bytes_per_tile),
        "Memory per IPU": bytes(target.bytes_per_ipu),
        "Total memory": bytes(target.total_memory),
        "Compute set instrumentation": "Tile",
        "External exchange instrumentation": "Tile",
        "Number of compute sets": count(graph.num_compute_sets),
        "Number of edges": count(graph.num_edges),
        "Number of variables": count(graph.num_vars),
        "Number of vertices": count(graph.num_vertices),
        "Poplar version": info.poplar_version,
    };
    assert.deepEqual(await factsOf(page, Object.keys(titles)), Object.values(titles));
    assert.equal(await page.locator('[data-fact="Replicas"]').count(), 0, "one replica is not worth a line");
    await done(page);
    // A report of two replicas has additional lines; large numbers have commas.
    const copy = `${REPORT}-replicas`;
    cpSync(REPORT, copy, { recursive: true });
    change(
        copy,
        `UPDATE target SET num_replicas = 2, ipus_per_replica = 1, tiles_per_replica = 4, memory_per_replica = 2555904;
         UPDATE graph SET num_edges = 12985960`,
    );
    const other = await at(await serve([copy]), "#/summary", '[data-fact="Replicas"]');
    assert.deepEqual(await factsOf(other, ["Replicas", "Memory per replica", "Number of edges"]), [
        "2",
        bytes(2555904),
        "12,985,960",
    ]);
    await done(other);
});

test("SUM-05 engine options: all of them, filtered by text, which is kept; those that were set", async () => {
    const page = await at(await shown(REPORT), "#/summary", ".options-table .tr");
    const options = rows("SELECT name, value, is_set FROM options");
    assert.ok((await page.textContent(".options-table .table-count")).startsWith(count(options.length)));
    const wanted = options
        .filter((one) => /autoreport\.output/i.test(`${one.name} ${one.value}`))
        .map((one) => [one.name, one.value, one.is_set ? "set" : "default"])
        .sort();
    await page.fill('[aria-label="filter options"]', "autoReport.output");
    const found = await cellsWhen(page, (all) => all.length === wanted.length, ".options-table");
    assert.deepEqual(found.sort(), wanted);
    await page.fill('[aria-label="filter options"]', "debug.instrument");
    await cellsWhen(page, (all) => all.some(([name]) => name === "debug.instrument"), ".options-table");
    assert.deepEqual(
        (await cells(page, ".options-table")).find(([name]) => name === "debug.instrument"),
        ["debug.instrument", "true", "set"],
    );
    await page.click('[data-view="insights"]');
    await page.waitForSelector('[data-view="insights"][aria-current]');
    await page.click('[data-view="summary"]');
    await page.waitForSelector(".options-table .tr");
    assert.equal(await page.inputValue('[aria-label="filter options"]'), "debug.instrument");
    await done(page);
});

test("INS-01 the verdict names the program, and says of how much memory which share is used", async () => {
    const page = await at(await shown(REPORT), "#/insights", "[data-verdict]");
    const used = sum(facts.used);
    const capacity = facts.bytesPerTile * facts.used.length;
    assert.match(await page.textContent("[data-verdict=fits]"), /report fits in memory$/);
    assert.match(
        await page.textContent("main"),
        new RegExp(`${bytes(used)} of ${bytes(capacity)}, ${((used / capacity) * 100).toFixed(2)} % of capacity`),
    );
    assert.ok(
        (await page.textContent("main")).includes(`with gaps the maximum is ${bytes(Math.max(...facts.memory))}`),
    );
    // Without enough memory the verdict is red.
    const colour = (selector, of) => of.$eval(selector, (one) => getComputedStyle(one).color);
    const fits = await colour("[data-verdict]", page);
    await done(page);
    const copy = `${REPORT}-over`;
    cpSync(REPORT, copy, { recursive: true });
    change(
        copy,
        `UPDATE memory_by_tile SET total = ${facts.bytesPerTile + 8}, overflowed = 8,
            total_including_gaps = ${facts.bytesPerTile + 8} WHERE tile = 2`,
    );
    const other = await at(await serve([copy]), "#/insights", '[data-verdict="out of memory"]');
    assert.match(await other.textContent("[data-verdict]"), /does not fit$/);
    assert.match(await other.textContent("main"), /1 tile needs more memory than it has/);
    assert.notEqual(await colour("[data-verdict]", other), fits);
    await done(other);
});

/** Rows with bars below a title: name, share of the bar (0 to 1), text. */
const bars = (page, title) =>
    page.$$eval(
        "main section",
        (all, wanted) => {
            const section = all.find((one) => one.querySelector("h2")?.textContent === wanted);
            return [...section.querySelectorAll(".bars tr")].map((row) => [
                row.querySelector(".name").textContent,
                parseFloat(row.querySelector(".meter span").style.width) / 100,
                row.querySelector(".number").textContent,
            ]);
        },
        title,
    );

test("INS-02 the five fullest tiles: their bytes, bars of a tile's memory, and the way to Memory", async () => {
    const worst = rows(
        `SELECT tile, total FROM memory_by_tile ORDER BY overflowed DESC, total_including_gaps DESC, tile LIMIT 5`,
    );
    const page = await at(await shown(REPORT), "#/insights", ".bars");
    const address = page.url(); // the page changes it after it has drawn a view
    const seen = await bars(page, "Tiles with the most memory, without gaps");
    assert.equal(seen.length, 5);
    for (const [i, [name, share, text]] of seen.entries()) {
        const tile = Number(/^Tile (\d+) IPU (\d+)$/.exec(name)[1]);
        assert.equal(name, `Tile ${tile} IPU ${Math.floor(tile / 4)}`);
        assert.equal(text, bytes(facts.used[tile]));
        assert.equal(facts.used[tile], worst[i].total, `place ${i}`);
        assert.ok(Math.abs(share - facts.used[tile] / facts.bytesPerTile) < 0.001, "the bar ends at a tile's memory");
    }
    const tiles = seen.map(([name]) => /\d+/.exec(name)[0]);
    await page.click("text=Show these 5 tiles in Memory");
    await page.waitForSelector('[data-detail="Memory excluding gaps"]');
    assert.deepEqual(
        (await page.locator(".details-table thead th").allTextContents()).slice(1),
        tiles.map((tile) => `Tile ${tile}`),
    );
    await page.waitForURL((url) => url.href !== address);
    await page.goBack();
    await page.click(`main >> text=Tile ${tiles[1]} IPU`);
    await page.waitForSelector('[data-detail="Memory excluding gaps"]');
    assert.equal(await page.inputValue("[name=tiles]"), tiles[1]);
    await done(page);
});

test("INS-03 tiles by memory in use: sixths of a tile's memory, and how many tiles are in each", async () => {
    const copy = `${REPORT}-spread`;
    cpSync(REPORT, copy, { recursive: true });
    const sixth = facts.bytesPerTile / 6;
    const totals = [0.5, 0.5, 1.5, 1.5, 1.5, 3.2, 5.9, 4.1].map((share) => Math.round(share * sixth));
    change(
        copy,
        totals
            .map(
                (total, tile) =>
                    `UPDATE memory_by_tile SET total = ${total}, total_including_gaps = ${total} WHERE tile = ${tile}`,
            )
            .join(";"),
    );
    const page = await at(await serve([copy]), "#/insights", ".bars");
    const seen = await bars(page, "Tiles by memory in use, without gaps");
    assert.deepEqual(
        seen.map(([name, , text]) => [name, text]),
        Array.from({ length: 6 }, (_, i) => [
            `${bytes(i * sixth)} to ${bytes((i + 1) * sixth)}`,
            String(totals.filter((total) => Math.floor(total / sixth) === i).length),
        ]),
    );
    assert.deepEqual(
        seen.map(([, share]) => share),
        [2, 3, 0, 1, 1, 1].map((tiles) => Math.round((tiles / 3) * 1e6) / 1e6).map((share, i) => (i === 1 ? 1 : share)),
    );
    await done(page);
});

test("INS-06 vertices: state and code by type, and the compute sets that have most state", async () => {
    const page = await at(await shown(REPORT), "#/insights", '[data-list="State by vertex type"]');
    const state = "copy_ptr_bytes + descriptor_bytes + edge_ptr_bytes + padding_bytes + vertex_data_bytes";
    const largest = (column, table) =>
        rows(`SELECT name, ${column} AS bytes FROM ${table} ORDER BY 2 DESC, name LIMIT 10`).filter((one) => one.bytes);
    const tips = (list) => page.$$eval(`[data-list="${list}"] tr`, (all) => all.map((row) => row.dataset.tip));
    for (const [list, column, table] of [
        ["State by vertex type", state, "vertex_types"],
        ["Code by vertex type", "code_bytes", "vertex_types"],
        ["Compute sets by state", state, "compute_sets"],
    ])
        assert.deepEqual(
            await tips(list),
            largest(column, table).map((one) => `${one.name}\n${count(one.bytes)} bytes`),
            list,
        );
    await done(page);
});

test("INS-07 what is always live, and what is live beside it at the fullest step; a click shows when", async () => {
    const page = await at(await shown(REPORT), "#/insights", ".bars");
    const peak = facts.live.indexOf(Math.max(...facts.live));
    const largest = (list) =>
        [...list]
            .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
            .slice(0, 3)
            .map(([name, size]) => [name, bytes(size)]);
    const seen = async (title) => (await bars(page, title)).map(([name, , text]) => [name, text]);
    assert.deepEqual((await seen("Always live, by name")).slice(0, 3), largest(facts.alwaysLiveVariables));
    assert.deepEqual((await seen("Live at the peak, by name")).slice(0, 3), largest(facts.liveVariables[peak]));
    const tip = await page.$$eval(
        "main h2",
        (all) => all.find((one) => one.textContent === "Live at the peak, by name").dataset.tip,
    );
    assert.match(tip, new RegExp(`^Step ${peak}, .*: ${count(facts.live[peak])} bytes`));
    await page.click("main >> text=model/vector >> nth=0");
    await page.waitForSelector("[data-life]");
    await page.waitForFunction(() => location.hash.includes("liveness.variable="));
    await done(page);
});

test("INS-08 ways to need less: halves, smaller batches, computing again; what each could save", async () => {
    const page = await at(await shown(REPORT), "#/insights", ".bars");
    const floats = rows("SELECT name, bytes FROM variables WHERE lower(type) LIKE '%float%' ORDER BY bytes DESC, name");
    const seen = (await bars(page, "32-bit floats, by name")).map(([name, , text]) => [name, text]);
    assert.deepEqual(
        seen,
        floats.slice(0, seen.length).map((one) => [one.name, bytes(one.bytes)]),
    );
    const tips = await page.$$eval("main section", (all) => {
        const section = all.find((one) => one.querySelector("h2")?.textContent === "32-bit floats, by name");
        return [...section.querySelectorAll("tr")].map((row) => row.dataset.tip);
    });
    for (const [i, tip] of tips.entries())
        assert.match(tip, new RegExp(`as HALF it would take ${count(floats[i].bytes / 2)}$`), tip);
    const saving = (name) => page.textContent(`[data-saving="${name}"]`);
    assert.equal(await saving("float32"), bytes(sum(floats.map((one) => one.bytes)) / 2));
    const most = Math.max(...facts.live);
    assert.equal(await saving("batch"), bytes(most / 2));
    const peak = facts.live.indexOf(most);
    const [{ program }] = rows(`SELECT program FROM liveness_steps WHERE id = ${peak}`);
    const used = rows(
        `SELECT v.name FROM program_vars p JOIN variables v ON v.id = p.var WHERE p.program = ${program}`,
    );
    const waiting = facts.liveVariables[peak].filter(
        ([name]) => floats.some((one) => one.name === name) && !used.some((one) => one.name === name),
    );
    assert.equal(await saving("again"), bytes(sum(waiting.map(([, size]) => size))));
    await done(page);
});

test("INS an entry of the advice goes to a step of its program in the trace", async () => {
    const page = await at(await shown(REPORT), "#/insights", "[data-advice]");
    const entry = page.locator("[data-advice=exchange], [data-advice=imbalance], [data-advice=threads]").first();
    const name = await entry.locator(".link").getAttribute("data-tip");
    await entry.locator(".link").click();
    await page.waitForSelector("[data-view=trace][aria-current]");
    await page.waitForFunction(() => /step=\d+/.test(location.hash) && /trace\.from=/.test(location.hash));
    await page.waitForSelector("[data-step]");
    const step = Number(await page.getAttribute("[data-step]", "data-step"));
    const [{ program }] = rows(
        `SELECT p.name AS program FROM executed e JOIN programs p ON p.id = e.program WHERE e.id = ${step}`,
    );
    assert.equal(program, name);
    await done(page);
});
