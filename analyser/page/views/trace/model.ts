// SPDX-License-Identifier: Apache-2.0
// The state of one trace for drawing: its window, the loaded data of its lanes, and hit testing. It does not use
// preact, because drawing follows the window frame by frame.
import { Pieces } from "../../data/pieces";
import {
    BspPicture,
    MemoryTrack,
    Rectangles,
    TraceLanes,
    TraceSource,
    loadBsp,
    loadMemoryTrack,
    loadWindow,
    placeRows,
} from "../../data/trace";
import { HostSeries, Hosts, loadHostLane, loadHostSeries } from "../../data/host";
import { BLOCK_KINDS, loadBlocks } from "../../data/trace_blocks";
import { palettePicture } from "../../draw/heatmap";
import { LAYER, NONE, Span } from "../../data/rectangles";
import { rectangleAt } from "../../draw/lanes";
import { Scale, fitSpan } from "../../draw/scale";
import { TypeLook } from "../../draw/types";
import { AXIS_HEIGHT } from "../../draw/axis";
import { BSP_MOST, Band, Bands, ROW_HEIGHT, bandAt, bandsOf, laneKey } from "./geometry";
import { TraceOptions, hiddenKinds, windowOptions } from "./options";

export const GUTTER = 96;

export interface Area extends Span {
    first: number; // tiles, both included
    last: number;
}

/** A layer of the flame graph: its path in a tree (of debug names or of programs), and its interval. */
export interface Layer extends Span {
    name: string;
    ipu: number;
    tree: "names" | "programs";
}

export interface Hit {
    band: Band;
    cycle: number;
    what: "step" | "several" | "layer" | "run" | "memory" | "block" | "host" | "series" | "none";
    from: number;
    to: number;
    step: number; // NONE: no single step
    block: number; // -1: none
    run: number; // -1: none
    tile: number; // BSP and blocks; -1: none
    name: string;
    kind: string;
    count: number;
    balance: number;
    nanoseconds: number; // of events of the host
}

export interface BspImage extends BspPicture {
    image: HTMLCanvasElement;
    first: number;
    last: number;
}

type Listener = () => void;

export class TraceModel {
    options: TraceOptions;
    collapsed: ReadonlySet<string> = new Set();
    span: Span;
    width = 800; // of the lanes, without the gutter
    bands: Bands;
    private graphHeight = 0; // below its axis
    hover: Hit | null = null;
    pointer: { x: number; y: number } | null = null;
    step = -1; // selected
    also: readonly number[] = []; // selected with Ctrl
    layer: Layer | null = null;
    run = -1;
    block = -1; // selected, in a lightweight profile
    event = -1; // selected, of the host
    area: Area | null = null;
    marked: Span | null = null; // while a drag on the axis is in progress
    scroll = 0;
    looks: readonly TypeLook[] = [];
    /** The mini-map without its window, and the data that it was drawn from. */
    readonly minimap = { canvas: document.createElement("canvas"), shown: [] as unknown[] };
    /** The tiles of an IPU in its BSP picture; absent: all. */
    private tiles: ReadonlyMap<number, readonly [number, number]> = new Map();
    private search = "";
    private readonly rows = new Map<string, number>();
    private lanePieces = new Map<string, Pieces<Rectangles>>();
    private bspPieces = new Map<string, Pieces<BspImage>>();
    private memoryPieces: Pieces<MemoryTrack>;
    private seriesPieces = new Map<string, Pieces<HostSeries>>();
    readonly source: TraceSource;
    private readonly drawers = new Set<Listener>();
    private readonly watchers = new Set<Listener>();
    private frame = 0;

    constructor(
        readonly report: number,
        readonly lanes: TraceLanes,
        options: TraceOptions,
        readonly extent: Span, // maximum window
        span: Span | null,
        readonly hosts: Hosts | null, // null: the trace is on its own cycles
    ) {
        this.options = options;
        this.source = hosts ? { report, host: 1 } : { report };
        this.span = fitSpan(span ?? this.extent, this.extent);
        this.bands = bandsOf(lanes, hosts, options, this.collapsed, this.rows, this.graphHeight);
        this.memoryPieces = this.newMemoryPieces();
    }

    private newMemoryPieces(): Pieces<MemoryTrack> {
        const lane = Math.max(0, this.options.ipu);
        return new Pieces<MemoryTrack>(
            async (at, pixels, signal) => ({
                value: await loadMemoryTrack({ ...this.source, lane, ...at, pixels }, signal),
                exact: at.to - at.from <= pixels,
            }),
            this.extent,
            () => this.invalidate(),
        );
    }

