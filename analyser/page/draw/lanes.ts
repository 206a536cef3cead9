// SPDX-License-Identifier: Apache-2.0
// A lane's rectangles: steps in a row, or the layers of a flame graph.  No data is fetched here.
import { middle } from "../ui/format";
import { Filler } from "./fill";
import { Pen, textWidth } from "./pen";
import { Scale } from "./scale";
import { TypeLook } from "./types";

/** Columns of equal length, in order of row and time. */
export interface RectangleColumns {
    from: Float64Array;
    to: Float64Array;
    row: Uint8Array;
    kind: Uint8Array; // LAYER: a part of debug paths above steps
    step: Uint32Array;
    count: Uint32Array; // steps in it
    balance: Float32Array;
    label: Uint32Array; // of labels; NONE: several steps that are too small
    matches: Uint32Array | null; // steps in it that the search finds; null: no search
    labels: readonly string[];
}
export const NONE = 0xffffffff;
export const LAYER = 255;

export interface LaneLook {
    types: readonly TypeLook[];
    paper: string;
    ink: string;
    line: string;
    accent: string;
    grey: string; // what the search does not match
    font: string;
    rowHeight: number;
    text: boolean;
    balance: boolean;
    terminals: boolean;
    layer: { plain: string; ink: string };
}

const NARROW = 1; // pixels between rectangles that are seen as two
const HATCHED = 6; // pixels from which on hatching is seen; it costs many times a plain colour

/** Fills the rectangles of a lane whose first row is at y. */
export function fillLane(
    filler: Filler,
    r: RectangleColumns,
    scale: Scale,
    y: number,
    rows: number,
    look: LaneLook,
): void {
    const left = scale.left;
    const right = scale.left + scale.width;
    const height = look.rowHeight - (look.rowHeight > 4 ? 1 : 0);
    const { perPixel } = scale;
    const from = scale.span.from;
    const ends: number[] = [];
    let covered = -1; // up to where the pixel of a narrow rectangle reaches, and its row
    let coveredRow = -1;
    for (let i = 0; i < r.from.length; ++i) {
        if (r.row[i] >= rows) continue;
        let x0 = left + (r.from[i] - from) / perPixel;
        let x1 = left + (r.to[i] - from) / perPixel;
        if (x1 < left || x0 > right) continue;
        const end = x1;
        if (x0 < left) x0 = left;
        if (x1 > right) x1 = right;
        let width = x1 - x0 > 3 ? x1 - x0 - NARROW : x1 - x0;
        if (width < 1) {
            // What would only paint over a pixel that has a step of the same row is left out unless searched for.
            if (x1 <= covered && coveredRow === r.row[i] && !r.matches?.[i]) continue;
            width = 1;
            covered = x0 + 1;
            coveredRow = r.row[i];
        }
        const type = look.types[r.kind[i]];
        const grey = r.matches !== null && r.matches[i] === 0;
        const fill = grey ? look.grey : !type ? look.layer.plain : width < HATCHED ? type.plain : type.fill;
        const top = y + r.row[i] * look.rowHeight;
        if (look.balance && type && !grey) {
            const share = Math.min(1, Math.max(0, r.balance[i]));
            filler.fill(type.soft, x0, top, width, height);
            if (share > 0) filler.fill(fill, x0, top + height * (1 - share), width, height * share);
        } else filler.fill(fill, x0, top, width, height);
        if (look.terminals && end <= right && end >= left) ends.push(end, top);
    }
    for (let i = 0; i < ends.length; i += 2) filler.fill(look.ink, Math.round(ends[i]) - 1, ends[i + 1], 1, height);
}

const PADDING = 3;

/** Writes on the rectangles of a lane. */
export function labelLane(pen: Pen, r: RectangleColumns, scale: Scale, y: number, rows: number, look: LaneLook): void {
    const least = 20 * scale.perPixel;
    const { from, to } = scale.span;
    pen.font = look.font;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    for (let i = 0; i < r.from.length; ++i) {
        if (r.to[i] - r.from[i] < least || r.row[i] >= rows || r.to[i] < from || r.from[i] > to) continue;
        // What overlaps is drawn above it: the text ends where the next one begins.
        const next = i + 1 < r.from.length && r.row[i + 1] === r.row[i] ? r.from[i + 1] : Infinity;
        const x = scale.x(Math.max(r.from[i], from));
        const width = scale.x(Math.min(r.to[i], to, next)) - x - 2 * PADDING;
        if (width < 14) continue;
        const text = middle(labelOf(r, i, look.types), (part) => textWidth(part, look.font) <= width);
        if (!text) continue;
        const type = look.types[r.kind[i]];
        const grey = r.matches !== null && r.matches[i] === 0;
        const at = y + (r.row[i] + 0.5) * look.rowHeight;
        if (type && typeof type.fill !== "string" && !grey) {
            pen.fillStyle = type.soft;
            pen.fillRect(x + PADDING - 1, at - 6, textWidth(text, look.font) + 2, 12);
        }
        pen.fillStyle = grey
            ? look.ink
            : !type
              ? look.layer.ink
              : look.balance || typeof type.fill !== "string"
                ? type.inkSoft
                : type.ink;
        pen.fillText(text, x + PADDING, at);
    }
}

/** The last part of a debug path. */
export function lastPart(name: string): string {
    return name.slice(name.lastIndexOf("/") + 1);
}

/** The text on a rectangle: of a step or layer its name's last part, of several the kind and how many. */
export function labelOf(r: RectangleColumns, i: number, types: readonly TypeLook[]): string {
    const kind = types[r.kind[i]]?.name ?? "";
    const name = lastPart(r.labels[r.label[i]] ?? "");
    if (r.kind[i] === LAYER) return name;
    if (r.step[i] === NONE) return `${r.count[i]} × ${name || kind}`;
    return name === "" || kind.startsWith("Sync") || kind === "Sans" ? kind : name;
}

/** The rectangle at a cycle of a row; -1: none.  `slack` cycles beside a narrow one count, too. */
export function rectangleAt(r: RectangleColumns, row: number, cycle: number, slack: number): number {
    let best = -1;
    let distance = slack;
    for (let i = 0; i < r.from.length; ++i) {
        if (r.row[i] !== row) continue;
        if (cycle >= r.from[i] && cycle < r.to[i]) return i;
        const off = Math.min(Math.abs(cycle - r.from[i]), Math.abs(cycle - r.to[i]));
        if (off < distance) {
            distance = off;
            best = i;
        }
    }
    return best;
}
