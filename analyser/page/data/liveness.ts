// SPDX-License-Identifier: Apache-2.0
// Types of the answers for the Liveness view (docs/reference/analyser-server.md).

export interface StepsMeta {
    steps: number;
    kept: number; // number that pass the filter
    from: number;
    to: number;
    peakStep: number;
    peakBytes: number;
    alwaysLive: number;
    capacity: number;
}

export interface DebugContext {
    name: string;
    layer: string;
    json: string;
    file: string;
    function: string;
    line: number;
}

/** A context with its ancestors; file and line are the user's. */
export interface Debug {
    contexts: DebugContext[];
    file: string | null;
    line: number;
}

export interface LiveVariable {
    id: number;
    name: string;
    bytes: number;
}

export interface LivenessStep {
    step: number;
    program: number;
    list: number;
    name: string;
    type: string;
    detail: string | null;
    estimatedCycles: number | null;
    bytes: number;
    variables: LiveVariable[];
    vertices: { name: string; count: number }[]; // on all tiles, by type
    debug: Debug;
}

export interface VariableLife {
    name: string;
    bytes: number; // on the source
    bytesOfAllTiles: number;
    largestOfTile: number;
    alwaysLive: number;
    intervals: [number, number, number][]; // first step, end, bytes
    variables: { id: number; name: string; type: string; bytes: number; debug: Debug }[]; // the graph's variables
}
