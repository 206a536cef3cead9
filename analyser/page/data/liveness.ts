// SPDX-License-Identifier: Apache-2.0
// What the calls of the Liveness view answer (docs/reference/analyser-server.md).

export interface StepsMeta {
    steps: number;
    kept: number; // that the filter leaves
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

/** A context with its parents; file and line are the user's. */
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
    variables: { id: number; name: string; type: string; bytes: number; debug: Debug }[]; // of the graph
}
