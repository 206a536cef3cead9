// SPDX-License-Identifier: Apache-2.0
// Requests in progress, for the status bar: what is loading, since when, and how to cancel it.

export interface Activity {
    readonly what: string;
    readonly since: number; // performance.now()
    readonly cancel: () => void;
}

const running = new Set<Activity>();
const listeners = new Set<() => void>();

function tell(): void {
    document.documentElement.dataset.loading = String(running.size); // tests wait until it is 0
    for (const listener of [...listeners]) listener();
}

/** Registers a request; returns a function that unregisters it. */
export function beginActivity(what: string, cancel: () => void): () => void {
    const activity = { what, since: performance.now(), cancel };
    running.add(activity);
    tell();
    return () => {
        running.delete(activity);
        tell();
    };
}

export function activities(): Activity[] {
    return [...running];
}

export function onActivity(listener: () => void): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
}
