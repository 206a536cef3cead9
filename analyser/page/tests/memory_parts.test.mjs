// SPDX-License-Identifier: Apache-2.0
// The Memory view, checked row by row through the user interface; figures are compared with the report's own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";
import {
    REPORT,
    at,
    bytes,
    bytesOf,
    cells,
    cellsWhen,
    count,
    done,
    facts,
    graphCsv,
    rows,
    saved,
    shown,
    sum,
} from "./session.mjs";

const TILES = facts.used.length;
/** Bytes of a BLOB column by tile. */
const byTile = (column, table, where) =>
    rows(
        `SELECT a.i AS tile, a.value AS bytes FROM ${table} t, array(t.${column}, 8) a WHERE ${where} ORDER BY a.i`,
    ).map((one) => one.bytes);
/** The series of the visible graph, once it has `many`: lists of bytes by position. */
async function series(page, many) {
    for (let i = 0; i < 200; ++i) {
        const lines = await graphCsv(page);
        if (lines.length && lines[0].length === 3 + many)
            return Array.from({ length: many }, (_, k) => lines.map((line) => Number(line[3 + k])));
        await page.waitForTimeout(50);
    }
    throw new Error(`the graph has no ${many} series`);
}
const memory = async (fragment = "", ready = '[data-series="total"]') =>
    at(await shown(REPORT), `#/memory${fragment}`, ready);
const column = (name) => rows(`SELECT ${name} AS value FROM memory_by_tile ORDER BY tile`).map((one) => one.value);

test("MEM-03 the three graphs: total, variables that are chosen below, map", async () => {
    const page = await memory();
    assert.deepEqual(await series(page, 1), [facts.used]);
    await page.click('[data-choice="variables"]');
    await page.waitForSelector("text=Choose variables in the tab Variables below");
    await page.click('[data-tab="variables"]');
    await page.click('.table-rows .tr:has-text("model/matrix")');
    const [{ id }] = rows("SELECT id FROM variables WHERE name = 'model/matrix'");
    await page.waitForSelector(`[data-series="variable:${id}"]`);
    assert.deepEqual(await series(page, 1), [byTile("bytes_by_tile", "variables", `t.id = ${id}`)]);
    await page.click('[data-choice="map"]');
    await page.waitForSelector('[data-graph="plan"]');
    assert.equal(await page.locator('[data-graph="memory"]').count(), 0);
    await page.click('[data-choice="total"]');
    await page.waitForSelector('[data-graph="memory"]');
    await done(page);
});

test("MEM-04 breakdowns: region, category, liveness; the stack is the total", async () => {
    const page = await memory();
    await page.selectOption("[name=breakdown]", "region");
    assert.deepEqual(await series(page, 3), ["non_interleaved", "interleaved", "overflowed"].map(column));
    await page.selectOption("[name=breakdown]", "liveness");
    assert.deepEqual(await series(page, 2), ["always_live", "not_always_live"].map(column));
    await page.selectOption("[name=breakdown]", "category");
    await page.waitForSelector('[data-series="category:variable"]');
    const ids = await page.$$eval("[data-series]", (all) => all.map((one) => one.dataset.series));
    const stack = await series(page, ids.length);
    // Shared bytes count once (overlap 2; overlap 1 counts them for each variable): docs/reference/report-files.md.
    const of = (name) => {
        const parts = rows(`SELECT a.i AS tile, sum(a.value) AS bytes FROM memory_by_category m JOIN var_categories c
            ON c.id = m.category, array(m.bytes_by_tile, 8) a WHERE c.name = '${name}' AND m.overlap <> 1
            GROUP BY a.i ORDER BY a.i`);
        return parts.map((one) => one.bytes);
    };
    for (const [i, id] of ids.entries())
        if (id.startsWith("category:")) assert.deepEqual(stack[i], of(id.slice("category:".length)), id);
    for (let tile = 0; tile < TILES; ++tile)
        assert.equal(sum(stack.map((values) => values[tile])), facts.used[tile], `tile ${tile}`);
    await page.selectOption("[name=breakdown]", "none");
    assert.deepEqual(await series(page, 1), [facts.used]);
    await done(page);
});

