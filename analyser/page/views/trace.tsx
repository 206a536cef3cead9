// SPDX-License-Identifier: Apache-2.0
// The execution trace: what every step did, when, on which IPU and tile.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useJson } from "../data/load";
import { TraceLanes, TraceStep, loadStep, loadWindow } from "../data/trace";
import { BLOCK_KINDS } from "../data/trace_blocks";
import { Span, aroundSpan } from "../draw/scale";
import { typeLooks } from "../draw/types";
import { isDark, usePreferences } from "../preferences";
import { JsonObject } from "../state";
import { useKeys } from "../ui/keys";
import { Layout } from "../ui/layout";
import { Empty, Tabs } from "../ui/tabs";
import { count, cycles, time } from "../ui/format";
import { hideTip, showTip } from "../ui/tooltip";
import { themeColour } from "../ui/theme";
import { AreaTab } from "./trace/area";
import { calloutOf } from "./trace/callout";
import { DetailsTab } from "./trace/details";
import { Graph } from "./trace/graph";
import { MOUSE, Mover, moveKeys } from "./trace/keys";
import { Area, Hit, Layer, TraceModel } from "./trace/model";
import { TraceOptions, hiddenKinds, optionsOf } from "./trace/options";
import { OptionsPanel } from "./trace/panel";
import { Place } from "./trace/pointer";
import { SummaryTab } from "./trace/summary";
import { Toolbar } from "./trace/toolbar";
import { NONE } from "../draw/lanes";
import "./trace.css";
import { View, ViewContext } from "./view";

const WRITE_AFTER = 120; // ms: the window goes to the URL when it rests
const ASK_AFTER = 90; // ms: what the callout says beyond the rectangle

