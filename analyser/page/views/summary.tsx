// SPDX-License-Identifier: Apache-2.0
// Summary: the target, the graph, the options, the runs, data of framework and application, the files.
import { ComponentChild } from "preact";
import { Beside, Option, Summary } from "../data/summary";
import { Report } from "../data/reports";
import { Json } from "../state";
import { reportTitles, useJsonOfBoth } from "../ui/compare";
import { bytes, count, time } from "../text/format";
import { nameOfReport } from "../ui/ofreport";
import { tableState } from "../ui/rows";
import { Column, Table } from "../ui/table";
import { Empty } from "../ui/tabs";
import "./summary.css";
import { View, ViewContext } from "./view";

interface Fact {
    title: string;
    tip?: string;
    value: (summary: Summary) => string | null; // null: not in the report
}

const COMPUTE = ["Off: cycles of compute sets are estimates", "Vertex", "Tile", "IPU", "Device"];
const ARCHITECTURES: { readonly [name: string]: string } = {
    ipu1: "Mk1 (ipu1)",
    ipu2: "Mk2 (ipu2)",
    ipu21: "Mk2 (ipu21)",
};
const TYPES: { readonly [name: string]: string } = { IPU_MODEL: "IPUModel", IPU: "IPU", CPU: "CPU" };

function info(summary: Summary, name: string): string | null {
    const found = summary.info.find((row) => row.name === name)?.value;
    return found === undefined || found === null ? null : String(found);
}

function moment(microseconds: string | null): string | null {
    return microseconds === null
        ? null
        : new Date(Number(microseconds) / 1000).toISOString().replace("T", " ").slice(0, 19);
}

/** A report of archive.a alone does not know its target. */
function known<T>(value: T | null, show: (value: T) => string): string {
    return value === null ? "unknown" : show(value);
}

const TARGET: readonly Fact[] = [
    { title: "Type", value: (s) => s.target && known(s.target.type, (type) => TYPES[type] ?? type) },
    {
        title: "Architecture",
        value: (s) => s.target && known(s.target.architecture, (name) => ARCHITECTURES[name] ?? name),
    },
    { title: "Poplar version", value: (s) => info(s, "poplar_version") },
    { title: "Engine", tip: "The name that the program gave the engine", value: (s) => info(s, "engine") },
    { title: "Compilation started (UTC)", value: (s) => moment(info(s, "compile_start")) },
    {
        title: "Compilation took",
        value: (s) => {
            const [from, to] = [info(s, "compile_start"), info(s, "compile_end")];
            return from && to ? `${((Number(to) - Number(from)) / 1e6).toFixed(2)} s` : null;
        },
    },
    { title: "Tiles per IPU", value: (s) => s.target && known(s.target.tilesPerIpu, count) },
    { title: "IPUs per replica", value: (s) => s.target && known(s.target.ipusPerReplica, count) },
    { title: "Replicas", value: (s) => (s.target && s.target.replicas > 1 ? count(s.target.replicas) : null) },
    {
        title: "Replica of this report",
        tip: "Whose runs were recorded (profiler.replicaToProfile); the memory of all is the same",
        value: (s) => (s.target && s.target.replicas > 1 ? count(s.target.replica) : null),
    },
    { title: "Total tiles", value: (s) => s.target && count(s.target.tiles) },
    { title: "Total IPUs", value: (s) => s.target && known(s.target.ipus, count) },
    { title: "Memory per tile", value: (s) => s.target && known(s.target.bytesPerTile, bytes) },
    { title: "Memory per IPU", value: (s) => s.target && known(s.target.bytesPerIpu, bytes) },
    {
        title: "Memory per replica",
        value: (s) => (s.target && s.target.replicas > 1 ? bytes(s.target.memoryPerReplica) : null),
    },
    { title: "Total memory", value: (s) => s.target && known(s.target.totalMemory, bytes) },
    {
        title: "Clock",
        value: (s) => s.target && known(s.target.clock, (hertz) => `${(hertz / 1e9).toPrecision(3)} GHz`),
    },
    {
        title: "Compute set instrumentation",
        tip: "What was measured; with Off the cycles are the compiler's estimates",
        value: (s) => s.instrumentation && (COMPUTE[s.instrumentation.compute] ?? "unknown"),
    },
    {
        title: "External exchange instrumentation",
        value: (s) => s.instrumentation && (s.instrumentation.externalExchange ? "Tile" : "Off"),
    },
    { title: "Profiler mode", value: (s) => s.instrumentation?.mode ?? null },
    { title: "Report format", value: (s) => s.format && `${s.format.version}, written by ${s.format.writer}` },
];

