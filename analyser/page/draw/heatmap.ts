// SPDX-License-Identifier: Apache-2.0
// Grids as pictures: numbers on the colour scale, or types in their colours. A cell is one pixel; callers scale the
// picture.
import { Rgb, heat } from "./colour";

function picture(width: number, height: number, colour: (at: number) => Rgb | null): HTMLCanvasElement {
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, width);
    canvas.height = Math.max(1, height);
    const context = canvas.getContext("2d") as CanvasRenderingContext2D;
    const image = context.createImageData(canvas.width, canvas.height);
    for (let i = 0; i < width * height; ++i) {
        const found = colour(i);
        if (!found) continue;
        image.data[4 * i] = found[0];
        image.data[4 * i + 1] = found[1];
        image.data[4 * i + 2] = found[2];
        image.data[4 * i + 3] = 255;
    }
    context.putImageData(image, 0, 0);
    return canvas;
}

/** A grid of width x height numbers, row by row; min is the dark end of the scale, NaN is omitted. */
export function heatPicture(
    values: ArrayLike<number>,
    width: number,
    height: number,
    min: number,
    max: number,
): HTMLCanvasElement {
    const steps = Array.from({ length: 256 }, (_, i) => heat(i / 255));
    const range = max > min ? max - min : 1;
    return picture(width, height, (at) => {
        const value = values[at];
        return Number.isNaN(value)
            ? null
            : steps[Math.max(0, Math.min(255, Math.round(((value - min) / range) * 255)))];
    });
}

/** A grid of indices into a list of colours; an index without a colour is omitted. */
export function palettePicture(
    values: ArrayLike<number>,
    width: number,
    height: number,
    palette: readonly (Rgb | undefined)[],
): HTMLCanvasElement {
    return picture(width, height, (at) => palette[values[at]] ?? null);
}
