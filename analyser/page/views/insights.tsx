// SPDX-License-Identifier: Apache-2.0
// Insights, the first screen: whether the program fits, the time of a run and what it consists of, what to improve
// first, and the largest users of memory.
import { ComponentChildren } from "preact";
import { Report } from "../data/reports";
import { Activities, Advice, AdviceList, Insights, Sized } from "../data/summary";
import { SourceLine, useSourceLines, useSourceText } from "../data/source";
import { useJson } from "../data/load";
import { usePreferences } from "../preferences";
import { JsonObject, Selection } from "../state";
import { DIFFERENCE, differenceText, reportTitles, useJsonOfBoth } from "../ui/compare";
import { bytes, count, cycles as cyclesText, overflowText, percent } from "../text/format";
import { shortName } from "../text/names";
import { NameProvider, ReportName, nameOfReport, useReportName } from "../ui/ofreport";
import { Empty } from "../ui/tabs";
import { Bars, Meter } from "./insights/bars";
import { AccountOfTime, SumOfAdvice } from "./insights/account";
import { CostliestOperations } from "./insights/operations";
import { ScopeSection } from "./insights/scope";
import "./insights.css";
import { View, ViewContext } from "./view";

function Fit({ insights, report, context }: { insights: Insights; report: Report; context: ViewContext }) {
    const { memory } = insights;
    const of = useReportName();
    if (!memory || !memory.tiles)
        return <Empty>The report has no memory: compilation was not captured (autoReport.outputGraphProfile).</Empty>;
    const each = report.replicas > 1 ? " of each replica" : "";
    const over = memory.overflowing > 0 || insights.outOfMemory !== "";
    return (
        <>
            <div class={`verdict ${over ? "full" : "fits"}`} data-verdict={over ? "out of memory" : "fits"}>
                {`${of || report.name} ${over ? "does not fit" : "fits in memory"}`}
            </div>
            {!over && !insights.vertexCode.length && (
                <div class="soft" data-figure="code">
                    without vertex code, which is not modelled
                </div>
            )}
            <Meter share={memory.used / memory.capacity} over={over} />
            <div data-tip={`Bytes in use on all tiles${each}, without gaps, of the memory of all tiles${each}`}>
                <span class="figure" data-figure="used">
                    {bytes(memory.used)}
                </span>{" "}
                {memory.capacity
                    ? `of ${bytes(memory.capacity)}, ` +
                      `${percent(memory.used / memory.capacity, 2)} of capacity${each}, without gaps`
                    : "on all tiles, without gaps; archive.a does not record the capacity"}
            </div>
            {over ? (
                <p class="warning">{insights.outOfMemory || overflowText(memory.overflowing)}</p>
            ) : (
                <div class="soft">
                    {`the fullest tile uses ${bytes(insights.worstTiles[0]?.withoutGaps ?? 0)} of ` +
                        `${bytes(memory.bytesPerTile)}, without gaps; ` +
                        `with gaps the maximum is ${bytes(memory.largest)}`}
                </div>
            )}
            <p>
                <button type="button" class="link" onClick={() => context.open("memory")}>
                    Memory by tile
                </button>
            </p>
        </>
    );
}

const KINDS: { readonly [kind in Advice["kind"]]: string } = {
    memory: "Memory",
    imbalance: "Imbalance",
    threads: "Idle workers",
    exchange: "Exchange",
    stream: "Host syncs",
    transfer: "Host transfer",
    rearrange: "Rearranging",
};

const AROUND = 2; // lengths of the step that are shown at each side of it

function aroundStep({ from, to }: Advice): JsonObject {
    if (from === undefined || to === undefined) return {};
    const length = Math.max(to - from, 50);
    return { cycles: [Math.max(0, from - AROUND * length), to + AROUND * length], tab: "details" };
}

function selectionOf({ program, step, tile }: Advice): Selection {
    return { program: program ?? undefined, step, tile: tile ?? undefined };
}

