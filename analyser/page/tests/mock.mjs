// SPDX-License-Identifier: Apache-2.0
// A small server for tests of the page without pva: serves dist/ and the test's answers.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { dirname, extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const dist = join(dirname(dirname(fileURLToPath(import.meta.url))), "dist");
const TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
};

/** answers: {"path of the call": value or (URLSearchParams, body) => value}; a Buffer is columns.
 *  Returns {url, close, send}. */
export async function startMock(answers) {
    const streams = new Set();
    const api = async (url, request, response) => {
        const path = url.pathname.slice("/api/".length);
        if (path === "events") {
            response.writeHead(200, { "Content-Type": "text/event-stream" });
            response.write(": hello\n\n");
            streams.add(response);
            request.on("close", () => streams.delete(response));
            return;
        }
        let body = "";
        for await (const part of request) body += part;
        let answer = answers[path];
        if (typeof answer === "function") answer = await answer(url.searchParams, body);
        if (answer === undefined) {
            response.writeHead(404, { "Content-Type": "application/json" });
            response.end(JSON.stringify({ error: `no call "${path}"`, status: "invalid_option" }));
        } else if (Buffer.isBuffer(answer)) {
            response.writeHead(200, { "Content-Type": "application/x-tremula-columns" });
            response.end(answer);
        } else {
            response.writeHead(200, { "Content-Type": "application/json" });
            response.end(JSON.stringify(answer));
        }
    };
    const server = createServer((request, response) => {
        const url = new URL(request.url, "http://localhost");
        if (url.pathname.startsWith("/api/")) return void api(url, request, response);
        const path = normalize(url.pathname === "/" ? "/index.html" : url.pathname);
        readFile(join(dist, path)).then(
            (bytes) => {
                response.writeHead(200, { "Content-Type": TYPES[extname(path)] ?? "application/octet-stream" });
                response.end(bytes);
            },
            () => {
                response.writeHead(404);
                response.end();
            },
        );
    });
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    const close = () => {
        for (const stream of streams) stream.end();
        server.closeAllConnections();
        server.close();
    };
    const send = (event, data) =>
        streams.forEach((stream) => stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
    return { url: `http://127.0.0.1:${server.address().port}/`, close, send };
}

/** A report as `reports` describes it. */
export function mockReport(index, changes = {}) {
    const known = ["profile.pop", "debug.cbor", "archive.a", "framework.json", "app.json"];
    return {
        index,
        directory: `/reports/report${index}`,
        name: `report${index}`,
        files: known.map((name, i) => ({
            name,
            bytes: i < 2 ? 4096 * (i + 1) : 0,
            modified: i < 2 ? 1700000000 : 0,
            present: i < 2,
        })),
        hasExecution: true,
        hasLiveness: true,
        hasDebug: true,
        replicas: 1,
        replica: 0,
        partial: null,
        ...changes,
    };
}
