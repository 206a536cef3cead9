// SPDX-License-Identifier: Apache-2.0
// Liveness: live bytes at each step of the program, the variables live at the selected steps, and the lifetime of a
// variable.
import { useMemo, useState } from "preact/hooks";
import { ALWAYS_LIVE, KILLED, LIVE, NOT_ALWAYS_LIVE } from "../data/concepts";
import { Columns } from "../data/columns";
import { LiveVariable, LivenessStep, StepsMeta, VariableLife } from "../data/liveness";
import { useColumns, useJson } from "../data/load";
import { MemoryOverview } from "../data/memory";
import { Report } from "../data/reports";
import { BarPicture, BarSeries, barAt } from "../draw/bars";
import { usePreferences } from "../preferences";
import { Json } from "../state";
import { BarGraph, Key, clampWindow } from "../ui/bars";
import { reportTitles, useColumnsOfBoth, useJsonOfBoth } from "../ui/compare";
import { bytes, count } from "../text/format";
import { shortName } from "../text/names";
import { Check, Choice, Layout } from "../ui/layout";
import { csvField } from "../ui/save";
import { useOpening } from "../ui/opening";
import { nameOfReport, titled } from "../ui/ofreport";
import { Empty, Tabs } from "../ui/tabs";
import { DebugInfo } from "./liveness/debug";
import { LiveTable, StepTable } from "./liveness/tables";
import { memoryColour } from "./memory/colours";
import "./memory/memory.css";
import { View, ViewContext } from "./view";
import { Typed } from "../ui/typed";

type Source = "all" | "ipu" | "tile";

interface State {
    source: Source;
    index: number;
    always: boolean;
    limit: boolean;
    filter: string;
    steps: number[];
    variable: string | undefined;
    from: number | null;
    to: number | null;
    hidden: string[];
    tab: string | undefined;
}

const natural = (value: Json | undefined) => (typeof value === "number" && value >= 0 ? Math.floor(value) : null);
const text = (value: Json | undefined) =>
    typeof value === "string" ? value : typeof value === "number" ? String(value) : "";

function readState({ state, selection }: ViewContext): State {
    const source = state.source === "ipu" || state.source === "tile" ? state.source : "all";
    return {
        source,
        index: natural(state.index) ?? (source === "tile" ? (selection.tile ?? 0) : 0),
        always: state.always === true,
        limit: state.limit === true,
        filter: text(state.filter),
        steps: text(state.steps)
            .split(",")
            .filter((word) => word !== "")
            .map(Number)
            .filter(Number.isInteger)
            .slice(0, 8),
        variable: text(state.variable) || selection.variable,
        from: natural(state.from),
        to: natural(state.to),
        hidden: text(state.hidden)
            .split(",")
            .filter((word) => word !== ""),
        tab: typeof state.tab === "string" ? state.tab : undefined,
    };
}

/** Parameters that select tiles. */
const sourceOf = (state: State) => ({ source: state.source, index: state.source === "all" ? undefined : state.index });

function Options({
    context,
    state,
    overview,
}: {
    context: ViewContext;
    state: State;
    overview: MemoryOverview | undefined;
}) {
    const { update } = context;
    const most = state.source === "tile" ? (overview?.tiles ?? 1) : (overview?.ipus ?? 1);
    return (
        <div class="selection-list">
            <h3 data-tip={`${LIVE}\n${KILLED}`}>Graph</h3>
            <Check
                title="Include always live"
                tip={ALWAYS_LIVE}
                checked={state.always}
                onChange={(always) => update({ always: always || undefined })}
            />
            <Check
                title="Show max memory"
                tip="A line at the memory of the tiles that are shown"
                checked={state.limit}
                onChange={(limit) => update({ limit: limit || undefined })}
            />
            <h3>Source</h3>
            <Choice
                label="source"
                chosen={state.source}
                onChoose={(source) => update({ source: source === "all" ? undefined : source, index: undefined })}
                choices={[
                    { id: "all", title: "All", tip: "All tiles together" },
                    { id: "ipu", title: "IPU", tip: "The tiles of one IPU together" },
                    { id: "tile", title: "Tile", tip: "One tile" },
                ]}
            />
            {state.source !== "all" && (
                <label>
                    {state.source === "tile" ? "Tile" : "IPU"}
                    <Typed
                        type="number"
                        name="index"
                        min={0}
                        max={most - 1}
                        value={state.index}
                        onConfirm={(text) =>
                            update({ index: Math.min(most - 1, Math.max(0, Math.floor(Number(text) || 0))) })
                        }
                    />
                </label>
            )}
            <h3>Filter</h3>
            <label>
                Steps
                <input
                    type="search"
                    name="filter"
                    placeholder="part of a debug path"
                    value={state.filter}
                    onInput={(event) =>
                        update(
                            { filter: event.currentTarget.value || undefined, from: undefined, to: undefined },
                            { gesture: "filter" },
                        )
                    }
                />
            </label>
            <p class="soft" data-tip={`${LIVE}\n${KILLED}`}>
                What is live?
            </p>
        </div>
    );
}

