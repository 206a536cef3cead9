// SPDX-License-Identifier: Apache-2.0
// The execution trace: the steps over time, on each IPU and tile.
import { ComponentChild } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { useJson } from "../data/load";
import { TraceLanes } from "../data/trace";
import { HOST_KINDS, Hosts } from "../data/host";
import { BLOCK_KINDS } from "../data/trace_blocks";
import { typeLooks } from "../draw/types";
import { isDark, usePreferences } from "../preferences";
import { useKeys } from "../ui/keys";
import { Layout } from "../ui/layout";
import { OfReport, ShowName, nameOfReport } from "../ui/ofreport";
import { Empty, Tabs } from "../ui/tabs";
import { themeColour } from "../draw/theme";
import { AreaTab } from "./trace/area";
import { useCallouts } from "./trace/callouts";
import { DetailsTab } from "./trace/details";
import { Graph } from "./trace/graph";
import { useCycles, useHosts, useSwitch } from "./trace/axis";
import { MOUSE, Mover, moveKeys } from "./trace/keys";
import { TraceModel } from "./trace/model";
import { TraceOptions, hiddenKinds, optionsOf } from "./trace/options";
import { OptionsPanel } from "./trace/panel";
import { Selecting, showBoth, useSelecting } from "./trace/select";
import { areaOf, blockOf, eventOf, foldedOf, layerOf, numberOf, numbersOf, tilesOf, tilesPatch } from "./trace/state";
import { MatchedTab } from "./trace/matched";
import { SummaryTab } from "./trace/summary";
import { Toolbar } from "./trace/toolbar";
import { Windows, useWindows } from "./trace/windows";
import "./trace.css";
import { View, ViewContext } from "./view";

/** Copies the state to the models: options, search text, folded lanes, tiles of BSP pictures, the selection. */
function useModelState(
    context: ViewContext,
    models: readonly TraceModel[],
    options: TraceOptions,
    search: string,
): void {
    const { state, selection } = context;
    const { theme } = usePreferences();
    const kinds = models[0].lanes.kinds;
    const looks = useMemo(
        () =>
            typeLooks(
                [...kinds.map((kind) => kind.name), ...BLOCK_KINDS, ...HOST_KINDS],
                isDark(),
                themeColour("paper"),
            ),
        [kinds, theme, isDark()],
    );
    useEffect(
        () => models.forEach((model) => model.configure(options, search, new Set(foldedOf(state)), tilesOf(state))),
        [models, JSON.stringify([options, search, state.folded, state.tiles])],
    );
    useEffect(() => {
        models.forEach((model, i) => {
            const mine = (numberOf(state, "side") ?? 0) === i;
            model.looks = looks;
            model.step = mine ? (selection.step ?? -1) : -1;
            model.also = mine ? numbersOf(state, "also") : [];
            model.layer = mine ? layerOf(state) : null;
            model.run = mine ? (numberOf(state, "run") ?? -1) : -1;
            model.block = mine ? blockOf(state) : -1;
            model.event = mine ? eventOf(state) : -1;
            model.area = mine ? areaOf(state) : null;
            model.invalidate();
        });
    }, [
        models,
        JSON.stringify([
            selection.step,
            state.also,
            state.layer,
            state.run,
            state.block,
            state.event,
            state.area,
            state.side,
        ]),
        looks,
    ]);
}

/** Keys apply to the model that was clicked last. */
function useTraceKeys(windows: Windows, active: number, selecting: Selecting): void {
    const { models, show } = windows;
    const mover = useMemo(
        () =>
            new Mover(
                () => models[active],
                (span, gesture) => show(active, span, gesture),
            ),
        [models, active],
    );
    useEffect(() => () => mover.stop(), [mover]);
    useKeys([
        ...moveKeys(mover),
        { key: "f", what: "fit the selection", group: "Trace", run: selecting.fit },
        {
            key: "0",
            what: "show all",
            group: "Trace",
            run: () => show(active, models[active].extent, `all ${performance.now()}`),
        },
        {
            key: "/",
            what: "search",
            group: "Trace",
            run: () => document.querySelector<HTMLInputElement>(".trace-search")?.focus(),
        },
        { key: "c", what: "clear the selection", group: "Trace", run: selecting.clear },
        ...MOUSE.map(([key, what]) => ({ key, what, group: "Mouse on the trace", run: () => undefined })),
    ]);
}

