// SPDX-License-Identifier: Apache-2.0
// The lines of the user's source beside what they cost, and on which tiles.
import { useEffect, useMemo, useRef } from "preact/hooks";
import "./source.css";
import { SourceLine, SourceLines, useLineTiles, useSourceLines, useSourceText } from "../data/source";
import { programLabel, usePrograms } from "../data/programs";
import { bytes, count, percent } from "../ui/format";
import { Layout } from "../ui/layout";
import { Plot } from "../ui/plot";
import { tableState } from "../ui/rows";
import { Split } from "../ui/split";
import { Column, Table } from "../ui/table";
import { Empty, Tabs } from "../ui/tabs";
import { View, ViewContext } from "./view";

function placeOf(line: SourceLine): string {
    return line.file ? `${line.file}:${line.line}` : "(no line known)";
}

function costOf(lines: SourceLines): (line: SourceLine) => number {
    return lines.executed ? (line) => line.elapsed : (line) => line.estimate;
}

function columnsOf(lines: SourceLines): readonly Column<SourceLine>[] {
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
            title: lines.executed ? "Cycles" : "Estimated cycles",
            kind: "number",
            width: 120,
            tip: lines.executed
                ? "cycles of the run: by how much the steps that the line made move its end"
                : "of one execution of each step that the line made",
            value: cost,
        },
        {
            id: "share",
            title: "%",
            kind: "number",
            width: 80,
            tip: "of what all programs take",
            value: (row) => (whole ? (cost(row) / whole) * 100 : 0),
            show: (row) => percent(whole ? cost(row) / whole : 0),
        },
        {
            id: "exchange",
            title: "Exchange",
            kind: "number",
            width: 100,
            tip: "cycles of the slowest tile in exchanges, stream copies and syncs",
            hidden: !lines.executed,
            value: (row) => row.exchange,
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
            hidden: !lines.executed,
            value: (row) => row.times,
        },
        { id: "programs", title: "Programs", kind: "number", width: 90, value: (row) => row.programs },
        {
            id: "code",
            title: "Code (B)",
            kind: "number",
            width: 100,
            tip: "code of control and exchange, on all tiles",
            value: (row) => row.code,
            show: (row) => bytes(row.code),
        },
        {
            id: "state",
            title: "Vertex state (B)",
            kind: "number",
            width: 130,
            tip: "state of vertices, on all tiles",
            value: (row) => row.state,
            show: (row) => bytes(row.state),
        },
    ];
}

function Text({
    context,
    lines,
    file,
    line,
}: {
    context: ViewContext;
    lines: SourceLines;
    file: string;
    line: number;
}) {
    const { value, error } = useSourceText(0, file);
    const cost = costOf(lines);
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

function LineDetails({ context, line }: { context: ViewContext; line: SourceLine | undefined }) {
    const { value } = useLineTiles(0, line);
    const { value: list } = usePrograms(0);
    const tiles = useMemo(() => {
        const values = Array.from(value?.numbers("cycles") ?? []);
        return {
            values,
            x: values.map((_, i) => i),
            worst: values.reduce((most, one, i) => (one > values[most] ? i : most), 0),
        };
    }, [value]);
    const ids = value ? Array.from(value.numbers("program")) : [];
    if (!line) return <Empty>Click a line to see what it costs on which tiles.</Empty>;
    if (!line.file) return <Empty>These programs were made by the compiler, or without debug information.</Empty>;
    return (
        <Tabs
            chosen={typeof context.state.tab === "string" ? context.state.tab : undefined}
            onChoose={(tab) => context.update({ tab }, { replace: true })}
            extra={
                tiles.values.length > 0 && (
                    <span data-worst={tiles.worst}>
                        most on tile {tiles.worst}: {count(tiles.values[tiles.worst])} cycles
                    </span>
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
                            onClick={(tile) => context.select({ tile })}
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
                            columns={[
                                { id: "label", title: "Program step", value: programLabel },
                                {
                                    id: "times",
                                    title: "Executions",
                                    kind: "number",
                                    width: 110,
                                    value: (row) => row.times,
                                },
                                {
                                    id: "cycles",
                                    title: "Cycles",
                                    kind: "number",
                                    width: 120,
                                    value: (row) => row.cycles,
                                },
                            ]}
                            state={{ sort: "-cycles" }}
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

function Source({ context }: { context: ViewContext }) {
    const { state, update } = context;
    const { value: lines, error } = useSourceLines(0);
    const columns = useMemo(() => (lines ? columnsOf(lines) : []), [lines]);
    if (error) return <Empty>{error}</Empty>;
    if (!lines) return <Empty>Adding up what each line costs.</Empty>;
    const cost = costOf(lines);
    const first = lines.lines
        .filter((line) => line.file)
        .reduce<SourceLine | undefined>((most, line) => (most && cost(most) >= cost(line) ? most : line), undefined);
    const file = typeof state.file === "string" ? state.file : first?.file;
    const at = typeof state.line === "number" ? state.line : first?.line;
    const chosen = lines.lines.find((line) => line.file === file && line.line === at);
    const table = (
        <Table
            name="lines"
            columns={columns}
            rows={lines.lines}
            state={{ sort: "-cost", ...tableState(state.table) }}
            onState={(next) => update({ table: { ...next } }, { gesture: "table" })}
            selected={(row) => row === chosen}
            onSelect={(row) => update({ file: row.file || undefined, line: row.line })}
        />
    );
    const text = file ? (
        <Text context={context} lines={lines} file={file} line={at ?? 0} />
    ) : (
        <Empty>No source line is known.</Empty>
    );
    return (
        <Layout
            name="source"
            graph={<Split name="source.text" direction="row" initial={0.45} first={table} second={text} />}
            tabs={<LineDetails context={context} line={chosen} />}
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