const GRAPH: readonly Fact[] = [
    { title: "Number of compute sets", value: (s) => s.graph && count(s.graph.computeSets) },
    { title: "Number of edges", value: (s) => s.graph && count(s.graph.edges) },
    { title: "Number of variables", value: (s) => s.graph && count(s.graph.variables) },
    { title: "Number of vertices", value: (s) => s.graph && count(s.graph.vertices) },
];

/** Facts of one report or two, with differences marked. */
function Facts({
    facts,
    summaries,
    reports,
}: {
    facts: readonly Fact[];
    summaries: readonly Summary[];
    reports: readonly Report[];
}) {
    const rows = facts
        .map((fact) => ({ fact, values: summaries.map((one) => fact.value(one)) }))
        .filter(({ values }) => values.some((value) => value));
    return (
        <table class="facts">
            {summaries.length > 1 && (
                <thead>
                    <tr>
                        <th />
                        {reportTitles(reports).map((title) => (
                            <td key={title}>{title}</td>
                        ))}
                    </tr>
                </thead>
            )}
            <tbody>
                {rows.map(({ fact, values }) => (
                    <tr key={fact.title} class={values.some((value) => value !== values[0]) ? "differs" : ""}>
                        <th data-tip={fact.tip}>{fact.title}</th>
                        {values.map((value, i) => (
                            <td key={i} data-fact={fact.title}>
                                {value ?? "–"}
                            </td>
                        ))}
                    </tr>
                ))}
            </tbody>
        </table>
    );
}

interface OptionRow {
    name: string;
    values: (string | null)[];
    isSet: boolean;
}

function optionRows(lists: readonly (readonly Option[])[]): OptionRow[] {
    const rows = new Map<string, OptionRow>();
    lists.forEach((list, i) => {
        for (const option of list) {
            const row = rows.get(option.name) ?? { name: option.name, values: lists.map(() => null), isSet: false };
            row.values[i] = option.value;
            row.isSet ||= option.isSet !== 0;
            rows.set(option.name, row);
        }
    });
    return [...rows.values()];
}

function optionColumns(reports: readonly Report[]): Column<OptionRow>[] {
    return [
        { id: "name", title: "Option", value: (row) => row.name, width: 380 },
        ...reports.map((report, i) => ({
            id: `value${i}`,
            title: reports.length > 1 ? reportTitles(reports)[i] : "Value",
            tip: reports.length > 1 ? report.directory : undefined,
            value: (row: OptionRow) => row.values[i],
        })),
        {
            id: "set",
            title: "Set",
            tip: "Whether the program or POPLAR_ENGINE_OPTIONS gave it; others are defaults",
            value: (row) => (row.isSet ? "set" : "default"),
            width: 90,
        },
    ];
}

function JsonTree({ value, name }: { value: Json; name?: string }) {
    const label = name === undefined ? null : <span class="key">{name}: </span>;
    if (value === null || typeof value !== "object")
        return (
            <div>
                {label}
                {typeof value === "string" ? value : JSON.stringify(value)}
            </div>
        );
    const entries = Array.isArray(value) ? value.map((one, i) => [String(i), one] as const) : Object.entries(value);
    const inside = (
        <div>
            {entries.map(([key, one]) => (
                <JsonTree key={key} name={key} value={one} />
            ))}
        </div>
    );
    if (name === undefined) return inside;
    return (
        <details open={entries.length <= 12}>
            <summary>
                {label}
                {Array.isArray(value) ? `${entries.length} elements` : `${entries.length} keys`}
            </summary>
            {inside}
        </details>
    );
}

function BesideFile({ file, name, what }: { file: Beside; name: string; what: string }) {
    if (file === null) return <Empty>{`There is no ${name} beside the report: ${what} did not write one.`}</Empty>;
    if ("error" in file) return <p class="warning">{`${name} cannot be read: ${file.error}`}</p>;
    return (
        <div class="json-tree" data-json={name}>
            <JsonTree value={file.content} />
        </div>
    );
}

