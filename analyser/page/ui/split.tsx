// SPDX-License-Identifier: Apache-2.0
// Two panes with a bar between them, which can be dragged, moved with the arrow keys, and reset by a double click.
import { ComponentChild } from "preact";
import { useRef } from "preact/hooks";
import { preferences, setPreferences, usePreferences } from "../preferences";

export interface SplitProps {
    name: string; // its position is stored under this name
    initial: number; // share of the first pane, 0 to 1
    direction?: "column" | "row"; // column: one above the other
    first: ComponentChild;
    second: ComponentChild;
}

const LEAST = 0.08;

export function Split({ name, initial, direction = "column", first, second }: SplitProps) {
    const { sizes } = usePreferences();
    const box = useRef<HTMLDivElement>(null);
    const share = sizes[name] ?? initial;
    const column = direction === "column";
    const set = (value: number) => {
        const size = Math.min(1 - LEAST, Math.max(LEAST, value));
        setPreferences({ sizes: { ...preferences().sizes, [name]: Math.round(size * 1000) / 1000 } });
    };
    const drag = (event: PointerEvent) => {
        const bar = event.currentTarget as HTMLElement;
        bar.setPointerCapture(event.pointerId);
        const move = (at: PointerEvent) => {
            const area = (box.current as HTMLElement).getBoundingClientRect();
            set(column ? (at.clientY - area.top) / area.height : (at.clientX - area.left) / area.width);
        };
        const end = () => {
            bar.removeEventListener("pointermove", move);
            bar.removeEventListener("pointerup", end);
            bar.removeEventListener("pointercancel", end);
        };
        bar.addEventListener("pointermove", move);
        bar.addEventListener("pointerup", end);
        bar.addEventListener("pointercancel", end);
        event.preventDefault();
    };
    const key = (event: KeyboardEvent) => {
        const less = column ? "ArrowUp" : "ArrowLeft";
        const more = column ? "ArrowDown" : "ArrowRight";
        if (event.key !== less && event.key !== more) return;
        set(share + (event.key === more ? 0.02 : -0.02));
        event.preventDefault();
        event.stopPropagation();
    };
    const size = `${share * 100}%`;
    return (
        <div class={`split ${direction}`} ref={box}>
            <div class="pane" style={column ? { height: size } : { width: size }}>
                {first}
            </div>
            <div
                class="split-bar"
                role="separator"
                tabIndex={0}
                aria-orientation={column ? "horizontal" : "vertical"}
                aria-valuenow={Math.round(share * 100)}
                aria-label="size of the panes"
                data-tip="drag to resize, double click for the default"
                onPointerDown={drag}
                onDblClick={() => set(initial)}
                onKeyDown={key}
            />
            <div class="pane rest">{second}</div>
        </div>
    );
}
