// SPDX-License-Identifier: Apache-2.0
// Memory: bytes by tile as bars or on the tile map, and the contents of the selected tiles.
import { ComponentChild } from "preact";
import { useMemo, useState } from "preact/hooks";
import { ALWAYS_LIVE, GAPS, NOT_ALWAYS_LIVE, categoryTitle } from "../data/concepts";
import { Columns } from "../data/columns";
import { useColumns } from "../data/load";
import { MemoryOverview, Order, PlanMeta, TileMemory, TilesMeta } from "../data/memory";
import { BarPicture, barAt } from "../draw/bars";
import { usePreferences } from "../preferences";
import { Json } from "../state";
import { BarGraph, Key, clampWindow } from "../ui/bars";
import { reportTitles, useJsonOfBoth } from "../ui/compare";
import { bytes, count, overflowText, percent } from "../text/format";
import { shortName } from "../text/names";
import { Check, Choice, Layout as Frame } from "../ui/layout";
import { csvField } from "../ui/save";
import { useOpening } from "../ui/opening";
import { OfReport, nameOfReport, titled } from "../ui/ofreport";
import { Empty, Tab, Tabs } from "../ui/tabs";
import { Details } from "./memory/details";
import { Plan } from "./memory/plan";
import { Breakdown, GAPS_PART, figuresOf, partsOf, seriesOf } from "./memory/series";
import { Code, Difference, Layout, Variables } from "./memory/tables";
import "./memory/memory.css";
import { View, ViewContext } from "./view";

type Graph = "total" | "variables" | "map";

/** The view's part of the state, with its defaults. */
interface State {
    graph: Graph;
    breakdown: Breakdown;
    order: Order;
    gaps: boolean;
    limit: boolean;
    tiles: number[];
    variables: number[];
    hidden: string[];
    figure: string; // of the map
    range: { min: number; max: number } | null;
    from: number | null;
    to: number | null;
    tab: string | undefined;
}

const words = (value: Json | undefined) =>
    typeof value === "string" && value ? value.split(",") : typeof value === "number" ? [String(value)] : [];
const natural = (value: Json | undefined) => (typeof value === "number" && value >= 0 ? Math.floor(value) : null);

function oneOf<T extends string>(value: Json | undefined, allowed: readonly T[]): T {
    return allowed.find((one) => one === value) ?? allowed[0];
}

/** Parses "1, 4 0" as distinct numbers below `most`. */
export function parseTiles(text: string, most: number): number[] {
    const numbers = text
        .split(/[\s,]+/)
        .filter((word) => /^\d+$/.test(word))
        .map(Number);
    return [...new Set(numbers)].filter((tile) => tile < most).slice(0, 64);
}

/** full: some tiles overflow. */
function readState(context: ViewContext, full: boolean): State {
    const { state } = context;
    const [min, max] = [natural(state.mapMin), natural(state.mapMax)];
    const chosen = words(state.tiles).map(Number);
    const shared = context.selection.tile;
    return {
        graph: oneOf(state.graph, ["total", "variables", "map"]),
        breakdown: oneOf(state.breakdown, ["none", "region", "category", "liveness"]),
        order: oneOf(state.order, ["software", "physical"]),
        gaps: state.gaps === true,
        limit: typeof state.limit === "boolean" ? state.limit : state.gaps === true || full,
        tiles: chosen.length ? chosen : shared !== undefined ? [shared] : [],
        variables: words(state.plotted).map(Number),
        hidden: words(state.hidden),
        figure: typeof state.figure === "string" ? state.figure : "total",
        range: min !== null && max !== null ? { min, max } : null,
        from: natural(state.from),
        to: natural(state.to),
        tab: typeof state.tab === "string" ? state.tab : undefined,
    };
}

const BREAKDOWNS: readonly { id: Breakdown; title: string }[] = [
    { id: "none", title: "None" },
    { id: "region", title: "Region" },
    { id: "category", title: "Category" },
    { id: "liveness", title: "Liveness" },
];

const FULLEST = ["without gaps", "including gaps"].map((gaps) => `the tile with the largest memory, ${gaps}`);

