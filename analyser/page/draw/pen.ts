// SPDX-License-Identifier: Apache-2.0
// The drawing interface: the part of a canvas context that the page uses, so that the same code also writes SVG files.

export type Paint = string | CanvasPattern | CanvasGradient;

export interface Pen {
    fillStyle: Paint;
    strokeStyle: Paint;
    lineWidth: number;
    font: string;
    textAlign: CanvasTextAlign;
    textBaseline: CanvasTextBaseline;
    globalAlpha: number;
    imageSmoothingEnabled?: boolean;
    fillRect(x: number, y: number, width: number, height: number): void;
    strokeRect(x: number, y: number, width: number, height: number): void;
    beginPath(): void;
    moveTo(x: number, y: number): void;
    lineTo(x: number, y: number): void;
    rect(x: number, y: number, width: number, height: number): void;
    fill(): void;
    stroke(): void;
    fillText(text: string, x: number, y: number): void;
    setLineDash(segments: number[]): void;
    save(): void;
    restore(): void;
    clip(): void;
    drawImage(
        image: CanvasImageSource,
        sx: number,
        sy: number,
        sw: number,
        sh: number,
        x: number,
        y: number,
        width: number,
        height: number,
    ): void;
}

/** A canvas context as a pen; sets its size in device pixels when it has changed. */
export function canvasPen(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
    const ratio = window.devicePixelRatio || 1;
    const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
    if (canvas.width !== w) canvas.width = w;
    if (canvas.height !== h) canvas.height = h;
    const context = canvas.getContext("2d", { alpha: false }) as CanvasRenderingContext2D;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    return context;
}

const widths = new Map<string, Map<string, number>>();
let measuring: CanvasRenderingContext2D | null = null;

/** Width of a text; cached, because measuring is slow. */
export function textWidth(text: string, font: string): number {
    let ofFont = widths.get(font);
    if (!ofFont) widths.set(font, (ofFont = new Map<string, number>()));
    let width = ofFont.get(text);
    if (width === undefined) {
        measuring ??= document.createElement("canvas").getContext("2d") as CanvasRenderingContext2D;
        measuring.font = font;
        width = measuring.measureText(text).width;
        if (ofFont.size > 20000) ofFont.clear();
        ofFont.set(text, width);
    }
    return width;
}

/** The pixels of a pattern, size x size. */
export interface PatternCells {
    size: number;
    pixels: Uint32Array;
}
const patterns = new WeakMap<object, PatternCells>();
const HATCH = 6; // pixels

/** The pixels of a pattern made by hatch(); null for any other paint. */
export function patternCells(paint: CanvasPattern | CanvasGradient): PatternCells | null {
    return patterns.get(paint) ?? null;
}

/** A pattern of diagonal lines of a colour, for steps that wait. */
export function hatch(colour: string, paper: string): CanvasPattern {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = HATCH;
    const context = canvas.getContext("2d") as CanvasRenderingContext2D;
    context.fillStyle = paper;
    context.fillRect(0, 0, HATCH, HATCH);
    context.strokeStyle = colour;
    context.lineWidth = 1.5;
    for (const x of [-6, 0, 6]) {
        context.beginPath();
        context.moveTo(x - 1, 7);
        context.lineTo(x + 7, -1);
        context.stroke();
    }
    const pattern = context.createPattern(canvas, "repeat") as CanvasPattern;
    const { data } = context.getImageData(0, 0, HATCH, HATCH);
    patterns.set(pattern, { size: HATCH, pixels: new Uint32Array(data.buffer) });
    return pattern;
}
