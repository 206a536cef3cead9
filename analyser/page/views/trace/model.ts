// SPDX-License-Identifier: Apache-2.0
// One trace as it is drawn: its window, what is known of its lanes, and what stands under the pointer.  Nothing here
// waits for preact: drawing follows the window frame by frame.
import { Pieces } from "../../data/pieces";
import { BspPicture, MemoryTrack, Rectangles, TraceLanes, loadBsp, loadMemoryTrack, loadWindow } from "../../data/trace";
import { loadBlocks } from "../../data/trace_blocks";
import { palettePicture } from "../../draw/heatmap";
import { LAYER, NONE, rectangleAt } from "../../draw/lanes";
import { Scale, Span, fitSpan } from "../../draw/scale";
import { TypeLook } from "../../draw/types";
import { AXIS_HEIGHT } from "../../draw/axis";
import { BSP_HEIGHT, Band, Bands, ROW_HEIGHT, bandAt, bandsOf, laneKey } from "./geometry";
import { TraceOptions, hiddenKinds, windowOptions } from "./options";

export const GUTTER = 96;

export interface Area extends Span {
    first: number; // tiles, both included
    last: number;
}

/** A layer of the flame graph: its path and where it is. */
export interface Layer extends Span {
    name: string;
    ipu: number;
}

export interface Hit {
    band: Band;
    cycle: number;
    what: "step" | "several" | "layer" | "run" | "memory" | "block" | "none";
    from: number;
    to: number;
    step: number; // NONE: no single one
    run: number; // -1: none
    tile: number; // BSP and blocks; -1: none
    name: string;
    kind: string;
    count: number;
    balance: number;
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
    readonly extent: Span;
    width = 800; // of the lanes, without the gutter
    bands: Bands;
    hover: Hit | null = null;
    pointer: { x: number; y: number } | null = null;
    step = -1; // selected
    also: readonly number[] = []; // selected with Ctrl
    layer: Layer | null = null;
    run = -1;
    area: Area | null = null;
    marked: Span | null = null; // while the axis is dragged
    scroll = 0;
    looks: readonly TypeLook[] = [];
    /** Tiles of an IPU that its BSP picture shows; absent: all. */
    private readonly tiles = new Map<number, [number, number]>();
    private search = "";
    private readonly rows = new Map<string, number>();
    private lanePieces = new Map<string, Pieces<Rectangles>>();
    private bspPieces = new Map<string, Pieces<BspImage>>();
    private memoryPieces: Pieces<MemoryTrack>;
    private readonly drawers = new Set<Listener>();
    private readonly watchers = new Set<Listener>();
    private frame = 0;

