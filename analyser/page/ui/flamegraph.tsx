// SPDX-License-Identifier: Apache-2.0
// An interactive flame graph: pointing, clicks and zoom; views supply the tree and hold its state.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Frames } from "../data/flame";
import { Box, Picture, ROW, deepest, layout, legendOf, paint, rowTop, svgOf } from "../draw/frames";
import { usePreferences } from "../preferences";
import { withName } from "./ofreport";
import { saveCanvas, saveText } from "./save";
import { hideTip, showTip } from "./tooltip";

export interface FlameGraphProps {
    name: string; // of saved pictures; also used by tests
    frames: Frames;
    root: number; // the node that has the whole width
    selected: number; // -1: none
    search: string;
    up?: boolean; // callers: the root is at the bottom
    compared?: readonly [source: string, target: string]; // names of the reports of a difference
    tip: (node: number) => string;
    onZoom: (node: number) => void; // double click, or a click above the root
    onSelect: (node: number) => void;
}

const AROUND = 90; // pixels: header, status bar and legend

/** The share of the window's height that a flame graph needs, for the initial layout. */
export function flameShare(frames: Frames): number {
    const needed = (deepest(frames) + 3) * ROW + AROUND / 2;
    return Math.min(0.6, Math.max(0.25, needed / Math.max(200, innerHeight - AROUND)));
}

function useSize() {
    const box = useRef<HTMLDivElement>(null);
    const [size, setSize] = useState({ width: 0, height: 0 });
    useEffect(() => {
        const element = box.current as HTMLDivElement;
        const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight });
        const watch = new ResizeObserver(measure);
        watch.observe(element);
        measure();
        return () => watch.disconnect();
    }, []);
    return { box, ...size };
}

function Legend({ frames, compared }: Pick<FlameGraphProps, "frames" | "compared">) {
    return (
        <div class="flame-entries">
            {withName()}
            {legendOf(frames, compared).map((entry) => (
                <span key={entry.title} data-legend={entry.title}>
                    <i style={{ background: entry.colour }} /> {entry.title}
                </span>
            ))}
        </div>
    );
}

export function FlameGraph(props: FlameGraphProps) {
    const { frames, root, up = false } = props;
    const { box, width, height } = useSize();
    const canvas = useRef<HTMLCanvasElement>(null);
    const [hovered, setHovered] = useState(-1);
    const [top, setTop] = useState(0);
    const { theme } = usePreferences();
    const rows = useMemo(() => deepest(frames) + 1, [frames]);
    const boxes = useMemo(() => layout(frames, root < frames.name.length ? root : 0, width), [frames, root, width]);
    const word = props.search.toLowerCase();
    const picture: Picture = {
        width,
        height,
        top,
        up,
        rows,
        hovered,
        selected: props.selected,
        matches: (node) => word === "" || frames.name[node].toLowerCase().includes(word),
    };
    useEffect(() => {
        const element = canvas.current as HTMLCanvasElement;
        const scale = devicePixelRatio;
        element.width = width * scale;
        element.height = height * scale;
        const context = element.getContext("2d");
        if (!context || !width) return;
        context.setTransform(scale, 0, 0, scale, 0, 0);
        paint(context, frames, boxes, picture);
    }, [frames, boxes, width, height, top, hovered, props.selected, word, theme]);
    useEffect(() => hideTip, []);

    const find = (event: MouseEvent): Box | undefined => {
        const area = (canvas.current as HTMLCanvasElement).getBoundingClientRect();
        const [x, y] = [event.clientX - area.left, event.clientY - area.top];
        return boxes.find(
            (one) =>
                x >= one.x &&
                x < one.x + one.width &&
                y >= rowTop(picture, one.row) &&
                y < rowTop(picture, one.row) + ROW,
        );
    };
    const move = (event: MouseEvent) => {
        const found = find(event);
        setHovered(found?.node ?? -1);
        if (found) showTip(props.tip(found.node), event.clientX, event.clientY);
        else hideTip();
    };
    const click = (event: MouseEvent) => {
        const found = find(event);
        if (!found) return;
        if (found.node !== root && frames.depth[found.node] < frames.depth[root]) props.onZoom(found.node);
        else props.onSelect(found.node);
    };
    const open = (event: MouseEvent) => {
        const found = find(event);
        if (found) props.onZoom(found.node);
    };
    return (
        <div class="flame-frame">
            <div class="flame-bar flame-legend">
                <Legend frames={frames} compared={props.compared} />
                <button
                    type="button"
                    data-save="png"
                    data-tip="save the visible part as PNG"
                    onClick={() => canvas.current && saveCanvas(canvas.current, `${props.name}.png`)}
                >
                    PNG
                </button>
                <button
                    type="button"
                    data-save="svg"
                    data-tip="save the graph as SVG"
                    onClick={() =>
                        saveText(svgOf(frames, boxes, width, rows, up), `${props.name}.svg`, "image/svg+xml")
                    }
                >
                    SVG
                </button>
            </div>
            <div
                class="flame"
                ref={box}
                onScroll={(event) => setTop(event.currentTarget.scrollTop)}
                data-flame={props.name}
            >
                <div class="flame-extent" style={{ height: `${rows * ROW}px` }} />
                <canvas
                    ref={canvas}
                    style={{ width: `${width}px`, height: `${height}px` }}
                    aria-label={`flame graph: ${props.name}`}
                    onMouseMove={move}
                    onMouseLeave={() => (setHovered(-1), hideTip())}
                    onClick={click}
                    onDblClick={open}
                />
            </div>
        </div>
    );
}
