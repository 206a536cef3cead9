// SPDX-License-Identifier: Apache-2.0
// The page's store: state, subscribers, and the browser's history. Changes of one gesture (a drag, wheel, typing) are
// one entry of the history; the URL is written shortly after the last change, because browsers limit such writes.
import { useEffect, useState } from "preact/hooks";
import { Action, State, fragmentToState, reduce, stateToFragment } from "./state";

const WRITE_AFTER = 150; // ms
const GESTURE_ENDS_AFTER = 1200; // ms

export interface DispatchOptions {
    /** Consecutive changes with the same name are one entry of the history. */
    gesture?: string;
    /** Changes the current entry of the history. */
    replace?: boolean;
}

export class Store {
    state: State;
    private listeners = new Set<() => void>();
    private timer = 0;
    private pushing = false;
    private gesture = "";
    private gestureTime = 0;

    constructor(firstView: string) {
        this.state = fragmentToState(location.hash, firstView);
        addEventListener("popstate", () => this.restore(firstView));
        addEventListener("pagehide", () => this.write());
    }

    dispatch = (action: Action, options: DispatchOptions = {}): void => {
        const before = stateToFragment(this.state);
        const next = reduce(this.state, action);
        if (stateToFragment(next) === before) return;
        const now = performance.now();
        const sameGesture =
            options.gesture !== undefined &&
            options.gesture === this.gesture &&
            now - this.gestureTime < GESTURE_ENDS_AFTER;
        if (!options.replace && !sameGesture) {
            this.write();
            this.pushing = true;
        }
        if (!options.replace) this.gesture = options.gesture ?? "";
        this.gestureTime = now;
        this.state = next;
        clearTimeout(this.timer);
        this.timer = window.setTimeout(() => this.write(), WRITE_AFTER);
        this.tell();
    };

    /** One entry back in the history; a change that is not written yet counts as an entry. */
    back(): void {
        this.write();
        history.back();
    }

    subscribe(listener: () => void): () => void {
        this.listeners.add(listener);
        return () => this.listeners.delete(listener);
    }

    private restore(firstView: string): void {
        clearTimeout(this.timer);
        this.timer = 0;
        this.pushing = false;
        this.gesture = "";
        this.state = reduce(this.state, { type: "restore", state: fragmentToState(location.hash, firstView) });
        this.tell();
    }

    private write(): void {
        if (!this.timer) return;
        clearTimeout(this.timer);
        this.timer = 0;
        const fragment = stateToFragment(this.state);
        if (fragment !== location.hash) {
            if (this.pushing) history.pushState(null, "", fragment);
            else history.replaceState(null, "", fragment);
        }
        this.pushing = false;
    }

    private tell(): void {
        for (const listener of [...this.listeners]) listener();
    }
}

export function useStore(store: Store): State {
    const [state, setState] = useState(store.state);
    useEffect(() => store.subscribe(() => setState(store.state)), [store]);
    return state;
}
