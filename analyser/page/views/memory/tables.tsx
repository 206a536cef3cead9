// SPDX-License-Identifier: Apache-2.0
// Tables of the Memory view: variables of the graph, the layout of a tile, code by purpose, the difference.
import { useMemo } from "preact/hooks";
import { CATEGORIES, categoryTip, categoryTitle } from "../../data/concepts";
import { Columns } from "../../data/columns";
import { useColumns } from "../../data/load";
import { MemoryOverview } from "../../data/memory";
import { Report } from "../../data/reports";
import { DIFFERENCE, differenceClass, differenceText, reportTitles, useColumnsOfBoth } from "../../ui/compare";
import { bytes, count } from "../../text/format";
import { shortName, stem } from "../../text/names";
import { tableState } from "../../ui/rows";
import { Column, Table, titleWidth } from "../../ui/table";
import { Empty } from "../../ui/tabs";
import { ViewContext } from "../view";
import { AddressMap } from "./addresses";

/** Converts columns to objects, one for each row. */
export function rowsOf<Row>(columns: Columns, names: readonly (keyof Row & string)[]): Row[] {
    const parts = names.map(
        (name) => [name, columns.has(name) ? (tryTexts(columns, name) ?? columns.numbers(name)) : []] as const,
    );
    const length = parts.length ? parts[0][1].length : 0;
    return Array.from(
        { length },
        (_, i) => Object.fromEntries(parts.map(([name, values]) => [name, values[i]])) as Row,
    );
}

function tryTexts(columns: Columns, name: string): readonly string[] | null {
    try {
        return columns.texts(name);
    } catch {
        return null;
    }
}

const size = (value: number | null) => (value === null ? "–" : bytes(value));

function kept(context: ViewContext, name: string) {
    return {
        state: tableState(context.state[name]),
        onState: (state: object) => context.update({ [name]: { ...state } }, { gesture: name }),
    };
}

interface VariableRow {
    ids: number[]; // equal variables are one row
    id: number;
    name: string;
    type: string;
    bytes: number;
    alwaysLive: number;
    largest: number;
}

const VARIABLES: readonly Column<VariableRow>[] = [
    {
        id: "name",
        title: "Variable",
        value: (row) => row.name,
        show: (row) => (row.ids.length > 1 ? `${shortName(row.name)} × ${row.ids.length}` : shortName(row.name)),
        cellTip: (row) => row.name,
    },
    { id: "type", title: "Type", value: (row) => row.type, width: 120 },
    { id: "live", title: "Liveness", value: (row) => (row.alwaysLive ? "always" : "at some steps"), width: 120 },
    { id: "bytes", title: "Size (B)", kind: "number", value: (row) => row.bytes, width: 130, tip: "On all tiles" },
    { id: "largest", title: "Largest on a tile (B)", kind: "number", value: (row) => row.largest, width: 170 },
];

const FEWEST_FOLDED = 4; // fewer equal variables keep their rows

/** Variables that differ in the numbers of their names alone are one row: "partials/# × 128". */
export function foldVariables(rows: readonly Omit<VariableRow, "ids">[]): VariableRow[] {
    const groups = new Map<string, VariableRow>();
    const keyOf = (row: Omit<VariableRow, "ids">) => [stem(row.name), row.type, row.bytes, row.alwaysLive].join("\n");
    for (const row of rows) {
        const group = groups.get(keyOf(row));
        if (!group) {
            groups.set(keyOf(row), { ...row, ids: [row.id] });
            continue;
        }
        group.ids.push(row.id);
        group.bytes += row.bytes;
        group.largest = Math.max(group.largest, row.largest);
        if (group.name !== row.name) group.name = stem(row.name);
    }
    const several = new Set([...groups].filter(([, group]) => group.ids.length >= FEWEST_FOLDED).map(([key]) => key));
    return [
        ...[...groups].filter(([key]) => several.has(key)).map(([, group]) => group),
        ...rows.filter((row) => !several.has(keyOf(row))).map((row) => ({ ...row, ids: [row.id] })),
    ];
}

/** Variables of the graph; a click plots one across tiles, clicks with Shift several. */
export function Variables({
    context,
    chosen,
    onChoose,
}: {
    context: ViewContext;
    chosen: readonly number[];
    onChoose: (ids: number[]) => void;
}) {
    const found = useColumns("memory/variables", { report: 0, search: "" });
    const rows = useMemo(
        () =>
            found.value
                ? foldVariables(
                      rowsOf<Omit<VariableRow, "ids">>(found.value, [
                          "id",
                          "name",
                          "type",
                          "bytes",
                          "alwaysLive",
                          "largest",
                      ]),
                  )
                : [],
        [found.value],
    );
    if (found.error) return <Empty>{found.error}</Empty>;
    return (
        <Table
            name="variables"
            columns={VARIABLES}
            rows={rows}
            rowKey={(row) => row.id}
            {...kept(context, "variables")}
            selected={(row) => chosen.includes(row.id)}
            rowClass={(row) => (chosen.includes(row.id) ? "selected" : "")}
            onSelect={(row, event) =>
                onChoose(event.shiftKey || event.ctrlKey ? [...new Set([...chosen, ...row.ids])] : row.ids)
            }
            bar={<span class="table-count">a click shows a variable across tiles, with Shift several</span>}
        />
    );
}

