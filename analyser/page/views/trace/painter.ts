// SPDX-License-Identifier: Apache-2.0
// Draws a trace: bands with their lanes, the mini-map, and the selection and pointer overlay.
import { AXIS_HEIGHT, drawAxis } from "../../draw/axis";
import { Filler, PenFiller, Pixels } from "../../draw/fill";
import { LAYER, RectangleColumns, Span } from "../../data/rectangles";
import { LaneLook, fillLane, labelLane } from "../../draw/lanes";
import { MINIMAP_HEIGHT, drawMinimap, drawMinimapWindow } from "../../draw/minimap";
import { Pen, canvasPen, textWidth } from "../../draw/pen";
import { Scale } from "../../draw/scale";
import { TypeLook } from "../../draw/types";
import { bytes, short } from "../../text/format";
import { fitName } from "../../text/names";
import { themeColour } from "../../draw/theme";
import { Band } from "./geometry";
import { GUTTER, TraceModel } from "./model";

const FONT = "11px system-ui, sans-serif";
/** Bands whose contents are rectangles in rows. */
const ROWS: ReadonlySet<Band["kind"]> = new Set(["lane", "blocks", "host"]);
const BOLD = "600 11px system-ui, sans-serif";

export function laneLook(model: TraceModel, looks: readonly TypeLook[], kind?: Band["kind"]): LaneLook {
    const { options } = model;
    return {
        types: looks,
        paper: themeColour("paper"),
        ink: themeColour("ink"),
        line: themeColour("line"),
        accent: themeColour("accent"),
        grey: themeColour("grey"),
        font: FONT,
        rowHeight: model.rowHeight(kind),
        text: options.text,
        balance: options.balance && kind !== "host" && kind !== "blocks",
        terminals: options.terminals,
        layer: { plain: themeColour("layer"), ink: themeColour("ink") },
    };
}

function drawRuns(pen: Pen, model: TraceModel, scale: Scale, band: Band): void {
    pen.font = FONT;
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    const right = scale.left + scale.width;
    model.lanes.runs.forEach((run, i) => {
        const from = Math.max(scale.left, scale.x(run.from));
        const to = Math.min(right, scale.x(run.to));
        if (to < scale.left || from > right) return;
        const chosen = i === model.run;
        pen.fillStyle = chosen ? themeColour("accent") : themeColour("run");
        pen.fillRect(from, band.y, Math.max(1.5, to - from - 1), band.height - 1);
        const text = fitName(run.name, (part) => textWidth(part, FONT) <= to - from - 8);
        pen.fillStyle = themeColour("paper");
        if (text) pen.fillText(text, from + 4, band.y + band.height / 2);
    });
}

function drawBsp(pen: Pen, model: TraceModel, scale: Scale, band: Band): void {
    const picture = model.bsp(band.lane);
    pen.fillStyle = themeColour("panel");
    pen.fillRect(scale.left, band.y, scale.width, band.height);
    if (!picture) return;
    const { from, to, width, height } = picture;
    const cells = width / (to - from);
    const shown = { from: Math.max(from, scale.span.from), to: Math.min(to, scale.span.to) };
    const sx = (shown.from - from) * cells;
    pen.imageSmoothingEnabled = height >= band.height; // few tiles have sharp edges
    const x = scale.x(shown.from);
    pen.drawImage(
        picture.image,
        sx,
        0,
        Math.max(0.01, (shown.to - shown.from) * cells),
        height,
        x,
        band.y,
        Math.max(1, scale.x(shown.to) - x),
        band.height,
    );
}

function drawMemory(pen: Pen, model: TraceModel, scale: Scale, band: Band): void {
    const track = model.memory();
    pen.fillStyle = themeColour("panel");
    pen.fillRect(scale.left, band.y, scale.width, band.height);
    if (!track || track.max <= 0) return;
    const height = (value: number) => (value / track.max) * (band.height - 2);
    const each = (track.to - track.from) / track.live.length;
    const first = Math.max(0, Math.floor((scale.span.from - track.from) / each));
    const last = Math.min(track.live.length - 1, Math.ceil((scale.span.to - track.from) / each));
    pen.fillStyle = themeColour("memory");
    for (let i = first; i <= last; ++i) {
        const x = Math.max(scale.left, scale.x(track.from + i * each));
        const end = Math.min(scale.left + scale.width, scale.x(track.from + (i + 1) * each));
        const high = height(track.live[i]);
        if (end > x) pen.fillRect(x, band.y + band.height - high, end - x + 0.5, high);
    }
    const always = band.y + band.height - height(track.alwaysLive);
    pen.strokeStyle = themeColour("ink-soft");
    pen.lineWidth = 1;
    pen.setLineDash([3, 3]);
    pen.beginPath();
    pen.moveTo(scale.left, always);
    pen.lineTo(scale.left + scale.width, always);
    pen.stroke();
    pen.setLineDash([]);
    pen.fillStyle = themeColour("ink-soft");
    pen.font = FONT;
    pen.textBaseline = "top";
    pen.fillText(`peak ${bytes(track.max)}, always live ${bytes(track.alwaysLive)}`, scale.left + 4, band.y + 2);
}

