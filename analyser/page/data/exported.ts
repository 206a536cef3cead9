// SPDX-License-Identifier: Apache-2.0
// An exported page (`pva export DIR --to html`) has the answers in itself: they stand in place of the server.
import { setSource } from "./client";

const element = typeof document === "undefined" ? null : document.getElementById("answers");

/** Whether this page was exported. */
export const exported = element !== null;

/** As the exporter names answers: decoded parameters in order of their names; the only report is not named. */
function keyOf(url: string): string {
    const [path, query] = url.replace(/^api\//, "").split("?");
    const words = [...new URLSearchParams(query ?? "")]
        .filter(([name]) => name !== "report")
        .map(([name, value]) => `${name}=${value}`);
    return words.length ? `${path}?${words.sort().join("&")}` : path;
}

/** Makes the page ask its own answers. */
export function startExported(): void {
    if (!element) return;
    const answers = JSON.parse(element.textContent ?? "{}") as { [key: string]: unknown };
    const refuse = JSON.stringify({
        error: "this exported page does not hold it; open the report with pva serve",
        status: "",
    });
    setSource({
        fetch: (url) => {
            const answer = answers[keyOf(url)];
            if (answer === undefined) return Promise.resolve(new Response(refuse, { status: 404 }));
            if (typeof answer !== "string") return Promise.resolve(new Response(JSON.stringify(answer)));
            return Promise.resolve(new Response(Uint8Array.from(atob(answer), (byte) => byte.charCodeAt(0))));
        },
    });
}
