// SPDX-License-Identifier: Apache-2.0
// The user's source lines with their costs, and the tiles where these arise.
import { useEffect, useMemo, useRef } from "preact/hooks";
import "./source.css";
import { SourceLine, SourceLines, useLineTiles, useSourceLines, useSourceText } from "../data/source";
import { Program, programLabel, usePrograms } from "../data/programs";
import { bytes, count, flopCell, percent } from "../text/format";
import { DIFFERENCE, differenceClass, differenceText, reportTitles } from "../ui/compare";
import { Layout } from "../ui/layout";
import { NameProvider, nameOfReport } from "../ui/ofreport";
import { ReportChoice } from "../ui/reportchoice";
import { usedRange } from "../draw/scale";
import { Plot } from "../ui/plot";
import { tableState } from "../ui/rows";
import { Split } from "../ui/split";
import { Column, Table, titleWidth } from "../ui/table";
import { Empty, Tabs } from "../ui/tabs";
import { View, ViewContext } from "./view";

function placeOf(line: SourceLine): string {
    return line.file ? `${line.file}:${line.line}` : "(no line known)";
}

function costOf(lines: SourceLines): (line: SourceLine) => number {
    return lines.executed ? (line) => line.elapsed : (line) => line.estimate;
}

/** A line with its cost in the other report of a comparison; null: the other report has no program of the line. */
interface Row extends SourceLine {
    own: number | null;
    other: number | null;
}

/** Lines of both reports, by file and number. */
function rowsOf(lines: SourceLines, other: SourceLines | undefined): Row[] {
    const cost = costOf(lines);
    const there = new Map(other?.lines.map((line) => [placeOf(line), line]));
    const rows = lines.lines.map((line) => {
        const found = there.get(placeOf(line));
        there.delete(placeOf(line));
        return { ...line, own: cost(line), other: other && found ? costOf(other)(found) : null };
    });
    if (!other) return rows;
    const none = {
        elapsed: 0,
        cycles: 0,
        tileCycles: 0,
        exchange: 0,
        host: 0,
        times: 0,
        estimate: 0,
        code: 0,
        state: 0,
        programs: 0,
        flops: 0,
        instructions: 0,
        slots: 0,
        readable: 0,
    };
    return [
        ...rows,
        ...[...there.values()].map((line) => ({ ...line, ...none, own: null, other: costOf(other)(line) })),
    ];
}

/** Columns of a comparison: the cycles of the report that is shown, the other's, and the difference. */
function comparedColumns(report: number, cost: Column<Row>, titles: readonly string[]): readonly Column<Row>[] {
    const [mine, other] = [titles[report], titles[1 - report]];
    const [source, target] = report === 0 ? (["own", "other"] as const) : (["other", "own"] as const);
    return [
        { ...cost, title: mine, tip: `${cost.title}: ${cost.tip}`, width: titleWidth(mine, 120) },
        {
            id: "other",
            title: other,
            kind: "number",
            width: titleWidth(other, 120),
            tip: `cycles of the same line of the same file in ${other}`,
            value: (row) => row.other,
        },
        {
            id: "difference",
            title: DIFFERENCE,
            kind: "number",
            width: 180,
            tip: `${titles[1]} less ${titles[0]}, and per cent of ${titles[0]}; "new": only ${titles[1]} has the line`,
            value: (row) => (row[target] ?? 0) - (row[source] ?? 0),
            show: (row) => (
                <span class={differenceClass(row[source], row[target])}>
                    {differenceText(row[source], row[target], count)}
                </span>
            ),
        },
    ];
}

