// SPDX-License-Identifier: Apache-2.0
// The callout next to the pointer: data of the rectangle at once, data of its step a moment later.
import { useRef } from "preact/hooks";
import { loadStep } from "../../data/trace";
import { NONE } from "../../data/rectangles";
import { hideTip, showTip } from "../../ui/tooltip";
import { calloutOf } from "./callout";
import { Hit, TraceModel } from "./model";

const ASK_AFTER = 90; // ms

export function useCallouts(): (model: TraceModel, hit: Hit | null, event: PointerEvent) => void {
    const asking = useRef(0);
    return (model, hit, event) => {
        clearTimeout(asking.current);
        const text = hit && calloutOf(model, hit, null);
        if (!text || !hit) {
            hideTip();
            return;
        }
        const [x, y] = [event.clientX, event.clientY];
        showTip(text, x, y);
        if (hit.step === NONE || hit.what !== "step") return;
        asking.current = window.setTimeout(() => {
            loadStep(model.source, hit.step).then(
                (details) => {
                    if (model.hover?.step !== hit.step) return;
                    showTip(calloutOf(model, { ...hit, name: hit.name || details.name }, details) ?? text, x, y);
                },
                () => undefined, // keeps the callout unchanged
            );
        }, ASK_AFTER);
    };
}
