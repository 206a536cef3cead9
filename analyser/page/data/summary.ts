// SPDX-License-Identifier: Apache-2.0
// Types of the answers for Summary and Insights.
import { Json } from "../state";

export interface Target {
    type: string | null;
    architecture: string | null;
    ipus: number | null;
    tilesPerIpu: number | null;
    tiles: number;
    bytesPerTile: number | null;
    bytesPerIpu: number | null;
    totalMemory: number | null;
    clock: number | null; // Hz
    replicas: number;
    replica: number; // the recorded replica
    ipusPerReplica: number | null;
    tilesPerReplica: number;
    memoryPerReplica: number;
}

export interface Option {
    name: string;
    value: string;
    isSet: number;
}

export interface Run {
    id: number;
    name: string;
    cycles: number;
    microseconds: number; // on the host
    parameters: { name: string; value: string }[];
}

/** framework.json or app.json. */
export type Beside = { content: Json } | { error: string } | null;

export interface Summary {
    target: Target | null;
    graph: { computeSets: number; edges: number; variables: number; vertices: number } | null;
    instrumentation: {
        compute: number; // 0 off, 1 vertex, 2 tile, 3 IPU, 4 device
        externalExchange: number;
        controlFlow: number;
        profilingTile: number | null;
        branchRecordTile: number | null;
        mode: string | null;
    } | null;
    format: {
        version: string;
        writer: string;
        compilation: number;
        loweredVariables: number;
        execution: number;
        closed: number;
    } | null;
    info: { name: string; value: string | number | null }[];
    options: Option[];
    metrics: { name: string; value: number }[];
    runs: Run[];
    framework: Beside;
    application: Beside;
    host: Json;
}

export interface Sized {
    name: string;
    bytes: number;
    count?: number; // variables of that name, added up
}

export interface Insights {
    memory: {
        tiles: number;
        used: number;
        capacity: number;
        bytesPerTile: number;
        largest: number;
        overflowing: number;
    } | null;
    worstTiles: { tile: number; ipu: number; bytes: number; withoutGaps: number; alwaysLive: number }[];
    histogram: { from: number; to: number; tiles: number }[];
    runs: { runs: number; minimum: number | null; mean: number | null; maximum: number | null; clock: number } | null;
    cycles: Cycles | null;
    account: Account;
    arithmetic: Arithmetic | null; // null: the report has no floating-point operations
    vertexCode: Sized[];
    vertexState: Sized[];
    exchanges: Sized[];
    alwaysLive: Sized[];
    peak: { step: number; name: string; type: string; bytes: number } | null;
    atPeak: Sized[];
    float32: { name: string; bytes: number; saved: number }[];
    savings: { float32: number | null; batch: number | null; again: number | null } | null; // upper bounds, in bytes
    outOfMemory: string;
}

/** Of all tiles of a replica in a cycle: products of halves and floats, and bytes received; 0: unknown. */
export interface Peak {
    half: number;
    float: number;
    exchange: number;
}

/** Floating-point operations of vertices, of which `uncounted` have no estimate of their own. */
export interface Arithmetic {
    flops: number;
    vertices: number;
    uncounted: number;
    peak: Peak;
    runs: { id: number; flops: number }[];
}

/** insights/scope?report=&scope=model|ipu|tile&index=: the ten largest of each list. */
export interface Scope {
    memory: { tiles: number; used: number; capacity: number | null; largest: number } | null;
    vertexState: Sized[];
    vertexCode: Sized[];
    computeSets: Sized[];
    variables: (Sized & { alwaysLive: number })[];
    exchanges: Sized[];
    steps: (Sized & { step: number; type: string })[];
}

/** total is that of the last tile; the others are sums over tiles, and `available` is total x tiles. */
export interface Cycles {
    total: number;
    available: number;
    activeCompute: number;
    compute: number;
    exchange: number;
    globalExchange: number;
    streamCopy: number;
    sync: number;
}

/** Cycles of the critical path by activity; they add up to the total. */
export interface Activities {
    total: number;
    compute: number;
    exchange: number;
    globalExchange: number;
    host: number;
    sync: number;
    other: number;
}

export interface Account extends Activities {
    runs: (Activities & { id: number; name: string })[];
    utilisation: number; // the share of the time in which an average tile computes
}

/** insights/advice: sum is the account of time, with the part of it that all entries save. */
export interface AdviceList {
    entries: Advice[];
    sum: Activities & { saved: Activities; left: number; entries: number };
}

export interface Advice {
    kind: "memory" | "imbalance" | "threads" | "exchange" | "stream" | "transfer" | "rearrange";
    advice: string;
    name: string;
    detail: string;
    cycles: number; // estimated saving
    bytes: number;
    urgent: boolean;
    program: number | null;
    step?: number; // the first of the program that was executed, from its first tile's begin to its last one's end
    from?: number;
    to?: number;
    tile: number | null;
    times: number | null;
    file: string | null;
    line: number;
}
