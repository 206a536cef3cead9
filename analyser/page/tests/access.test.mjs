// SPDX-License-Identifier: Apache-2.0
// Accessibility: each control is reachable with the keyboard and visible then, nothing is cut off at 200 %, and colours
// with different meanings are distinguishable with colour blindness.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";
import { OTHER, REPORT, at, done, shown } from "./session.mjs";
import { settled } from "./trace_tools.mjs";

const VIEWS = [
    ["insights", "[data-verdict]"],
    ["summary", "[data-fact]"],
    ["memory", '[data-series="total"]'],
    ["memory?memory.graph=map", '[data-graph="plan"]'],
    ["liveness", '[data-graph="liveness"]'],
    ["programs", ".tree-row"],
    ["operations", ".table-rows .tr"],
    ["operations?operations.show=graph", ".graph-node"],
    ["trace?trace.bsp=true&trace.memory=true", ".trace-canvas"],
    ["source", ".table-rows .tr"],
    ["flame", ".flame canvas"],
    ["sql", "textarea"],
    ["files", "main"],
    ["open", "#path-0"],
];

const CONTROLS = "button, input, select, textarea, a[href], summary, [tabindex]";

/** Numbers the visible, enabled controls of the page in data-control. */
function numberControls(selector) {
    let next = 0;
    for (const one of document.querySelectorAll(selector)) {
        const box = one.getBoundingClientRect();
        const style = getComputedStyle(one);
        const shownNow = box.width > 0 && box.height > 0 && style.visibility !== "hidden";
        if (!shownNow || one.disabled || one.closest("[hidden], .menu-list")) continue;
        // Arrow keys move in a list of tabs and fold a tree; the tests below cover them.
        if (one.tabIndex < 0 && one.matches("[role=tab], .tree-fold")) continue;
        one.dataset.control = String(next++);
    }
    return next;
}

for (const [fragment, ready] of VIEWS)
    test(`every control of ${fragment.split("?")[0]} is reached with Tab, and shows that it is`, async () => {
        const page = await at(await shown(REPORT), `#/${fragment}`, ready);
        await settled(page);
        const total = await page.evaluate(numberControls, CONTROLS);
        assert.ok(total > 10, `${total} controls`);
        await page.evaluate(() => document.activeElement?.blur());
        const seen = new Set();
        const unmarked = [];
        for (let i = 0; i < total + 60; ++i) {
            await page.keyboard.press("Tab");
            const at = await page.evaluate(() => {
                const one = document.activeElement;
                const style = getComputedStyle(one);
                const marked = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
                return [one.dataset.control ?? "", marked, one.outerHTML.slice(0, 120)];
            });
            if (at[0] !== "" && !at[1]) unmarked.push(at[2]);
            if (at[0] !== "") seen.add(at[0]);
        }
        const missed = await page.$$eval(
            "[data-control]",
            (all, found) =>
                all.filter((one) => !found.includes(one.dataset.control)).map((one) => one.outerHTML.slice(0, 120)),
            [...seen],
        );
        assert.deepEqual(missed, []);
        assert.deepEqual(unmarked, []);
        await done(page);
    });

test("arrow keys go through tabs, and fold and unfold a tree", async () => {
    const page = await at(await shown(REPORT), "#/memory?programs.related=false", '[role="tab"]');
    const titles = await page.locator("[role=tab]").allTextContents();
    await page.focus('[role="tab"][aria-selected="true"]');
    for (let i = 1; i <= titles.length; ++i) {
        await page.keyboard.press("ArrowRight");
        const wanted = titles[i % titles.length];
        await page.waitForFunction((title) => {
            const one = document.activeElement;
            return one.textContent === title && one.getAttribute("aria-selected") === "true";
        }, wanted);
    }
    await page.click('[data-view="programs"]');
    await page.waitForSelector(".tree-row");
    const rows = () => page.locator(".tree-row").count();
    const all = await rows();
    await page.focus(".tree");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction((many) => document.querySelectorAll(".tree-row").length < many, all);
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction((many) => document.querySelectorAll(".tree-row").length === many, all);
    await done(page);
});

for (const [fragment, ready] of VIEWS)
    test(`at 200 % no control of ${fragment.split("?")[0]} is cut off or out of reach`, async () => {
        // A window of 1440 x 900 at 200 % has 720 x 450 CSS pixels.
        const page = await at(await shown(REPORT), `#/${fragment}`, ready, {
            width: 720,
            height: 450,
            deviceScaleFactor: 2,
        });
        await settled(page);
        const cut = await page.evaluate((selector) => {
            const found = [];
            const scrolls = (one, side) =>
                /auto|scroll/.test(getComputedStyle(one)[side === "x" ? "overflowX" : "overflowY"]);
            for (const one of document.querySelectorAll(selector)) {
                const box = one.getBoundingClientRect();
                // The gutter's buttons move with the graph.
                if (!box.width || !box.height || one.closest("[hidden], .gutter")) continue;
                if (getComputedStyle(one).visibility === "hidden") continue;
                // It must be inside each clipping ancestor, unless that one scrolls to it.
                for (let above = one.parentElement; above; above = above.parentElement) {
                    const style = getComputedStyle(above);
                    const edge =
                        above === document.body || above === document.documentElement
                            ? { left: 0, top: 0, right: innerWidth, bottom: innerHeight }
                            : above.getBoundingClientRect();
                    const clipsX = style.overflowX !== "visible" || above === document.body;
                    const clipsY = style.overflowY !== "visible" || above === document.body;
                    const beyondX =
                        clipsX && !scrolls(above, "x") && (box.right > edge.right + 2 || box.left < edge.left - 2);
                    const beyondY =
                        clipsY && !scrolls(above, "y") && (box.bottom > edge.bottom + 2 || box.top < edge.top - 2);
                    if (beyondX || beyondY) {
                        found.push(`${one.outerHTML.slice(0, 100)} in ${above.className || above.tagName}`);
                        break;
                    }
                    if (scrolls(above, "x") || scrolls(above, "y")) break; // beyond, the scrolled part decides
                }
            }
            return found;
        }, "button, input, select, textarea");
        assert.deepEqual(cut, []);
        await done(page);
    });