function Mend({ advice, total, context }: { advice: Advice; total: number; context: ViewContext }) {
    const show = () => {
        if (advice.kind === "memory" && advice.tile !== null)
            context.open("memory", { tiles: String(advice.tile) }, { tile: advice.tile });
        else context.open("trace", aroundStep(advice), selectionOf(advice));
    };
    return (
        <article class={advice.urgent ? "urgent" : ""} data-advice={advice.kind}>
            <div class="soft">{KINDS[advice.kind]}</div>
            <p>
                <button type="button" class="link" data-tip={advice.name} onClick={show}>
                    {shortName(advice.name) || "(no name)"}
                </button>
            </p>
            <p data-tip="Estimated saving on the critical path, over all executions">
                {advice.cycles >= 1 && (
                    <>
                        saves up to <b>{cyclesText(Math.round(advice.cycles))}</b>
                        {total > 0 && ` (${percent(advice.cycles / total)} of all)`}
                    </>
                )}
                {advice.bytes >= 1 && (
                    <>
                        saves up to <b>{bytes(advice.bytes)}</b>
                    </>
                )}
            </p>
            <p>{advice.advice[0].toUpperCase() + advice.advice.slice(1)}.</p>
            <p class="soft">
                {advice.detail}
                {advice.times ? `; executed ${count(advice.times)} times` : ""}
                {(advice.kind === "imbalance" || advice.kind === "threads") && advice.tile !== null
                    ? `; slowest on tile ${advice.tile}`
                    : ""}
            </p>
            {advice.file && (
                <p class="mono" data-tip="The line of your program that caused this">
                    {`${advice.file.split("/").slice(-2).join("/")}:${advice.line}`}
                </p>
            )}
        </article>
    );
}

function MendList({ context, report, total }: { context: ViewContext; report: Report; total: number }) {
    const found = useJson<AdviceList>("insights/advice", { report: report.index, rows: 60 });
    const all = context.state.all === true;
    if (found.error) return <Empty>{found.error}</Empty>;
    if (!found.value) return <Empty>Searching for possible improvements.</Empty>;
    const { entries, sum } = found.value;
    if (!entries.length && !sum.total) return <Empty>No large loss was found.</Empty>;
    const shown = all ? entries : entries.slice(0, 3);
    return (
        <>
            <div class="mend">
                {shown.map((advice, i) => (
                    <Mend key={i} advice={advice} total={total} context={context} />
                ))}
            </div>
            {entries.length > 3 && (
                <p>
                    <button
                        type="button"
                        class="link"
                        data-more
                        onClick={() => context.update({ all: all ? undefined : true })}
                    >
                        {all ? "The first three" : `Show all ${entries.length} suggestions`}
                    </button>
                </p>
            )}
            <SumOfAdvice sum={sum} />
        </>
    );
}

/** The text of a source line. */
function LineText({ report, file, line }: { report: number; file: string; line: number }) {
    const { value } = useSourceText(report, file);
    return <code class="soft">{value?.text.split("\n")[line - 1]?.trim() ?? ""}</code>;
}

/** The most expensive lines of the user's program, each a link to its text and its tiles. */
function Lines({ report, context }: { report: Report; context: ViewContext }) {
    const { value, error } = useSourceLines(report.hasDebug ? report.index : null);
    if (!report.hasDebug)
        return <Empty>Lines come from debug.cbor: set autoReport.outputDebugInfo or autoReport.all to true.</Empty>;
    if (error) return <Empty>{error}</Empty>;
    if (!value) return <Empty>Summing up the cost of each line.</Empty>;
    const cost = (line: SourceLine) => (value.executed ? line.elapsed : line.estimate);
    const whole = value.lines.reduce((sum, line) => sum + cost(line), 0);
    const rows = value.lines
        .filter((line) => line.file && cost(line) > 0)
        .sort((a, b) => cost(b) - cost(a))
        .slice(0, 5)
        .map((line) => ({
            key: `${line.file}:${line.line}`,
            name: (
                <>
                    <button
                        type="button"
                        class="link"
                        data-line={`${line.file}:${line.line}`}
                        onClick={() => context.open("source", { file: line.file, line: line.line })}
                    >
                        {`${line.file.split("/").pop()}:${line.line}`}
                    </button>{" "}
                    {line.readable > 0 && <LineText report={report.index} file={line.file} line={line.line} />}
                </>
            ),
            value: cost(line),
            text: `${cyclesText(cost(line))}, ${percent(whole ? cost(line) / whole : 0)}`,
            tip: `${line.file}:${line.line}\n${cyclesText(cost(line))}, ${count(line.times)} executions of its steps`,
        }));
    if (!rows.length) return <Empty>No line of the program takes cycles.</Empty>;
    return (
        <>
            <Bars rows={rows} most={whole} kind="lines" />
            <p>
                <button type="button" class="link" onClick={() => context.open("source")}>
                    All lines
                </button>
            </p>
        </>
    );
}

