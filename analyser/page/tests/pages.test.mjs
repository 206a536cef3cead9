// SPDX-License-Identifier: Apache-2.0
// Sets of reports, old and partial reports, the parts of Insights, comparing sources, saving graphs: used through the
// user interface on a real server; rendered values are compared with FACTS (tests/analyser/facts.py) and pva query.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
    copyFileSync,
    cpSync,
    existsSync,
    mkdirSync,
    readFileSync,
    readdirSync,
    renameSync,
    statSync,
    symlinkSync,
    utimesSync,
    writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { before, test } from "node:test";
import { openPage } from "./browser.mjs";
import { query } from "./server.mjs";
import { OTHER, PVA, REPORT, at, browser, change, count, done, facts, saved, serve, menu } from "./session.mjs";

const work = dirname(REPORT);
let one;
let two;
before(async () => {
    one = await serve([REPORT]);
    two = await serve([REPORT, OTHER]);
});

test(
    "CAP-08 CON-01 files of the old formats are refused, " + "and named; beside profile.pop they are not read",
    async () => {
        const old = join(work, "old");
        mkdirSync(old);
        for (const name of ["graph.json", "execution.json"]) copyFileSync(join(REPORT, name), join(old, name));
        const refused = spawnSync(PVA, ["serve", old, "--no-browser"], { encoding: "utf8" });
        assert.notEqual(refused.status, 0);
        assert.match(refused.stderr, /no graph profile found.*graph\.json is of an old format/);
        const page = await at(await serve(), "", "#path-0");
        await page.fill("#path-0", old);
        await page.press("#path-0", "Enter");
        await page.waitForSelector("[role=alert]");
        assert.match(await page.textContent("[role=alert]"), /graph\.json is of an old format/);
        page.problems = page.problems.filter((text) => !text.includes("404"));
        await done(page);
        const names = await (await fetch(`${one}api/reports`)).json();
        assert.ok(names[0].files.every((file) => !/^(graph|execution)\.json$/.test(file.name)));
    },
);

test("CAP-35 the page that opens reports has a link to getting started", async () => {
    const page = await at(await serve(), "", "#path-0");
    await page.click("text=Getting started");
    await page.waitForSelector("dialog[open]");
    assert.match(await page.textContent("dialog"), /autoReport\.all/);
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog", { state: "detached" });
    await done(page);
});

test("HLP-01 the documentation is searched inside the page", async () => {
    const page = await at(await serve([REPORT]), "#/insights", "[data-verdict]");
    await menu(page, "menu", "Search the documentation");
    await page.waitForSelector(".help-page");
    await page.fill(".help-search", "critical-path cycles");
    await page.waitForSelector("dialog [role=status]");
    const first = page.locator(".help-list button").first();
    const title = await first.textContent();
    await first.click();
    const [shown] = await page.locator(".help-section h3").allTextContents();
    assert.ok(title.endsWith(shown.split(": ").at(-1)), `${title} opens ${shown}`);
    assert.match((await page.textContent(".help-section")).toLowerCase(), /critical-path/);
    await page.fill(".help-search", "zebra");
    assert.match(await page.textContent("dialog [role=status]"), /Nothing was found/);
    await page.click('dialog [aria-label="close"]');
    await page.waitForSelector("dialog", { state: "detached" });
    await done(page);
});