function numberOf(state: JsonObject, key: string): number | null {
    const value = state[key];
    return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** The window of a model (0, or 1 of the compared report) in the state. */
function spanOf(state: JsonObject, model: number): Span | null {
    const suffix = model ? "1" : "";
    const [from, to] = [numberOf(state, `from${suffix}`), numberOf(state, `to${suffix}`)];
    return from !== null && to !== null && to > from ? { from, to } : null;
}

function layerOf(state: JsonObject): Layer | null {
    const value = state.layer;
    return value && typeof value === "object" && !Array.isArray(value) ? (value as unknown as Layer) : null;
}

function areaOf(state: JsonObject): Area | null {
    const value = state.area;
    if (!Array.isArray(value) || value.length !== 4 || value.some((one) => typeof one !== "number")) return null;
    const [from, to, first, last] = value as number[];
    return { from, to, first, last };
}

function numbersOf(state: JsonObject, key: string): number[] {
    const value = state[key];
    return Array.isArray(value) ? value.filter((one): one is number => typeof one === "number") : [];
}

function useModels(lanes: readonly TraceLanes[], options: TraceOptions, state: JsonObject): TraceModel[] {
    const models = useMemo(() => lanes.map((one, i) => new TraceModel(i, one, options, spanOf(state, options.linked ? 0 : i))), lanes);
    useEffect(() => () => models.forEach((model) => model.dispose()), [models]);
    return models;
}

function Trace({ context, lanes }: { context: ViewContext; lanes: readonly TraceLanes[] }) {
    const { state, selection, update } = context;
    const { theme } = usePreferences();
    const options = optionsOf(state);
    const search = typeof state.q === "string" ? state.q : "";
    const models = useModels(lanes, options, state);
    const written = useRef("");
    const timer = useRef(0);
    const [active, setActive] = useState(0); // the model that the keys move
    const folded = Array.isArray(state.folded) ? state.folded.filter((one): one is string => typeof one === "string") : [];
    const looks = useMemo(() => typeLooks([...lanes[0].kinds.map((kind) => kind.name), ...BLOCK_KINDS], isDark(), themeColour("paper")), [lanes, theme, isDark()]);

    // What the URL says goes to the models; what the models have written is not read back.
    const spans = JSON.stringify(models.map((_, i) => spanOf(state, options.linked ? 0 : i)));
    useEffect(() => {
        if (spans === written.current) return;
        written.current = spans;
        models.forEach((model, i) => model.setSpan(spanOf(state, options.linked ? 0 : i) ?? model.extent));
    }, [spans, models]);
    const optionsKey = JSON.stringify([options, search, folded]);
    useEffect(() => models.forEach((model) => model.configure(options, search, new Set(folded))), [models, optionsKey]);
    const part = JSON.stringify([selection.step, state.also, state.layer, state.run, state.area, state.side]);
    useEffect(() => {
        models.forEach((model, i) => {
            const mine = (numberOf(state, "side") ?? 0) === i;
            model.looks = looks;
            model.step = mine ? (selection.step ?? -1) : -1;
            model.also = mine ? numbersOf(state, "also") : [];
            model.layer = mine ? layerOf(state) : null;
            model.run = mine ? (numberOf(state, "run") ?? -1) : -1;
            model.area = mine ? areaOf(state) : null;
            model.invalidate();
        });
    }, [models, part, looks]);

    const writeSpans = (gesture: string) => {
        clearTimeout(timer.current);
        const write = () => {
            const patch: JsonObject = {};
            models.forEach((model, i) => {
                if (i && options.linked) return;
                const suffix = i ? "1" : "";
                const all = model.span.from <= model.extent.from && model.span.to >= model.extent.to;
                patch[`from${suffix}`] = all ? null : Math.floor(model.span.from * 100) / 100;
                patch[`to${suffix}`] = all ? null : Math.ceil(model.span.to * 100) / 100;
            });
            written.current = JSON.stringify(models.map((_, i) => spanOf(patch, options.linked ? 0 : i)));
            update(patch, { gesture: `window ${gesture}` });
        };
        timer.current = window.setTimeout(write, WRITE_AFTER);
    };
    useEffect(() => () => clearTimeout(timer.current), []);
    const setWindow = (from: number, span: Span, gesture: string) => {
        models[from].setSpan(span);
        if (options.linked) models.forEach((model, i) => i !== from && model.setSpan(span));
        const { clockFrequency } = models[from].lanes;
        const length = models[from].span.to - models[from].span.from;
        context.status(`window: ${cycles(Math.round(length))}${clockFrequency ? ` (${time(length, clockFrequency)})` : ""}, from ${count(Math.round(models[from].span.from))}`);
        writeSpans(gesture);
    };

    const model = models[Math.min(active, models.length - 1)];
    const mover = useMemo(() => new Mover(() => model, (span, gesture) => setWindow(models.indexOf(model), span, gesture)), [model, options.linked]);
    useEffect(() => () => mover.stop(), [mover]);
    const selectedSpan = (): Span | null => selectedOf(model, state) ?? null;
    const goTo = (span: Span | null) => span && setWindow(models.indexOf(model), aroundSpan(span, model.extent), `to ${performance.now()}`);
    const fit = () => {
        const span = selectedSpan();
        if (span) goTo(span);
        else if (selection.step !== undefined) void loadStep(model.report, selection.step).then((step) => goTo(step));
    };
    const clear = () => {
        context.select({ step: undefined });
        update({ also: null, layer: null, run: null, area: null }, { replace: true });
    };
    const anything = selection.step !== undefined || ["also", "layer", "run", "area"].some((key) => state[key] !== undefined);
    useKeys([
        ...moveKeys(mover),
        { key: "f", what: "fit the selection", group: "Trace", run: fit },
        { key: "0", what: "show all", group: "Trace", run: () => setWindow(models.indexOf(model), model.extent, `all ${performance.now()}`) },
        { key: "/", what: "search", group: "Trace", run: () => document.querySelector<HTMLInputElement>(".trace-search")?.focus() },
        { key: "c", what: "clear the selection", group: "Trace", run: () => anything && clear() },
        ...MOUSE.map(([key, what]) => ({ key, what, group: "Mouse on the trace", run: () => undefined })),
    ]);

    const asking = useRef(0);
    const hover = (one: TraceModel, hit: Hit | null, event: PointerEvent) => {
        clearTimeout(asking.current);
        const text = hit && calloutOf(one, hit, null);
        if (!text || !hit) {
            hideTip();
            return;
        }
        const [x, y] = [event.clientX, event.clientY];
        showTip(text, x, y);
        if (hit.step === NONE || hit.what !== "step") return;
        asking.current = window.setTimeout(() => {
            loadStep(one.report, hit.step).then(
                (details: TraceStep) => {
                    if (one.hover?.step !== hit.step) return;
                    showTip(calloutOf(one, { ...hit, name: hit.name || details.name }, details) ?? text, x, y);
                },
                () => undefined, // the callout stays as it is
            );
        }, ASK_AFTER);
    };

    const click = (side: number, hit: Hit | null, event: MouseEvent) => {
        setActive(side);
        if (!hit || hit.what === "none" || hit.what === "memory") return;
        if (event.shiftKey) {
            const other = selectedSpan();
            const both = other ? { from: Math.min(other.from, hit.from), to: Math.max(other.to, hit.to) } : hit;
            setWindow(side, aroundSpan(both, models[side].extent), `between ${event.timeStamp}`);
            return;
        }
        if (hit.band.kind === "bsp" && hit.step === NONE) {
            void stepAt(models[side], hit).then((found) => found !== NONE && click(side, { ...hit, step: found }, event));
            return;
        }
        const step = hit.step === NONE ? undefined : hit.step;
        if ((event.ctrlKey || event.metaKey) && step !== undefined && selection.step !== undefined && hit.what === "step") {
            const also = numbersOf(state, "also");
            update({ also: also.includes(step) ? also.filter((one) => one !== step) : [...also, step], tab: "details" });
            return;
        }
        const none = { also: null, layer: null, run: null, side: side || null, tab: "details" };
        if (hit.what === "run") update({ ...none, run: hit.run });
        else if (hit.what === "layer" || (hit.what === "several" && hit.name))
            update({ ...none, layer: { name: hit.name, ipu: hit.band.lane, from: hit.from, to: hit.to } });
        else if (step !== undefined) {
            update(none, { gesture: "select" });
            context.select({ step, ...(hit.tile >= 0 ? { tile: hit.tile } : {}) }, { gesture: "select" });
            return;
        } else return;
        context.select({ step: undefined }, { replace: true });
    };
    const drag = (side: number, a: Place, b: Place) => {
        const area = [Math.floor(Math.min(a.cycle, b.cycle)), Math.ceil(Math.max(a.cycle, b.cycle)), Math.min(a.first, b.first), Math.max(a.last, b.last)];
        models[side].area = { from: area[0], to: area[1], first: area[2], last: area[3] };
        update({ area, side: side || null, tab: "area" }, { gesture: "area" });
    };
    const collapse = (key: string) => update({ folded: folded.includes(key) ? folded.filter((one) => one !== key) : [...folded, key] });
    const found = (step: number, span: Span) => {
        update({ tab: "details", also: null, layer: null, run: null }, { gesture: "search" });
        context.select({ step }, { gesture: "search" });
        const shown = model.span;
        const length = shown.to - shown.from;
        if (span.from < shown.from || span.to > shown.to || span.to - span.from < length / 400) {
            const wished = Math.min(length, Math.max((span.to - span.from) * 12, 200));
            const centre = (span.from + span.to) / 2;
            setWindow(models.indexOf(model), { from: centre - wished / 2, to: centre + wished / 2 }, "search");
        }
    };

    const hidden = hiddenKinds(options);
    const graph = (
        <div class="trace">
            <Toolbar model={model} models={models} lanes={lanes} looks={looks} options={options} search={search} step={selection.step ?? -1} reports={context.reports} update={update} onFound={found} onWindow={(span) => setWindow(models.indexOf(model), span, `bar ${performance.now()}`)} />
            {hidden.length > 0 && <p class="notice">Hidden: {hidden.join(", ")}. Steps of hidden kinds are left out of tile balance, tile utilisation and proportions.</p>}
            <div class={`traces ${options.stacked ? "stacked" : "beside"}`}>
                {models.map((one, i) => (
                    <Graph
                        key={i}
                        model={one}
                        title={models.length > 1 ? context.reports[i].name : ""}
                        onHover={(hit, event) => hover(one, hit, event)}
                        onClick={(hit, event) => click(i, hit, event)}
                        onOpen={(hit) => setWindow(i, aroundSpan(hit, one.extent), `open ${performance.now()}`)}
                        onWindow={(span, gesture) => setWindow(i, span, gesture)}
                        onArea={(from, to) => drag(i, from, to)}
                        onCollapse={collapse}
                    />
                ))}
            </div>
        </div>
    );
    const side = Math.min(numberOf(state, "side") ?? 0, models.length - 1);
    const parts = { context, models, options, side, go: (span: Span) => setWindow(side, aroundSpan(span, models[side].extent), `go ${performance.now()}`) };
    const tabs = [
        { id: "summary", title: "Summary", body: () => <SummaryTab {...parts} /> },
        { id: "details", title: "Details", body: () => <DetailsTab {...parts} layer={layerOf(state)} run={numberOf(state, "run") ?? -1} also={numbersOf(state, "also")} /> },
        { id: "area", title: "Area", body: () => <AreaTab {...parts} area={areaOf(state)} /> },
    ];
    const chosen = typeof state.tab === "string" ? state.tab : undefined;
    return (
        <Layout
            name="trace"
            graphShare={0.62}
            options={<OptionsPanel lanes={lanes[0]} options={options} update={update} />}
            graph={graph}
            tabs={<Tabs tabs={tabs} chosen={chosen} onChoose={(tab) => update({ tab }, { replace: true })} />}
        />
    );
}

/** The step of a kind that an IPU is in at a cycle, where the lane is drawn too coarsely to know it. */
async function stepAt(model: TraceModel, hit: Hit): Promise<number> {
    const kind = model.looks.findIndex((look) => look.name === hit.kind);
    const around = { from: Math.floor(hit.cycle), to: Math.floor(hit.cycle) + 1 };
    const found = await loadWindow({ report: model.report, lane: hit.band.lane, ...around, pixels: 4 }, { flame: 0, group: "", hide: "", q: "" });
    for (let i = 0; i < found.step.length; ++i) if (found.kind[i] === kind && found.step[i] !== NONE && found.from[i] <= hit.cycle && found.to[i] >= hit.cycle) return found.step[i];
    return NONE;
}

/** The extent of what is selected, as far as the page knows it without asking. */
function selectedOf(model: TraceModel, state: JsonObject): Span | undefined {
    const layer = layerOf(state);
    if (layer) return layer;
    const run = numberOf(state, "run");
    if (run !== null && model.lanes.runs[run]) return model.lanes.runs[run];
    if (model.step >= 0) {
        let span: Span | undefined;
        for (const band of model.bands.bands) {
            if (band.kind !== "lane") continue;
            const value = model.rectangles(band);
            const i = value ? value.step.indexOf(model.step) : -1;
            if (value && i >= 0) span = { from: Math.min(span?.from ?? value.from[i], value.from[i]), to: Math.max(span?.to ?? value.to[i], value.to[i]) };
        }
        if (span) return span;
    }
    return areaOf(state) ?? undefined;
}

function TraceOf({ context }: { context: ViewContext }) {
    const first = useJson<TraceLanes>("trace/lanes", { report: 0 });
    const second = useJson<TraceLanes>(context.reports.length > 1 ? "trace/lanes" : null, { report: 1 });
    const lanes = useMemo(() => [first.value, context.reports.length > 1 ? second.value : undefined].filter((one): one is TraceLanes => one !== undefined), [first.value, second.value, context.reports.length]);
    if (first.error) return <Empty>{first.error}</Empty>;
    if (second.error) return <Empty>{second.error}</Empty>;
    if (!first.value || (context.reports.length > 1 && !second.value)) return <Empty>Reading the trace. The first time takes longer: a cache is made beside the report.</Empty>;
    if (lanes.every((one) => one.mode === "none")) return <Empty>{NOTHING}</Empty>;
    return <Trace context={context} lanes={lanes} />;
}

const NOTHING = "The report holds no execution: run the program with the engine option autoReport.outputExecutionProfile (or autoReport.all).";

export const trace: View = {
    id: "trace",
    title: "Trace",
    tip: "execution trace: steps of every IPU and tile over time",
    missing: (reports) => (reports.some((report) => report.hasExecution) ? null : NOTHING),
    render: (context) => <TraceOf context={context} />,
};
