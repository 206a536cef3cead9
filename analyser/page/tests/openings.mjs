// SPDX-License-Identifier: Apache-2.0
// openings.mjs PVA DIRECTORY REPORT...: pictures of every view of reports as it opens, light and dark, at 1024 and 1440
// pixels: DIRECTORY/REPORT-VIEW-WIDTH[-dark].png, and all of them on one sheet, DIRECTORY/REPORT.jpg.  Prints a view
// whose page has problems, or a tab that asks for a click where there is an answer.
import { mkdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { openPage, startBrowser } from "./browser.mjs";
import { startServer } from "./server.mjs";
import { settled } from "./trace_tools.mjs";

const [pva, directory, ...reports] = process.argv.slice(2);
const SERVED = new Set(["landing", "difference", "files"]);
const views = [...readFileSync(new URL("../views/index.ts", import.meta.url), "utf8").matchAll(/from "\.\/(\w+)"/g)]
    .map((found) => found[1])
    .filter((id) => !SERVED.has(id) && id !== "view");
mkdirSync(directory, { recursive: true });
const browser = await startBrowser();
let wrong = 0;

/** A row for each view: light and dark at 1440 pixels, light and dark at 1024. */
async function sheet(report) {
    const picture = (view, kind) => {
        const data = readFileSync(`${directory}/${report}-${view}-${kind}.png`).toString("base64");
        return `<img src="data:image/png;base64,${data}" style="width:340px;margin:2px;vertical-align:top">`;
    };
    const kinds = ["1440", "1440-dark", "1024", "1024-dark"];
    const rows = views.map((view) => `<div>${kinds.map((kind) => picture(view, kind)).join("")}</div>`);
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    await page.setContent(`<body style="margin:4px;background:#888">${rows.join("")}</body>`);
    await page.screenshot({ path: `${directory}/${report}.jpg`, fullPage: true, type: "jpeg", quality: 50 });
    await page.close();
}
for (const report of reports) {
    const server = await startServer(pva, [report]);
    for (const view of views)
        for (const [width, dark] of [
            [1024, false],
            [1024, true],
            [1440, false],
            [1440, true],
        ]) {
            const page = await openPage(browser, `${server.url}#/${view}`, { width, height: 900, dark });
            await page.waitForSelector("main");
            await settled(page);
            const name = `${basename(report)}-${view}-${width}${dark ? "-dark" : ""}`;
            await page.screenshot({ path: `${directory}/${name}.png` });
            const asks = await page.$$eval(".empty", (all) =>
                all.map((one) => one.textContent).filter((text) => /^(Click|Select) /.test(text)),
            );
            // Nodes of an ONNX model have no text: the server answers 404, and the view says that it cannot be read.
            const node = /\.onnx:\S*: the text is not shown/.test(await page.textContent("main"));
            const known = (text) => node && text.includes("status of 404");
            for (const text of [...page.problems.filter((one) => !known(one)), ...asks]) {
                console.log(`${name}: ${text}`);
                ++wrong;
            }
            await page.context().close();
        }
    await sheet(basename(report));
    await server.close();
}
await browser.close();
process.exit(wrong ? 1 : 0);
