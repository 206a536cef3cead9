// SPDX-License-Identifier: Apache-2.0
// The program tree: control programs and functions, the cost of each program, and the call that made it.
import { useMemo, useState } from "preact/hooks";
import "./programs.css";
import {
    NONE,
    Program,
    ProgramDetails,
    ProgramList,
    programLabel,
    useProgramDetails,
    usePrograms,
} from "../data/programs";
import { typeColour } from "../draw/types";
import { Contexts } from "../ui/contexts";
import { bytes, count, percent } from "../text/format";
import { Check, Layout } from "../ui/layout";
import { Plot } from "../ui/plot";
import { Table } from "../ui/table";
import { useOpening } from "../ui/opening";
import { Empty, Tabs } from "../ui/tabs";
import { Tree, TreeRow } from "../ui/tree";
import { ShowName, nameOfReport } from "../ui/ofreport";
import { ReportChoice } from "../ui/reportchoice";
import { View, ViewContext } from "./view";

const NODES_AT_MOST = 500000;

/** Rows of a tree of programs, of one root or all; folded rows hide their descendants. */
function rowsOf(list: ProgramList, roots: readonly number[], folded: ReadonlySet<string>): TreeRow[] {
    const rows: TreeRow[] = [];
    const add = (id: number, depth: number, key: string) => {
        const children = list.programs[id]?.children ?? [];
        const open = children.length ? !folded.has(key) : null;
        rows.push({ key, id, depth, open });
        if (open && rows.length < NODES_AT_MOST && depth < 200)
            children.forEach((child, i) => add(child, depth + 1, `${key}.${i}`));
    };
    roots.forEach((root) => add(root, 0, String(root)));
    return rows;
}

/** The keys of all rows that have children. */
function allKeys(list: ProgramList, roots: readonly number[]): string[] {
    return rowsOf(list, roots, new Set())
        .filter((row) => row.open !== null)
        .map((row) => row.key);
}

function Figures({ program, executed }: { program: Program; executed: boolean }) {
    return (
        <span class="tree-figures">
            <span
                data-tip={
                    executed
                        ? "critical-path cycles, with its parts and the functions that it calls"
                        : "estimated cycles of one execution"
                }
            >
                {executed ? count(program.within) : program.estimate ? count(program.estimate) : ""}
            </span>
            <span data-tip="executions">{executed ? count(program.executions) : ""}</span>
            <span data-tip="code of control and exchange, on all tiles">{program.code ? bytes(program.code) : ""}</span>
        </span>
    );
}

function Facts({ list, program }: { list: ProgramList; program: Program }) {
    const whole = list.programs.reduce((sum, one) => sum + one.elapsed, 0);
    const target = list.programs[program.target];
    return (
        <dl class="facts">
            <dt>Type</dt>
            <dd>
                {program.type}
                {program.detail && ` (${program.detail})`}
            </dd>
            <dt>Name</dt>
            <dd>{program.name || "(no name)"}</dd>
            <dt>Id</dt>
            <dd>{program.id}</dd>
            {list.executed && (
                <>
                    <dt>Executions</dt>
                    <dd>{count(program.executions)}</dd>
                    <dt data-tip="by which it delays the end of the run, with its parts and what it calls">
                        Critical-path cycles
                    </dt>
                    <dd data-fact="within">
                        {count(program.within)} ({percent(whole ? program.within / whole : 0)} of all runs)
                    </dd>
                    <dt data-tip="cycles of the slowest tile, added up over executions">Slowest tile</dt>
                    <dd data-fact="cycles">{count(program.cycles)}</dd>
                </>
            )}
            {program.estimate > 0 && (
                <>
                    <dt data-tip="of the slowest tile">Estimated cycles of one execution</dt>
                    <dd>{count(program.estimate)}</dd>
                </>
            )}
            <dt data-tip="of control and exchange, on all tiles">Code</dt>
            <dd>{bytes(program.code)}</dd>
            {target && (
                <>
                    <dt>Calls</dt>
                    <dd>{programLabel(target)}</dd>
                </>
            )}
        </dl>
    );
}

function VertexTable({ rows }: { rows: ProgramDetails["vertices"] }) {
    return (
        <Table
            name="vertices"
            rows={rows}
            empty="Only an OnTileExecute has vertices."
            columns={[
                { id: "type", title: "Vertex type", value: (row) => row.type },
                { id: "count", title: "Vertices", kind: "number", width: 120, value: (row) => row.count },
                { id: "size", title: "State of one (B)", kind: "number", width: 140, value: (row) => row.size },
                { id: "estimate", title: "Cycles are", width: 150, value: (row) => row.estimate },
            ]}
        />
    );
}

