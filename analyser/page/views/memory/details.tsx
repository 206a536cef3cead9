// SPDX-License-Identifier: Apache-2.0
// The contents of the selected tiles: a column for each tile, by region and category, overlapping or not.
import {
    GAPS,
    NOT_OVERLAPPED,
    OVERLAPPED,
    REGIONS,
    REGION_TIPS,
    categoryTip,
    categoryTitle,
} from "../../data/concepts";
import { TileMemory } from "../../data/memory";
import { preferences, usePreferences } from "../../preferences";
import { bytes, count } from "../../text/format";
import { csvField, saveText } from "../../ui/save";

interface Row {
    id?: string; // of a category
    title: string;
    depth: number;
    tip?: string;
    values: (number | null)[];
    plain?: boolean; // a plain number, not bytes
}

const OVERLAPS = ["Not overlapped", "Overlapped"] as const;

function sumOf(tile: TileMemory, region: number, overlap: number, name?: string): number {
    return tile.categories
        .filter((row) => row.region === region && row.overlap === overlap && (name === undefined || row.name === name))
        .reduce((sum, row) => sum + row.bytes, 0);
}

/** Rows of the tree for tiles, without categories that no tile has. */
export function detailRows(tiles: readonly TileMemory[]): Row[] {
    const of = (value: (tile: TileMemory) => number) => tiles.map(value);
    const rows: Row[] = [
        { title: "IPU", depth: 0, plain: true, values: of((t) => t.ipu) },
        { title: "Tile of the IPU", depth: 0, plain: true, values: of((t) => t.tileOfIpu) },
        {
            title: "Memory including gaps",
            depth: 0,
            tip: "Up to the last byte in use of each region",
            values: of((t) => t.gaps),
        },
        { title: "Gaps", depth: 1, tip: GAPS, values: of((t) => t.gaps - t.total) },
        { title: "Memory excluding gaps", depth: 0, values: of((t) => t.total) },
        ...(preferences().liveness
            ? [
                  { title: "Always live", depth: 1, values: of((t) => t.alwaysLive) },
                  {
                      title: "Not always live",
                      depth: 1,
                      tip: "The tile's maximum over steps",
                      values: of((t) => t.notAlwaysLive),
                  },
              ]
            : []),
    ];
    const totals = [of((t) => t.nonInterleaved), of((t) => t.interleaved), of((t) => t.overflowed)];
    REGIONS.forEach((region, r) => {
        rows.push({ title: region, depth: 1, tip: REGION_TIPS[r], values: totals[r] });
        OVERLAPS.forEach((overlap, o) => {
            const names = [
                ...new Set(
                    tiles.flatMap((tile) =>
                        tile.categories.filter((row) => row.region === r && row.overlap === o).map((row) => row.name),
                    ),
                ),
            ];
            if (!names.length) return;
            const size = (name: string) => Math.max(...tiles.map((tile) => sumOf(tile, r, o, name)));
            names.sort((a, b) => size(b) - size(a) || a.localeCompare(b));
            rows.push({
                title: overlap,
                depth: 2,
                tip: o ? OVERLAPPED : NOT_OVERLAPPED,
                values: tiles.map((tile) => sumOf(tile, r, o)),
            });
            for (const name of names)
                rows.push({
                    id: name,
                    title: categoryTitle(name),
                    depth: 3,
                    tip: categoryTip(name),
                    values: tiles.map((tile) => sumOf(tile, r, o, name)),
                });
        });
    });
    return rows;
}

export function Details({ tiles, titles }: { tiles: readonly TileMemory[]; titles: readonly string[] }) {
    usePreferences();
    const rows = detailRows(tiles);
    const csv = () =>
        [["", ...titles], ...rows.map((row) => [" ".repeat(2 * row.depth) + row.title, ...row.values])]
            .map((line) => line.map(csvField).join(",") + "\r\n")
            .join("");
    return (
        <div>
            <div class="table-bar">
                <span class="grow" />
                <button type="button" onClick={() => saveText(csv(), "tiles.csv", "text/csv")}>
                    CSV
                </button>
            </div>
            <table class="details-table">
                <thead>
                    <tr>
                        <th />
                        {titles.map((title, i) => (
                            <th key={i}>{title}</th>
                        ))}
                    </tr>
                </thead>
                <tbody>
                    {rows.map((row, i) => (
                        <tr key={i} class={row.depth < 2 ? "group" : ""} data-detail={row.id ?? row.title}>
                            <td style={{ paddingLeft: `${row.depth * 16}px` }} data-tip={row.tip}>
                                {row.title}
                            </td>
                            {row.values.map((value, k) => (
                                <td
                                    key={k}
                                    data-tip={
                                        value === null || row.plain
                                            ? undefined
                                            : `${row.title}, ${titles[k]}: ${count(value)} bytes`
                                    }
                                >
                                    {value === null ? "–" : row.plain ? count(value) : bytes(value)}
                                </td>
                            ))}
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}
