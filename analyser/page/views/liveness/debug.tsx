// SPDX-License-Identifier: Apache-2.0
// The origin of an object: the line of the user's source, and the contexts of debug.cbor.
import { Debug } from "../../data/liveness";
import { Empty } from "../../ui/tabs";
import { copyText } from "../../ui/save";

function pretty(json: string): string {
    try {
        return JSON.stringify(JSON.parse(json), null, 1);
    } catch {
        return json;
    }
}

export function DebugInfo({ title, debug }: { title: string; debug: Debug }) {
    if (!debug.contexts.length)
        return (
            <Empty>
                {`${title}: the report has no debug information; ` +
                    `autoReport.outputDebugInfo or autoReport.all records it.`}
            </Empty>
        );
    const place = debug.file ? `${debug.file}:${debug.line}` : null;
    return (
        <section class="debug">
            <h3>{title}</h3>
            {place && (
                <p>
                    from{" "}
                    <button
                        type="button"
                        class="link mono"
                        data-source={place}
                        data-tip="the line of your program; a click copies it"
                        onClick={() => void copyText(place)}
                    >
                        {place}
                    </button>
                </p>
            )}
            {debug.contexts.map((context, i) => (
                <details key={i} open={i === 0}>
                    <summary>
                        {`${context.layer}: ${context.name || "(no name)"}`}
                        {context.file && `, ${context.file.split("/").pop() ?? ""}:${context.line}`}
                    </summary>
                    <pre>{pretty(context.json)}</pre>
                </details>
            ))}
        </section>
    );
}