function Hidden({ options }: { options: TraceOptions }) {
    const hidden = hiddenKinds(options);
    if (!hidden.length) return null;
    return (
        <p class="notice">
            Hidden: {hidden.join(", ")}. Steps of hidden kinds are left out of tile balance, tile utilisation and
            proportions.
        </p>
    );
}

interface PartProps {
    context: ViewContext;
    windows: Windows;
    options: TraceOptions;
}

/** The graphs of one report, or of two side by side or stacked. */
function Graphs({ context, windows, options, selecting }: PartProps & { selecting: Selecting }) {
    const { state, update } = context;
    const { models, show, showAround } = windows;
    const callout = useCallouts();
    const folded = foldedOf(state);
    const collapse = (key: string) =>
        update({ folded: folded.includes(key) ? folded.filter((one) => one !== key) : [...folded, key] });
    return (
        <div class={`traces ${options.stacked ? "stacked" : "beside"}`}>
            {models.map((model, i) => (
                <Graph
                    key={i}
                    model={model}
                    title={nameOfReport(context.reports, model.report)}
                    onHover={(hit, event) => callout(model, hit, event)}
                    onClick={(hit, event) => selecting.click(i, hit, event)}
                    onOpen={(hit) => showAround(i, hit, "open")}
                    onWindow={(span, gesture) => show(i, span, gesture)}
                    onArea={(from, to) => selecting.area(i, from, to)}
                    onTiles={(tiles) => update(tilesPatch(tiles), { gesture: "tiles" })}
                    onCollapse={collapse}
                />
            ))}
        </div>
    );
}

function TraceTabs({ context, windows, options }: PartProps) {
    const { state, update } = context;
    const { models, showAround } = windows;
    const side = Math.min(numberOf(state, "side") ?? 0, models.length - 1);
    const parts = {
        context,
        models,
        options,
        side,
        go: (span: { from: number; to: number }) => showAround(side, span, "go"),
        both: (a: number | null, b: number | null) => void showBoth(context, models, a, b),
    };
    const name = models.length > 1 ? nameOfReport(context.reports, side) : "";
    const of = (body: ComponentChild) => (
        <OfReport name={name}>
            <ShowName>
                {(label) => (
                    <>
                        {label}
                        {body}
                    </>
                )}
            </ShowName>
        </OfReport>
    );
    const compared = { id: "steps", title: "Steps of both", body: () => <MatchedTab {...parts} /> };
    const tabs = [
        { id: "summary", title: "Summary", body: () => <SummaryTab {...parts} /> },
        {
            id: "details",
            title: "Details",
            body: () =>
                of(
                    <DetailsTab
                        {...parts}
                        layer={layerOf(state)}
                        run={numberOf(state, "run") ?? -1}
                        block={blockOf(state)}
                        event={eventOf(state)}
                        also={numbersOf(state, "also")}
                    />,
                ),
        },
        ...(models.length > 1 ? [compared] : []),
        { id: "area", title: "Area", body: () => of(<AreaTab {...parts} area={areaOf(state)} />) },
    ];
    const chosen = typeof state.tab === "string" ? state.tab : undefined;
    return <Tabs tabs={tabs} chosen={chosen} onChoose={(tab) => update({ tab }, { replace: true })} />;
}

const FEW = 8; // a program on fewer tiles than one in so many opens at those

/** A detailed trace opens as flame and tiles, zoomed to an iteration of the main loop, its first compute step
 * selected; two open as flames, whole. */