const SERIES = ["#d55e00", "#0072b2", "#009e73", "#cc79a7", "#8c8c00", "#4a4e54"];

/** The series of a graph of the host as lines, from 0 or the least value to the most. */
function drawSeries(pen: Pen, model: TraceModel, scale: Scale, band: Band): void {
    const graph = model.hosts?.graphs.find((one) => one.index === band.lane);
    const value = model.series(band);
    pen.fillStyle = themeColour("panel");
    pen.fillRect(scale.left, band.y, scale.width, band.height);
    if (!graph || !value) return;
    const y = (of: number) => seriesHeight(graph, band, of);
    pen.save();
    pen.beginPath();
    pen.rect(scale.left, band.y, scale.width, band.height);
    pen.clip();
    pen.lineWidth = 1.5;
    graph.series.forEach((_, series) => {
        pen.strokeStyle = SERIES[series % SERIES.length];
        pen.beginPath();
        let first = true;
        for (let i = 0; i < value.at.length; ++i) {
            if (value.series[i] !== series) continue;
            const x = scale.x(value.at[i]);
            if (first) pen.moveTo(x, y(value.low[i]));
            else pen.lineTo(x, y(value.low[i]));
            if (value.high[i] !== value.low[i]) pen.lineTo(x, y(value.high[i]));
            first = false;
        }
        pen.stroke();
    });
    pen.restore();
    pen.font = FONT;
    pen.textBaseline = "top";
    pen.textAlign = "left";
    let x = scale.left + 4;
    const write = (text: string, ink: string) => {
        pen.fillStyle = ink;
        pen.fillText(text, x, band.y + 2);
        x += textWidth(text, FONT) + 12;
    };
    graph.series.forEach((name, series) => write(name, SERIES[series % SERIES.length]));
    write(`${short(Math.min(0, graph.min))} to ${short(graph.max)} ${graph.unit}`, themeColour("ink-soft"));
}

/** Where a value of a graph is drawn. */
export function seriesHeight(graph: { min: number; max: number }, band: Band, of: number): number {
    const least = Math.min(0, graph.min);
    const most = Math.max(least + 1e-300, graph.max);
    return band.y + band.height - 2 - ((of - least) / (most - least)) * (band.height - 18);
}

/** Rows below the first have a dashed border: their steps overlap in time with those above. */
function drawExtraRows(pen: Pen, model: TraceModel, scale: Scale, band: Band): void {
    const row = model.rowHeight();
    pen.strokeStyle = themeColour("line");
    pen.lineWidth = 1;
    pen.setLineDash([4, 3]);
    for (let i = 1; i < band.rows; ++i)
        pen.strokeRect(scale.left + 0.5, band.y + i * row - 0.5, scale.width - 1, row - 1);
    pen.setLineDash([]);
}

/** Draws a lane's rectangles and labels; `pixels` is a picture to fill them in, null to use the pen. */
function drawLane(
    pen: Pen,
    pixels: Pixels | null,
    rectangles: RectangleColumns,
    scale: Scale,
    band: Band,
    look: LaneLook,
): void {
    pixels?.begin(scale.left, band.y, scale.width, band.rows * look.rowHeight);
    const filler: Filler = pixels ?? new PenFiller(pen);
    fillLane(filler, rectangles, scale, band.y, band.rows, look);
    pixels?.draw(pen);
    if (look.text) labelLane(pen, rectangles, scale, band.y, band.rows, look);
}

/** Draws the graph with a width and height: for the page (with a picture for its lanes), or for an export (null),
 * which has titles at its left where the page has buttons. */

const MARKS_APART = 6; // pixels, at least

