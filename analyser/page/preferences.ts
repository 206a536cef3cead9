// SPDX-License-Identifier: Apache-2.0
// A user's preferences in this browser, independent of the report: theme, units, sizes of panels.
import { useEffect, useState } from "preact/hooks";

export type Theme = "system" | "light" | "dark";
export type Units = "binary" | "si" | "bytes";

export interface Preferences {
    theme: Theme;
    units: Units;
    /** Whether Memory shows live bytes on the selected tiles. */
    liveness: boolean;
    /** Positions of splitters and other sizes, by name. */
    sizes: { readonly [name: string]: number };
}

const KEY = "tremula.preferences";
const DEFAULTS: Preferences = { theme: "system", units: "binary", liveness: true, sizes: {} };

function read(): Preferences {
    try {
        const found = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Preferences>;
        return { ...DEFAULTS, ...found };
    } catch {
        return DEFAULTS; // no storage, or damaged content
    }
}

let current = read();
const listeners = new Set<() => void>();

export function preferences(): Preferences {
    return current;
}

export function setPreferences(patch: Partial<Preferences>): void {
    current = { ...current, ...patch };
    try {
        localStorage.setItem(KEY, JSON.stringify(current));
    } catch {
        // Kept in memory for this page only.
    }
    applyTheme();
    for (const listener of [...listeners]) listener();
}

export function usePreferences(): Preferences {
    const [value, setValue] = useState(current);
    useEffect(() => {
        const listener = () => setValue(current);
        listeners.add(listener);
        listener();
        return () => void listeners.delete(listener);
    }, []);
    return value;
}

const darkSystem = matchMedia("(prefers-color-scheme: dark)");
let systemIsDark = darkSystem.matches; // cached, because canvases read it many times for each frame

export function isDark(): boolean {
    return current.theme === "dark" || (current.theme === "system" && systemIsDark);
}

/** Sets data-theme of the document, which the style sheet and the canvases use. */
export function applyTheme(): void {
    document.documentElement.dataset.theme = isDark() ? "dark" : "light";
}

darkSystem.addEventListener("change", () => {
    systemIsDark = darkSystem.matches;
    setPreferences({});
});
