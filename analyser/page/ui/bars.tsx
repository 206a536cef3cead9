// SPDX-License-Identifier: Apache-2.0
// A graph of bars over positions with its mini-map: the wheel zooms about the pointer, a drag pans, a drag on the axis
// or the mini-map chooses a window, a click selects and a click with Shift adds. The owner holds the window and loads
// its data at the given width.
import { useEffect, useRef, useState } from "preact/hooks";
import { BarLook, BarPicture, MARGIN, barAt, drawBars, drawOverview } from "../draw/bars";
import { MINIMAP_HEIGHT, minimapPart } from "../draw/minimap";
import { canvasPen } from "../draw/pen";
import { Span } from "../data/rectangles";
import { Scale } from "../draw/scale";
import { SvgPen } from "../draw/svg";
import { usePreferences } from "../preferences";
import { useKeys } from "./keys";
import { saveCanvas, saveText } from "./save";
import { themeColour } from "../draw/theme";
import { hideTip, showTip } from "./tooltip";
import "./bars.css";

export interface BarGraphProps {
    name: string; // of saved files
    extent: number; // positions
    window: Span;
    onWindow: (window: Span | null, gesture: string) => void; // null: the whole extent
    picture: BarPicture | null;
    overview: ArrayLike<number>; // of the whole extent
    describe: (bar: number) => string; // lines of the callout
    onPick: (bar: number, position: number, add: boolean) => void;
    onWidth: (pixels: number) => void; // of the plot; a multiple of 64
    csv: () => string;
    selected?: Span | null; // the positions that the key F shows
}

const FEWEST = 4; // fewest positions in a window

/** A window of whole positions inside the extent. */
export function clampWindow(window: Span, extent: number): Span {
    const length = Math.min(extent, Math.max(Math.min(FEWEST, extent), Math.round(window.to - window.from)));
    const from = Math.max(0, Math.min(extent - length, Math.round(window.from)));
    return { from, to: from + length };
}

export function zoomWindow(window: Span, factor: number, about: number, extent: number): Span {
    let length = (window.to - window.from) * factor;
    if (factor > 1) length = Math.max(length, window.to - window.from + 1);
    const share = (about - window.from) / Math.max(1e-9, window.to - window.from);
    const from = about - share * length;
    return clampWindow({ from, to: from + length }, extent);
}

function look(): BarLook {
    const colour = (name: string) => themeColour(name);
    return {
        ink: colour("ink"),
        soft: colour("ink-soft"),
        line: colour("line"),
        paper: colour("paper"),
        accent: colour("accent"),
        warning: colour("more"),
        font: "11px system-ui, sans-serif",
    };
}

interface Geometry {
    scale: Scale;
    whole: Scale;
    area: { left: number; top: number; width: number; height: number };
}

function geometry(props: BarGraphProps, width: number, height: number): Geometry {
    const plot = Math.max(16, width - MARGIN.left - MARGIN.right);
    const top = MINIMAP_HEIGHT + MARGIN.top;
    const area = { left: MARGIN.left, top, width: plot, height: Math.max(16, height - top - MARGIN.bottom) };
    return {
        scale: new Scale(props.window, plot, MARGIN.left),
        whole: new Scale({ from: 0, to: Math.max(1, props.extent) }, plot, MARGIN.left),
        area,
    };
}

type Drag = { part: "plot" | "axis" | "from" | "to" | "window"; x: number; window: Span; moved: boolean; at: number };

/** The window that results from a drag; null while it selects one on the axis. */
function dragged(drag: Drag, x: number, shape: Geometry, extent: number): Span | null {
    const { window } = drag;
    if (drag.part === "plot") {
        const by = (drag.x - x) * ((window.to - window.from) / shape.area.width);
        return clampWindow({ from: window.from + by, to: window.to + by }, extent);
    }
    if (drag.part === "axis") return null;
    const by = (x - drag.x) * shape.whole.perPixel;
    if (drag.part === "window") return clampWindow({ from: window.from + by, to: window.to + by }, extent);
    const from = drag.part === "from" ? Math.min(window.to - FEWEST, window.from + by) : window.from;
    const to = drag.part === "to" ? Math.max(window.from + FEWEST, window.to + by) : window.to;
    return clampWindow({ from: Math.max(0, from), to: Math.min(extent, to) }, extent);
}

