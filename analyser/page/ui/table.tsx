// SPDX-License-Identifier: Apache-2.0
// A table of any number of rows, of which only the visible ones are rendered; sorted by a click on a title, filtered by
// text and by ranges of numbers, with a choice of columns, copied as TSV and saved as CSV.
import { ComponentChild } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Virtualizer, elementScroll, observeElementOffset, observeElementRect } from "@tanstack/virtual-core";
import { onForget } from "../data/load";
import { count } from "../text/format";
import { Menu, MenuItem } from "./menu";
import { withName } from "./ofreport";
import { Cell, TableState, Values, asCsv, asTsv, shownRows } from "./rows";
import { copyText, saveText } from "./save";
import { Typed } from "./typed";

export const ROW_HEIGHT = 24;

export interface Column<Row> extends Values<Row> {
    title: string; // with the unit: "Cycles", "Size (B)"
    kind?: "text" | "number"; // numbers are right-aligned and have a range filter
    width?: number; // pixels; a column without it takes the remaining width
    hidden?: boolean; // initially
    tip?: string; // definition, in one line
    show?: (row: Row) => ComponentChild; // rendered instead of the value; sorting and export use the value
    cellTip?: (row: Row) => string;
}

export interface TableProps<Row> {
    name: string; // of exported files
    columns: readonly Column<Row>[];
    rows: readonly Row[];
    state?: TableState; // with onState the owner holds it (in the URL); otherwise the table does
    onState?: (state: TableState) => void;
    rowKey?: (row: Row) => string | number;
    selected?: (row: Row) => boolean;
    onSelect?: (row: Row, event: MouseEvent | KeyboardEvent) => void;
    onOpen?: (row: Row) => void; // double click, Enter
    rowClass?: (row: Row) => string;
    empty?: ComponentChild; // shown instead of no rows
    bar?: ComponentChild; // to the left of the buttons
}

const CHARACTER = 7.6; // pixels of a title, at most on average
const ORDER = 44; // the mark of the order, and padding

/** The width of a column whose title has the name of a report, so that its end is not cut. */
export function titleWidth(title: string, least: number): number {
    return Math.min(320, Math.max(least, Math.ceil(title.length * CHARACTER) + ORDER));
}

/** Scroll positions of tables by name, restored when they are shown again. */
const scrolled = new Map<string, number>();
onForget(() => scrolled.clear());

function text(cell: Cell): string {
    return cell === null
        ? ""
        : typeof cell === "number"
          ? Number.isInteger(cell)
              ? count(cell)
              : String(+cell.toPrecision(6))
          : cell;
}

function useVirtual(rows: number, scroller: { current: HTMLDivElement | null }) {
    const [, redraw] = useState(0);
    const options = {
        count: rows,
        getScrollElement: () => scroller.current,
        estimateSize: () => ROW_HEIGHT,
        overscan: 8,
        scrollToFn: elementScroll,
        observeElementRect,
        observeElementOffset,
        onChange: () => redraw((n) => n + 1),
    };
    const [virtual] = useState(() => new Virtualizer<HTMLDivElement, Element>(options));
    virtual.setOptions(options);
    useEffect(() => virtual._didMount(), [virtual]);
    useEffect(() => virtual._willUpdate());
    return virtual;
}

function RangeRow<Row>({
    columns,
    state,
    change,
}: {
    columns: readonly Column<Row>[];
    state: TableState;
    change: (state: TableState) => void;
}) {
    const set = (id: string, side: 0 | 1, value: string) => {
        const range: [number | null, number | null] = [...(state.ranges?.[id] ?? [null, null])];
        range[side] = value === "" || !Number.isFinite(Number(value)) ? null : Number(value);
        const ranges = { ...state.ranges, [id]: range };
        if (range[0] === null && range[1] === null) delete ranges[id];
        change({ ...state, ranges: Object.keys(ranges).length ? ranges : undefined });
    };
    return (
        <div class="tr ranges" role="row">
            {columns.map((column) => (
                <div key={column.id} class="td" role="cell" style={cellStyle(column)}>
                    {column.kind === "number" &&
                        ([0, 1] as const).map((side) => (
                            <Typed
                                key={side}
                                type="text"
                                inputMode="decimal"
                                placeholder={side ? "max" : "min"}
                                aria-label={`${column.title}: ${side ? "max" : "min"}`}
                                value={state.ranges?.[column.id]?.[side] ?? ""}
                                onConfirm={(text) => set(column.id, side, text.replaceAll(",", ""))}
                            />
                        ))}
                </div>
            ))}
        </div>
    );
}

function cellStyle<Row>(column: Column<Row>) {
    return column.width ? { width: `${column.width}px`, flex: "none" } : {};
}

function Head<Row>({
    columns,
    state,
    change,
}: {
    columns: readonly Column<Row>[];
    state: TableState;
    change: (state: TableState) => void;
}) {
    const sort = (id: string, kind?: string) => {
        const [first, second] = kind === "number" ? [`-${id}`, id] : [id, `-${id}`];
        change({ ...state, sort: state.sort === first ? second : state.sort === second ? undefined : first });
    };
    return (
        <div class="tr head" role="row">
            {columns.map((column) => {
                const order =
                    state.sort === column.id ? "ascending" : state.sort === `-${column.id}` ? "descending" : "none";
                return (
                    <div
                        key={column.id}
                        class={`td ${column.kind ?? "text"}`}
                        role="columnheader"
                        aria-sort={order}
                        style={cellStyle(column)}
                    >
                        <button
                            type="button"
                            data-column={column.id}
                            data-tip={column.tip}
                            onClick={() => sort(column.id, column.kind)}
                        >
                            {column.title}
                            <span class="order">
                                {order === "ascending" ? " ▲" : order === "descending" ? " ▼" : ""}
                            </span>
                        </button>
                    </div>
                );
            })}
        </div>
    );
}

