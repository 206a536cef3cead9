// SPDX-License-Identifier: Apache-2.0
// A report of several replicas describes one of them: only its IPUs, memory and cycles.
//     tests/analyser/run-trace BUILD replicas.test.mjs
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { bytesOf, graphCsv, sum } from "./session.mjs";
import { alone, around, bytes, count, factsOf, rows, serve } from "./trace_reports.mjs";
import {
    COLOURS,
    bandHeight,
    bandTop,
    calloutAt,
    graph,
    near,
    openTrace,
    pixel,
    settled,
    xOf,
} from "./trace_tools.mjs";

const { memory } = JSON.parse(readFileSync(join(process.env.REPORTS, "facts.json"), "utf8")).replicas;
const facts = factsOf("replicas");
const [target] = rows("replicas", "SELECT * FROM target");

async function show(page, fragment, ready) {
    await page.evaluate((hash) => (location.hash = hash), fragment);
    await page.waitForSelector(ready);
    await settled(page);
}
const fact = (page, title) => page.textContent(`[data-fact="${title}"]`);
const numbers = (text) => Number(text.replaceAll(",", ""));

/** The number of rounds in libpva, the number of matches of the trace's search, and the replica that the header
 * names. */
async function rounds(name) {
    const [{ steps }] = rows(name, "SELECT count(*) AS steps FROM steps WHERE name = 'layer/round/GlobalExchange'");
    const { page, close } = await serve([name]);
    await openTrace(page);
    await page.fill(".search input", "layer/round/GlobalExchange");
    await page.press(".search input", "Enter");
    await page.waitForFunction(() => /of/.test(document.querySelector(".matches")?.textContent ?? ""));
    const matches = await page.textContent(".matches");
    const chip = await page.textContent(".header .replica");
    await close();
    return { steps, matches, chip };
}

test("the replica that was chosen is the one that is shown, and the header says which it is", async () => {
    assert.deepEqual(await rounds("replicas"), { steps: 14, matches: "1 of 14", chip: "replica 2 of 4" });
    assert.deepEqual(await rounds("replica0"), { steps: 2, matches: "1 of 2", chip: "replica 0 of 4" });
    const { page, close } = await serve(["report"]);
    await page.waitForSelector(".header .report-name");
    assert.equal(await page.locator(".header .replica").count(), 0, "one replica is not worth a word");
    await close();
    const both = await serve(["replicas", "replica0"]);
    await both.page.waitForSelector(".header .replica");
    assert.equal(await both.page.textContent(".header .replica"), "replica 2 of 4  ↔  replica 0 of 4");
    await both.close();
});

test("summary: IPUs, tiles and memory of a replica and of all", async () => {
    assert.deepEqual([target.num_ipus, target.num_replicas, target.ipus_per_replica], [8, 4, 2]);
    const { page, close } = await serve(["replicas"]);
    await show(page, "#/summary", '[data-fact="Replicas"]');
    for (const [title, value] of [
        ["IPUs per replica", "2"],
        ["Replicas", "4"],
        ["Replica of this report", "2"],
        ["Total IPUs", "8"],
        ["Total tiles", count(target.num_tiles)],
        ["Memory per replica", bytes(target.memory_per_replica)],
        ["Total memory", bytes(target.total_memory)],
    ])
        assert.equal(await fact(page, title), value, title);
    await close();
});

test("insights and memory: of the tiles of a replica, and of its capacity", async () => {
    const used = sum(memory);
    assert.equal(memory.length, target.tiles_per_replica);
    const { page, close } = await serve(["replicas"]);
    await show(page, "#/insights", '[data-figure="used"]');
    assert.equal(await page.textContent('[data-figure="used"]'), bytes(used));
    const share = ((used / target.memory_per_replica) * 100).toFixed(2);
    const line = await page.locator('div:has(> [data-figure="used"])').textContent();
    const capacity = `of ${bytes(target.memory_per_replica)}, ${share} % of capacity of each replica, without gaps`;
    assert.equal(line, `${bytes(used)} ${capacity}`);

    await show(page, "#/memory", '[data-graph="memory"]');
    const csv = await graphCsv(page);
    assert.deepEqual(
        csv.map(([tile, , , value]) => [Number(tile), Number(value)]),
        memory.map((value, tile) => [tile, value]),
    );
    // The mini-map spans the replica's tiles, up to its right end.
    const box = await page.locator('[data-graph="memory"]').boundingBox();
    const right = await pixel(page, box.x + box.width - 16, box.y + 34, '[data-graph="memory"]');
    const middle = await pixel(page, box.x + box.width / 2, box.y + 34, '[data-graph="memory"]');
    assert.deepEqual(right, middle);
    // The line of the maximum in Liveness is that of one replica, too.
    const { capacity: most } = await page.evaluate(async () => {
        const answer = await (await fetch("api/liveness/steps?pixels=100")).arrayBuffer();
        const header = new DataView(answer).getUint32(4, true);
        return JSON.parse(new TextDecoder().decode(new Uint8Array(answer, 8, header))).meta;
    });
    assert.equal(most, target.memory_per_replica);
    await show(page, "#/memory?memory.tiles=7", '[data-detail="Memory excluding gaps"]');
    const tip = await page.getAttribute('[data-detail="Memory excluding gaps"] td:nth-child(2)', "data-tip");
    assert.equal(bytesOf(tip), memory[7]);
    await close();
});

