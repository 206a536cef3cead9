// SPDX-License-Identifier: Apache-2.0
// Definitions of storage categories and liveness in a sentence or two, for tooltips.

export const CATEGORIES: { readonly [name: string]: string } = {
    constant: "Constants that the program added. The compiler's own constants count as variables.",
    controlCode: "Code of the control programs, and code that starts the vertices of compute sets.",
    controlId: "The variable that a Switch tests, and counters of the syncs with the host on each tile.",
    controlTable: "A list of the vertices that each compute set runs. It only exists with the table scheduler.",
    copyDescriptor: "Fields of varying length that describe the data of a copy vertex.",
    globalExchangeCode: "Code that sends and receives between IPUs.",
    globalExchangePacketHeader: "Headers of the packets that travel between IPUs.",
    globalMessage: "Buffers for data on their way to or from another IPU.",
    hostExchangeCode: "Code that sends to the host and receives from it.",
    hostExchangePacketHeader: "Headers of the packets that travel to and from the host.",
    hostMessage: "Buffers for data on their way to or from the host.",
    instrumentationResults: "Counters of profiling.",
    internalExchangeCode: "Code that sends and receives between tiles of an IPU.",
    message: "Buffers for data on their way between tiles of an IPU.",
    multiple: "Addresses that variables of several categories use at different times.",
    outputEdge: "Results of vertices, until an exchange has sent them.",
    rearrangement:
        "Copies of tensors in the order that a compute set needs. " +
        "They are only used in that compute set, so they are never always live.",
    sharedCodeStorage: "Code that several vertices share.",
    sharedDataStorage: "Data that several vertices share.",
    stack: "Stacks of the supervisor and of the workers of a tile.",
    variable: "Variables of the program and of the compiler.",
    vectorListDescriptor: "The tables behind VectorList fields of vertices.",
    vertexCode: "Code of the codelets.",
    vertexFieldData: "Fields of vertices whose length varies: vectors, and lists of inputs.",
    vertexInstanceState: "The object of each vertex, sizeof(Vertex) bytes.",
};

/** A category in words: "Vertex instance state" for vertexInstanceState. */
export function categoryTitle(name: string): string {
    const words = name.replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);
    return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** The report's own spelling of a category, and what it is. */
export function categoryTip(name: string): string {
    return CATEGORIES[name] ? `${name}\n${CATEGORIES[name]}` : name;
}

export const REGIONS = ["Non-interleaved", "Interleaved", "Overflowed"] as const;
export const REGION_TIPS: readonly string[] = [
    "Consecutive memory elements; code has to be here",
    "Memory elements in pairs, which vertices can read at twice the speed",
    "Bytes that do not fit into the tile's memory",
];

export const LIVE =
    "A variable is live while a later step may still read its " +
    "value; until then its addresses cannot be used for anything else.";
export const KILLED =
    "The lifetime of a variable ends before a compute set that writes all its elements. Writing " +
    "some of them, or all of them in several compute sets, does not end it; WriteUndef does.";
export const ALWAYS_LIVE =
    "Live at every step: code, vertices' state, and variables that keep their values between runs.";
export const NOT_ALWAYS_LIVE = "Live at some steps: variables whose addresses others use at other times.";
export const GAPS = "Bytes below the highest address in use of a region that nothing uses";
export const OVERLAPPED = "Bytes of variables that share their addresses with others at other times, each counted";
export const NOT_OVERLAPPED = "Bytes whose addresses nothing else uses";
