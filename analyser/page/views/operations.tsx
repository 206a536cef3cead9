// SPDX-License-Identifier: Apache-2.0
// Operations: the cost of each call of a software layer as a table, and its programs and variables as a graph.
import { useMemo, useState } from "preact/hooks";
import "./operations.css";
import {
    FIGURES,
    Figure,
    Operation,
    OperationGraph,
    OperationTable,
    useOperationGraph,
    useOperations,
} from "../data/operations";
import { NONE, Program, programLabel, usePrograms } from "../data/programs";
import { setPreferences, usePreferences } from "../preferences";
import { typeColour } from "../draw/types";
import { bytes, count, difference as signed, flop, percent, rate } from "../text/format";
import { shortName } from "../text/names";
import { Graph, graphDrawing } from "../ui/graph";
import { SavePicture } from "../ui/savepicture";
import { Choice, Layout } from "../ui/layout";
import { Roofline, RooflinePoint } from "./operations/roofline";
import { tableState } from "../ui/rows";
import { Column, Table, titleWidth } from "../ui/table";
import { Empty, Tabs } from "../ui/tabs";
import { reportTitles } from "../ui/compare";
import { OfReport, ShowName, nameOfReport } from "../ui/ofreport";
import { Report } from "../data/reports";
import { View, ViewContext } from "./view";

const TITLES: { readonly [figure in Figure]: readonly [title: string, tip: string, hidden?: boolean] } = {
    elapsed: [
        "Critical-path cycles",
        "cycles by which its steps delay the end of the run; the sum over operations is the whole run",
    ],
    programs: ["Programs", "program steps that the call added"],
    computeSets: ["Compute sets", "different ones, in total", true],
    times: ["Executions", "of all its program steps together", true],
    cycles: ["Slowest tile", "cycles of the slowest tile, added up over executions", true],
    tileCycles: ["Tile cycles", "of all tiles", true],
    exchange: ["Exchange", "of the critical-path cycles, those of exchanges between tiles or IPUs, and of syncs"],
    host: ["Host", "of the critical-path cycles, those of copies from and to the host", true],
    estimate: ["Estimate", "cycles of one execution of each program step, as compiled", true],
    code: ["Code (B)", "code of control and exchange, on all tiles"],
    vertexState: ["Vertex state (B)", "state of its vertices, on all tiles", true],
    vertices: ["Vertices", "of its compute sets", true],
    data: ["Data (B)", "bytes that its exchanges and stream copies move, in all executions", true],
    variables: ["Variables (B)", "variables of the graph that the call added"],
    flops: [
        "FLOP",
        "floating-point operations of all executions: as the model's node counts them (two for a product), " +
            "else those of its vertices",
    ],
    done: [
        "FLOP of vertices",
        "floating-point operations that its vertices count, those of padding and of sums of partials included",
        true,
    ],
    uncounted: ["Uncounted", "vertices whose operations no estimate counts: codelets without one", true],
    calls: ["Calls", "executions of the call", true],
    weights: ["Weights (B)", "constants of a model's node, in the device's types", true],
    outputs: ["Outputs (B)", "outputs of a model's node", true],
};
const BYTES: readonly Figure[] = ["code", "vertexState", "data", "variables", "weights", "outputs"];
const OF_NODES: readonly Figure[] = ["weights", "outputs"];
const OF_RUNS: readonly Figure[] = ["times", "cycles", "tileCycles", "exchange", "host", "elapsed"];
const FLOPS: readonly Figure[] = ["flops", "done", "uncounted"];

interface Row extends Operation {
    other?: Operation; // of the second report
}

function rateOf(row: Operation): number {
    return row.elapsed ? row.flops / row.elapsed : 0;
}

function nameOf(row: Operation): string {
    return row.context === NONE ? "(outside any library call)" : row.name;
}

function showFigure(figure: Figure, value: number): string {
    return BYTES.includes(figure) ? bytes(value) : figure === "flops" || figure === "done" ? flop(value) : count(value);
}

