// SPDX-License-Identifier: Apache-2.0
// Differences of two reports, matched by debug path: a table, and a flame graph coloured by change.
import { useMemo } from "preact/hooks";
import "./flame.css";
import { CATEGORIES, categoryTitle } from "../data/concepts";
import { Difference, useDifferences } from "../data/difference";
import { Frames, pathOf, useDifferenceFlame, useFlame } from "../data/flame";
import { FlameGraph, flameShare } from "../ui/flamegraph";
import { bytes, count, difference as signed } from "../text/format";
import { shortName } from "../text/names";
import { Choice, Layout } from "../ui/layout";
import { tableState } from "../ui/rows";
import { Column, Table, titleWidth } from "../ui/table";
import { Empty } from "../ui/tabs";
import { changeText, reportTitles } from "../ui/compare";
import { View, ViewContext } from "./view";

function show(unit: string): (value: number) => string {
    return unit === "bytes" ? bytes : count;
}

function withUnit(unit: string): (value: number) => string {
    return unit === "bytes" ? bytes : (value) => `${count(value)} ${unit}`;
}

function changeClass(value: number): string {
    return value > 0 ? "change-more" : value < 0 ? "change-less" : "";
}

const columnsOf = (names: readonly string[]): readonly Column<Difference>[] => [
    { id: "what", title: "What", width: 118, value: (row) => row.what, cellTip: (row) => row.what },
    {
        id: "basis",
        title: "Basis",
        width: 106,
        tip: "what the figure is the sum or the maximum of",
        value: (row) => row.basis,
        cellTip: (row) => row.basis,
    },
    {
        id: "path",
        title: "Debug path",
        value: (row) => row.path,
        show: (row) => (CATEGORIES[row.path] ? categoryTitle(row.path) : shortName(row.path)),
        cellTip: (row) => row.path,
    },
    {
        id: "a",
        title: names[0],
        tip: "the source",
        kind: "number",
        width: titleWidth(names[0], 100),
        value: (row) => row.a,
        show: (row) => (row.change === "added" ? "–" : show(row.unit)(row.a)),
        cellTip: (row) => `${count(row.a)} ${row.unit}`,
    },
    {
        id: "b",
        title: names[1],
        tip: "the target",
        kind: "number",
        width: titleWidth(names[1], 100),
        value: (row) => row.b,
        show: (row) => (row.change === "removed" ? "–" : show(row.unit)(row.b)),
        cellTip: (row) => `${count(row.b)} ${row.unit}`,
    },
    {
        id: "difference",
        title: "Difference",
        kind: "number",
        width: 140,
        tip: `${names[1]} less ${names[0]}`,
        value: (row) => row.difference,
        show: (row) => <span class={changeClass(row.difference)}>{signed(row.difference, withUnit(row.unit))}</span>,
        cellTip: (row) => `${signed(row.difference)} ${row.unit}`,
    },
    {
        id: "percent",
        title: "% of first",
        kind: "number",
        width: 88,
        tip: `the difference in per cent of ${names[0]}; "new": only ${names[1]} has it`,
        value: (row) => (row.a ? ((row.b - row.a) / Math.abs(row.a)) * 100 : row.b ? null : 0),
        show: (row) => changeText(row.a, row.b, 1),
    },
    {
        id: "change",
        title: "Only in one",
        width: 110,
        hidden: true,
        tip: "added: only the target has it; removed: only the source",
        value: (row) => (row.change === "changed" ? "" : row.change),
    },
];

function tipOf(frames: Frames, unit: string, node: number, names: readonly string[]): string {
    const [a, b] = [frames.total[node], frames.totalB?.[node] ?? 0];
    const format = (value: number) => (unit === "bytes" ? bytes(value) : `${count(value)} cycles`);
    return [
        pathOf(frames, node) || "all",
        `${names[0]} ${format(a)}`,
        `${names[1]} ${format(b)}`,
        `difference ${signed(b - a, format)} (${changeText(a, b, 1)} of ${names[0]})`,
    ].join("\n");
}