/** Positions of steps among those that pass the filter. */
function usePositions(report: Report, filter: string, kept: number): (step: number) => number {
    const all = useColumns<StepsMeta>(filter ? "liveness/steps" : null, {
        report: report.index,
        filter,
        pixels: 16384,
    });
    return useMemo(() => {
        if (!filter || !all.value) return (step) => step;
        const positions = new Map<number, number>();
        all.value
            .numbers("step")
            .forEach((step, i) => positions.set(step, (all.value as Columns<StepsMeta>).numbers("first")[i]));
        return (step) => positions.get(step) ?? -1;
    }, [all.value, filter, kept]);
}

/** Live bytes of the bar, with the name of the report if two are open. */
function liveText(columns: Columns<StepsMeta>, bar: number, name: string): string {
    const line = (value: number, what: string) => titled(`${count(value)} B ${what}`, name);
    const live = line(columns.numbers("maximum")[bar], "not always live");
    return `${live}\n${line(columns.meta.alwaysLive, "always live")}`;
}

interface GraphProps {
    context: ViewContext;
    state: State;
    life: VariableLife | undefined;
}

function bandsOf(
    life: VariableLife | undefined,
    position: (step: number) => number,
    base: number,
): BarPicture["bands"] {
    if (!life) return [];
    const colour = memoryColour(3);
    return life.intervals.flatMap(([from, to, value]) => {
        const inside = Array.from({ length: Math.min(to - from, 20000) }, (_, i) => position(from + i)).filter(
            (at) => at >= 0,
        );
        return inside.length ? [{ from: inside[0], to: inside[inside.length - 1] + 1, base, value, colour }] : [];
    });
}

/** The legend: what is live, with the source's name if there is a target, and the target. */
function entriesOf(always: boolean, [source, target]: readonly string[]) {
    const theirs = always ? "Live" : "Not always live";
    const mine = target ? `, ${source}` : "";
    return [
        { id: "live", title: `Not always live${mine}`, colour: memoryColour(0), tip: NOT_ALWAYS_LIVE },
        ...(always ? [{ id: "always", title: `Always live${mine}`, colour: memoryColour(9), tip: ALWAYS_LIVE }] : []),
        ...(target
            ? [{ id: "target", title: `${theirs}, ${target}`, colour: memoryColour(5), tip: "The target's steps" }]
            : []),
    ];
}