test("CAP-01 MEM-01 archive.a alone: the total of each tile", async () => {
    const alone = join(work, "archive");
    mkdirSync(alone);
    copyFileSync(join(REPORT, "archive.a"), join(alone, "archive.a"));
    const url = await serve([alone]);
    const page = await at(url, "#/memory?memory.tiles=5", '[data-detail="Memory excluding gaps"]');
    const wanted = query(PVA, alone, "SELECT total FROM memory_by_tile WHERE tile = 5")[0].total;
    const tip = await page.getAttribute('[data-detail="Memory excluding gaps"] td:nth-child(2)', "data-tip");
    assert.equal(tip, `Memory excluding gaps, Tile 5: ${count(wanted)} bytes`);
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(".graph-buttons >> text=CSV")]);
    const lines = readFileSync(await download.path(), "utf8")
        .trim()
        .split("\r\n")
        .slice(1);
    assert.deepEqual(
        lines.map((line) => Number(line.split(",")[3])),
        query(PVA, alone, "SELECT total FROM memory_by_tile ORDER BY tile").map((row) => row.total),
    );
    await page.click('[data-view="insights"]');
    await page.waitForSelector('[data-figure="used"]');
    assert.match(await page.textContent("main"), /Nothing was executed/);
    await done(page);
});

test("CON-02 SUM-07 the four kinds of data: which of them the report has", async () => {
    const page = await at(one, "#/summary", "[data-file]");
    for (const kind of ["Graph Profile", "Execution Profile", "Lowered Variables"])
        assert.equal(await page.textContent(`[data-file="${kind}"]`), "profile.pop");
    assert.equal(await page.textContent('[data-fact="Type"]'), "IPUModel"); // the summary report: host and environment
    assert.match(await page.textContent('[data-fact="Poplar version"]'), /^\d+\.\d+/);
    await done(page);
    const compiled = join(work, "compiled");
    cpSync(REPORT, compiled, { recursive: true });
    change(compiled, "UPDATE format SET execution = 0, lowered_vars = 0");
    const other = await at(await serve([compiled]), "#/summary", "[data-file]");
    assert.equal(await other.textContent('[data-file="Graph Profile"]'), "profile.pop");
    for (const kind of ["Execution Profile", "Lowered Variables"])
        assert.equal(await other.textContent(`[data-file="${kind}"]`), "not recorded");
    await done(other);
});

/** A directory as a framework writes it, with reports in subdirectories, the last one newest; debug.cbor may be a
 * link. */
function framework(name, members, shared) {
    const top = join(work, name);
    mkdirSync(top);
    members.forEach((member, i) => {
        cpSync(REPORT, join(top, member), { recursive: true });
        utimesSync(join(top, member, "profile.pop"), 1000 + i, 1000 + i);
        if (!shared) return;
        renameSync(join(top, member, "debug.cbor"), join(top, "debug.cbor"));
        symlinkSync("../debug.cbor", join(top, member, "debug.cbor"));
    });
    return top;
}

for (const [id, name, members, shared] of [
    ["CAP-32", "tensorflow", ["2026-11-22T10-00-00.000000_41", "2026-11-22T10-05-00.000000_41"], true],
    ["CAP-33", "popart", ["inference", "training"], false],
    ["CAP-34", "pytorch", ["inference", "training"], false],
])
    test(`${id} the directories that ${name} writes open as one set`, async () => {
        const top = framework(name, members, shared);
        if (shared) writeFileSync(join(top, members[0], "framework.json"), JSON.stringify({ cluster: "cluster_7" }));
        const page = await at(await serve([top]), "#/insights", "[data-verdict]");
        assert.equal(await page.textContent(".report-name"), `${name}/${members[1]}`); // the newest
        await page.click('[aria-label="reports"]');
        const titles = await page.locator("[role=menuitemradio]").allTextContents();
        assert.deepEqual(
            titles.map((title) => title.replace(/^[○●]\s*/, "")),
            shared ? [`${members[0]} (cluster_7)`, members[1]] : members,
        );
        await page.locator("[role=menuitemradio]").first().click();
        await page.waitForFunction(
            (wanted) => document.querySelector(".report-name")?.textContent === wanted,
            `${name}/${members[0]}`,
        );
        const [report] = await (await fetch(new URL("api/reports", page.url()))).json();
        assert.equal(report.hasDebug, true);
        assert.ok(existsSync(join(top, members[0], "debug.cbor")));
        await done(page);
    });

