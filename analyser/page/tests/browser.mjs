// SPDX-License-Identifier: Apache-2.0
// Headless Chromium for the browser tests; without it, or without node_modules, a test exits 77 (skipped).
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

function chromiumPath() {
    const named = process.env.CHROMIUM;
    if (named) return named;
    for (const directory of (process.env.PATH ?? "").split(delimiter))
        for (const name of ["chromium", "chromium-browser", "google-chrome"])
            if (existsSync(join(directory, name))) return join(directory, name);
    return null;
}

/** A browser; options are playwright's. */
export async function startBrowser(options = {}) {
    const executablePath = chromiumPath();
    if (!executablePath) {
        console.log("skipped: no chromium");
        process.exit(77);
    }
    const { chromium } = await import("playwright-core").catch(() => {
        console.log("skipped: no node_modules (npm ci in analyser/page)");
        process.exit(77);
    });
    return chromium.launch({
        executablePath,
        headless: true,
        args: ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"],
        ...options,
    });
}

/** A page whose errors fail the test: exceptions, and messages of the console. */
export async function openPage(browser, url, { width = 1440, height = 900, dark = false, deviceScaleFactor = 1 } = {}) {
    const context = await browser.newContext({
        viewport: { width, height },
        deviceScaleFactor,
        colorScheme: dark ? "dark" : "light",
        reducedMotion: "reduce",
        acceptDownloads: true,
    });
    context.setDefaultTimeout(20000);
    const page = await context.newPage();
    page.problems = [];
    page.on("pageerror", (error) => page.problems.push(`exception: ${error.message}`));
    page.on("console", (message) => {
        if (message.type() === "error") page.problems.push(`console: ${message.text()}`);
    });
    await page.goto(url);
    return page;
}