export function BarGraph(props: BarGraphProps) {
    const box = useRef<HTMLDivElement>(null);
    const canvas = useRef<HTMLCanvasElement>(null);
    const [size, setSize] = useState({ width: 0, height: 0 });
    const [choice, setChoice] = useState<Span | null>(null); // pixels, while a window is chosen on the axis
    const drag = useRef<Drag | null>(null);
    usePreferences();
    const shape = geometry(props, size.width, size.height);

    useEffect(() => {
        const element = box.current as HTMLDivElement;
        const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight });
        const watch = new ResizeObserver(measure);
        watch.observe(element);
        measure();
        return () => watch.disconnect();
    }, []);
    const rounded = Math.max(64, Math.ceil(shape.area.width / 64) * 64);
    useEffect(() => {
        if (size.width) props.onWidth(rounded);
    }, [rounded, size.width > 0]);

    const draw = (pen: Parameters<typeof drawBars>[0]) => {
        const colours = look();
        pen.fillStyle = colours.paper;
        pen.fillRect(0, 0, size.width, size.height);
        drawOverview(pen, props.overview, shape.whole, props.window, MINIMAP_HEIGHT, colours);
        if (props.picture) drawBars(pen, props.picture, shape.scale, shape.area, colours);
    };
    useEffect(() => {
        if (!canvas.current || !size.width) return;
        const pen = canvasPen(canvas.current, size.width, size.height);
        draw(pen);
        if (choice) {
            pen.globalAlpha = 0.2;
            pen.fillStyle = look().accent;
            pen.fillRect(choice.from, shape.area.top, choice.to - choice.from, shape.area.height);
            pen.globalAlpha = 1;
        }
    });

    const zoom = (factor: number, about = (props.window.from + props.window.to) / 2) =>
        props.onWindow(zoomWindow(props.window, factor, about, props.extent), "zoom");
    const pan = (share: number) => {
        const by = (props.window.to - props.window.from) * share;
        props.onWindow(clampWindow({ from: props.window.from + by, to: props.window.to + by }, props.extent), "pan");
    };
    const fit = () => {
        const { selected } = props;
        if (selected)
            props.onWindow(clampWindow({ from: selected.from - 2, to: selected.to + 2 }, props.extent), "fit");
    };
    useKeys([
        { key: "w", group: "Graph", what: "zoom in", run: () => zoom(0.7) },
        { key: "ArrowUp", group: "Graph", what: "zoom in", run: () => zoom(0.7) },
        { key: "s", group: "Graph", what: "zoom out", run: () => zoom(1 / 0.7) },
        { key: "ArrowDown", group: "Graph", what: "zoom out", run: () => zoom(1 / 0.7) },
        { key: "a", group: "Graph", what: "to the left", run: () => pan(-0.2) },
        { key: "ArrowLeft", group: "Graph", what: "to the left", run: () => pan(-0.2) },
        { key: "d", group: "Graph", what: "to the right", run: () => pan(0.2) },
        { key: "ArrowRight", group: "Graph", what: "to the right", run: () => pan(0.2) },
        { key: "f", group: "Graph", what: "shows the selection", run: fit },
        { key: "0", group: "Graph", what: "shows all", run: () => props.onWindow(null, "all") },
    ]);

    const point = (event: MouseEvent) => {
        const area = (canvas.current as HTMLCanvasElement).getBoundingClientRect();
        return { x: event.clientX - area.left, y: event.clientY - area.top };
    };
    const down = (event: PointerEvent) => {
        if (event.button !== 0) return;
        const { x, y } = point(event);
        (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
        const found = y < MINIMAP_HEIGHT ? minimapPart(shape.whole, props.window, x) : null;
        let { window } = props;
        if (found === "outside") {
            const [centre, half] = [shape.whole.cycle(x), (window.to - window.from) / 2];
            window = clampWindow({ from: centre - half, to: centre + half }, props.extent);
            props.onWindow(window, "minimap");
        }
        const part =
            found === "outside" ? "window" : (found ?? (y > shape.area.top + shape.area.height ? "axis" : "plot"));
        drag.current = { part, x, window, moved: false, at: x };
        hideTip();
    };
    const move = (event: PointerEvent) => {
        const { x, y } = point(event);
        const held = drag.current;
        if (held) {
            held.at = x;
            held.moved ||= Math.abs(x - held.x) > 3;
            if (!held.moved) return;
            if (held.part === "axis") setChoice({ from: Math.min(x, held.x), to: Math.max(x, held.x) });
            const window = dragged(held, x, shape, props.extent);
            if (window) props.onWindow(window, "drag");
            return;
        }
        const bar =
            props.picture && y >= shape.area.top && x >= shape.area.left
                ? barAt(props.picture, shape.scale.cycle(x))
                : -1;
        if (bar >= 0) showTip(props.describe(bar), event.clientX, event.clientY);
        else hideTip();
    };
    const up = (event: PointerEvent) => {
        const held = drag.current;
        drag.current = null;
        setChoice(null);
        if (!held) return;
        const { x, y } = point(event);
        if (held.part === "axis" && held.moved) {
            const [from, to] = [Math.min(x, held.x), Math.max(x, held.x)];
            props.onWindow(
                clampWindow(
                    { from: Math.floor(shape.scale.cycle(from)), to: Math.ceil(shape.scale.cycle(to)) },
                    props.extent,
                ),
                "axis",
            );
        } else if (held.part === "plot" && !held.moved && props.picture && y >= shape.area.top) {
            const position = Math.floor(shape.scale.cycle(x));
            const bar = barAt(props.picture, position);
            if (bar >= 0) props.onPick(bar, position, event.shiftKey || event.ctrlKey || event.metaKey);
        }
    };
    const wheel = (event: WheelEvent) => {
        event.preventDefault();
        if (event.deltaX && Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(event.deltaX / shape.area.width);
        else zoom(Math.exp(event.deltaY * 0.002), shape.scale.cycle(point(event).x));
    };
    const saveSvg = () => {
        const pen = new SvgPen(size.width, size.height, () => look().soft);
        draw(pen);
        saveText(pen.file(), `${props.name}.svg`, "image/svg+xml");
    };
    return (
        <div class="bar-frame">
            <div class="graph-buttons">
                <button
                    type="button"
                    class="icon"
                    aria-label="zoom in"
                    data-tip="zoom in (W)"
                    onClick={() => zoom(0.7)}
                >
                    +
                </button>
                <button
                    type="button"
                    class="icon"
                    aria-label="zoom out"
                    data-tip="zoom out (S)"
                    onClick={() => zoom(1 / 0.7)}
                >
                    −
                </button>
                <button
                    type="button"
                    class="icon"
                    aria-label="show all"
                    data-tip="show all (0)"
                    onClick={() => props.onWindow(null, "all")}
                >
                    ⟲
                </button>
                <button
                    type="button"
                    data-tip="save the graph as PNG"
                    onClick={() => canvas.current && saveCanvas(canvas.current, `${props.name}.png`)}
                >
                    PNG
                </button>
                <button type="button" data-tip="save the graph as SVG" onClick={saveSvg}>
                    SVG
                </button>
                <button
                    type="button"
                    data-tip="save the data of the graph as CSV"
                    onClick={() => saveText(props.csv(), `${props.name}.csv`, "text/csv")}
                >
                    CSV
                </button>
            </div>
            <div class="bar-graph" ref={box}>
                <canvas
                    ref={canvas}
                    data-graph={props.name}
                    style={{ width: `${size.width}px`, height: `${size.height}px` }}
                    onPointerDown={down}
                    onPointerMove={move}
                    onPointerUp={up}
                    onPointerLeave={() => !drag.current && hideTip()}
                    onWheel={wheel}
                    onDblClick={() => props.onWindow(null, "all")}
                />
            </div>
        </div>
    );
}

/** The key of a graph: a click on an entry toggles its series. */
export function Key({
    entries,
    hidden,
    onHidden,
}: {
    entries: readonly { id: string; title: string; colour: string; tip?: string }[];
    hidden: readonly string[];
    onHidden: (hidden: string[]) => void;
}) {
    return (
        <div class="graph-key">
            {entries.map((entry) => (
                <button
                    key={entry.id}
                    type="button"
                    class="icon"
                    data-series={entry.id}
                    aria-pressed={!hidden.includes(entry.id)}
                    data-tip={entry.tip}
                    onClick={() =>
                        onHidden(
                            hidden.includes(entry.id) ? hidden.filter((id) => id !== entry.id) : [...hidden, entry.id],
                        )
                    }
                >
                    <span class="swatch" style={{ background: entry.colour }} />
                    {entry.title}
                </button>
            ))}
        </div>
    );
}
