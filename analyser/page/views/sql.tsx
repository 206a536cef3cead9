// SPDX-License-Identifier: Apache-2.0
// SQL over the report: a query, and its rows as a table or a chart.
import { useMemo, useState } from "preact/hooks";
import "./sql.css";
import { Result, ResultColumn, Table as SqlTable, hintOf, useQuery, useSchema } from "../data/sql";
import { count } from "../text/format";
import { Choice, Layout } from "../ui/layout";
import { Plot, PlotSeries } from "../ui/plot";
import { tableState } from "../ui/rows";
import { Column, Table } from "../ui/table";
import { useOpening } from "../ui/opening";
import { Empty } from "../ui/tabs";
import { nameOfReport, titled } from "../ui/ofreport";
import { ReportChoice } from "../ui/reportchoice";
import { View, ViewContext } from "./view";

const EXAMPLES: readonly { title: string; sql: string }[] = [
    { title: "Memory of tiles", sql: "SELECT tile, total_including_gaps AS bytes FROM memory_by_tile ORDER BY tile" },
    {
        title: "Memory by category",
        sql:
            "SELECT c.name, sum(m.bytes) AS bytes\nFROM memory_by_category m JOIN var_categories " +
            "c ON c.id = m.category\nWHERE m.overlap <> 1 GROUP BY c.name ORDER BY bytes DESC",
    },
    {
        title: "Live memory by step",
        sql: "SELECT s.id AS step, l.bytes FROM liveness_steps s JOIN live_lists l ON l.id = s.list ORDER BY s.id",
    },
    {
        title: "Longest steps",
        sql:
            "SELECT s.id, s.type, s.name, max(i.cycles) AS cycles\nFROM steps s JOIN " +
            "steps_by_ipu i ON i.step_id = s.id\nGROUP BY s.id ORDER BY cycles DESC, s.id LIMIT 10",
    },
    {
        title: "Cycles by type",
        sql:
            "SELECT s.type, count(*) AS steps, sum(i.cycles) AS cycles, avg(i.tile_balance) AS balance\nFROM " +
            "steps s JOIN steps_by_ipu i ON i.step_id = s.id\nWHERE i.ipu = 0 GROUP BY s.type ORDER BY cycles DESC",
    },
    {
        title: "Slowest compute set by tile",
        sql:
            "SELECT a.i AS tile, a.value AS cycles\nFROM array((SELECT estimated_cycles_by_tile FROM " +
            "compute_sets ORDER BY estimated_cycles DESC LIMIT 1),\n           " +
            "(SELECT tiles_per_replica FROM target)) a",
    },
    {
        title: "Runs",
        sql:
            "SELECT name, cycles_to - cycles_from AS cycles, end_microseconds " +
            "- start_microseconds AS microseconds, steps FROM runs ORDER BY id",
    },
];

function cell(column: ResultColumn, row: number): string | number | null {
    if (!column.numbers) return column.texts?.[row] ?? "";
    const value = column.numbers[row];
    return Number.isNaN(value) ? null : value;
}

function ResultTable({ context, result }: { context: ViewContext; result: Result }) {
    const rows = useMemo(() => Array.from({ length: result.rows }, (_, i) => i), [result]);
    const columns = useMemo(
        () =>
            result.columns.map((column, i): Column<number> => ({
                id: `c${i}`,
                title: column.name,
                kind: column.numbers ? "number" : "text",
                width: column.numbers ? 130 : undefined,
                value: (row) => cell(column, row),
                cellTip: (row) => String(cell(column, row) ?? "null"),
            })),
        [result],
    );
    const bar = result.cut ? <span class="warning">the first {count(result.rows)} rows</span> : undefined;
    return (
        <Table
            name="query"
            columns={columns}
            rows={rows}
            bar={bar}
            state={tableState(context.state.table)}
            onState={(table) => context.update({ table: { ...table } }, { gesture: "table" })}
        />
    );
}

