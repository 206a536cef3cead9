// SPDX-License-Identifier: Apache-2.0
// Bundles the page to dist/, which is committed and embedded in `pva`; the same sources give the same bytes.
//
//     npm run build            writes dist/
//     node build.mjs DIR       writes DIR
//     npm run watch            writes dist/ at each change, with source maps
import { context } from "esbuild";
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const watch = process.argv.includes("--watch");
const output = process.argv.slice(2).find((word) => !word.startsWith("--")) ?? join(here, "dist");

await mkdir(output, { recursive: true });
for (const name of await readdir(output)) await rm(join(output, name), { recursive: true });
await copyFile(join(here, "index.html"), join(output, "index.html"));
await copyFile(join(here, "icon.svg"), join(output, "icon.svg"));
await writeFile(join(output, "licences.txt"), await licences());
const bundle = await context({
    absWorkingDir: here,
    entryPoints: { page: "main.tsx", loader: "loader.ts" }, // the loader is of exported pages
    outdir: output,
    bundle: true,
    minify: !watch,
    sourcemap: watch ? "inline" : false,
    target: "es2020",
    format: "esm",
    charset: "utf8",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    banner: {
        js: "/* SPDX-License-Identifier: Apache-2.0 AND MIT (licences.txt) */",
        css: "/* SPDX-License-Identifier: Apache-2.0 AND MIT (licences.txt) */",
    },
    logLevel: "warning",
});
if (watch) {
    await bundle.watch();
} else {
    await bundle.rebuild();
    await bundle.dispose();
}

/** The licences of the libraries that are in the bundle. */
async function licences() {
    const { dependencies } = JSON.parse(await readFile(join(here, "package.json"), "utf8"));
    const texts = [];
    const licence = async (name) => await readFile(join(here, "node_modules", name, "LICENSE"), "utf8");
    for (const [name, version] of Object.entries(dependencies))
        texts.push(`${name} ${version}\n\n${(await licence(name)).replaceAll("\r", "").trim()}\n`);
    return texts.join(`\n${"-".repeat(80)}\n\n`);
}
