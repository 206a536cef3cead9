// SPDX-License-Identifier: Apache-2.0
// Starts an exported page: unpacks its answers and its code, which are elements of the file.
import { unpack } from "./data/exported/packed";

async function start(): Promise<void> {
    const textOf = (id: string) => document.getElementById(id)?.textContent ?? "";
    const [answers, code, style] = await Promise.all(["answers", "code", "style"].map((id) => unpack(textOf(id))));
    const sheet = document.createElement("style");
    sheet.textContent = new TextDecoder().decode(style);
    document.head.append(sheet);
    (globalThis as { tremulaAnswers?: ArrayBuffer }).tremulaAnswers = answers;
    await import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
}

start().catch((error: unknown) => {
    const page = document.getElementById("page");
    if (page)
        page.textContent =
            "This file could not be opened. It needs a browser with DecompressionStream " +
            `(Chromium 80, Firefox 113, Safari 16.4): ${String(error)}`;
});
