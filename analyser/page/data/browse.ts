// SPDX-License-Identifier: Apache-2.0
// Directories to choose from, and recently opened ones (stored by the browser).
import { Loaded, useJson } from "./load";
import { ReportFile } from "./reports";

export interface Directory {
    name: string;
    path: string;
    files: ReportFile[];
}

export interface Listing {
    path: string;
    parent: string;
    files: ReportFile[];
    directories: Directory[];
    cut: boolean;
    demo: string | null; // the directory of the report that is installed with the command
}

export function useListing(path: string): Loaded<Listing> {
    return useJson<Listing>("browse", path ? { path } : {});
}

/** Directories that were opened together: one, or two to compare. */
export type Recent = readonly string[];

const KEY = "tremula.recent";
const MOST = 64;

export function recent(): Recent[] {
    try {
        const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
        return Array.isArray(found)
            ? (found as Recent[]).filter((one) => Array.isArray(one) && one.every((path) => typeof path === "string"))
            : [];
    } catch {
        return [];
    }
}

function keep(list: Recent[]): void {
    try {
        localStorage.setItem(KEY, JSON.stringify(list.slice(0, MOST)));
    } catch {
        // Without storage the list of recent directories is empty.
    }
}

export function addRecent(directories: Recent): void {
    const key = directories.join("\n");
    keep([directories, ...recent().filter((one) => one.join("\n") !== key)]);
}

export function removeRecent(directories: Recent): void {
    const key = directories.join("\n");
    keep(recent().filter((one) => one.join("\n") !== key));
}
