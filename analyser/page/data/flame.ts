// SPDX-License-Identifier: Apache-2.0
// Figures by debug path as a tree: aggregated flame graphs of one report or two; callers and callees of a name.
import { getColumns } from "./client";
import { Columns } from "./columns";
import { Loaded, useLoaded } from "./load";

export interface Metric {
    id: string;
    what: string;
    unit: "cycles" | "bytes" | "FLOP";
}

/** A tree of frames: arrays by node, parents before children, node 0 is the root. */
export interface Frames {
    parent: number[];
    name: string[];
    depth: number[];
    self: number[];
    total: number[];
    times: number[];
    selfB?: number[]; // of the second report
    totalB?: number[];
}

export interface FlameTree {
    frames: Frames;
    metric: string;
    what: string;
    unit: "cycles" | "bytes" | "FLOP";
    metrics: Metric[];
}

interface TreeMeta {
    metric: string;
    what: string;
    unit: "cycles" | "bytes" | "FLOP";
    metrics: Metric[];
}

function decode(columns: Columns<TreeMeta>): FlameTree {
    const numbers = (name: string) => Array.from(columns.numbers(name));
    const both = columns.has("totalB");
    const frames: Frames = {
        parent: numbers("parent"),
        name: [...columns.texts("name")],
        depth: numbers("depth"),
        self: numbers("self"),
        total: numbers("total"),
        times: numbers("times"),
        ...(both ? { selfB: numbers("selfB"), totalB: numbers("totalB") } : {}),
    };
    return { frames, ...columns.meta };
}

export function useFlame(report: number, metric: string | undefined): Loaded<FlameTree> {
    return useLoaded(`flame ${report} ${metric ?? ""}`, async (signal) =>
        decode(await getColumns<TreeMeta>("flame/tree", { report, metric }, signal)),
    );
}

export function useDifferenceFlame(metric: string | null): Loaded<FlameTree> {
    return useLoaded(metric === null ? null : `difference ${metric}`, async (signal) =>
        decode(await getColumns<TreeMeta>("difference/flame", { metric: metric ?? "" }, signal)),
    );
}

/** The debug path of a node. */
export function pathOf(frames: Frames, node: number): string {
    const parts: string[] = [];
    for (let at = node; at > 0; at = frames.parent[at]) parts.unshift(frames.name[at]);
    return parts.join("/");
}

export interface Hot {
    name: string;
    self: number;
    total: number;
    times: number;
    selfB: number;
    totalB: number;
}

/** The total cost of each name over all its occurrences; recursive occurrences count once. */
export function hottest(frames: Frames): Hot[] {
    const found = new Map<string, Hot>();
    for (let node = 1; node < frames.name.length; ++node) {
        const name = frames.name[node];
        let hot = found.get(name);
        if (!hot) found.set(name, (hot = { name, self: 0, total: 0, times: 0, selfB: 0, totalB: 0 }));
        hot.self += frames.self[node];
        hot.selfB += frames.selfB?.[node] ?? 0;
        hot.times += frames.times[node];
        let inside = false;
        for (let at = frames.parent[node]; at > 0 && !inside; at = frames.parent[at]) inside = frames.name[at] === name;
        if (inside) continue;
        hot.total += frames.total[node];
        hot.totalB += frames.totalB?.[node] ?? 0;
    }
    return [...found.values()];
}

/** Builds a tree from paths of names with costs. */
function treeOf(root: string, paths: Iterable<{ path: string[]; cost: number; costB: number; times: number }>): Frames {
    const frames: Frames = {
        parent: [0],
        name: [root],
        depth: [0],
        self: [0],
        total: [0],
        times: [0],
        selfB: [0],
        totalB: [0],
    };
    const children = [new Map<string, number>()];
    for (const { path, cost, costB, times } of paths) {
        let at = 0;
        const add = (node: number) => {
            frames.total[node] += cost;
            (frames.totalB as number[])[node] += costB;
        };
        add(0);
        for (const name of path) {
            let next = children[at].get(name);
            if (next === undefined) {
                next = frames.name.length;
                children[at].set(name, next);
                children.push(new Map());
                frames.parent.push(at);
                frames.name.push(name);
                frames.depth.push(frames.depth[at] + 1);
                for (const list of [
                    frames.self,
                    frames.total,
                    frames.times,
                    frames.selfB as number[],
                    frames.totalB as number[],
                ])
                    list.push(0);
            }
            at = next;
            add(at);
        }
        frames.self[at] += cost;
        frames.times[at] += times;
        (frames.selfB as number[])[at] += costB;
    }
    return frames;
}

/** The sandwich of a name: its callers, nearest first, and its callees. */
export function sandwich(frames: Frames, name: string): { callers: Frames; callees: Frames } {
    const up: { path: string[]; cost: number; costB: number; times: number }[] = [];
    const down: typeof up = [];
    const inside: number[] = frames.name.map(() => 0); // outermost frame of that name, from the root to the node
    for (let node = 1; node < frames.name.length; ++node) {
        inside[node] = inside[frames.parent[node]] || (frames.name[node] === name ? node : 0);
        if (!inside[node]) continue;
        if (inside[node] === node) {
            const path: string[] = [];
            for (let at = frames.parent[node]; at > 0; at = frames.parent[at]) path.push(frames.name[at]);
            up.push({ path, cost: frames.total[node], costB: frames.totalB?.[node] ?? 0, times: frames.times[node] });
        }
        const cost = frames.self[node];
        const costB = frames.selfB?.[node] ?? 0;
        if (!cost && !costB) continue;
        const path: string[] = [];
        for (let at = node; at !== inside[node]; at = frames.parent[at]) path.unshift(frames.name[at]);
        down.push({ path, cost, costB, times: frames.times[node] });
    }
    return { callers: treeOf(name, up), callees: treeOf(name, down) };
}