function Options({ context, state, overview }: { context: ViewContext; state: State; overview: MemoryOverview }) {
    const { update } = context;
    const [typed, setTyped] = useState<string | null>(null);
    const setTiles = (text: string) => {
        const tiles = parseTiles(text, overview.tiles);
        setTyped(null);
        update({ tiles: tiles.join(",") || undefined });
        context.select({ tile: tiles[0] });
    };
    const chosenIpu =
        state.from !== null &&
        state.to !== null &&
        state.from % overview.tilesPerIpu === 0 &&
        state.to - state.from === overview.tilesPerIpu
            ? state.from / overview.tilesPerIpu
            : -1;
    const fullest = state.gaps ? overview.peakTileWithGaps : overview.peakTile;
    const chooseIpu = (ipu: number) =>
        update({
            from: ipu < 0 ? undefined : ipu * overview.tilesPerIpu,
            to: ipu < 0 ? undefined : (ipu + 1) * overview.tilesPerIpu,
        });
    const figures: [string, string][] = [
        ["total", "Without gaps"],
        ["gaps", "With gaps"],
        ["alwaysLive", "Always live"],
        ["notAlwaysLive", "Not always live"],
        ["nonInterleaved", "Non-interleaved"],
        ["interleaved", "Interleaved"],
        ["overflowed", "Overflowed"],
        ...overview.categories.map(({ name }): [string, string] => [`category:${name}`, categoryTitle(name)]),
    ];
    return (
        <div class="selection-list">
            <h3>Graph</h3>
            <Choice
                label="graph"
                chosen={state.graph}
                onChoose={(graph) => update({ graph: graph === "total" ? undefined : graph })}
                choices={[
                    { id: "total", title: "Total", tip: "Memory of each tile" },
                    {
                        id: "variables",
                        title: "Variables",
                        tip: "The variables that are chosen in the tab below, tile by tile",
                    },
                    { id: "map", title: "Map", tip: "All tiles as a heat map" },
                ]}
            />
            {state.graph === "total" && (
                <label>
                    Breakdown
                    <select
                        name="breakdown"
                        value={state.breakdown}
                        onChange={(event) => update({ breakdown: event.currentTarget.value, hidden: undefined })}
                    >
                        {BREAKDOWNS.map((one) => (
                            <option key={one.id} value={one.id}>
                                {one.title}
                            </option>
                        ))}
                    </select>
                </label>
            )}
            {state.graph === "map" && (
                <label>
                    Bytes of
                    <select
                        name="figure"
                        value={state.figure}
                        onChange={(event) =>
                            update({ figure: event.currentTarget.value, mapMin: undefined, mapMax: undefined })
                        }
                    >
                        {figures.map(([id, title]) => (
                            <option key={id} value={id}>
                                {title}
                            </option>
                        ))}
                    </select>
                </label>
            )}
            {state.graph !== "map" && (
                <>
                    <Check
                        title="Include gaps"
                        tip={GAPS}
                        checked={state.gaps}
                        onChange={(gaps) => update({ gaps: gaps || undefined })}
                    />
                    <Check
                        title="Show max memory"
                        tip={`A line at the memory of a tile, ${count(overview.bytesPerTile)} bytes`}
                        checked={state.limit}
                        onChange={(limit) => update({ limit })}
                    />
                    <h3>Order of tiles</h3>
                    <Choice
                        label="order"
                        chosen={state.order}
                        onChoose={(order) => update({ order: order === "software" ? undefined : order })}
                        choices={[
                            { id: "software", title: "Software", tip: "By number" },
                            {
                                id: "physical",
                                title: "Physical",
                                tip:
                                    "Each IPU's tiles by their distance from the point where " +
                                    "it synchronises, as the target's sync delays give it",
                            },
                        ]}
                    />
                </>
            )}
            <h3>Tiles</h3>
            <label>
                Select
                <input
                    type="text"
                    name="tiles"
                    placeholder="1 or 0, 5, …"
                    value={typed ?? state.tiles.join(", ")}
                    onInput={(event) => setTyped(event.currentTarget.value)}
                    onChange={(event) => setTiles(event.currentTarget.value)}
                />
            </label>
            {overview.ipus > 1 && state.graph !== "map" && (
                <label>
                    IPU
                    <select
                        name="ipu"
                        value={chosenIpu}
                        onChange={(event) => chooseIpu(Number(event.currentTarget.value))}
                    >
                        <option value={-1}>all</option>
                        {Array.from({ length: overview.ipus }, (_, ipu) => (
                            <option key={ipu} value={ipu}>
                                {ipu}
                            </option>
                        ))}
                    </select>
                </label>
            )}
            {fullest !== null && (
                <button
                    type="button"
                    data-tip={titled(FULLEST[state.gaps ? 1 : 0], nameOfReport(context.reports, 0))}
                    onClick={() => setTiles(String(fullest))}
                >
                    Fullest tile
                </button>
            )}
        </div>
    );
}

