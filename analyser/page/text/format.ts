// SPDX-License-Identifier: Apache-2.0
// Formatting of numbers and names.
import { Units, preferences } from "../preferences";

const counts = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });

/** "12,345". */
export function count(value: number): string {
    return counts.format(value);
}

const BINARY = ["B", "KiB", "MiB", "GiB", "TiB"];
const SI = ["B", "kB", "MB", "GB", "TB"];

/** Bytes in the preferred units: "624 KiB", "8.0 KiB", "1,024 B". */
export function bytes(value: number, units: Units = preferences().units): string {
    const base = units === "si" ? 1000 : 1024;
    const names = units === "si" ? SI : BINARY;
    let power = 0;
    let scaled = Math.abs(value);
    if (units !== "bytes")
        while (scaled >= base && power + 1 < names.length) {
            scaled /= base;
            ++power;
        }
    const digits = power === 0 ? counts.format(scaled) : scaled.toFixed(scaled >= 100 ? 0 : 1);
    return `${value < 0 ? "−" : ""}${digits} ${names[power]}`;
}

/** "12.3 k", "4.56 M": for narrow spaces. */
export function short(value: number): string {
    const size = Math.abs(value);
    if (size < 10000) return Number.isInteger(value) ? counts.format(value) : value.toPrecision(3);
    const [scale, name] = size < 1e6 ? [1e3, "k"] : size < 1e9 ? [1e6, "M"] : size < 1e12 ? [1e9, "G"] : [1e12, "T"];
    return `${(value / scale).toPrecision(4).replace(/\.?0+$/, "")} ${name}`;
}

/** "12,345 cycles". */
export function cycles(value: number): string {
    return `${counts.format(value)} ${value === 1 ? "cycle" : "cycles"}`;
}

/** Floating-point operations: "1,234 FLOP", "12.35 MFLOP". */
export function flop(value: number): string {
    if (Math.abs(value) < 1e6) return `${counts.format(value)} FLOP`;
    return `${short(value)}FLOP`;
}

/** The same in a column whose head is FLOP: "1.448 G", "414,720". */
export function flopCell(value: number): string {
    return flop(value).replace(/ ?FLOP$/, "");
}

/** A rate: "0.031", "12.3", "1,234". */
export function rate(value: number): string {
    if (!Number.isFinite(value)) return "–";
    return Math.abs(value) >= 1000 || value === 0 ? counts.format(value) : value.toPrecision(3);
}

/** Cycles as time: "1.23 ms"; empty when the clock is unknown.  With a step, times that differ by it differ in text. */
export function time(cycleCount: number, clockHz: number, step = 0): string {
    if (!(clockHz > 0)) return "";
    const seconds = cycleCount / clockHz;
    const size = Math.abs(seconds);
    const [scale, name] =
        size >= 1 || size === 0 ? [1, "s"] : size >= 1e-3 ? [1e3, "ms"] : size >= 1e-6 ? [1e6, "µs"] : [1e9, "ns"];
    const shown = (seconds * scale).toPrecision(3);
    const digits = step > 0 && size > 0 ? Math.ceil(-Math.log10((step / clockHz) * scale)) : 0;
    const known = shown.includes(".") ? shown.length - 1 - shown.indexOf(".") : 0;
    if (digits > known && digits < 16) return `${(seconds * scale).toFixed(digits)} ${name}`;
    return `${shown} ${name}`;
}

/** "1 tile needs more memory than it has". */
export function overflowText(tiles: number): string {
    return tiles === 1
        ? "1 tile needs more memory than it has"
        : `${count(tiles)} tiles need more memory than they have`;
}

/** A share: "12.3 %". */
export function percent(share: number, digits = 1): string {
    return Number.isFinite(share) ? `${(share * 100).toFixed(digits)} %` : "–";
}

/** A difference with its sign: "+1,234". */
export function difference(value: number, format: (value: number) => string = count): string {
    return value === 0 ? "0" : `${value > 0 ? "+" : "−"}${format(Math.abs(value))}`;
}
