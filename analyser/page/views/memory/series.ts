// SPDX-License-Identifier: Apache-2.0
// The figures that the graph of tiles requests, and the series that it stacks.
import { GAPS, REGIONS, REGION_TIPS, categoryTip, categoryTitle } from "../../data/concepts";
import { Columns } from "../../data/columns";
import { MemoryOverview, TilesMeta } from "../../data/memory";
import { BarSeries } from "../../draw/bars";
import { NAMED, categoryColour, memoryColour } from "./colours";

export type Breakdown = "none" | "region" | "category" | "liveness" | "variables";

export interface Part {
    id: string;
    title: string;
    tip: string;
    colour: string;
    figures: readonly string[]; // its bytes are the sum of these
}

const one = (id: string, title: string, tip: string, colour: string): Part => ({
    id,
    title,
    tip,
    colour,
    figures: [id],
});

/** The parts of a breakdown, from bottom to top. */
export function partsOf(
    breakdown: Breakdown,
    overview: MemoryOverview,
    variables: readonly { id: number; name: string }[],
): Part[] {
    switch (breakdown) {
        case "region":
            return ["nonInterleaved", "interleaved", "overflowed"].map((id, i) =>
                one(id, REGIONS[i], REGION_TIPS[i], memoryColour([0, 1, 5][i])),
            );
        case "liveness":
            return [
                one("alwaysLive", "Always live", "Memory that nothing else can use at any step", memoryColour(0)),
                one(
                    "notAlwaysLive",
                    "Not always live",
                    "The maximum over steps of the other live bytes",
                    memoryColour(1),
                ),
            ];
        case "category": {
            const present = overview.categories.map((category) => category.name);
            const named = NAMED.filter((name) => present.includes(name));
            const rest = present.filter((name) => !NAMED.includes(name));
            const parts = named.map((name) =>
                one(`category:${name}`, categoryTitle(name), categoryTip(name), categoryColour(name)),
            );
            if (rest.length)
                parts.push({
                    id: "other",
                    title: "Other",
                    tip: rest.map(categoryTitle).join(", "),
                    colour: categoryColour(""),
                    figures: rest.map((name) => `category:${name}`),
                });
            return parts;
        }
        case "variables":
            return variables.map((variable, i) =>
                one(`variable:${variable.id}`, variable.name, variable.name, memoryColour(i)),
            );
        default:
            return [one("total", "Memory without gaps", "Bytes in use on the tile", memoryColour(0))];
    }
}

export function figuresOf(parts: readonly Part[], gaps: boolean): string {
    return [...new Set([...parts.flatMap((part) => part.figures), "total", ...(gaps ? ["gaps"] : [])])].join(",");
}

/** The series of an answer for the visible parts; gaps are at the top. */
export function seriesOf(
    columns: Columns<TilesMeta>,
    parts: readonly Part[],
    gaps: boolean,
    hidden: readonly string[],
): BarSeries[] {
    const has = (part: Part) => part.figures.every((figure) => columns.has(figure));
    const shown = parts.filter((part) => !hidden.includes(part.id) && has(part));
    const series = shown.map((part) => {
        const values = new Float64Array(columns.numbers("tile").length);
        for (const figure of part.figures) columns.numbers(figure).forEach((value, i) => (values[i] += value));
        return { id: part.id, title: part.title, colour: part.colour, values };
    });
    if (gaps && columns.has("gaps") && !hidden.includes("gaps")) {
        const [all, used] = [columns.numbers("gaps"), columns.numbers("total")];
        series.push({
            id: "gaps",
            title: "Gaps",
            colour: GAPS_PART.colour,
            values: Float64Array.from(all, (value, i) => value - used[i]),
        });
    }
    return series;
}

export const GAPS_PART: Part = { id: "gaps", title: "Gaps", tip: GAPS, colour: "#c3c9d0", figures: ["gaps", "total"] };
