// SPDX-License-Identifier: Apache-2.0
// Debug contexts, from the innermost to the user's line.
import { DebugContext } from "../data/programs";
import { Empty } from "./tabs";

export function Contexts({
    contexts,
    onLine,
}: {
    contexts: readonly DebugContext[];
    onLine: (file: string, line: number) => void;
}) {
    if (!contexts.length)
        return (
            <Empty>
                No debug information: it is in debug.cbor (option autoReport.outputDebugInfo), and only for what a call
                of the program made.
            </Empty>
        );
    return (
        <div class="contexts">
            {contexts.map((context, i) => (
                <section key={i}>
                    <div>
                        <b>{context.layer}</b> <code>{context.name || "(no name)"}</code>
                        {context.line > 0 && (
                            <>
                                {" at "}
                                <button
                                    type="button"
                                    class="link"
                                    data-tip="show the cost of this line"
                                    onClick={() => onLine(context.file, context.line)}
                                >
                                    {context.file}:{context.line}
                                </button>
                                {context.function && ` in ${context.function}`}
                            </>
                        )}
                    </div>
                    <pre>{JSON.stringify(context.json, null, 2)}</pre>
                </section>
            ))}
        </div>
    );
}
