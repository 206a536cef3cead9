// SPDX-License-Identifier: Apache-2.0
// Programs, Operations, Source, Flame, Difference, SQL and the page that opens reports, used through the user interface
// on a real server; rendered values are compared with FACTS, which tests/analyser/facts.py wrote through libpva.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { before, test } from "node:test";
import { openPage } from "./browser.mjs";
import { OTHER, PVA, REPORT, at, browser, count, done, facts, serve } from "./session.mjs";

const WHERE = { cwd: dirname(REPORT) };
let one;
let two;
before(async () => {
    one = await serve([REPORT], WHERE);
    two = await serve([REPORT, OTHER], WHERE);
});
test("PRG-01 the program tree has every step under the name that the trace uses", async () => {
    const page = await at(one, "#/programs", ".tree-row");
    const known = new Set(
        facts.programs.map(({ type, name, detail }) => {
            const inner = type === "Sync" ? detail : name;
            const kind = type === "StreamCopyMid" && detail ? `${type} ${detail}` : type;
            return inner ? `${kind} (${inner})` : kind;
        }),
    );
    const seen = new Map();
    const rows = await page.$eval(".tree-rows", (element) => Math.round(element.clientHeight / 22));
    for (let top = 0; top < rows * 22; top += 200) {
        await page.$eval(
            ".tree",
            (element, y) => {
                element.scrollTop = y;
            },
            top,
        );
        await page.waitForTimeout(30);
        for (const [id, label] of await page.$$eval(".tree-label", (labels) =>
            labels.map((label) => [label.dataset.program, label.textContent]),
        ))
            seen.set(Number(id), label);
    }
    for (const label of seen.values()) assert.ok(known.has(label), `${label} is a program`);
    assert.equal(seen.size, facts.programs.length);
    const roots = await page.$$eval(".program-list button", (buttons) => buttons.length);
    assert.equal(roots, facts.control.length + facts.functions.length);
    await done(page);
});

test("PRG-01 folding, searching and selecting a step", async () => {
    const page = await at(one, "#/programs", ".tree-row");
    await page.click("text=Collapse all");
    assert.equal(await page.locator(".tree-row").count(), facts.control.length + facts.functions.length);
    await page.click("text=Expand all");
    await page.fill("[aria-label='search programs']", "OnTileExecute (head)");
    await page.waitForFunction(() => document.querySelectorAll(".tree-row.found").length === 1);
    await page.press("[aria-label='search programs']", "Enter");
    await page.waitForSelector(`.tree-row.selected [data-program="${facts.head.id}"]`);
    assert.match(await page.textContent("[data-fact=within]"), new RegExp(`^${count(facts.head.elapsed)} `));
    // The URL is updated a moment later.
    await page.waitForFunction((id) => location.hash.includes(`program=${id}`), facts.head.id);
    await page.click("[data-tab=vertices]");
    await page.waitForSelector(".table-rows .tr");
    assert.deepEqual(
        await page.locator(".table-rows .tr .td:nth-child(-n+2)").allTextContents(),
        facts.head.vertices.flatMap((v) => [v.type, count(v.count)]),
    );
    await page.click("[data-tab=variables]");
    await page.waitForSelector(".table-rows .tr");
    assert.deepEqual(await page.locator(".table-rows .tr .td:first-child").allTextContents(), facts.head.variables);
    await done(page);
});

test("PRG-02 CAP-31 the debug information of a step leads to the user's line", async () => {
    const page = await at(one, `#/programs?program=${facts.head.id}&programs.tab=debug`, ".contexts .link");
    assert.match(await page.textContent(".contexts .link"), new RegExp(`make_report.cpp:${facts.head.line}$`));
    await page.click(".contexts .link");
    await page.waitForSelector("[data-view=source][aria-current]");
    await page.waitForSelector(".table-rows .selected");
    assert.match(await page.textContent(".table-rows .selected .td:first-child"), new RegExp(`:${facts.head.line}$`));
    page.problems = page.problems.filter((text) => !text.includes("404")); // the source is not next to this report
    await done(page);
});

test("the lines of a vertex in assembly have their issue slots, beside the text of the file", async () => {
    const page = await at(await serve([process.env.ASSEMBLY]), "#/source", ".table-rows .tr");
    const rows = await page.locator(".table-rows .tr").allTextContents();
    const loop = rows.find((row) => /assembly\.S:\d+.*210/.test(row));
    assert.ok(loop, rows.join("\n"));
    await page.click(`.table-rows .tr:has-text("210")`);
    await page.waitForSelector(".source-line.selected");
    assert.match(await page.textContent(".source-line.selected"), /210.*brnzdec \$m2, 1b/);
    await page.waitForFunction(() => document.body.textContent.includes("executed 210 times, in 210 issue slots"));
    await done(page);
});