// Simulated dichromacy in linear light: Viénot, Brettel and Mollon 1999; tritanopia by Machado 2009.
const SEEN = {
    everybody: [1, 0, 0, 0, 1, 0, 0, 0, 1],
    protanopia: [0.11238, 0.88762, 0, 0.11238, 0.88762, 0, 0.00401, -0.00401, 1],
    deuteranopia: [0.29275, 0.70725, 0, 0.29275, 0.70725, 0, -0.02234, 0.02234, 1],
    tritanopia: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
};
const linear = (part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);

/** CIE L*a*b* (D65) of a colour as seen. */
function lab(rgb, matrix) {
    const [r, g, b] = rgb.map(linear);
    const [sr, sg, sb] = [0, 3, 6].map((row) =>
        Math.min(1, Math.max(0, matrix[row] * r + matrix[row + 1] * g + matrix[row + 2] * b)),
    );
    const f = (t) => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116);
    const x = f((0.4124 * sr + 0.3576 * sg + 0.1805 * sb) / 0.95047);
    const y = f(0.2126 * sr + 0.7152 * sg + 0.0722 * sb);
    const z = f((0.0193 * sr + 0.1192 * sg + 0.9505 * sb) / 1.08883);
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}
const distance = (a, b, matrix) => Math.hypot(...lab(a, matrix).map((part, i) => part - lab(b, matrix)[i]));
const rgb = (text) =>
    text.startsWith("#")
        ? [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16))
        : text.match(/\d+/g).slice(0, 3).map(Number);
const TOLD_APART = 10; // CIE76 distance: several times the just noticeable difference (2.3)

for (const dark of [false, true])
    test(`colours of the trace's kinds differ, whoever looks: ${dark ? "dark" : "light"}`, async () => {
        const page = await at(await shown(REPORT), "#/trace", ".trace-canvas", { dark });
        await settled(page);
        if (!(await page.locator(".colour-key").count())) await page.click(`[aria-label="colour key"]`);
        const key = await page.$$eval(".colour-key [data-kind]", (all) =>
            all.map((one) => {
                const swatch = one.querySelector(".swatch") ?? one;
                const style = getComputedStyle(swatch);
                return [one.dataset.kind, style.backgroundColor, style.backgroundImage !== "none"];
            }),
        );
        assert.ok(key.length >= 6, `the key names ${key.map(([name]) => name)}`);
        for (const [sight, matrix] of Object.entries(SEEN))
            key.forEach(([a, colour, hatched], i) =>
                key.slice(i + 1).forEach(([b, other, alsoHatched]) => {
                    if (hatched || alsoHatched) return; // distinguished by hatching
                    const apart = distance(rgb(colour), rgb(other), matrix);
                    assert.ok(apart >= TOLD_APART, `${sight}: ${a} and ${b} are ${apart.toFixed(1)} apart`);
                }),
            );
        await done(page);
    });

test("heat maps go from dark to light, whoever looks; more and less differ", async () => {
    const { heat } = await load("draw/colour.ts");
    for (const [sight, matrix] of Object.entries(SEEN)) {
        const light = Array.from({ length: 33 }, (_, i) => lab(heat(i / 32).map(Math.round), matrix)[0]);
        for (let i = 1; i < light.length; ++i) assert.ok(light[i] > light[i - 1], `${sight} at ${i} of 32`);
        assert.ok(light.at(-1) - light[0] > 60, sight);
    }
    for (const dark of [false, true]) {
        const page = await at(await shown(REPORT, OTHER), "#/difference", ".table-rows .tr", { dark });
        const [more, less, paper] = await page.evaluate(() =>
            ["--more", "--less", "--paper"].map((name) =>
                getComputedStyle(document.documentElement).getPropertyValue(name).trim(),
            ),
        );
        for (const [sight, matrix] of Object.entries(SEEN)) {
            assert.ok(distance(rgb(more), rgb(less), matrix) >= TOLD_APART, `${sight}: more and less`);
            for (const one of [more, less])
                assert.ok(Math.abs(lab(rgb(one), matrix)[0] - lab(rgb(paper), matrix)[0]) > 35, sight);
        }
        await done(page);
    }
});

test("what is being typed stays when the view is drawn anew meanwhile, and counts once it is confirmed", async () => {
    const page = await at(await shown(REPORT), "#/liveness?liveness.source=tile", "[name=index]");
    await settled(page);
    for (const [fragment, field, typed] of [
        ["#/liveness?liveness.source=tile", "[name=index]", "5"],
        ["#/insights?insights.scope=tile", "[name=scope-index]", "6"],
        ["#/trace", '[aria-label="magnification in percent"]', "250"],
    ]) {
        await page.evaluate((hash) => (location.hash = hash), fragment);
        await page.waitForSelector(field);
        await settled(page);
        await page.locator(field).fill(typed);
        // A change of another part of the state renders the view again.
        await page.evaluate(() => {
            location.hash += `${location.hash.includes("?") ? "&" : "?"}tile=3`;
        });
        await settled(page);
        assert.equal(await page.inputValue(field), typed, field);
        await page.press(field, "Enter");
        await settled(page);
        assert.ok((await page.inputValue(field)).startsWith(typed), `${field} is confirmed`);
    }
    await done(page);
});
