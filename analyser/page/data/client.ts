// SPDX-License-Identifier: Apache-2.0
// Requests to the server: JSON, and columns of numbers (docs/reference/analyser-server.md).
import { beginActivity } from "./activity";
import { Columns, decodeColumns } from "./columns";

export type Parameter = string | number | boolean | undefined;
export type Parameters = { readonly [name: string]: Parameter };

export class ServerError extends Error {
    constructor(
        message: string,
        readonly code: number, // HTTP status; 0: no answer from the server
        readonly status: string, // name of a pop_status
    ) {
        super(message);
    }
}

export function apiUrl(path: string, parameters: Parameters = {}): string {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value));
    const text = query.toString();
    return `api/${path}${text ? `?${text}` : ""}`;
}

/** The source of answers: the server or, in an exported page, embedded data. */
export interface Source {
    fetch(url: string, init: RequestInit): Promise<Response>;
}
let source: Source = { fetch: (url, init) => fetch(url, init) };
export function setSource(other: Source): void {
    source = other;
}

async function call(url: string, what: string, init: RequestInit): Promise<Response> {
    let response: Response;
    const cancel = new AbortController();
    const end = beginActivity(what, () => cancel.abort());
    const outer = init.signal;
    const abort = () => cancel.abort();
    outer?.addEventListener("abort", abort);
    if (outer?.aborted) cancel.abort();
    try {
        response = await source.fetch(url, { ...init, signal: cancel.signal });
        if (!response.ok) {
            const text = await response.text();
            let error = { error: text || response.statusText, status: "" };
            try {
                error = JSON.parse(text) as typeof error;
            } catch {
                // Not an error of an endpoint: only its text is available.
            }
            throw new ServerError(error.error, response.status, error.status);
        }
        // Reads the body here, so that cancelling also stops a long body.
        const body = await response.arrayBuffer();
        return new Response(body, { headers: response.headers });
    } catch (error) {
        if (error instanceof ServerError || (error instanceof DOMException && error.name === "AbortError")) throw error;
        throw new ServerError("the server does not answer; is `pva serve` still running?", 0, "");
    } finally {
        outer?.removeEventListener("abort", abort);
        end();
    }
}

export async function getJson<T>(path: string, parameters: Parameters = {}, signal?: AbortSignal): Promise<T> {
    const response = await call(apiUrl(path, parameters), path, { signal });
    return (await response.json()) as T;
}

export async function postJson<T>(
    path: string,
    body: unknown,
    parameters: Parameters = {},
    signal?: AbortSignal,
): Promise<T> {
    const headers = { "Content-Type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(body), signal };
    const response = await call(apiUrl(path, parameters), path, init);
    return (await response.json()) as T;
}

export async function getColumns<Meta = unknown>(
    path: string,
    parameters: Parameters = {},
    signal?: AbortSignal,
): Promise<Columns<Meta>> {
    const response = await call(apiUrl(path, parameters), path, { signal });
    return decodeColumns<Meta>(await response.arrayBuffer());
}