/** The known files, with the purpose of each. */
function reportFiles(
    report: Report,
    summary: Summary,
): { title: string; file: string; present: boolean; what: string }[] {
    const has = (name: string) => report.files.some((file) => file.name === name && file.present);
    return [
        {
            title: "Graph Profile",
            file: "profile.pop",
            present: summary.format?.compilation === 1,
            what: "autoReport.outputGraphProfile",
        },
        {
            title: "Execution Profile",
            file: "profile.pop",
            present: summary.format?.execution === 1,
            what: "autoReport.outputExecutionProfile",
        },
        {
            title: "Lowered Variables",
            file: "profile.pop",
            present: summary.format?.loweredVariables === 1,
            what: "autoReport.outputLoweredVars",
        },
        {
            title: "Debug Information",
            file: "debug.cbor",
            present: has("debug.cbor"),
            what: "autoReport.outputDebugInfo",
        },
        { title: "Executable Archive", file: "archive.a", present: has("archive.a"), what: "autoReport.outputArchive" },
        {
            title: "Serialized Computation Graph",
            file: "serialized_graph.json",
            present: has("serialized_graph.json"),
            what: "autoReport.outputSerializedGraph",
        },
        {
            title: "Frameworks Information",
            file: "framework.json",
            present: summary.framework !== null,
            what: "written by a framework",
        },
        {
            title: "Application Information",
            file: "app.json",
            present: summary.application !== null,
            what: "written by an application",
        },
    ];
}

function Files({ report, summary }: { report: Report; summary: Summary }) {
    return (
        <table class="facts">
            <tbody>
                {reportFiles(report, summary).map((file) => (
                    <tr
                        key={file.title}
                        data-tip={
                            file.present
                                ? undefined
                                : `Not in the report; ` +
                                  `${file.what.startsWith("autoReport") ? "engine option" : "it is"} ` +
                                  file.what
                        }
                    >
                        <th>
                            <span class={file.present ? "present" : "absent"}>{file.present ? "✓ " : "? "}</span>
                            {file.title}
                        </th>
                        <td data-file={file.title}>{file.present ? file.file : "not recorded"}</td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}

function Runs({ summary }: { summary: Summary }) {
    const clock = summary.target?.clock ?? 0;
    if (!summary.runs.length)
        return <Empty>Nothing was executed, or execution was not profiled (autoReport.outputExecutionProfile).</Empty>;
    return (
        <table class="facts">
            <tbody>
                {summary.runs.map((run) => (
                    <tr key={run.id}>
                        <th>{`${run.id}: ${run.name || "(no name)"}`}</th>
                        <td>{`${count(run.cycles)} cycles, ${time(run.cycles, clock)}`}</td>
                        <td>
                            {run.parameters.map((one) => `${one.name} = ${one.value}`).join(", ") || "no parameters"}
                        </td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}

function SummaryPage({ context }: { context: ViewContext }) {
    const { reports, state, update } = context;
    const loaded = useJsonOfBoth<Summary>(reports, "summary");
    const error = loaded.find((one) => one?.error)?.error;
    if (error) return <Empty>{error}</Empty>;
    const summaries = loaded.flatMap((one) => (one?.value ? [one.value] : []));
    if (summaries.length < reports.length) return <Empty>Reading the report.</Empty>;
    const closed = Array.isArray(state.closed) ? state.closed : [];
    const block = (id: string, title: string, body: ComponentChild) => (
        <details key={id} data-block={id} open={!closed.includes(id)}>
            <summary
                onClick={(event) => {
                    event.preventDefault();
                    update(
                        { closed: closed.includes(id) ? closed.filter((one) => one !== id) : [...closed, id] },
                        { replace: true },
                    );
                }}
            >
                {title}
            </summary>
            <div>{body}</div>
        </details>
    );
    const each = (body: (summary: Summary, report: Report) => ComponentChild) =>
        summaries.map((summary, i) => (
            <div key={i} data-report={nameOfReport(reports, i) || undefined}>
                {reports.length > 1 && <h3>{nameOfReport(reports, i)}</h3>}
                {body(summary, reports[i])}
            </div>
        ));
    const options = (
        <div class="options-table">
            <Table
                name="options"
                columns={optionColumns(reports)}
                rows={optionRows(summaries.map((one) => one.options))}
                state={tableState(state.options)}
                onState={(value) => update({ options: { ...value } }, { gesture: "options" })}
            />
        </div>
    );
    return (
        <div class="summary">
            {block("target", "Target", <Facts facts={TARGET} summaries={summaries} reports={reports} />)}
            {block("graph", "Graph", <Facts facts={GRAPH} summaries={summaries} reports={reports} />)}
            {block(
                "files",
                "Report files",
                each((summary, report) => <Files report={report} summary={summary} />),
            )}
            {block(
                "runs",
                "Runs",
                each((summary) => <Runs summary={summary} />),
            )}
            {block("options", "Engine options", options)}
            {block(
                "framework",
                "Framework",
                each((summary) => <BesideFile file={summary.framework} name="framework.json" what="the framework" />),
            )}
            {block(
                "application",
                "Application",
                each((summary) => <BesideFile file={summary.application} name="app.json" what="the application" />),
            )}
        </div>
    );
}

export const summary: View = {
    id: "summary",
    title: "Summary",
    tip: "target, graph, options, files",
    render: (context) => <SummaryPage context={context} />,
};
