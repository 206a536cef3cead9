// SPDX-License-Identifier: Apache-2.0
// Colours of the style sheet, for canvases.
import { isDark } from "../preferences";

const read = new Map<string, string>();

/** The value of --NAME in the current theme. */
export function themeColour(name: string): string {
    const key = `${isDark() ? "dark" : "light"} ${name}`;
    let value = read.get(key);
    if (value === undefined) {
        value = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
        read.set(key, value);
    }
    return value;
}
