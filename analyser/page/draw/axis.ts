// SPDX-License-Identifier: Apache-2.0
// The axis of cycles: ticks with numbers and, when the clock is known, times below them.
import { count, short, time } from "../text/format";
import { Pen, textWidth } from "./pen";
import { Scale, ticks } from "./scale";

export interface AxisLook {
    ink: string;
    line: string;
    paper: string;
    font: string;
}

export const AXIS_HEIGHT = 24;

/** Draws the axis at the top; `base` is subtracted from the numbers; grid lines go down to `bottom`. */
export function drawAxis(pen: Pen, scale: Scale, look: AxisLook, clock: number, base: number, bottom: number): void {
    const sample = count(Math.round(scale.span.to - base));
    const shifted = new Scale({ from: scale.span.from - base, to: scale.span.to - base }, scale.width, scale.left);
    const { step, values: shown } = ticks(shifted, textWidth(sample, look.font) + 32); // round from the base on
    const values = shown.map((value) => value + base);
    pen.fillStyle = look.paper;
    pen.fillRect(scale.left, 0, scale.width, AXIS_HEIGHT);
    pen.font = look.font;
    pen.textBaseline = "top";
    pen.textAlign = "left";
    pen.fillStyle = look.ink;
    pen.strokeStyle = look.line;
    pen.lineWidth = 1;
    pen.beginPath();
    for (const value of values) {
        const x = Math.round(scale.x(value)) + 0.5;
        pen.moveTo(x, 0);
        pen.lineTo(x, bottom);
    }
    pen.moveTo(scale.left, AXIS_HEIGHT - 0.5);
    pen.lineTo(scale.left + scale.width, AXIS_HEIGHT - 0.5);
    pen.stroke();
    for (const value of values) {
        const from = value - base || 0; // avoids -0
        const text = step >= 1e6 ? short(from) : count(from);
        const x = Math.round(scale.x(value)) + 4;
        if (x + textWidth(text, look.font) > scale.left + scale.width) continue;
        pen.fillText(text, x, 1);
        pen.globalAlpha = 0.7;
        pen.fillText(time(from, clock, step), x, 12);
        pen.globalAlpha = 1;
    }
}