/** Columns of assembly and of memory. */
function detailColumns(lines: SourceLines): readonly Column<Row>[] {
    return [
        {
            id: "slots",
            title: "Slots",
            kind: "number",
            width: 110,
            tip: "issue slots of the line's instructions in assembly, by all workers; a worker has one in six cycles",
            hidden: !lines.lines.some((line) => line.slots > 0),
            value: (row) => row.slots,
        },
        {
            id: "code",
            title: "Code (B)",
            kind: "number",
            width: 100,
            hidden: true,
            tip: "code of control and exchange, on all tiles",
            value: (row) => row.code,
            show: (row) => bytes(row.code),
        },
        {
            id: "state",
            title: "Vertex state (B)",
            kind: "number",
            width: 130,
            hidden: true,
            tip: "state of vertices, on all tiles",
            value: (row) => row.state,
            show: (row) => bytes(row.state),
        },
    ];
}

function columnsOf(lines: SourceLines): readonly Column<Row>[] {
    const cost = costOf(lines);
    const whole = lines.lines.reduce((sum, line) => sum + cost(line), 0);
    return [
        {
            id: "place",
            title: "Line",
            value: placeOf,
            show: (row) => (row.file ? `${row.file.split("/").pop()}:${row.line}` : placeOf(row)),
            cellTip: placeOf,
        },
        {
            id: "cost",
            title: lines.executed ? "Critical path" : "Estimated cycles",
            kind: "number",
            width: 136,
            tip: lines.executed
                ? "cycles of the critical path: by how much the steps of the line delay the end of the run"
                : "of one execution of each step of the line",
            value: cost,
        },
        {
            id: "share",
            title: "%",
            kind: "number",
            width: 72,
            tip: "share of the cycles of all programs",
            value: (row) => (whole ? (cost(row) / whole) * 100 : 0),
            show: (row) => percent(whole ? cost(row) / whole : 0),
        },
        {
            id: "exchange",
            title: "Exchange",
            kind: "number",
            width: 100,
            tip: "of the critical-path cycles, those of exchanges between tiles or IPUs, and of syncs",
            hidden: !lines.executed,
            value: (row) => row.exchange,
        },
        {
            id: "host",
            title: "Host",
            kind: "number",
            width: 100,
            tip: "of the critical-path cycles, those of copies from and to the host",
            hidden: !lines.lines.some((line) => line.host > 0),
            value: (row) => row.host,
        },
        {
            id: "cycles",
            title: "Slowest tile",
            kind: "number",
            width: 120,
            tip: "cycles of the slowest tile in each execution, added up",
            hidden: true,
            value: (row) => row.cycles,
        },
        {
            id: "tileCycles",
            title: "Tile cycles",
            kind: "number",
            width: 120,
            tip: "of all tiles",
            hidden: true,
            value: (row) => row.tileCycles,
        },
        {
            id: "times",
            title: "Executions",
            kind: "number",
            width: 100,
            hidden: true,
            value: (row) => row.times,
        },
        { id: "programs", title: "Programs", kind: "number", width: 90, hidden: true, value: (row) => row.programs },
        {
            id: "flops",
            title: "FLOP",
            kind: "number",
            width: 90,
            tip: "floating-point operations of its vertices, in all executions",
            hidden: !lines.lines.some((line) => line.flops > 0),
            value: (row) => row.flops,
            show: (row) => flopCell(row.flops),
        },
        ...detailColumns(lines),
    ];
}

