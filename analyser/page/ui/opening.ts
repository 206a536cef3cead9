// SPDX-License-Identifier: Apache-2.0
// A view that is opened without any state begins with an answer: it selects what a stranger would look for.
import { useEffect } from "preact/hooks";
import { JsonObject } from "../state";

/** Calls `open` once, as soon as what it needs is there, unless the view or the selection says what to show. */
export function useOpening(state: JsonObject, chosen: unknown, ready: boolean, open: () => void): void {
    useEffect(() => {
        const fresh = chosen === undefined && Object.values(state).every((value) => value === undefined);
        if (fresh && ready) open();
    }, [ready]);
}
