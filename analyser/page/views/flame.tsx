// SPDX-License-Identifier: Apache-2.0
// Aggregated flame graphs of cycles or memory by debug path; the sandwich of a name: callers above, callees below.
import { useMemo } from "preact/hooks";
import "./flame.css";
import { FlameTree, Frames, Hot, hottest, pathOf, sandwich, useFlame } from "../data/flame";
import { FlameGraph, flameShare } from "../ui/flamegraph";
import { bytes, count, cycles, flop, percent } from "../text/format";
import { shortName } from "../text/names";
import { Choice, Layout } from "../ui/layout";
import { tableState } from "../ui/rows";
import { Split } from "../ui/split";
import { Column, Table } from "../ui/table";
import { Empty } from "../ui/tabs";
import { ShowName, nameOfReport } from "../ui/ofreport";
import { ReportChoice } from "../ui/reportchoice";
import { View, ViewContext } from "./view";

function amount(unit: string): (value: number) => string {
    return unit === "bytes" ? bytes : unit === "FLOP" ? flop : cycles;
}

function tipOf(tree: FlameTree, frames: Frames, node: number): string {
    const show = amount(tree.unit);
    const whole = frames.total[0];
    const lines = [
        pathOf(frames, node) || "all",
        `${show(frames.total[node])}, ${percent(whole ? frames.total[node] / whole : 0)} of all`,
    ];
    if (frames.self[node] !== frames.total[node]) lines.push(`itself: ${show(frames.self[node])}`);
    if (frames.times[node])
        lines.push(
            tree.unit === "bytes"
                ? `${count(frames.times[node])} variables or parts`
                : `executed ${count(frames.times[node])} times`,
        );
    return lines.join("\n");
}

function columnsOf(tree: FlameTree): readonly Column<Hot>[] {
    const unit = tree.unit === "bytes" ? "B" : tree.unit;
    const whole = tree.frames.total[0];
    return [
        {
            id: "name",
            title: "Name",
            value: (row) => row.name,
            show: (row) => shortName(row.name),
            cellTip: (row) => row.name,
        },
        {
            id: "self",
            title: `Self (${unit})`,
            kind: "number",
            width: 140,
            value: (row) => row.self,
            tip: "of frames with this name, without their callees",
        },
        {
            id: "total",
            title: `Total (${unit})`,
            kind: "number",
            width: 140,
            value: (row) => row.total,
            tip: "with their callees; recursive frames count once",
        },
        {
            id: "share",
            title: "Total (%)",
            kind: "number",
            width: 90,
            value: (row) => (whole ? (row.total / whole) * 100 : 0),
            show: (row) => percent(whole ? row.total / whole : 0),
        },
        {
            id: "times",
            title: tree.unit === "bytes" ? "Parts" : "Executions",
            kind: "number",
            width: 110,
            value: (row) => row.times,
        },
    ];
}

function Sandwich({ tree, name }: { tree: FlameTree; name: string }) {
    const parts = useMemo(() => sandwich(tree.frames, name), [tree, name]);
    const show = amount(tree.unit);
    const graph = (title: string, frames: Frames, up: boolean) => (
        <div class="flame-part">
            <div class="flame-title">
                {title} of {name}: {show(frames.total[0])} <ShowName>{(of) => of}</ShowName>
            </div>
            <FlameGraph
                name={up ? "callers" : "callees"}
                frames={frames}
                root={0}
                selected={-1}
                search=""
                up={up}
                tip={(node) =>
                    `${frames.name[node]}\n${show(frames.total[node])}, ` +
                    `${percent(frames.total[0] ? frames.total[node] / frames.total[0] : 0)} of ${name}`
                }
                onZoom={() => undefined}
                onSelect={() => undefined}
            />
        </div>
    );
    return (
        <Split
            name="flame.sandwich"
            initial={0.5}
            first={graph("Callers", parts.callers, true)}
            second={graph("Callees", parts.callees, false)}
        />
    );
}