/** Dashed lines where iterations of the main loop begin, unless they would be too close together. */
function drawMarks(pen: Pen, scale: Scale, marks: readonly number[], ink: string, bottom: number): void {
    const inside = marks.filter((mark) => mark >= scale.span.from && mark <= scale.span.to);
    if (inside.length * MARKS_APART > scale.width) return;
    pen.save();
    pen.strokeStyle = ink;
    pen.lineWidth = 1;
    pen.setLineDash([2, 3]);
    pen.beginPath();
    for (const mark of inside) {
        const x = Math.round(scale.x(mark)) + 0.5;
        pen.moveTo(x, AXIS_HEIGHT);
        pen.lineTo(x, bottom);
    }
    pen.stroke();
    pen.restore();
}

export function drawGraph(pen: Pen, pixels: Pixels | null, model: TraceModel, width: number, height: number): void {
    const scale = model.scale();
    const look = laneLook(model, model.looks);
    pen.fillStyle = look.paper;
    pen.fillRect(0, 0, width, height);
    drawAxis(
        pen,
        scale,
        { ink: themeColour("ink-soft"), line: look.line, paper: themeColour("panel"), font: FONT },
        model.lanes.clockFrequency,
        model.base(),
        height,
    );
    drawMarks(pen, scale, model.lanes.opening.marks, look.line, height);
    pen.save();
    pen.beginPath();
    pen.rect(0, AXIS_HEIGHT, width, height - AXIS_HEIGHT);
    pen.clip();
    const shift = AXIS_HEIGHT - model.scroll;
    for (const band of model.bands.bands) {
        const placed = { ...band, y: band.y + shift };
        if (placed.y > height || placed.y + placed.height < AXIS_HEIGHT) continue;
        if (band.kind === "runs") drawRuns(pen, model, scale, placed);
        else if (band.kind === "bsp") drawBsp(pen, model, scale, placed);
        else if (band.kind === "memory") drawMemory(pen, model, scale, placed);
        else if (band.kind === "series") drawSeries(pen, model, scale, placed);
        else if (band.kind !== "title") {
            const rectangles = model.rectangles(band);
            if (model.options.separate && band.kind === "lane") drawExtraRows(pen, model, scale, placed);
            if (rectangles) drawLane(pen, pixels, rectangles, scale, placed, laneLook(model, model.looks, band.kind));
        }
    }
    pen.fillStyle = look.paper;
    pen.fillRect(0, AXIS_HEIGHT, GUTTER, height);
    if (!pixels)
        for (const band of model.bands.bands) {
            pen.fillStyle = look.ink;
            pen.font = BOLD;
            pen.textBaseline = "top";
            pen.textAlign = "left";
            pen.fillText(band.title, 8, band.y + shift + 2);
        }
    pen.restore();
}

/** The mini-map shows the first row of each lane over the whole extent. It is redrawn when its data changes, not
 * when the window moves. */
export function paintMinimap(pen: Pen, model: TraceModel): void {
    const scale = new Scale(model.extent, model.width, GUTTER);
    const look = laneLook(model, model.looks);
    const bands = model.bands.bands.filter((band) => ROWS.has(band.kind)).slice(0, 8);
    const lanes = bands.map((band) => model.rectangles(band, model.extent, model.width));
    const runs = model.options.runs ? model.lanes.runs : [];
    const width = GUTTER + model.width;
    const shown = [...lanes, runs.length, model.looks, width, window.devicePixelRatio];
    const kept = model.minimap;
    if (shown.length !== kept.shown.length || shown.some((one, i) => one !== kept.shown[i])) {
        kept.shown = shown;
        const whole = canvasPen(kept.canvas, width, MINIMAP_HEIGHT);
        whole.fillStyle = look.paper;
        whole.fillRect(0, 0, GUTTER, MINIMAP_HEIGHT);
        drawMinimap(whole, scale, { lanes, runs }, look);
    }
    pen.drawImage(kept.canvas, 0, 0, kept.canvas.width, kept.canvas.height, 0, 0, width, MINIMAP_HEIGHT);
    drawMinimapWindow(pen, scale, runs, model.span, look);
}

function outline(pen: Pen, scale: Scale, y: number, height: number, span: Span, colour: string, width: number): void {
    const x = Math.max(scale.left - 2, scale.x(span.from));
    const end = Math.min(scale.left + scale.width + 2, scale.x(span.to));
    if (end < scale.left || x > scale.left + scale.width) return;
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.strokeRect(x, y, Math.max(2, end - x), height - 1);
}

