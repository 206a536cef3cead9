// SPDX-License-Identifier: Apache-2.0
// The tabs Details and Summary of a detailed trace: figures after a click on a step or layer equal those of libpva.
//     tests/analyser/run-trace BUILD trace_details.test.mjs
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { alone, around, bytes, count, factsOf, percent, rows, serve, stretch } from "./trace_reports.mjs";
import { bandTop, calloutAt, choose, graph, openTrace, settled, xOf } from "./trace_tools.mjs";

const facts = factsOf("report");
const { lanes, steps } = facts;
let served, page;

before(async () => {
    served = await serve(["report"]);
    page = served.page;
});
after(async () => {
    await served.close();
});

const text = (selector, of = page) => of.locator(selector).first().textContent();
const cycles = (value) => `${count(value)} ${value === 1 ? "cycle" : "cycles"}`;

/** Clicks a step where it is visible, and waits for its details. */
async function select(step, of = page) {
    const { x, y } = await around(of, step);
    await of.mouse.click(x, y);
    await of.waitForSelector(`[data-step="${step.id}"]`);
    await of.waitForSelector(".trace-plots .u-over");
    await settled(of);
}

/** The cell next to a title in the facts of a step. */
const fact = (title, of = page) =>
    of
        .locator(".trace-facts tr", { has: of.locator("th", { hasText: new RegExp(`^${title}$`) }) })
        .locator("td")
        .first()
        .textContent();

/** The values in a plot's legend at a tile, by series. */
async function plotted(tile, tiles, of = page) {
    const box = await of.locator(".trace-plots .u-over").boundingBox();
    await of.mouse.move(
        box.x + Math.min(box.width - 1, Math.max(1, (tile / (tiles - 1)) * box.width)),
        box.y + box.height / 2,
    );
    await of.waitForFunction(
        (wanted) => document.querySelector(".trace-plots .u-legend .u-value")?.textContent === wanted,
        String(tile),
    );
    const [, ...values] = await of.locator(".trace-plots .u-legend .u-value").allTextContents();
    return values;
}

function spread(step, ipu) {
    const own = step.end
        .map((end, tile) => end - step.begin[tile])
        .slice(ipu * facts.tilesPerIpu, (ipu + 1) * facts.tilesPerIpu);
    const mean = own.reduce((a, b) => a + b) / own.length;
    const deviation = Math.sqrt(own.reduce((sum, one) => sum + (one - mean) ** 2, 0) / own.length);
    const [min, max] = [Math.min(...own), Math.max(...own)];
    return `min ${count(min)}, mean ${count(mean)}, max ${count(max)}, σ ${count(deviation)}`;
}

/** Checks the figures common to all kinds of steps, for each active IPU. */
async function checkCommon(step) {
    assert.equal(await text('[data-figure="kind"]'), step.kind);
    const active = step.ipus.map((one, ipu) => ({ ...one, ipu })).filter((one) => one.activeTiles > 0);
    for (const one of active) {
        assert.equal(await text(`[data-figure="cycles ${one.ipu}"]`), cycles(one.cycles));
        assert.equal(await text(`[data-figure="balance ${one.ipu}"]`), percent(one.balance));
        const of = facts.ipus > 1 ? `IPU ${one.ipu}: ` : "";
        assert.equal(await fact(`${of}Active tiles`), count(one.activeTiles));
        assert.equal(await fact(`${of}All cycles`), spread(step, one.ipu));
        assert.ok((await fact(`${of}Tile balance`)).endsWith(`active tiles alone ${percent(one.activeBalance)}`));
    }
    assert.ok(active.length > 0);
}

test("EXE-02 repeated executions show one duration; the page says so", async () => {
    const lane = lanes[0];
    const executions = lane.filter((step) => step.kind === "OnTileExecute" && step.name === "layer/inner");
    assert.equal(executions.length, 3);
    const seen = new Set();
    for (const step of executions.map((one) => stretch(lane, one))) {
        await select(step);
        seen.add(await text('[data-figure="cycles 0"]'));
        assert.ok(
            (await fact("From, to")).startsWith(`${count(Math.min(...step.begin))} to ${count(Math.max(...step.end))}`),
        );
    }
    assert.deepEqual([...seen], [cycles(executions[0].cycles)]);
    await page.hover('[data-mode="detailed"]');
    await page.waitForFunction(() =>
        /one duration for all its executions\. Recording it takes time of the compiler and code on every tile/.test(
            document.querySelector(".tooltip")?.textContent ?? "",
        ),
    );
});