function Text({
    context,
    report,
    lines,
    file,
    line,
}: {
    context: ViewContext;
    report: number;
    lines: SourceLines;
    file: string;
    line: number;
}) {
    const { value, error } = useSourceText(report, file);
    const inAssembly = lines.lines.some((one) => one.file === file && one.slots > 0);
    const cost = inAssembly ? (one: SourceLine) => one.slots : costOf(lines);
    const costs = useMemo(
        () => new Map(lines.lines.filter((one) => one.file === file).map((one) => [one.line, cost(one)])),
        [lines, file],
    );
    const whole = lines.lines.reduce((sum, one) => sum + cost(one), 0);
    const most = Math.max(1, ...costs.values());
    const box = useRef<HTMLDivElement>(null);
    useEffect(() => {
        box.current?.querySelector(".selected")?.scrollIntoView({ block: "center" });
    }, [value, line]);
    if (error)
        return (
            <Empty>
                {file}: the text is not shown, since {error}. The costs of its lines are in the table.
            </Empty>
        );
    if (!value) return <Empty>Reading {file}.</Empty>;
    return (
        <div class="source" ref={box} aria-label={file}>
            {value.text.split("\n").map((text, i) => {
                const spent = costs.get(i + 1);
                return (
                    <div
                        key={i}
                        class={`source-line ${spent === undefined ? "" : "costs"} ${i + 1 === line ? "selected" : ""}`}
                        data-line={i + 1}
                        onClick={spent === undefined ? undefined : () => context.update({ line: i + 1 })}
                    >
                        <span class="source-share">
                            {spent !== undefined && (
                                <>
                                    <i style={{ width: `${(spent / most) * 100}%` }} />
                                    <span>{count(spent)}</span>
                                    <span>{percent(whole ? spent / whole : 0)}</span>
                                </>
                            )}
                        </span>
                        <span class="source-number">{i + 1}</span>
                        {text}
                    </div>
                );
            })}
        </div>
    );
}

/** Work of a line by tile, without unused tiles at the ends. */
interface TileWork {
    values: number[];
    from: number; // the first tile
    all: number; // tiles of the machine
    worst: number;
    most: number;
    alike: number; // tiles with that most
}

function Caption({ tiles, elapsed }: { tiles: TileWork; elapsed: number | undefined }) {
    const { values, from, all, worst, most, alike } = tiles;
    return (
        <span data-worst={worst}>
            {values.length < all && `tiles ${from} to ${from + values.length - 1} of ${count(all)}; `}
            {elapsed !== undefined && `critical path ${count(elapsed)} cycles; `}
            {alike === 1
                ? `most work on tile ${worst}: ${count(most)} cycles`
                : `most work, ${count(most)} cycles, on each of ${count(alike)} tiles`}
        </span>
    );
}

const STEPS: readonly Column<Program>[] = [
    { id: "label", title: "Program step", value: programLabel },
    {
        id: "times",
        title: "Executions",
        kind: "number",
        width: 110,
        value: (row) => row.executions,
    },
    {
        id: "elapsed",
        title: "Critical path",
        kind: "number",
        width: 120,
        tip: "cycles by which the step delays the end of the run",
        value: (row) => row.elapsed,
    },
    {
        id: "cycles",
        title: "Slowest tile",
        kind: "number",
        width: 120,
        tip: "cycles of the slowest tile, added up over executions",
        value: (row) => row.cycles,
    },
];

function LineDetails({
    context,
    report,
    line,
}: {
    context: ViewContext;
    report: number;
    line: SourceLine | undefined;
}) {
    const { value } = useLineTiles(report, line);
    const { value: list } = usePrograms(report);
    const tiles = useMemo(() => {
        const all = Array.from(value?.numbers("cycles") ?? []);
        const { from, to } = usedRange(all);
        const values = all.slice(from, to);
        const worst = values.reduce((most, one, i) => (one > values[most] ? i : most), 0);
        return {
            values,
            from,
            all: all.length,
            x: values.map((_, i) => from + i),
            worst: from + worst,
            most: values[worst],
            alike: values.filter((one) => one === values[worst]).length,
        };
    }, [value]);
    const ids = value ? Array.from(value.numbers("program")) : [];
    if (!line) return <Empty>Click a line to see its cycles on each tile.</Empty>;
    if (!line.file) return <Empty>These programs were made by the compiler, or without debug information.</Empty>;
    return (
        <Tabs
            chosen={typeof context.state.tab === "string" ? context.state.tab : undefined}
            onChoose={(tab) => context.update({ tab }, { replace: true })}
            extra={
                tiles.values.length > 0 && (
                    <Caption tiles={tiles} elapsed={value?.meta.executed ? line.elapsed : undefined} />
                )
            }
            tabs={[
                {
                    id: "tiles",
                    title: "Cycles by tile",
                    body: () => (
                        <Plot
                            name="line-by-tile"
                            x={tiles.x}
                            xTitle="Tile"
                            yTitle="Cycles"
                            series={[{ title: "cycles", values: tiles.values, shape: "bars" }]}
                            format={count}
                            onClick={(at) => context.select({ tile: tiles.from + at })}
                        />
                    ),
                },
                {
                    id: "programs",
                    title: "Program steps",
                    body: () => (
                        <Table
                            name="line-programs"
                            rows={list ? ids.map((id) => list.programs[id]) : []}
                            columns={STEPS}
                            state={{ sort: "-elapsed" }}
                            onOpen={(row) => context.open("programs", {}, { program: row.id })}
                            onSelect={(row) => context.select({ program: row.id })}
                            selected={(row) => row.id === context.selection.program}
                        />
                    ),
                },
            ]}
        />
    );
}