/** The name of a frame, or of the nearest around it, that some row of the table has; "": none has. */
function rowedName(frames: Frames, node: number, rows: readonly Difference[]): string {
    for (let at = node; at > 0; at = frames.parent[at]) {
        const name = frames.name[at].toLowerCase();
        if (rows.some((row) => row.path.toLowerCase().includes(name))) return frames.name[at];
    }
    return "";
}

function DifferenceFlame({
    context,
    metric,
    rows,
}: {
    context: ViewContext;
    metric: string;
    rows: readonly Difference[];
}) {
    const { state, update } = context;
    const { value: tree, error } = useDifferenceFlame(metric);
    const root = useMemo(() => {
        if (!tree || typeof state.root !== "string") return 0;
        const path = state.root;
        return tree.frames.name.findIndex(
            (name, node) => node > 0 && path.endsWith(name) && pathOf(tree.frames, node) === path,
        );
    }, [tree, state.root]);
    const [first, second] = reportTitles(context.reports);
    const compared = [first, second] as const;
    if (error) return <Empty>{error}</Empty>;
    if (!tree) return <Empty>Matching both reports by debug path.</Empty>;
    return (
        <FlameGraph
            name="difference"
            frames={tree.frames}
            root={Math.max(0, root)}
            selected={-1}
            search={typeof state.search === "string" ? state.search : ""}
            compared={compared}
            tip={(node) => tipOf(tree.frames, tree.unit, node, compared)}
            onZoom={(node) => update({ root: node ? pathOf(tree.frames, node) : undefined })}
            onSelect={(node) =>
                update({ table: { ...tableState(state.table), text: rowedName(tree.frames, node, rows) } })
            }
        />
    );
}

function Differences({ context }: { context: ViewContext }) {
    const { state, update } = context;
    const metric = typeof state.metric === "string" ? state.metric : "elapsed";
    const { value: rows, error } = useDifferences(true);
    const names = reportTitles(context.reports);
    const columns = useMemo(() => columnsOf(names), [names.join()]);
    const { value: known } = useFlame(0, metric);
    const { value: tree } = useDifferenceFlame(metric);
    const options = (
        <>
            <h3>Figures of the graph</h3>
            <select
                aria-label="metric"
                value={metric}
                onChange={(event) => update({ metric: event.currentTarget.value, root: undefined })}
            >
                {(known?.metrics ?? []).map((one) => (
                    <option key={one.id} value={one.id}>
                        {one.what}
                    </option>
                ))}
            </select>
            <h3>Search</h3>
            <input
                type="search"
                aria-label="search frames"
                value={typeof state.search === "string" ? state.search : ""}
                onInput={(event) => update({ search: event.currentTarget.value || undefined }, { gesture: "search" })}
            />
            <h3>Widths</h3>
            <p class="hint">The width of a box is the sum of both reports, so that removed ones are visible too.</p>
            <h3>Reports</h3>
            <div data-tip={context.reports[0].directory}>Source: {names[0]}</div>
            <div data-tip={context.reports[1].directory}>Target: {names[1]}</div>
            <h3>Rows</h3>
            <Choice
                label="rows"
                chosen={state.rows === "totals" ? "totals" : "all"}
                choices={[
                    { id: "all", title: "All" },
                    { id: "totals", title: "Totals" },
                ]}
                onChoose={(id) => update({ rows: id === "all" ? undefined : id })}
            />
        </>
    );
    if (error) return <Empty>{error}</Empty>;
    const table = (
        <Table
            name="differences"
            columns={columns}
            rows={(rows ?? []).filter(
                (row) => state.rows !== "totals" || row.path === "" || row.what === "critical path",
            )}
            state={tableState(state.table)}
            onState={(table) => update({ table: { ...table } }, { gesture: "table" })}
            empty={rows ? "The reports do not differ." : "Comparing the reports."}
        />
    );
    return (
        <Layout
            name="difference"
            options={options}
            graph={<DifferenceFlame context={context} metric={metric} rows={rows ?? []} />}
            tabs={table}
            graphShare={tree ? flameShare(tree.frames) : 0.45}
        />
    );
}

export const difference: View = {
    id: "difference",
    title: "Difference",
    tip: "what changed between two reports",
    missing: (reports) =>
        reports.length < 2
            ? "Open a second report to compare with: click the report's name in the header, then “Open or compare”."
            : null,
    render: (context) => <Differences context={context} />,
};
