// SPDX-License-Identifier: Apache-2.0
// Draws a lane's rectangles: steps in a row, or the layers of a flame graph. It fetches no data.
import { LAYER, NONE, RectangleColumns } from "../data/rectangles";
import { fitName } from "../text/names";
import { Filler } from "./fill";
import { Pen, textWidth } from "./pen";
import { Scale } from "./scale";
import { TypeLook } from "./types";

export interface LaneLook {
    types: readonly TypeLook[];
    paper: string;
    ink: string;
    line: string;
    accent: string;
    grey: string; // of steps that do not match the search
    font: string;
    rowHeight: number;
    text: boolean;
    balance: boolean;
    terminals: boolean;
    layer: { plain: string; ink: string };
}

const NARROW = 1; // gap in pixels below which neighbours are drawn as one
const HATCHED = 6; // pixels from which hatching is visible; it is far slower than a plain colour

/** Calls `visit` for each rectangle that is painted, in the order of painting, with its pixels: the same for the
 * picture and for what the pointer is at.  Steps that wait come first, so that those that work are not covered. */
function eachPainted(
    r: RectangleColumns,
    scale: Scale,
    rows: number,
    types: readonly TypeLook[],
    visit: (i: number, x: number, width: number, end: number) => void,
): void {
    const left = scale.left;
    const right = scale.left + scale.width;
    const { perPixel } = scale;
    const from = scale.span.from;
    const waits = types.map((type) => typeof type.fill !== "string");
    const some = waits.some((wait) => wait);
    for (let pass = some ? 0 : 1; pass < 2; ++pass) {
        let covered = -1; // end of the pixel of the last narrow rectangle, and its row
        let coveredRow = -1;
        for (let i = 0; i < r.from.length; ++i) {
            if (r.row[i] >= rows || (waits[r.kind[i]] === true) !== (pass === 0)) continue;
            let x0 = left + (r.from[i] - from) / perPixel;
            let x1 = left + (r.to[i] - from) / perPixel;
            if (x1 < left || x0 > right) continue;
            const end = x1;
            if (x0 < left) x0 = left;
            if (x1 > right) x1 = right;
            let width = x1 - x0 > 3 ? x1 - x0 - NARROW : x1 - x0;
            if (width < 1) {
                // Skips a rectangle on an already painted pixel of its row, unless it matches the search.
                if (x1 <= covered && coveredRow === r.row[i] && !r.matches?.[i]) continue;
                width = 1;
                covered = x0 + 1;
                coveredRow = r.row[i];
            }
            visit(i, x0, width, end);
        }
    }
}

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
    const ends: number[] = [];
    eachPainted(r, scale, rows, look.types, (i, x0, width, end) => {
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
    });
    for (let i = 0; i < ends.length; i += 2) filler.fill(look.ink, Math.round(ends[i]) - 1, ends[i + 1], 1, height);
}

const PADDING = 3;

/** Draws the labels of a lane's rectangles. */
export function labelLane(pen: Pen, r: RectangleColumns, scale: Scale, y: number, rows: number, look: LaneLook): void {
    const least = 20 * scale.perPixel;
    const { from, to } = scale.span;
    pen.font = look.font;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    for (let i = 0; i < r.from.length; ++i) {
        if (r.to[i] - r.from[i] < least || r.row[i] >= rows || r.to[i] < from || r.from[i] > to) continue;
        // An overlapping rectangle is drawn on top: the text ends where it begins.
        const next = i + 1 < r.from.length && r.row[i + 1] === r.row[i] ? r.from[i + 1] : Infinity;
        const x = scale.x(Math.max(r.from[i], from));
        const width = scale.x(Math.min(r.to[i], to, next)) - x - 2 * PADDING;
        if (width < 14) continue;
        const text = fitName(labelOf(r, i, look.types), (part) => textWidth(part, look.font) <= width);
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

/** The last component of a debug path. */
export function lastPart(name: string): string {
    return name.slice(name.lastIndexOf("/") + 1);
}

/** The label of a rectangle: of a step or layer the last component of its name, of several steps their kind and
 * number. */
export function labelOf(r: RectangleColumns, i: number, types: readonly TypeLook[]): string {
    const kind = types[r.kind[i]]?.name ?? "";
    const name = r.nanoseconds ? (r.labels[r.label[i]] ?? "") : lastPart(r.labels[r.label[i]] ?? "");
    if (r.kind[i] === LAYER) return name;
    if (r.step[i] === NONE && r.count[i] !== 1) return `${r.count[i]} × ${name || kind}`;
    return name === "" || kind.startsWith("Sync") || kind === "Sans" ? kind : name;
}

const NEAR = 2; // pixels beside a narrow rectangle that count as its own, where nothing else is painted

/** The rectangle whose paint is at a pixel of a row, or a narrow one beside it; -1: none. */
export function rectangleAt(
    r: RectangleColumns,
    scale: Scale,
    at: { row: number; rows: number; x: number },
    types: readonly TypeLook[],
): number {
    const ratio = (typeof window !== "undefined" && window.devicePixelRatio) || 1;
    const pixel = Math.floor(at.x * ratio); // as Pixels rounds
    const reach = Math.round(NEAR * ratio);
    const owner = new Int32Array(2 * reach + 1).fill(-1); // of the pixels around it: what is painted last
    const narrow = new Uint8Array(2 * reach + 1);
    let line = -1; // the rectangle whose dividing line is at the pixel
    eachPainted(r, scale, at.rows, types, (i, x, width) => {
        if (r.row[i] !== at.row) return;
        const from = Math.round(x * ratio);
        const to = Math.max(from + 1, Math.round((x + width) * ratio));
        if (from > pixel + reach || to + reach < pixel) return;
        for (let k = Math.max(from, pixel - reach); k < Math.min(to, pixel + reach + 1); ++k) {
            owner[k - pixel + reach] = i;
            narrow[k - pixel + reach] = width <= NEAR ? 1 : 0;
        }
        if (width > NEAR && pixel >= to && pixel < to + NARROW * ratio) line = i;
    });
    if (owner[reach] >= 0) return owner[reach];
    if (line >= 0 && owner[reach - 1] === line) return line; // it belongs to the rectangle at its left
    for (let off = 1; off <= reach; ++off)
        for (const k of [reach - off, reach + off]) if (owner[k] >= 0 && narrow[k]) return owner[k];
    return -1;
}