test("CAP-32 CAP-33 CAP-34 INS-04 INS-05 memory of the model, an IPU and a tile, by its use", async () => {
    const page = await at(one, "#/insights", "[data-list]");
    const list = async (title) => {
        await page.waitForSelector(`[data-list="${title}"]`);
        return page.$$eval(`[data-list="${title}"] tr`, (rows) => rows.map((row) => row.dataset.tip));
    };
    const tips = (rows) => rows.map((row) => `${row.name}\n${count(row.bytes)} bytes`);
    const sql = (bytes, table) =>
        query(
            PVA,
            REPORT,
            `SELECT * FROM (SELECT name, ${bytes} AS bytes FROM ` +
                `${table}) WHERE bytes > 0 ORDER BY bytes DESC, name LIMIT 10`,
        );
    assert.deepEqual(await list("Code by vertex type"), tips(sql("code_bytes", "vertex_types")));
    await page.click("[data-choice=variables]");
    assert.deepEqual(await list("Variables, each alone"), tips(sql("bytes", "variables")));
    await page.click(".scope-bar [data-choice=tile]");
    await page.fill("[name=scope-index]", "5");
    await page.press("[name=scope-index]", "Enter");
    const onTile = "(SELECT sum(value) FROM array(bytes_by_tile, 8) WHERE i = 5)";
    const wanted = tips(sql(onTile, "variables"));
    await page.waitForFunction(
        (tips) =>
            [...document.querySelectorAll('[data-list="Variables, each alone"] tr')]
                .map((row) => row.dataset.tip)
                .join("\n") === tips,
        wanted.join("\n"),
    );
    assert.match(
        await page.textContent("[data-figure=scope-used]"),
        new RegExp(`^${(facts.used[5] / 1024).toFixed(1)} KiB`),
    );
    await page.click("[data-choice=exchanges]");
    assert.deepEqual(
        await list("Code of exchanges"),
        tips(sql("(SELECT sum(value) FROM array(code_bytes_by_tile, 8) WHERE i = 5)", "exchanges")),
    );
    await page.click("[data-choice=steps]");
    assert.ok((await list("Live at program steps")).length > 0);
    await page.fill("[name=scope-index]", "99");
    await page.press("[name=scope-index]", "Enter");
    await page.waitForSelector("text=no tile 99");
    page.problems = page.problems.filter((text) => !text.includes("400"));
    await done(page);
});

test("CMP-02 lines of two reports beside each other", async () => {
    const page = await at(two, "#/source", ".table-rows .tr");
    await page.waitForFunction(() =>
        [...document.querySelectorAll("[role=columnheader]")].some((head) => head.textContent.includes("Difference")),
    );
    const rows = await page.$$eval(".table-rows .tr", (all) =>
        all.map((row) => [...row.querySelectorAll(".td")].map((cell) => cell.textContent)),
    );
    assert.ok(rows.length > 1);
    // The programs of both reports are equal, so no line differs.
    for (const [place, cycles, other, difference] of rows) {
        assert.equal(other, cycles, place);
        assert.equal(difference, "0 (0.00 %)", place);
    }
    await page.click('.table-bar [data-choice="1"], [data-choice="1"]');
    await page.waitForFunction(() => location.hash.includes("source.report=1"));
    await page.waitForSelector(".table-rows .tr");
    page.problems = page.problems.filter((text) => !text.includes("404")); // the source is not next to this report
    await done(page);
});

