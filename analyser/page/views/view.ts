// SPDX-License-Identifier: Apache-2.0
// What a view is.  A view knows no other: it changes its own part of the state, the shared selection, and asks the page
// to open another view by its id.
import { ComponentChild } from "preact";
import { Report } from "../data/reports";
import { Json, JsonObject, Selection } from "../state";
import { DispatchOptions } from "../store";

export interface ViewContext {
    /** One, or two to compare: the source and the target. */
    reports: readonly Report[];
    /** The view's own part of the state; it is in the URL.  Absent keys have the view's defaults. */
    state: JsonObject;
    /** Changes keys of the part; null or undefined removes one.  By default a step of the browser's history. */
    update: (patch: { [key: string]: Json | undefined }, options?: DispatchOptions) => void;
    selection: Selection;
    /** Changes the selection of all views; undefined clears a kind. */
    select: (selection: Selection, options?: DispatchOptions) => void;
    /** Shows another view, with changes of its part and of the selection. */
    open: (view: string, part?: JsonObject, selection?: Selection) => void;
    /** What the status bar says at its left. */
    status: (text: string) => void;
}

export interface View {
    id: string; // in the URL
    title: string; // in the header
    tip?: string;
    /** Why the view has nothing to show for these reports, and which option would record it; null: it has. */
    missing?: (reports: readonly Report[]) => string | null;
    render: (context: ViewContext) => ComponentChild;
    /** Shown without an open report: the page that chooses one. */
    landing?: boolean;
}
