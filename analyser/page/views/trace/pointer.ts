// SPDX-License-Identifier: Apache-2.0
// Mouse handling on the graph and on the mini-map.
import { AXIS_HEIGHT } from "../../draw/axis";
import { minimapPart } from "../../draw/minimap";
import { Span } from "../../data/rectangles";
import { Scale, panSpan, zoomSpan } from "../../draw/scale";
import { bandAt } from "./geometry";
import { GUTTER, Hit, TraceModel } from "./model";

export interface PointerEvents {
    hover: (hit: Hit | null, event: PointerEvent) => void;
    click: (hit: Hit | null, event: MouseEvent) => void;
    open: (hit: Hit) => void; // double click
    window: (span: Span, gesture: string) => void;
    area: (from: Place, to: Place) => void; // during a drag with Shift
    tiles: (tiles: Map<number, readonly [number, number]>) => void; // of BSP pictures
    scroll: (pixels: number) => void;
}

/** A corner of an area: a cycle, and the tiles at that position. */
export interface Place {
    cycle: number;
    first: number;
    last: number;
}

const CLICK = 4; // pixels that the pointer may move during a click
const WHEEL = 0.0016; // zoom for each unit of the wheel

function placeOf(model: TraceModel, x: number, y: number): Place {
    const scale = model.scale();
    const cycle = scale.cycle(Math.max(GUTTER, Math.min(GUTTER + model.width, x)));
    const inside = Math.max(0, y - AXIS_HEIGHT + model.scroll);
    const bands = model.bands.bands.filter((band) => band.kind === "lane" || band.kind === "bsp");
    const band = bandAt(bands, inside) ?? [...bands].reverse().find((one) => one.y <= inside) ?? bands[0];
    if (!band) return { cycle, first: 0, last: 0 };
    if (band.kind === "bsp") {
        const [first, last] = model.tilesOf(band.lane);
        const tile = Math.min(
            last,
            Math.max(first, first + Math.floor(((inside - band.y) / band.height) * (last - first + 1))),
        );
        return { cycle, first: tile, last: tile };
    }
    const { tilesPerIpu } = model.lanes;
    return { cycle, first: band.lane * tilesPerIpu, last: (band.lane + 1) * tilesPerIpu - 1 };
}

/** The BSP picture where a drag began, when it shows only a part of the tiles: the drag moves that part. */
interface HeldTiles {
    ipu: number;
    first: number;
    count: number;
    pixels: number; // height of a tile
}

function tilesAt(model: TraceModel, y: number): HeldTiles | null {
    const band = bandAt(model.bands.bands, y - AXIS_HEIGHT + model.scroll);
    if (band?.kind !== "bsp") return null;
    const [first, last] = model.tilesOf(band.lane);
    const count = last - first + 1;
    return count < model.lanes.tilesPerIpu ? { ipu: band.lane, first, count, pixels: band.height / count } : null;
}

type Drag =
    | { kind: "pan"; span: Span; x: number; y: number; moved: boolean; tiles: HeldTiles | null }
    | { kind: "axis"; cycle: number; moved: boolean; x: number }
    | { kind: "area"; from: Place; moved: boolean; x: number; y: number };

