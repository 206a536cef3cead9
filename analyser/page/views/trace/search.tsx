// SPDX-License-Identifier: Apache-2.0
// Search: steps that do not match are grey; Enter and arrows step through the matches, double arrows ten at a time.
import { useEffect, useRef, useState } from "preact/hooks";
import { getColumns } from "../../data/client";
import { Span } from "../../data/rectangles";
import { TraceSource } from "../../data/trace";
import { count } from "../../text/format";

interface Found {
    matches: number;
    current?: { step?: number; block?: number; number: number } & Span; // a block of a lightweight trace
}

export interface SearchProps {
    source: TraceSource;
    query: string; // the search that the graph shows
    step: number; // selected, of a lightweight trace the block; -1: none
    onQuery: (query: string) => void;
    onFound: (found: { step?: number; block?: number }, span: Span) => void;
}

export function Search({ source, query, step, onQuery, onFound }: SearchProps) {
    const [text, setText] = useState(query);
    const [found, setFound] = useState<Found | null>(null);
    const [error, setError] = useState("");
    const input = useRef<HTMLInputElement>(null);
    useEffect(() => setText(query), [query]);
    const ask = (q: string, skip: number) =>
        getColumns<Found>("trace/search", { ...source, q, step: Math.max(0, step), skip }).then(
            ({ meta }) => {
                setFound(meta);
                setError("");
                return meta;
            },
            (reason: unknown) => void setError(reason instanceof Error ? reason.message : String(reason)),
        );
    useEffect(() => {
        if (query) void ask(query, 0);
        else setFound(null);
    }, [query, source]);
    const go = (skip: number) => {
        const fresh = text !== query;
        if (fresh) onQuery(text);
        if (!text) return;
        void ask(text, fresh || step < 0 ? 0 : skip).then((meta) => {
            if (meta?.current) onFound(meta.current, meta.current);
        });
    };
    const clear = () => {
        setText("");
        onQuery("");
        input.current?.blur();
    };
    const key = (event: KeyboardEvent) => {
        if (event.key === "Enter") go(event.shiftKey ? -1 : 1);
        else if (event.key === "Escape") clear();
        else return;
        event.preventDefault();
        event.stopPropagation();
    };
    const arrow = (title: string, skip: number, tip: string) => (
        <button
            type="button"
            class="icon"
            aria-label={tip}
            data-tip={tip}
            disabled={!found?.matches}
            onClick={() => go(skip)}
        >
            {title}
        </button>
    );
    return (
        <div class="search" role="search">
            <input
                ref={input}
                class="trace-search"
                type="text"
                placeholder="search steps  ( / )"
                aria-label="search steps"
                value={text}
                onInput={(event) => setText(event.currentTarget.value)}
                onKeyDown={key}
            />
            {query !== "" && (
                <>
                    <span class="matches" data-tip={error || "the selected match, and the number of matches"}>
                        {error
                            ? "error"
                            : found
                              ? found.matches && found.current
                                  ? `${count(found.current.number + 1)} of ${count(found.matches)}`
                                  : "no match"
                              : "…"}
                    </span>
                    {arrow("«", -10, "ten matches back")}
                    {arrow("‹", -1, "the match before")}
                    {arrow("›", 1, "the next match")}
                    {arrow("»", 10, "ten matches on")}
                    <button
                        type="button"
                        class="icon"
                        aria-label="clear the search"
                        data-tip="clear the search"
                        onClick={clear}
                    >
                        ×
                    </button>
                </>
            )}
        </div>
    );
}
