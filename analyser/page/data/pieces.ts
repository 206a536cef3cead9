// SPDX-License-Identifier: Apache-2.0
// Pieces of a lane at several resolutions: the available piece is drawn at once, and a finer one is requested when
// needed. A piece extends beyond the window, so that panning does not cause a request at each frame.
import { Span } from "./rectangles";

export interface Piece<T> extends Span {
    perPixel: number; // cycles
    exact: boolean; // finer pieces would be equal
    value: T;
}

export type LoadPiece<T> = (span: Span, pixels: number, signal: AbortSignal) => Promise<{ value: T; exact: boolean }>;

const KEPT = 12;
const MARGIN = 0.75; // fraction of the window, at each side
const COARSER = 1.3; // a piece coarser than the screen by up to this factor is accepted
const APART = 70; // ms between requests: a gesture causes fewer requests than frames

function covers(piece: Span, span: Span): boolean {
    return piece.from <= span.from && piece.to >= span.to;
}

/** The best piece for a window: the coarsest one that is fine enough, else the finest that covers it; null: none. */
export function choosePiece<T>(pieces: readonly Piece<T>[], span: Span, perPixel: number): Piece<T> | null {
    let best: Piece<T> | null = null;
    for (const piece of pieces) {
        if (!covers(piece, span)) continue;
        const enough = (one: Piece<T>) => one.exact || one.perPixel <= perPixel * COARSER;
        if (!best) best = piece;
        else if (enough(piece) !== enough(best)) best = enough(piece) ? piece : best;
        else if (
            enough(piece)
                ? piece.value !== best.value && piece.to - piece.from < best.to - best.from
                : piece.perPixel < best.perPixel
        )
            best = piece;
    }
    return best;
}

export class Pieces<T> {
    private kept: Piece<T>[] = [];
    private stop: AbortController | null = null;
    private timer: ReturnType<typeof setTimeout> | undefined;
    private askedAt = -Infinity;
    private asked: { span: Span; perPixel: number } | null = null;
    error = "";

    constructor(
        private readonly load: LoadPiece<T>,
        private readonly extent: Span,
        private readonly arrived: () => void,
    ) {}

    /** The piece to draw now; requests a better one when needed, one at a time. */
    get(span: Span, width: number): Piece<T> | null {
        const perPixel = (span.to - span.from) / Math.max(1, width);
        const best = choosePiece(this.kept, span, perPixel);
        const enough = best !== null && (best.exact || best.perPixel <= perPixel * COARSER);
        if (!enough && !this.error) this.ask(span, width);
        return best;
    }

    private ask(span: Span, width: number): void {
        if (
            this.asked &&
            covers(this.asked.span, span) &&
            this.asked.perPixel <= ((span.to - span.from) / width) * COARSER
        )
            return;
        const wait = this.askedAt + APART - performance.now();
        if (wait > 0) {
            // Redrawing then requests a piece for the current window.
            this.timer ??= setTimeout(() => {
                this.timer = undefined;
                this.arrived();
            }, wait);
            return;
        }
        this.askedAt = performance.now();
        const margin = (span.to - span.from) * MARGIN;
        const wished = {
            from: Math.max(this.extent.from, Math.floor(span.from - margin)),
            to: Math.min(this.extent.to, Math.ceil(span.to + margin)),
        };
        if (wished.to <= wished.from) wished.to = wished.from + 1;
        const pixels = Math.min(
            8192,
            Math.max(1, Math.ceil((width * (wished.to - wished.from)) / (span.to - span.from))),
        );
        this.stop?.abort();
        const stop = (this.stop = new AbortController());
        const perPixel = (wished.to - wished.from) / pixels;
        this.asked = { span: wished, perPixel };
        this.load(wished, pixels, stop.signal).then(
            ({ value, exact }) => {
                if (this.stop === stop) this.asked = this.stop = null;
                this.kept.push({ ...wished, perPixel, exact, value });
                // Keeps the whole extent, which is drawn first after a jump.
                if (this.kept.length > KEPT)
                    this.kept.splice(
                        this.kept[0].from <= this.extent.from && this.kept[0].to >= this.extent.to ? 1 : 0,
                        1,
                    );
                this.arrived();
            },
            (error: unknown) => {
                if (stop.signal.aborted) return;
                this.asked = this.stop = null;
                this.error = error instanceof Error ? error.message : String(error);
                this.arrived();
            },
        );
    }

    dispose(): void {
        this.stop?.abort();
        clearTimeout(this.timer);
    }
}