function WorstTiles({ insights, context }: { insights: Insights; context: ViewContext }) {
    const capacity = insights.memory?.bytesPerTile ?? 0;
    const rows = insights.worstTiles.map((row) => ({
        key: row.tile,
        name: (
            <button
                type="button"
                class="link"
                onClick={() => context.open("memory", { tiles: String(row.tile) }, { tile: row.tile })}
            >
                {`Tile ${row.tile}`} <span class="soft">{`IPU ${row.ipu}`}</span>
            </button>
        ),
        value: row.withoutGaps,
        text: bytes(row.withoutGaps),
        tip:
            `Tile ${row.tile}\n${count(row.withoutGaps)} bytes in use, ${percent(row.withoutGaps / capacity, 2)}` +
            ` of the tile\n${count(row.bytes)} bytes with gaps\n${count(row.alwaysLive)} bytes always live`,
    }));
    return (
        <>
            <Bars rows={rows} most={capacity} />
            <p>
                <button
                    type="button"
                    class="link"
                    onClick={() =>
                        context.open("memory", { tiles: insights.worstTiles.map((row) => row.tile).join(",") })
                    }
                >
                    {`Show these ${rows.length} tiles in Memory`}
                </button>
            </p>
        </>
    );
}

const OF_A_NAME = "variables of the same name are added up";

function Largest({
    title,
    tip,
    rows,
    context,
}: {
    title: string;
    tip: string;
    rows: readonly (Sized & { saved?: number })[];
    context: ViewContext;
}) {
    const of = useReportName();
    if (!rows.length) return null;
    return (
        <section class="third" data-report={of || undefined}>
            <h2 data-tip={tip}>
                {title}
                <ReportName />
            </h2>
            <Bars
                most={rows[0].bytes}
                rows={rows.map((row, i) => ({
                    key: i,
                    name:
                        title.startsWith("Live") || title.startsWith("Always") ? (
                            <button
                                type="button"
                                class="link"
                                onClick={() => context.open("liveness", { variable: row.name }, { variable: row.name })}
                            >
                                {shortName(row.name)}
                            </button>
                        ) : (
                            shortName(row.name) + ((row.count ?? 1) > 1 ? ` × ${row.count}` : "")
                        ),
                    value: row.bytes,
                    text: bytes(row.bytes),
                    tip:
                        `${row.name}\n${count(row.bytes)} bytes on all tiles` +
                        (row.saved === undefined ? "" : `\nas HALF it would take ${count(row.bytes - row.saved)}`),
                }))}
            />
        </section>
    );
}

const SAVINGS: readonly { id: "float32" | "batch" | "again"; title: string; tip: string }[] = [
    { id: "float32", title: "32-bit floats as HALF", tip: "Half of the bytes of all variables of type FLOAT" },
    {
        id: "batch",
        title: "Half the batch size",
        tip: "Half of the bytes live at the peak, if all of them scale with the batch; throughput falls, too",
    },
    {
        id: "again",
        title: "Recomputation",
        tip:
            "Variables that are live at the peak and that its step neither reads nor writes: " +
            "they could be computed again when they are needed, for more cycles",
    },
];

