// SPDX-License-Identifier: Apache-2.0
// Colours of memory: an ordered palette of twelve, in which neighbours differ in lightness as well as in hue.
import { mix } from "../../draw/colour";
import { isDark } from "../../preferences";

const PALETTE = [
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#d55e00",
    "#8c8c00",
    "#7a5195",
    "#f0e442",
    "#44aa99",
    "#aa4499",
    "#882255",
];
const OTHER = "#9a9a9a";

// The largest categories of typical programs come first; the rest is "other".
const ORDER = [
    "variable",
    "message",
    "vertexInstanceState",
    "rearrangement",
    "vertexFieldData",
    "vertexCode",
    "multiple",
    "internalExchangeCode",
    "constant",
    "controlCode",
    "hostMessage",
    "stack",
];

export function memoryColour(index: number): string {
    const colour = PALETTE[index] ?? OTHER;
    return isDark() ? mix(colour, "#ffffff", 0.15) : colour;
}

export function categoryColour(name: string): string {
    const at = ORDER.indexOf(name);
    return memoryColour(at < 0 ? PALETTE.length : at);
}

/** Categories with a colour of their own, in the palette's order. */
export const NAMED: readonly string[] = ORDER;
