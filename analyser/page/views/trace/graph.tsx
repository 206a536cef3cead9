// SPDX-License-Identifier: Apache-2.0
// The graph of one trace: mini-map, axis and lanes on canvases, with the buttons of the lanes at the left.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Pixels } from "../../draw/fill";
import { canvasPen } from "../../draw/pen";
import { AXIS_HEIGHT } from "../../draw/axis";
import { MINIMAP_HEIGHT } from "../../draw/minimap";
import { Span } from "../../data/rectangles";
import { count } from "../../text/format";
import { Band } from "./geometry";
import { GUTTER, Hit, TraceModel } from "./model";
import { drawGraph, drawOverlay, paintMinimap } from "./painter";
import { Place, graphPointer, minimapPointer } from "./pointer";

export interface GraphProps {
    model: TraceModel;
    title: string; // of the report, when two are compared
    onHover: (hit: Hit | null, event: PointerEvent) => void;
    onClick: (hit: Hit | null, event: MouseEvent) => void;
    onOpen: (hit: Hit) => void;
    onWindow: (span: Span, gesture: string) => void;
    onArea: (from: Place, to: Place) => void;
    onTiles: TilesChange;
    onCollapse: (key: string) => void;
}

function overlayPen(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
    const ratio = window.devicePixelRatio || 1;
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== w) canvas.width = w;
    if (canvas.height !== h) canvas.height = h;
    const context = canvas.getContext("2d") as CanvasRenderingContext2D;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    return context;
}

type TilesChange = (tiles: Map<number, readonly [number, number]>) => void;

function TileButtons({ model, ipu, onTiles }: { model: TraceModel; ipu: number; onTiles: TilesChange }) {
    const [first, last] = model.tilesOf(ipu);
    return (
        <span class="bsp-buttons">
            <button
                type="button"
                class="icon"
                aria-label={`IPU ${ipu}: fewer tiles`}
                data-tip="zoom in: fewer tiles"
                onClick={() => onTiles(model.zoomedTiles(ipu, 0.5))}
            >
                +
            </button>
            <button
                type="button"
                class="icon"
                aria-label={`IPU ${ipu}: more tiles`}
                data-tip="zoom out: more tiles"
                onClick={() => onTiles(model.zoomedTiles(ipu, 2))}
            >
                −
            </button>
            <button
                type="button"
                class="icon"
                aria-label={`IPU ${ipu}: all tiles`}
                data-tip="all tiles"
                onClick={() => onTiles(model.zoomedTiles(ipu, 0))}
            >
                ↺
            </button>
            <small>
                {first}–{last}
            </small>
        </span>
    );
}

function Gutter({
    model,
    scroll,
    onCollapse,
    onTiles,
}: {
    model: TraceModel;
    scroll: number;
    onCollapse: (key: string) => void;
    onTiles: TilesChange;
}) {
    const [, redraw] = useState(0);
    useEffect(() => model.onDraw(() => redraw((n) => (model.options.bsp ? n + 1 : n))), [model]);
    const folds = (band: Band) => band.collapsed || band.rows > 1 || (band.kind === "lane" && model.options.bsp);
    return (
        <div class="gutter" style={{ width: `${GUTTER}px`, top: `${AXIS_HEIGHT}px` }}>
            {model.bands.bands
                .filter((band) => band.title)
                .map((band) => (
                    <div
                        key={band.key}
                        class={`gutter-band ${band.kind}`}
                        data-height={band.height}
                        style={{ top: `${band.y - scroll}px`, minHeight: `${Math.min(band.height, 18)}px` }}
                    >
                        {(band.kind === "lane" || band.kind === "blocks" || band.kind === "host") && (
                            <button
                                type="button"
                                class="icon fold"
                                aria-expanded={!band.collapsed}
                                aria-label={`${band.title}: ${band.collapsed ? "expand" : "collapse"}`}
                                data-tip={band.collapsed ? "show all rows" : "collapse to the top row"}
                                disabled={!folds(band)}
                                onClick={() => onCollapse(band.key)}
                            >
                                {band.collapsed ? "▸" : "▾"}
                            </button>
                        )}
                        <span data-tip={band.tip ?? band.title}>{band.title}</span>
                        {band.kind === "bsp" && <TileButtons model={model} ipu={band.lane} onTiles={onTiles} />}
                    </div>
                ))}
        </div>
    );
}