test("EXE-61 a layer of the flame graph lists its steps with their figures", async () => {
    const lane = lanes[0];
    const inner = lane.filter((step) => step.name.startsWith("layer/"));
    // The first execution in the loop: consecutive steps named layer, ignoring unnamed syncs.
    const first = stretch(
        lane,
        inner.find((step) => step.kind === "OnTileExecute"),
    );
    const { where, x, y } = await around(page, first, "&trace.layout=flame");
    const tip = await calloutAt(page, x, y, "layer");
    const span = /^from ([\d,]+) to ([\d,]+)$/
        .exec(tip.find((line) => line.startsWith("from")))
        .slice(1)
        .map((one) => Number(one.replaceAll(",", "")));
    const wanted = inner.filter((step) => step.start >= span[0] && step.stop <= span[1]);
    assert.ok(wanted.some((step) => step.id === first.id) && wanted.length >= 2 && where.width > 0);
    assert.equal(span[0], Math.min(...wanted.map((step) => step.start)));
    assert.equal(span[1], Math.max(...wanted.map((step) => step.stop)));
    await page.mouse.click(x, y);
    await page.waitForSelector('[data-layer="layer"][data-loading="false"]');
    await settled(page);
    const cells = await page
        .locator(".details-tab .table-rows .tr")
        .evaluateAll((list) => list.map((row) => [...row.querySelectorAll(".td")].map((cell) => cell.textContent)));
    assert.deepEqual(
        cells.map((row) => [row[0], row[1], row[3], row[4], row[5], row[6], row[7]]),
        wanted.map((step) => [
            count(step.id),
            step.kind,
            count(step.start),
            count(step.cycles),
            count(step.activeTiles),
            percent(step.balance),
            percent(step.activeBalance),
        ]),
    );
    assert.equal(await text('[data-figure="steps"]'), count(wanted.length));
    assert.equal(await text('[data-figure="cycles"]'), cycles(span[1] - span[0]));
    assert.equal(await text('[data-figure="sum"]'), count(wanted.reduce((sum, step) => sum + step.cycles, 0)));
    // A double click on a row shows the step's own details.
    await page.locator(".details-tab .table-rows .tr").first().dblclick();
    await page.waitForSelector(`[data-step="${wanted[0].id}"]`);
});

test("EXE-62 EXE-63 syncs: internal, external and SyncAns, each with its figures and what it is", async () => {
    for (const [kind, means] of [
        ["Sync Internal", /^a sync of the tiles of one IPU$/],
        ["Sync External", /between IPUs; it also controls the flow with the host/],
        ["SyncAns", /wait for the syncs that they have acknowledged/],
    ]) {
        const step = lanes
            .map((lane) =>
                lane.some((one) => one.kind === kind) ? alone(lane, (one) => one.kind === kind) : { seen: 0 },
            )
            .reduce((a, b) => (b.seen > a.seen ? b : a));
        await select(step);
        await checkCommon(step);
        assert.match(await text(".explained"), means);
        assert.deepEqual(await page.locator(".trace-plots [role=tab]").allTextContents(), ["Cycles by tile"]);
        const tiles = step.begin.length;
        for (const tile of [0, tiles - 1])
            assert.deepEqual(await plotted(tile, tiles), [count(step.end[tile] - step.begin[tile])]);
    }
});

