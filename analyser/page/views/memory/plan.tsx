// SPDX-License-Identifier: Apache-2.0
// The tile map: bytes of all tiles as a heat map, IPU by IPU.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Columns } from "../../data/columns";
import { PlanMeta } from "../../data/memory";
import { heat, hexOf } from "../../draw/colour";
import { heatPicture } from "../../draw/heatmap";
import { Pen, canvasPen } from "../../draw/pen";
import { Scale, ticks } from "../../draw/scale";
import { usePreferences } from "../../preferences";
import { bytes, count } from "../../text/format";
import { saveText } from "../../ui/save";
import { withName } from "../../ui/ofreport";
import { SavePicture } from "../../ui/savepicture";
import { themeColour } from "../../draw/theme";
import { hideTip, showTip } from "../../ui/tooltip";

interface Grid {
    width: number;
    height: number;
    tiles: Int32Array; // tile of each cell; -1: none
    columns: number; // of an IPU
    rows: number;
    ipus: { left: number; top: number }[]; // cells
}

/** Positions of tiles: columns of an IPU by distance from its sync, IPUs side by side. */
export function placeTiles(order: ArrayLike<number>, tiles: number, perIpu: number, rows: number): Grid {
    const ipus = Math.max(1, Math.round(tiles / Math.max(1, perIpu)));
    const columns = Math.ceil(perIpu / rows);
    const across = Math.ceil(Math.sqrt((ipus * 1.6 * rows) / columns));
    const wide = Math.min(ipus, across);
    const width = wide * (columns + 1) - 1;
    const height = Math.ceil(ipus / wide) * (rows + 1) - 1;
    const grid = new Int32Array(width * height).fill(-1);
    const places: Grid["ipus"] = [];
    for (let ipu = 0; ipu < ipus; ++ipu) {
        const left = (ipu % wide) * (columns + 1);
        const top = Math.floor(ipu / wide) * (rows + 1);
        places.push({ left, top });
        for (let i = 0; i < perIpu; ++i)
            grid[(top + (i % rows)) * width + left + Math.floor(i / rows)] = ipu * perIpu + order[i];
    }
    return { width, height, tiles: grid, columns, rows, ipus: places };
}

const MARGIN = { left: 48, right: 12, top: 24, bottom: 40 };
const APART = { x: 40, y: 18 }; // pixels between numbers

/** Every step-th number, so that they are at least `apart` pixels from each other. */
function numbersOf(count: number, cell: number, apart: number): number[] {
    const { values } = ticks(new Scale({ from: 0, to: count - 1 }, Math.max(1, (count - 1) * cell)), apart, 1);
    return values;
}

/** Numbers of columns and rows: a tile's position, by distance from the sync, is column x rows + row. */
function drawAxes(pen: Pen, grid: Grid, place: { left: number; top: number; cell: number }): void {
    const { left, top, cell } = place;
    pen.fillStyle = themeColour("ink-soft");
    pen.font = "11px system-ui, sans-serif";
    grid.ipus.forEach((ipu, i) => {
        const [x, y] = [left + ipu.left * cell, top + ipu.top * cell];
        const bottom = y + grid.rows * cell;
        pen.textAlign = "left";
        pen.textBaseline = "bottom";
        if (grid.ipus.length > 1 && cell * grid.columns > 40) pen.fillText(`IPU ${i}`, x, y - 2);
        if (ipu.left === 0) {
            pen.textAlign = "right";
            pen.textBaseline = "middle";
            for (const row of numbersOf(grid.rows, cell, APART.y))
                pen.fillText(String(row), x - 5, y + (row + 0.5) * cell);
        }
        if (bottom < top + (grid.height - 1) * cell) return; // another IPU is below it
        pen.textAlign = "center";
        pen.textBaseline = "top";
        for (const column of numbersOf(grid.columns, cell, APART.x))
            pen.fillText(String(column), x + (column + 0.5) * cell, bottom + 4);
    });
    pen.textAlign = "left";
    pen.textBaseline = "top";
    pen.fillText(
        `columns of ${grid.rows} tiles by distance from the sync: position = column × ${grid.rows} + row`,
        left,
        top + grid.height * cell + 20,
    );
}

export interface PlanProps {
    plan: Columns<PlanMeta>;
    figure: string;
    range: { min: number; max: number } | null; // of the colour scale; null: from the data
    onRange: (range: { min: number; max: number } | null) => void;
    marks: readonly number[];
    onPick: (tile: number, add: boolean) => void;
}