export interface LayoutRow {
    id: number;
    name: string;
    category: string;
    address: number;
    bytes: number;
    alignment: number;
    class: number;
    flags: number;
    firstStep: number;
    endStep: number;
}

const LIVENESS = (row: LayoutRow) =>
    row.flags & 4 ? "always" : Number.isNaN(row.firstStep) ? "never" : `steps ${row.firstStep} to ${row.endStep - 1}`;

const LAYOUT: readonly Column<LayoutRow>[] = [
    { id: "address", title: "Address", kind: "number", value: (row) => row.address, width: 110 },
    {
        id: "name",
        title: "Variable",
        value: (row) => row.name,
        show: (row) => shortName(row.name),
        cellTip: (row) => row.name,
    },
    {
        id: "category",
        title: "Category",
        value: (row) => categoryTitle(row.category),
        width: 180,
        cellTip: (row) => categoryTip(row.category),
    },
    { id: "bytes", title: "Size (B)", kind: "number", value: (row) => row.bytes, width: 100 },
    {
        id: "live",
        title: "Live",
        value: LIVENESS,
        width: 150,
        tip: "Steps of the program at which it holds something that is read later",
    },
    {
        id: "alignment",
        title: "Alignment (B)",
        kind: "number",
        value: (row) => row.alignment,
        width: 120,
        hidden: true,
    },
    {
        id: "class",
        title: "Class",
        kind: "number",
        value: (row) => row.class,
        width: 90,
        tip: "Variables of a class are live at the same steps",
    },
];

/** The addresses of one tile. */
export function Layout({
    context,
    tile,
    overview,
}: {
    context: ViewContext;
    tile: number | null;
    overview: MemoryOverview;
}) {
    const shown = overview.loweredVariables && tile !== null;
    const found = useColumns(shown ? "memory/layout" : null, { report: 0, tile: tile ?? 0 });
    const names = [
        "id",
        "name",
        "category",
        "address",
        "bytes",
        "alignment",
        "class",
        "flags",
        "firstStep",
        "endStep",
    ] as const;
    const rows = useMemo(() => (found.value ? rowsOf<LayoutRow>(found.value, names) : []), [found.value]);
    if (!overview.loweredVariables)
        return (
            <Empty>The report has no lowered variables: run with autoReport.outputLoweredVars or autoReport.all.</Empty>
        );
    if (tile === null) return <Empty>Click a tile to see the addresses of its variables.</Empty>;
    if (found.error) return <Empty>{found.error}</Empty>;
    return (
        <div class="tab-fill">
            <AddressMap
                rows={rows}
                interleaved={overview.interleavedStart}
                chosen={context.selection.variable}
                onPick={(name) => context.select({ variable: name })}
            />
            <Table
                name={`tile-${tile}`}
                columns={LAYOUT}
                rows={rows}
                rowKey={(row) => row.id}
                {...kept(context, "layout")}
                selected={(row) => row.name === context.selection.variable}
                onSelect={(row) => context.select({ variable: row.name })}
                onOpen={(row) => context.open("liveness", { variable: row.name })}
                bar={<span class="table-count">{`tile ${tile}; a double click shows when a variable is live`}</span>}
            />
        </div>
    );
}

interface CodeRow {
    id: number;
    name: string;
    kind: string;
    vertices: number;
    code: number;
    vertex_data: number;
    edge_ptr: number;
    copy_ptr: number;
    descriptor: number;
    padding: number;
}

function codeSize(row: CodeRow): number {
    return [row.code, row.vertex_data, row.edge_ptr, row.copy_ptr, row.descriptor, row.padding].reduce(
        (sum, part) => sum + (part || 0),
        0,
    );
}