test("EXE-66 GlobalExchange: data, balance, variables, and plots by tile", async () => {
    const step = alone(
        lanes[1],
        (one) => one.name === "layer/inner/GlobalPre/GlobalExchange" && one.kind === "GlobalExchange",
    );
    await select(step);
    await checkCommon(step);
    const [program] = rows("report", `SELECT program AS id FROM steps WHERE id = ${step.id}`);
    const [exchange] = rows(
        "report",
        `SELECT e.total_data AS total, e.data_balance AS balance 
            FROM exchanges e JOIN programs p ON p.exchange = e.id WHERE p.id = ${program.id}`,
    );
    assert.ok(exchange.total > 0);
    assert.equal(await fact("Total data"), bytes(exchange.total));
    assert.equal(await fact("Data balance"), percent(exchange.balance));
    const lists = [];
    for (const [title, access] of [
        ["Source variables", 1],
        ["Destination variables", 2],
    ]) {
        const variables = rows(
            "report",
            `SELECT v.name, v.bytes FROM program_vars a JOIN variables v ON v.id = a.var
                WHERE a.access & ${access} AND a.program = ${program.id} ORDER BY v.bytes DESC, v.name`,
        );
        const shown = await page
            .locator(".trace-facts tr", { has: page.locator("th", { hasText: title }) })
            .locator("td > div")
            .allTextContents();
        // A variable that is not in the graph is a temporary one, which has a number.
        const named = variables.length ? variables : [{ name: "0", bytes: exchange.total }];
        assert.deepEqual(
            shown,
            named.slice(0, 8).map((one) => `${one.name} ${bytes(one.bytes)}`),
        );
        lists.push(variables.length);
    }
    assert.ok(lists.includes(0) && Math.max(...lists) > 0, "one side is a temporary variable");
    const tiles = step.begin.length;
    for (let tile = 0; tile < tiles; ++tile)
        assert.deepEqual(await plotted(tile, tiles), [count(step.end[tile] - step.begin[tile])]);
    await page.click('.trace-plots [data-tab="data"]');
    await page.waitForSelector(".trace-plots .u-over");
    const byTile = (column) =>
        rows(
            "report",
            `SELECT a.value FROM programs p JOIN exchanges e ON e.id = p.exchange, array(e.${column}, ${tiles}) a
                WHERE p.id = ${program.id} ORDER BY a.i`,
        ).map((row) => row.value);
    const [sent, received] = [byTile("sent_by_tile"), byTile("received_by_tile")];
    assert.equal(
        sent.reduce((a, b) => a + b),
        step.ipus.reduce((sum, one) => sum + one.dataOut, 0),
    );
    for (let tile = 0; tile < tiles; ++tile)
        assert.deepEqual(await plotted(tile, tiles), [bytes(sent[tile]), bytes(received[tile])]);
});

test("the critical tile of a step: the vertex there, and the cycles that the others lose", async () => {
    const step = alone(lanes[1], (one) => one.kind === "OnTileExecute" && one.name === "head");
    await select(step);
    const taken = step.end.map((end, tile) => end - step.begin[tile]);
    const most = Math.max(...taken);
    const tile = taken.indexOf(most);
    assert.equal(await text('[data-figure="critical"]'), String(tile));
    assert.ok((await fact("Critical tile")).includes(cycles(most)));
    assert.deepEqual(
        await page.locator('[data-figure="critical vertex"]').allTextContents(),
        step.vertices.filter((one) => one.byTile[tile] > 0).map((one) => `${one.type} × ${one.byTile[tile]}`),
    );
    assert.equal(
        await text('[data-figure="lost"]'),
        cycles(Math.round(most - taken.reduce((a, b) => a + b) / taken.length)),
    );
});

test("EXE-52 Rx and Tx of stream copies by direction, and of global exchanges, in the window", async () => {
    const copies = factsOf("copies");
    const other = await serve(["copies"]);
    const moved = (ipu, kind, from, to) => {
        const own = copies.lanes[ipu].filter((step) => step.kind === kind && step.start >= from && step.stop <= to);
        return [own.reduce((sum, step) => sum + step.dataIn, 0), own.reduce((sum, step) => sum + step.dataOut, 0)];
    };
    const shown = async (row) =>
        other.page
            .locator(`[data-row="${row}"] td`)
            .evaluateAll((list) =>
                list.map((cell) => [...cell.querySelectorAll("div")].map((line) => line.textContent)),
            );
    const line = (name, [received, transmitted]) =>
        received || transmitted ? [`${name}Rx ${bytes(received)}, Tx ${bytes(transmitted)}`] : [];
    const store = copies.lanes[0].find((step) => step.kind === "StreamCopyMid RemoteBuffer");
    const across = copies.lanes[0].find(
        (step) => step.name === "layer/across/GlobalExchange" && step.kind === "GlobalExchange",
    );
    for (const [from, to] of [
        [0, copies.lanes[0][0].last],
        [store.start - 10, across.stop + 10],
    ]) {
        await openTrace(other.page, `?trace.from=${from}&trace.to=${to}&trace.tab=summary`);
        assert.deepEqual(
            await shown("copies"),
            [0, 1].map((ipu) => [
                ...line("Host: ", moved(ipu, "StreamCopyMid Host", from, to)),
                ...line("RemoteBuffer: ", moved(ipu, "StreamCopyMid RemoteBuffer", from, to)),
            ]),
        );
        assert.deepEqual(
            await shown("global"),
            [0, 1].map((ipu) => line("", moved(ipu, "GlobalExchange", from, to))),
        );
    }
    const whole = moved(0, "StreamCopyMid RemoteBuffer", 0, Infinity);
    const [sql] = rows(
        "copies",
        `SELECT sum(i.data_out) AS sent FROM steps s JOIN steps_by_ipu i ON i.step_id = s.id
            WHERE i.ipu = 0 AND s.type = 'StreamCopyMid' AND s.detail = 'RemoteBuffer'`,
    );
    assert.equal(whole[1], sql.sent);
    assert.ok(sql.sent > 0);
    await other.close();
});