/** Marks the selection in the visible lanes. */
function drawSelected(pen: Pen, model: TraceModel, scale: Scale, band: Band, y: number): void {
    const { layer } = model;
    const any =
        band.kind === "lane"
            ? model.step >= 0 || model.also.length > 0 || layer !== null
            : (band.kind === "host" ? model.event : model.block) >= 0;
    const value = any ? model.rectangles(band) : null;
    if (!value) return;
    const chosen = new Set([model.step, ...model.also]);
    const isLayer = (i: number) =>
        layer !== null &&
        layer.ipu === band.lane &&
        value.kind[i] === LAYER &&
        value.labels[value.label[i]] === layer.name &&
        value.from[i] < layer.to &&
        value.to[i] > layer.from;
    const isChosen = (i: number) =>
        band.kind === "lane"
            ? chosen.has(value.step[i]) || isLayer(i)
            : band.kind === "host"
              ? value.block?.[i] === model.event && value.count[i] === 1
              : model.block >= 0 && value.block?.[i] === model.block;
    const row = model.rowHeight(band.kind);
    for (let i = 0; i < value.from.length; ++i) {
        if (value.row[i] >= band.rows || value.to[i] < scale.span.from || value.from[i] > scale.span.to || !isChosen(i))
            continue;
        const span = { from: value.from[i], to: value.to[i] };
        outline(pen, scale, y + value.row[i] * row, row, span, themeColour("paper"), 4);
        outline(pen, scale, y + value.row[i] * row, row, span, themeColour("ink"), 2);
    }
}

function drawArea(pen: Pen, model: TraceModel, scale: Scale, height: number): void {
    const { area } = model;
    if (!area) return;
    const shift = AXIS_HEIGHT - model.scroll;
    const accent = themeColour("accent");
    for (const band of model.bands.bands) {
        if (band.kind !== "lane" && band.kind !== "bsp") continue;
        const [low, high] =
            band.kind === "bsp"
                ? model.tilesOf(band.lane)
                : [band.lane * model.lanes.tilesPerIpu, (band.lane + 1) * model.lanes.tilesPerIpu - 1];
        const [first, last] = [Math.max(low, area.first), Math.min(high, area.last)];
        if (first > last) continue;
        const count = high - low + 1;
        const top = band.kind === "bsp" ? ((first - low) / count) * band.height : 0;
        const tall = band.kind === "bsp" ? ((last - first + 1) / count) * band.height : band.height;
        const y = band.y + shift + top;
        if (y > height || y + tall < AXIS_HEIGHT) continue;
        const x = Math.max(scale.left, scale.x(area.from));
        const end = Math.min(scale.left + scale.width, scale.x(area.to));
        if (end < x) continue;
        pen.globalAlpha = 0.18;
        pen.fillStyle = accent;
        pen.fillRect(x, y, end - x, tall);
        pen.globalAlpha = 1;
        outline(pen, scale, y, tall, area, accent, 1.5);
    }
}

/** Draws the parts that change with the pointer and the selection, on a separate canvas above the graph. */
export function drawOverlay(context: CanvasRenderingContext2D, model: TraceModel, width: number, height: number): void {
    context.clearRect(0, 0, width, height);
    const scale = model.scale();
    const shift = AXIS_HEIGHT - model.scroll;
    context.save();
    context.beginPath();
    context.rect(GUTTER, 0, width - GUTTER, height);
    context.clip();
    for (const band of model.bands.bands)
        if (ROWS.has(band.kind)) drawSelected(context, model, scale, band, band.y + shift);
    drawArea(context, model, scale, height);
    if (model.marked) {
        context.globalAlpha = 0.2;
        context.fillStyle = themeColour("accent");
        const x = scale.x(model.marked.from);
        context.fillRect(x, 0, scale.x(model.marked.to) - x, height);
        context.globalAlpha = 1;
    }
    const { hover, pointer } = model;
    if (
        hover &&
        hover.what !== "none" &&
        hover.what !== "memory" &&
        hover.what !== "series" &&
        hover.band.kind !== "bsp"
    ) {
        const row = hover.band.kind === "runs" ? hover.band.height : model.rowHeight(hover.band.kind);
        const at = Math.floor(((pointer?.y ?? 0) - shift - hover.band.y) / row);
        outline(context, scale, hover.band.y + shift + at * row, row, hover, themeColour("ink"), 1);
    }
    if (pointer && pointer.x >= GUTTER) {
        context.strokeStyle = themeColour("ink-soft");
        context.lineWidth = 1;
        context.setLineDash([2, 3]);
        context.beginPath();
        context.moveTo(Math.round(pointer.x) + 0.5, AXIS_HEIGHT);
        context.lineTo(Math.round(pointer.x) + 0.5, height);
        context.stroke();
        context.setLineDash([]);
    }
    context.restore();
}
