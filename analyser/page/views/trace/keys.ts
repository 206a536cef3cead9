// SPDX-License-Identifier: Apache-2.0
// Keys of the trace: while held, they move the window smoothly.
import { Span } from "../../data/rectangles";
import { panSpan, zoomSpan } from "../../draw/scale";
import { KeyAction } from "../../ui/keys";
import { GUTTER, TraceModel } from "./model";

const PAN = 1.2; // windows per second
const ZOOM = 3; // e-foldings per second
const FIRST = 0.045; // seconds that a short press counts as

type Motion = "in" | "out" | "left" | "right";

export class Mover {
    private readonly held = new Set<Motion>();
    private last = 0;
    private frame = 0;

    constructor(
        private readonly model: () => TraceModel | null,
        private readonly change: (span: Span, gesture: string) => void,
    ) {}

    press(motion: Motion): void {
        if (this.held.has(motion)) return;
        this.held.add(motion);
        this.step(motion, FIRST);
        if (!this.frame) {
            this.last = performance.now();
            this.frame = requestAnimationFrame(this.tick);
        }
    }

    release(motion: Motion): void {
        this.held.delete(motion);
    }

    stop(): void {
        this.held.clear();
        cancelAnimationFrame(this.frame);
        this.frame = 0;
    }

    private tick = (now: number): void => {
        const seconds = Math.min(0.1, (now - this.last) / 1000);
        this.last = now;
        for (const motion of this.held) this.step(motion, seconds);
        this.frame = this.held.size ? requestAnimationFrame(this.tick) : 0;
    };

    private step(motion: Motion, seconds: number): void {
        const model = this.model();
        if (!model) return;
        const { span, extent, pointer } = model;
        if (motion === "left" || motion === "right") {
            const cycles = (span.to - span.from) * PAN * seconds * (motion === "left" ? -1 : 1);
            this.change(panSpan(span, cycles, extent), "keys");
        } else {
            const about = pointer && pointer.x >= GUTTER ? model.scale().cycle(pointer.x) : (span.from + span.to) / 2;
            this.change(zoomSpan(span, Math.exp(ZOOM * seconds * (motion === "in" ? -1 : 1)), about, extent), "keys");
        }
    }
}

export function moveKeys(mover: Mover): KeyAction[] {
    const rows: [string[], Motion, string][] = [
        [["w", "ArrowUp"], "in", "zoom in"],
        [["s", "ArrowDown"], "out", "zoom out"],
        [["a", "ArrowLeft"], "left", "to the left"],
        [["d", "ArrowRight"], "right", "to the right"],
    ];
    return rows.flatMap(([keys, motion, what]) =>
        keys.map((key) => ({
            key,
            what,
            group: "Trace",
            run: () => mover.press(motion),
            up: () => mover.release(motion),
        })),
    );
}

/** Mouse actions, for the list of keys. */
export const MOUSE: readonly [string, string][] = [
    ["wheel", "zoom about the pointer"],
    ["drag", "pan"],
    ["drag on the axis", "zoom to the marked interval"],
    ["Shift and drag", "select an area: time and tiles"],
    ["click", "select a step, layer or run"],
    ["Ctrl and click", "select several steps"],
    ["Shift and click", "zoom to the interval from the selected one to this"],
    ["double click", "zoom to a step, layer or run"],
];