test("MEM-05 the order of tiles: software, or by their distance from the sync; each bar stays its tile's", async () => {
    const page = await memory();
    const tiles = async () => (await graphCsv(page)).map((line) => Number(line[0]));
    assert.deepEqual(await tiles(), [...facts.used.keys()]);
    await page.click('[data-choice="physical"]');
    await page.waitForFunction(() => /memory\.order=physical/.test(location.hash));
    await page.waitForTimeout(400);
    const lines = await graphCsv(page);
    const physical = lines.map((line) => Number(line[0]));
    assert.deepEqual(
        [...physical].sort((a, b) => a - b),
        [...facts.used.keys()],
    );
    // IPUs stay side by side; within one, tiles are sorted by distance from the sync.
    const delays = rows(
        "SELECT a.i AS tile, a.value AS delay FROM target, array(relative_sync_delay, 4) a ORDER BY a.i",
    );
    assert.equal(delays.length, 4);
    for (const ipu of [0, 1]) {
        const own = physical.slice(ipu * 4, ipu * 4 + 4);
        assert.ok(own.every((tile) => Math.floor(tile / 4) === ipu));
        const far = own.map((tile) => delays[tile % 4].delay);
        assert.deepEqual(
            far,
            [...far].sort((a, b) => a - b),
        );
    }
    for (const [tile, , , total] of lines) assert.equal(Number(total), facts.used[tile]);
    await done(page);
});

test("MEM-06 tiles are chosen by a list, by an IPU, by a click and with Shift; each has a column", async () => {
    const page = await memory();
    const columns = async (wanted) => {
        await page.waitForFunction(
            (texts) =>
                JSON.stringify(
                    [...document.querySelectorAll(".details-table thead th")].slice(1).map((one) => one.textContent),
                ) === JSON.stringify(texts),
            wanted,
        );
    };
    await page.fill("[name=tiles]", "1, 6");
    await page.press("[name=tiles]", "Enter");
    await columns(["Tile 1", "Tile 6"]);
    for (const [i, tile] of [1, 6].entries())
        assert.equal(
            bytesOf(
                await page.getAttribute(`[data-detail="Memory excluding gaps"] td:nth-child(${i + 2})`, "data-tip"),
            ),
            facts.used[tile],
        );
    const box = await page.locator('[data-graph="memory"]').boundingBox();
    const x = (tile) => box.x + 76 + ((tile + 0.5) / TILES) * (box.width - 88);
    await page.mouse.click(x(3), box.y + box.height - 60);
    await columns(["Tile 3"]);
    await page.keyboard.down("Shift");
    await page.mouse.click(x(5), box.y + box.height - 60);
    await page.keyboard.up("Shift");
    await columns(["Tile 3", "Tile 5"]);
    await page.selectOption("[name=ipu]", "1");
    await page.waitForFunction(() => /memory\.from=4&memory\.to=8/.test(location.hash));
    await page.waitForTimeout(400);
    assert.deepEqual(
        (await graphCsv(page)).map((line) => Number(line[0])),
        [4, 5, 6, 7],
    );
    await page.fill("[name=tiles]", "99, x");
    await page.press("[name=tiles]", "Enter");
    await page.waitForSelector("text=Click a tile in the graph to see its contents");
    await page.click("text=Fullest tile");
    await columns([`Tile ${facts.memory.indexOf(Math.max(...facts.memory))}`]);
    await done(page);
});

test("MEM-07 gaps are drawn on top of what is used; the line of the maximum is at a tile's memory", async () => {
    const page = await memory();
    await page.click('.check:has-text("Include gaps")');
    const [used, gaps] = await series(page, 2);
    assert.deepEqual(used, facts.used);
    assert.deepEqual(
        gaps,
        facts.memory.map((value, tile) => value - facts.used[tile]),
    );
    // With gaps the line is shown; the axis then extends to a tile's memory, and the bars are small.
    assert.equal(await page.isChecked('.check:has-text("Show max memory") input'), true);
    const tallest = async () =>
        page.$eval('[data-graph="memory"]', (canvas) => {
            const pen = canvas.getContext("2d");
            const [left, wide] = [76, canvas.clientWidth - 88];
            const { data } = pen.getImageData(left + wide / 16, 36, 1, canvas.height - 36);
            let tall = 0;
            for (let i = 0; i < data.length; i += 4) if (data[i] < 20 && data[i + 1] > 100 && data[i + 2] > 160) ++tall;
            return tall;
        });
    const until = async (accept) => {
        for (let i = 0; i < 200 && !accept(await tallest()); ++i) await page.waitForTimeout(50);
        return tallest();
    };
    const small = await until((tall) => tall < 20);
    assert.ok(small < 20, `the bar is ${small} pixels tall below a line at ${facts.bytesPerTile} bytes`);
    const tip = await page.getAttribute('.check:has-text("Show max memory")', "data-tip");
    assert.match(tip, new RegExp(`${count(facts.bytesPerTile)} bytes$`));
    await page.click('.check:has-text("Show max memory")');
    assert.ok((await until((tall) => tall > 100)) > 100);
    await done(page);
});

