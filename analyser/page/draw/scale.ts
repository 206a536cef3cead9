// SPDX-License-Identifier: Apache-2.0
// Converts between cycles and pixels, and computes windows of cycles for zooming and panning.
import { Span } from "../data/rectangles";

/** Maps a window to `width` pixels from `left`. */
export class Scale {
    readonly perPixel: number; // cycles

    constructor(
        readonly span: Span,
        readonly width: number,
        readonly left = 0,
    ) {
        this.perPixel = (span.to - span.from) / Math.max(1, width);
    }

    x(cycle: number): number {
        return this.left + (cycle - this.span.from) / this.perPixel;
    }

    cycle(x: number): number {
        return this.span.from + (x - this.left) * this.perPixel;
    }
}

/** The smallest window, in cycles. */
export const LEAST = 8;

/** A window inside the extent, of the requested length if possible. */
export function fitSpan(wished: Span, extent: Span): Span {
    const whole = Math.max(LEAST, extent.to - extent.from);
    const length = Math.min(whole, Math.max(LEAST, wished.to - wished.from));
    const centre = (wished.from + wished.to) / 2;
    const from = Math.min(extent.from + whole - length, Math.max(extent.from, centre - length / 2));
    return { from, to: from + length };
}

/** Zooms by a factor (below 1: closer) around a cycle, which keeps its position. */
export function zoomSpan(span: Span, factor: number, about: number, extent: Span): Span {
    const length = (span.to - span.from) * factor;
    const whole = Math.max(LEAST, extent.to - extent.from);
    const allowed = Math.min(whole, Math.max(LEAST, length));
    const share = (about - span.from) / (span.to - span.from);
    const from = about - share * allowed;
    return fitSpan({ from, to: from + allowed }, extent);
}

export function panSpan(span: Span, cycles: number, extent: Span): Span {
    return fitSpan({ from: span.from + cycles, to: span.to + cycles }, extent);
}

/** A window that contains a selection with a margin at both sides. */
export function aroundSpan(span: Span, extent: Span): Span {
    const margin = Math.max(1, (span.to - span.from) * 0.05);
    return fitSpan({ from: span.from - margin, to: span.to + margin }, extent);
}

/** Round numbers in a window, at least `apart` pixels from each other: 1, 2 or 5 times a power of ten. */
export function ticks(scale: Scale, apart: number, step1 = 1): { step: number; values: number[] } {
    const wished = Math.max(scale.perPixel * apart, step1);
    const power = 10 ** Math.floor(Math.log10(wished));
    const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= wished * 0.999999) ?? 10 * power;
    const values: number[] = [];
    for (let i = Math.ceil(scale.span.from / step - 1e-9); i * step <= scale.span.to; ++i) values.push(i * step);
    return { step, values };
}

const WORTH_CUTTING = 0.75; // a larger part of the tiles is shown whole

/** The part of a list by tile that is in use, with a margin: all of it when most is. */
export function usedRange(values: readonly number[]): { from: number; to: number } {
    const first = values.findIndex((value) => value > 0);
    if (first < 0) return { from: 0, to: values.length };
    let end = values.length;
    while (values[end - 1] <= 0) --end;
    const margin = Math.max(1, Math.round((end - first) * 0.05));
    const [from, to] = [Math.max(0, first - margin), Math.min(values.length, end + margin)];
    return to - from <= values.length * WORTH_CUTTING ? { from, to } : { from: 0, to: values.length };
}
