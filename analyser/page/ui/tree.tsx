// SPDX-License-Identifier: Apache-2.0
// A tree of any number of rows, of which only the visible ones are rendered. Up and Down move, Left and Right fold.
import { ComponentChild } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

const ROW_HEIGHT = 22;
const MORE = 12; // rendered rows above and below the visible ones

export interface TreeRow {
    key: string; // the path of indices, because a node can occur more than once
    id: number;
    depth: number;
    open: boolean | null; // null: it has no children
}

export interface TreeProps {
    name: string;
    rows: readonly TreeRow[];
    render: (row: TreeRow) => ComponentChild;
    rowClass?: (row: TreeRow) => string;
    selected: string; // a row's key
    onSelect: (row: TreeRow) => void;
    onToggle: (row: TreeRow) => void;
    reveal?: string; // a row's key: scrolls to it when it changes
}

export function Tree(props: TreeProps) {
    const { rows } = props;
    const box = useRef<HTMLDivElement>(null);
    const [view, setView] = useState({ top: 0, height: 400 });
    useEffect(() => {
        const element = box.current as HTMLDivElement;
        const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
        const watch = new ResizeObserver(measure);
        watch.observe(element);
        return () => watch.disconnect();
    }, []);
    const show = (at: number) => {
        const element = box.current as HTMLDivElement;
        const y = at * ROW_HEIGHT;
        if (y < element.scrollTop || y + ROW_HEIGHT > element.scrollTop + element.clientHeight)
            element.scrollTop = y - element.clientHeight / 3;
    };
    useEffect(() => {
        const at = rows.findIndex((row) => row.key === props.reveal);
        if (at >= 0) show(at);
    }, [props.reveal, rows.length]);
    const key = (event: KeyboardEvent) => {
        const at = rows.findIndex((row) => row.key === props.selected);
        const row = rows[at];
        const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
        if (step && rows.length) {
            const next = Math.min(rows.length - 1, Math.max(0, at + step));
            props.onSelect(rows[next]);
            show(next);
        } else if (
            row &&
            ((event.key === "ArrowRight" && row.open === false) || (event.key === "ArrowLeft" && row.open))
        )
            props.onToggle(row);
        else return;
        event.preventDefault();
        event.stopPropagation();
    };
    const first = Math.max(0, Math.floor(view.top / ROW_HEIGHT) - MORE);
    const last = Math.min(rows.length, Math.ceil((view.top + view.height) / ROW_HEIGHT) + MORE);
    return (
        <div
            class="tree"
            role="tree"
            aria-label={props.name}
            ref={box}
            tabIndex={0}
            onKeyDown={key}
            onScroll={(event) =>
                setView({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight })
            }
        >
            <div class="tree-rows" style={{ height: `${rows.length * ROW_HEIGHT}px` }}>
                {rows.slice(first, last).map((row, i) => (
                    <div
                        key={row.key}
                        class={
                            `tree-row ${row.key === props.selected ? "selected" : ""}` +
                            ` ${props.rowClass?.(row) ?? ""}`
                        }
                        role="treeitem"
                        aria-level={row.depth + 1}
                        aria-expanded={row.open ?? undefined}
                        aria-selected={row.key === props.selected}
                        style={{ top: `${(first + i) * ROW_HEIGHT}px`, paddingLeft: `${4 + row.depth * 14}px` }}
                        onClick={() => props.onSelect(row)}
                        onDblClick={() => row.open !== null && props.onToggle(row)}
                    >
                        <button
                            type="button"
                            class="icon tree-fold"
                            tabIndex={-1}
                            aria-label={row.open ? "collapse" : "expand"}
                            style={row.open === null ? { visibility: "hidden" } : {}}
                            onClick={(event) => {
                                event.stopPropagation();
                                props.onToggle(row);
                            }}
                        >
                            {row.open ? "▾" : "▸"}
                        </button>
                        {props.render(row)}
                    </div>
                ))}
            </div>
        </div>
    );
}
