// SPDX-License-Identifier: Apache-2.0
// Memory and liveness in an exported page: extracts the requested part from the data of all tiles and steps.
import { Columns, NumberColumn } from "../columns";
import { Answer, Answers, Asked } from "./answers";

/** Minimum, mean, maximum, deviation and sum, as memory/tiles computes them for its key. */
function statistics(values: NumberColumn): { [name: string]: number } {
    let [minimum, maximum, sum, squares] = [Infinity, 0, 0, 0];
    for (let i = 0; i < values.length; ++i) {
        minimum = Math.min(minimum, values[i]);
        maximum = Math.max(maximum, values[i]);
        sum += values[i];
    }
    const mean = values.length ? sum / values.length : 0;
    for (let i = 0; i < values.length; ++i) squares += (values[i] - mean) ** 2;
    const deviation = values.length ? Math.sqrt(squares / values.length) : 0;
    return { minimum: values.length ? minimum : 0, mean, maximum, deviation, sum };
}

function figure(answers: Answers, whole: Columns, order: string, series: string): NumberColumn | undefined {
    if (whole.has(series)) return whole.numbers(series);
    const own = answers.columns("memory/tiles", { order, series });
    return own?.numbers(series);
}

export function memoryTiles(answers: Answers, asked: Asked): Answer {
    const order = asked.order ?? "software";
    const whole = answers.columns<{ tiles: number }>("memory/tiles", { order });
    if (!whole) return undefined;
    const tiles = whole.meta.tiles;
    const [from, to] = [Number(asked.from ?? 0), Math.min(tiles, Number(asked.to ?? tiles))];
    const cut = (values: NumberColumn) => values.slice(from, to);
    const key = figure(answers, whole, order, asked.key ?? "total");
    if (!key) return undefined;
    const columns: { [name: string]: NumberColumn } = {
        first: cut(whole.numbers("first")),
        last: cut(whole.numbers("last")),
        tile: cut(whole.numbers("tile")),
        minimum: cut(key),
        maximum: cut(key),
    };
    for (const series of (asked.series ?? "total").split(",").filter((word) => word !== "")) {
        const values = figure(answers, whole, order, series);
        if (!values) return undefined;
        columns[series] = cut(values);
    }
    return { meta: { tiles, from, to, ...statistics(cut(key)) }, columns };
}

/** Several tiles or steps, each of which is embedded: `name` is the parameter that lists them. */
export function listOf(path: string, name: string): (answers: Answers, asked: Asked) => Answer {
    return (answers, asked) => {
        if (asked.source !== undefined && asked.source !== "all") return undefined;
        const each = (asked[name] ?? "").split(",").map((word) => answers.json<unknown[]>(path, { [name]: word }));
        return each.every((one) => one !== undefined) ? { json: each.flat() } : undefined;
    };
}

/** The same request without the parameter that selects all tiles. */
export function ofAllTiles(path: string, names: readonly string[]): (answers: Answers, asked: Asked) => Answer {
    return (answers, asked) => {
        if (asked.source !== undefined && asked.source !== "all") return undefined;
        const kept = Object.fromEntries(names.map((name) => [name, asked[name] ?? ""]));
        const columns = answers.columns<unknown>(path, kept);
        if (columns) return { meta: columns.meta, columns: columns.all() };
        const json = answers.json(path, kept);
        return json === undefined ? undefined : { json };
    };
}

const STEPS = ["first", "last", "step", "maximum", "minimum"];

export function livenessSteps(answers: Answers, asked: Asked): Answer {
    const ipu = asked.source === "ipu";
    if (asked.source === "tile") return undefined;
    const parameters: Asked = ipu ? { index: asked.index ?? "0", source: "ipu" } : { source: "all" };
    const whole = answers.columns<{ steps: number }>("liveness/steps", parameters);
    if (!whole) return undefined;
    const word = (asked.filter ?? "").toLowerCase();
    const names = word ? answers.columns("liveness/names")?.texts("name") : undefined;
    const step = whole.numbers("step");
    const rows = Array.from(step, (_, row) => row).filter(
        (row) => !names || names[step[row]]?.toLowerCase().includes(word),
    );
    const kept = names ? rows.length : whole.meta.steps;
    const [from, to] = [Number(asked.from ?? 0), Math.min(kept, Number(asked.to ?? kept))];
    const columns: { [name: string]: NumberColumn } = {};
    const first = whole.numbers("first");
    const shown = rows.filter((row, at) => (names ? at >= from && at < to : first[row] >= from && first[row] < to));
    for (const name of STEPS) columns[name] = Float64Array.from(shown, (row) => whole.numbers(name)[row]);
    if (names) {
        const start = rows.indexOf(shown[0]);
        columns.first = Float64Array.from(shown, (_, i) => start + i);
        columns.last = Float64Array.from(shown, (_, i) => start + i + 1);
    }
    return { meta: { ...whole.meta, kept, from, to }, columns };
}
