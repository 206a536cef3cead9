// SPDX-License-Identifier: Apache-2.0
// Loads data of the server in components: the old value stays on the screen while the new one loads; answers are cached
// until the report changes.
import { useEffect, useState } from "preact/hooks";
import { Parameters, apiUrl, getColumns, getJson } from "./client";
import { Columns } from "./columns";

export interface Loaded<T> {
    value?: T; // may belong to previous parameters while loading
    error?: string;
    loading: boolean;
}

const KEPT = 64;
const kept = new Map<string, unknown>();
let generation = 0;
const listeners = new Set<() => void>();

const forgetters: (() => void)[] = [];

/** For modules with their own caches: called when these become stale. */
export function onForget(forget: () => void): void {
    forgetters.push(forget);
}

/** Clears all cached answers and reloads visible ones, because the report has changed. */
export function forgetAnswers(): void {
    kept.clear();
    for (const forget of forgetters) forget();
    ++generation;
    for (const listener of [...listeners]) listener();
}

export function useGeneration(): number {
    const [value, setValue] = useState(generation);
    useEffect(() => {
        const listener = () => setValue(generation);
        listeners.add(listener);
        listener();
        return () => void listeners.delete(listener);
    }, []);
    return value;
}

function remember(key: string, value: unknown): void {
    kept.delete(key);
    kept.set(key, value);
    if (kept.size > KEPT) kept.delete(kept.keys().next().value as string);
}

/** The result of `load` for a key; null: nothing is loaded. */
export function useLoaded<T>(key: string | null, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
    const now = useGeneration();
    const [state, setState] = useState<Loaded<T>>(() => {
        const value = key === null ? undefined : (kept.get(key) as T | undefined);
        return { value, loading: key !== null && value === undefined };
    });
    useEffect(() => {
        if (key === null) {
            setState({ loading: false });
            return;
        }
        if (kept.has(key)) {
            setState({ value: kept.get(key) as T, loading: false });
            return;
        }
        const stop = new AbortController();
        setState((before) => ({ value: before.value, loading: true }));
        load(stop.signal).then(
            (value) => {
                remember(key, value);
                if (!stop.signal.aborted) setState({ value, loading: false });
            },
            (error: unknown) => {
                if (stop.signal.aborted) return;
                const cancelled = error instanceof DOMException && error.name === "AbortError";
                setState((before) => ({
                    value: cancelled ? before.value : undefined,
                    error: cancelled ? "cancelled" : error instanceof Error ? error.message : String(error),
                    loading: false,
                }));
            },
        );
        return () => stop.abort();
        // `load` is determined by its key.
    }, [key, now]);
    return state;
}

export function useJson<T>(path: string | null, parameters: Parameters = {}): Loaded<T> {
    const key = path === null ? null : apiUrl(path, parameters);
    return useLoaded<T>(key, (signal) => getJson<T>(path ?? "", parameters, signal));
}

export function useColumns<Meta>(path: string | null, parameters: Parameters = {}): Loaded<Columns<Meta>> {
    const key = path === null ? null : `columns ${apiUrl(path, parameters)}`;
    return useLoaded<Columns<Meta>>(key, (signal) => getColumns<Meta>(path ?? "", parameters, signal));
}