const part = (id: keyof CodeRow, title: string, tip: string): Column<CodeRow> => ({
    id,
    title,
    tip,
    kind: "number",
    width: 120,
    value: (row) => (Number.isFinite(row[id]) ? row[id] : null),
});
const NAME: Column<CodeRow> = {
    id: "name",
    title: "Name",
    value: (row) => row.name,
    show: (row) => shortName(row.name),
    cellTip: (row) => row.name,
};
const SIZE: Column<CodeRow> = {
    id: "size",
    title: "Size (B)",
    kind: "number",
    width: 120,
    value: codeSize,
    tip: "Code and state on the tiles that are shown",
};
const STATE: readonly Column<CodeRow>[] = [
    part("code", "Code (B)", "Code of its vertices"),
    part("vertex_data", "Fields (B)", "Fields of vertices"),
    part("edge_ptr", "Edges (B)", "Pointers to tensors"),
    part("copy_ptr", "Copies (B)", "Pointers of copies"),
    part("descriptor", "Descriptors (B)", CATEGORIES.copyDescriptor),
    part("padding", "Padding (B)", "Bytes that align what follows"),
];
const CODE: { readonly [kind: string]: { columns: readonly Column<CodeRow>[]; names: readonly (keyof CodeRow)[] } } = {
    computeSets: {
        columns: [NAME, part("vertices", "Vertices", "On all tiles"), SIZE, ...STATE],
        names: ["id", "name", "vertices", "code", "vertex_data", "edge_ptr", "copy_ptr", "descriptor", "padding"],
    },
    vertexTypes: {
        columns: [NAME, part("vertices", "Vertices", "Of this type, on all tiles"), SIZE, ...STATE],
        names: ["id", "name", "vertices", "code", "vertex_data", "edge_ptr", "copy_ptr", "descriptor", "padding"],
    },
    exchanges: {
        columns: [
            NAME,
            { id: "kind", title: "Kind", value: (row) => row.kind, width: 120 },
            part("code", "Code (B)", "Code that sends and receives"),
        ],
        names: ["id", "name", "kind", "code"],
    },
};

export function Code({ context, kind, tiles }: { context: ViewContext; kind: string; tiles: readonly number[] }) {
    const parameters = { report: 0, kind, tiles: tiles.length ? tiles.slice(0, 64).join(",") : undefined };
    const found = useColumns("memory/code", parameters);
    const { columns, names } = CODE[kind];
    const rows = useMemo(() => (found.value ? rowsOf<CodeRow>(found.value, names) : []), [found.value]);
    if (found.error) return <Empty>{found.error}</Empty>;
    return (
        <Table
            key={kind}
            name={kind}
            columns={columns}
            rows={rows}
            rowKey={(row) => row.id}
            {...kept(context, kind)}
            bar={
                <span class="table-count">
                    {tiles.length ? `on tiles ${tiles.slice(0, 64).join(", ")}` : "on all tiles"}
                </span>
            }
        />
    );
}

interface DifferenceRow {
    name: string;
    source: number | null;
    target: number | null;
}

function differenceColumns(reports: readonly Report[]): Column<DifferenceRow>[] {
    return [
        {
            id: "name",
            title: "Name",
            value: (row) => row.name,
            show: (row) => (CATEGORIES[row.name] ? categoryTitle(row.name) : row.name),
            cellTip: (row) => categoryTip(row.name),
        },
        {
            id: "source",
            title: `${reportTitles(reports)[0]} (B)`,
            kind: "number",
            width: titleWidth(`${reportTitles(reports)[0]} (B)`, 160),
            value: (row) => row.source,
            tip: `the source: ${reports[0].name}`,
        },
        {
            id: "target",
            title: `${reportTitles(reports)[1]} (B)`,
            kind: "number",
            width: titleWidth(`${reportTitles(reports)[1]} (B)`, 160),
            value: (row) => row.target,
            tip: `the target: ${reports[1].name}`,
        },
        {
            id: "difference",
            title: DIFFERENCE,
            kind: "number",
            width: 220,
            tip:
                `${reportTitles(reports)[1]} less ${reportTitles(reports)[0]}, ` +
                `and per cent of ${reportTitles(reports)[0]}; "new": only ${reportTitles(reports)[1]} has it`,
            value: (row) => (row.target ?? 0) - (row.source ?? 0),
            show: (row) => (
                <span class={differenceClass(row.source, row.target)}>
                    {differenceText(row.source, row.target, size)}
                </span>
            ),
        },
    ];
}

/** Categories, or the graph's variables by name, of both reports. */
export function Difference({
    context,
    overviews,
    of,
}: {
    context: ViewContext;
    overviews: readonly MemoryOverview[];
    of: "categories" | "variables";
}) {
    const both = useColumnsOfBoth(context.reports, of === "variables" ? "memory/variables" : null);
    const rows = useMemo(() => {
        const found = new Map<string, DifferenceRow>();
        const add = (name: string, side: "source" | "target", value: number) => {
            const row = found.get(name) ?? { name, source: null, target: null };
            row[side] = (row[side] ?? 0) + value;
            found.set(name, row);
        };
        (["source", "target"] as const).forEach((side, i) => {
            if (of === "categories") {
                for (const category of overviews[i]?.categories ?? []) add(category.name, side, category.bytes);
                return;
            }
            const columns = both[i]?.value;
            if (columns) columns.texts("name").forEach((name, k) => add(name, side, columns.numbers("bytes")[k]));
        });
        return [...found.values()];
    }, [overviews[0], overviews[1], both[0].value, both[1]?.value, of]);
    const columns = useMemo(() => differenceColumns(context.reports), [context.reports]);
    return (
        <Table
            key={of}
            name={`difference-${of}`}
            columns={columns}
            rows={rows}
            rowKey={(row) => row.name}
            {...kept(context, `difference${of}`)}
            bar={<span class="table-count">{`${count(rows.length)} ${of}`}</span>}
        />
    );
}
