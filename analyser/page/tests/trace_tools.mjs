// SPDX-License-Identifier: Apache-2.0
// Finds positions in the trace's graph: cycles and lanes as points of the window, pixels of the canvases.

export const GUTTER = 96;
const AXIS = 24;

/** Waits until the page has sent no request for a while, and has drawn. */
export async function settled(page) {
    await page.evaluate(async () => {
        const frame = () => new Promise((done) => requestAnimationFrame(done));
        const idle = () => Number(document.documentElement.dataset.loading ?? 0) === 0;
        // Longer than the page's own delay before it requests or writes: 150 ms.
        for (let quiet = performance.now(); performance.now() - quiet < 320; await frame())
            if (!idle()) quiet = performance.now();
        await frame();
    });
}

/** Opens the trace; without parameters as all of it, flat: a trace without any opens at an iteration. */
export async function openTrace(page, parameters = "?trace.layout=flat") {
    await page.evaluate((hash) => (location.hash = hash), `#/trace${parameters}`);
    await page.reload();
    await page.waitForSelector(".trace-canvas");
    await settled(page);
}

/** {left, top, width, height} of the graph and its window of cycles. */
export async function graph(page, side = 0) {
    const box = await page.locator(".trace-canvas").nth(side).boundingBox();
    const query = new URLSearchParams(decodeURIComponent(new URL(page.url()).hash).split("?")[1] ?? "");
    const lanes = await page.evaluate(async (report) => (await fetch(`api/trace/lanes?report=${report}`)).json(), side);
    const from = Number(query.get("trace.from") ?? lanes.from);
    const to = Number(query.get("trace.to") ?? lanes.to);
    return { ...box, from, to, lanes, width: box.width - GUTTER };
}

export function xOf(where, cycle) {
    return where.x + GUTTER + ((cycle - where.from) / (where.to - where.from)) * where.width;
}

export function cycleOf(where, x) {
    return where.from + ((x - where.x - GUTTER) / where.width) * (where.to - where.from);
}

/** The upper edge of a band in the window, by title ("IPU 0", "tiles", "live memory", "tile 3"). */
export async function bandTop(page, title, nth = 0) {
    const band = page.locator(".gutter-band", { hasText: title }).nth(nth);
    return (await band.boundingBox()).y;
}

/** The height of a band in pixels. */
export async function bandHeight(page, title, nth = 0) {
    return Number(await page.locator(".gutter-band", { hasText: title }).nth(nth).getAttribute("data-height"));
}

/** The colour of the graph's canvas at a point of the window, as [r, g, b]. */
export async function pixel(page, x, y, canvas = ".trace-canvas canvas.main") {
    return page.evaluate(
        ([atX, atY, selector]) => {
            for (const element of document.querySelectorAll(selector)) {
                const box = element.getBoundingClientRect();
                if (atX < box.left || atX >= box.right || atY < box.top || atY >= box.bottom) continue;
                const ratio = element.width / box.width;
                return [
                    ...element
                        .getContext("2d")
                        .getImageData(Math.floor((atX - box.left) * ratio), Math.floor((atY - box.top) * ratio), 1, 1)
                        .data.slice(0, 3),
                ];
            }
            return null;
        },
        [x, y, canvas],
    );
}

export function near(a, b, slack = 3) {
    return a !== null && a.every((part, i) => Math.abs(part - b[i]) <= slack);
}

/** Colours of kinds in the light theme (draw/types.ts); steps that wait are hatched and have no single colour. */
export const COLOURS = {
    OnTileExecute: [213, 94, 0],
    DoExchange: [86, 180, 233],
    GlobalExchange: [0, 158, 115],
    "StreamCopyMid Host": [204, 121, 167],
    StreamCopyBegin: [234, 208, 222],
    StreamCopyEnd: [163, 88, 127],
    "Sync Internal": [240, 228, 66],
    "Sync External": [74, 78, 84],
};
export { AXIS };

/** The colours of the graph in a rectangle of the window, row by row: [[r, g, b], ...]. */
export async function pixels(page, x, y, width, height, canvas = ".trace-canvas canvas.main", nth = 0) {
    return page.evaluate(
        ([left, top, wide, high, selector, at]) => {
            const element = document.querySelectorAll(selector)[at];
            const box = element.getBoundingClientRect();
            const ratio = element.width / box.width;
            const scaled = [left - box.left, top - box.top, wide, high].map((one) => Math.round(one * ratio));
            const { data } = element.getContext("2d").getImageData(...scaled);
            return Array.from({ length: data.length / 4 }, (_, i) => [...data.slice(4 * i, 4 * i + 3)]);
        },
        [Math.floor(x), Math.floor(y), width, height, canvas, nth],
    );
}

/** A colour of the theme: "ink", "layer" ..., as [r, g, b]. */
export async function themeColour(page, name) {
    return page.evaluate((variable) => {
        const probe = document.createElement("i");
        probe.style.color = `var(--${variable})`;
        document.body.append(probe);
        const text = getComputedStyle(probe).color;
        probe.remove();
        return text.match(/\d+/g).slice(0, 3).map(Number);
    }, name);
}

/** The lines of the callout at a point of the graph, once its first line is `first`. */
export async function calloutAt(page, x, y, first) {
    await page.mouse.move(x, y);
    await page.waitForFunction((wanted) => {
        const tip = document.querySelector(".tooltip");
        return tip && !tip.hidden && tip.firstElementChild?.textContent === wanted;
    }, first);
    return page.locator(".tooltip > div").allTextContents();
}

/** Opens a menu and chooses an item by its complete text. */
export async function choose(page, menu, item) {
    await page.click(`[aria-label="${menu}"]`);
    await page
        .locator(`.menu-list [role^=menuitem]`)
        .filter({ hasText: new RegExp(`^[☑☐●○]?${item}$`) })
        .click();
    await page.mouse.click(5, 400); // a click outside closes the menu
    await settled(page);
}
