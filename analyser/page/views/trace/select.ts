// SPDX-License-Identifier: Apache-2.0
// Selection by clicks, drags and the search, and the extent of the selection.
import { loadStep, loadWindow } from "../../data/trace";
import { NONE, Span } from "../../data/rectangles";
import { JsonObject } from "../../state";
import { ViewContext } from "../view";
import { Hit, TraceModel } from "./model";
import { Place } from "./pointer";
import { areaOf, layerOf, numberOf, numbersOf } from "./state";
import { Windows } from "./windows";

/** Keys of the state for selected objects, besides the step, which all views share. */
const SELECTED = ["also", "layer", "run", "block", "event", "area"];
const NOTHING_AT: ReadonlySet<Hit["what"]> = new Set(["none", "memory", "series"]);
const NOTHING: JsonObject = { also: null, layer: null, run: null, block: null, event: null };

/** A run, a block or an event of the host, as the state has it. */
function singleOf(hit: Hit): JsonObject | null {
    if (hit.what === "run") return { run: hit.run };
    if (hit.what === "block") return { block: hit.block };
    return hit.what === "host" && hit.count === 1 ? { event: hit.block } : null;
}

/** The step of a kind on an IPU at a cycle, requested when the lane is drawn too coarsely to determine it. */
async function stepAt(model: TraceModel, hit: Hit): Promise<number> {
    const kind = model.looks.findIndex((look) => look.name === hit.kind);
    const around = { from: Math.floor(hit.cycle), to: Math.floor(hit.cycle) + 1 };
    const found = await loadWindow(
        { ...model.source, lane: hit.band.lane, ...around, pixels: 4 },
        { flame: 0, group: "", hide: "", q: "" },
    );
    for (let i = 0; i < found.step.length; ++i)
        if (found.kind[i] === kind && found.step[i] !== NONE && found.from[i] <= hit.cycle && found.to[i] >= hit.cycle)
            return found.step[i];
    return NONE;
}

/** The extent of the selection, as far as the page knows it without a request. */
function selectedOf(model: TraceModel, state: JsonObject): Span | null {
    const layer = layerOf(state);
    if (layer) return layer;
    const run = numberOf(state, "run");
    if (run !== null && model.lanes.runs[run]) return model.lanes.runs[run];
    return model.placeOf(model.block >= 0 ? "block" : "step") ?? areaOf(state);
}

const AROUND = 6; // lengths of the longer step that are shown at each side

/** Two traces, each at its own step: their windows have equal lengths, and are no longer linked. */
export async function showBoth(
    context: ViewContext,
    models: readonly TraceModel[],
    a: number | null,
    b: number | null,
): Promise<void> {
    const steps = await Promise.all(
        [a, b].map((step, i) =>
            step === null || !models[i] ? Promise.resolve(null) : loadStep(models[i].source, step),
        ),
    );
    const half = AROUND * Math.max(50, ...steps.map((step) => (step ? step.to - step.from : 0)));
    const patch: JsonObject = { ...NOTHING, linked: false, side: a === null ? 1 : null };
    steps.forEach((step, i) => {
        const centre = step ? (step.from + step.to) / 2 : null;
        patch[i ? "from1" : "from"] = centre === null ? null : Math.floor(centre - half);
        patch[i ? "to1" : "to"] = centre === null ? null : Math.ceil(centre + half);
    });
    context.update(patch);
    context.select({ step: a ?? b ?? undefined }, { replace: true });
}

export interface Selecting {
    click: (side: number, hit: Hit | null, event: MouseEvent) => void;
    area: (side: number, a: Place, b: Place) => void;
    found: (found: { step?: number; block?: number }, span: Span) => void; // by the search
    fit: () => void;
    clear: () => void;
}

/** `active` is the model that keys and the search apply to; `choose` makes another one active. */
export function useSelecting(
    context: ViewContext,
    windows: Windows,
    active: number,
    choose: (model: number) => void,
): Selecting {
    const { state, selection, update } = context;
    const { models, show, showAround } = windows;
    const model = models[active];

    const select = (side: number, hit: Hit) => {
        const none = { ...NOTHING, side: side || null, tab: "details" };
        const single = singleOf(hit);
        if (single) update({ ...none, ...single });
        else if (hit.what === "layer" || (hit.what === "several" && hit.name && hit.band.kind === "lane"))
            update({
                ...none,
                layer: {
                    name: hit.name,
                    ipu: hit.band.lane,
                    from: hit.from,
                    to: hit.to,
                    ...(models[side].tree() === "programs" ? { tree: "programs" } : {}),
                },
            });
        else if (hit.step !== NONE) {
            update(none, { gesture: "select" });
            context.select({ step: hit.step, ...(hit.tile >= 0 ? { tile: hit.tile } : {}) }, { gesture: "select" });
            return;
        } else return;
        context.select({ step: undefined }, { replace: true });
    };
    const click = (side: number, hit: Hit | null, event: MouseEvent) => {
        choose(side);
        if (!hit || NOTHING_AT.has(hit.what)) return;
        if (event.shiftKey) {
            const other = selectedOf(models[side], state);
            showAround(
                side,
                other ? { from: Math.min(other.from, hit.from), to: Math.max(other.to, hit.to) } : hit,
                "between",
            );
            return;
        }
        if (hit.band.kind === "bsp" && hit.step === NONE) {
            void stepAt(models[side], hit).then((step) => step !== NONE && click(side, { ...hit, step }, event));
            return;
        }
        if (
            (event.ctrlKey || event.metaKey) &&
            hit.step !== NONE &&
            selection.step !== undefined &&
            hit.what === "step"
        ) {
            const also = numbersOf(state, "also");
            update({
                also: also.includes(hit.step) ? also.filter((one) => one !== hit.step) : [...also, hit.step],
                tab: "details",
            });
            return;
        }
        select(side, hit);
    };
    const area = (side: number, a: Place, b: Place) => {
        const marked = [
            Math.floor(Math.min(a.cycle, b.cycle)),
            Math.ceil(Math.max(a.cycle, b.cycle)),
            Math.min(a.first, b.first),
            Math.max(a.last, b.last),
        ];
        models[side].area = { from: marked[0], to: marked[1], first: marked[2], last: marked[3] };
        update({ area: marked, side: side || null, tab: "area" }, { gesture: "area" });
    };
    const found = ({ step, block }: { step?: number; block?: number }, span: Span) => {
        update({ ...NOTHING, block: block ?? null, side: active || null, tab: "details" }, { gesture: "search" });
        context.select({ step }, { gesture: "search" });
        const shown = model.span;
        const length = shown.to - shown.from;
        if (span.from >= shown.from && span.to <= shown.to && span.to - span.from >= length / 400) return;
        const wished = Math.min(length, Math.max((span.to - span.from) * 12, 200));
        const centre = (span.from + span.to) / 2;
        show(active, { from: centre - wished / 2, to: centre + wished / 2 }, "search");
    };
    const fit = () => {
        const span = selectedOf(model, state);
        if (span) showAround(active, span, "fit");
        else if (selection.step !== undefined)
            void loadStep(model.source, selection.step).then((step) => showAround(active, step, "fit"));
    };
    const clear = () => {
        if (selection.step === undefined && SELECTED.every((key) => state[key] === undefined)) return;
        context.select({ step: undefined });
        update({ ...NOTHING, area: null }, { replace: true });
    };
    return { click, area, found, fit, clear };
}