    constructor(
        readonly report: number,
        readonly lanes: TraceLanes,
        options: TraceOptions,
        span: Span | null,
    ) {
        this.options = options;
        this.extent = { from: lanes.from, to: Math.max(lanes.to, lanes.from + 1) };
        this.span = fitSpan(span ?? this.extent, this.extent);
        this.bands = bandsOf(lanes, options, this.collapsed, this.rows);
        this.memoryPieces = new Pieces<MemoryTrack>(
            async (at, pixels, signal) => ({ value: await loadMemoryTrack({ report, lane: Math.max(0, this.options.ipu), ...at, pixels }, signal), exact: at.to - at.from <= pixels }),
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

    configure(options: TraceOptions, search: string, collapsed: ReadonlySet<string>): void {
        const before = JSON.stringify([windowOptions(this.options, this.search), this.options.flushes, this.options.aggregate]);
        this.options = options;
        this.search = search;
        this.collapsed = collapsed;
        if (before !== JSON.stringify([windowOptions(options, search), options.flushes, options.aggregate])) {
            for (const pieces of this.lanePieces.values()) pieces.dispose();
            this.lanePieces = new Map();
            this.rows.clear();
        }
        this.layout();
    }

    layout(): void {
        this.bands = bandsOf(this.lanes, this.options, this.collapsed, this.rows);
        this.invalidate();
        for (const watcher of this.watchers) watcher();
    }

    dispose(): void {
        cancelAnimationFrame(this.frame);
        for (const pieces of [...this.lanePieces.values(), ...this.bspPieces.values(), this.memoryPieces]) pieces.dispose();
    }

    scale(): Scale {
        return new Scale(this.span, this.width, GUTTER);
    }

    rowHeight(): number {
        return this.lanes.mode === "lightweight" ? ROW_HEIGHT.flame : ROW_HEIGHT[this.options.layout];
    }

    /** What is known of a lane for a window; its rows are counted. */
    rectangles(band: Pick<Band, "kind" | "key" | "lane">, span: Span = this.span, width = this.width): Rectangles | null {
        let pieces = this.lanePieces.get(band.key);
        if (!pieces) {
            const options = windowOptions(this.options, this.search);
            const blocks = { flushes: this.options.flushes, q: this.search, base: this.lanes.kinds.length };
            const tile = this.lanes.tiles[band.lane]?.tile ?? 0;
            const io = band.key.startsWith("io") ? 1 : 0;
            pieces = new Pieces<Rectangles>(
                async (at, pixels, signal) => {
                    const value =
                        band.kind === "blocks"
                            ? await loadBlocks({ report: this.report, tile, io, ...at, pixels }, blocks, signal)
                            : await loadWindow({ report: this.report, lane: band.lane, ...at, pixels }, options, signal);
                    return { value, exact: value.exact };
                },
                this.extent,
                () => this.invalidate(),
            );
            this.lanePieces.set(band.key, pieces);
        }
        const value = pieces.get(span, width)?.value ?? null;
        if (value && band.kind === "lane") this.countRows(band.key, value);
        return value;
    }

    private countRows(key: string, value: Rectangles): void {
        const { options } = this;
        if (options.layout === "flat") value.row = options.separate ? value.overlap : value.depth;
        let rows = this.rows.get(key) ?? 1;
        if (options.layout === "flame") for (const row of value.row) rows = Math.max(rows, row + 1);
        else if (options.separate) rows = Math.max(rows, value.overlaps);
        if (rows === (this.rows.get(key) ?? 1)) return;
        this.rows.set(key, rows);
        queueMicrotask(() => this.layout());
    }

    errors(): string[] {
        return [...this.lanePieces.values()].map((pieces) => pieces.error).filter((error) => error);
    }

    tilesOf(ipu: number): [number, number] {
        const all = this.lanes.tilesPerIpu;
        return this.tiles.get(ipu) ?? [ipu * all, ipu * all + all - 1];
    }

    /** Vertical zoom of the BSP picture: a factor under 1 shows fewer tiles, about a share of its height; 0 shows all. */
    zoomTiles(ipu: number, factor: number, about = 0.5): void {
        const { tilesPerIpu } = this.lanes;
        if (factor === 0) this.tiles.delete(ipu);
        else {
            const [first, last] = this.tilesOf(ipu);
            const count = last - first + 1;
            const wished = Math.min(tilesPerIpu, Math.max(Math.min(4, tilesPerIpu), Math.round(count * factor)));
            const low = ipu * tilesPerIpu;
            const at = Math.round(first + about * count - about * wished);
            const start = Math.min(low + tilesPerIpu - wished, Math.max(low, at));
            this.tiles.set(ipu, [start, start + wished - 1]);
        }
        this.invalidate();
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
                    const height = Math.min(last - first + 1, BSP_HEIGHT);
                    const value = await loadBsp({ report: this.report, tile: first, tiles: last - first + 1, ...at, pixels: width, height, hide }, signal);
                    return { value: { ...value, first, last, image: palettePicture(value.kind, value.width, value.height, palette) }, exact: at.to - at.from <= width };
                },
                this.extent,
                () => this.invalidate(),
            );
            this.bspPieces.set(key, pieces);
            if (this.bspPieces.size > 24) this.bspPieces.delete([...this.bspPieces.keys()][0]);
        }
        return pieces.get(this.span, this.width)?.value ?? null;
    }

    memory(): MemoryTrack | null {
        return this.memoryPieces.get(this.span, this.width)?.value ?? null;
    }

    /** Steps of the window that are too small to be seen, and whether they are most of it. */
    tooSmall(): boolean {
        let several = 0;
        let single = 0;
        for (const band of this.bands.bands) {
            if (band.kind !== "lane") continue;
            const value = this.rectangles(band);
            if (!value) continue;
            for (let i = 0; i < value.from.length; ++i) {
                if (value.to[i] < this.span.from || value.from[i] > this.span.to || value.kind[i] === LAYER) continue;
                if (value.step[i] === NONE && value.label[i] === NONE) several += value.to[i] - value.from[i];
                else single += value.to[i] - value.from[i];
            }
        }
        return several > single;
    }

    /** What is at a point of the graph, from its upper left corner. */
    hit(x: number, y: number): Hit | null {
        const inside = y - AXIS_HEIGHT + this.scroll;
        const band = bandAt(this.bands.bands, inside);
        if (!band || x < GUTTER) return null;
        const scale = this.scale();
        const cycle = scale.cycle(x);
        const nothing: Hit = { band, cycle, what: "none", from: cycle, to: cycle, step: NONE, run: -1, tile: -1, name: "", kind: "", count: 0, balance: 0 };
        if (band.kind === "runs") return this.hitRun(nothing);
        if (band.kind === "bsp") return this.hitBsp(nothing, (inside - band.y) / band.height);
        if (band.kind === "memory") return { ...nothing, what: "memory" };
        const value = this.rectangles(band);
        if (!value) return nothing;
        const i = rectangleAt(value, Math.floor((inside - band.y) / this.rowHeight()), cycle, 2 * scale.perPixel);
        if (i < 0) return nothing;
        const layer = value.kind[i] === LAYER && value.label[i] !== NONE;
        return {
            ...nothing,
            what: band.kind === "blocks" ? "block" : layer ? "layer" : value.step[i] === NONE ? "several" : "step",
            from: value.from[i],
            to: value.to[i],
            step: value.step[i],
            tile: band.kind === "blocks" ? (this.lanes.tiles[band.lane]?.tile ?? -1) : -1,
            name: value.labels[value.label[i]] ?? "",
            kind: this.looks[value.kind[i]]?.name ?? "",
            count: value.count[i],
            balance: value.balance[i],
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
        // The lane says which step of that kind it is, where it is fine enough.
        const lane = this.rectangles({ kind: "lane", key: laneKey(hit.band.lane), lane: hit.band.lane });
        if (!lane) return found;
        for (let i = 0; i < lane.from.length; ++i)
            if (lane.kind[i] === kind && lane.step[i] !== NONE && lane.from[i] <= hit.cycle && lane.to[i] > hit.cycle)
                return { ...found, step: lane.step[i], name: lane.labels[lane.label[i]] ?? "", from: lane.from[i], to: lane.to[i] };
        return found;
    }
}
