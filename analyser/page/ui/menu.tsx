// SPDX-License-Identifier: Apache-2.0
// A button that opens a list of actions or switches, with arrow keys, Enter and Escape.
import { ComponentChild } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

export type MenuItem =
    | { kind: "action"; title: string; onChoose: () => void; disabled?: boolean; tip?: string }
    | { kind: "check"; title: string; checked: boolean; onChange: (checked: boolean) => void; tip?: string }
    | { kind: "choice"; title: string; chosen: boolean; onChoose: () => void; tip?: string }
    | { kind: "title"; title: string };

export interface MenuProps {
    label: ComponentChild;
    items: readonly MenuItem[];
    tip?: string;
    name?: string; // accessible name of the button
    align?: "left" | "right";
}

const MARKS = { check: ["☐", "☑"], choice: ["○", "●"] }; // off, on

function Item({ item, close }: { item: MenuItem; close: () => void }) {
    if (item.kind === "title") return <div class="menu-title">{item.title}</div>;
    const mark =
        item.kind === "check" ? MARKS.check[+item.checked] : item.kind === "choice" ? MARKS.choice[+item.chosen] : "";
    const choose = () => {
        if (item.kind === "check") item.onChange(!item.checked);
        else item.onChoose();
        if (item.kind === "action") close();
    };
    const role = item.kind === "check" ? "menuitemcheckbox" : item.kind === "choice" ? "menuitemradio" : "menuitem";
    const checked = item.kind === "check" ? item.checked : item.kind === "choice" ? item.chosen : undefined;
    return (
        <button
            type="button"
            role={role}
            aria-checked={checked}
            data-tip={item.tip}
            disabled={item.kind === "action" && item.disabled}
            onClick={choose}
        >
            <span class="mark">{mark}</span>
            {item.title}
        </button>
    );
}

export function Menu({ label, items, tip, name, align = "left" }: MenuProps) {
    const [open, setOpen] = useState(false);
    const box = useRef<HTMLDivElement>(null);
    useEffect(() => {
        if (!open) return;
        const outside = (event: Event) => {
            if (!box.current?.contains(event.target as Node)) setOpen(false);
        };
        document.addEventListener("pointerdown", outside, true);
        box.current?.querySelector<HTMLElement>(".menu-list button")?.focus();
        return () => document.removeEventListener("pointerdown", outside, true);
    }, [open]);
    const key = (event: KeyboardEvent) => {
        if (!open) return;
        const buttons = [
            ...(box.current as HTMLElement).querySelectorAll<HTMLElement>(".menu-list button:not(:disabled)"),
        ];
        const at = buttons.indexOf(document.activeElement as HTMLElement);
        if (event.key === "ArrowDown") buttons[(at + 1) % buttons.length]?.focus();
        else if (event.key === "ArrowUp") buttons[(at - 1 + buttons.length) % buttons.length]?.focus();
        else if (event.key === "Escape") {
            setOpen(false);
            box.current?.querySelector<HTMLElement>(".menu-button")?.focus();
        } else return;
        event.preventDefault();
        event.stopPropagation();
    };
    return (
        <div class="menu" ref={box} onKeyDown={key}>
            <button
                type="button"
                class="menu-button"
                aria-haspopup="menu"
                aria-expanded={open}
                aria-label={name}
                data-tip={tip}
                onClick={() => setOpen(!open)}
            >
                {label}
            </button>
            {open && (
                <div class={`menu-list ${align}`} role="menu">
                    {items.map((item, i) => (
                        <Item key={i} item={item} close={() => setOpen(false)} />
                    ))}
                </div>
            )}
        </div>
    );
}