/** Of the table in the width: its columns fit a window of 1024 pixels. */
const share = (both: boolean) => (both ? 0.65 : 0.55);

function Source({ context }: { context: ViewContext }) {
    const { state, update } = context;
    const both = context.reports.length > 1;
    const report = both && state.report === 1 ? 1 : 0;
    const { value: lines, error } = useSourceLines(report);
    const { value: others } = useSourceLines(both ? 1 - report : null);
    const rows = useMemo(() => (lines ? rowsOf(lines, both ? others : undefined) : []), [lines, others, both]);
    const columns = useMemo(() => {
        if (!lines) return [];
        const [place, cost, ...more] = columnsOf(lines);
        return [place, ...(both ? comparedColumns(report, cost, reportTitles(context.reports)) : [cost]), ...more];
    }, [lines, both, report]);
    if (error) return <Empty>{error}</Empty>;
    if (!lines) return <Empty>Summing up the cost of each line.</Empty>;
    const cost = costOf(lines);
    const first = lines.lines
        .filter((line) => line.file)
        .reduce<SourceLine | undefined>((most, line) => (most && cost(most) >= cost(line) ? most : line), undefined);
    const file = typeof state.file === "string" ? state.file : first?.file;
    const at = typeof state.line === "number" ? state.line : first?.line;
    const chosen = rows.find((line) => line.file === file && line.line === at);
    const lineTable = (
        <Table
            name="lines"
            columns={columns}
            rows={rows}
            state={{ sort: "-cost", ...tableState(state.table) }}
            onState={(next) => update({ table: { ...next } }, { gesture: "table" })}
            selected={(row) => row === chosen}
            onSelect={(row) => update({ file: row.file || undefined, line: row.line })}
            bar={
                both && (
                    <>
                        <ReportChoice
                            reports={context.reports}
                            report={report}
                            onChoose={(one) => update({ report: one })}
                        />
                        <span class="soft">{lines.executed ? "critical-path cycles" : "estimated cycles"}</span>
                    </>
                )
            }
        />
    );
    // The choice names the report.
    const table = <NameProvider name="">{lineTable}</NameProvider>;
    const text = file ? (
        <Text context={context} report={report} lines={lines} file={file} line={at ?? 0} />
    ) : (
        <Empty>No source line is known.</Empty>
    );
    return (
        <Layout
            name="source"
            report={nameOfReport(context.reports, report)}
            graph={<Split name="source.text" direction="row" initial={share(both)} first={table} second={text} />}
            tabs={
                chosen?.slots && !chosen.programs ? (
                    <Empty>
                        Instructions of this line were executed {count(chosen.instructions)} times, in{" "}
                        {count(chosen.slots)} issue slots of workers and supervisors.
                    </Empty>
                ) : (
                    <LineDetails context={context} report={report} line={chosen} />
                )
            }
        />
    );
}

export const source: View = {
    id: "source",
    title: "Source",
    tip: "which lines of your program cost most",
    missing: (reports) =>
        reports.length && !reports[0].hasDebug
            ? "Source lines come from debug.cbor, which this report does not " +
              "have: set autoReport.outputDebugInfo (or autoReport.all) to true."
            : null,
    render: (context) => <Source context={context} />,
};