    onDraw(drawer: Listener): () => void {
        this.drawers.add(drawer);
        return () => void this.drawers.delete(drawer);
    }

    /** Called when the window, or the heights of bands, have changed. */
    onChange(watcher: Listener): () => void {
        this.watchers.add(watcher);
        return () => void this.watchers.delete(watcher);
    }

    invalidate(): void {
        this.frame ||= requestAnimationFrame(() => {
            this.frame = 0;
            performance.mark("trace-frame-begin");
            for (const drawer of this.drawers) drawer();
            performance.measure("trace-frame", "trace-frame-begin");
        });
    }

    setSpan(span: Span): void {
        this.span = fitSpan(span, this.extent);
        this.invalidate();
        for (const watcher of this.watchers) watcher();
    }

    configure(
        options: TraceOptions,
        search: string,
        collapsed: ReadonlySet<string>,
        tiles: ReadonlyMap<number, readonly [number, number]>,
    ): void {
        const asked = (of: TraceOptions, q: string) =>
            JSON.stringify([windowOptions(of, q), of.flushes, of.aggregate, of.separate]);
        const before = asked(this.options, this.search);
        const lane = this.options.ipu;
        this.options = options;
        this.search = search;
        this.collapsed = collapsed;
        this.tiles = tiles;
        if (before !== asked(options, search)) {
            for (const pieces of this.lanePieces.values()) pieces.dispose();
            this.lanePieces = new Map();
            this.rows.clear();
        }
        if (lane !== options.ipu) {
            this.memoryPieces.dispose();
            this.memoryPieces = this.newMemoryPieces();
        }
        this.layout();
    }

    setRoom(height: number): void {
        if (height === this.graphHeight) return;
        this.graphHeight = height;
        this.layout();
    }

    layout(): void {
        this.bands = bandsOf(this.lanes, this.hosts, this.options, this.collapsed, this.rows, this.graphHeight);
        this.invalidate();
        for (const watcher of this.watchers) watcher();
    }

    dispose(): void {
        cancelAnimationFrame(this.frame);
        for (const pieces of [
            ...this.lanePieces.values(),
            ...this.bspPieces.values(),
            ...this.seriesPieces.values(),
            this.memoryPieces,
        ])
            pieces.dispose();
    }

    /** The first cycle of the axis, from which relative numbers count. */
    base(): number {
        return this.options.relative ? this.lanes.first : 0;
    }

    /** The tree that names the rows of a flame graph. */
    tree(): Layer["tree"] {
        return this.options.layout === "programs" ? "programs" : "names";
    }

    scale(): Scale {
        return new Scale(this.span, this.width, GUTTER);
    }

    rowHeight(kind: Band["kind"] = "lane"): number {
        return kind === "lane" ? ROW_HEIGHT[this.options.layout] : ROW_HEIGHT.flame;
    }

    /** The loaded rectangles of a lane for a window; updates the lane's number of rows. */
    rectangles(
        band: Pick<Band, "kind" | "key" | "lane">,
        span: Span = this.span,
        width = this.width,
    ): Rectangles | null {
        let pieces = this.lanePieces.get(band.key);
        if (!pieces) {
            const options = windowOptions(this.options, this.search);
            const { separate } = this.options;
            const blocks = { flushes: this.options.flushes, q: this.search, base: this.lanes.kinds.length };
            const host = { q: this.search, base: this.lanes.kinds.length + BLOCK_KINDS.length };
            const tile = this.lanes.tiles[band.lane]?.tile ?? 0;
            const io = band.key.startsWith("io") ? 1 : 0;
            pieces = new Pieces<Rectangles>(
                async (at, pixels, signal) => {
                    const where = { ...this.source, ...at, pixels };
                    const value =
                        band.kind === "blocks"
                            ? await loadBlocks({ ...where, tile, io }, blocks, signal)
                            : band.kind === "host"
                              ? await loadHostLane({ ...where, thread: band.lane }, host, signal)
                              : await loadWindow({ ...where, lane: band.lane }, options, signal);
                    if (band.kind === "lane") placeRows(value, separate);
                    return { value, exact: value.exact };
                },
                this.extent,
                () => this.invalidate(),
            );
            this.lanePieces.set(band.key, pieces);
        }
        const value = pieces.get(span, width)?.value ?? null;
        if (value) this.countRows(band.key, value.rows);
        return value;
    }

    /** A lane is as high as the most rows drawn so far. */
    private countRows(key: string, rows: number): void {
        if (rows <= (this.rows.get(key) ?? 1)) return;
        this.rows.set(key, rows);
        queueMicrotask(() => this.layout());
    }