function StepGraph({ context, state, life }: GraphProps) {
    const { reports, update } = context;
    usePreferences();
    const [width, setWidth] = useState(1024);
    const shared = { ...sourceOf(state), filter: state.filter || undefined, pixels: width };
    const whole = useColumns<StepsMeta>("liveness/steps", { ...shared, report: 0 });
    const extent = whole.value?.meta.kept ?? 0;
    const window = clampWindow({ from: state.from ?? 0, to: state.to ?? extent }, extent);
    const [found, other] = useColumnsOfBoth<StepsMeta>(reports, extent ? "liveness/steps" : null, {
        ...shared,
        from: window.from,
        to: window.to,
    });
    const names = useColumns("liveness/names", { report: 0 });
    const position = usePositions(reports[0], state.filter, extent);
    useOpening(context.state, context.selection.variable, extent > 0, () =>
        update({ steps: String(whole.value?.meta.peakStep) }, { replace: true }),
    );
    const columns = found.value;
    if (whole.error ?? found.error) return <Empty>{whole.error ?? found.error}</Empty>;
    if (whole.value && extent === 0)
        return (
            <Empty>{state.filter ? `No step has "${state.filter}" in its name.` : "The report has no steps."}</Empty>
        );
    const shown = (id: string) => !state.hidden.includes(id);
    const length = columns?.numbers("step").length ?? 0;
    const series: BarSeries[] = columns
        ? [
              ...(state.always
                  ? [
                        {
                            id: "always",
                            title: "Always live",
                            colour: memoryColour(9),
                            values: new Float64Array(length).fill(columns.meta.alwaysLive),
                        },
                    ]
                  : []),
              { id: "live", title: "Not always live", colour: memoryColour(0), values: columns.numbers("maximum") },
          ].filter((one) => shown(one.id))
        : [];
    const base = state.always && columns ? columns.meta.alwaysLive : 0;
    const overlay = other?.value && shown("target") ? other.value : null;
    const overlayBase = state.always && overlay ? overlay.meta.alwaysLive : 0;
    const picture: BarPicture | null = columns
        ? {
              first: columns.numbers("first"),
              last: columns.numbers("last"),
              stack: series,
              lines: [],
              overlay: overlay
                  ? {
                        first: overlay.numbers("first"),
                        last: overlay.numbers("last"),
                        series: {
                            id: "target",
                            title: reportTitles(reports)[1],
                            colour: memoryColour(5),
                            values: Float64Array.from(overlay.numbers("maximum"), (value) => value + overlayBase),
                        },
                    }
                  : undefined,
              limit: state.limit ? { title: "memory", value: columns.meta.capacity } : undefined,
              marks: state.steps.map(position).filter((at) => at >= 0),
              bands: bandsOf(life, position, base),
              xTitle: state.filter ? "Steps of the program that the filter leaves" : "Steps of the program",
          }
        : null;
    const mine = nameOfReport(reports, 0);
    const stepName = (step: number) => {
        const at = names.value?.numbers("step").indexOf(step) ?? -1;
        return at >= 0 && names.value
            ? `${names.value.texts("name")[at] || "(no name)"}, ${names.value.texts("type")[at]}`
            : "";
    };
    const describe = (bar: number) => {
        if (!columns) return "";
        const [first, last, step] = ["first", "last", "step"].map((name) => columns.numbers(name)[bar]);
        const several = last - first > 1 ? `\nthe maximum of ${count(last - first)} steps here` : "";
        const bars = overlay && { first: overlay.numbers("first"), last: overlay.numbers("last") };
        const there = bars ? barAt(bars, first) : -1;
        return (
            `Step ${step}: ${stepName(step)}${several}\n` +
            liveText(columns, bar, mine) +
            (there >= 0 && overlay ? `\n${liveText(overlay, there, nameOfReport(reports, 1))}` : "")
        );
    };
    const pick = (bar: number, add: boolean) => {
        if (!columns) return;
        const step = columns.numbers("step")[bar];
        const steps = !add
            ? [step]
            : state.steps.includes(step)
              ? state.steps.filter((one) => one !== step)
              : [...state.steps, step].slice(0, 8);
        update({ steps: steps.join(",") || undefined });
    };
    const csv = () => {
        if (!columns) return "";
        const lines = Array.from(columns.numbers("step"), (step, i) => [
            step,
            stepName(step),
            columns.numbers("maximum")[i],
            columns.numbers("minimum")[i],
            columns.meta.alwaysLive,
        ]);
        const titles = ["maximum", "minimum", "always live"].map((title) => `${titled(title, mine)} (B)`);
        return [["step", "program", ...titles], ...lines].map((line) => line.map(csvField).join(",") + "\r\n").join("");
    };
    const entries = entriesOf(state.always, reports.length > 1 ? reportTitles(reports) : []);
    const marks = picture?.marks ?? [];
    return (
        <div class="graph-box">
            <BarGraph
                name="liveness"
                extent={extent}
                window={window}
                onWindow={(next, gesture) => {
                    const part = next !== null && next.to - next.from < extent;
                    update({ from: part ? next.from : undefined, to: part ? next.to : undefined }, { gesture });
                }}
                picture={picture}
                overview={whole.value?.numbers("maximum") ?? []}
                describe={describe}
                onPick={(bar, _, add) => pick(bar, add)}
                onWidth={setWidth}
                csv={csv}
                selected={marks.length ? { from: Math.min(...marks), to: Math.max(...marks) + 1 } : null}
            />
            <Key
                entries={entries}
                hidden={state.hidden}
                onHidden={(hidden) => update({ hidden: hidden.join(",") || undefined })}
            />
            {life && (
                <div class="graph-key" data-life={life.name}>
                    <span>
                        <span class="swatch" style={{ background: memoryColour(3) }} />
                        {`${titled(shortName(life.name), mine)}: ${
                            life.alwaysLive
                                ? "always live"
                                : life.intervals.length
                                  ? `live at steps ${life.intervals
                                        .map(([from, to]) => (to - from > 1 ? `${from}–${to - 1}` : String(from)))
                                        .slice(0, 12)
                                        .join(", ")}${life.intervals.length > 12 ? ", …" : ""}`
                                  : "never live on these tiles"
                        }`}
                        <button
                            type="button"
                            class="icon"
                            aria-label="hide the variable"
                            onClick={() => {
                                update({ variable: undefined });
                                context.select({ variable: undefined }, { replace: true });
                            }}
                        >
                            ×
                        </button>
                    </span>
                </div>
            )}
        </div>
    );
}

