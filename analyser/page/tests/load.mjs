// SPDX-License-Identifier: Apache-2.0
// Imports a TypeScript module of the page into a test, bundled in memory.
import { build } from "esbuild";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const page = dirname(dirname(fileURLToPath(import.meta.url)));

/** The exports of `path` (relative to analyser/page); some browser globals are defined as empty objects. */
export async function load(path) {
    const result = await build({
        absWorkingDir: page,
        entryPoints: [path],
        bundle: true,
        write: false,
        format: "esm",
        target: "es2020",
        jsx: "automatic",
        jsxImportSource: "preact",
        loader: { ".css": "empty" },
    });
    globalThis.matchMedia ??= () => ({ matches: false, addEventListener() {} });
    return import(`data:text/javascript;base64,${Buffer.from(result.outputFiles[0].text).toString("base64")}`);
}