    /** The interval of the selected step or block. */
    placeOf(what: "step" | "block"): Span | null {
        let span: Span | undefined;
        for (const band of this.bands.bands) {
            if (band.kind !== (what === "step" ? "lane" : "blocks")) continue;
            const value = this.rectangles(band);
            const of = what === "step" ? value?.step : value?.block;
            const i = of ? of.indexOf(what === "step" ? this.step : this.block) : -1;
            if (value && i >= 0)
                span = {
                    from: Math.min(span?.from ?? value.from[i], value.from[i]),
                    to: Math.max(span?.to ?? value.to[i], value.to[i]),
                };
        }
        return span ?? null;
    }

    errors(): string[] {
        return [...this.lanePieces.values()].map((pieces) => pieces.error).filter((error) => error);
    }

    tilesOf(ipu: number): readonly [number, number] {
        const { tilesPerIpu } = this.lanes;
        const [low, high] = [ipu * tilesPerIpu, ipu * tilesPerIpu + tilesPerIpu - 1];
        const [first, last] = this.tiles.get(ipu) ?? [low, high];
        return first >= low && last <= high && first <= last ? [first, last] : [low, high];
    }

    /** Tiles of the BSP pictures after zooming those of an IPU: a factor below 1 shows fewer of them, 0 shows all. */
    zoomedTiles(ipu: number, factor: number): Map<number, readonly [number, number]> {
        const { tilesPerIpu } = this.lanes;
        const [first, last] = this.tilesOf(ipu);
        const count = last - first + 1;
        const wished = factor === 0 ? tilesPerIpu : Math.min(tilesPerIpu, Math.max(1, Math.round(count * factor)));
        return this.movedTiles(ipu, first + Math.floor((count - wished) / 2), wished);
    }

    /** The same with `count` tiles of an IPU from `first` on, limited to existing tiles. */
    movedTiles(ipu: number, first: number, count: number): Map<number, readonly [number, number]> {
        const { tilesPerIpu } = this.lanes;
        const low = ipu * tilesPerIpu;
        const start = Math.min(low + tilesPerIpu - count, Math.max(low, first));
        const tiles = new Map(this.tiles);
        if (count >= tilesPerIpu) tiles.delete(ipu);
        else tiles.set(ipu, [start, start + count - 1]);
        return tiles;
    }

    bsp(ipu: number): BspImage | null {
        const [first, last] = this.tilesOf(ipu);
        const hide = hiddenKinds(this.options).join(",");
        const key = `${first}-${last}-${hide}-${this.looks[0]?.plain ?? ""}`;
        let pieces = this.bspPieces.get(key);
        if (!pieces) {
            const palette = this.looks.map((look) => look.rgb);
            pieces = new Pieces<BspImage>(
                async (at, pixels, signal) => {
                    const width = Math.min(pixels, 4096);
                    const height = Math.min(last - first + 1, BSP_MOST);
                    const value = await loadBsp(
                        {
                            ...this.source,
                            tile: first,
                            tiles: last - first + 1,
                            ...at,
                            pixels: width,
                            height,
                            hide,
                        },
                        signal,
                    );
                    return {
                        value: {
                            ...value,
                            first,
                            last,
                            image: palettePicture(value.kind, value.width, value.height, palette),
                        },
                        exact: at.to - at.from <= width,
                    };
                },
                this.extent,
                () => this.invalidate(),
            );
            this.bspPieces.set(key, pieces);
            if (this.bspPieces.size > 24) this.bspPieces.delete([...this.bspPieces.keys()][0]);
        }
        return pieces.get(this.span, this.width)?.value ?? null;
    }

    series(band: Pick<Band, "key" | "lane">): HostSeries | null {
        let pieces = this.seriesPieces.get(band.key);
        if (!pieces) {
            pieces = new Pieces<HostSeries>(
                async (at, pixels, signal) => {
                    const value = await loadHostSeries({ ...this.source, graph: band.lane, ...at, pixels }, signal);
                    return { value, exact: value.low.every((low, i) => low === value.high[i]) };
                },
                this.extent,
                () => this.invalidate(),
            );
            this.seriesPieces.set(band.key, pieces);
        }
        return pieces.get(this.span, this.width)?.value ?? null;
    }

    memory(): MemoryTrack | null {
        return this.memoryPieces.get(this.span, this.width)?.value ?? null;
    }

