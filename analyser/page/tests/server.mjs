// SPDX-License-Identifier: Apache-2.0
// The real server on a report, and the report's own figures (pva query) to compare the page with.
import { execFileSync, spawn } from "node:child_process";

/** Starts `pva serve` with words (directories, options); {url, close}.  Options are spawn's. */
export async function startServer(pva, words, options = {}) {
    const server = spawn(pva, ["serve", ...words, "--no-browser"], {
        stdio: ["ignore", "pipe", "inherit"],
        ...options,
    });
    const url = await new Promise((done, fail) => {
        let said = "";
        server.on("exit", (code) => fail(new Error(`pva serve ended with ${code}: ${said}`)));
        server.stdout.on("data", (part) => {
            said += part;
            const found = /http:\/\/\S+/.exec(said);
            if (found) done(found[0]);
        });
    });
    const close = () =>
        new Promise((done) => {
            server.removeAllListeners("exit");
            server.on("exit", done);
            server.kill("SIGTERM");
        });
    return { url, close };
}

/** Rows of a query in SQL over a report, as objects. */
export function query(pva, directory, sql) {
    const text = execFileSync(pva, ["query", directory, sql, "--format", "json"], {
        encoding: "utf8",
        maxBuffer: 1 << 28,
    });
    return JSON.parse(text);
}