test("EXE-32 flame by debug names: a stream copy has its three phases below its name", async () => {
    const lane = lanes[0];
    const mid = lane.find((step) => step.name === "send" && step.kind === "StreamCopyMid Host");
    const phases = lane.filter(
        (step) => step.name === "send" && step.kind.startsWith("StreamCopy") && Math.abs(step.id - mid.id) <= 1,
    );
    assert.equal(phases.length, 3);
    await openTrace(page, `?trace.layout=flame&trace.from=${mid.start - 40}&trace.to=${mid.stop + 40}`);
    const where = await graph(page);
    const y = (await bandTop(page, "IPU 0")) + 8;
    await calloutAt(page, xOf(where, mid.start + 3), y, "send");
    for (const [step, at] of phases.map((one) => [
        one,
        Math.min(Math.max((one.start + one.stop) / 2, where.from + 8), where.to - 8),
    ])) {
        const tip = await calloutAt(page, xOf(where, at), y + 16, `send/${step.kind.replace(/ .*/, "")}`);
        assert.ok(tip.includes(step.kind) || tip[0].endsWith(step.kind), tip.join());
    }
});

test("flame by program: a function stands where it was called from, turns of a loop apart", async () => {
    const lane = factsOf("copies").lanes[0];
    const last = (step) => step.kind === "GlobalExchange" && step.name === "layer/across/GlobalExchange";
    const executions = lane.filter(last).slice(0, 3);
    // The steps of each execution of the function are those of its programs: a sync and the exchange.
    const parts = executions.map((step) => lane.filter((one) => one.id <= step.id && one.id >= step.id - 1));
    const calls = rows("copies", "SELECT name FROM programs WHERE type = 'Call' ORDER BY id").map((call) => call.name);
    assert.deepEqual(calls, ["one", "two"]);
    const paths = [
        ["Switch", "Sequence (calls)", "Call (one)", "Sequence (body)"],
        ...[1, 2].map(() => ["Switch", "Sequence (calls)", "Repeat (loop)", "Call (two)", "Sequence (body)"]),
    ];
    const other = await serve(["copies"]);
    const [from, to] = [parts[0][0].start - 60, executions[2].stop + 60];
    await openTrace(other.page, `?trace.from=${from}&trace.to=${to}`);
    await choose(other.page, "Execution View", "Flame by program");
    assert.equal(await text(".execution-view", other.page), "Flame by program, Runs ▾");
    const where = await graph(other.page);
    const top = (await bandTop(other.page, "IPU 0")) + 8;
    for (const [i, steps] of parts.entries()) {
        const [sync] = steps;
        const x = xOf(where, (sync.start + sync.stop) / 2);
        for (let row = 0; row < paths[i].length; ++row) {
            const path = paths[i].slice(0, row + 1).join("/");
            const tip = await calloutAt(other.page, x, top + row * 16, path);
            if (!/^(Call|Sequence \(body)/.test(paths[i][row])) continue;
            const span = [Math.min(...steps.map((one) => one.start)), Math.max(...steps.map((one) => one.stop))];
            assert.ok(tip.includes(`from ${count(span[0])} to ${count(span[1])}`), `${path}: ${tip.join()}`);
        }
        await calloutAt(other.page, x, top + paths[i].length * 16, `${paths[i].join("/")}/Sync External`);
    }
    // Its details are the steps of that iteration of the loop.
    const [turn] = parts.slice(2);
    await other.page.mouse.click(xOf(where, (turn[0].start + turn[0].stop) / 2), top + 3 * 16);
    await other.page.waitForSelector(`[data-layer="${paths[2].slice(0, 4).join("/")}"][data-loading="false"]`);
    await settled(other.page);
    const cells = await other.page
        .locator(".details-tab .table-rows .tr")
        .evaluateAll((list) => list.map((row) => row.querySelector(".td").textContent));
    assert.deepEqual(
        cells,
        turn.map((step) => count(step.id)),
    );
    await other.close();
});
