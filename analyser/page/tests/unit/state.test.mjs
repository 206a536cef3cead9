// SPDX-License-Identifier: Apache-2.0
// The state and its encoding in the URL.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "../load.mjs";

const { reduce, stateToFragment, fragmentToState } = await load("state.ts");

test("a state comes back from its fragment", () => {
    const parts = {
        trace: {
            from: 0,
            to: 2 ** 53,
            layout: "flame",
            text: "12",
            none: "null",
            hidden: ["a", "b c"],
            on: true,
            odd: "a&b=c#?%σ/../<b>",
        },
        memory: { table: { sort: "-bytes", ranges: { bytes: [null, 4] } } },
    };
    const state = { view: "trace", parts, selection: { tile: 0, step: 17, variable: "a/b=1" } };
    assert.deepEqual(fragmentToState(stateToFragment(state), "other"), state);
});

test("nonsense in a fragment is left out", () => {
    assert.deepEqual(fragmentToState("", "first"), { view: "first", parts: {}, selection: {} });
    assert.deepEqual(fragmentToState("#/%E0%A4%A?tile=-1&step=1.5&foo=1&trace.a={", "first"), {
        view: "first",
        parts: { trace: { a: "{" } },
        selection: {},
    });
});

test("updates change one view's part, and null removes", () => {
    let state = { view: "a", parts: { a: { x: 1, y: 2 }, b: { x: 3 } }, selection: { tile: 1 } };
    state = reduce(state, { type: "update", view: "a", patch: { x: null, z: "new" } });
    assert.deepEqual(state.parts, { a: { y: 2, z: "new" }, b: { x: 3 } });
    state = reduce(state, { type: "select", selection: { tile: undefined, step: 4 } });
    assert.deepEqual(state.selection, { step: 4 });
    state = reduce(state, { type: "open", view: "b", part: { q: 1 }, selection: { tile: 9 } });
    assert.deepEqual(state, {
        view: "b",
        parts: { a: { y: 2, z: "new" }, b: { x: 3, q: 1 } },
        selection: { step: 4, tile: 9 },
    });
});