test("MEM-08 details of a tile: by region, overlapped or not, by category; the parts add up", async () => {
    const page = await memory("?memory.tiles=5", '[data-detail="Memory excluding gaps"]');
    const table = await page.$$eval(".details-table tbody tr", (all) =>
        all.map((row) => ({
            title: row.dataset.detail,
            depth: parseInt(row.firstElementChild.style.paddingLeft) / 16,
            tip: row.children[1].dataset.tip ?? row.children[1].textContent,
        })),
    );
    const [own] = rows("SELECT * FROM memory_by_tile WHERE tile = 5");
    const value = (title) => bytesOf(table.find((row) => row.title === title).tip);
    assert.equal(table.find((row) => row.title === "IPU").tip, "1");
    assert.equal(table.find((row) => row.title === "Tile of the IPU").tip, "1");
    assert.equal(value("Memory including gaps"), own.total_including_gaps);
    assert.equal(value("Gaps"), own.total_including_gaps - own.total);
    assert.equal(value("Memory excluding gaps"), own.total);
    assert.equal(value("Always live"), own.always_live);
    assert.equal(value("Not always live"), own.not_always_live);
    const names = ["Non-interleaved", "Interleaved", "Overflowed"];
    const regions = rows(`SELECT c.name, m.region, m.overlap, a.value AS bytes FROM memory_by_category m JOIN
        var_categories c ON c.id = m.category, array(m.bytes_by_tile, 8) a WHERE a.i = 5 AND a.value > 0
        AND m.overlap < 2`);
    let region = -1;
    let overlap = -1;
    let leaves = 0;
    for (const row of table) {
        if (names.includes(row.title)) {
            region = names.indexOf(row.title);
            assert.equal(bytesOf(row.tip), own[["non_interleaved", "interleaved", "overflowed"][region]]);
        } else if (row.depth === 2) {
            overlap = row.title === "Overlapped" ? 1 : 0;
            assert.equal(
                bytesOf(row.tip),
                sum(regions.filter((one) => one.region === region && one.overlap === overlap).map((one) => one.bytes)),
            );
        } else if (row.depth === 3) {
            const [wanted] = regions.filter(
                (one) => one.region === region && one.overlap === overlap && one.name === row.title,
            );
            assert.equal(bytesOf(row.tip), wanted?.bytes ?? 0, `${names[region]} ${row.title}`);
            leaves += wanted ? 1 : 0;
        }
    }
    assert.equal(leaves, regions.length, "every category of the tile has a row");
    await done(page);
});

const PARTS = [
    "code_bytes",
    "vertex_data_bytes",
    "edge_ptr_bytes",
    "copy_ptr_bytes",
    "descriptor_bytes",
    "padding_bytes",
];
const shownNumber = (value) => (value === null || value === undefined ? "" : count(value));

