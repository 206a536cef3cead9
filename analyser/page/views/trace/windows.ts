// SPDX-License-Identifier: Apache-2.0
// The models of one report or two, and their windows: changed by gestures, stored in the URL.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Hosts } from "../../data/host";
import { TraceLanes } from "../../data/trace";
import { Span } from "../../data/rectangles";
import { aroundSpan } from "../../draw/scale";
import { JsonObject } from "../../state";
import { count, cycles, time } from "../../text/format";
import { nameOfReport, titled } from "../../ui/ofreport";
import { ViewContext } from "../view";
import { TraceModel } from "./model";
import { TraceOptions } from "./options";
import { spanOf } from "./state";

const WRITE_AFTER = 120; // ms: the window is written to the URL when it stops moving

/** Linked windows show the same cycles: both extents are that of the longer trace. */
function extentOf(lanes: readonly TraceLanes[], model: number, linked: boolean): Span {
    const own = linked ? lanes : [lanes[model]];
    const from = Math.min(...own.map((one) => one.from));
    return { from, to: Math.max(from + 1, ...own.map((one) => one.to)) };
}

export interface Windows {
    models: readonly TraceModel[];
    /** Shows cycles in a model, and in the other one when they are linked. */
    show: (model: number, span: Span, gesture: string) => void;
    /** The same with a margin, as a separate entry of the browser's history. */
    showAround: (model: number, span: Span, why: string) => void;
}

export function useWindows(
    context: ViewContext,
    lanes: readonly TraceLanes[],
    hosts: readonly (Hosts | null)[],
    options: TraceOptions,
): Windows {
    const { state, update } = context;
    const { linked } = options;
    const models = useMemo(
        () =>
            lanes.map((one, i) => {
                const span = spanOf(state, linked ? 0 : i);
                return new TraceModel(i, one, options, extentOf(lanes, i, linked), span, hosts[i]);
            }),
        [lanes, hosts, linked],
    );
    useEffect(() => () => models.forEach((model) => model.dispose()), [models]);
    const written = useRef("");
    const timer = useRef(0);
    useEffect(() => () => clearTimeout(timer.current), []);

    // The models follow the URL, except for changes that they have written themselves.
    const wished = models.map((_, i) => spanOf(state, linked ? 0 : i));
    const spans = JSON.stringify(wished);
    useEffect(() => {
        if (spans === written.current) return;
        written.current = spans;
        models.forEach((model, i) => model.setSpan(wished[i] ?? model.extent));
    }, [spans, models]);

    const write = (gesture: string) => {
        const patch: JsonObject = {};
        models.forEach(({ span, extent }, i) => {
            if (i && linked) return;
            const suffix = i ? "1" : "";
            const all = span.from <= extent.from && span.to >= extent.to;
            patch[`from${suffix}`] = all ? null : Math.floor(span.from * 100) / 100;
            patch[`to${suffix}`] = all ? null : Math.ceil(span.to * 100) / 100;
        });
        written.current = JSON.stringify(models.map((_, i) => spanOf(patch, linked ? 0 : i)));
        update(patch, { gesture: `window ${gesture}` });
    };
    const show = (from: number, span: Span, gesture: string) => {
        models.forEach((model, i) => (i === from || linked) && model.setSpan(span));
        const { lanes: shown, span: now } = models[from];
        const length = now.to - now.from;
        const known = shown.clockFrequency ? ` (${time(length, shown.clockFrequency)})` : "";
        const what = titled("window", linked ? "" : nameOfReport(context.reports, models[from].report));
        context.status(`${what}: ${cycles(Math.round(length))}${known}, from ${count(Math.round(now.from))}`);
        clearTimeout(timer.current);
        timer.current = window.setTimeout(() => write(gesture), WRITE_AFTER);
    };
    const showAround = (model: number, span: Span, why: string) =>
        show(model, aroundSpan(span, models[model].extent), `${why} ${performance.now()}`);
    return { models, show, showAround };
}
