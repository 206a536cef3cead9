// SPDX-License-Identifier: Apache-2.0
// Fills rectangles with a pen, or with pixels in memory for pictures of thousands of narrow ones, for which a canvas is
// many times slower.
import { rgbOf } from "./colour";
import { Paint, PatternCells, Pen, patternCells } from "./pen";

export interface Filler {
    fill(paint: Paint, x: number, y: number, width: number, height: number): void;
}

export class PenFiller implements Filler {
    private paint: Paint | null = null;

    constructor(private readonly pen: Pen) {}

    fill(paint: Paint, x: number, y: number, width: number, height: number): void {
        if (paint !== this.paint) this.pen.fillStyle = this.paint = paint;
        this.pen.fillRect(x, y, width, height);
    }
}

const OPAQUE = 255;
const LONG = 32; // pixels of a row from which the array's own fill is faster

function pixelOf(red: number, green: number, blue: number): number {
    return ((OPAQUE << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** A picture in memory: rectangles cover whole device pixels, and the picture is drawn at once. */
export class Pixels implements Filler {
    private readonly canvas = document.createElement("canvas");
    private readonly context = this.canvas.getContext("2d") as CanvasRenderingContext2D;
    private image: ImageData | null = null;
    private data = new Uint32Array(0);
    private ratio = 1;
    private left = 0; // of the picture, in device pixels
    private top = 0;
    private width = 0;
    private height = 0;
    private paint: Paint | null = null;
    private colour = 0;
    private cells: PatternCells | null = null;

    /** Begins an empty picture of an area of the page. */
    begin(x: number, y: number, width: number, height: number): void {
        this.ratio = window.devicePixelRatio || 1;
        this.left = Math.floor(x * this.ratio);
        this.top = Math.floor(y * this.ratio);
        this.width = Math.max(1, Math.ceil((x + width) * this.ratio) - this.left);
        this.height = Math.max(1, Math.ceil((y + height) * this.ratio) - this.top);
        if (this.image?.width !== this.width || this.image.height < this.height) {
            this.image = new ImageData(this.width, this.height);
            this.data = new Uint32Array(this.image.data.buffer);
            this.canvas.width = this.width;
            this.canvas.height = this.height;
        } else this.data.fill(0, 0, this.width * this.height);
    }

    /** The pixel value of each colour used. */
    private readonly known = new Map<string, number>();

    private choose(paint: Paint): void {
        this.paint = paint;
        this.cells = typeof paint === "string" ? null : patternCells(paint);
        if (typeof paint !== "string") return;
        let colour = this.known.get(paint);
        if (colour === undefined) this.known.set(paint, (colour = pixelOf(...rgbOf(paint))));
        this.colour = colour;
    }

    fill(paint: Paint, x: number, y: number, width: number, height: number): void {
        if (paint !== this.paint) this.choose(paint);
        const { ratio, data, cells, colour } = this;
        const x0 = Math.max(0, Math.round(x * ratio) - this.left);
        const y0 = Math.max(0, Math.round(y * ratio) - this.top);
        const x1 = Math.min(this.width, Math.max(x0 + 1, Math.round((x + width) * ratio) - this.left));
        const y1 = Math.min(this.height, Math.max(y0 + 1, Math.round((y + height) * ratio) - this.top));
        for (let row = y0; row < y1; ++row) {
            const start = row * this.width;
            if (cells) {
                const line = (Math.floor(row / ratio) % cells.size) * cells.size;
                for (let at = x0; at < x1; ++at)
                    data[start + at] = cells.pixels[line + (Math.floor(at / ratio) % cells.size)];
            } else if (x1 - x0 >= LONG) data.fill(colour, start + x0, start + x1);
            else for (let at = start + x0; at < start + x1; ++at) data[at] = colour;
        }
    }

    /** Draws the picture at the position given to begin. */
    draw(pen: Pen): void {
        if (!this.image) return;
        const { width, height, ratio } = this;
        this.context.putImageData(this.image, 0, 0, 0, 0, width, height);
        pen.drawImage(
            this.canvas,
            0,
            0,
            width,
            height,
            this.left / ratio,
            this.top / ratio,
            width / ratio,
            height / ratio,
        );
    }
}