test("trace: a lane for each IPU of the replica, with its steps and figures", async () => {
    const { page, close } = await serve(["replicas"]);
    await openTrace(page, "?trace.bsp=true");
    assert.deepEqual(await page.locator(".gutter-band:has-text('IPU')").allTextContents(), ["▾IPU 0", "▾IPU 1"]);
    assert.equal(facts.lanes.length, 2);
    const end = Math.max(...rows("replicas", "SELECT cycles_to AS stop FROM runs").map((run) => run.stop));
    const where = await graph(page);
    assert.equal(where.lanes.ipus, 2);
    assert.ok(where.lanes.to >= end);
    for (const ipu of [0, 1]) {
        // The table of all steps: bytes of global exchanges, received and sent.
        const [moved] = rows(
            "replicas",
            `SELECT sum(i.data_in) AS got, sum(i.data_out) AS sent FROM steps s JOIN steps_by_ipu i ON i.step_id = s.id
                WHERE s.type = 'GlobalExchange' AND i.ipu = ${ipu}`,
        );
        await openTrace(page);
        const cells = await page.locator('[data-row="global"] td').allTextContents();
        assert.equal(cells.length, 2);
        assert.equal(cells[ipu], `Rx ${bytes(moved.got)}, Tx ${bytes(moved.sent)}`);
        const totals = await page.locator('[data-row="cycles"] td').allTextContents();
        assert.equal(numbers(totals[ipu].split(" cycles")[0]), where.lanes.to - where.lanes.from);
        // A round is drawn at its position in libpva.
        const step = alone(facts.lanes[ipu], (one) => one.kind === "GlobalExchange");
        const place = await around(page, step, "&trace.text=false");
        assert.ok(near(await pixel(page, place.x, place.y), COLOURS.GlobalExchange), `IPU ${ipu}`);
        const lines = await calloutAt(page, place.x, place.y, step.name);
        assert.ok(
            lines.some((text) => text.startsWith(`${count(step.cycles)} cycle`)),
            `${lines.join(" | ")}: ${step.cycles}`,
        );
    }
    await close();
});

test("BSP: the tiles of the second IPU of the replica are where libpva has them", async () => {
    const { page, close } = await serve(["replicas"]);
    const step = alone(facts.lanes[1], (one) => one.kind === "GlobalExchange");
    await openTrace(
        page,
        `?trace.bsp=true&trace.from=${step.start - 20}&trace.to=${Math.min(step.stop + 20, step.last)}`,
    );
    const where = await graph(page);
    const top = await bandTop(page, "tiles", 1);
    const tall = await bandHeight(page, "tiles", 1);
    let seen = 0;
    for (let i = 0; i < facts.tilesPerIpu; ++i) {
        const tile = facts.tilesPerIpu + i;
        const [from, to] = [step.begin[tile], step.end[tile]];
        if (to === from) continue;
        const y = top + ((i + 0.5) / facts.tilesPerIpu) * tall;
        assert.ok(near(await pixel(page, xOf(where, (from + to) / 2), y), COLOURS.GlobalExchange), `tile ${tile}`);
        ++seen;
    }
    assert.ok(seen > 0);
    await close();
});

test("a training with 4 replicas of one IPU each: one lane, its 1,472 tiles and steps", async () => {
    const [of] = rows("mlp", "SELECT * FROM target");
    const tiles = rows("mlp", "SELECT total FROM memory_by_tile ORDER BY tile").map((row) => row.total);
    assert.deepEqual([of.num_replicas, of.num_ipus, of.ipus_per_replica], [4, 4, 1]);
    assert.equal(tiles.length, of.tiles_per_replica);
    const { page, close } = await serve(["mlp"]);
    await show(page, "#/insights", '[data-figure="used"]');
    const share = ((sum(tiles) / of.memory_per_replica) * 100).toFixed(2);
    const line = await page.locator('div:has(> [data-figure="used"])').textContent();
    assert.ok(line.includes(`of ${bytes(of.memory_per_replica)}, ${share} % of capacity of each replica`), line);
    await show(page, "#/summary", '[data-fact="Replicas"]');
    assert.equal(await fact(page, "Replicas"), "4");
    assert.equal(await fact(page, "Total tiles"), count(of.num_tiles));
    await show(page, "#/memory", '[data-graph="memory"]');
    // A bar stands for one tile or two: its value is that of the tile with the most bytes.
    const bars = (await graphCsv(page)).map((line) => line.map(Number));
    assert.deepEqual([bars[0][1], bars.at(-1)[2]], [0, tiles.length - 1]);
    for (const [tile, first, last, value] of bars) {
        assert.equal(value, Math.max(...tiles.slice(first, last + 1)));
        assert.equal(value, tiles[tile]);
    }
    await openTrace(page);
    assert.deepEqual(await page.locator(".gutter-band:has-text('IPU')").allTextContents(), ["▾IPU 0"]);
    const [{ steps }] = rows("mlp", "SELECT count(*) AS steps FROM steps_by_ipu WHERE active_tiles > 0");
    assert.equal(numbers(await page.locator('[data-row="steps"] td').first().textContent()), steps);
    const [moved] = rows(
        "mlp",
        `SELECT sum(i.data_in) AS got, sum(i.data_out) AS sent FROM steps s JOIN steps_by_ipu i ON i.step_id = s.id
            WHERE s.type = 'GlobalExchange'`,
    );
    assert.ok(moved.got > 0, "gradients are exchanged between replicas");
    assert.equal(
        await page.locator('[data-row="global"] td').first().textContent(),
        `Rx ${bytes(moved.got)}, Tx ${bytes(moved.sent)}`,
    );
    await close();
});
