// SPDX-License-Identifier: Apache-2.0
// Stacked bars over positions (tiles, steps), at most one for each pixel, with lines, a limit, marks and bands, and an
// axis of bytes whose ticks are powers of two.
import { bytes, count } from "../text/format";
import { Pen, textWidth } from "./pen";
import { Scale, ticks } from "./scale";

export interface BarSeries {
    id: string;
    title: string;
    colour: string;
    values: ArrayLike<number>;
}

export interface BarPicture {
    first: ArrayLike<number>; // positions of each bar: first (inclusive) to last (exclusive)
    last: ArrayLike<number>;
    stack: readonly BarSeries[]; // from bottom to top
    lines: readonly BarSeries[]; // with one value for each bar
    overlay?: { first: ArrayLike<number>; last: ArrayLike<number>; series: BarSeries }; // of another report
    limit?: { title: string; value: number };
    marks: readonly number[]; // selected positions
    /** Bands over ranges of positions, `value` bytes high above `base`. */
    bands: readonly { from: number; to: number; base: number; value: number; colour: string }[];
    xTitle: string;
}

export interface BarLook {
    ink: string;
    soft: string;
    line: string;
    paper: string;
    accent: string;
    warning: string;
    font: string;
}

export interface Area {
    left: number;
    top: number;
    width: number;
    height: number;
}

export const MARGIN = { left: 76, right: 12, top: 8, bottom: 36 };

/** Ticks of an axis of bytes: multiples of a power of two, at most six of them below `most`. */
export function byteTicks(most: number): number[] {
    let step = 1;
    while (most / step > 6) step *= 2;
    return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}

/** The largest number in the drawing. */
export function largest(picture: BarPicture): number {
    let most = picture.limit?.value ?? 0;
    for (let i = 0; i < picture.first.length; ++i)
        most = Math.max(most, ...picture.lines.map((line) => line.values[i]), stackAt(picture, i));
    const overlay = picture.overlay?.series.values;
    for (let i = 0; overlay && i < overlay.length; ++i) most = Math.max(most, overlay[i]);
    return most > 0 ? most : 1;
}

export function stackAt(picture: BarPicture, bar: number): number {
    let sum = 0;
    for (const series of picture.stack) sum += series.values[bar];
    return sum;
}

/** The index of the bar at a position; -1: none. */
export function barAt(picture: Pick<BarPicture, "first" | "last">, position: number): number {
    let [low, high] = [0, picture.first.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (picture.last[middle] <= position) low = middle + 1;
        else high = middle;
    }
    return low < picture.first.length && picture.first[low] <= position ? low : -1;
}

function drawAxes(pen: Pen, picture: BarPicture, scale: Scale, area: Area, most: number, look: BarLook): void {
    pen.font = look.font;
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    pen.lineWidth = 1;
    for (const tick of byteTicks(most)) {
        const y = Math.round(area.top + area.height * (1 - tick / most)) + 0.5;
        pen.strokeStyle = look.line;
        pen.beginPath();
        pen.moveTo(area.left, y);
        pen.lineTo(area.left + area.width, y);
        pen.stroke();
        pen.fillStyle = look.soft;
        pen.fillText(bytes(tick), area.left - 6, y);
    }
    const bottom = area.top + area.height;
    pen.textBaseline = "top";
    pen.textAlign = "center";
    const { values } = ticks(scale, textWidth(count(scale.span.to), look.font) + 32, 1);
    for (const value of values) {
        const x = Math.round(scale.x(value + 0.5)) + 0.5;
        if (x > area.left + area.width) continue;
        pen.strokeStyle = look.line;
        pen.beginPath();
        pen.moveTo(x, bottom);
        pen.lineTo(x, bottom + 4);
        pen.stroke();
        pen.fillText(count(value + 0), x, bottom + 6); // avoids -0
    }
    pen.fillText(picture.xTitle, area.left + area.width / 2, bottom + 21);
}

/** Draws a series as steps over its bars. */
function drawSteps(
    pen: Pen,
    first: ArrayLike<number>,
    last: ArrayLike<number>,
    values: ArrayLike<number>,
    scale: Scale,
    y: (value: number) => number,
): void {
    pen.beginPath();
    for (let i = 0; i < first.length; ++i) {
        const [from, to] = [scale.x(first[i]), scale.x(last[i])];
        if (i === 0) pen.moveTo(from, y(values[i]));
        else pen.lineTo(from, y(values[i]));
        pen.lineTo(to, y(values[i]));
    }
    pen.stroke();
}

