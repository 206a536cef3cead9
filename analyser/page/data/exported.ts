// SPDX-License-Identifier: Apache-2.0
// An exported page (`pva export DIR --to html`) embeds the answers, which replace the server.
import { setSource } from "./client";
import { encodeColumns } from "./encode";
import { Answer, Answers, Asked } from "./exported/answers";
import { listOf, livenessSteps, memoryTiles, ofAllTiles } from "./exported/memory";
import { ofWhole, traceBsp, traceSearch, traceSummary, traceWindow } from "./exported/trace";

const element = typeof document === "undefined" ? null : document.getElementById("answers");

/** Whether this page was exported. */
export const exported = element !== null;

/** Requests that depend on a window, a list or a search: their answers are computed from the embedded answer for the
 * whole. */
const MADE: { readonly [path: string]: (answers: Answers, asked: Asked) => Answer } = {
    "trace/window": traceWindow,
    "trace/search": traceSearch,
    "trace/summary": traceSummary,
    "trace/bsp": traceBsp,
    "trace/memory": ofWhole("trace/memory", ["lane"]),
    "trace/blocks": ofWhole("trace/blocks", ["io", "tile"]),
    "memory/tiles": memoryTiles,
    "memory/tile": listOf("memory/tile", "tiles"),
    "liveness/steps": livenessSteps,
    "liveness/step": listOf("liveness/step", "steps"),
    "liveness/always": ofAllTiles("liveness/always", []),
    "liveness/variable": ofAllTiles("liveness/variable", ["name"]),
};
const REFUSED = JSON.stringify({
    error: "this exported page does not contain it; open the report with pva serve",
    status: "",
});

function respond(answers: Answers, url: string): Response {
    const [path, query] = url.replace(/^api\//, "").split("?");
    const asked = Object.fromEntries([...new URLSearchParams(query ?? "")].filter(([name]) => name !== "report"));
    const kept = answers.raw(path, asked);
    if (kept) return new Response(kept);
    const made = MADE[path]?.(answers, asked);
    if (!made) return new Response(REFUSED, { status: 404 });
    if ("json" in made) return new Response(JSON.stringify(made.json));
    return new Response(encodeColumns(made.meta, made.columns));
}

/** Makes the page use its embedded answers. */
export function startExported(): void {
    const { tremulaAnswers } = globalThis as { tremulaAnswers?: ArrayBuffer };
    if (!tremulaAnswers) return;
    const answers = new Answers(tremulaAnswers);
    setSource({ fetch: (url) => Promise.resolve(respond(answers, url)) });
}
