// SPDX-License-Identifier: Apache-2.0
// The trace's part of the URL besides its options: windows, the selection, folded lanes, visible tiles.
import { Span } from "../../data/rectangles";
import { Json, JsonObject } from "../../state";
import { Area, Layer } from "./model";

export function numberOf(state: JsonObject, key: string): number | null {
    const value = state[key];
    return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function isNumbers(value: Json | undefined): value is number[] {
    return Array.isArray(value) && value.every((one) => typeof one === "number" && Number.isFinite(one));
}

export function numbersOf(state: JsonObject, key: string): number[] {
    const value = state[key];
    return isNumbers(value) ? value : [];
}

/** The window of a model (0, or 1 of the compared report). */
export function spanOf(state: JsonObject, model: number): Span | null {
    const suffix = model ? "1" : "";
    const [from, to] = [numberOf(state, `from${suffix}`), numberOf(state, `to${suffix}`)];
    return from !== null && to !== null && to > from ? { from, to } : null;
}

function objectOf(state: JsonObject, key: string): JsonObject | null {
    const value = state[key];
    return value && typeof value === "object" && !Array.isArray(value) ? value : null;
}

/** The selected layer of a flame graph. */
export function layerOf(state: JsonObject): Layer | null {
    const value = objectOf(state, "layer");
    if (!value || typeof value.name !== "string") return null;
    const [ipu, from, to] = [numberOf(value, "ipu"), numberOf(value, "from"), numberOf(value, "to")];
    return ipu !== null && from !== null && to !== null
        ? { name: value.name, ipu, from, to, tree: value.tree === "programs" ? "programs" : "names" }
        : null;
}

/** The selected block of a lightweight profile: its number in the report. */
export function blockOf(state: JsonObject): number {
    return numberOf(state, "block") ?? -1;
}

/** The selected event of the host: its index in the report's trace of the host. */
export function eventOf(state: JsonObject): number {
    return numberOf(state, "event") ?? -1;
}

export function areaOf(state: JsonObject): Area | null {
    const value = state.area;
    if (!isNumbers(value) || value.length !== 4) return null;
    const [from, to, first, last] = value;
    return { from, to, first, last };
}

export function foldedOf(state: JsonObject): string[] {
    const value = state.folded;
    return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
}

/** The tiles in the BSP picture of an IPU, first and last; IPUs without an entry show all. */
export function tilesOf(state: JsonObject): Map<number, [number, number]> {
    const value = state.tiles;
    const tiles = new Map<number, [number, number]>();
    if (Array.isArray(value))
        for (const one of value) if (isNumbers(one) && one.length === 3) tiles.set(one[0], [one[1], one[2]]);
    return tiles;
}

export function tilesPatch(tiles: ReadonlyMap<number, readonly [number, number]>): JsonObject {
    return { tiles: tiles.size ? [...tiles].map(([ipu, [first, last]]) => [ipu, first, last]) : null };
}