/** A note below the mini-map that most steps are narrower than a pixel. */
function TooSmall({ model }: { model: TraceModel }) {
    const [small, setSmall] = useState<{ invisible: number; all: number } | null>(null);
    useEffect(() => {
        let timer = 0;
        const look = () => {
            timer = 0;
            setSmall(model.tooSmall());
        };
        const end = model.onDraw(() => (timer ||= window.setTimeout(look, LOOK_AFTER)));
        return () => {
            clearTimeout(timer);
            end();
        };
    }, [model]);
    return small ? (
        <div class="too-small" role="status">
            {`${count(small.invisible)} of ${count(small.all)} steps are too small to be seen here: ` +
                "zoom in for detail."}
        </div>
    ) : null;
}

const LOOK_AFTER = 150; // ms after a frame

function layoutOf({ bands }: TraceModel): string {
    return JSON.stringify(bands.bands.map((band) => [band.key, band.y, band.height, band.collapsed]));
}

export function Graph(props: GraphProps) {
    const { model } = props;
    const box = useRef<HTMLDivElement>(null);
    const map = useRef<HTMLCanvasElement>(null);
    const main = useRef<HTMLCanvasElement>(null);
    const over = useRef<HTMLCanvasElement>(null);
    const latest = useRef(props);
    latest.current = props;
    const [scroll, setScroll] = useState(0);
    const [, relayout] = useState(0);

    useLayoutEffect(() => {
        const element = box.current as HTMLDivElement;
        const pixels = new Pixels();
        // Read only when it changes: reading it at each frame would force a synchronous layout.
        let size = { width: element.clientWidth, height: element.clientHeight };
        const scrollBy = (by: number) => {
            const most = Math.max(0, model.bands.height - (size.height - AXIS_HEIGHT));
            model.scroll = Math.min(most, Math.max(0, model.scroll + by));
            setScroll(model.scroll);
            model.invalidate();
        };
        let drawn = "";
        const draw = () => {
            const { width, height } = size;
            if (width < GUTTER + 20 || height < AXIS_HEIGHT) return;
            model.width = width - GUTTER;
            drawGraph(canvasPen(main.current as HTMLCanvasElement, width, height), pixels, model, width, height);
            drawOverlay(overlayPen(over.current as HTMLCanvasElement, width, height), model, width, height);
            paintMinimap(canvasPen(map.current as HTMLCanvasElement, width, MINIMAP_HEIGHT), model);
            const layout = layoutOf(model);
            if (layout !== drawn) relayout((n) => n + 1);
            drawn = layout;
        };
        const end = [
            model.onDraw(draw),
            graphPointer(element, model, {
                hover: (hit, event) => latest.current.onHover(hit, event),
                click: (hit, event) => latest.current.onClick(hit, event),
                open: (hit) => latest.current.onOpen(hit),
                window: (span, gesture) => latest.current.onWindow(span, gesture),
                area: (from, to) => latest.current.onArea(from, to),
                tiles: (tiles) => latest.current.onTiles(tiles),
                scroll: scrollBy,
            }),
            minimapPointer(map.current as HTMLCanvasElement, model, (span, gesture) =>
                latest.current.onWindow(span, gesture),
            ),
        ];
        const fit = () => {
            size = { width: element.clientWidth, height: element.clientHeight };
            model.setRoom(size.height - AXIS_HEIGHT);
            scrollBy(0);
        };
        const watch = new ResizeObserver(fit);
        watch.observe(element);
        fit(); // draws
        return () => {
            watch.disconnect();
            for (const one of end) one();
        };
    }, [model]);

    return (
        <div class="trace-graph" data-report={props.title || undefined}>
            {props.title && <div class="trace-title">{props.title}</div>}
            <canvas class="minimap" ref={map} style={{ height: `${MINIMAP_HEIGHT}px` }} aria-label="mini-map" />
            <TooSmall model={model} />
            <div class="trace-canvas" ref={box} tabIndex={0} aria-label="execution trace">
                <canvas class="main" ref={main} />
                <canvas class="over" ref={over} />
                <Gutter model={model} scroll={scroll} onCollapse={props.onCollapse} onTiles={props.onTiles} />
            </div>
        </div>
    );
}
