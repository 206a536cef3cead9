// SPDX-License-Identifier: Apache-2.0
// The account of time: what the critical path consists of, for all runs and for each by name, the utilisation of tiles
// beside it, and what the advice saves of it.
import { Account, Activities, AdviceList, Arithmetic, Insights } from "../../data/summary";
import { inkOn } from "../../draw/colour";
import { typeLooks } from "../../draw/types";
import { isDark, usePreferences } from "../../preferences";
import { count, cycles as cyclesText, flop, percent, rate, time } from "../../text/format";
import { Empty } from "../../ui/tabs";
import { themeColour } from "../../draw/theme";
import { ViewContext } from "../view";

type Activity = Exclude<keyof Activities, "total">;

// `type` is the kind of step whose colour it has.
const ACTIVITIES: readonly { id: Activity; title: string; type: string; tip: string }[] = [
    { id: "compute", title: "Compute", type: "OnTileExecute", tip: "Compute sets" },
    { id: "exchange", title: "Exchange", type: "DoExchange", tip: "Exchanges between tiles of an IPU" },
    { id: "globalExchange", title: "Exchange between IPUs", type: "GlobalExchange", tip: "Exchanges between IPUs" },
    { id: "host", title: "Host", type: "StreamCopyMid Host", tip: "Stream copies from and to the host" },
    { id: "sync", title: "Sync", type: "Sync Internal", tip: "Syncs; waits for the slowest tile count as its step" },
    { id: "other", title: "Other", type: "Block", tip: "Control code, and time before the first step of a run" },
];

/** Activities of an account that take any time. */
export function partsOf(account: Activities) {
    return ACTIVITIES.map((one) => ({ ...one, cycles: account[one.id] })).filter((one) => one.cycles > 0);
}

function useColours(): (type: string) => string {
    usePreferences();
    const looks = typeLooks(
        ACTIVITIES.map((one) => one.type),
        isDark(),
        themeColour("paper"),
    );
    return (type) => looks.find((look) => look.name === type)?.plain ?? "#888888";
}

function Shares({ account, narrow }: { account: Activities; narrow?: boolean }) {
    const colour = useColours();
    const named = narrow ? 0.3 : 0.16; // a part must be this long for its name to fit
    return (
        <div class="shares">
            {partsOf(account).map((part) => (
                <span
                    key={part.id}
                    style={{
                        width: `${(part.cycles / account.total) * 100}%`,
                        background: colour(part.type),
                        color: inkOn(colour(part.type)),
                    }}
                    data-tip={
                        `${part.title}: ${percent(part.cycles / account.total, 2)} of the critical path\n` +
                        `${count(part.cycles)} of ${count(account.total)} cycles\n${part.tip}`
                    }
                >
                    {part.cycles / account.total > named
                        ? `${part.title} ${percent(part.cycles / account.total, 0)}`
                        : ""}
                </span>
            ))}
        </div>
    );
}

function Key({ account }: { account: Activities }) {
    const colour = useColours();
    return (
        <ul class="key-list">
            {partsOf(account).map((part) => (
                <li key={part.id} data-share={part.title} data-tip={`${count(part.cycles)} cycles\n${part.tip}`}>
                    <span class="swatch" style={{ background: colour(part.type) }} />
                    {part.title} <b>{percent(part.cycles / account.total)}</b>
                </li>
            ))}
        </ul>
    );
}

const RUNS = 6;

function Runs({ account, clock, context }: { account: Account; clock: number; context: ViewContext }) {
    const longest = [...account.runs].sort((a, b) => b.total - a.total).slice(0, RUNS);
    const rest = account.runs.length - longest.length;
    return (
        <>
            <table class="bars runs">
                <tbody>
                    {longest.map((run) => (
                        <tr key={run.id} data-run={run.name}>
                            <td class="name" data-tip={run.name}>
                                <button type="button" class="link" onClick={() => context.open("trace")}>
                                    {run.name || `run ${run.id}`}
                                </button>
                            </td>
                            <td class="meter-cell">
                                <Shares account={run} narrow />
                            </td>
                            <td class="number" data-tip={time(run.total, clock)}>
                                {cyclesText(run.total)}
                            </td>
                        </tr>
                    ))}
                </tbody>
            </table>
            {rest > 0 && <div class="soft">{`and ${count(rest)} shorter runs`}</div>}
        </>
    );
}

