// SPDX-License-Identifier: Apache-2.0
// The interface of a view. Views do not know each other: a view changes its own part of the state and the shared
// selection, and opens other views by id.
import { ComponentChild } from "preact";
import { Report } from "../data/reports";
import { Json, JsonObject, Selection } from "../state";
import { DispatchOptions } from "../store";

export interface ViewContext {
    /** One, or two to compare: source and target. */
    reports: readonly Report[];
    /** The view's own part of the state, which is in the URL. Absent keys have the view's defaults. */
    state: JsonObject;
    /** Changes keys of the part; null or undefined removes a key. By default this adds an entry to the browser's
     * history. */
    update: (patch: { [key: string]: Json | undefined }, options?: DispatchOptions) => void;
    selection: Selection;
    /** Changes the selection of all views; undefined clears a kind. */
    select: (selection: Selection, options?: DispatchOptions) => void;
    /** Opens another view, with changes of its part and of the selection. */
    open: (view: string, part?: JsonObject, selection?: Selection) => void;
    /** Sets the text at the left of the status bar. */
    status: (text: string) => void;
}

export interface View {
    id: string; // in the URL
    title: string; // in the header
    tip?: string;
    /** Why the view has no data for these reports, and the option that records it; null: it has data. */
    missing?: (reports: readonly Report[]) => string | null;
    render: (context: ViewContext) => ComponentChild;
    /** Shown when no report is open: the page that chooses one. */
    landing?: boolean;
}
