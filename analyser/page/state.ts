// SPDX-License-Identifier: Apache-2.0
// The page's state: one object, one reducer, and its encoding as the URL's fragment, so that a link, a reload and the
// browser's Back restore it.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** The selection that all views share. */
export interface Selection {
    tile?: number;
    step?: number; // index of execution.steps
    program?: number; // id of a program
    variable?: string;
    operation?: string;
}

export interface State {
    view: string; // id of the current view
    parts: { readonly [view: string]: JsonObject };
    selection: Selection;
}

export type Action =
    | { type: "open"; view: string; part?: JsonObject; selection?: Selection }
    | { type: "update"; view: string; patch: JsonObject }
    | { type: "select"; selection: Selection }
    | { type: "restore"; state: State };

/** A copy of an object without the keys whose value is undefined or null. */
function merged<T extends object>(object: T, patch: Partial<T>): T {
    const result: Record<string, unknown> = { ...object, ...patch };
    for (const key of Object.keys(result)) if (result[key] === undefined || result[key] === null) delete result[key];
    return result as T;
}

export function reduce(state: State, action: Action): State {
    switch (action.type) {
        case "open": {
            const part = merged(state.parts[action.view] ?? {}, action.part ?? {});
            const selection = merged(state.selection, action.selection ?? {});
            return { view: action.view, parts: { ...state.parts, [action.view]: part }, selection };
        }
        case "update": {
            const part = merged(state.parts[action.view] ?? {}, action.patch);
            return { ...state, parts: { ...state.parts, [action.view]: part } };
        }
        case "select":
            return { ...state, selection: merged(state.selection, action.selection) };
        case "restore":
            return action.state;
    }
}

const SELECTED: { readonly [key in keyof Required<Selection>]: "number" | "string" } = {
    tile: "number",
    step: "number",
    program: "number",
    variable: "string",
    operation: "string",
};

/** A value as text: strings unchanged, unless they would parse as another type. */
function valueText(value: Json): string {
    if (typeof value !== "string") return JSON.stringify(value);
    try {
        JSON.parse(value);
        return JSON.stringify(value);
    } catch {
        return value;
    }
}

function textValue(text: string): Json {
    try {
        return JSON.parse(text) as Json;
    } catch {
        return text;
    }
}

/** "#/trace?step=12&trace.from=0&trace.layout=flame": the view, the selection, and each view's part with its name as
 * prefix. */
export function stateToFragment(state: State): string {
    const words: string[] = [];
    const add = (key: string, text: string) =>
        words.push(
            `${encodeURIComponent(key)}` +
                `=${encodeURIComponent(text).replace(/%(2C|3A|2F|5B|5D|40|24)/g, (hex) => decodeURIComponent(hex))}`,
        );
    for (const [key, value] of Object.entries(state.selection)) if (value !== undefined) add(key, String(value));
    for (const view of Object.keys(state.parts).sort())
        for (const [key, value] of Object.entries(state.parts[view])) add(`${view}.${key}`, valueText(value));
    return `#/${encodeURIComponent(state.view)}${words.length ? `?${words.join("&")}` : ""}`;
}

/** Decodes a fragment; unknown parts are ignored. */
export function fragmentToState(fragment: string, view: string): State {
    const [path, query] = fragment.replace(/^#\/?/, "").split(/\?(.*)/s);
    const parts: { [view: string]: JsonObject } = {};
    const selection: Record<string, number | string> = {};
    for (const [key, text] of new URLSearchParams(query ?? "")) {
        const dot = key.indexOf(".");
        if (dot > 0) {
            (parts[key.slice(0, dot)] ??= {})[key.slice(dot + 1)] = textValue(text);
        } else if (key in SELECTED) {
            const number = Number(text);
            if (SELECTED[key as keyof Selection] === "string") selection[key] = text;
            else if (Number.isSafeInteger(number) && number >= 0) selection[key] = number;
        }
    }
    let shown = view;
    try {
        shown = decodeURIComponent(path) || view;
    } catch {
        // Invalid escape: shows the first view.
    }
    return { view: shown, parts, selection };
}
