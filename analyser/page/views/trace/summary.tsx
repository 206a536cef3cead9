// SPDX-License-Identifier: Apache-2.0
// The contents of the visible window: cycles, proportions, balance or utilisation, data; a column for each IPU of each
// report.
import { useEffect, useState } from "preact/hooks";
import { useJson } from "../../data/load";
import { SummaryIpu, TraceSummary } from "../../data/trace";
import { Span } from "../../data/rectangles";
import { bytes, count, cycles, percent, time } from "../../text/format";
import { nameOfReport } from "../../ui/ofreport";
import { Empty } from "../../ui/tabs";
import { BlockSummary } from "./blocks";
import { WholeReports } from "./matched";
import { TraceModel } from "./model";
import { hiddenKinds } from "./options";
import { Bar, Proportions, TabProps } from "./parts";

const RESTS_AFTER = 150; // ms

/** The window of a model, updated when it stops moving. */
export function useRestingSpan(model: TraceModel): Span {
    const [span, setSpan] = useState(model.span);
    useEffect(() => {
        let timer = 0;
        const rest = () => {
            clearTimeout(timer);
            timer = window.setTimeout(() => setSpan(model.span), RESTS_AFTER);
        };
        setSpan(model.span);
        const end = model.onChange(rest);
        return () => {
            clearTimeout(timer);
            end();
        };
    }, [model]);
    return span;
}

const TIPS = {
    cycles: "cycles of the visible part of the graph",
    proportions:
        "cycles of the visible steps of the IPU by kind, from the first tile that begins to the last that ends; " +
        "steps overlap. What the run waits for is the critical path: see Insights",
    balance:
        "mean of the tile balance of the visible steps, weighted by their length; syncs are " +
        "left out. The balance of a step is the sum of its cycles over tiles / (largest × tiles)",
    utilisation:
        "share of the visible tile-cycles in which tiles compute or move data: OnTileExecute, DoExchange, " +
        "GlobalExchange, StreamCopyMid; syncs and the begin and end of stream copies count as idle",
    copy: "data of stream copies that the IPU received (Rx) and transmitted (Tx)",
    global: "data of exchanges between IPUs that the IPU received (Rx) and transmitted (Tx)",
};

const DRAWN = (
    <>
        Steps by kind
        <div class="soft">% of the sum of steps</div>
    </>
);

interface Column {
    title: string;
    model: TraceModel;
    summary: TraceSummary;
    ipu: SummaryIpu;
}

function useSummary(model: TraceModel, props: TabProps) {
    const span = useRestingSpan(model);
    const { options } = props;
    return useJson<TraceSummary>("trace/summary", {
        ...model.source,
        from: Math.floor(span.from),
        to: Math.ceil(span.to),
        hide: hiddenKinds(options).join(",") || undefined,
    });
}

function Data({ of, ipu }: { of: string; ipu: SummaryIpu }) {
    const moved = ipu.data.filter((one) => one.name.startsWith(of) && (one.received || one.transmitted));
    if (!moved.length) return <>none</>;
    return (
        <>
            {moved.map((one) => (
                <div key={one.name}>
                    {one.name === of ? "" : `${one.name.slice(of.length + 1)}: `}Rx {bytes(one.received)}, Tx{" "}
                    {bytes(one.transmitted)}
                </div>
            ))}
        </>
    );
}

/** Cycles of all visible steps: more than those of the window where steps overlap. */
function sumOfSteps(ipu: SummaryIpu): number {
    return Math.round(ipu.kinds.reduce((sum, kind) => sum + kind.cycles, 0));
}

/** What the shares are of. */
function SumOfSteps({ ipu, open }: { ipu: SummaryIpu; open: () => void }) {
    return (
        <div class="soft" data-sum={sumOfSteps(ipu)}>
            {`of ${cycles(sumOfSteps(ipu))}, the sum of steps with waits: steps overlap. `}
            <button type="button" class="link" onClick={open}>
                Shares of the critical path
            </button>
        </div>
    );
}