/** Variables live at the selected steps: a column for each step, and the target's next to it. */
function useSteps(
    context: ViewContext,
    state: State,
): {
    steps: LivenessStep[];
    titles: string[];
    columns: { titles: string[]; names?: string[] };
    error?: string;
    loading: boolean;
} {
    const path = state.steps.length ? "liveness/step" : null;
    const [source, target] = useJsonOfBoth<LivenessStep[]>(context.reports, path, {
        ...sourceOf(state),
        steps: state.steps.join(","),
    });
    const of = (list: LivenessStep[] | undefined, name: string) =>
        (list ?? []).map((step) => ({ step, title: titled(`Step ${step.step}`, name) }));
    const all = [source.value, target?.value].flatMap((list, i) => of(list, nameOfReport(context.reports, i)));
    return {
        steps: all.map((one) => one.step),
        titles: all.map((one) => one.title),
        columns: {
            titles: all.map((one) => one.title),
            names: context.reports.length > 1 ? all.map((one) => one.step.name) : undefined,
        },
        error: source.error,
        loading: source.loading,
    };
}

function AlwaysTab({ context, state, choose }: { context: ViewContext; state: State; choose: (name: string) => void }) {
    const [source, target] = useColumnsOfBoth<{ bytes: number }>(context.reports, "liveness/always", sourceOf(state));
    const list = (columns: Columns | undefined): LiveVariable[] =>
        columns
            ? columns
                  .texts("name")
                  .map((name, i) => ({ id: columns.numbers("id")[i], name, bytes: columns.numbers("bytes")[i] }))
            : [];
    const lists = useMemo(
        () => [list(source.value), ...(target?.value ? [list(target.value)] : [])],
        [source.value, target?.value],
    );
    if (source.error) return <Empty>{source.error}</Empty>;
    return (
        <LiveTable
            context={context}
            name="alwaysLive"
            lists={lists}
            titles={lists.length > 1 ? reportTitles(context.reports) : ["Size"]}
            onChoose={choose}
            chosen={state.variable}
        />
    );
}

function variableTitle({ name, type, bytes: size }: VariableLife["variables"][number], of: string): string {
    return titled(`Variable ${name}, ${type}, ${bytes(size)}`, of);
}

function LivenessPage({ context }: { context: ViewContext }) {
    const state = readState(context);
    const overview = useJson<MemoryOverview>("memory", { report: 0 });
    const life = useJson<VariableLife>(state.variable ? "liveness/variable" : null, {
        report: 0,
        name: state.variable,
        ...sourceOf(state),
    });
    const selected = useSteps(context, state);
    const choose = (name: string) => {
        context.update({ variable: name });
        context.select({ variable: name }, { replace: true });
    };
    const hint = <Empty>Click a step in the graph to see its live variables; Shift-click adds another.</Empty>;
    const ready = selected.steps.length > 0;
    const trouble = selected.error ? <Empty>{selected.error}</Empty> : null;
    const tabs = [
        {
            id: "notAlways",
            title: "Not always live",
            body: () =>
                trouble ??
                (ready ? (
                    <LiveTable
                        context={context}
                        name="live"
                        lists={selected.steps.map((step) => step.variables)}
                        {...selected.columns}
                        onChoose={choose}
                        chosen={state.variable}
                    />
                ) : (
                    hint
                )),
        },
        {
            id: "always",
            title: "Always live",
            body: () => <AlwaysTab context={context} state={state} choose={choose} />,
        },
        {
            id: "step",
            title: "Step",
            body: () => trouble ?? (ready ? <StepTable steps={selected.steps} titles={selected.titles} /> : hint),
        },
        {
            id: "debug",
            title: "Debug",
            body: () => {
                const variables = life.value && state.variable ? life.value.variables : [];
                if (!ready && !variables.length)
                    return (
                        <Empty>Click a step in the graph, or a variable in a table, to see where it comes from.</Empty>
                    );
                return (
                    <div>
                        {variables.map((variable) => (
                            <DebugInfo
                                key={`v${variable.id}`}
                                title={variableTitle(variable, nameOfReport(context.reports, 0))}
                                debug={variable.debug}
                            />
                        ))}
                        {selected.steps.map((step, i) => (
                            <DebugInfo
                                key={`s${i}`}
                                title={`${selected.titles[i]}: ${step.name || step.type}`}
                                debug={step.debug}
                            />
                        ))}
                    </div>
                );
            },
        },
    ];
    return (
        <Layout
            name="liveness"
            options={<Options context={context} state={state} overview={overview.value} />}
            graph={<StepGraph context={context} state={state} life={state.variable ? life.value : undefined} />}
            tabs={
                <Tabs
                    tabs={tabs}
                    chosen={state.tab}
                    onChoose={(tab) => context.update({ tab })}
                    extra={<span data-tip={`${LIVE}\n${KILLED}`}>{life.error ?? ""}</span>}
                />
            }
        />
    );
}

export const liveness: View = {
    id: "liveness",
    title: "Liveness",
    tip: "live memory at each step",
    missing: (reports) =>
        reports.some((report) => report.hasLiveness)
            ? null
            : "The report has no liveness: compilation was not captured " +
              "(autoReport.outputGraphProfile or autoReport.all).",
    render: (context) => <LivenessPage context={context} />,
};
