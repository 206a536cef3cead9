// SPDX-License-Identifier: Apache-2.0
// Memory of the whole model, of an IPU or of a tile, by purpose.
import { ComponentChild } from "preact";
import { useJson } from "../../data/load";
import { Report } from "../../data/reports";
import { Scope, Sized } from "../../data/summary";
import { bytes, count, percent } from "../../text/format";
import { shortName } from "../../text/names";
import { Choice } from "../../ui/layout";
import { ReportName, useReportName } from "../../ui/ofreport";
import { Empty } from "../../ui/tabs";
import { ViewContext } from "../view";
import { Bars } from "./bars";
import { Typed } from "../../ui/typed";

type Kind = "vertices" | "variables" | "exchanges" | "steps";

const KINDS: readonly { id: Kind; title: string; tip: string }[] = [
    {
        id: "vertices",
        title: "Vertices",
        tip: "State and code of vertices by type, and the compute sets with most state",
    },
    { id: "variables", title: "Variables", tip: "Variables of the graph" },
    { id: "exchanges", title: "Exchanges", tip: "Code that tiles run to send and receive" },
    { id: "steps", title: "Program steps", tip: "Live memory at a step, without always-live memory" },
];

function oneOf<T extends string>(value: unknown, allowed: readonly T[]): T {
    return allowed.find((one) => one === value) ?? allowed[0];
}

function List<Row extends Sized>({
    title,
    rows,
    name,
}: {
    title: string;
    rows: readonly Row[];
    name: (row: Row) => ComponentChild;
}) {
    if (!rows.length)
        return (
            <Empty>
                {title.startsWith("Code by vertex")
                    ? "Vertex code is not modelled on an IPU Model."
                    : `${title}: nothing uses memory here.`}
            </Empty>
        );
    return (
        <div data-list={title}>
            <h3>{title}</h3>
            <Bars
                most={rows[0].bytes}
                rows={rows.map((row, i) => ({
                    key: i,
                    name: name(row),
                    value: row.bytes,
                    text: bytes(row.bytes),
                    tip: `${row.name}\n${count(row.bytes)} bytes`,
                }))}
            />
        </div>
    );
}

function Lists({ scope, kind, context }: { scope: Scope; kind: Kind; context: ViewContext }) {
    const plain = (row: Sized) => shortName(row.name) || "(no name)";
    const link = (text: string, open: () => void) => (
        <button type="button" class="link" onClick={open}>
            {text}
        </button>
    );
    if (kind === "vertices")
        return (
            <div class="scope-lists">
                <List title="State by vertex type" rows={scope.vertexState} name={plain} />
                <List title="Code by vertex type" rows={scope.vertexCode} name={plain} />
                <List title="Compute sets by state" rows={scope.computeSets} name={plain} />
            </div>
        );
    if (kind === "exchanges") return <List title="Code of exchanges" rows={scope.exchanges} name={plain} />;
    if (kind === "variables")
        return (
            <List
                title="Variables, each alone"
                rows={scope.variables}
                name={(row) =>
                    link(`${plain(row)}${row.alwaysLive ? ", always live" : ""}`, () =>
                        context.open("liveness", { variable: row.name }, { variable: row.name }),
                    )
                }
            />
        );
    return (
        <List
            title="Live at program steps"
            rows={scope.steps}
            name={(row) =>
                link(`Step ${row.step}: ${plain(row)}`, () => context.open("liveness", { steps: String(row.step) }))
            }
        />
    );
}

export function ScopeSection({ context, report }: { context: ViewContext; report: Report }) {
    const { state, update } = context;
    const scope = oneOf(state.scope, ["model", "ipu", "tile"]);
    const kind = oneOf(
        state.kind,
        KINDS.map((one) => one.id),
    );
    const index = typeof state.index === "number" ? state.index : 0;
    const parameters = { report: report.index, scope, index: scope === "model" ? undefined : index };
    const found = useJson<Scope>("insights/scope", parameters);
    const memory = found.value?.memory;
    return (
        <section class="wide" data-scope={scope} data-report={useReportName() || undefined}>
            <h2>
                Largest users of memory
                <ReportName />
            </h2>
            <div class="scope-bar">
                <Choice
                    label="scope"
                    chosen={scope}
                    onChoose={(id) => update({ scope: id === "model" ? undefined : id, index: undefined })}
                    choices={[
                        { id: "model", title: "Model", tip: "All tiles together" },
                        { id: "ipu", title: "IPU", tip: "The tiles of one IPU" },
                        { id: "tile", title: "Tile", tip: "One tile" },
                    ]}
                />
                {scope !== "model" && (
                    <Typed
                        type="number"
                        min={0}
                        name="scope-index"
                        aria-label={scope === "ipu" ? "IPU" : "tile"}
                        value={index}
                        onConfirm={(text) => update({ index: Math.max(0, Math.floor(Number(text) || 0)) })}
                    />
                )}
                <Choice
                    label="breakdown"
                    chosen={kind}
                    choices={KINDS}
                    onChoose={(id) => update({ kind: id === "vertices" ? undefined : id })}
                />
                {memory && (
                    <span class="soft" data-figure="scope-used">
                        {bytes(memory.used)}
                        {memory.capacity ? `, ${percent(memory.used / memory.capacity, 2)} of capacity` : ""}, without
                        gaps
                    </span>
                )}
            </div>
            {found.error ? (
                <Empty>{found.error}</Empty>
            ) : found.value ? (
                <Lists scope={found.value} kind={kind} context={context} />
            ) : (
                <Empty>Adding up.</Empty>
            )}
        </section>
    );
}
