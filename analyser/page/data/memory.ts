// SPDX-License-Identifier: Apache-2.0
// Types of the answers for the Memory view (docs/reference/analyser-server.md).

export interface MemoryOverview {
    tiles: number;
    tilesPerIpu: number;
    ipus: number;
    bytesPerTile: number;
    interleavedStart: number;
    loweredVariables: number; // whether they were captured
    total: number | null;
    gaps: number | null;
    overflowing: number;
    peakTile: number | null; // without gaps
    peakTileWithGaps: number | null;
    tilesInUse: number | null; // one more than the last tile that holds more than every tile does
    categories: { name: string; bytes: number }[];
    outOfMemory: string;
}

/** meta of memory/tiles: statistics of the key over the requested positions. */
export interface TilesMeta {
    tiles: number;
    from: number;
    to: number;
    minimum: number;
    mean: number;
    maximum: number;
    deviation: number;
    sum: number;
}

export interface PlanMeta {
    tiles: number;
    tilesPerIpu: number;
    height: number; // rows of an IPU's plan
}

export interface TileMemory {
    tile: number;
    ipu: number;
    tileOfIpu: number;
    total: number;
    gaps: number; // bytes including gaps
    interleaved: number;
    interleavedGaps: number;
    nonInterleaved: number;
    nonInterleavedGaps: number;
    overflowed: number;
    overflowedGaps: number;
    alwaysLive: number;
    notAlwaysLive: number;
    bytesPerTile: number;
    categories: { name: string; region: number; overlap: number; bytes: number }[];
}

export type Order = "software" | "physical";