test("MEM-09 compute sets: size, vertices and parts, of all tiles and of those that are chosen; filtered", async () => {
    const page = await memory("?memory.tab=computeSets", ".table-rows .tr");
    const sets = rows(`SELECT * FROM compute_sets ORDER BY compute_set`);
    const wanted = sets.map((set) => [
        set.name,
        count(set.vertices),
        count(sum(PARTS.map((part) => set[part] ?? 0))),
        ...PARTS.map((part) => shownNumber(set[part])),
    ]);
    const short = (name) => name.split("/").slice(-2).join("/");
    const same = (found, list) =>
        assert.deepEqual(
            found.map(([name, ...rest]) => [name.replace("…/", ""), ...rest.map((one) => one || "0")]).sort(),
            list.map(([name, ...rest]) => [short(name), ...rest.map((one) => one || "0")]).sort(),
        );
    same(await cellsWhen(page, (all) => all.length === wanted.length), wanted);
    await page.fill('[aria-label="filter computeSets"]', "head");
    same(
        await cellsWhen(page, (all) => all.length === 1),
        wanted.filter(([name]) => name === "head"),
    );
    await page.fill('[aria-label="filter computeSets"]', "");
    // On one tile: the variable's bytes on that tile.
    await page.fill("[name=tiles]", "3");
    await page.press("[name=tiles]", "Enter");
    await page.waitForSelector("text=on tiles 3");
    const on = (set, part) =>
        rows(
            `SELECT a.value AS bytes FROM compute_sets s, array(s.${part}_by_tile, 8) a
                WHERE a.i = 3 AND s.compute_set = ${set.compute_set}`,
        )[0]?.bytes ?? 0;
    const own = sets.map((set) => count(sum(PARTS.map((part) => on(set, part)))));
    const found = await cellsWhen(
        page,
        (all) => JSON.stringify(all.map((row) => row[2]).sort()) === JSON.stringify([...own].sort()),
    );
    assert.equal(found.length, sets.length);
    await done(page);
});

test("MEM-10 vertices by type, and exchanges, with their code", async () => {
    const page = await memory("?memory.tab=vertexTypes", ".table-rows .tr");
    const { shortTypes } = await load("text/names.ts");
    const types =
        rows(`SELECT t.name, (SELECT sum(count) FROM compute_set_vertices c WHERE c.vertex_type = t.id) AS vertices,
        t.code_bytes FROM vertex_types t`);
    const found = await cellsWhen(page, (all) => all.length === types.length);
    for (const { name, vertices, code_bytes: code } of types) {
        const row = found.find(([shownName]) => shortTypes(name).endsWith(shownName.replace("…/", "")));
        assert.ok(row, name);
        assert.deepEqual([row[1], row[3]], [count(vertices), count(code)], name);
    }
    await page.click('[data-tab="exchanges"]');
    const exchanges = rows("SELECT kind, name, code_bytes FROM exchanges");
    const list = await cellsWhen(page, (all) => all.length === exchanges.length && all[0].length === 3);
    assert.deepEqual(
        list.map(([, , code]) => code || "0").sort(),
        exchanges.map((one) => count(one.code_bytes ?? 0)).sort(),
    );
    await done(page);
});

test("MEM-11 variables: several are plotted across tiles; the addresses of a tile; the choice is kept", async () => {
    const page = await memory("?memory.tab=variables", ".table-rows .tr");
    const all = rows("SELECT * FROM variables ORDER BY id");
    const table = await cellsWhen(page, (list) => list.length === all.length);
    for (const one of all) {
        const row = table.find(([name]) => name === one.name);
        const largest = Math.max(...byTile("bytes_by_tile", "variables", `t.id = ${one.id}`));
        assert.deepEqual(row.slice(2), [
            one.always_live ? "always" : "at some steps",
            count(one.bytes),
            count(largest),
        ]);
    }
    await page.click('.table-rows .tr:has-text("model/matrix")');
    await page.click('.table-rows .tr:has-text("model/out")', { modifiers: ["Shift"] });
    const stack = await series(page, 2);
    for (const [i, name] of ["model/matrix", "model/out"].entries())
        assert.deepEqual(stack[i], byTile("bytes_by_tile", "variables", `t.name = '${name}'`));
    // The addresses of a tile: a click on the strip selects the variable at that address.
    await page.fill("[name=tiles]", "5");
    await page.press("[name=tiles]", "Enter");
    await page.click('[data-tab="layout"]');
    await page.waitForSelector('[data-graph="addresses"]');
    await cellsWhen(page, (list) => list.length > 3 && list[0].length === 6);
    const own =
        rows(`SELECT name, category, offset, size_bytes, always_live FROM lowered_variables WHERE tile = 5 AND allocated
        ORDER BY offset`);
    const largest = own.filter((one) => one.offset < 212992).reduce((a, b) => (b.size_bytes > a.size_bytes ? b : a));
    const end = Math.max(...own.filter((one) => one.offset < 212992).map((one) => one.offset + one.size_bytes));
    const strip = await page.locator('[data-graph="addresses"]').boundingBox();
    await page.mouse.click(strip.x + ((largest.offset + largest.size_bytes / 2) / end) * strip.width, strip.y + 4);
    await page.waitForFunction(
        (name) => new URLSearchParams(location.hash.split("?")[1]).get("variable") === name,
        largest.name,
    );
    const chosen = await page.locator(".table-rows .selected .td").allTextContents();
    assert.deepEqual(
        [chosen[0], chosen[3], chosen[4]],
        [count(largest.offset), count(largest.size_bytes), largest.always_live ? "always" : chosen[4]],
    );
    assert.equal(chosen[2].replaceAll(" ", "").toLowerCase(), largest.category.toLowerCase());
    await page.reload();
    await page.waitForSelector('[data-graph="addresses"]');
    assert.equal(await page.getAttribute('[data-tab="layout"]', "aria-selected"), "true");
    await done(page);
});

