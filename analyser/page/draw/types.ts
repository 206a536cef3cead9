// SPDX-License-Identifier: Apache-2.0
// The colours of step types, the same in every view, legend and export. They are distinguishable under deuteranopia,
// protanopia and tritanopia (tests/access.test.mjs); steps that wait are also hatched.
import { Rgb, inkOn, mix, rgbOf } from "./colour";
import { Paint, hatch } from "./pen";

const LIGHT: { readonly [type: string]: string } = {
    OnTileExecute: "#d55e00",
    DoExchange: "#56b4e9",
    GlobalExchange: "#009e73",
    StreamCopyBegin: "#ead0de",
    "StreamCopyMid Host": "#cc79a7",
    "StreamCopyMid RemoteBuffer": "#b565c9",
    "StreamCopyMid Mixed": "#c04f6b",
    StreamCopyEnd: "#a3587f",
    "Sync Internal": "#f0e442",
    "Sync External": "#4a4e54",
    Sans: "#d5d8dc",
    SyncAns: "#c4c8cd",
    Block: "#7a9a50",
    "Stream copy": "#cc79a7",
    "Buffer flush": "#b3a2d0",
    Overflow: "#c0392b",
    Unknown: "#8b8f94",
    "Host 1": "#e3c77b", // events of the host, by their names
    "Host 2": "#9fc3e0",
    "Host 3": "#bba7d6",
    "Host 4": "#a5cba9",
    "Host 5": "#e0ae9b",
};
const WAITS = ["Sans", "SyncAns", "Overflow", "Unknown"];
const OTHER = "#b7a27c"; // control programs that take cycles

export interface TypeLook {
    name: string;
    plain: string; // the unmixed colour
    fill: Paint; // hatched for steps that wait
    soft: string; // lighter: for the layer above, or the unbalanced part
    ink: string; // text on plain
    inkSoft: string; // text on soft
    rgb: Rgb;
}

/** The looks of types, indexed by the numbers in columns. */
export function typeLooks(names: readonly string[], dark: boolean, paper: string): TypeLook[] {
    return names.map((name) => {
        const base = LIGHT[name] ?? OTHER;
        const waits = WAITS.includes(name);
        const plain = !dark ? base : waits ? mix(base, paper, 0.6) : mix(base, "#ffffff", 0.15);
        const soft = mix(plain, paper, 0.6);
        const fill = waits ? hatch(mix(plain, dark ? "#000000" : "#5a6068", 0.4), soft) : plain;
        return { name, plain, fill, soft, ink: inkOn(plain), inkSoft: inkOn(soft), rgb: rgbOf(plain) };
    });
}

const CONTROL: { readonly [type: string]: string } = {
    Sequence: "#8fbf88",
    Call: "#0072b2",
    Repeat: "#7a5195",
    RepeatWhile: "#7a5195",
    If: "#7a5195",
    IfElse: "#7a5195",
    Switch: "#7a5195",
};

/** The colour of a program by its type and detail, or of a group of types; steps have the colours of the trace. */
export function typeColour(type: string, detail = ""): string {
    const name = detail && `${type} ${detail}` in LIGHT ? `${type} ${detail}` : type;
    return LIGHT[name] ?? CONTROL[type] ?? LIGHT[Object.keys(LIGHT).find((key) => key.startsWith(type)) ?? ""] ?? OTHER;
}
