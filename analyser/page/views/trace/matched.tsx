// SPDX-License-Identifier: Apache-2.0
// Comparing: the steps of both reports that match, side by side, and the account of each report as a whole.
import { useMemo } from "preact/hooks";
import { useJson, useLoaded } from "../../data/load";
import { MatchedStep, useMatched } from "../../data/matched";
import { Activities, Insights } from "../../data/summary";
import { TraceStepTiles, loadStep } from "../../data/trace";
import { bytes, count, difference, percent, time } from "../../text/format";
import { shortName } from "../../text/names";
import { DIFFERENCE, differenceClass, differenceText, reportTitles } from "../../ui/compare";
import { tableState } from "../../ui/rows";
import { Column, Table, titleWidth } from "../../ui/table";
import { Empty } from "../../ui/tabs";
import { TabProps } from "./parts";

function columnsOf(titles: readonly string[], kinds: readonly string[]): Column<MatchedStep>[] {
    const number = { kind: "number" as const, width: 160 };
    return [
        { id: "name", title: "Name", value: (row) => row.name, show: (row) => shortName(row.name) },
        { id: "type", title: "Type", width: 190, value: (row) => kinds[row.kind] ?? "" },
        {
            ...number,
            id: "a",
            title: `Step, ${titles[0]}`,
            width: titleWidth(`Step, ${titles[0]}`, 110),
            value: (row) => row.a,
        },
        {
            ...number,
            id: "b",
            title: `Step, ${titles[1]}`,
            width: titleWidth(`Step, ${titles[1]}`, 110),
            value: (row) => row.b,
        },
        {
            ...number,
            id: "cyclesA",
            title: `Cycles, ${titles[0]}`,
            width: titleWidth(`Cycles, ${titles[0]}`, 110),
            value: (row) => (row.a === null ? null : row.cyclesA),
        },
        {
            ...number,
            id: "cyclesB",
            title: `Cycles, ${titles[1]}`,
            width: titleWidth(`Cycles, ${titles[1]}`, 110),
            value: (row) => (row.b === null ? null : row.cyclesB),
        },
        {
            ...number,
            id: "difference",
            title: "Difference",
            tip: "cycles of the slowest tile: target less source",
            value: (row) => row.cyclesB - row.cyclesA,
            show: (row) => (
                <span class={`change-${differenceClass(row.cyclesA, row.cyclesB)}`}>
                    {difference(row.cyclesB - row.cyclesA)}
                </span>
            ),
        },
        { id: "change", title: "Change", width: 90, value: (row) => row.change },
    ];
}

/** All steps of both reports, the largest difference first; a click shows both. */
export function MatchedTab(props: TabProps) {
    const { context, models } = props;
    const answer = useMatched(true);
    const titles = reportTitles(context.reports);
    const kinds = models[0].lanes.kinds.map((kind) => kind.name);
    const columns = useMemo(() => columnsOf(titles, kinds), [titles.join(), kinds.join()]);
    if (answer.error) return <Empty>{answer.error}</Empty>;
    const { rows, pairs } = answer.value ?? { rows: [], pairs: 0 };
    return (
        <Table
            name="matched"
            columns={columns}
            rows={rows}
            rowKey={(row) => `${row.a} ${row.b}`}
            state={tableState(context.state.matched)}
            onState={(matched) => context.update({ matched: { ...matched } }, { gesture: "table" })}
            bar={
                rows.length < pairs ? (
                    <span class="soft">{`the first ${count(rows.length)} of ${count(pairs)} steps`}</span>
                ) : undefined
            }
            onSelect={(row) => props.both?.(row.a, row.b)}
            empty={answer.value ? "The reports have no steps." : "Matching the steps of both reports."}
        />
    );
}

type Figure = [title: string, of: (step: TraceStepTiles) => number | null, format: (value: number) => string];

const over = (step: TraceStepTiles, of: (ipu: TraceStepTiles["ipus"][number]) => number) =>
    step.ipus.reduce((most, ipu) => Math.max(most, of(ipu)), 0);
