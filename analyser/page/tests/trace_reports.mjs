// SPDX-License-Identifier: Apache-2.0
// The reports that tests/analyser/run-trace makes, and libpva's figures of their steps on each tile.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openPage } from "./browser.mjs";
import { query } from "./server.mjs";
import { browser, serve as serveWords } from "./session.mjs";
import { graph, openTrace, xOf, bandTop } from "./trace_tools.mjs";

const { PVA, REPORTS } = process.env;
const facts = JSON.parse(readFileSync(join(REPORTS, "facts.json"), "utf8"));

export const directory = (name) => join(REPORTS, name);
export const rows = (name, sql) => query(PVA, directory(name), sql);
export const pva = PVA;

export const count = (value) => value.toLocaleString("en-GB", { maximumFractionDigits: 0 });
export const percent = (share) => `${(share * 100).toFixed(1)} %`;
/** Bytes as the page shows them. */
export function bytes(value) {
    const names = ["B", "KiB", "MiB"];
    let power = 0;
    for (; value >= 1024 && power < 2; ++power) value /= 1024;
    return power === 0 ? `${count(value)} B` : `${value.toFixed(value >= 100 ? 0 : 1)} ${names[power]}`;
}

/** A report's facts; steps have `of(ipu)`: their figures on an IPU. */
export function factsOf(name) {
    const { steps, tilesPerIpu, ipus } = facts[name];
    const last = Math.max(...steps.flatMap((step) => step.ipus.map((one) => one.stop))); // the end of the last window
    const seen = (ipu) =>
        steps
            .filter((step) => step.ipus[ipu].activeTiles > 0)
            .map((step) => ({ ...step, ...step.ipus[ipu], ipu, last }));
    return { steps, tilesPerIpu, ipus, lanes: Array.from({ length: ipus }, (_, ipu) => seen(ipu)) };
}

/** The longest part of a step that no other step of the lane covers: {...step, at: its middle, seen: its length}. */
export function stretch(lane, step) {
    const others = lane.filter((one) => one.id !== step.id && one.stop > step.start && one.start < step.stop);
    const edges = [step.start, step.stop, ...others.flatMap((one) => [one.start, one.stop])]
        .filter((at) => at >= step.start && at <= step.stop)
        .sort((a, b) => a - b);
    let best = { ...step, at: 0, seen: 0 };
    for (let i = 0; i + 1 < edges.length; ++i) {
        const at = (edges[i] + edges[i + 1]) / 2;
        const seen = edges[i + 1] - edges[i];
        if (seen > best.seen && !others.some((one) => one.start < at && one.stop > at)) best = { ...step, at, seen };
    }
    return best;
}

/** Among a lane's steps that `accept` takes, the one with the longest visible part. */
export function alone(lane, accept) {
    const best = lane
        .filter(accept)
        .map((step) => stretch(lane, step))
        .reduce((a, b) => (b.seen > a.seen ? b : a), { seen: 0 });
    assert.ok(best.seen > 0, "the report has such a step, and it is seen");
    return best;
}

/** A server of reports and a page of it. `close` also asserts that the page had no problems; after a failed test the
 * session closes them. */
export async function serve(names, options = {}) {
    const url = await serveWords(names.map(directory));
    const page = await openPage(browser, url, options);
    return {
        page,
        url,
        close: async () => {
            assert.deepEqual(page.problems, []);
            await page.context().close();
        },
    };
}

/** Opens the trace so that a step's visible part has a quarter of the width; returns the point where it is, and the
 * graph. */
export async function around(page, step, parameters = "") {
    const half = Math.max(16, step.seen * 2);
    const [from, to] = [Math.max(0, Math.floor(step.at - half)), Math.min(step.last, Math.ceil(step.at + half))];
    await openTrace(page, `?trace.from=${from}&trace.to=${to}${parameters}`);
    const where = await graph(page);
    return { where, x: xOf(where, step.at), y: (await bandTop(page, `IPU ${step.ipu}`)) + 2 };
}
