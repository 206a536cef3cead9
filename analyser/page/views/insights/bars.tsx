// SPDX-License-Identifier: Apache-2.0
// Rows with a bar each, for comparing sizes.
import { ComponentChild } from "preact";

export function Meter({ share, over }: { share: number; over?: boolean }) {
    return (
        <div class="meter">
            <span class={over ? "over" : ""} style={{ width: `${Math.min(100, share * 100)}%` }} />
        </div>
    );
}

export function Bars({
    rows,
    most,
    over,
    kind = "",
}: {
    rows: { key: string | number; name: ComponentChild; value: number; text: string; tip?: string }[];
    most: number;
    over?: number;
    kind?: string; // CSS class beside "bars"
}) {
    return (
        <table class={`bars ${kind}`}>
            <tbody>
                {rows.map((row) => (
                    <tr key={row.key} data-tip={row.tip}>
                        <td class="name">{row.name}</td>
                        <td class="meter-cell">
                            <Meter
                                share={most > 0 ? row.value / most : 0}
                                over={over !== undefined && row.value > over}
                            />
                        </td>
                        <td class="number">{row.text}</td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}
