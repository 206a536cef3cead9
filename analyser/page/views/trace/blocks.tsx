// SPDX-License-Identifier: Apache-2.0
// Lightweight profiles in the tabs: the selected block, and the cycles of the blocks of each tile in the window.
import { ComponentChild } from "preact";
import { useJson } from "../../data/load";
import { BLOCK_KINDS, BlockDetails, BlockTotals } from "../../data/trace_blocks";
import { count, cycles, percent, time } from "../../text/format";
import { Empty } from "../../ui/tabs";
import { TraceModel } from "./model";
import { Proportions, Row, TabProps } from "./parts";

const KINDS: { readonly [kind in BlockDetails["kind"]]: string } = {
    Common: "a part of the program that is instrumented: its begin and end are exact",
    StreamCopy:
        "a phase of a copy between the IPUs and the host; tiles that were " +
        "not selected have the middle of the copies that they take part in",
    Flush: "a phase of a flush: the tile's buffer goes to the host",
    Overflow: "the buffer was full: nothing was recorded until the next flush",
    Unknown: "a block that began in an overflow and ended after it: its program and its begin are unknown",
};
/** Names of kinds in graphs and the colour key. */
const TITLES: { readonly [kind in BlockDetails["kind"]]: string } = {
    Common: BLOCK_KINDS[0],
    StreamCopy: BLOCK_KINDS[1],
    Flush: BLOCK_KINDS[2],
    Overflow: BLOCK_KINDS[3],
    Unknown: BLOCK_KINDS[4],
};

function nameOf(block: BlockDetails): string {
    return block.name ?? TITLES[block.kind];
}

export function BlockFacts({ index, props }: { index: number; props: TabProps }) {
    const model = props.models[props.side];
    const { value: block, error } = useJson<BlockDetails>("trace/block", { ...model.source, index });
    if (error) return <Empty>{error}</Empty>;
    if (!block) return <Empty>Reading the block.</Empty>;
    const clock = model.lanes.clockFrequency;
    const base = model.base();
    const when = (cycle: number | null) => (cycle === null ? "not known" : count(cycle - base));
    const length = block.from !== null && block.to !== null ? block.to - block.from : null;
    const span = { from: block.shownFrom, to: block.shownTo };
    return (
        <div class="details-tab" data-block={block.block}>
            <div class="trace-facts">
                <p class="path">{nameOf(block)}</p>
                <table class="trace-figures">
                    <tbody>
                        <Row title="Type" tip={KINDS[block.kind]}>
                            <span data-figure="kind">{block.phase ?? TITLES[block.kind]}</span>
                            <div class="explained">{KINDS[block.kind]}</div>
                        </Row>
                        <Row title="Tile">
                            <span data-figure="tile">{block.tile}</span>
                            {!block.selected && " (not selected: it takes part in the copy)"}
                        </Row>
                        <Row title="Begin">
                            <span data-figure="begin">{when(block.from)}</span>
                        </Row>
                        <Row title="End">
                            <span data-figure="end">{when(block.to)}</span>
                        </Row>
                        <Row title="Cycles">
                            <span data-figure="cycles">{length === null ? "not known" : cycles(length)}</span>{" "}
                            {length === null ? "" : time(length, clock)}
                        </Row>
                        {block.kind === "Overflow" && (
                            <Row title="Lost blocks" tip="blocks that began and ended in the overflow">
                                <span data-figure="lost">{count(block.lost)}</span>
                            </Row>
                        )}
                        <Row title="Run">{model.lanes.runs[block.run]?.name ?? block.run}</Row>
                    </tbody>
                </table>
                <button type="button" onClick={() => props.go(span)}>
                    Fit the block
                </button>
                {block.program !== null && (
                    <button
                        type="button"
                        onClick={() => props.context.open("programs", {}, { program: block.program ?? undefined })}
                    >
                        Show in the program tree
                    </button>
                )}
            </div>
        </div>
    );
}

/** A column for each tile; gaps are cycles outside all blocks. */
export function BlockSummary({
    model,
    from,
    to,
    title,
}: {
    model: TraceModel;
    from: number;
    to: number;
    title: string;
}) {
    const { value, error, loading } = useJson<{ tiles: BlockTotals[] }>("trace/block_totals", {
        ...model.source,
        from,
        to,
    });
    if (error) return <Empty>{error}</Empty>;
    if (!value) return <Empty>Summing up the window.</Empty>;
    const ipu = model.options.ipu;
    const tiles = value.tiles.filter(
        (one) => one.selected && (ipu < 0 || Math.floor(one.tile / model.lanes.tilesPerIpu) === ipu),
    );
    const length = to - from;
    const clock = model.lanes.clockFrequency;
    const row = (id: string, name: string, tip: string, cell: (tile: BlockTotals) => ComponentChild) => (
        <tr data-row={id}>
            <th data-tip={tip}>{name}</th>
            {tiles.map((tile) => (
                <td key={tile.tile}>{cell(tile)}</td>
            ))}
        </tr>
    );
    const number = (tile: BlockTotals, kind: BlockDetails["kind"]) =>
        tile.kinds.find((one) => one.kind === kind) ?? { blocks: 0, cycles: 0 };
    return (
        <div data-loading={loading}>
            {title && <h3>{title}</h3>}
            <table class="trace-figures">
                <thead>
                    <tr>
                        <th />
                        {tiles.map((tile) => (
                            <th key={tile.tile}>tile {tile.tile}</th>
                        ))}
                    </tr>
                </thead>
                <tbody>
                    {row(
                        "cycles",
                        "Total cycles",
                        "cycles of the visible part of the graph",
                        () => `${cycles(length)}${clock ? ` (${time(length, clock)})` : ""}`,
                    )}
                    {row(
                        "covered",
                        "In blocks",
                        "cycles of the window in which a block is known to run",
                        (tile) => `${cycles(tile.covered)}, ${percent(length > 0 ? tile.covered / length : 0)}`,
                    )}
                    {row(
                        "proportions",
                        "Proportions",
                        "cycles of visible blocks by kind; nested blocks count each",
                        (tile) => (
                            <Proportions
                                shares={tile.kinds.map((one) => ({ kind: TITLES[one.kind], cycles: one.cycles }))}
                                looks={model.looks}
                            />
                        ),
                    )}
                    {row("blocks", "Blocks", "visible blocks of the program", (tile) =>
                        count(number(tile, "Common").blocks + number(tile, "Unknown").blocks),
                    )}
                    {row("copies", "Stream copy phases", "visible phases of stream copies", (tile) =>
                        count(number(tile, "StreamCopy").blocks),
                    )}
                    {row("flushes", "Flush phases", "visible phases of flushes", (tile) =>
                        count(number(tile, "Flush").blocks),
                    )}
                    {row("lost", "Lost blocks", "blocks that began and ended in visible overflows", (tile) =>
                        count(tile.lost),
                    )}
                </tbody>
            </table>
        </div>
    );
}