function csvOf(columns: Columns<TilesMeta>, picture: BarPicture, name: string): string {
    const titles = picture.stack.map((series) => `${titled(series.title, name)} (B)`);
    const head = ["tile", "first position", "last position", ...titles];
    const lines = Array.from(columns.numbers("tile"), (tile, i) => [
        tile,
        columns.numbers("first")[i],
        columns.numbers("last")[i] - 1,
        ...picture.stack.map((series) => series.values[i]),
    ]);
    return [head, ...lines].map((line) => line.map(csvField).join(",") + "\r\n").join("");
}

function useVariableNames(wanted: boolean, ids: readonly number[]): { id: number; name: string }[] {
    const found = useColumns(wanted ? "memory/variables" : null, { report: 0, search: "" });
    return useMemo(() => {
        const all = found.value?.numbers("id");
        return ids.map((id) => ({
            id,
            name:
                all && found.value
                    ? (found.value.texts("name")[all.indexOf(id)] ?? `variable ${id}`)
                    : `variable ${id}`,
        }));
    }, [found.value, ids.join()]);
}

type Key = { id: string; title: string; colour: string; tip?: string };

/** The legend: parts, with the source's name if there is a target, and the target. */
function keysOf(parts: readonly Key[], [source, target]: readonly string[], figure: string): Key[] {
    const named = parts.map((part) => ({ ...part, title: titled(shortName(part.title), source ?? "") }));
    if (!target) return named;
    return [...named, { id: "target", title: `${figure}, ${target}`, tip: "The target's tiles", colour: "#d55e00" }];
}

/** The target's values of the figure `key` of the source: of a variable, those of the one with the same name. */
function useTarget(
    context: ViewContext,
    key: string,
    variable: string | undefined,
    parameters: { [name: string]: string | number },
): { first: ArrayLike<number>; last: ArrayLike<number>; values: ArrayLike<number> } | undefined {
    const both = context.reports.length > 1;
    const named = useColumns(both && variable ? "memory/variables" : null, { report: 1, search: "" }).value;
    const at = variable && named ? named.texts("name").indexOf(variable) : -1;
    const there = !variable ? key : at >= 0 && named ? `variable:${named.numbers("id")[at]}` : "";
    const found = useColumns<TilesMeta>(both && there ? "memory/tiles" : null, {
        ...parameters,
        report: 1,
        key: there,
        series: there,
    });
    if (!there || !found.value?.has(there)) return undefined; // the old answer may be of another figure
    const [first, last, values] = ["first", "last", there].map((name) => found.value?.numbers(name) ?? []);
    return { first, last, values };
}

