// SPDX-License-Identifier: Apache-2.0
// A plot for files: axes with titles, a grid, series as lines, steps, bars or points, and a legend.
import { Pen } from "./pen";

export interface PlotPicture {
    x: ArrayLike<number>;
    xTitle: string;
    yTitle: string;
    series: readonly { title: string; colour: string; values: ArrayLike<number>; shape: string }[];
    formatX: (value: number) => string;
    formatY: (value: number) => string;
    ink: string;
    line: string; // of the grid
}

const MARGIN = { left: 84, top: 12, right: 16, bottom: 58 };
const FONT = "11px system-ui, sans-serif";

/** Round numbers over a range, about `wanted` of them. */
export function ticks(from: number, to: number, wanted: number): number[] {
    if (!(to > from)) return [from];
    const rough = (to - from) / Math.max(1, wanted);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? 10 * power;
    const first = Math.ceil(from / step);
    return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, i) => (first + i) * step);
}

export function drawPlot(pen: Pen, picture: PlotPicture, width: number, height: number): void {
    const { x, series } = picture;
    const [plotWidth, plotHeight] = [width - MARGIN.left - MARGIN.right, height - MARGIN.top - MARGIN.bottom];
    const barred = series.some((one) => one.shape === "bars");
    const [first, last] = [x[0] ?? 0, (x[x.length - 1] ?? 0) + (barred ? 1 : 0)];
    let [low, high] = [0, 0];
    for (const { values } of series)
        for (let i = 0; i < values.length; ++i) {
            low = Math.min(low, values[i] || 0);
            high = Math.max(high, values[i] || 0);
        }
    if (high <= low) high = low + 1;
    const left = (value: number) => MARGIN.left + ((value - first) / Math.max(1e-12, last - first)) * plotWidth;
    const top = (value: number) => MARGIN.top + (1 - (value - low) / (high - low)) * plotHeight;
    pen.font = FONT;
    pen.lineWidth = 1;
    drawAxes(pen, picture, { first, last, low, high, left, top, width, height });
    for (const one of series) {
        pen.fillStyle = pen.strokeStyle = one.colour;
        pen.lineWidth = 1.25;
        const wide = Math.max(0.5, left(first + 1) - left(first) - 0.25);
        if (one.shape === "bars" || one.shape === "points") {
            for (let i = 0; i < x.length; ++i)
                if (one.shape === "points") pen.fillRect(left(x[i]) - 1.5, top(one.values[i]) - 1.5, 3, 3);
                else if (one.values[i] > 0)
                    pen.fillRect(left(x[i]), top(one.values[i]), wide, top(0) - top(one.values[i]));
            continue;
        }
        pen.beginPath();
        for (let i = 0; i < x.length; ++i) {
            if (i === 0) pen.moveTo(left(x[i]), top(one.values[i]));
            else if (one.shape === "steps") pen.lineTo(left(x[i]), top(one.values[i - 1]));
            pen.lineTo(left(x[i]), top(one.values[i]));
        }
        pen.stroke();
    }
}

interface Frame {
    first: number;
    last: number;
    low: number;
    high: number;
    left: (value: number) => number;
    top: (value: number) => number;
    width: number;
    height: number;
}

function drawAxes(pen: Pen, picture: PlotPicture, frame: Frame): void {
    const { left, top, width, height } = frame;
    const rule = (x1: number, y1: number, x2: number, y2: number) => {
        pen.strokeStyle = picture.line;
        pen.beginPath();
        pen.moveTo(x1, y1);
        pen.lineTo(x2, y2);
        pen.stroke();
    };
    pen.fillStyle = picture.ink;
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    for (const value of ticks(frame.low, frame.high, 6)) {
        rule(left(frame.first), top(value), left(frame.last), top(value));
        pen.fillText(picture.formatY(value), left(frame.first) - 6, top(value));
    }
    pen.textAlign = "center";
    pen.textBaseline = "top";
    for (const value of ticks(frame.first, frame.last, width / 120)) {
        rule(left(value), top(frame.low), left(value), top(frame.low) + 4);
        pen.fillText(picture.formatX(value), left(value), top(frame.low) + 6);
    }
    pen.fillText(picture.xTitle, (left(frame.first) + left(frame.last)) / 2, height - 34);
    pen.textAlign = "left";
    pen.fillText(picture.yTitle, 4, height - 34);
    let at = left(frame.first);
    for (const one of picture.series) {
        pen.fillStyle = one.colour;
        pen.fillRect(at, height - 14, 10, 10);
        pen.fillStyle = picture.ink;
        pen.fillText(one.title, at + 14, height - 15);
        at += 30 + 7 * one.title.length;
    }
}