test("OPS-01 OPS-02 operations of a layer: their cycles, and all together the run", async () => {
    const page = await at(
        one,
        `#/operations?operation=${encodeURIComponent(facts.operation.name)}`,
        ".table-rows .selected",
    );
    const row = await page.locator(".table-rows .selected .td").allTextContents();
    assert.equal(row[1], facts.operation.name);
    assert.ok(row.includes(count(facts.operation.elapsed)), `${row} has ${facts.operation.elapsed}`);
    await page.click("[data-tab=steps]");
    await page.waitForFunction(
        (wanted) => document.querySelectorAll(".tabs .table-rows .tr").length === wanted,
        facts.operation.programs.length,
    );
    await page.click("[data-tab=summary]");
    await page.evaluate(() => {
        location.hash = "#/operations";
    });
    await page.waitForFunction(
        (wanted) => document.querySelector("[data-figure=elapsed]")?.textContent === wanted,
        count(facts.total),
    );
    await done(page);
});

test("OPG-01 OPG-04 the operations graph: programs and variables", async () => {
    const page = await at(
        one,
        `#/operations?operation=${encodeURIComponent(facts.operation.name)}&operations.show=graph`,
        ".graph-node",
    );
    const nodes = await page.$$eval(".graph-node", (all) => all.map((node) => node.dataset.node));
    for (const node of nodes.filter((name) => name.startsWith("program")))
        assert.ok(facts.operation.programs.includes(Number(node.split(" ")[1])), node);
    assert.ok(nodes.some((name) => name.startsWith("variable")));
    await page.click(".graph-node");
    await page.waitForSelector(".graph-edge.of-selected", { state: "attached" });
    await done(page);
});

test("flame graph: the root is the run; zoom is in the URL; the sandwich of a name", async () => {
    const page = await at(one, "#/flame", ".flame canvas");
    const legend = await page.$$eval("[data-legend]", (all) => all.map((entry) => entry.dataset.legend));
    assert.ok(legend.includes("names of the debug path") && legend.includes("OnTileExecute"), String(legend));
    await page.waitForTimeout(100);
    const area = await page.locator(".flame canvas").boundingBox();
    await page.mouse.move(area.x + 5, area.y + 5);
    await page.waitForSelector(".tooltip:not([hidden])");
    assert.match(await page.textContent(".tooltip"), new RegExp(`${count(facts.total)} cycles`));
    await page.mouse.dblclick(area.x + 5, area.y + 18 + 9);
    await page.waitForFunction(() => location.hash.includes("flame.root="));
    await page.click("[data-choice=sandwich]");
    await page.click(".table-rows .tr");
    await page.waitForSelector("[data-flame=callers]");
    const titles = await page.locator(".flame-title").allTextContents();
    assert.equal(
        titles[0].split(": ")[1],
        titles[1].split(": ")[1],
        "callers and callees of a name are worth the same",
    );
    await page.selectOption("[aria-label=metric]", "alwaysLive");
    await page.click("[data-choice=flame]");
    await page.waitForTimeout(300);
    const bytesArea = await page.locator(".flame canvas").boundingBox(); // below a legend of fewer entries
    await page.mouse.move(bytesArea.x + 6, bytesArea.y + 6);
    await page.waitForFunction(() => document.querySelector(".tooltip:not([hidden])")?.textContent.includes("100.0 %"));
    assert.match(await page.textContent(".tooltip"), /iB|B/);
    await done(page);
});

test("CMP difference: the rows of pva compare, matched by debug path", async () => {
    const page = await at(
        two,
        "#/difference?difference.table=" + encodeURIComponent('{"text":"variable model/matrix"}'),
        ".table-rows .tr",
    );
    const row = await page.locator(".table-rows .tr").first().locator(".td").allTextContents();
    assert.deepEqual(row, [
        "variable",
        "all of its name",
        "model/matrix",
        "1.0 KiB",
        "4.0 KiB",
        "+3.0 KiB",
        "+300.0 %",
    ]);
    assert.equal(facts.matrix, 1024);
    await page.selectOption("[aria-label=metric]", "variables");
    await page.waitForTimeout(300);
    const legend = await page.$$eval("[data-legend]", (all) => all.map((entry) => entry.dataset.legend));
    assert.match(legend.join("; "), /^less in \S*other; equal; more in \S*other than in \S*report$/);
    const area = await page.locator(".flame canvas").boundingBox();
    await page.mouse.move(area.x + 5, area.y + 5);
    await page.waitForFunction(() =>
        document.querySelector(".tooltip:not([hidden])")?.textContent.includes("difference +3.0 KiB"),
    );
    // Boxes whose name no row has (kinds of steps) filter by what is around them.
    await page.selectOption("[aria-label=metric]", "elapsed");
    await page.waitForTimeout(300);
    const steps = await page.locator(".flame canvas").boundingBox();
    for (const x of [0.05, 0.3, 0.6, 0.95])
        for (const y of [30, 50, 70]) {
            await page.mouse.click(steps.x + x * steps.width, steps.y + y);
            await page.waitForTimeout(60);
            assert.ok((await page.locator(".table-rows .tr").count()) > 0, `no row after a click at ${x}, ${y}`);
        }
    await done(page);
});

