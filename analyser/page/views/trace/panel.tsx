// SPDX-License-Identifier: Apache-2.0
// The trace's options at the left, and the colour key.
import { TraceLanes } from "../../data/trace";
import { TypeLook } from "../../draw/types";
import { Check } from "../../ui/layout";
import { JsonObject } from "../../state";
import { OptionName, TraceOptions, optionPatch } from "./options";

type Flag = { [Name in OptionName]: TraceOptions[Name] extends boolean ? Name : never }[OptionName];

interface FlagRow {
    name: Flag;
    title: string;
    tip: string;
}

const SHOWN: readonly FlagRow[] = [
    { name: "balance", title: "Tile balance", tip: "the share of tiles in use, as shading in each step" },
    { name: "terminals", title: "Terminals", tip: "a line at the right end of each step" },
    { name: "text", title: "Text", tip: "names on steps" },
    { name: "external", title: "External syncs", tip: "syncs between IPUs and with the host; hidden ones are left out of the statistics" },
    { name: "syncans", title: "SyncAns and Sans", tip: "what tiles without a part in an exchange wait; hidden ones are left out of the statistics" },
    { name: "memory", title: "Live memory", tip: "bytes that are live at each step, all tiles together" },
    { name: "relative", title: "Relative cycles", tip: "the axis begins at 0" },
];
const GROUPS: readonly FlagRow[] = [
    { name: "executions", title: "Group executions", tip: "neighbouring steps of one higher process, by the parts of their names between slashes" },
    { name: "syncs", title: "Group syncs", tip: "neighbouring syncs are one" },
    { name: "separate", title: "Separate overlapping steps", tip: "steps that overlap in time have rows of their own" },
];
const STATISTICS: readonly FlagRow[] = [
    { name: "utilisation", title: "New BSP statistics", tip: "from what every tile does at every cycle: more exact, slower" },
];
const BLOCKS: readonly FlagRow[] = [
    { name: "text", title: "Text", tip: "names on blocks" },
    { name: "flushes", title: "Buffer flushes", tip: "all blocks of flushes of the recording buffers" },
    { name: "aggregate", title: "Aggregate stream copies", tip: "stream copies of tiles without blocks of their own are in one lane, I/O Events" },
    { name: "relative", title: "Relative cycles", tip: "the axis begins at 0" },
];

export function OptionsPanel({ lanes, options, update }: { lanes: TraceLanes; options: TraceOptions; update: (patch: JsonObject) => void }) {
    const flags = (title: string, rows: readonly FlagRow[]) => (
        <>
            <h3>{title}</h3>
            {rows.map(({ name, title: text, tip }) => (
                <Check key={name} title={text} tip={tip} checked={options[name]} onChange={(checked) => update(optionPatch(name, checked))} />
            ))}
        </>
    );
    return (
        <>
            <h3>IPU</h3>
            <select aria-label="IPU" value={String(options.ipu)} onChange={(event) => update(optionPatch("ipu", Number(event.currentTarget.value)))}>
                <option value="-1">All IPUs</option>
                {Array.from({ length: lanes.ipus }, (_, ipu) => (
                    <option key={ipu} value={String(ipu)}>
                        IPU {ipu}
                    </option>
                ))}
            </select>
            {lanes.mode === "lightweight" ? (
                flags("Show", BLOCKS)
            ) : (
                <>
                    {flags("Show", SHOWN)}
                    {flags("Rows", GROUPS)}
                    {flags("Statistics", STATISTICS)}
                </>
            )}
        </>
    );
}

export function ColourKey({ lanes, looks }: { lanes: TraceLanes; looks: readonly TypeLook[] }) {
    const blocks = lanes.mode === "lightweight";
    const used = looks.map((look, i) => ({ look, shown: i < lanes.kinds.length ? lanes.kinds[i].steps > 0 : blocks })).filter((one) => one.shown);
    return (
        <ul class="colour-key">
            {used.map(({ look }) => (
                <li key={look.name}>
                    <span class={`swatch ${typeof look.fill === "string" ? "" : "hatched"}`} style={{ backgroundColor: look.plain }} />
                    {look.name}
                </li>
            ))}
        </ul>
    );
}
