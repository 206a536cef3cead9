// SPDX-License-Identifier: Apache-2.0
// The open reports, and the events that the server sends.
import { exported } from "./exported";
import { getJson, postJson } from "./client";

export interface ReportFile {
    name: string;
    bytes: number;
    modified: number; // seconds since 1970
    present: boolean;
}

export interface Report {
    index: number; // parameter `report` of the other requests
    directory: string;
    name: string;
    files: ReportFile[];
    hasExecution: boolean;
    hasLiveness: boolean;
    hasDebug: boolean;
    replicas: number;
    replica: number; // the recorded replica
    partial: string | null; // why it is incomplete
    set?: readonly { name: string; directory: string; about: string }[]; // all reports of its set, including itself
}

export function loadReports(signal?: AbortSignal): Promise<Report[]> {
    return getJson<Report[]>("reports", {}, signal);
}

/** Opens one directory, or two to compare. */
export function openReports(directories: string[]): Promise<Report[]> {
    return postJson<Report[]>("open", { directories });
}

/** Starts a server for another window, without a report; returns its address. */
export async function openWindow(): Promise<string> {
    const { port } = await postJson<{ port: number }>("window", {});
    return `${location.protocol}//${location.hostname}:${port}/`;
}

export function closeReports(): Promise<unknown> {
    return postJson("close", {});
}

export function deleteCache(): Promise<unknown> {
    return postJson("cache/delete", {});
}

export interface ServerEvents {
    changed(files: string[]): void;
    progress(what: string, share: number | null): void;
    run(): void; // live: a run has ended
    connected(yes: boolean): void;
}

/** Listens to the server; returns a function that stops listening. */
export function listen(handler: ServerEvents): () => void {
    if (exported) return () => undefined; // there is no server
    const stream = new EventSource("api/events");
    const read = <T>(event: Event): T => JSON.parse((event as MessageEvent<string>).data) as T;
    stream.addEventListener("changed", (event) => handler.changed(read<{ files: string[] }>(event).files ?? []));
    stream.addEventListener("progress", (event) => {
        const { what, done, total } = read<{ what: string; done: number; total: number }>(event);
        handler.progress(what, total > 0 ? done / total : null);
    });
    stream.addEventListener("run", () => handler.run());
    stream.addEventListener("open", () => handler.connected(true));
    stream.addEventListener("error", () => handler.connected(false));
    return () => stream.close();
}