function useOpening({ state, update, select, selection }: ViewContext, lanes: readonly TraceLanes[]): void {
    useEffect(() => {
        const fresh = selection.step === undefined && Object.values(state).every((value) => value === undefined);
        if (!fresh || lanes[0].mode !== "detailed") return;
        if (lanes.length > 1) {
            update({ layout: "flame" }, { replace: true });
            return;
        }
        const { from, to, step: first, tiles } = lanes[0].opening;
        const few = lanes[0].ipus === 1 && tiles > 0 && tiles * FEW < lanes[0].tilesPerIpu;
        const step = selection.program === undefined ? first : -1; // another view has chosen what matters
        const zoomed = from > lanes[0].from || to < lanes[0].to;
        const margin = (to - from) * 0.02;
        if (step >= 0) select({ step }, { replace: true });
        update(
            {
                layout: "flame",
                bsp: true,
                ...(step >= 0 ? { tab: "details" } : {}),
                ...(few ? { tiles: [[0, 0, tiles - 1]] } : {}),
                ...(zoomed ? { from: Math.floor(from - margin), to: Math.ceil(to + margin) } : {}),
            },
            { replace: true },
        );
    }, []);
}

interface TraceProps {
    context: ViewContext;
    lanes: readonly TraceLanes[];
    hosts: readonly (Hosts | null)[]; // null: not shown
    host: boolean; // whether there is a trace of the host
}

function Trace({ context, lanes, hosts, host }: TraceProps) {
    const { state, update } = context;
    const options = optionsOf(state, Math.max(...lanes.map((one) => one.ipus)));
    const search = typeof state.q === "string" ? state.q : "";
    const [clicked, setClicked] = useState(0);
    useOpening(context, lanes);
    useCycles(context, lanes);
    const windows = useWindows(context, lanes, hosts, options);
    const { models, show } = windows;
    const active = Math.min(clicked, models.length - 1);
    useModelState(context, models, options, search);
    const selecting = useSelecting(context, windows, active, setClicked);
    useTraceKeys(windows, active, selecting);
    const graph = (
        <div class="trace">
            <Toolbar
                model={models[active]}
                name={nameOfReport(context.reports, models[active].report)}
                lanes={lanes}
                options={options}
                search={search}
                step={context.selection.step ?? blockOf(state)}
                update={update}
                onFound={selecting.found}
                onWindow={(span) => show(active, span, `bar ${performance.now()}`)}
            />
            <Hidden options={options} />
            <Graphs context={context} windows={windows} options={options} selecting={selecting} />
        </div>
    );
    return (
        <Layout
            name="trace"
            graphShare={0.62}
            options={<OptionsPanel lanes={lanes} host={host} options={options} update={update} />}
            graph={graph}
            tabs={<TraceTabs context={context} windows={windows} options={options} />}
        />
    );
}

function TraceOf({ context }: { context: ViewContext }) {
    const both = context.reports.length > 1;
    const known = [useHosts(0, true), useHosts(1, both)];
    const on = context.state.host !== false;
    const source = (report: number) => {
        const hosts = known[report];
        return hosts && { report, host: on && hosts.processes.length ? 1 : undefined };
    };
    const first = useJson<TraceLanes>(source(0) ? "trace/lanes" : null, source(0));
    const second = useJson<TraceLanes>(both && source(1) ? "trace/lanes" : null, source(1));
    const lanes = useMemo(
        () => [first.value, both ? second.value : undefined].filter((one): one is TraceLanes => one !== undefined),
        [first.value, second.value, both],
    );
    const hosts = useMemo(() => lanes.map((one, i) => (one.host ? (known[i] ?? null) : null)), [lanes, ...known]);
    useSwitch(context, lanes);
    const error = first.error ?? second.error;
    if (error) return <Empty>{error}</Empty>;
    if (!first.value || (both && !second.value))
        return <Empty>Reading the trace. The first time takes longer: a cache is written to its directory.</Empty>;
    if (lanes.every((one) => one.mode === "none")) return <Empty>{NOTHING}</Empty>;
    return <Trace context={context} lanes={lanes} hosts={hosts} host={known.some((one) => one?.processes.length)} />;
}

const NOTHING =
    "The report has no execution: run the program with the engine " +
    "option autoReport.outputExecutionProfile (or autoReport.all).";

export const trace: View = {
    id: "trace",
    title: "Trace",
    tip: "execution trace: steps of every IPU and tile over time",
    missing: (reports) => (reports.some((report) => report.hasExecution) ? null : NOTHING),
    render: (context) => <TraceOf context={context} />,
};
