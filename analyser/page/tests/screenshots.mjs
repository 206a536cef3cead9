// SPDX-License-Identifier: Apache-2.0
// screenshots.mjs PVA REPORT OTHER ONNX DIRECTORY: pictures of the page for docs/reports/analyser.md, of two real
// reports, and for docs/libraries/onnx.md, of that of an
// ONNX model.  NAME of a picture is that of its view, and of its file unless it has one.
import { readFileSync } from "node:fs";
import { openPage, startBrowser } from "./browser.mjs";
import { startServer } from "./server.mjs";

const [pva, report, other, onnx, directory] = process.argv.slice(2);

const SQL = "SELECT s.id AS step, l.bytes FROM liveness_steps s JOIN live_lists l ON l.id = s.list ORDER BY s.id";
// Reports (one, two, or 3: the ONNX model's), fragment, selector to wait for, actions, theme.
const PICTURES = [
    { name: "insights", of: 1, fragment: "#/insights" },
    {
        name: "trace",
        of: 1,
        fragment: "#/trace?trace.layout=flame&trace.bsp=true&trace.from=1062000&trace.to=1122000",
        ready: "canvas",
    },
    { name: "memory", of: 1, fragment: "#/memory?memory.breakdown=category&memory.tiles=0", ready: "[data-detail]" },
    { name: "liveness", of: 1, fragment: "#/liveness", ready: ".table-rows .tr" },
    {
        name: "programs",
        of: 1,
        fragment: "#/programs?programs.search=Convolve&programs.tab=tiles",
        ready: ".tree-row",
        first: async (page) => {
            await page.press("[aria-label='search programs']", "Enter");
            await page.click(".tree-row:has-text('OnTileExecute (second/Convolve)')");
        },
    },
    {
        name: "source",
        of: 1,
        fragment: "#/source",
        ready: ".table-rows .tr",
        first: (page) => page.click(".table-rows .tr:has-text('mlp.c')"),
    },
    { name: "flame", of: 1, fragment: "#/flame?flame.root=first", ready: ".flame canvas" },
    { name: "difference", of: 2, fragment: "#/difference", ready: ".table-rows .tr" },
    {
        name: "sql",
        of: 1,
        fragment: `#/sql?sql.q=${encodeURIComponent(SQL)}&sql.as=chart`,
        ready: ".uplot canvas",
        dark: true,
    },
    {
        name: "operations",
        of: 3,
        file: "onnx-operations",
        fragment: "#/operations?operations.layer=onnx",
        ready: ".table-rows .tr",
    },
    {
        name: "operations",
        of: 3,
        file: "analyser-roofline",
        fragment: "#/operations?operations.show=roofline",
        ready: ".roofline canvas",
    },
    { name: "flame", of: 3, file: "onnx-flame", fragment: "#/flame", ready: ".flame canvas" },
];

const views = new Set(
    [...readFileSync(new URL("../views/index.ts", import.meta.url), "utf8").matchAll(/from "\.\/(\w+)"/g)].map(
        (found) => found[1],
    ),
);
const browser = await startBrowser();
const servers = [
    await startServer(pva, [report]),
    await startServer(pva, [report, other]),
    await startServer(pva, [onnx]),
];
for (const picture of PICTURES.filter((one) => views.has(one.name))) {
    const page = await openPage(browser, servers[picture.of - 1].url + picture.fragment, {
        width: 1280,
        height: 720,
        dark: picture.dark,
    });
    await page.waitForSelector(picture.ready ?? "main");
    await picture.first?.(page);
    await page.mouse.move(2, 700);
    await page.waitForTimeout(800);
    await page.waitForFunction(() => document.documentElement.dataset.loading === "0");
    await page.waitForTimeout(200);
    await page.screenshot({ path: `${directory}/${picture.file ?? `analyser-${picture.name}`}.png` });
    if (page.problems.length) console.log(picture.name, page.problems);
    await page.context().close();
}
await browser.close();
for (const server of servers) await server.close();