function TileGraph({ context, state, overview }: { context: ViewContext; state: State; overview: MemoryOverview }) {
    const { reports, update } = context;
    usePreferences();
    const [width, setWidth] = useState(1024);
    const breakdown: Breakdown = state.graph === "variables" ? "variables" : state.breakdown;
    const parts = partsOf(breakdown, overview, useVariableNames(breakdown === "variables", state.variables));
    const gaps = state.gaps && breakdown !== "variables";
    const window = clampWindow({ from: state.from ?? 0, to: state.to ?? overview.tiles }, overview.tiles);
    const key = breakdown === "variables" && parts.length ? parts[0].id : gaps ? "gaps" : "total";
    const shared = { key, order: state.order, pixels: width };
    const path = parts.length ? "memory/tiles" : null;
    const found = useColumns<TilesMeta>(path, { ...shared, ...window, report: 0, series: figuresOf(parts, gaps) });
    const variable = breakdown === "variables" ? parts[0]?.title : undefined;
    const target = useTarget(context, key, variable, { order: state.order, pixels: width, ...window });
    const names = reports.length > 1 ? reportTitles(reports) : [];
    const figure = variable ?? (gaps ? "Memory with gaps" : "Memory without gaps");
    const whole = useColumns<TilesMeta>(path, { ...shared, report: 0, series: key });
    const plan = useColumns<PlanMeta>(state.order === "physical" ? "memory/plan" : null, { report: 0 });
    const positions = useMemo(() => {
        const inverse = new Map<number, number>();
        plan.value?.numbers("order").forEach((tile, position) => inverse.set(tile, position));
        const per = overview.tilesPerIpu;
        return state.tiles.map((tile) => (inverse.size ? tile - (tile % per) + (inverse.get(tile % per) ?? 0) : tile));
    }, [plan.value, state.tiles.join(), overview.tilesPerIpu]);
    const columns = found.value;
    const stack = columns ? seriesOf(columns, parts, gaps, state.hidden) : [];
    const picture: BarPicture | null = columns
        ? {
              first: columns.numbers("first"),
              last: columns.numbers("last"),
              stack,
              lines: [],
              overlay: target
                  ? { ...target, series: { id: "target", title: names[1], colour: "#d55e00", values: target.values } }
                  : undefined,
              limit: state.limit ? { title: "memory of a tile", value: overview.bytesPerTile } : undefined,
              marks: positions,
              bands: [],
              xTitle: state.order === "physical" ? "Tiles (physical order)" : "Tiles (software order)",
          }
        : null;
    const describe = (bar: number) => {
        if (!columns) return "";
        const [first, last, tile] = ["first", "last", "tile"].map((name) => columns.numbers(name)[bar]);
        const several = last - first > 1 ? `\nthe maximum of ${count(last - first)} tiles here` : "";
        const lines = stack
            .filter((series) => series.values[bar] > 0)
            .map((series) => `${titled(series.title, nameOfReport(reports, 0))}: ${count(series.values[bar])} B`);
        const there = target ? barAt(target, first) : -1;
        const other = target && there >= 0 ? [`${titled(figure, names[1])}: ${count(target.values[there])} B`] : [];
        const where = `Tile ${tile}, IPU ${Math.floor(tile / overview.tilesPerIpu)}${several}`;
        return [where, ...lines.reverse(), ...other].join("\n");
    };
    const pick = (bar: number, add: boolean) => {
        if (!columns) return;
        const tile = columns.numbers("tile")[bar];
        const tiles = !add
            ? [tile]
            : state.tiles.includes(tile)
              ? state.tiles.filter((one) => one !== tile)
              : [...state.tiles, tile].slice(0, 64);
        update({ tiles: tiles.join(",") || undefined });
        context.select({ tile }, { replace: true });
    };
    if (!parts.length) return <Empty>Choose variables in the tab Variables below: each is shown tile by tile.</Empty>;
    if (found.error) return <Empty>{found.error}</Empty>;
    const keys = keysOf(gaps ? [...parts, GAPS_PART] : parts, target ? names : names.slice(0, 1), shortName(figure));
    return (
        <div class="graph-box">
            <BarGraph
                name="memory"
                extent={overview.tiles}
                window={window}
                onWindow={(next, gesture) =>
                    update(
                        {
                            from: next && next.to - next.from < overview.tiles ? next.from : undefined,
                            to: next && next.to - next.from < overview.tiles ? next.to : undefined,
                        },
                        { gesture },
                    )
                }
                picture={picture}
                overview={whole.value?.numbers("maximum") ?? []}
                describe={describe}
                onPick={(bar, _, add) => pick(bar, add)}
                onWidth={setWidth}
                csv={() => (columns && picture ? csvOf(columns, picture, nameOfReport(reports, 0)) : "")}
                selected={positions.length ? { from: Math.min(...positions), to: Math.max(...positions) + 1 } : null}
            />
            <Key
                entries={keys}
                hidden={state.hidden}
                onHidden={(hidden) => update({ hidden: hidden.join(",") || undefined })}
            />
        </div>
    );
}

function MapGraph({ context, state }: { context: ViewContext; state: State }) {
    const plan = useColumns<PlanMeta>("memory/plan", { report: 0, figure: state.figure });
    if (plan.error) return <Empty>{plan.error}</Empty>;
    if (!plan.value) return <Empty>Reading the tiles.</Empty>;
    const pick = (tile: number, add: boolean) => {
        const tiles = add ? [...new Set([...state.tiles, tile])].slice(0, 64) : [tile];
        context.update({ tiles: tiles.join(",") });
        context.select({ tile }, { replace: true });
    };
    return (
        <OfReport name={nameOfReport(context.reports, 0)}>
            <Plan
                plan={plan.value}
                figure={state.figure}
                range={state.range}
                onRange={(range) =>
                    context.update(
                        { mapMin: range ? range.min : undefined, mapMax: range ? range.max : undefined },
                        { gesture: "range" },
                    )
                }
                marks={state.tiles}
                onPick={pick}
            />
        </OfReport>
    );
}

function DetailsTab({ context, state }: { context: ViewContext; state: State }) {
    const path = state.tiles.length ? "memory/tile" : null;
    const [source, target] = useJsonOfBoth<TileMemory[]>(context.reports, path, { tiles: state.tiles.join(",") });
    if (!state.tiles.length)
        return <Empty>Click a tile in the graph to see its contents; Shift-click adds another.</Empty>;
    if (source.error) return <Empty>{source.error}</Empty>;
    if (!source.value) return <Empty>Reading the tiles.</Empty>;
    const beside = target?.value ?? [];
    const titles = (report: number, tiles: readonly TileMemory[]) =>
        tiles.map((tile) => titled(`Tile ${tile.tile}`, nameOfReport(context.reports, report)));
    return <Details tiles={[...source.value, ...beside]} titles={[...titles(0, source.value), ...titles(1, beside)]} />;
}