function figureColumn(figure: Figure, table: OperationTable): Column<Row> {
    const { executed } = table;
    const [title, tip, isHidden] = TITLES[figure];
    const nodes = OF_NODES.includes(figure) && table.operations.some((one) => one[figure] > 0);
    const hidden = nodes ? false : FLOPS.includes(figure) && !table.counted ? true : isHidden;
    const needsRun = OF_RUNS.includes(figure);
    return {
        id: figure,
        title,
        tip,
        kind: "number",
        width: ["elapsed", "variables", "exchange"].includes(figure) ? 150 : 110,
        hidden: executed ? hidden : needsRun || (hidden && figure !== "estimate"),
        value: (row) => row[figure],
        show: (row) => showFigure(figure, row[figure]),
        cellTip: (row) => `${count(row[figure])}${BYTES.includes(figure) ? " B" : ""}\n${tip}`,
    };
}

/** FLOP a cycle of the critical path, and their share of the machine's peak in products of halves. */
function rateColumns(table: OperationTable): Column<Row>[] {
    if (!table.counted || !table.executed) return [];
    const share = (row: Row) => (table.peak.half ? rateOf(row) / table.peak.half : 0);
    return [
        {
            id: "rate",
            title: "FLOP/cycle",
            tip: "FLOP for each critical-path cycle, of all tiles",
            kind: "number",
            width: 110,
            value: rateOf,
            show: (row) => (row.flops ? rate(rateOf(row)) : "–"),
        },
        {
            id: "peak",
            title: "% of peak",
            tip:
                `of ${count(table.peak.half)} FLOP a cycle in products of halves; ` +
                `those of floats reach ${count(table.peak.float)}`,
            kind: "number",
            width: 90,
            hidden: !table.peak.half,
            value: share,
            show: (row) => (row.flops ? percent(share(row), 2) : "–"),
        },
    ];
}

function comparedColumns(figure: Figure, names: readonly string[]): Column<Row>[] {
    const show = (value: number) => showFigure(figure, value);
    const other = (row: Row) => row.other?.[figure] ?? 0;
    return [
        {
            id: "source",
            title: names[0],
            kind: "number",
            width: titleWidth(names[0], 120),
            tip: `${TITLES[figure][0]}: ${TITLES[figure][1]}`,
            value: (row) => row[figure],
            show: (row) => show(row[figure]),
        },
        {
            id: "target",
            title: names[1],
            kind: "number",
            width: titleWidth(names[1], 120),
            tip: `${TITLES[figure][0]}: ${TITLES[figure][1]}`,
            value: other,
            show: (row) => (row.other ? show(other(row)) : "–"),
        },
        {
            id: "difference",
            title: "Difference",
            kind: "number",
            width: 150,
            tip: `${names[1]} less ${names[0]}; sorted by size, be it more or less`,
            value: (row) => other(row) - row[figure],
            order: (row) => Math.abs(other(row) - row[figure]),
            show: (row) => (
                <span class={other(row) > row[figure] ? "change-more" : other(row) < row[figure] ? "change-less" : ""}>
                    {signed(other(row) - row[figure], show)}
                </span>
            ),
        },
    ];
}

function columnsOf(table: OperationTable, compared: Figure | null, reports: readonly Report[]): readonly Column<Row>[] {
    return [
        { id: "call", title: "Operation", width: 220, tip: "the call of the layer", value: (row) => row.call },
        { id: "name", title: "Debug name", value: nameOf, show: (row) => shortName(nameOf(row)), cellTip: nameOf },
        ...(compared
            ? comparedColumns(compared, reportTitles(reports))
            : [...FIGURES.map((figure) => figureColumn(figure, table)), ...rateColumns(table)]),
        {
            id: "line",
            title: "Source line",
            width: 170,
            hidden: compared !== null,
            value: (row) => (row.file ? `${row.file}:${row.line}` : ""),
            show: (row) => (row.file ? `${row.file.split("/").pop()}:${row.line}` : ""),
            cellTip: (row) => (row.file ? `${row.file}:${row.line}` : ""),
        },
    ];
}

