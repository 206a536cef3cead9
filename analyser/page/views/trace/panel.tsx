// SPDX-License-Identifier: Apache-2.0
// The trace's options at the left, and the colour key.
import { TraceLanes } from "../../data/trace";
import { BLOCK_KINDS } from "../../data/trace_blocks";
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
    {
        name: "external",
        title: "External syncs",
        tip: "syncs between IPUs and with the host; hidden ones are left out of the statistics",
    },
    {
        name: "syncans",
        title: "SyncAns and Sans",
        tip: "waiting of tiles that take no part in an exchange; hidden ones are left out of the statistics",
    },
    { name: "memory", title: "Live memory", tip: "bytes that are live at each step, all tiles together" },
    { name: "relative", title: "Relative cycles", tip: "the axis begins at 0" },
];
const HOST: readonly FlagRow[] = [
    {
        name: "host",
        title: "Threads of the host",
        tip:
            "what the host did, on one axis with the IPUs: cycles at their clock. A run takes its own cycles; " +
            "what the host does meanwhile is scaled to them",
    },
];
const GROUPS: readonly FlagRow[] = [
    {
        name: "executions",
        title: "Group executions",
        tip: "neighbouring steps of one process: the components of their names before the last slash",
    },
    { name: "syncs", title: "Group syncs", tip: "neighbouring syncs are one" },
    { name: "separate", title: "Separate overlapping steps", tip: "steps that overlap in time have rows of their own" },
];
const STATISTICS: readonly FlagRow[] = [
    {
        name: "utilisation",
        title: "New BSP statistics",
        tip: "from the activity of every tile at every cycle: more exact, slower",
    },
];
const BLOCKS: readonly FlagRow[] = [
    { name: "text", title: "Text", tip: "names on blocks" },
    { name: "flushes", title: "Buffer flushes", tip: "all blocks of flushes of the recording buffers" },
    {
        name: "aggregate",
        title: "Aggregate stream copies",
        tip: "stream copies of tiles without blocks of their own are in one lane, I/O Events",
    },
    { name: "relative", title: "Relative cycles", tip: "the axis begins at 0" },
];

const MODES = {
    detailed: {
        title: "Detailed trace",
        tip:
            "Every step on every tile, from a simulation with the cycles that each compute set was measured to take: " +
            "one duration for all its executions. Recording it takes time of the compiler and code on every tile.",
    },
    lightweight: {
        title: "Lightweight profile",
        tip:
            "When blocks began and ended on a few selected tiles, as recorded while the program ran. " +
            "There are no data outside of blocks, no BSP trace and no tile balance.",
    },
    none: { title: "No execution", tip: "" },
};

/** The mode of the recorded profile determines which options exist. */
export function OptionsPanel({
    lanes,
    host,
    options,
    update,
}: {
    lanes: readonly TraceLanes[];
    host: boolean; // whether there is a trace of the host
    options: TraceOptions;
    update: (patch: JsonObject) => void;
}) {
    const has = (mode: TraceLanes["mode"]) => lanes.some((one) => one.mode === mode);
    const flags = (title: string, rows: readonly FlagRow[]) => (
        <>
            <h3>{title}</h3>
            {rows.map(({ name, title: text, tip }) => (
                <Check
                    key={name}
                    title={text}
                    tip={tip}
                    checked={options[name]}
                    onChange={(checked) => update(optionPatch(name, checked))}
                />
            ))}
        </>
    );
    return (
        <>
            {(["detailed", "lightweight"] as const).filter(has).map((mode) => (
                <p key={mode} class="trace-mode" data-mode={mode} data-tip={MODES[mode].tip}>
                    {MODES[mode].title}
                </p>
            ))}
            {host && flags("Host", HOST)}
            {has("detailed") && flags("Show", SHOWN)}
            {has("detailed") && flags("Rows", GROUPS)}
            {has("detailed") && flags("Statistics", STATISTICS)}
            {(has("lightweight") || lanes.some((one) => one.tiles.length > 0)) &&
                flags(
                    has("detailed") ? "Blocks" : "Show",
                    has("detailed") ? BLOCKS.filter(({ name }) => !SHOWN.some((one) => one.name === name)) : BLOCKS,
                )}
        </>
    );
}

/** Kinds of steps in the reports; for lightweight profiles the kinds of blocks, and the phases of their stream
 * copies. */
export function ColourKey({ lanes, looks }: { lanes: readonly TraceLanes[]; looks: readonly TypeLook[] }) {
    const shown = (name: string) =>
        lanes.some(
            (one) =>
                one.kinds.some((kind) => kind.name === name && (kind.steps > 0 || one.blockPhases.includes(name))) ||
                (one.tiles.length > 0 && BLOCK_KINDS.some((kind) => kind === name && kind !== "Stream copy")),
        );
    return (
        <ul class="colour-key">
            {looks
                .filter((look) => shown(look.name))
                .map((look) => (
                    <li key={look.name} data-kind={look.name}>
                        <span
                            class={`swatch ${typeof look.fill === "string" ? "" : "hatched"}`}
                            style={{ backgroundColor: look.plain }}
                        />
                        {look.name}
                    </li>
                ))}
        </ul>
    );
}
