// SPDX-License-Identifier: Apache-2.0
// A roofline: FLOP for each byte exchanged against FLOP for each cycle, both logarithmic, below what the machine
// allows: its peaks, and the rate at which its tiles receive bytes.
import { Peak } from "../data/summary";
import { Pen } from "./pen";

export interface Dot {
    x: number; // pixels
    y: number;
    radius: number;
    label: string; // "" when another one is in its place
    left: boolean; // where the label is
    selected: boolean;
}

export interface Roof {
    from: [number, number];
    to: [number, number];
    label: string;
}

export interface RooflinePlan {
    width: number;
    height: number;
    left: number;
    bottom: number;
    ticksX: { at: number; text: string }[];
    ticksY: { at: number; text: string }[];
    roofs: Roof[];
    dots: Dot[];
}

export interface RooflineInput {
    intensity: number; // FLOP a byte; Infinity: nothing is exchanged
    rate: number; // FLOP a cycle
    share: number; // of the cycles of all, for the size
    name: string;
    selected: boolean;
}

const MARGIN = { left: 64, right: 24, top: 20, bottom: 44 };
const MOST_LABELS = 12;
const CHARACTER = 6; // pixels

function powers(from: number, to: number): number[] {
    const list: number[] = [];
    for (let power = from; power <= to; ++power) list.push(power);
    return list;
}

function powerText(power: number): string {
    return power >= -2 && power <= 5 ? String(Number((10 ** power).toPrecision(1))) : `1e${power}`;
}

/** The whole powers of ten around values. */
function decades(values: readonly number[], least: number): [number, number] {
    const logs = values.filter((value) => value > 0 && Number.isFinite(value)).map(Math.log10);
    if (!logs.length) return [0, least];
    const from = Math.floor(Math.min(...logs));
    return [from, Math.max(from + least, Math.ceil(Math.max(...logs) + 1e-9))];
}

export function planRoofline(
    points: readonly RooflineInput[],
    peak: Peak,
    { width, height }: { width: number; height: number },
): RooflinePlan {
    const ridge = peak.exchange ? peak.half / peak.exchange : 1;
    const [x1, x2] = decades([...points.map((one) => one.intensity), ridge], 2);
    const [y1, y2] = decades([...points.map((one) => one.rate), peak.half, peak.float], 2);
    const bottom = height - MARGIN.bottom;
    const right = width - MARGIN.right;
    const x = (value: number) =>
        Math.min(right, MARGIN.left + ((Math.log10(value) - x1) / (x2 - x1)) * (right - MARGIN.left));
    const y = (value: number) => bottom - ((Math.log10(value) - y1) / (y2 - y1)) * (bottom - MARGIN.top);
    const roofs: Roof[] = [];
    const edge = 10 ** x2;
    for (const [most, what] of [
        [peak.half, "products of halves"],
        [peak.float, "products of floats"],
    ] as const)
        if (most > 0 && peak.exchange > 0)
            roofs.push({ from: [x(most / peak.exchange), y(most)], to: [x(edge), y(most)], label: what });
    if (peak.half > 0 && peak.exchange > 0) {
        const begin = Math.max(10 ** x1, 10 ** y1 / peak.exchange);
        roofs.push({ from: [x(begin), y(begin * peak.exchange)], to: [x(ridge), y(peak.half)], label: "exchange" });
    }
    return {
        width,
        height,
        left: MARGIN.left,
        bottom,
        ticksX: powers(x1, x2).map((power) => ({ at: x(10 ** power), text: powerText(power) })),
        ticksY: powers(y1, y2).map((power) => ({ at: y(10 ** power), text: powerText(power) })),
        roofs,
        dots: labelled(
            points.map((one) => ({
                x: Number.isFinite(one.intensity) ? x(one.intensity) : right,
                y: y(one.rate),
                radius: 3 + 9 * Math.sqrt(one.share),
                label: one.name,
                left: false,
                selected: one.selected,
            })),
            points,
            right,
        ),
    };
}

