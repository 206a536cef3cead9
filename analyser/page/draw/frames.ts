// SPDX-License-Identifier: Apache-2.0
// An aggregated flame graph: the layout of a tree of frames as boxes, drawn on a canvas. The root is at the top; "up"
// reverses it, for callers.
import { Frames } from "../data/flame";
import { fitName } from "../text/names";
import { themeColour } from "./theme";
import { mix } from "./colour";
import { typeColour } from "./types";

export const ROW = 18;
const NARROWEST = 0.4; // pixels; narrower boxes are omitted

export interface Box {
    node: number;
    x: number;
    width: number;
    row: number;
}

/** The width of a node; in a difference the sum of both reports, so that removed frames are visible too. */
export function weight(frames: Frames, node: number): number {
    return frames.total[node] + (frames.totalB?.[node] ?? 0);
}

export function deepest(frames: Frames): number {
    return frames.depth.reduce((most, depth) => Math.max(most, depth), 0);
}

/** Lays out `root` and its descendants over the width; ancestors have the whole width. Heavier siblings come first. */
export function layout(frames: Frames, root: number, width: number): Box[] {
    const boxes: Box[] = [];
    for (let at = root; at > 0; at = frames.parent[at])
        boxes.unshift({ node: frames.parent[at], x: 0, width, row: frames.depth[frames.parent[at]] });
    const whole = weight(frames, root);
    if (whole <= 0) return boxes;
    const children: number[][] = frames.name.map(() => []);
    for (let node = 1; node < frames.name.length; ++node) children[frames.parent[node]].push(node);
    const place = (node: number, x: number) => {
        const wide = (weight(frames, node) / whole) * width;
        if (wide < NARROWEST) return;
        boxes.push({ node, x, width: wide, row: frames.depth[node] });
        let at = x;
        for (const child of children[node].sort((a, b) => weight(frames, b) - weight(frames, a))) {
            place(child, at);
            at += (weight(frames, child) / whole) * width;
        }
    };
    place(root, 0);
    return boxes;
}

/** Matches the last component of a path for steps, such as "StreamCopyMid (Host)". */
const STEP = /^(OnTileExecute|DoExchange|GlobalExchange|StreamCopy(?:Begin|Mid|End)|Sync|Sans|SyncAns)(?: \((\w+)\))?$/;
const WARM = ["#f3d2b3", "#f0c8a0", "#f6dcc2", "#ecc3a4", "#f5d6a8", "#efd0bd"];

function hash(text: string): number {
    let value = 7;
    for (let i = 0; i < text.length; ++i) value = (value * 31 + text.charCodeAt(i)) >>> 0;
    return value;
}

/** Blue, grey or red for less, equal or more, which are distinguishable with colour blindness. */
export function changeColour(a: number, b: number): string {
    const most = Math.max(a, b);
    const change = most > 0 ? (b - a) / most : 0;
    const strength = Math.min(1, Math.sqrt(Math.abs(change)));
    return mix("#e4e4e4", change > 0 ? "#e4573d" : "#4a90d9", strength);
}

export function colourOf(frames: Frames, node: number): string {
    if (frames.totalB && frames.totalB.some((value) => value > 0))
        return changeColour(frames.total[node], frames.totalB[node]);
    const name = frames.name[node];
    const step = STEP.exec(name);
    if (step) return mix("#ffffff", typeColour(step[1], step[2]), 0.75);
    return node === 0 ? "#dfe5ec" : WARM[hash(name) % WARM.length];
}

/** What the colours mean: kinds of steps that the tree has, and names; in a difference less and more. */
export function legendOf(frames: Frames, compared?: readonly [source: string, target: string]): LegendEntry[] {
    if (frames.totalB?.some((value) => value > 0)) {
        const [source, target] = compared ?? ["the source", "the target"];
        return [
            { title: `less in ${target}`, colour: changeColour(4, 1) },
            { title: "equal", colour: changeColour(1, 1) },
            { title: `more in ${target} than in ${source}`, colour: changeColour(1, 4) },
        ];
    }
    const kinds = new Map<string, string>();
    frames.name.forEach((name, node) => {
        if (STEP.test(name)) kinds.set(name, colourOf(frames, node));
    });
    const steps = [...kinds].map(([title, colour]) => ({ title, colour }));
    return [{ title: "names of the debug path", colour: WARM[0] }, ...steps];
}

export interface LegendEntry {
    title: string;
    colour: string;
}

export interface Picture {
    width: number;
    height: number;
    top: number; // scroll position in pixels
    up: boolean;
    rows: number; // of the whole graph
    hovered: number; // node; -1: none
    selected: number;
    matches: (node: number) => boolean; // nodes that do not match are grey
}

export function rowTop(picture: Picture, row: number): number {
    return (picture.up ? picture.rows - 1 - row : row) * ROW - picture.top;
}

export function paint(
    context: CanvasRenderingContext2D,
    frames: Frames,
    boxes: readonly Box[],
    picture: Picture,
): void {
    context.clearRect(0, 0, picture.width, picture.height);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    const grey = themeColour("grey");
    for (const box of boxes) {
        const y = rowTop(picture, box.row);
        if (y + ROW < 0 || y > picture.height) continue;
        const shown = picture.matches(box.node);
        context.fillStyle = shown ? colourOf(frames, box.node) : grey;
        const wide = Math.max(0.5, box.width - (box.width > 3 ? 1 : 0));
        context.fillRect(box.x, y, wide, ROW - 1);
        if (box.node === picture.hovered || box.node === picture.selected) {
            context.strokeStyle = themeColour("ink");
            context.lineWidth = box.node === picture.selected ? 2 : 1;
            context.strokeRect(box.x + 0.5, y + 0.5, wide - 1, ROW - 2);
        }
        if (box.width < 24) continue;
        const space = box.width - 8;
        const text = fitName(frames.name[box.node] || "all", (part) => context.measureText(part).width <= space);
        context.fillStyle = "#1b2430"; // boxes are light in both themes, so text is dark
        if (text) context.fillText(text, box.x + 4, y + ROW / 2);
    }
}

/** The picture as SVG, for files. */
export function svgOf(frames: Frames, boxes: readonly Box[], width: number, rows: number, up: boolean): string {
    const escape = (text: string) =>
        text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
    const parts = boxes.map((box) => {
        const y = (up ? rows - 1 - box.row : box.row) * ROW;
        const space = Math.floor((box.width - 8) / 6.6);
        const text = fitName(frames.name[box.node] || "all", (part) => part.length <= space);
        const title = `<title>${escape(frames.name[box.node] || "all")}</title>`;
        const rect =
            `<rect x="${box.x.toFixed(2)}" y="${y}" width="${Math.max(0.5, box.width - 1).toFixed(2)}` +
            `" height="${ROW - 1}" fill="${colourOf(frames, box.node)}"/>`;
        return (
            `<g>${title}${rect}` +
            `${text ? `<text x="${(box.x + 4).toFixed(2)}" y="${y + 13}">${escape(text)}</text>` : ""}` +
            `</g>`
        );
    });
    return (
        `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${rows * ROW}` +
        `" font-family="sans-serif" font-size="12">${parts.join("\n")}</svg>\n`
    );
}