for (const [what, fragment, ready, name, texts] of [
    ["memory by tile", "#/memory", '[data-series="total"]', "memory", ["Tiles (software order)"]],
    ["tile map", "#/memory?memory.graph=map", '[data-graph="plan"]', "tile-map", ["<image"]],
    ["addresses", "#/memory?memory.tiles=5&memory.tab=layout", ".layout-map canvas", "addresses", ["0 to "]],
    ["liveness", "#/liveness", '[data-graph="liveness"]', "liveness", ["Steps of the program"]],
    ["operations", "#/operations?operations.show=graph", ".graph-node", "operations", ["<text"]],
    ["flame", "#/flame", ".flame canvas", "flame", ["<text"]],
    [
        "VIW-08 plot",
        `#/programs?program=${facts.head.id}&programs.tab=tiles`,
        ".uplot canvas",
        "cycles-by-tile",
        ["Tile", "Estimated cycles of one execution"],
    ],
])
    test(`VIW-08 the graph of ${what} is saved as PNG and as SVG`, async () => {
        const page = await at(one, fragment, ready);
        await page.waitForTimeout(400);
        const base = what === "addresses" ? ".layout-map " : what === "plot" ? ".plot-frame " : "";
        const png = await saved(page, `${base}button:text-is("PNG")`);
        assert.equal(png.name, `${name}.png`);
        assert.deepEqual([...png.data.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
        const svg = await saved(page, `${base}button:text-is("SVG")`);
        assert.equal(svg.name, `${name}.svg`);
        const text = svg.data.toString();
        for (const part of texts) assert.ok(text.includes(part), `${name}.svg has ${part}`);
        const problem = await page.evaluate(
            (file) =>
                new DOMParser().parseFromString(file, "image/svg+xml").querySelector("parsererror")?.textContent ?? "",
            text,
        );
        assert.equal(problem, "");
        assert.ok((text.match(/<(rect|path|image)/g) ?? []).length > 1);
        await done(page);
    });

test("an exported page has trace, memory and liveness, asks nobody, and shows what libpva says", async () => {
    const file = join(work, "exported.html");
    execFileSync(PVA, ["export", REPORT, "--to", "html", "--output", file]);
    // 1.2 times the compressed report, beside the page's own code.
    const packed = readdirSync(REPORT).reduce(
        (all, name) => all + gzipSync(readFileSync(join(REPORT, name))).length,
        0,
    );
    assert.ok(statSync(file).size < 1.2 * packed + 200000, `${statSync(file).size} bytes, the report ${packed}`);
    const page = await openPage(browser, "about:blank");
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(`file://${file}#/trace?trace.tab=summary`);
    await page.waitForSelector('[data-row="cycles"] td');
    assert.match(await page.textContent('[data-row="cycles"] td'), new RegExp(`^${count(facts.total)} cycles`));
    await page.fill(".trace-search", "head");
    await page.press(".trace-search", "Enter");
    await page.waitForFunction(() => /step=\d+/.test(location.hash));
    const step = Number(/[?&]step=(\d+)/.exec(await page.evaluate(() => location.hash))[1]);
    const [found] = query(
        PVA,
        REPORT,
        `SELECT p.name FROM executed e JOIN programs p ON p.id = e.program WHERE e.id = ${step}`,
    );
    assert.match(found.name, /head/);
    await page.goto(`file://${file}#/memory?memory.tiles=5`);
    await page.reload();
    await page.waitForSelector('[data-detail="Memory excluding gaps"]');
    const tip = await page.getAttribute('[data-detail="Memory excluding gaps"] td:nth-child(2)', "data-tip");
    assert.equal(tip, `Memory excluding gaps, Tile 5: ${count(facts.used[5])} bytes`);
    const memory = await saved(page, ".graph-buttons button:text-is('CSV')");
    const totals = memory.data
        .toString()
        .trim()
        .split("\r\n")
        .slice(1)
        .map((line) => Number(line.split(",")[3]));
    assert.deepEqual(totals, facts.used);
    await page.click("[data-view=liveness]");
    await page.waitForSelector('[data-graph="liveness"]');
    await page.waitForTimeout(400);
    const live = await saved(page, ".graph-buttons button:text-is('CSV')");
    const bytes = live.data
        .toString()
        .trim()
        .split("\r\n")
        .slice(1)
        .map((line) => Number(line.split(",").at(-3)));
    assert.deepEqual(bytes, facts.live);
    assert.ok(
        asked.every((url) => /^(file|data|blob):/.test(url)),
        asked.join(" "),
    );
    await done(page);
});
