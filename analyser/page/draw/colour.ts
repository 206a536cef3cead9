// SPDX-License-Identifier: Apache-2.0
// Colour arithmetic: contrast of text, mixing, and a perceptually uniform scale for heat maps.

export type Rgb = readonly [number, number, number];

export function rgbOf(hex: string): Rgb {
    const value = parseInt(hex.replace("#", ""), 16);
    return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

export function hexOf([r, g, b]: Rgb): string {
    return `#${[r, g, b].map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}

export function mix(a: string, b: string, share: number): string {
    const [from, to] = [rgbOf(a), rgbOf(b)];
    return hexOf([0, 1, 2].map((i) => from[i] + (to[i] - from[i]) * share) as unknown as Rgb);
}

/** Relative luminance, 0 to 1 (WCAG 2). */
export function luminance(hex: string): number {
    const [r, g, b] = rgbOf(hex).map((part) => {
        const value = part / 255;
        return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export function contrast(a: string, b: string): number {
    const [x, y] = [luminance(a), luminance(b)];
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

/** Black or white, whichever has more contrast on a colour. */
export function inkOn(hex: string): string {
    return contrast(hex, "#000000") >= contrast(hex, "#ffffff") ? "#000000" : "#ffffff";
}

// Nine points of the viridis scale (CC0, matplotlib); colours in between are interpolated linearly.
const SCALE = ["#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725"].map(
    rgbOf,
);

/** A colour of the scale; share is from 0 to 1. */
export function heat(share: number): Rgb {
    const at = Math.min(1, Math.max(0, share)) * (SCALE.length - 1);
    const low = Math.min(SCALE.length - 2, Math.floor(at));
    const rest = at - low;
    return [0, 1, 2].map((i) => SCALE[low][i] + (SCALE[low + 1][i] - SCALE[low][i]) * rest) as unknown as Rgb;
}