/** Possible reductions of memory, each with an upper bound of its saving. */
function Savings({ insights }: { insights: Insights }) {
    const of = useReportName();
    const rows = SAVINGS.map((one) => ({ ...one, saved: insights.savings?.[one.id] ?? 0 })).filter((one) => one.saved);
    if (!rows.length) return null;
    return (
        <section class="third" data-report={of || undefined}>
            <h2 data-tip="Upper bounds over all tiles; the real saving shows only in an experiment">
                Ways to reduce memory
                <ReportName />
            </h2>
            <table class="facts">
                <tbody>
                    {rows.map((row) => (
                        <tr key={row.id} data-tip={row.tip}>
                            <th>{row.title}</th>
                            <td>
                                saves up to <b data-saving={row.id}>{bytes(row.saved)}</b>
                            </td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </section>
    );
}

const exchanged = (of: Activities) => of.exchange + of.globalExchange;

function Compared({ all, names }: { all: readonly Insights[]; names: readonly string[] }) {
    const [a, b] = all;
    const rows: [string, number | null, number | null, (value: number) => string][] = [
        ["Memory in use, without gaps", a.memory?.used ?? null, b.memory?.used ?? null, bytes],
        ["Fullest tile, with gaps", a.memory?.largest ?? null, b.memory?.largest ?? null, bytes],
        ["Host (critical path)", a.account.host, b.account.host, (value) => count(value)],
        ["Compute (critical path)", a.account.compute, b.account.compute, (value) => count(value)],
        ["Exchange (critical path)", exchanged(a.account), exchanged(b.account), (value) => count(value)],
        ["Sync (critical path)", a.account.sync, b.account.sync, (value) => count(value)],
        ["All runs (critical path)", a.cycles?.total ?? null, b.cycles?.total ?? null, (value) => count(value)],
    ];
    const table = (
        <table class="facts">
            <thead>
                <tr>
                    <th />
                    <th>{names[0]}</th>
                    <th>{names[1]}</th>
                    <th>{DIFFERENCE}</th>
                </tr>
            </thead>
            <tbody>
                {rows.map(([name, source, target, format]) => (
                    <tr key={name}>
                        <th>{name}</th>
                        <td>{source === null ? "–" : format(source)}</td>
                        <td>{target === null ? "–" : format(target)}</td>
                        <td data-difference={name}>{differenceText(source, target, format)}</td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
    return (
        <section class="wide">
            <h2>{names.join(" beside ")}</h2>
            {table}
        </section>
    );
}

/** A section whose figures are of one report, which is named if two are open. */
function Section({
    title,
    of,
    tip,
    wide,
    children,
}: {
    title: string;
    of: string;
    tip?: string;
    wide?: boolean;
    children: ComponentChildren;
}) {
    return (
        <NameProvider name={of}>
            <section class={wide ? "wide" : ""} data-report={of || undefined}>
                <h2 data-tip={tip}>
                    {title}
                    <ReportName />
                </h2>
                {children}
            </section>
        </NameProvider>
    );
}

/** Whether the program of a report fits, and its time. */
function Answers({ insights, report, context }: { insights: Insights; report: Report; context: ViewContext }) {
    const of = nameOfReport(context.reports, report.index);
    return (
        <>
            <Section title="Does it fit?" of={of}>
                <Fit insights={insights} report={report} context={context} />
            </Section>
            <Section title="How long does a run take, and where does the time go?" of={of}>
                <AccountOfTime insights={insights} context={context} />
            </Section>
        </>
    );
}

function InsightsPage({ context }: { context: ViewContext }) {
    const { reports } = context;
    usePreferences();
    const loaded = useJsonOfBoth<Insights>(reports, "insights");
    const error = loaded.find((one) => one?.error)?.error;
    if (error) return <Empty>{error}</Empty>;
    const all = loaded.flatMap((one) => (one?.value ? [one.value] : []));
    if (all.length < reports.length) return <Empty>Reading the report.</Empty>;
    const first = all[0];
    const of = nameOfReport(reports, 0);
    const histogram = first.histogram.map((bar, i) => ({
        key: i,
        name: `${bytes(bar.from)} to ${bytes(bar.to)}`,
        value: bar.tiles,
        text: count(bar.tiles),
        tip: `${count(bar.tiles)} tiles use ${count(bar.from)} to ${count(bar.to)} bytes`,
    }));
    return (
        <div class="insights">
            {all.length > 1 && <Compared all={all} names={reportTitles(reports)} />}
            {all.map((insights, i) => (
                <Answers key={i} insights={insights} report={reports[i]} context={context} />
            ))}
            <Section
                wide
                title="Lines that cost most"
                tip="Critical-path cycles that the steps of a line take; click one for its text and its tiles"
                of={of}
            >
                <Lines report={reports[0]} context={context} />
            </Section>
            <Section
                wide
                title="Operations that cost most"
                tip="Calls of a library, or nodes of a model, with the critical-path cycles of their steps"
                of={of}
            >
                <CostliestOperations report={reports[0]} context={context} />
            </Section>
            <Section wide title="What to improve first" of={of}>
                <MendList context={context} report={reports[0]} total={first.account.total} />
            </Section>
            <Section
                title="Tiles with the most memory, without gaps"
                tip="Bytes in use; tiles that overflow come first"
                of={of}
            >
                <WorstTiles insights={first} context={context} />
            </Section>
            <Section
                title="Tiles by memory in use, without gaps"
                tip={
                    "The number of tiles by bytes in use; a bar is a sixth of a " +
                    "tile's memory, and the last one includes tiles beyond it"
                }
                of={of}
            >
                <Bars rows={histogram} most={Math.max(...histogram.map((row) => row.value), 1)} />
            </Section>
            <NameProvider name={of}>
                <Largest
                    title="Always live, by name"
                    tip={`Variables whose memory nothing else can use at any step; ${OF_A_NAME}`}
                    rows={first.alwaysLive}
                    context={context}
                />
                <Largest
                    title="Live at the peak, by name"
                    tip={
                        first.peak
                            ? `Step ${first.peak.step}, ${first.peak.name}: ` +
                              `${count(first.peak.bytes)} bytes that are not always live`
                            : ""
                    }
                    rows={first.atPeak}
                    context={context}
                />
                <Largest
                    title="32-bit floats, by name"
                    tip={`Of the whole program, live or not; as HALF they would take half of these bytes; ${OF_A_NAME}`}
                    rows={first.float32}
                    context={context}
                />
                <Savings insights={first} />
                <ScopeSection context={context} report={reports[0]} />
            </NameProvider>
        </div>
    );
}

export const insights: View = {
    id: "insights",
    title: "Insights",
    tip: "does it fit, how long is a run, what to improve first",
    render: (context) => <InsightsPage context={context} />,
};