function Flame({ context }: { context: ViewContext }) {
    const { state, update } = context;
    const metric = typeof state.metric === "string" ? state.metric : undefined;
    const report = state.report === 1 && context.reports.length > 1 ? 1 : 0;
    const { value: tree, error, loading } = useFlame(report, metric);
    const search = typeof state.search === "string" ? state.search : "";
    const name = typeof state.name === "string" ? state.name : "";
    const root = useMemo(
        () => (tree && typeof state.root === "string" ? findPath(tree.frames, state.root) : 0),
        [tree, state.root],
    );
    const hot = useMemo(() => (tree ? hottest(tree.frames) : []), [tree]);
    const columns = useMemo(() => (tree ? columnsOf(tree) : []), [tree]);
    if (error) return <Empty>{error}</Empty>;
    if (!tree) return <Empty>{loading ? "Adding up the report's figures by debug path." : ""}</Empty>;
    const selected = name ? tree.frames.name.indexOf(name) : -1;
    const options = (
        <>
            <h3>Figures</h3>
            <select
                aria-label="metric"
                value={tree.metric}
                onChange={(event) => update({ metric: event.currentTarget.value, root: undefined })}
            >
                {tree.metrics.map((one) => (
                    <option key={one.id} value={one.id}>
                        {one.what}
                    </option>
                ))}
            </select>
            {context.reports.length > 1 && (
                <>
                    <h3>Report</h3>
                    <ReportChoice
                        reports={context.reports}
                        report={report}
                        onChoose={(chosen) => update({ report: chosen })}
                    />
                </>
            )}
            <h3>Shape</h3>
            <Choice
                label="shape"
                chosen={state.shape === "sandwich" ? "sandwich" : "flame"}
                choices={[
                    { id: "flame", title: "Flame", tip: "by debug path, from the outermost name on" },
                    {
                        id: "sandwich",
                        title: "Sandwich",
                        tip: "a name with its callers above and its callees below",
                    },
                ]}
                onChoose={(id) => update({ shape: id === "flame" ? undefined : id })}
            />
            <h3>Search</h3>
            <input
                type="search"
                aria-label="search frames"
                value={search}
                onInput={(event) => update({ search: event.currentTarget.value || undefined }, { gesture: "search" })}
            />
            {root > 0 && (
                <>
                    <h3>Zoom</h3>
                    <button type="button" onClick={() => update({ root: undefined })}>
                        Show all
                    </button>
                </>
            )}
        </>
    );
    const graph =
        state.shape === "sandwich" ? (
            name ? (
                <Sandwich tree={tree} name={name} />
            ) : (
                <Empty>Click a name in the table to see its callers and callees.</Empty>
            )
        ) : tree.frames.name.length < 2 ? (
            <Empty>
                The report holds no such figures. Cycles need an execution profile (autoReport.outputExecutionProfile).
            </Empty>
        ) : (
            <FlameGraph
                name="flame"
                frames={tree.frames}
                root={root}
                selected={selected}
                search={search}
                tip={(node) => tipOf(tree, tree.frames, node)}
                onZoom={(node) => update({ root: node ? pathOf(tree.frames, node) : undefined })}
                onSelect={(node) => update({ name: tree.frames.name[node] || undefined })}
            />
        );
    const table = (
        <Table
            name="hottest"
            columns={columns}
            rows={hot}
            state={{ sort: "-self", ...tableState(state.table) }}
            onState={(table) => update({ table: { ...table } }, { gesture: "table" })}
            rowKey={(row) => row.name}
            selected={(row) => row.name === name}
            onSelect={(row) => update({ name: row.name })}
            onOpen={(row) => update({ name: row.name, shape: "sandwich" })}
        />
    );
    const of = nameOfReport(context.reports, report);
    const share = state.shape === "sandwich" ? 0.6 : flameShare(tree.frames);
    return <Layout name="flame" options={options} graph={graph} tabs={table} report={of} graphShare={share} />;
}

/** The node with a debug path; 0 when there is none. */
function findPath(frames: Frames, path: string): number {
    for (let node = 1; node < frames.name.length; ++node)
        if (path.endsWith(frames.name[node]) && pathOf(frames, node) === path) return node;
    return 0;
}

export const flame: View = {
    id: "flame",
    title: "Flame",
    tip: "cycles, floating-point operations or memory by debug path, added up",
    render: (context) => <Flame context={context} />,
};