test("MEM-12 the tile map: a colour a tile, on a scale that can be changed, of a category that is chosen", async () => {
    const page = await memory("?memory.graph=map", '[data-graph="plan"]');
    const values = async () => {
        const { data } = await saved(page, ".plan-scale button:text-is('CSV')");
        return data
            .toString()
            .trim()
            .split("\r\n")
            .slice(1)
            .map((line) => Number(line.split(",")[1]));
    };
    assert.deepEqual(await values(), facts.used);
    const { data: drawn } = await saved(page, ".plan-scale [data-save=svg]");
    for (const text of ["position = column × ", ">IPU 1<"]) assert.ok(drawn.toString().includes(text), text);
    // Colours of tiles, found by pointing: the callout names the tile.
    const box = await page.locator('[data-graph="plan"]').boundingBox();
    const places = new Map();
    for (let y = 8; y < box.height && places.size < TILES; y += 12)
        for (let x = 8; x < box.width && places.size < TILES; x += 24) {
            await page.mouse.move(box.x + x, box.y + y);
            const tip = await page.$eval(".tooltip", (one) => (one.hidden ? "" : one.textContent)).catch(() => "");
            const tile = /Tile (\d+)/.exec(tip)?.[1];
            if (tile === undefined) continue;
            assert.match(tip, new RegExp(`${count(facts.used[tile])} bytes`));
            places.set(Number(tile), [x, y]);
        }
    assert.equal(places.size, TILES, "every tile is on the map");
    const colour = (tile) =>
        page.$eval(
            '[data-graph="plan"]',
            (canvas, [x, y]) => [
                ...canvas
                    .getContext("2d")
                    .getImageData(x + 2, y + 2, 1, 1)
                    .data.slice(0, 3),
            ],
            places.get(tile),
        );
    const light = ([r, g, b]) => 0.3 * r + 0.59 * g + 0.11 * b;
    const [most, least] = [Math.max(...facts.used), Math.min(...facts.used)].map((value) => facts.used.indexOf(value));
    assert.ok(light(await colour(most)) > light(await colour(least)) + 100, "more is lighter");
    // With min at the maximum, only the largest value has another colour.
    const range = page.locator('[aria-label="max of the colours"]');
    const before = await colour(most);
    const second = [...facts.used.keys()].sort((a, b) => facts.used[b] - facts.used[a])[1];
    assert.notDeepEqual(await colour(second), before);
    await range.evaluate((input) => {
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(input, input.min);
        input.dispatchEvent(new Event("input", { bubbles: true }));
    });
    await page.waitForFunction(() => /memory\.mapMax=/.test(location.hash));
    for (const tile of [most, second])
        assert.deepEqual(await colour(tile), before, "what is beyond the end has its colour");
    await page.click(".plan-scale >> text=Reset");
    await page.selectOption("[name=figure]", "category:stack");
    const stack = rows(`SELECT a.i AS tile, sum(a.value) AS bytes FROM memory_by_category m JOIN var_categories c ON
        c.id = m.category, array(m.bytes_by_tile, 8) a WHERE c.name = 'stack' GROUP BY a.i ORDER BY a.i`).map(
        (one) => one.bytes,
    );
    await page.waitForFunction(() => /memory\.figure=/.test(location.hash));
    await page.waitForTimeout(300);
    assert.deepEqual(await values(), stack);
    await page.mouse.click(box.x + places.get(6)[0] + 2, box.y + places.get(6)[1] + 2);
    await page.waitForSelector('.details-table th:has-text("Tile 6")');
    await done(page);
});