/** Operations with arithmetic, for the roofline. */
function pointsOf(rows: readonly Row[]): RooflinePoint<Row>[] {
    return rows
        .filter((row) => row.flops > 0 && row.elapsed > 0)
        .map((row) => ({
            of: row,
            name: nameOf(row),
            call: row.call,
            flops: row.flops,
            cycles: row.elapsed,
            bytes: row.data,
        }));
}

/** Rows of both reports, matched by call and debug path; several with the same name are merged. */
function merged(table: OperationTable, other: OperationTable | undefined): Row[] {
    if (!other) return table.operations;
    const byName = (list: readonly Operation[]) => {
        const found = new Map<string, Operation>();
        for (const one of list) {
            const key = `${one.call} ${one.name}`;
            const before = found.get(key);
            if (!before) found.set(key, { ...one });
            else for (const figure of FIGURES) before[figure] += one[figure];
        }
        return found;
    };
    const [a, b] = [byName(table.operations), byName(other.operations)];
    const zero = Object.fromEntries(FIGURES.map((figure) => [figure, 0])) as { [figure in Figure]: number };
    return [...new Set([...a.keys(), ...b.keys()])].map((key) => {
        const first = a.get(key);
        const second = b.get(key);
        return { ...(first ?? { ...(second as Operation), ...zero }), other: second };
    });
}

function Totals({ table, row }: { table: OperationTable; row: Operation | undefined }) {
    const sum = (figure: Figure) => table.operations.reduce((total, one) => total + one[figure], 0);
    const show = showFigure;
    const shown = FIGURES.filter(
        (figure) =>
            (!OF_NODES.includes(figure) || sum(figure) > 0) &&
            (!FLOPS.includes(figure) || table.counted) &&
            (!OF_RUNS.includes(figure) || table.executed),
    );
    return (
        <dl class="facts">
            <dt>{row ? "Operation" : "Operations"}</dt>
            <dd>
                {row
                    ? `${row.call} ${nameOf(row)}`
                    : count(table.operations.filter((one) => one.context !== NONE).length)}
            </dd>
            {shown.map((figure) => (
                <>
                    <dt data-tip={TITLES[figure][1]}>{TITLES[figure][0].replace(" (B)", "")}</dt>
                    <dd data-figure={figure}>
                        {show(figure, row ? row[figure] : sum(figure))}
                        {row && ` (${percent(sum(figure) ? row[figure] / sum(figure) : 0)} of all)`}
                    </dd>
                </>
            ))}
        </dl>
    );
}

const PROGRAM_COLUMNS: readonly Column<Program>[] = [
    { id: "id", title: "Id", kind: "number", width: 70, value: (row) => row.id },
    {
        id: "label",
        title: "Program step",
        value: programLabel,
        show: (row) => (
            <>
                <span
                    class="chip"
                    style={{
                        background: typeColour(row.type, row.detail),
                        display: "inline-block",
                        marginRight: "6px",
                    }}
                />
                {programLabel(row)}
            </>
        ),
    },
    { id: "times", title: "Executions", kind: "number", width: 110, value: (row) => row.executions },
    {
        id: "elapsed",
        title: "Critical path",
        kind: "number",
        width: 110,
        tip: "cycles by which the step delays the end of the run",
        value: (row) => row.elapsed,
    },
    {
        id: "cycles",
        title: "Slowest tile",
        kind: "number",
        width: 110,
        tip: "cycles of the slowest tile, added up over executions",
        value: (row) => row.cycles,
    },
    { id: "estimate", title: "Estimate", kind: "number", width: 110, value: (row) => row.estimate },
    {
        id: "flops",
        title: "FLOP",
        kind: "number",
        width: 110,
        tip: "floating-point operations of its vertices, in all executions",
        value: (row) => row.flops,
        show: (row) => (row.flops ? flop(row.flops) : "–"),
    },
    { id: "code", title: "Code (B)", kind: "number", width: 110, value: (row) => row.code },
];