/** Listens on the graph's element; returns a function that stops listening. */
export function graphPointer(element: HTMLElement, model: TraceModel, events: PointerEvents): () => void {
    let drag: Drag | null = null;
    const at = (event: MouseEvent) => {
        const box = element.getBoundingClientRect();
        return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    const down = (event: PointerEvent) => {
        if (event.button !== 0 || (event.target as HTMLElement).closest("button")) return;
        const { x, y } = at(event);
        if (x < GUTTER) return;
        element.setPointerCapture(event.pointerId);
        if (y < AXIS_HEIGHT) drag = { kind: "axis", cycle: model.scale().cycle(x), moved: false, x };
        else if (event.shiftKey) drag = { kind: "area", from: placeOf(model, x, y), moved: false, x, y };
        else drag = { kind: "pan", span: model.span, x, y, moved: false, tiles: tilesAt(model, y) };
    };
    const move = (event: PointerEvent) => {
        const { x, y } = at(event);
        model.pointer = { x, y };
        if (drag) {
            if (!drag.moved && Math.hypot(x - drag.x, drag.kind === "axis" ? 0 : y - drag.y) < CLICK) return;
            drag.moved = true;
            events.hover(null, event);
            if (drag.kind === "pan") {
                const cycles = (drag.x - x) * model.scale().perPixel;
                events.window(panSpan(drag.span, cycles, model.extent), "pan");
                const { tiles } = drag;
                if (tiles)
                    events.tiles(
                        model.movedTiles(tiles.ipu, tiles.first + Math.round((drag.y - y) / tiles.pixels), tiles.count),
                    );
                else if (event.movementY) events.scroll(-event.movementY);
            } else if (drag.kind === "axis") {
                const cycle = model.scale().cycle(x);
                model.marked = { from: Math.min(drag.cycle, cycle), to: Math.max(drag.cycle, cycle) };
            } else events.area(drag.from, placeOf(model, x, y));
        } else {
            model.hover = y >= AXIS_HEIGHT ? model.hit(x, y) : null;
            events.hover(model.hover, event);
        }
        model.invalidate();
    };
    const up = (event: PointerEvent) => {
        const ended = drag;
        drag = null;
        if (!ended) return;
        if (ended.kind === "axis" && model.marked) {
            const marked = model.marked;
            model.marked = null;
            events.window(marked, `axis ${event.timeStamp}`);
        } else if (!ended.moved) {
            const { x, y } = at(event);
            events.click(model.hit(x, y), event);
        }
        model.invalidate();
    };
    const leave = (event: PointerEvent) => {
        model.pointer = model.hover = null;
        events.hover(null, event);
        model.invalidate();
    };
    const wheel = (event: WheelEvent) => {
        event.preventDefault();
        const { x } = at(event);
        const scale = model.scale();
        const unit = event.deltaMode === 1 ? 30 : 1;
        if (event.altKey) events.scroll(event.deltaY * unit);
        else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
            events.window(
                panSpan(model.span, (event.deltaX || event.deltaY) * unit * scale.perPixel, model.extent),
                "wheel",
            );
        else {
            const factor = Math.exp(Math.max(-400, Math.min(400, event.deltaY * unit)) * WHEEL);
            events.window(zoomSpan(model.span, factor, scale.cycle(Math.max(GUTTER, x)), model.extent), "wheel");
        }
    };
    const double = (event: MouseEvent) => {
        const { x, y } = at(event);
        const hit = y >= AXIS_HEIGHT ? model.hit(x, y) : null;
        if (hit && hit.what !== "none") events.open(hit);
        else if (y < AXIS_HEIGHT) events.window(model.extent, `all ${event.timeStamp}`);
    };
    const list: [string, EventListener][] = [
        ["pointerdown", down as EventListener],
        ["pointermove", move as EventListener],
        ["pointerup", up as EventListener],
        ["pointercancel", up as EventListener],
        ["pointerleave", leave as EventListener],
        ["dblclick", double as EventListener],
    ];
    for (const [name, handler] of list) element.addEventListener(name, handler);
    element.addEventListener("wheel", wheel, { passive: false });
    return () => {
        for (const [name, handler] of list) element.removeEventListener(name, handler);
        element.removeEventListener("wheel", wheel);
    };
}

/** The mini-map: its window and handles can be dragged; a click elsewhere moves the window there. */
export function minimapPointer(
    element: HTMLElement,
    model: TraceModel,
    change: (span: Span, gesture: string) => void,
): () => void {
    let held: { part: string; cycle: number; span: Span } | null = null;
    const scale = () => new Scale(model.extent, model.width, GUTTER);
    const at = (event: MouseEvent) => event.clientX - element.getBoundingClientRect().left;
    const cursor = (part: string) =>
        part === "from" || part === "to" ? "ew-resize" : part === "window" ? "grab" : "pointer";
    const down = (event: PointerEvent) => {
        const x = at(event);
        if (x < GUTTER - 6 || event.button !== 0) return;
        element.setPointerCapture(event.pointerId);
        const cycle = scale().cycle(x);
        let part = minimapPart(scale(), model.span, x);
        if (part === "outside") {
            const half = (model.span.to - model.span.from) / 2;
            change({ from: cycle - half, to: cycle + half }, `map ${event.timeStamp}`);
            part = "window";
        }
        held = { part, cycle, span: model.span };
    };
    const move = (event: PointerEvent) => {
        const x = at(event);
        if (!held) {
            element.style.cursor = cursor(minimapPart(scale(), model.span, x));
            return;
        }
        const cycle = Math.max(model.extent.from, Math.min(model.extent.to, scale().cycle(x)));
        const { span } = held;
        if (held.part === "window") change(panSpan(span, cycle - held.cycle, model.extent), "map");
        else {
            const other = held.part === "from" ? span.to : span.from;
            change({ from: Math.min(cycle, other), to: Math.max(cycle, other) }, "map");
        }
    };
    const up = () => (held = null);
    element.addEventListener("pointerdown", down);
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", up);
    element.addEventListener("pointercancel", up);
    return () => {
        element.removeEventListener("pointerdown", down);
        element.removeEventListener("pointermove", move);
        element.removeEventListener("pointerup", up);
        element.removeEventListener("pointercancel", up);
    };
}