/** Labels of the costliest points that do not cover each other. */
function labelled(dots: Dot[], points: readonly RooflineInput[], right: number): Dot[] {
    const order = dots.map((_, i) => i).sort((a, b) => points[b].share - points[a].share);
    const taken: { from: number; to: number; y: number }[] = [];
    order.forEach((i, rank) => {
        const dot = dots[i];
        const length = dot.label.length * CHARACTER;
        const beside = dot.radius + 3;
        dot.left = dot.x + beside + length > right + MARGIN.right;
        const from = dot.left ? dot.x - beside - length : dot.x + beside;
        const free = taken.every((one) => Math.abs(one.y - dot.y) > 12 || one.to < from || one.from > from + length);
        if (rank < MOST_LABELS && free) taken.push({ from, to: from + length, y: dot.y });
        else dot.label = "";
    });
    return dots;
}

export interface RooflineLook {
    ink: string;
    soft: string;
    line: string;
    accent: string;
}

function middleOf({ from, to }: Roof): [number, number] {
    return [(from[0] + to[0]) / 2 + 8, (from[1] + to[1]) / 2 + 10];
}

const TAU = 2 * Math.PI;
const CORNERS = 24;

function circle(pen: Pen, x: number, y: number, radius: number): void {
    pen.beginPath();
    for (let i = 0; i <= CORNERS; ++i) {
        const angle = (i / CORNERS) * TAU;
        const at = [x + radius * Math.cos(angle), y + radius * Math.sin(angle)] as const;
        if (i) pen.lineTo(...at);
        else pen.moveTo(...at);
    }
}

export const AXIS_X = "FLOP for each byte exchanged";
export const AXIS_Y = "FLOP a cycle";

export function drawRoofline(pen: Pen, plan: RooflinePlan, look: RooflineLook): void {
    const right = plan.width - MARGIN.right;
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    pen.lineWidth = 1;
    for (const tick of plan.ticksX) {
        pen.strokeStyle = look.line;
        pen.beginPath();
        pen.moveTo(tick.at, MARGIN.top);
        pen.lineTo(tick.at, plan.bottom);
        pen.stroke();
        pen.fillStyle = look.soft;
        pen.textAlign = "center";
        pen.fillText(tick.text, tick.at, plan.bottom + 12);
    }
    for (const tick of plan.ticksY) {
        pen.strokeStyle = look.line;
        pen.beginPath();
        pen.moveTo(plan.left, tick.at);
        pen.lineTo(right, tick.at);
        pen.stroke();
        pen.fillStyle = look.soft;
        pen.textAlign = "right";
        pen.fillText(tick.text, plan.left - 6, tick.at);
    }
    pen.textAlign = "left";
    pen.fillText(AXIS_Y, 4, 8);
    pen.textAlign = "right";
    pen.fillText(AXIS_X, right, plan.height - 10);
    pen.textAlign = "left";
    for (const roof of plan.roofs) {
        pen.strokeStyle = look.ink;
        pen.lineWidth = 1.5;
        pen.beginPath();
        pen.moveTo(...roof.from);
        pen.lineTo(...roof.to);
        pen.stroke();
        pen.fillStyle = look.ink;
        const [x, y] = roof.label === "exchange" ? middleOf(roof) : [right - 4, roof.from[1] - 8];
        pen.textAlign = roof.label === "exchange" ? "left" : "right";
        pen.fillText(roof.label, x, y);
    }
    pen.lineWidth = 1;
    for (const dot of plan.dots) {
        circle(pen, dot.x, dot.y, dot.radius);
        pen.globalAlpha = 0.7;
        pen.fillStyle = look.accent;
        pen.fill();
        pen.globalAlpha = 1;
        if (dot.selected) {
            circle(pen, dot.x, dot.y, dot.radius + 2);
            pen.strokeStyle = look.ink;
            pen.stroke();
        }
        pen.fillStyle = look.ink;
        pen.textAlign = dot.left ? "right" : "left";
        if (dot.label) pen.fillText(dot.label, dot.x + (dot.left ? -1 : 1) * (dot.radius + 3), dot.y);
    }
}

/** The dot at a position, the smallest one when several are; -1: none. */
export function dotAt(plan: RooflinePlan, x: number, y: number): number {
    let best = -1;
    plan.dots.forEach((dot, i) => {
        const near = Math.hypot(dot.x - x, dot.y - y) <= dot.radius + 2;
        if (near && (best < 0 || dot.radius < plan.dots[best].radius)) best = i;
    });
    return best;
}