/** Program steps whose operation, in the table's layer, is the selected one. */
function Steps({ context, row }: { context: ViewContext; row: Operation | undefined }) {
    const { value: list } = usePrograms(0);
    if (!row) return <Empty>Click an operation to see its program steps.</Empty>;
    const of = list?.programs.filter((program) => program.operation === row.context) ?? [];
    return (
        <Table
            name="steps"
            columns={PROGRAM_COLUMNS}
            rows={of}
            empty="The tree's layer has no such operation."
            selected={(program) => program.id === context.selection.program}
            onSelect={(program) => context.select({ program: program.id })}
            onOpen={(program) => context.open("programs", {}, { program: program.id })}
        />
    );
}

function variablesOf(graph: OperationGraph): number {
    return graph.nodes.reduce((sum, node) => sum + (node.kind === "variable" ? node.count : 0), 0);
}

function OperationsGraph({ context, row }: { context: ViewContext; row: Operation | undefined }) {
    const { value: graph, error } = useOperationGraph(0, row && row.context !== NONE ? row.context : undefined);
    const { sizes } = usePreferences(); // stored for later sessions
    const scale = sizes["operations.scale"] ?? 1;
    const setScale = (to: number) =>
        setPreferences({ sizes: { ...sizes, "operations.scale": Math.min(8, Math.max(0.1, to)) } });
    const [selected, setSelected] = useState(-1);
    if (error) return <Empty>{error}</Empty>;
    if (!graph) return <Empty>Reading the accesses to variables.</Empty>;
    const open = (node: number) => {
        const { kind, id, label } = graph.nodes[node];
        if (kind === "program") context.open("programs", {}, { program: id });
        else context.select({ variable: label });
    };
    return (
        <div class="pane-column">
            <div class="flame-bar">
                <ShowName>{(of) => of}</ShowName>
                <span>
                    {row && row.context !== NONE ? nameOf(row) : "All programs"}: {count(graph.shown)}{" "}
                    {graph.shown < graph.programs ? `of ${count(graph.programs)} ` : ""}programs,{" "}
                    {count(variablesOf(graph))} variables
                </span>
                <span class="grow" />
                <SavePicture drawing={() => graphDrawing(graph, "operations")} />
                <button type="button" class="icon" aria-label="smaller" onClick={() => setScale(scale / 1.25)}>
                    −
                </button>
                <button type="button" class="icon" aria-label="larger" onClick={() => setScale(scale * 1.25)}>
                    +
                </button>
                {row && (
                    <button type="button" onClick={() => context.select({ operation: undefined })}>
                        All programs
                    </button>
                )}
            </div>
            {graph.nodes.length ? (
                <Graph graph={graph} scale={scale} selected={selected} onSelect={setSelected} onOpen={open} />
            ) : (
                <Empty>The operation has no compute set, exchange or stream copy of its own.</Empty>
            )}
        </div>
    );
}

function ComparedFigure({ figure, onChoose }: { figure: Figure; onChoose: (figure: string) => void }) {
    return (
        <select aria-label="figure" value={figure} onChange={(event) => onChoose(event.currentTarget.value)}>
            {FIGURES.map((one) => (
                <option key={one} value={one}>
                    {TITLES[one][0]}
                </option>
            ))}
        </select>
    );
}

const NO_LINE = "Its source line is unknown.";