export function AccountOfTime({ insights, context }: { insights: Insights; context: ViewContext }) {
    const { account, runs } = insights;
    if (!account.total)
        return (
            <Empty>
                Nothing was executed, or execution was not profiled: run with autoReport.outputExecutionProfile or
                autoReport.all.
            </Empty>
        );
    const clock = runs?.clock ?? 0;
    const most = partsOf(account).reduce((a, b) => (b.cycles > a.cycles ? b : a));
    return (
        <>
            <div>
                <span class="figure" data-figure="run">
                    {time(account.total, clock) || cyclesText(account.total)}
                </span>{" "}
                <span data-tip="From the first cycle of a run to that of its last tile, all captured runs added up">
                    {`${cyclesText(account.total)} in ${count(account.runs.length)} ` +
                        `${account.runs.length === 1 ? "run" : "runs"} (critical path)`}
                </span>
            </div>
            <p data-answer="time">
                {most.id === "other"
                    ? "The report does not say what the time consists of: steps were not recorded."
                    : `The largest part is ${most.title.toLowerCase()}: ${percent(most.cycles / account.total)}.`}
            </p>
            <Shares account={account} />
            <Key account={account} />
            {account.runs.length > 1 && <Runs account={account} clock={clock} context={context} />}
            {insights.arithmetic && <ArithmeticOf arithmetic={insights.arithmetic} cycles={account.total} />}
            {account.utilisation > 0 && (
                <p class="soft" data-tip="The share of the time in which an average tile executes a compute set">
                    {"Tiles compute in "}
                    <b data-figure="utilisation">{percent(account.utilisation)}</b>
                    {" of that time (mean over tiles)."}
                </p>
            )}
        </>
    );
}

/** Floating-point operations of all runs, their rate, and its share of what the machine can do. */
function ArithmeticOf({ arithmetic, cycles }: { arithmetic: Arithmetic; cycles: number }) {
    const { flops, peak, uncounted } = arithmetic;
    if (!flops) return null;
    const each = flops / cycles;
    return (
        <p
            class="soft"
            data-tip={
                "Floating-point operations as the estimates of vertices count them, a multiply-add as two" +
                (uncounted ? `\n${count(uncounted)} of ${count(arithmetic.vertices)} vertices have no count` : "")
            }
        >
            <b data-figure="flops">{flop(flops)}</b>
            {": "}
            <b data-figure="rate">{rate(each)}</b>
            {" a cycle"}
            {peak.half > 0 &&
                `, ${percent(each / peak.half, 2)} of the peak in half (${count(peak.half)}), ` +
                    `${percent(each / peak.float, 2)} of the peak in float`}
            {uncounted > 0 && `; ${count(uncounted)} vertices are not counted`}.
        </p>
    );
}

/** What all entries save by activity, and what is left: the parts add up to 100 %. */
export function SumOfAdvice({ sum }: { sum: AdviceList["sum"] }) {
    if (!sum.total) return null;
    const share = (cycles: number) => percent(cycles / sum.total);
    return (
        <table class="sum" data-sum>
            <thead>
                <tr>
                    <th>Critical path</th>
                    <th>Cycles</th>
                    <th data-tip="By all entries together; estimates">All entries save</th>
                    <th data-tip="Data at the rate of the link, compute that is evenly spread, and syncs">Left</th>
                </tr>
            </thead>
            <tbody>
                {[...partsOf(sum), { id: "total" as const, title: "All", cycles: sum.total }].map((part) => (
                    <tr key={part.id} data-part={part.id}>
                        <th>{part.title}</th>
                        <td>{`${count(part.cycles)}, ${share(part.cycles)}`}</td>
                        <td>{`${count(Math.round(sum.saved[part.id]))}, ${share(sum.saved[part.id])}`}</td>
                        <td>{share(part.cycles - sum.saved[part.id])}</td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}