const FIGURES: readonly Figure[] = [
    ["Cycles", (step) => over(step, (ipu) => ipu.cycles), count],
    ["Active tiles", (step) => step.ipus.reduce((sum, ipu) => sum + ipu.activeTiles, 0), count],
    ["Tile balance", (step) => over(step, (ipu) => ipu.tileBalance), (value) => percent(value)],
    ["Data in", (step) => step.ipus.reduce((sum, ipu) => sum + ipu.dataIn, 0), (value) => bytes(value)],
    ["Vertices", (step) => step.vertices.reduce((sum, one) => sum + one.count, 0), count],
    ["Live memory, all", (step) => step.live || null, (value) => bytes(value)],
];

/** The selected step beside the one that it matches in the other report. */
export function MatchedFacts({ step, props }: { step: number; props: TabProps }) {
    const { context, models, side } = props;
    const answer = useMatched(models.length > 1, { side, step });
    const pair = answer.value?.rows[0];
    const key = pair && pair.a !== null && pair.b !== null ? `pair ${pair.a} ${pair.b}` : null;
    const steps = useLoaded(key, () =>
        Promise.all([loadStep(models[0].source, pair?.a ?? 0), loadStep(models[1].source, pair?.b ?? 0)]),
    );
    if (models.length < 2 || !answer.value) return null;
    const titles = reportTitles(context.reports);
    if (!key) return <p class="soft" data-matched="none">{`${titles[1 - side]} has no step like it.`}</p>;
    if (!steps.value) return null;
    const [a, b] = steps.value;
    return (
        <table class="trace-figures matched" data-matched={pair?.b ?? ""}>
            <thead>
                <tr>
                    <th />
                    <th>{titles[0]}</th>
                    <th>{titles[1]}</th>
                    <th>{DIFFERENCE}</th>
                </tr>
            </thead>
            <tbody>
                {FIGURES.map(([title, of, format]) => (
                    <tr key={title}>
                        <th>{title}</th>
                        {[a, b].map((one, i) => (
                            <td key={i}>{of(one) === null ? "–" : format(of(one) ?? 0)}</td>
                        ))}
                        <td class={`change-${differenceClass(of(a), of(b))}`} data-difference={title}>
                            {differenceText(of(a), of(b), format)}
                        </td>
                    </tr>
                ))}
                <tr>
                    <th />
                    <td colSpan={3}>
                        <button type="button" onClick={() => props.both?.(a.step, b.step)}>
                            Show both in the graph
                        </button>
                    </td>
                </tr>
            </tbody>
        </table>
    );
}

const ACCOUNT: readonly [string, (of: Activities) => number][] = [
    ["Critical path", (of) => of.total],
    ["Compute", (of) => of.compute],
    ["Exchange", (of) => of.exchange + of.globalExchange],
    ["Host", (of) => of.host],
    ["Sync", (of) => of.sync],
];

/** The account of time of each report as a whole, whatever the windows show. */
export function WholeReports({ context, models }: TabProps) {
    const first = useJson<Insights>("insights", { report: 0 });
    const second = useJson<Insights>("insights", { report: 1 });
    if (!first.value || !second.value) return null;
    const [a, b] = [first.value.account, second.value.account];
    const titles = reportTitles(context.reports);
    return (
        <table class="trace-figures whole-reports">
            <thead>
                <tr>
                    <th data-tip="all recorded runs, on the critical path; the window does not matter">Whole report</th>
                    <th>{titles[0]}</th>
                    <th>{titles[1]}</th>
                    <th>{DIFFERENCE}</th>
                </tr>
            </thead>
            <tbody>
                {ACCOUNT.map(([title, of]) => (
                    <tr key={title} data-whole={title}>
                        <th>{title}</th>
                        {[a, b].map((one, i) => (
                            <td
                                key={i}
                                data-report={titles[i]}
                                data-tip={time(of(one), models[i].lanes.clockFrequency)}
                            >
                                {count(of(one))}
                            </td>
                        ))}
                        <td class={`change-${differenceClass(of(a), of(b))}`}>{differenceText(of(a), of(b), count)}</td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}