export function Plan({ plan, figure, range, onRange, marks, onPick }: PlanProps) {
    const box = useRef<HTMLDivElement>(null);
    const canvas = useRef<HTMLCanvasElement>(null);
    const [size, setSize] = useState({ width: 0, height: 0 });
    usePreferences();
    const values = plan.numbers("bytes");
    const { tiles, tilesPerIpu, height } = plan.meta;
    const grid = useMemo(() => placeTiles(plan.numbers("order"), tiles, tilesPerIpu, height), [plan]);
    const extent = useMemo(() => {
        let [min, max] = [Infinity, 0];
        for (let i = 0; i < values.length; ++i) {
            min = Math.min(min, values[i]);
            max = Math.max(max, values[i]);
        }
        return { min: values.length ? min : 0, max };
    }, [plan]);
    const shown = range ?? extent;
    const picture = useMemo(() => {
        const cells = Float64Array.from(grid.tiles, (tile) => (tile < 0 ? NaN : values[tile]));
        return heatPicture(cells, grid.width, grid.height, shown.min, shown.max);
    }, [plan, shown.min, shown.max]);
    useEffect(() => {
        const element = box.current as HTMLDivElement;
        const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight });
        const watch = new ResizeObserver(measure);
        watch.observe(element);
        measure();
        return () => watch.disconnect();
    }, []);
    const plot = { width: size.width - MARGIN.left - MARGIN.right, height: size.height - MARGIN.top - MARGIN.bottom };
    const cell = Math.max(0.01, Math.min(plot.width / grid.width, plot.height / grid.height));
    const left = MARGIN.left + (plot.width - cell * grid.width) / 2;
    const top = MARGIN.top + (plot.height - cell * grid.height) / 2;
    const draw = (pen: Pen) => {
        pen.drawImage(picture, 0, 0, grid.width, grid.height, left, top, cell * grid.width, cell * grid.height);
        drawAxes(pen, grid, { left, top, cell });
        pen.strokeStyle = themeColour("more");
        pen.lineWidth = 2;
        for (let i = 0; i < grid.tiles.length; ++i)
            if (marks.includes(grid.tiles[i]))
                pen.strokeRect(left + (i % grid.width) * cell, top + Math.floor(i / grid.width) * cell, cell, cell);
    };
    useEffect(() => {
        if (!canvas.current || !size.width) return;
        const pen = canvasPen(canvas.current, size.width, size.height);
        pen.fillStyle = themeColour("paper");
        pen.fillRect(0, 0, size.width, size.height);
        pen.imageSmoothingEnabled = false;
        draw(pen);
    });
    const tileAt = (event: MouseEvent) => {
        const area = (canvas.current as HTMLCanvasElement).getBoundingClientRect();
        const x = Math.floor((event.clientX - area.left - left) / cell);
        const y = Math.floor((event.clientY - area.top - top) / cell);
        return x < 0 || y < 0 || x >= grid.width || y >= grid.height ? -1 : grid.tiles[y * grid.width + x];
    };
    const move = (event: PointerEvent) => {
        const tile = tileAt(event);
        if (tile < 0) hideTip();
        else
            showTip(
                `Tile ${tile}\nIPU ${Math.floor(tile / tilesPerIpu)}, tile ` +
                    `${tile % tilesPerIpu} of it\n${count(values[tile])} bytes (${figure})`,
                event.clientX,
                event.clientY,
            );
    };
    const csv = () => ["tile,bytes", ...Array.from(values, (value, tile) => `${tile},${value}`)].join("\r\n") + "\r\n";
    const set = (side: "min" | "max", value: number) => onRange({ ...shown, [side]: value });
    const stops = Array.from({ length: 9 }, (_, i) => hexOf(heat(i / 8))).join(", ");
    return (
        <div class="graph-box">
            <div class="plan-scale">
                {withName(<span>{bytes(shown.min)}</span>)}
                <span class="ramp" style={{ background: `linear-gradient(to right, ${stops})` }} />
                <span>{bytes(shown.max)}</span>
                {(["min", "max"] as const).map((side) => (
                    <input
                        key={side}
                        type="range"
                        aria-label={`${side} of the colours`}
                        data-tip={`${side}imum of the colours, in bytes`}
                        min={Math.min(extent.min, shown.min)}
                        max={Math.max(extent.max, shown.max)}
                        value={shown[side]}
                        onInput={(event) => set(side, Number(event.currentTarget.value))}
                    />
                ))}
                <button type="button" onClick={() => onRange(null)}>
                    Reset
                </button>
                <span class="grow" />
                <SavePicture drawing={() => ({ name: "tile-map", ...size, draw })} />
                <button type="button" onClick={() => saveText(csv(), "tile-map.csv", "text/csv")}>
                    CSV
                </button>
            </div>
            <div class="bar-graph" ref={box}>
                <canvas
                    ref={canvas}
                    data-graph="plan"
                    style={{ width: `${size.width}px`, height: `${size.height}px` }}
                    onPointerMove={move}
                    onPointerLeave={hideTip}
                    onClick={(event) => {
                        const tile = tileAt(event);
                        if (tile >= 0) onPick(tile, event.shiftKey || event.ctrlKey || event.metaKey);
                    }}
                />
            </div>
        </div>
    );
}