test("SQL: rows as a table, as a chart; a query that writes is an error; null is empty", async () => {
    const page = await at(one, "#/sql?sql.as=table", "textarea");
    await page.fill("textarea", "SELECT tile, total_including_gaps FROM memory_by_tile ORDER BY tile");
    await page.press("textarea", "Control+Enter");
    await page.waitForSelector(".table-rows .tr");
    assert.deepEqual(await page.locator(".table-rows .tr .td:nth-child(2)").allTextContents(), facts.memory.map(count));
    await page.click("[data-choice=chart]");
    await page.waitForSelector(".uplot canvas");
    await page.fill("textarea", "DELETE FROM programs");
    await page.click(".sql button.primary");
    await page.waitForSelector("[role=alert]");
    assert.match(await page.textContent("[role=alert]"), /read only/);
    await page.fill("textarea", "SELECT '<img src=x onerror=alert(1)>' AS name, NULL AS n");
    await page.click(".sql button.primary");
    await page.click("[data-choice=table]");
    await page.waitForSelector(".table-rows .tr");
    assert.deepEqual(await page.locator(".table-rows .tr .td").allTextContents(), ["<img src=x onerror=alert(1)>", ""]);
    assert.equal(await page.locator(".table-rows img").count(), 0);
    page.problems = page.problems.filter((text) => !text.includes("400"));
    await done(page);
});

test("CAP-01 CAP-02 CAP-27 opening: paths are completed, files are shown, what is no report is refused", async () => {
    const empty = await serve([], WHERE);
    const page = await at(empty, "", "#path-0");
    const parent = dirname(REPORT);
    await page.fill("#path-0", `${parent}/rep`);
    await page.waitForSelector(`.directory[data-path="${REPORT}"]`);
    assert.equal(await page.locator(".directory.report").count(), 1);
    const files = await page.locator(`.directory[data-path="${REPORT}"] .file`).allTextContents();
    for (const name of ["profile.pop", "archive.a", "debug.cbor"]) assert.ok(files.includes(name), name);
    mkdirSync(`${parent}/empty`);
    await page.fill("#path-0", `${parent}/empty`);
    await page.press("#path-0", "Enter");
    await page.waitForSelector("[role=alert]");
    assert.match(await page.textContent("[role=alert]"), /no graph profile found/i);
    await page.fill("#path-0", REPORT);
    await page.fill("#path-1", OTHER);
    await page.press("#path-1", "Enter");
    await page.waitForFunction(() => document.querySelector(".report-name")?.textContent.includes("↔"));
    page.problems = page.problems.filter((text) => !/40[0-9]/.test(text));
    await done(page);
});

test("REL-01 REL-02 REL-03 a changed file is named in a dialog that offers Reload", async () => {
    const page = await at(two, "#/files", ".table-rows .tr");
    await page.waitForTimeout(300);
    appendFileSync(`${OTHER}/app.json`, "{}\n");
    await page.waitForSelector("dialog[open]");
    assert.deepEqual(await page.locator("dialog li").allTextContents(), ["app.json"]);
    assert.match(await page.textContent("dialog"), /has finished/);
    await page.click("dialog .primary");
    await page.waitForSelector("dialog", { state: "detached" });
    await done(page);
});

test("a link shows the same thing again", async () => {
    const page = await at(
        one,
        `#/programs?program=${facts.head.id}&programs.tab=vertices&programs.search=head`,
        ".tree-row.selected",
    );
    await page.waitForSelector(".table-rows .tr");
    const shown = await page.textContent(".layout-main");
    const again = await at(one, await page.evaluate(() => location.hash), ".tree-row.selected");
    await again.waitForSelector(".table-rows .tr");
    assert.equal(await again.textContent(".layout-main"), shown);
    await done(again);
    await done(page);
});

test("pva export --to html: one file that shows the report without a server or network", async () => {
    const path = `${dirname(REPORT)}/page.html`;
    execFileSync(PVA, ["export", REPORT, "--to", "html", "--output", path]);
    const page = await openPage(browser, "about:blank");
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(`file://${path}#/programs?program=${facts.head.id}`);
    await page.waitForSelector("[data-fact=within]");
    assert.match(await page.textContent("[data-fact=within]"), new RegExp(`^${count(facts.head.elapsed)} `));
    await page.click("[data-view=operations]");
    await page.waitForFunction(
        (wanted) => document.querySelector("[data-figure=elapsed]")?.textContent === wanted,
        count(facts.total),
    );
    await page.click("[data-view=source]");
    await page.waitForSelector("[data-worst]");
    assert.ok(
        asked.every((url) => url.startsWith("file://") || url.startsWith("data:") || url.startsWith("blob:")),
        asked.join(" "),
    );
    await done(page);
});

test("INS two reports are compared in a table whose columns are below their heads, a line a row", async () => {
    const page = await at(two, "#/insights", "[data-difference]");
    const boxes = await page.$eval("table.facts:has([data-difference])", (table) =>
        [...table.rows].map((row) => [...row.cells].map((cell) => cell.getBoundingClientRect().toJSON())),
    );
    const [head, ...body] = boxes;
    for (const row of body) {
        row.forEach((cell, i) => assert.ok(Math.abs(cell.left - head[i].left) < 1, "a column below its head"));
        assert.ok(row[0].height < 30, "numbers are not broken");
    }
    await done(page);
});
