// SPDX-License-Identifier: Apache-2.0
// The trace of an exported page: the embedded data covers the whole extent at full resolution.
import { Columns } from "../columns";
import { Answer, Answers, Asked, rowsWhere } from "./answers";

interface Lanes {
    from: number;
    to: number;
    tilesPerIpu: number;
    kinds: { name: string }[];
    lanes: { ipu: number }[];
}

const NONE = 0xffffffff;
const WINDOW = ["from", "to", "step", "count", "label", "balance", "kind", "depth", "row"];

function hiddenKinds(answers: Answers, hide: string): Set<number> {
    const names = hide.split(",").filter((word) => word !== "");
    const kinds = answers.json<Lanes>("trace/lanes")?.kinds ?? [];
    return new Set(names.map((name) => kinds.findIndex((kind) => kind.name === name)));
}

/** Whether a rectangle's path or kind contains the text. */
function matcher(answers: Answers, columns: Columns, q: string): (row: number) => boolean {
    const word = q.toLowerCase();
    const kinds = answers.json<Lanes>("trace/lanes")?.kinds.map((kind) => kind.name.toLowerCase().includes(word)) ?? [];
    const labels = columns.texts("labels").map((text) => text.toLowerCase().includes(word));
    const [kind, label] = [columns.numbers("kind"), columns.numbers("label")];
    return (row) => kinds[kind[row]] || (label[row] !== NONE && labels[label[row]]);
}

function laneWindow(answers: Answers, asked: Asked): Columns<{ rows: number }> | undefined {
    return answers.columns("trace/window", { flame: asked.flame ?? "0", group: asked.group ?? "", lane: asked.lane });
}

export function traceWindow(answers: Answers, asked: Asked): Answer {
    const whole = laneWindow(answers, asked);
    if (!whole) return undefined;
    const hidden = hiddenKinds(answers, asked.hide ?? "");
    const kind = whole.numbers("kind");
    const columns = rowsWhere(whole, WINDOW, (row) => !hidden.has(kind[row]));
    const found = asked.q ? matcher(answers, whole, asked.q) : null;
    const matches = found
        ? Uint32Array.from(kind, (_, row) => (found(row) ? 1 : 0)).filter((_, row) => !hidden.has(kind[row]))
        : null;
    return {
        meta: whole.meta,
        columns: { ...columns, ...(matches ? { matches } : {}), labels: whole.texts("labels") },
    };
}

/** Steps with the text in their path or kind, and the match `skip` matches after `step`. */
export function traceSearch(answers: Answers, asked: Asked): Answer {
    const places = new Map<number, { from: number; to: number }>();
    for (const { ipu } of answers.json<Lanes>("trace/lanes")?.lanes ?? []) {
        const whole = laneWindow(answers, { lane: String(ipu) });
        if (!whole) return undefined;
        const matches = matcher(answers, whole, asked.q ?? "");
        const [step, from, to] = ["step", "from", "to"].map((name) => whole.numbers(name));
        step.forEach((one: number, row: number) => {
            if (one === NONE || !matches(row)) return;
            const before = places.get(one);
            places.set(one, {
                from: Math.min(before?.from ?? Infinity, from[row]),
                to: Math.max(before?.to ?? 0, to[row]),
            });
        });
    }
    const steps = [...places.keys()].sort((a, b) => a - b);
    const [at, skip] = [Number(asked.step ?? 0), Number(asked.skip ?? 0)];
    const next = steps.findIndex((one) => one >= at);
    const here = next < 0 ? 0 : next;
    const back = skip > 0 && steps[here] !== at ? skip - 1 : skip;
    const number = steps.length ? (((here + back) % steps.length) + steps.length) % steps.length : 0;
    const current = steps.length ? { step: steps[number], number, ...places.get(steps[number]) } : null;
    const meta = { matches: steps.length, listed: steps.length, current };
    return { meta, columns: { programs: new Uint32Array(), steps: Uint32Array.from(steps) } };
}

/** Statistics need data of each tile: only those of the whole extent are embedded. */
export function traceSummary(answers: Answers, asked: Asked): Answer {
    const lanes = answers.json<Lanes>("trace/lanes");
    const whole =
        lanes && !asked.hide && Number(asked.from ?? 0) <= lanes.from && Number(asked.to ?? Infinity) >= lanes.to;
    const json = whole ? answers.json("trace/summary") : undefined;
    return json === undefined ? undefined : { json };
}

/** The rows of the IPU's picture for the requested tiles. */
export function traceBsp(answers: Answers, asked: Asked): Answer {
    const perIpu = answers.json<Lanes>("trace/lanes")?.tilesPerIpu ?? 0;
    const [tile, tiles] = [Number(asked.tile ?? 0), Number(asked.tiles ?? perIpu)];
    const first = Math.floor(tile / Math.max(1, perIpu)) * perIpu;
    const whole = answers.columns<{ width: number; height: number }>("trace/bsp", {
        tile: String(first),
        tiles: String(perIpu),
    });
    if (!whole) return undefined;
    const { width, height } = whole.meta;
    const [top, bottom] = [(tile - first) / perIpu, (tile - first + tiles) / perIpu].map((share) =>
        Math.round(share * height),
    );
    const rows = Math.max(1, bottom - top);
    const hidden = hiddenKinds(answers, asked.hide ?? "");
    const kind = whole.numbers("kind").slice(top * width, (top + rows) * width) as Uint8Array;
    const shown = hidden.size ? kind.map((one) => (hidden.has(one) ? 255 : one)) : kind;
    return { meta: { ...whole.meta, height: rows, firstTile: tile, tiles }, columns: { kind: shown } };
}

/** A request that was answered for the whole extent, regardless of the window. */
export function ofWhole(path: string, names: readonly string[]): (answers: Answers, asked: Asked) => Answer {
    return (answers, asked) => {
        const kept = Object.fromEntries(names.map((name) => [name, asked[name] ?? "0"]));
        const base64 = answers.columns<unknown>(path, kept);
        return base64 && { meta: base64.meta, columns: base64.all() };
    };
}
