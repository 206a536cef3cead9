// SPDX-License-Identifier: Apache-2.0
// A lane's rectangles: steps in a row, or the layers of a flame graph.  No data is fetched here.
import { middle } from "../ui/format";
import { Pen, textWidth } from "./pen";
import { Scale, Span } from "./scale";
import { TypeLook } from "./types";

/** Columns of equal length, in order of row and time (data/trace.ts has the same shape from the server). */
export interface RectangleColumns {
    from: Float64Array;
    to: Float64Array;
    row: Uint8Array;
    type: Uint8Array;
    step: Uint32Array;
    count: Uint32Array;
    balance: Float32Array;
    name: Uint32Array;
    layer: Uint8Array; // 1: a layer above steps
    names: readonly string[];
}

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
    matches: ((name: string) => boolean) | null; // null: no search
    hidden: readonly boolean[]; // by type
}

/** Part of a lane's rectangles: those whose picture is inside `clip`. */
export interface LanePart {
    rectangles: RectangleColumns;
    clip: Span;
}

const NARROW = 0.75; // pixels between rectangles that are seen as two

function fills(pen: Pen, part: LanePart, scale: Scale, y: number, rows: number, look: LaneLook): void {
    const { rectangles: r, clip } = part;
    const left = Math.max(scale.left, scale.x(clip.from));
    const right = Math.min(scale.left + scale.width, scale.x(clip.to));
    const height = look.rowHeight - 1;
    const { from, perPixel } = { from: scale.span.from, perPixel: scale.perPixel };
    const matching = look.matches ? matchesOf(r, look.matches) : null;
    const ends: number[] = [];
    let paint: unknown = null;
    for (let i = 0; i < r.from.length; ++i) {
        const row = r.row[i];
        if (row >= rows || look.hidden[r.type[i]]) continue;
        let x0 = scale.left + (r.from[i] - from) / perPixel;
        let x1 = scale.left + (r.to[i] - from) / perPixel;
        if (x1 < left || x0 > right) continue;
        const end = x1;
        if (x0 < left) x0 = left;
        if (x1 > right) x1 = right;
        const wide = x1 - x0 > 3;
        let width = wide ? x1 - x0 - NARROW : x1 - x0;
        if (width < 1) width = 1;
        const type = look.types[r.type[i]] ?? look.types[0];
        const grey = matching !== null && !matching[r.name[i]];
        const fill = grey ? look.grey : r.layer[i] ? type.soft : type.fill;
        const top = y + row * look.rowHeight;
        if (look.balance && !grey && !r.layer[i]) {
            const share = Math.min(1, Math.max(0, r.balance[i]));
            pen.fillStyle = paint = type.soft;
            pen.fillRect(x0, top, width, height);
            pen.fillStyle = paint = fill;
            pen.fillRect(x0, top + height * (1 - share), width, height * share);
        } else {
            if (paint !== fill) pen.fillStyle = paint = fill;
            pen.fillRect(x0, top, width, height);
        }
        if (look.terminals && end <= right && end >= left) ends.push(end, top);
    }
    if (!ends.length) return;
    pen.fillStyle = look.ink;
    for (let i = 0; i < ends.length; i += 2) pen.fillRect(Math.round(ends[i]) - 1, ends[i + 1], 1, height);
}

const known = new WeakMap<readonly string[], { matches: (name: string) => boolean; found: boolean[] }>();

function matchesOf(r: RectangleColumns, matches: (name: string) => boolean): boolean[] {
    let result = known.get(r.names);
    if (!result || result.matches !== matches) known.set(r.names, (result = { matches, found: r.names.map(matches) }));
    return result.found;
}

const PADDING = 3;

function labels(pen: Pen, part: LanePart, scale: Scale, y: number, rows: number, look: LaneLook): void {
    const { rectangles: r, clip } = part;
    const least = 24 * scale.perPixel;
    pen.font = look.font;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    const matching = look.matches ? matchesOf(r, look.matches) : null;
    for (let i = 0; i < r.from.length; ++i) {
        if (r.to[i] - r.from[i] < least || r.row[i] >= rows || look.hidden[r.type[i]]) continue;
        // A rectangle in several parts has its text where its visible begin is.
        const from = Math.max(r.from[i], scale.span.from);
        if (from < clip.from || from >= clip.to) continue;
        const x = scale.x(from);
        const width = scale.x(Math.min(r.to[i], scale.span.to)) - x - 2 * PADDING;
        if (width < 14) continue;
        const name = labelOf(r, i, look);
        const text = middle(name, (part) => textWidth(part, look.font) <= width);
        if (!text) continue;
        const type = look.types[r.type[i]] ?? look.types[0];
        const grey = matching !== null && !matching[r.name[i]];
        const ink = grey ? look.ink : r.layer[i] || look.balance ? type.inkSoft : type.ink;
        const at = y + (r.row[i] + 0.5) * look.rowHeight;
        if (typeof type.fill !== "string" && !r.layer[i]) {
            pen.fillStyle = type.soft;
            pen.fillRect(x + PADDING - 1, at - 6, textWidth(text, look.font) + 2, 11);
        }
        pen.fillStyle = ink;
        pen.fillText(text, x + PADDING, at);
    }
}

/** The text on a rectangle: of a step its name's last part, of several the type and how many. */
export function labelOf(r: RectangleColumns, i: number, look: { types: readonly TypeLook[] }): string {
    const type = look.types[r.type[i]]?.name ?? "";
    const name = r.names[r.name[i]] ?? "";
    if (r.layer[i]) return name.slice(name.lastIndexOf("/") + 1);
    if (r.count[i] > 1) return `${r.count[i]} × ${type}`;
    return name === "" || type.endsWith("Sync") ? type : name.slice(name.lastIndexOf("/") + 1);
}

export function drawLane(pen: Pen, parts: readonly LanePart[], scale: Scale, y: number, rows: number, look: LaneLook): void {
    for (const part of parts) fills(pen, part, scale, y, rows, look);
    if (look.text) for (const part of parts) labels(pen, part, scale, y, rows, look);
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
