// SPDX-License-Identifier: Apache-2.0
// Keyboard shortcuts: components register theirs while they are visible; "?" lists them.
import { useEffect, useRef } from "preact/hooks";
import { Dialog } from "./dialog";

export interface KeyAction {
    key: string; // KeyboardEvent.key; letters in lower case
    what: string; // for the list; "" hides it
    group?: string;
    run: (event: KeyboardEvent) => void;
    up?: (event: KeyboardEvent) => void; // when it is released
}

const registered: { current: readonly KeyAction[] }[] = [];

function typing(target: EventTarget | null): boolean {
    return (
        target instanceof HTMLElement && target.closest("input, select, textarea, [contenteditable], dialog") !== null
    );
}

function find(event: KeyboardEvent): KeyAction | undefined {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    for (let i = registered.length - 1; i >= 0; --i) {
        const action = registered[i].current.find((one) => one.key === key);
        if (action) return action;
    }
    return undefined;
}

/** Called once for the page. */
export function startKeys(): void {
    addEventListener("keydown", (event) => {
        if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
        const action = find(event);
        if (!action) return;
        event.preventDefault();
        action.run(event);
    });
    addEventListener("keyup", (event) => find(event)?.up?.(event));
}

/** Registers a component's keys while it is mounted; those of later components have priority. */
export function useKeys(actions: readonly KeyAction[]): void {
    const box = useRef(actions);
    box.current = actions;
    useEffect(() => {
        registered.push(box);
        return () => void registered.splice(registered.indexOf(box), 1);
    }, []);
}

const NAMES: { readonly [key: string]: string } = {
    ArrowLeft: "←",
    ArrowRight: "→",
    ArrowUp: "↑",
    ArrowDown: "↓",
    Escape: "Esc",
    " ": "Space",
};

export function KeysDialog({ onClose }: { onClose: () => void }) {
    const rows = new Map<string, { group: string; keys: string[]; what: string }>();
    for (const { current } of registered)
        for (const { key, what, group = "Page" } of current) {
            if (!what) continue;
            const row = rows.get(group + what);
            const name = NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key);
            if (row) row.keys.push(name);
            else rows.set(group + what, { group, keys: [name], what });
        }
    const groups = [...new Set([...rows.values()].map((row) => row.group))];
    return (
        <Dialog title="Keys" onClose={onClose}>
            {groups.map((group) => (
                <section key={group}>
                    <h3>{group}</h3>
                    <table class="keys">
                        <tbody>
                            {[...rows.values()]
                                .filter((row) => row.group === group)
                                .map((row) => (
                                    <tr key={row.what}>
                                        <td>
                                            {row.keys.map((name) => (
                                                <kbd key={name}>{name}</kbd>
                                            ))}
                                        </td>
                                        <td>{row.what}</td>
                                    </tr>
                                ))}
                        </tbody>
                    </table>
                </section>
            ))}
        </Dialog>
    );
}
