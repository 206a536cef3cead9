// SPDX-License-Identifier: Apache-2.0
// The host's axis: whether a report has a trace of the host, and windows that are moved to its axis and back.
import { useEffect, useRef } from "preact/hooks";
import { exported } from "../../data/exported";
import { Hosts } from "../../data/host";
import { useJson } from "../../data/load";
import { TraceLanes, TraceRun } from "../../data/trace";
import { ViewContext } from "../view";
import { numberOf, numbersOf } from "./state";

/** The last run that begins at or before a cycle, of which `from` gives the begin; -1: none. */
function runAt(runs: readonly TraceRun[], cycle: number, from: (run: TraceRun) => number): number {
    let found = -1;
    runs.forEach((run, i) => {
        if (from(run) <= cycle) found = i;
    });
    return found;
}

/** Windows that other views open are in cycles of the report: moves them to the axis. */
export function useCycles({ state, update }: ViewContext, lanes: readonly TraceLanes[]): void {
    useEffect(() => {
        const [from, to] = numbersOf(state, "cycles");
        if (to === undefined) return;
        const { runs } = lanes[0];
        const shift =
            runs[
                Math.max(
                    0,
                    runAt(runs, from, (run) => run.from - run.shift),
                )
            ]?.shift ?? 0;
        update({ cycles: null, from: from + shift, to: to + shift }, { replace: true });
    }, [JSON.stringify(state.cycles)]);
}

const NO_HOSTS: Hosts = { processes: [], graphs: [], events: 0, note: null };

/** The trace of the host beside a report; undefined: not known yet. An exported page has none. */
export function useHosts(report: number, asked: boolean): Hosts | undefined {
    const answer = useJson<Hosts>(asked && !exported ? "trace/hosts" : null, { report });
    return asked && !exported && !answer.error ? answer.value : NO_HOSTS;
}

/** When the host is switched on or off, the window moves with the run that it is in. */
export function useSwitch({ state, update }: ViewContext, lanes: readonly TraceLanes[]): void {
    const shown = useRef(lanes);
    useEffect(() => {
        const old = shown.current[0];
        const now = lanes[0];
        shown.current = lanes;
        if (!now || !old || now.host === old.host) return;
        const [from, to] = [numberOf(state, "from"), numberOf(state, "to")];
        const run = from === null ? -1 : runAt(old.runs, from, (one) => one.from);
        const by = now.runs[run] ? now.runs[run].from - old.runs[run].from : null;
        const window = from !== null && to !== null && by !== null ? { from: from + by, to: to + by } : null;
        const rest = { from1: null, to1: null, area: null, layer: null, event: null };
        update({ from: null, to: null, ...window, ...rest }, { replace: true });
    }, [lanes]);
}