    /** How many steps or blocks of the window are too small to be seen, when these are most of them or of the time. */
    tooSmall(): { invisible: number; all: number } | null {
        let several = 0; // cycles
        let single = 0;
        let invisible = 0; // steps
        let all = 0;
        for (const band of this.bands.bands) {
            if (band.kind !== "lane" && band.kind !== "blocks") continue;
            const value = this.rectangles(band);
            if (!value) continue;
            const joined = (i: number) =>
                band.kind === "blocks"
                    ? value.count[i] > 1 && !band.key.startsWith("io")
                    : value.step[i] === NONE && value.label[i] === NONE;
            for (let i = 0; i < value.from.length; ++i) {
                if (value.to[i] < this.span.from || value.from[i] > this.span.to || value.kind[i] === LAYER) continue;
                all += value.count[i];
                if (joined(i)) {
                    several += value.to[i] - value.from[i];
                    invisible += value.count[i];
                } else single += value.to[i] - value.from[i];
            }
        }
        return invisible > 0 && (several > single || invisible > all / 2) ? { invisible, all } : null;
    }

    /** The object at a point relative to the upper left corner of the graph. */
    hit(x: number, y: number): Hit | null {
        const inside = y - AXIS_HEIGHT + this.scroll;
        const band = bandAt(this.bands.bands, inside);
        if (!band || x < GUTTER) return null;
        const scale = this.scale();
        const cycle = scale.cycle(x);
        const nothing: Hit = {
            band,
            cycle,
            what: "none",
            from: cycle,
            to: cycle,
            step: NONE,
            block: -1,
            run: -1,
            tile: -1,
            name: "",
            kind: "",
            count: 0,
            balance: 0,
            nanoseconds: 0,
        };
        if (band.kind === "title") return nothing;
        if (band.kind === "runs") return this.hitRun(nothing);
        if (band.kind === "bsp") return this.hitBsp(nothing, (inside - band.y) / band.height);
        if (band.kind === "memory" || band.kind === "series") return { ...nothing, what: band.kind };
        const value = this.rectangles(band);
        if (!value) return nothing;
        const row = Math.floor((inside - band.y) / this.rowHeight(band.kind));
        const i = rectangleAt(value, scale, { row, rows: band.rows, x }, this.looks);
        if (i < 0) return nothing;
        const layer = value.kind[i] === LAYER && value.label[i] !== NONE;
        return {
            ...nothing,
            what:
                band.kind === "blocks"
                    ? "block"
                    : band.kind === "host"
                      ? "host"
                      : layer
                        ? "layer"
                        : value.step[i] === NONE
                          ? "several"
                          : "step",
            from: value.from[i],
            to: value.to[i],
            step: value.step[i],
            block: value.block && value.block[i] !== NONE ? value.block[i] : -1,
            tile: band.kind === "blocks" ? (this.lanes.tiles[band.lane]?.tile ?? -1) : -1,
            name: value.labels[value.label[i]] ?? "",
            kind: this.looks[value.kind[i]]?.name ?? "",
            count: value.count[i],
            balance: value.balance[i],
            nanoseconds: value.nanoseconds?.[i] ?? 0,
        };
    }

    private hitRun(hit: Hit): Hit {
        const slack = this.scale().perPixel * 2;
        const run = this.lanes.runs.findIndex((one) => hit.cycle >= one.from - slack && hit.cycle <= one.to + slack);
        if (run < 0) return hit;
        const { from, to, name, steps } = this.lanes.runs[run];
        return { ...hit, what: "run", run, from, to, name, count: steps };
    }

    private hitBsp(hit: Hit, share: number): Hit {
        const picture = this.bsp(hit.band.lane);
        if (!picture) return hit;
        const [first, last] = this.tilesOf(hit.band.lane);
        const tile = Math.min(last, first + Math.floor(share * (last - first + 1)));
        const x = Math.floor(((hit.cycle - picture.from) / (picture.to - picture.from)) * picture.width);
        const y = Math.min(picture.height - 1, Math.floor(((tile - first) / (last - first + 1)) * picture.height));
        if (x < 0 || x >= picture.width) return { ...hit, tile };
        const kind = picture.kind[y * picture.width + x];
        if (kind === LAYER) return { ...hit, tile };
        const found = { ...hit, what: "step" as const, tile, kind: this.looks[kind]?.name ?? "", count: 1 };
        // The lane determines which step of that kind it is, when it is detailed enough.
        const lane = this.rectangles({ kind: "lane", key: laneKey(hit.band.lane), lane: hit.band.lane });
        if (!lane) return found;
        for (let i = 0; i < lane.from.length; ++i)
            if (lane.kind[i] === kind && lane.step[i] !== NONE && lane.from[i] <= hit.cycle && lane.to[i] > hit.cycle)
                return {
                    ...found,
                    step: lane.step[i],
                    name: lane.labels[lane.label[i]] ?? "",
                    from: lane.from[i],
                    to: lane.to[i],
                };
        return found;
    }
}