function drawStack(pen: Pen, picture: BarPicture, scale: Scale, y: (value: number) => number): void {
    const base = new Float64Array(picture.first.length);
    for (const series of picture.stack) {
        pen.fillStyle = series.colour;
        pen.beginPath();
        for (let i = 0; i < base.length; ++i) {
            const value = series.values[i];
            if (!(value > 0)) continue;
            const [from, to] = [scale.x(picture.first[i]), scale.x(picture.last[i])];
            const gap = to - from > 4 ? 1 : 0;
            const top = y(base[i] + value);
            pen.rect(from, top, Math.max(0.75, to - from - gap), y(base[i]) - top);
            base[i] += value;
        }
        pen.fill();
    }
}

/** Marks each selected position with a line above it. */
function drawMarks(pen: Pen, picture: BarPicture, scale: Scale, area: Area, look: BarLook): void {
    pen.fillStyle = look.accent;
    for (const mark of picture.marks) {
        const [from, to] = [scale.x(mark), scale.x(mark + 1)];
        const width = Math.max(2, to - from);
        pen.globalAlpha = 0.18;
        pen.fillRect(from, area.top, width, area.height);
        pen.globalAlpha = 1;
        pen.fillRect(from, area.top - 4, width, 3);
    }
}

export function drawBars(pen: Pen, picture: BarPicture, scale: Scale, area: Area, look: BarLook): void {
    const most = largest(picture) * 1.04;
    const y = (value: number) => area.top + area.height * (1 - value / most);
    drawAxes(pen, picture, scale, area, most, look);
    pen.save();
    pen.beginPath();
    pen.rect(area.left, area.top - 4, area.width, area.height + 4);
    pen.clip();
    drawStack(pen, picture, scale, y);
    pen.lineWidth = 1.25;
    for (const line of picture.lines) {
        pen.strokeStyle = line.colour;
        drawSteps(pen, picture.first, picture.last, line.values, scale, y);
    }
    if (picture.overlay) {
        pen.strokeStyle = picture.overlay.series.colour;
        drawSteps(pen, picture.overlay.first, picture.overlay.last, picture.overlay.series.values, scale, y);
    }
    for (const band of picture.bands) {
        pen.fillStyle = band.colour;
        pen.globalAlpha = 0.8;
        const bottom = y(band.base);
        const top = Math.min(y(band.base + band.value), bottom - 4);
        pen.fillRect(scale.x(band.from), top, Math.max(1, scale.x(band.to) - scale.x(band.from)), bottom - top);
        pen.globalAlpha = 1;
    }
    drawMarks(pen, picture, scale, area, look);
    if (picture.limit) {
        pen.strokeStyle = look.warning;
        pen.lineWidth = 1.5;
        pen.setLineDash([6, 3]);
        pen.beginPath();
        pen.moveTo(area.left, y(picture.limit.value));
        pen.lineTo(area.left + area.width, y(picture.limit.value));
        pen.stroke();
        pen.setLineDash([]);
        pen.fillStyle = look.warning;
        pen.textAlign = "left";
        pen.textBaseline = y(picture.limit.value) - area.top > 16 ? "bottom" : "top";
        pen.fillText(`${picture.limit.title}: ${bytes(picture.limit.value)}`, area.left + 6, y(picture.limit.value));
    }
    pen.restore();
}

/** The mini-map: the whole extent, with the visible window. */
export function drawOverview(
    pen: Pen,
    values: ArrayLike<number>,
    scale: Scale,
    window: { from: number; to: number },
    height: number,
    look: BarLook,
): void {
    let most = 1;
    for (let i = 0; i < values.length; ++i) most = Math.max(most, values[i]);
    const each = scale.width / Math.max(1, values.length);
    pen.fillStyle = look.soft;
    pen.beginPath();
    for (let i = 0; i < values.length; ++i) {
        const tall = (values[i] / most) * (height - 3);
        pen.rect(scale.left + i * each, height - tall, Math.max(0.75, each), tall);
    }
    pen.fill();
    const [left, right] = [scale.x(window.from), scale.x(window.to)];
    pen.globalAlpha = 0.7;
    pen.fillStyle = look.paper;
    pen.fillRect(scale.left, 0, Math.max(0, left - scale.left), height);
    pen.fillRect(right, 0, Math.max(0, scale.left + scale.width - right), height);
    pen.globalAlpha = 1;
    pen.strokeStyle = look.accent;
    pen.lineWidth = 1;
    pen.strokeRect(left + 0.5, 0.5, Math.max(2, right - left) - 1, height - 1);
    pen.fillStyle = look.accent;
    for (const x of [left, right])
        pen.fillRect(Math.min(scale.left + scale.width - 3, Math.max(scale.left, x - 1.5)), height / 2 - 7, 3, 14);
}
