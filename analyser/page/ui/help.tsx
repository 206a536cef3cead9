// SPDX-License-Identifier: Apache-2.0
// The documentation inside the page: its sections, and a search in them.
import { useEffect, useMemo, useState } from "preact/hooks";
import { exported } from "../data/exported";
import { loadHelp } from "../data/help";
import { Block, Section, blocksOf, excerpt, marksOf, searchSections } from "../text/markdown";
import { Dialog } from "./dialog";

const MOST = 40; // results

function Line({ text }: { text: string }) {
    return (
        <>
            {marksOf(text).map((mark, i) =>
                mark.kind === "code" ? (
                    <code key={i}>{mark.text}</code>
                ) : mark.kind === "strong" ? (
                    <b key={i}>{mark.text}</b>
                ) : (
                    mark.text
                ),
            )}
        </>
    );
}

function Shown({ block }: { block: Block }) {
    if (block.kind === "code") return <pre>{block.text}</pre>;
    if (block.kind === "text")
        return (
            <p>
                <Line text={block.text} />
            </p>
        );
    if (block.kind === "list")
        return (
            <ul>
                {block.items.map((item, i) => (
                    <li key={i}>
                        <Line text={item.replace(/\n/g, " ")} />
                    </li>
                ))}
            </ul>
        );
    return (
        <table class="help-table">
            <tbody>
                {block.rows.map((row, i) => (
                    <tr key={i}>
                        {row.map((cell, k) => (
                            <td key={k}>
                                <Line text={cell.trim()} />
                            </td>
                        ))}
                    </tr>
                ))}
            </tbody>
        </table>
    );
}

export function Help({ onClose }: { onClose: () => void }) {
    const [sections, setSections] = useState<Section[] | null>(null);
    const [error, setError] = useState("");
    const [query, setQuery] = useState("");
    const [chosen, setChosen] = useState<Section | null>(null);
    useEffect(() => {
        const failed = (reason: unknown) => setError(reason instanceof Error ? reason.message : String(reason));
        if (exported) setError("An exported page has no documents: open the report with pva serve.");
        else loadHelp().then(setSections, failed);
    }, []);
    const found = useMemo(() => (sections ? searchSections(sections, query) : []), [sections, query]);
    const listed = query.trim() ? found.slice(0, MOST) : (sections ?? []).filter((one) => one.level <= 2);
    return (
        <Dialog title="Documentation" onClose={onClose}>
            <input
                type="search"
                class="help-search"
                aria-label="search the documentation"
                placeholder="search the documentation"
                autofocus
                value={query}
                onInput={(event) => {
                    setQuery(event.currentTarget.value);
                    setChosen(null);
                }}
            />
            {error && <p class="warning">{error}</p>}
            {chosen ? (
                <article class="help-section">
                    <button type="button" class="link" onClick={() => setChosen(null)}>
                        ← {query.trim() ? "results" : "contents"}
                    </button>
                    <h3>
                        {chosen.level > 1 && <small>{chosen.page}: </small>}
                        {chosen.title}
                    </h3>
                    {blocksOf(chosen.text).map((block, i) => (
                        <Shown key={i} block={block} />
                    ))}
                </article>
            ) : (
                <>
                    {query.trim() && sections && (
                        <p class="soft" role="status">
                            {found.length ? `${found.length} sections` : "Nothing was found: try fewer words."}
                        </p>
                    )}
                    <ul class="help-list">
                        {listed.map((section, i) => (
                            <li key={i} class={section.level === 1 && !query.trim() ? "help-page" : ""}>
                                <button type="button" class="link" onClick={() => setChosen(section)}>
                                    {query.trim() && section.level > 1
                                        ? `${section.page}: ${section.title}`
                                        : section.title}
                                </button>
                                {query.trim() && <div class="soft">{excerpt(section, query)}</div>}
                            </li>
                        ))}
                    </ul>
                </>
            )}
        </Dialog>
    );
}