interface DetailsProps {
    context: ViewContext;
    report: number;
    list: ProgramList;
    program: Program | undefined;
}

function Details({ context, report, list, program }: DetailsProps) {
    const { value: details } = useProgramDetails(report, program?.id);
    const tiles = useMemo(() => {
        const values = details?.numbers("estimate") ?? new Float64Array();
        return { values, x: Float64Array.from(values, (_, i) => i) };
    }, [details]);
    if (!program) return <Empty>Select a step in the program tree to see its details.</Empty>;
    const meta = details?.meta;
    const tabs = [
        { id: "details", title: "Details", body: () => <Facts list={list} program={program} /> },
        {
            id: "vertices",
            title: "Vertices",
            body: () => <VertexTable rows={meta?.vertices ?? []} />,
        },
        {
            id: "variables",
            title: "Variables",
            body: () => (
                <Table
                    name="variables"
                    rows={meta?.variables ?? []}
                    empty="The program reads and writes no variable of the graph."
                    selected={(row) => row.name === context.selection.variable}
                    onSelect={(row) => context.select({ variable: row.name })}
                    columns={[
                        { id: "name", title: "Variable", value: (row) => row.name },
                        {
                            id: "bytes",
                            title: "Size (B)",
                            kind: "number",
                            width: 140,
                            value: (row) => row.bytes,
                            show: (row) => bytes(row.bytes),
                        },
                        {
                            id: "live",
                            title: "Always live",
                            width: 110,
                            value: (row) => (row.alwaysLive ? "yes" : "no"),
                        },
                    ]}
                />
            ),
        },
        {
            id: "tiles",
            title: "Cycles by tile",
            body: () =>
                tiles.values.some((value) => value > 0) ? (
                    <Plot
                        name="cycles-by-tile"
                        x={tiles.x}
                        xTitle="Tile"
                        yTitle="Estimated cycles of one execution"
                        series={[{ title: "cycles", values: tiles.values, shape: "bars" }]}
                        format={count}
                        onClick={(tile) => context.select({ tile })}
                    />
                ) : (
                    <Empty>This program has no cycles of its own: select a compute set or exchange below it.</Empty>
                ),
        },
        {
            id: "debug",
            title: "Debug",
            body: () => (
                <Contexts
                    contexts={meta?.contexts ?? []}
                    onLine={(file, line) => context.open("source", { file, line })}
                />
            ),
        },
    ];
    return (
        <Tabs
            tabs={tabs}
            chosen={typeof context.state.tab === "string" ? context.state.tab : undefined}
            onChoose={(tab) => context.update({ tab }, { replace: true })}
        />
    );
}

function Roots({
    title,
    ids,
    root,
    list,
    onChoose,
}: {
    title: string;
    ids: readonly number[];
    root: number | undefined;
    list: ProgramList;
    onChoose: (id: number | undefined) => void;
}) {
    if (!ids.length) return null;
    return (
        <>
            <h3>{title}</h3>
            <div class="program-list">
                {ids.map((id, i) => (
                    <button
                        key={id}
                        type="button"
                        aria-pressed={root === id}
                        data-tip={list.programs[id] && programLabel(list.programs[id])}
                        onClick={() => onChoose(root === id ? undefined : id)}
                    >
                        {i} {list.programs[id]?.name}
                    </button>
                ))}
            </div>
        </>
    );
}