function Figures({ columns, props }: { columns: readonly Column[]; props: TabProps }) {
    const { utilisation } = props.options;
    const shown = (column: Column) => {
        const clock = column.model.lanes.clockFrequency;
        return `${cycles(column.summary.cycles)}${clock ? ` (${time(column.summary.cycles, clock)})` : ""}`;
    };
    return (
        <table class="trace-figures">
            <thead>
                <tr>
                    <th />
                    {columns.map((column) => (
                        <th key={`${column.model.report} ${column.title}`}>{column.title}</th>
                    ))}
                </tr>
            </thead>
            <tbody>
                <tr data-row="cycles">
                    <th data-tip={TIPS.cycles}>Total cycles</th>
                    {columns.map((column) => (
                        <td key={`${column.model.report} ${column.title}`}>
                            {shown(column)}
                            {column.summary.overflows && (
                                <div class="warning">more than 32 bits count: a step in it may have wrapped around</div>
                            )}
                        </td>
                    ))}
                </tr>
                <tr data-row="proportions">
                    <th data-tip={TIPS.proportions}>{DRAWN}</th>
                    {columns.map((column) => (
                        <td key={`${column.model.report} ${column.title}`}>
                            <Proportions shares={column.ipu.kinds} looks={column.model.looks} />
                            <SumOfSteps ipu={column.ipu} open={() => props.context.open("insights")} />
                        </td>
                    ))}
                </tr>
                <tr data-row="balance">
                    <th data-tip={utilisation ? TIPS.utilisation : TIPS.balance}>
                        {utilisation ? "Tile utilisation" : "Tile balance"}
                    </th>
                    {columns.map((column) => {
                        const share = utilisation ? column.ipu.tileUtilisation : column.ipu.tileBalance;
                        return (
                            <td key={`${column.model.report} ${column.title}`}>
                                {share === null ? "–" : percent(share)}
                                <Bar share={share ?? 0} />
                            </td>
                        );
                    })}
                </tr>
                <tr data-row="copies">
                    <th data-tip={TIPS.copy}>StreamCopy</th>
                    {columns.map((column) => (
                        <td key={`${column.model.report} ${column.title}`}>
                            <Data of="StreamCopy" ipu={column.ipu} />
                        </td>
                    ))}
                </tr>
                <tr data-row="global">
                    <th data-tip={TIPS.global}>GlobalExchange</th>
                    {columns.map((column) => (
                        <td key={`${column.model.report} ${column.title}`}>
                            <Data of="GlobalExchange" ipu={column.ipu} />
                        </td>
                    ))}
                </tr>
                <tr data-row="steps">
                    <th data-tip="steps that are visible on the IPU">Steps</th>
                    {columns.map((column) => (
                        <td key={`${column.model.report} ${column.title}`}>
                            {count(column.ipu.kinds.reduce((sum, kind) => sum + kind.steps, 0))}
                        </td>
                    ))}
                </tr>
            </tbody>
        </table>
    );
}

/** Lightweight profiles have neither proportions of steps nor a tile balance. */
function BlocksOf({ model, title }: { model: TraceModel; title: string }) {
    const span = useRestingSpan(model);
    return <BlockSummary model={model} from={Math.floor(span.from)} to={Math.ceil(span.to)} title={title} />;
}

function StepsOf({ models, props }: { models: readonly TraceModel[]; props: TabProps }) {
    const { context, options } = props;
    const first = useSummary(models[0], props);
    const second = useSummary(models[models.length - 1], props);
    const answers = models.length > 1 ? [first, second] : [first];
    const failed = answers.find((answer) => answer.error);
    if (failed) return <Empty>{failed.error}</Empty>;
    const columns: Column[] = answers.flatMap((answer, i) =>
        answer.value
            ? answer.value.ipus
                  .filter((ipu) => options.ipu < 0 || ipu.ipu === options.ipu)
                  .map((ipu) => ({
                      title:
                          (props.models.length > 1 ? `${nameOfReport(context.reports, models[i].report)}, ` : "") +
                          `IPU ${ipu.ipu}`,
                      model: models[i],
                      summary: answer.value as TraceSummary,
                      ipu,
                  }))
            : [],
    );
    if (!columns.length) return <Empty>Summing up the window.</Empty>;
    return (
        <div data-loading={answers.some((answer) => answer.loading)}>
            <Figures columns={columns} props={props} />
        </div>
    );
}

export function SummaryTab(props: TabProps) {
    const { models, context } = props;
    const detailed = models.filter((model) => model.lanes.mode === "detailed");
    const blocks = models.filter((model) => model.lanes.tiles.length > 0);
    return (
        <div class="summary-tab">
            {models.length > 1 && <WholeReports {...props} />}
            {detailed.length > 0 && <StepsOf models={detailed} props={props} />}
            {blocks.map((model) => (
                <BlocksOf key={model.report} model={model} title={nameOfReport(context.reports, model.report)} />
            ))}
        </div>
    );
}
