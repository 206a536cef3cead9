// SPDX-License-Identifier: Apache-2.0
// The page's frame in a browser, with mock answers: reports, reload dialog, table, URL and history, theme.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPage, startBrowser } from "./browser.mjs";
import { mockReport, startMock } from "./mock.mjs";

const browser = await startBrowser();
let server;
let reportCalls = 0;

before(async () => {
    server = await startMock({
        reports: () => {
            ++reportCalls;
            return [mockReport(0, { name: '<img src=x onerror="document.title=1">' }), mockReport(1)];
        },
    });
});
after(async () => {
    server.close();
    await browser.close();
});

test("names of a report are text", async () => {
    const page = await openPage(browser, `${server.url}#/files`);
    await page.waitForSelector(".report-name");
    assert.equal(await page.textContent(".report-name"), '<img src=x onerror="document.title=1">  ↔  report1');
    assert.equal(await page.locator(".report-name img").count(), 0);
    assert.deepEqual(page.problems, []);
    await page.context().close();
});

test("a change of files is a dialog that names them; Reload asks again", async () => {
    const page = await openPage(browser, `${server.url}#/files`);
    await page.waitForSelector(".report-name");
    await page.waitForTimeout(100);
    server.send("changed", { report: 0, files: ["profile.pop", "debug.cbor"] });
    await page.waitForSelector("dialog[open] li");
    assert.deepEqual(await page.locator("dialog li").allTextContents(), ["debug.cbor", "profile.pop"]);
    const before = reportCalls;
    await page.click("dialog .primary");
    await page.waitForSelector("dialog", { state: "detached" });
    for (let i = 0; i < 100 && reportCalls === before; ++i) await page.waitForTimeout(20);
    assert.equal(reportCalls, before + 1);
    await page.context().close();
});

test("? lists the keys, Escape closes the list", async () => {
    const page = await openPage(browser, `${server.url}#/files`);
    await page.waitForSelector(".report-name");
    await page.keyboard.press("?");
    await page.waitForSelector("dialog .keys");
    assert.match(await page.textContent("dialog"), /one step back/);
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog", { state: "detached" });
    await page.context().close();
});

test("the theme is chosen and kept", async () => {
    const page = await openPage(browser, `${server.url}#/files`);
    await page.waitForSelector(".report-name");
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(await paper(), "rgb(255, 255, 255)");
    await page.click('[aria-label="menu"]');
    await page.click("text=Dark");
    assert.equal(await paper(), "rgb(20, 24, 29)");
    await page.reload();
    await page.waitForSelector(".report-name");
    assert.equal(await paper(), "rgb(20, 24, 29)");
    await page.context().close();
});

test("a table's filter and order are in the URL; Back undoes, a reload keeps", async () => {
    const page = await openPage(browser, `${server.url}#/files`);
    const names = () => page.locator(".table-rows .tr .td:nth-child(2)").allTextContents();
    await page.waitForSelector(".table-rows .tr");
    assert.equal((await names()).length, 10);
    await page.fill('input[type="search"]', "report1");
    await page.click('[data-column="bytes"]');
    await page.waitForFunction(() => location.hash.includes("-bytes"));
    assert.deepEqual((await names()).slice(0, 2), ["debug.cbor", "profile.pop"]);
    assert.equal((await names()).length, 5);
    await page.reload();
    await page.waitForSelector(".table-rows .tr");
    assert.deepEqual((await names()).slice(0, 2), ["debug.cbor", "profile.pop"]);
    await page.goBack();
    await page.waitForFunction(() => document.querySelectorAll(".table-rows .tr").length === 10);
    assert.deepEqual(page.problems, []);
    await page.context().close();
});
