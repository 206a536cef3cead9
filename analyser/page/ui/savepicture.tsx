// SPDX-License-Identifier: Apache-2.0
// Buttons that save a graph as PNG and as SVG: the same drawing code on a canvas of twice the size, and on an SVG pen.
import { Pen } from "../draw/pen";
import { SvgPen } from "../draw/svg";
import { saveCanvas, saveText } from "./save";
import { themeColour } from "../draw/theme";

const RATIO = 2; // pixels of the PNG for each CSS pixel

export interface Drawing {
    name: string; // of the files
    width: number;
    height: number;
    draw: (pen: Pen) => void;
}

function onPaper({ width, height, draw }: Drawing, pen: Pen): void {
    pen.fillStyle = themeColour("paper");
    pen.fillRect(0, 0, width, height);
    draw(pen);
}

export function SavePicture({ drawing }: { drawing: () => Drawing }) {
    const png = () => {
        const picture = drawing();
        const canvas = document.createElement("canvas");
        canvas.width = picture.width * RATIO;
        canvas.height = picture.height * RATIO;
        const context = canvas.getContext("2d") as CanvasRenderingContext2D;
        context.imageSmoothingEnabled = false; // keeps cells of a map sharp
        context.scale(RATIO, RATIO);
        onPaper(picture, context);
        saveCanvas(canvas, `${picture.name}.png`);
    };
    const svg = () => {
        const picture = drawing();
        const pen = new SvgPen(picture.width, picture.height, () => themeColour("ink-soft"));
        onPaper(picture, pen);
        saveText(pen.file(), `${picture.name}.svg`, "image/svg+xml");
    };
    return (
        <>
            <button type="button" data-save="png" data-tip="save the graph as PNG" onClick={png}>
                PNG
            </button>
            <button type="button" data-save="svg" data-tip="save the graph as SVG" onClick={svg}>
                SVG
            </button>
        </>
    );
}
