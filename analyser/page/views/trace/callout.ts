// SPDX-License-Identifier: Apache-2.0
// The text next to the pointer.
import { bytes, count, cycles, percent, short, time } from "../../text/format";
import { MemoryTrack, TraceStep, computeSetBytes, movesData } from "../../data/trace";
import { Hit, TraceModel } from "./model";

function memoryAt(track: MemoryTrack, cycle: number): number | null {
    return track.live[Math.floor(((cycle - track.from) / (track.to - track.from)) * track.live.length)] ?? null;
}

/** The slowest tile of a step on an IPU, where tiles begin and end at different times. */
function slowest(details: TraceStep, ipu: number, length: number): string[] {
    const longest = details.ipus[ipu]?.cycles ?? 0;
    return longest && longest !== length ? [`the slowest tile ${cycles(longest)}`] : [];
}

/** Lines about a hit; null: none. The `details` of its step may arrive later. */
export function calloutOf(model: TraceModel, hit: Hit, details: TraceStep | null): string | null {
    const { clockFrequency } = model.lanes;
    const length = hit.to - hit.from;
    const span = `${cycles(length)}${clockFrequency ? `, ${time(length, clockFrequency)}` : ""}`;
    const base = model.base();
    const where = `from ${count(hit.from - base)} to ${count(hit.to - base)}`;
    switch (hit.what) {
        case "none":
            return hit.tile >= 0 ? `tile ${hit.tile}: nothing` : null;
        case "memory": {
            const track = model.memory();
            const live = track ? memoryAt(track, hit.cycle) : null;
            return live === null
                ? null
                : `live memory\n${bytes(live)}, ${percent(live / (track?.max ?? 1))} of the peak`;
        }
        case "series": {
            const graph = model.hosts?.graphs.find((one) => one.index === hit.band.lane);
            const value = model.series(hit.band);
            if (!graph || !value) return null;
            const lines = graph.series.map((name, series) => {
                let last = -1; // the value at the pointer: the last one before it
                for (let i = 0; i < value.at.length; ++i)
                    if (value.series[i] === series && value.at[i] <= hit.cycle) last = i;
                return last < 0 ? "" : `${name}: ${short(value.high[last])} ${graph.unit}`;
            });
            return [graph.name, ...lines.filter((line) => line)].join("\n");
        }
        case "host": {
            const many = hit.count > 1 ? `${count(hit.count)} events, the first ` : "";
            const long = `${time(hit.nanoseconds, 1e9)} on the host`;
            return [`${many}${hit.name}`, long, `from ${count(Math.round(hit.from - base))}`].join("\n");
        }
        case "run":
            return `${hit.name}\nrun ${hit.run}, ${count(hit.count)} steps\n${span}\n${where}`;
        case "several": {
            // A group has a name; otherwise these are several narrow steps.
            const many = `${count(hit.count)} steps${hit.name ? ` of ${hit.name}` : ""}`;
            return [many, `mostly ${hit.kind}`, span, hit.name ? where : "zoom in to see them"].join("\n");
        }
        case "block":
            return [hit.name, hit.kind, hit.tile >= 0 ? `tile ${hit.tile}` : "", span, where]
                .filter((line, i, all) => line && all.indexOf(line) === i)
                .join("\n");
        case "layer":
            return `${hit.name}\n${count(hit.count)} steps\n${span}\n${where}`;
        default: {
            const lines = [hit.name || details?.name || hit.kind, hit.kind];
            if (hit.tile >= 0) lines.push(`tile ${hit.tile}`);
            if (hit.band.kind !== "bsp") lines.push(span, where);
            if (hit.band.kind === "lane" && details) lines.push(...slowest(details, hit.band.lane, length));
            if (hit.what === "step" && hit.band.kind === "lane") lines.push(`tile balance ${percent(hit.balance)}`);
            if (details) {
                const memory = computeSetBytes(details);
                if (memory !== null)
                    lines.push(`compute set ${details.computeSetMemory[0].id}, memory ${bytes(memory)}`);
                const data = movesData(details) ? details.exchange[0].totalData : null;
                if (data) lines.push(`total data ${bytes(data)}`);
            }
            return lines.filter((line, i) => line && lines.indexOf(line) === i).join("\n");
        }
    }
}