function Operations({ context }: { context: ViewContext }) {
    const { state, update } = context;
    const layer = typeof state.layer === "string" ? state.layer : undefined;
    const { value: table, error } = useOperations(0, layer);
    const both = context.reports.length > 1;
    const other = useOperations(both ? 1 : null, layer).value;
    const figure = FIGURES.find((one) => one === state.figure) ?? (table?.executed === false ? "estimate" : "elapsed");
    const rows = useMemo(() => (table ? merged(table, both ? other : undefined) : []), [table, other, both]);
    const columns = useMemo(
        () => (table ? columnsOf(table, both ? figure : null, context.reports) : []),
        [table, both, figure, context.reports],
    );
    if (error || !table) return <Empty>{error ?? "Summing up the cost of each call."}</Empty>;
    // Several calls can have the same debug path: the view's state holds which one is selected.
    const named = rows.filter((row) => nameOf(row) === context.selection.operation);
    const chosen = named.find((row) => row.context === state.context) ?? named[0];
    const show = state.show === "graph" || state.show === "roofline" ? state.show : "table";
    const options = (
        <>
            <h3>Layer</h3>
            <select
                aria-label="layer"
                value={table.layer}
                onChange={(event) => update({ layer: event.currentTarget.value })}
            >
                {table.layers.map((one) => (
                    <option key={one}>{one}</option>
                ))}
            </select>
            <h3>Show</h3>
            <Choice
                label="show"
                chosen={show}
                choices={[
                    { id: "table", title: "Table" },
                    {
                        id: "graph",
                        title: "Graph",
                        tip: "compute sets, exchanges and variables, with reads and writes",
                    },
                    {
                        id: "roofline",
                        title: "Roofline",
                        tip: "FLOP for each byte exchanged against FLOP for each cycle, and what the machine allows",
                    },
                ]}
                onChoose={(id) => update({ show: id === "table" ? undefined : id })}
            />
            {both && (
                <>
                    <h3>Compared figure</h3>
                    <ComparedFigure figure={figure} onChoose={(one) => update({ figure: one })} />
                </>
            )}
        </>
    );
    const choose = (row: Row) => {
        context.select({ operation: nameOf(row) });
        update({ context: row.context }, { replace: true });
    };
    const main =
        show === "graph" ? (
            <OperationsGraph context={context} row={chosen} />
        ) : show === "roofline" ? (
            <Roofline table={table} points={pointsOf(rows)} selected={chosen} onSelect={choose} />
        ) : (
            <Table
                name="operations"
                columns={columns}
                rows={rows}
                state={{ sort: both ? "-difference" : `-${figure}`, ...tableState(state.table) }}
                onState={(next) => update({ table: { ...next } }, { gesture: "table" })}
                selected={(row) => row === chosen}
                onSelect={choose}
                onOpen={() => update({ show: "graph" })}
                bar={
                    both && (
                        <span class="soft" data-compared>
                            {TITLES[figure][0]}
                        </span>
                    )
                }
            />
        );
    const tabs = (
        <Tabs
            chosen={typeof state.tab === "string" ? state.tab : undefined}
            onChoose={(tab) => update({ tab }, { replace: true })}
            tabs={[
                { id: "summary", title: "Summary", body: () => <Totals table={table} row={chosen} /> },
                { id: "steps", title: "Program steps", body: () => <Steps context={context} row={chosen} /> },
                {
                    id: "debug",
                    title: "Debug",
                    body: () =>
                        chosen?.file ? (
                            <p class="empty">
                                Made by{" "}
                                <button
                                    type="button"
                                    class="link"
                                    onClick={() => context.open("source", { file: chosen.file, line: chosen.line })}
                                >
                                    {chosen.file}:{chosen.line}
                                </button>
                            </p>
                        ) : (
                            <Empty>{chosen ? NO_LINE : "Click an operation to see the line that made it."}</Empty>
                        ),
                },
            ]}
        />
    );
    const of = nameOfReport(context.reports, 0);
    const graph = <OfReport name={show === "table" ? "" : of}>{main}</OfReport>;
    return <Layout name="operations" options={options} graph={graph} tabs={<OfReport name={of}>{tabs}</OfReport>} />;
}

export const operations: View = {
    id: "operations",
    title: "Operations",
    tip: "the cost of each call of a library",
    missing: (reports) =>
        reports.some((report) => !report.hasDebug)
            ? "Operations come from debug.cbor, which this report does not " +
              "have: set autoReport.outputDebugInfo (or autoReport.all) to true."
            : null,
    render: (context) => <Operations context={context} />,
};