function Chart({ context, result }: { context: ViewContext; result: Result }) {
    const numeric = result.columns.filter((column) => column.numbers);
    const names = numeric.map((column) => column.name);
    const wantedX = context.state.x;
    const labels = result.columns.find((column) => column.texts);
    const x =
        numeric.find((column) => column.name === wantedX) ?? (numeric.length > 1 && !labels ? numeric[0] : undefined);
    const shape =
        context.state.shape === "bars" || (!context.state.shape && labels)
            ? "bars"
            : context.state.shape === "points"
              ? "points"
              : "line";
    const order = useMemo(() => {
        const rows = Array.from({ length: result.rows }, (_, i) => i);
        if (x?.numbers) rows.sort((a, b) => (x.numbers as Float64Array)[a] - (x.numbers as Float64Array)[b]);
        return rows;
    }, [result, x]);
    if (!numeric.length) return <Empty>A chart needs a column of numbers.</Empty>;
    const series = numeric
        .filter((column) => column !== x)
        .map((column): PlotSeries => ({
            title: column.name,
            values: order.map((row) => (column.numbers as Float64Array)[row]),
            shape,
        }));
    const label = (value: number) => (labels ? (labels.texts?.[order[Math.round(value)]] ?? "") : count(value));
    return (
        <div class="pane-column">
            <div class="sql-bar">
                <label>
                    x{" "}
                    <select
                        aria-label="x"
                        value={x?.name ?? ""}
                        onChange={(event) => context.update({ x: event.currentTarget.value || undefined })}
                    >
                        <option value="">row</option>
                        {names.map((name) => (
                            <option key={name}>{name}</option>
                        ))}
                    </select>
                </label>
                <Choice
                    label="shape"
                    chosen={shape}
                    choices={[
                        { id: "line", title: "Lines" },
                        { id: "bars", title: "Bars" },
                        { id: "points", title: "Points" },
                    ]}
                    onChoose={(id) => context.update({ shape: id })}
                />
            </div>
            <Plot
                name="query"
                x={x ? order.map((row) => (x.numbers as Float64Array)[row]) : order.map((_, i) => i)}
                xTitle={x?.name ?? labels?.name ?? "row"}
                yTitle={series.map((one) => one.title).join(", ")}
                series={series}
                formatX={x ? count : label}
                format={(value) => (Number.isInteger(value) ? count(value) : String(+value.toPrecision(4)))}
            />
        </div>
    );
}

function Problem({ error, asked, schema }: { error: string; asked: string; schema: readonly SqlTable[] }) {
    return (
        <p class="warning empty" role="alert">
            {error}
            <span class="sql-hint">{hintOf(error, asked, schema)}</span>
        </p>
    );
}

function Sql({ context }: { context: ViewContext }) {
    const { state, update } = context;
    const report = state.report === 1 && context.reports.length > 1 ? 1 : 0;
    const asked = typeof state.q === "string" ? state.q : "";
    const [text, setText] = useState(asked || EXAMPLES[1].sql);
    const { value: result, error, loading } = useQuery(report, asked);
    const of = nameOfReport(context.reports, report);
    const { value: schema } = useSchema(report);
    useOpening(state, undefined, true, () => update({ q: EXAMPLES[1].sql }, { replace: true }));
    const run = (sql: string) => {
        setText(sql);
        update({ q: sql, table: undefined, x: undefined, shape: undefined });
    };
    const options = (
        <>
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
            <h3>Examples</h3>
            <div class="program-list">
                {EXAMPLES.map((example) => (
                    <button key={example.title} type="button" data-tip={example.sql} onClick={() => run(example.sql)}>
                        {example.title}
                    </button>
                ))}
            </div>
            <h3>Tables</h3>
            <div class="schema">
                {(schema ?? []).map((table) => (
                    <details key={table.name}>
                        <summary>{table.name}</summary>
                        {table.columns.map((column) => (
                            <code key={column}>{column}</code>
                        ))}
                    </details>
                ))}
            </div>
        </>
    );
    const editor = (
        <div class="sql">
            <textarea
                aria-label="query"
                spellcheck={false}
                value={text}
                onInput={(event) => setText(event.currentTarget.value)}
                onKeyDown={(event) => {
                    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
                    event.preventDefault();
                    run(text);
                }}
            />
            <div class="sql-bar">
                <button type="button" class="primary" data-tip="Ctrl+Enter" onClick={() => run(text)}>
                    Run
                </button>
                <span class="table-count">
                    {loading
                        ? "running; the status bar cancels it"
                        : result && asked
                          ? titled(`${count(result.rows)} rows`, of)
                          : "Ctrl+Enter runs the query; it only reads"}
                </span>
                <span class="grow" />
                <Choice
                    label="result as"
                    chosen={state.as === "chart" ? "chart" : "table"}
                    choices={[
                        { id: "table", title: "Table" },
                        { id: "chart", title: "Chart" },
                    ]}
                    onChoose={(id) => update({ as: id === "table" ? undefined : id })}
                />
            </div>
        </div>
    );
    const shown = error ? (
        <Problem error={error} asked={asked} schema={schema ?? []} />
    ) : !result || !asked ? (
        <Empty>Write a query, or choose an example.</Empty>
    ) : state.as === "chart" ? (
        <Chart context={context} result={result} />
    ) : (
        <ResultTable context={context} result={result} />
    );
    return <Layout name="sql" options={options} graph={editor} tabs={shown} graphShare={0.3} report={of} />;
}

export const sql: View = {
    id: "sql",
    title: "SQL",
    tip: "queries over the report's tables",
    render: (context) => <Sql context={context} />,
};
