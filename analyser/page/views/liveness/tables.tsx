// SPDX-License-Identifier: Apache-2.0
// Tables of the Liveness view: variables live at steps, with a column for each step, and always-live variables.
import { useMemo } from "preact/hooks";
import { CATEGORIES, categoryTip, categoryTitle } from "../../data/concepts";
import { LiveVariable, LivenessStep } from "../../data/liveness";
import { bytes, count, difference } from "../../text/format";
import { shortName } from "../../text/names";
import { DIFFERENCE, differenceClass, differenceText } from "../../ui/compare";
import { tableState } from "../../ui/rows";
import { Column, Table, titleWidth } from "../../ui/table";
import { ViewContext } from "../view";

interface Row {
    name: string;
    sizes: (number | null)[];
}

/** Merges lists of variables by name; a list without a name has null there. */
export function mergeLists(lists: readonly (readonly LiveVariable[])[]): Row[] {
    const rows = new Map<string, Row>();
    lists.forEach((list, i) => {
        for (const variable of list) {
            const row = rows.get(variable.name) ?? { name: variable.name, sizes: lists.map(() => null) };
            row.sizes[i] = (row.sizes[i] ?? 0) + variable.bytes;
            rows.set(variable.name, row);
        }
    });
    return [...rows.values()].sort((a, b) => Math.max(...b.sizes.map(Number)) - Math.max(...a.sizes.map(Number)));
}

export interface LiveTableProps {
    context: ViewContext;
    name: string;
    lists: readonly (readonly LiveVariable[])[];
    titles: readonly string[];
    names?: readonly string[]; // of the steps, when they are compared by number
    onChoose: (name: string) => void;
    chosen: string | undefined;
}

export function LiveTable({ context, name, lists, titles, names, onChoose, chosen }: LiveTableProps) {
    const rows = useMemo(() => mergeLists(lists), [...lists, titles.join()]);
    const columns = useMemo((): Column<Row>[] => {
        const first: Column<Row> = {
            id: "name",
            title: "Variable",
            value: (row) => row.name,
            show: (row) => (CATEGORIES[row.name] ? categoryTitle(row.name) : shortName(row.name)),
            cellTip: (row) => categoryTip(row.name),
        };
        const sizes = titles.map((title, i): Column<Row> => ({
            id: `size${i}`,
            title: `${title} (B)`,
            kind: "number",
            width: titleWidth(`${title} (B)`, 150),
            value: (row) => row.sizes[i],
            tip: "Live bytes, on the tiles that are shown",
        }));
        const differences = titles.slice(1).map((title, i): Column<Row> => ({
            id: `difference${i}`,
            title: titles.length === 2 ? DIFFERENCE : `${title} − ${titles[0]} (% of first)`,
            kind: "number",
            width: titleWidth(titles.length === 2 ? DIFFERENCE : `${title} − ${titles[0]} (% of first)`, 190),
            tip: `${title} less ${titles[0]}, and per cent of ${titles[0]}; "new": not in ${titles[0]}`,
            value: (row) => (row.sizes[i + 1] ?? 0) - (row.sizes[0] ?? 0),
            show: (row) => (
                <span class={differenceClass(row.sizes[0], row.sizes[i + 1])}>
                    {names && names[i + 1] !== names[0]
                        ? difference((row.sizes[i + 1] ?? 0) - (row.sizes[0] ?? 0), bytes)
                        : differenceText(row.sizes[0], row.sizes[i + 1], bytes)}
                </span>
            ),
        }));
        return [first, ...sizes, ...differences];
    }, [titles.join(), names?.join()]);
    const unlike = names?.find((one) => one !== names[0]);
    const several = titles.length > 1;
    const totals = titles.map((_, i) => rows.reduce((sum, row) => sum + (row.sizes[i] ?? 0), 0));
    return (
        <Table
            key={titles.join()}
            name={name}
            columns={columns}
            rows={rows}
            rowKey={(row) => row.name}
            state={tableState(context.state[name])}
            onState={(state) => context.update({ [name]: { ...state } }, { gesture: name })}
            selected={(row) => row.name === chosen}
            onSelect={(row) => onChoose(row.name)}
            empty="Nothing is live here."
            bar={
                <>
                    <span class="table-count" data-total>{`${several ? "Totals:" : "Total"} ${totals
                        .map((total, i) => (several ? `${titles[i]}: ${bytes(total)}` : bytes(total)))
                        .join(", ")}`}</span>
                    {names && (
                        <span class="soft" data-by-number={unlike === undefined ? "alike" : "unlike"}>
                            {unlike === undefined
                                ? "Steps are compared by number."
                                : "Steps are compared by number, and here they differ: " +
                                  `${shortName(names[0]) || "(no name)"} and ${shortName(unlike) || "(no name)"}.`}
                        </span>
                    )}
                </>
            }
        />
    );
}

/** Steps side by side: program, bytes, estimated cycles. */
export function StepTable({ steps, titles }: { steps: readonly LivenessStep[]; titles: readonly string[] }) {
    const rows: [string, (step: LivenessStep) => string][] = [
        ["Program", (step) => step.name || "(no name)"],
        ["Type", (step) => step.type],
        ["Live, not always", (step) => bytes(step.bytes)],
        ["Variables", (step) => String(step.variables.length)],
        ["Vertices", (step) => step.vertices.map((one) => `${count(one.count)} × ${one.name}`).join(", ") || "–"],
        [
            "Estimated cycles of one execution",
            (step) => (step.estimatedCycles === null ? "–" : count(step.estimatedCycles)),
        ],
        ["Source", (step) => (step.debug.file ? `${step.debug.file}:${step.debug.line}` : "–")],
    ];
    return (
        <table class="details-table">
            <thead>
                <tr>
                    <th />
                    {titles.map((title) => (
                        <th key={title}>{title}</th>
                    ))}
                </tr>
            </thead>
            <tbody>
                {rows.map(([name, value]) => (
                    <tr key={name}>
                        <td>{name}</td>
                        {steps.map((step, i) => (
                            <td key={i} data-step-fact={name}>
                                {value(step)}
                            </td>
                        ))}
                    </tr>
                ))}
            </tbody>
        </table>
    );
}
