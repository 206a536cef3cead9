// SPDX-License-Identifier: Apache-2.0
// A pen that writes an SVG file.
import { Paint, Pen } from "./pen";

const round = (n: number) => String(Math.round(n * 100) / 100);

function escape(text: string): string {
    return text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f]/g, "�").replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
}

export class SvgPen implements Pen {
    fillStyle: Paint = "#000";
    strokeStyle: Paint = "#000";
    lineWidth = 1;
    font = "11px sans-serif";
    textAlign: CanvasTextAlign = "left";
    textBaseline: CanvasTextBaseline = "alphabetic";
    globalAlpha = 1;
    private dash: number[] = [];
    private path: string[] = [];
    private readonly parts: string[] = [];
    private readonly stack: { clips: number; values: Partial<SvgPen> }[] = [];
    private clips = 0;
    private clipCount = 0;

    constructor(
        private readonly width: number,
        private readonly height: number,
        /** Replaces a pattern by a plain colour, because SVG files have no patterns here. */
        private readonly plain: (paint: Paint) => string,
    ) {}

    private paint(paint: Paint): string {
        return escape(typeof paint === "string" ? paint : this.plain(paint));
    }

    private alpha(): string {
        return this.globalAlpha < 1 ? ` opacity="${round(this.globalAlpha)}"` : "";
    }

    private line(): string {
        const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
        return (
            `fill="none" stroke="${this.paint(this.strokeStyle)}" ` +
            `stroke-width="${round(this.lineWidth)}"${dash}${this.alpha()}`
        );
    }

    private box(x: number, y: number, width: number, height: number): string {
        return (
            `<rect x="${round(x)}" y="${round(y)}" width="${round(Math.max(0, width))}` +
            `" height="${round(Math.max(0, height))}"`
        );
    }

    fillRect(x: number, y: number, width: number, height: number): void {
        this.parts.push(`${this.box(x, y, width, height)} fill="${this.paint(this.fillStyle)}"${this.alpha()}/>`);
    }

    strokeRect(x: number, y: number, width: number, height: number): void {
        this.parts.push(`${this.box(x, y, width, height)} ${this.line()}/>`);
    }

    beginPath(): void {
        this.path = [];
    }

    moveTo(x: number, y: number): void {
        this.path.push(`M${round(x)} ${round(y)}`);
    }

    lineTo(x: number, y: number): void {
        this.path.push(`L${round(x)} ${round(y)}`);
    }

    rect(x: number, y: number, width: number, height: number): void {
        this.path.push(`M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}z`);
    }

    fill(): void {
        this.parts.push(`<path d="${this.path.join("")}" fill="${this.paint(this.fillStyle)}"${this.alpha()}/>`);
    }

    stroke(): void {
        this.parts.push(`<path d="${this.path.join("")}" ${this.line()}/>`);
    }

    fillText(text: string, x: number, y: number): void {
        const size = /(\d+(\.\d+)?)px\s+(.*)/.exec(this.font);
        const anchor = { center: "middle", right: "end", end: "end", left: "start", start: "start" }[this.textAlign];
        const baseline = {
            top: "text-before-edge",
            middle: "central",
            bottom: "text-after-edge",
            hanging: "hanging",
            ideographic: "auto",
            alphabetic: "auto",
        }[this.textBaseline];
        const weight = /^(bold|[5-9]00)/.test(this.font) ? ' font-weight="600"' : "";
        this.parts.push(
            `<text x="${round(x)}" y="${round(y)}" font-size="${size?.[1] ?? 11}` +
                `" font-family="${escape(size?.[3] ?? "sans-serif")}"${weight} ` +
                `text-anchor="${anchor}" dominant-baseline="${baseline}" ` +
                `fill="${this.paint(this.fillStyle)}"${this.alpha()}>${escape(text)}</text>`,
        );
    }

    setLineDash(segments: number[]): void {
        this.dash = segments;
    }

    save(): void {
        const { fillStyle, strokeStyle, lineWidth, font, textAlign, textBaseline, globalAlpha } = this;
        this.stack.push({
            clips: this.clips,
            values: { fillStyle, strokeStyle, lineWidth, font, textAlign, textBaseline, globalAlpha },
        });
    }

    restore(): void {
        const kept = this.stack.pop();
        if (!kept) return;
        for (; this.clips > kept.clips; --this.clips) this.parts.push("</g>");
        Object.assign(this, kept.values);
    }

    clip(): void {
        const id = `c${this.clipCount++}`;
        this.parts.push(`<clipPath id="${id}"><path d="${this.path.join("")}"/></clipPath><g clip-path="url(#${id})">`);
        ++this.clips;
    }

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
    ): void {
        const canvas = document.createElement("canvas");
        canvas.width = Math.max(1, Math.round(sw));
        canvas.height = Math.max(1, Math.round(sh));
        canvas.getContext("2d")?.drawImage(image, sx, sy, sw, sh, 0, 0, canvas.width, canvas.height);
        this.parts.push(
            `<image x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" ` +
                `preserveAspectRatio="none" style="image-rendering:pixelated" ` +
                `href="${canvas.toDataURL("image/png")}"/>`,
        );
    }

    /** The complete file. */
    file(): string {
        const { width, height } = this;
        return (
            `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 ` +
            `0 ${width} ${height}">${this.parts.join("\n")}${"</g>".repeat(this.clips)}</svg>\n`
        );
    }
}
