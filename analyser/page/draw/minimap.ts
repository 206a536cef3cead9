// SPDX-License-Identifier: Apache-2.0
// The mini-map: the whole extent with the visible window, its two handles, and marks where runs begin and end.
import { PenFiller } from "./fill";
import { RectangleColumns, Span } from "../data/rectangles";
import { LaneLook, fillLane } from "./lanes";
import { Pen } from "./pen";
import { Scale } from "./scale";

export const MINIMAP_HEIGHT = 36;
export const HANDLE = 5; // pixels at each side of a handle that grab it

export interface MinimapPicture {
    lanes: readonly (RectangleColumns | null)[];
    runs: readonly Span[];
}

function lanesHeight(runs: readonly Span[]): number {
    return MINIMAP_HEIGHT - (runs.length ? 6 : 0);
}

/** Draws the whole extent, which does not change when the window moves. */
export function drawMinimap(pen: Pen, scale: Scale, picture: MinimapPicture, look: LaneLook): void {
    const height = lanesHeight(picture.runs);
    pen.fillStyle = look.paper;
    pen.fillRect(scale.left, 0, scale.width, MINIMAP_HEIGHT);
    const each = height / Math.max(1, picture.lanes.length);
    const small = { ...look, rowHeight: each, text: false, terminals: false, balance: false };
    const filler = new PenFiller(pen);
    picture.lanes.forEach((rectangles, i) => rectangles && fillLane(filler, rectangles, scale, i * each, 1, small));
    pen.fillStyle = look.ink;
    for (const run of picture.runs) {
        const [from, to] = [scale.x(run.from), scale.x(run.to)];
        pen.fillRect(from, height + 1, Math.max(1, to - from), 2);
        pen.fillRect(from, height + 1, 1.5, 5);
        pen.fillRect(to - 1.5, height + 1, 1.5, 5);
    }
}

/** Draws the window: a border, two handles, and a pale area outside. */
export function drawMinimapWindow(pen: Pen, scale: Scale, runs: readonly Span[], window: Span, look: LaneLook): void {
    const height = lanesHeight(runs);
    const [left, right] = [scale.x(window.from), scale.x(window.to)];
    pen.globalAlpha = 0.62;
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

/** The part of the mini-map at x. */
export function minimapPart(scale: Scale, window: Span, x: number): "from" | "to" | "window" | "outside" {
    const [left, right] = [scale.x(window.from), scale.x(window.to)];
    if (Math.abs(x - left) <= HANDLE && (x <= left + 1 || right - left > 3 * HANDLE)) return "from";
    if (Math.abs(x - right) <= HANDLE) return "to";
    return x > left && x < right ? "window" : "outside";
}
