// SPDX-License-Identifier: Apache-2.0
// The costliest operations: nodes of a model, or calls of a library, with their cycles, arithmetic and bytes.
import { NONE } from "../../data/programs";
import { Operation, OperationTable, useOperations } from "../../data/operations";
import { Report } from "../../data/reports";
import { bytes, count, flopCell, percent, rate } from "../../text/format";
import { shortName } from "../../text/names";
import { Empty } from "../../ui/tabs";
import { ViewContext } from "../view";
import { Meter } from "./bars";

const SHOWN = 6;

function Row({
    table,
    row,
    whole,
    context,
}: {
    table: OperationTable;
    row: Operation;
    whole: number;
    context: ViewContext;
}) {
    const cost = table.executed ? row.elapsed : row.estimate;
    const moved = row.outputs || row.data;
    return (
        <tr data-operation={row.name} data-tip={`${row.call} ${row.name}`}>
            <td class="name">
                <button
                    type="button"
                    class="link"
                    onClick={() => context.open("operations", { context: row.context }, { operation: row.name })}
                >
                    {shortName(row.name) || row.call}
                </button>{" "}
                <span class="soft">
                    {row.call}
                    {row.file && ` ${row.file.split("/").pop()}:${row.line}`}
                </span>
            </td>
            <td class="meter-cell">
                <Meter share={whole ? cost / whole : 0} />
            </td>
            <td class="number">{`${count(cost)}, ${percent(whole ? cost / whole : 0)}`}</td>
            {table.counted && <td class="number">{row.flops ? flopCell(row.flops) : "–"}</td>}
            {table.counted && <td class="number">{row.flops && cost ? rate(row.flops / cost) : "–"}</td>}
            <td class="number" data-tip={row.outputs ? "bytes of its outputs" : "bytes that its exchanges move"}>
                {moved ? bytes(moved) : "–"}
            </td>
        </tr>
    );
}

export function CostliestOperations({ report, context }: { report: Report; context: ViewContext }) {
    const { value: table, error } = useOperations(report.hasDebug ? report.index : null, undefined);
    if (!report.hasDebug)
        return (
            <Empty>Operations come from debug.cbor: set autoReport.outputDebugInfo or autoReport.all to true.</Empty>
        );
    if (error) return <Empty>{error}</Empty>;
    if (!table) return <Empty>Summing up the cost of each call.</Empty>;
    const cost = (row: Pick<Operation, "elapsed" | "estimate">) => (table.executed ? row.elapsed : row.estimate);
    const whole = table.operations.reduce((sum, row) => sum + cost(row), 0);
    const outside = cost(table.operations.find((row) => row.context === NONE) ?? { elapsed: 0, estimate: 0 });
    const rows = table.operations
        .filter((row) => row.context !== NONE && cost(row) > 0)
        .sort((a, b) => cost(b) - cost(a))
        .slice(0, SHOWN);
    if (!rows.length) return <Empty>No call of a library takes cycles.</Empty>;
    const nodes = rows.some((row) => row.outputs > 0);
    return (
        <>
            <table class="bars operations">
                <thead>
                    <tr>
                        <th>{nodes ? "Node" : "Call"}</th>
                        <th />
                        <th>{table.executed ? "Critical-path cycles" : "Estimated cycles"}</th>
                        {table.counted && <th>FLOP</th>}
                        {table.counted && <th>FLOP/cycle</th>}
                        <th>{nodes ? "Output" : "Exchanged"}</th>
                    </tr>
                </thead>
                <tbody>
                    {rows.map((row) => (
                        <Row key={row.context} table={table} row={row} whole={whole} context={context} />
                    ))}
                </tbody>
            </table>
            {table.executed && (
                <p class="soft" data-figure="outside">
                    {`Per cents are of the critical path of all runs; ${percent(whole ? outside / whole : 0)} of it ` +
                        "is outside of these calls, copies from and to the host among it."}
                </p>
            )}
            <p>
                <button type="button" class="link" onClick={() => context.open("operations")}>
                    All operations
                </button>
                {table.counted && (
                    <>
                        {" · "}
                        <button
                            type="button"
                            class="link"
                            onClick={() => context.open("operations", { show: "roofline" })}
                        >
                            Roofline
                        </button>
                    </>
                )}
            </p>
        </>
    );
}