export function Table<Row>(props: TableProps<Row>) {
    const { columns, rows, name } = props;
    const [own, setOwn] = useState<TableState>({});
    const state = props.state ?? own;
    const change = props.onState ?? setOwn;
    const [ranges, setRanges] = useState(state.ranges !== undefined);
    const scroller = useRef<HTMLDivElement>(null);
    const hidden = state.hidden ?? columns.filter((column) => column.hidden).map((column) => column.id);
    const visible = columns.filter((column) => !hidden.includes(column.id));
    const stateKey = JSON.stringify([state.sort, state.text, state.ranges]);
    const shown = useMemo(() => shownRows(rows, columns, state), [rows, columns, stateKey]);
    const virtual = useVirtual(shown.length, scroller);
    const ready = shown.length > 0;
    useEffect(() => {
        if (scroller.current && ready) scroller.current.scrollTop = scrolled.get(name) ?? 0;
    }, [name, ready]);
    const titles = visible.map((column) => column.title);
    const chosenAt = props.selected ? shown.findIndex((row) => props.selected?.(row)) : -1;
    useEffect(() => {
        if (chosenAt >= 0) virtual.scrollToIndex(chosenAt, { align: "auto" });
    }, [chosenAt]);

    const key = (event: KeyboardEvent) => {
        const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 }[event.key] ?? 0;
        if (step && props.onSelect && shown.length) {
            const next = Math.min(shown.length - 1, Math.max(0, chosenAt + step));
            props.onSelect(shown[next], event);
            virtual.scrollToIndex(next, { align: "auto" });
        } else if (event.key === "Enter" && chosenAt >= 0 && props.onOpen) props.onOpen(shown[chosenAt]);
        else return;
        event.preventDefault();
        event.stopPropagation();
    };
    const choices: MenuItem[] = columns.map((column) => ({
        kind: "check",
        title: column.title,
        checked: !hidden.includes(column.id),
        tip: column.tip,
        onChange: (checked) =>
            change({ ...state, hidden: checked ? hidden.filter((id) => id !== column.id) : [...hidden, column.id] }),
    }));
    return (
        <div class="table">
            <div class="table-bar">
                {withName(props.bar)}
                <input
                    type="search"
                    placeholder="filter"
                    aria-label={`filter ${name}`}
                    value={state.text ?? ""}
                    onInput={(event) => change({ ...state, text: event.currentTarget.value || undefined })}
                />
                <span class="table-count">
                    {shown.length === rows.length
                        ? count(rows.length)
                        : `${count(shown.length)} of ${count(rows.length)}`}
                </span>
                <span class="grow" />
                {columns.some((column) => column.kind === "number") && (
                    <button
                        type="button"
                        aria-pressed={ranges}
                        data-tip="filter by ranges of numbers"
                        onClick={() => setRanges(!ranges)}
                    >
                        Ranges
                    </button>
                )}
                <Menu label="Columns" items={choices} align="right" tip="choose columns" />
                <button
                    type="button"
                    data-tip="copy the rows as tab-separated values"
                    onClick={() => void copyText(asTsv(shown, visible, titles))}
                >
                    Copy
                </button>
                <button
                    type="button"
                    data-tip="save the rows as a CSV file"
                    onClick={() => saveText(asCsv(shown, visible, titles), `${name}.csv`, "text/csv")}
                >
                    CSV
                </button>
            </div>
            <div
                class="table-scroll"
                ref={scroller}
                role="table"
                onScroll={(event) => scrolled.set(name, event.currentTarget.scrollTop)}
                aria-rowcount={shown.length}
                tabIndex={0}
                onKeyDown={key}
            >
                <div class="table-head">
                    <Head columns={visible} state={state} change={change} />
                    {ranges && <RangeRow columns={visible} state={state} change={change} />}
                </div>
                {shown.length === 0 && (
                    <p class="empty">
                        {rows.length === 0 ? (props.empty ?? "Nothing here.") : "No row matches the filter."}
                    </p>
                )}
                <div class="table-rows" style={{ height: `${virtual.getTotalSize()}px` }}>
                    {virtual.getVirtualItems().map((item) => {
                        const row = shown[item.index];
                        if (row === undefined) return null;
                        return (
                            <div
                                key={props.rowKey ? props.rowKey(row) : item.index}
                                class={`tr ${item.index === chosenAt ? "selected" : ""} ${props.rowClass?.(row) ?? ""}`}
                                role="row"
                                aria-rowindex={item.index + 1}
                                aria-selected={item.index === chosenAt}
                                style={{ transform: `translateY(${item.start}px)` }}
                                onClick={(event) => props.onSelect?.(row, event)}
                                onDblClick={() => props.onOpen?.(row)}
                            >
                                {visible.map((column) => (
                                    <div
                                        key={column.id}
                                        class={`td ${column.kind ?? "text"}`}
                                        role="cell"
                                        style={cellStyle(column)}
                                        data-tip={column.cellTip?.(row)}
                                    >
                                        {column.show ? column.show(row) : text(column.value(row))}
                                    </div>
                                ))}
                            </div>
                        );
                    })}
                </div>
            </div>
        </div>
    );
}
