// SPDX-License-Identifier: Apache-2.0
// Rectangles of a lane as columns, and intervals of cycles: what requests answer and drawings take.

export interface Span {
    from: number;
    to: number;
}

/** Columns of equal length, sorted by row and time. */
export interface RectangleColumns {
    from: Float64Array;
    to: Float64Array;
    row: Uint8Array;
    kind: Uint8Array; // LAYER: an inner component of debug paths
    step: Uint32Array;
    count: Uint32Array; // number of steps in it
    balance: Float32Array;
    label: Uint32Array; // index into labels; NONE: several narrow steps
    matches: Uint32Array | null; // number of its steps that match the search; null: no search
    labels: readonly string[];
    nanoseconds?: Float64Array; // of events of the host, whose names are no paths
}
export const NONE = 0xffffffff;
export const LAYER = 255;