/** The window of the tiles in use, when these are a part of the machine. */
function windowInUse({ tilesInUse, tiles, ipus }: MemoryOverview): { from?: number; to?: number } {
    const to = Math.ceil((tilesInUse ?? tiles) * 1.05);
    return ipus === 1 && to <= tiles * 0.75 ? { from: 0, to } : {};
}

function usedText({ total, bytesPerTile, tiles }: MemoryOverview, name: string): string {
    const used = percent((total ?? 0) / (bytesPerTile * tiles), 2);
    return `${name && `${name}: `}${bytes(total ?? 0)} without gaps, ${used} of ${count(tiles)} tiles`;
}

const CODE_TABS = [
    ["computeSets", "Compute sets"],
    ["vertexTypes", "Vertices"],
    ["exchanges", "Exchanges"],
] as const;

function MemoryPage({ context }: { context: ViewContext }) {
    const [source, target] = useJsonOfBoth<MemoryOverview>(context.reports, "memory");
    const overview = source.value;
    const state = readState(context, (overview?.overflowing ?? 0) > 0);
    const peak = overview?.peakTile ?? null;
    useOpening(context.state, context.selection.tile, peak !== null, () => {
        context.select({ tile: peak as number }, { replace: true });
        context.update({ tiles: String(peak), ...windowInUse(overview as MemoryOverview) }, { replace: true });
    });
    if (source.error) return <Empty>{source.error}</Empty>;
    if (!overview) return <Empty>Reading the report.</Empty>;
    if (overview.total === null)
        return <Empty>The report has no memory: compilation was not captured (autoReport.outputGraphProfile).</Empty>;
    const of = (body: ComponentChild) => <OfReport name={nameOfReport(context.reports, 0)}>{body}</OfReport>;
    const tabs: Tab[] = [
        { id: "details", title: "Details", body: () => <DetailsTab context={context} state={state} /> },
        {
            id: "variables",
            title: "Variables",
            body: () =>
                of(
                    <Variables
                        context={context}
                        chosen={state.variables}
                        onChoose={(ids) =>
                            context.update({
                                plotted: ids.slice(0, 12).join(","),
                                graph: "variables",
                                hidden: undefined,
                            })
                        }
                    />,
                ),
        },
        {
            id: "layout",
            title: "Layout",
            body: () => of(<Layout context={context} tile={state.tiles[0] ?? null} overview={overview} />),
        },
        ...CODE_TABS.map(([id, title]): Tab => ({
            id,
            title,
            body: () => of(<Code context={context} kind={id} tiles={state.tiles} />),
        })),
    ];
    if (target?.value) {
        const overviews = [overview, target.value];
        tabs.push({
            id: "difference",
            title: "Difference",
            body: () => <Difference context={context} overviews={overviews} of="categories" />,
        });
        tabs.push({
            id: "differenceOfVariables",
            title: "Difference of variables",
            body: () => <Difference context={context} overviews={overviews} of="variables" />,
        });
    }
    const all = [overview, ...(target?.value ? [target.value] : [])];
    const used = all.map((one, i) => usedText(one, nameOfReport(context.reports, i)));
    const graph = (
        <div class="graph-box">
            {all.map(
                (one, i) =>
                    (one.outOfMemory || one.overflowing > 0) && (
                        <div key={i} class="notice" role="alert">
                            {nameOfReport(context.reports, i) && `${nameOfReport(context.reports, i)}: `}
                            {one.outOfMemory || overflowText(one.overflowing)}
                        </div>
                    ),
            )}
            {state.graph === "map" ? (
                <MapGraph context={context} state={state} />
            ) : (
                <TileGraph context={context} state={state} overview={overview} />
            )}
        </div>
    );
    return (
        <Frame
            name="memory"
            options={<Options context={context} state={state} overview={overview} />}
            graph={graph}
            tabs={
                <Tabs
                    tabs={tabs}
                    chosen={state.tab}
                    onChoose={(tab) => context.update({ tab })}
                    extra={
                        <span data-tip={[...used, "", ALWAYS_LIVE, NOT_ALWAYS_LIVE].join("\n")}>{used.join("; ")}</span>
                    }
                />
            }
        />
    );
}

export const memory: View = {
    id: "memory",
    title: "Memory",
    tip: "bytes by tile",
    render: (context) => <MemoryPage context={context} />,
};