function Programs({ context }: { context: ViewContext }) {
    const { state, update } = context;
    const report = state.report === 1 && context.reports.length > 1 ? 1 : 0;
    const { value: list, error, loading } = usePrograms(report);
    const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
    const root = typeof state.root === "number" ? state.root : undefined;
    const search = typeof state.search === "string" ? state.search.toLowerCase() : "";
    const roots = useMemo(
        () => (list ? (root === undefined ? [...list.control, ...list.functions] : [root]) : []),
        [list, root],
    );
    const rows = useMemo(() => (list ? rowsOf(list, roots, folded) : []), [list, roots, folded]);
    useOpening(state, context.selection.program, rows.length > 0, () => {
        const cost = (row: TreeRow) =>
            list?.executed ? list.programs[row.id].elapsed : list?.programs[row.id].estimate;
        const costliest = rows.reduce((a, b) => ((cost(b) ?? 0) > (cost(a) ?? 0) ? b : a));
        context.select({ program: costliest.id }, { replace: true });
        update({ key: costliest.key }, { replace: true });
    });
    if (error) return <Empty>{error}</Empty>;
    if (!list) return <Empty>{loading ? "Reading the programs." : ""}</Empty>;
    const chosen = context.selection.program === undefined ? undefined : list.programs[context.selection.program];
    const key =
        typeof state.key === "string" && rows.some((row) => row.key === state.key && row.id === chosen?.id)
            ? state.key
            : (rows.find((row) => row.id === chosen?.id)?.key ?? "");
    const matches = search
        ? rows.filter((row) => programLabel(list.programs[row.id]).toLowerCase().includes(search))
        : [];
    const at = matches.findIndex((row) => row.key === key);
    const step = (by: number) => {
        const next = matches[(at + by + matches.length) % matches.length];
        if (next) select(next);
    };
    const select = (row: TreeRow) => {
        context.select({ program: row.id });
        update({ key: row.key }, { replace: true });
    };
    const toggle = (row: TreeRow) => {
        const next = new Set(folded);
        if (row.open) next.add(row.key);
        else next.delete(row.key);
        setFolded(next);
    };
    const related = (row: TreeRow) =>
        chosen !== undefined && chosen.operation !== NONE && list.programs[row.id].operation === chosen.operation;
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
            <h3>View</h3>
            <Check
                title="Show ids"
                checked={state.ids === true}
                onChange={(ids) => update({ ids: ids || undefined })}
            />
            <Check
                title="Highlight the operation"
                tip="programs that the same call of a library made are yellow"
                checked={state.related !== false}
                onChange={(on) => update({ related: on ? undefined : false })}
            />
            <Roots
                title="Control programs"
                ids={list.control}
                root={root}
                list={list}
                onChoose={(id) => update({ root: id })}
            />
            <Roots
                title="Functions"
                ids={list.functions}
                root={root}
                list={list}
                onChoose={(id) => update({ root: id })}
            />
        </>
    );
    const graph = (
        <div class="pane-column">
            <div class="tree-head">
                <ShowName>{(of) => of}</ShowName>
                <input
                    type="search"
                    placeholder="search"
                    aria-label="search programs"
                    value={typeof state.search === "string" ? state.search : ""}
                    onInput={(event) =>
                        update({ search: event.currentTarget.value || undefined }, { gesture: "search" })
                    }
                    onKeyDown={(event) => event.key === "Enter" && step(event.shiftKey ? -1 : 1)}
                />
                {search && (
                    <span class="table-count">
                        {matches.length
                            ? `${Math.max(0, at) + (at >= 0 ? 1 : 0)} of ${count(matches.length)}`
                            : "no match"}
                    </span>
                )}
                <button type="button" onClick={() => setFolded(new Set())}>
                    Expand all
                </button>
                <button type="button" onClick={() => setFolded(new Set(allKeys(list, roots)))}>
                    Collapse all
                </button>
                <span class="tree-figures">
                    <span
                        data-tip={
                            list.executed
                                ? "critical-path cycles, with its parts and the functions that it calls"
                                : "of one execution"
                        }
                    >
                        {list.executed ? "Critical path" : "Estimate"}
                    </span>
                    <span>{list.executed ? "Executions" : ""}</span>
                    <span>Code</span>
                </span>
            </div>
            <Tree
                name="programs"
                rows={rows}
                selected={key}
                reveal={key}
                onSelect={select}
                onToggle={toggle}
                rowClass={(row) =>
                    `${state.related !== false && related(row) ? "related" : ""} ` +
                    `${search && programLabel(list.programs[row.id]).toLowerCase().includes(search) ? "found" : ""}`
                }
                render={(row) => {
                    const program = list.programs[row.id];
                    return (
                        <>
                            <span class="chip" style={{ background: typeColour(program.type, program.detail) }} />
                            <span class="tree-label" data-program={program.id}>
                                {programLabel(program)}
                                {state.ids === true && ` (Id: ${program.id})`}
                            </span>
                            <Figures program={program} executed={list.executed} />
                        </>
                    );
                }}
            />
        </div>
    );
    return (
        <Layout
            name="programs"
            options={options}
            graph={graph}
            tabs={<Details context={context} report={report} list={list} program={chosen} />}
            report={nameOfReport(context.reports, report)}
        />
    );
}

export const programs: View = {
    id: "programs",
    title: "Programs",
    tip: "the program tree: every step, its cost and the call that made it",
    render: (context) => <Programs context={context} />,
};
