// SPDX-License-Identifier: Apache-2.0
// The trace's options, as stored in its part of the state.
import { WindowOptions } from "../../data/trace";
import { Json, JsonObject } from "../../state";

export interface TraceOptions {
    ipu: number; // -1: all
    layout: "flat" | "flame" | "programs"; // flame: by components of debug names; programs: by enclosing ones
    bsp: boolean;
    runs: boolean;
    memory: boolean; // live memory as a track
    balance: boolean;
    terminals: boolean;
    executions: boolean; // grouped
    syncs: boolean; // grouped
    text: boolean;
    separate: boolean;
    external: boolean; // external syncs are shown
    syncans: boolean; // SyncAns and Sans are shown
    utilisation: boolean; // new BSP statistics
    flushes: boolean;
    aggregate: boolean;
    relative: boolean;
    stacked: boolean; // comparing: one graph above the other
    linked: boolean; // comparing: both have the same window
    host: boolean; // threads of the host above the IPUs, on one axis
}

export const DEFAULTS: TraceOptions = {
    ipu: -1,
    layout: "flat",
    bsp: false,
    runs: true,
    memory: false,
    balance: false,
    terminals: false,
    executions: false,
    syncs: false,
    text: true,
    separate: false,
    external: true,
    syncans: true,
    utilisation: false,
    flushes: false,
    aggregate: true,
    relative: false,
    stacked: true,
    linked: true,
    host: true,
};

export type OptionName = keyof TraceOptions;

/** `ipus`: number of IPUs in the report. */
export function optionsOf(state: JsonObject, ipus: number): TraceOptions {
    const options: Record<string, Json> = { ...DEFAULTS };
    for (const [name, value] of Object.entries(DEFAULTS))
        if (typeof state[name] === typeof value) options[name] = state[name];
    if (options.layout !== "flame" && options.layout !== "programs") options.layout = "flat";
    if (!(Number(options.ipu) < ipus)) options.ipu = -1;
    return options as unknown as TraceOptions;
}

/** A change of the state; default values are not stored. */
export function optionPatch<Name extends OptionName>(name: Name, value: TraceOptions[Name]): JsonObject {
    return { [name]: value === DEFAULTS[name] ? null : value };
}

/** Hidden kinds, which are also excluded from statistics. */
export function hiddenKinds(options: TraceOptions): string[] {
    return [...(options.external ? [] : ["Sync External"]), ...(options.syncans ? [] : ["SyncAns", "Sans"])];
}

const FLAMES = { flat: 0, flame: 1, programs: 2 } as const;

export function windowOptions(options: TraceOptions, search: string): WindowOptions {
    const groups = [options.syncs ? "syncs" : "", options.executions ? "executions" : ""].filter((one) => one);
    return { flame: FLAMES[options.layout], group: groups.join(","), hide: hiddenKinds(options).join(","), q: search };
}
