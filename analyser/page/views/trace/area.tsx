// SPDX-License-Identifier: Apache-2.0
// The area that a drag with Shift has selected: statistics over time and tiles, and a histogram of tiles.
import { useMemo } from "preact/hooks";
import { useLoaded } from "../../data/load";
import { TraceArea, loadArea } from "../../data/trace";
import { count, cycles, percent, time } from "../../text/format";
import { Plot } from "../../ui/plot";
import { Column, Table } from "../../ui/table";
import { Empty, Tabs } from "../../ui/tabs";
import { Area } from "./model";
import { hiddenKinds } from "./options";
import { Proportions, Row, TabProps } from "./parts";

interface TileRow {
    tile: number;
    work: number;
    wait: number;
    idle: number;
    share: number;
}

const COLUMNS: readonly Column<TileRow>[] = [
    { id: "tile", title: "Tile", kind: "number", value: (row) => row.tile },
    {
        id: "share",
        title: "Utilisation",
        kind: "number",
        tip: "share of the time in which the tile computes or moves data",
        value: (row) => row.share,
        show: (row) => percent(row.share),
    },
    {
        id: "work",
        title: "Work (cycles)",
        kind: "number",
        tip: "compute, exchange, the middle of stream copies",
        value: (row) => row.work,
    },
    { id: "wait", title: "Sync (cycles)", kind: "number", tip: "syncs of all kinds", value: (row) => row.wait },
    {
        id: "idle",
        title: "Idle (cycles)",
        kind: "number",
        tip: "begin and end of stream copies",
        value: (row) => row.idle,
    },
];

function Histogram({ answer }: { answer: TraceArea }) {
    const { histogram } = answer;
    const x = useMemo(() => histogram.map((_, i) => (i / histogram.length) * 100), [answer]);
    const series = useMemo(() => [{ title: "tiles", values: histogram, shape: "bars" as const }], [answer]);
    return <Plot name="area-histogram" x={x} xTitle="utilisation (%)" yTitle="tiles" series={series} format={count} />;
}

function ByTile({ answer }: { answer: TraceArea }) {
    const x = useMemo(() => Array.from(answer.work, (_, i) => answer.firstTile + i), [answer]);
    const series = useMemo(
        () => [
            { title: "work", values: answer.work, shape: "steps" as const, colour: "#d55e00" },
            { title: "sync", values: answer.wait, shape: "steps" as const, colour: "#8c8c00" },
            { title: "idle", values: answer.idle, shape: "steps" as const, colour: "#cc79a7" },
        ],
        [answer],
    );
    return <Plot name="area-by-tile" x={x} xTitle="tile" yTitle="cycles" series={series} format={count} />;
}

function rowsOf(answer: TraceArea, length: number): TileRow[] {
    return Array.from(answer.work, (work, i) => ({
        tile: answer.firstTile + i,
        work,
        wait: answer.wait[i],
        idle: answer.idle[i],
        share: length > 0 ? work / length : 0,
    }));
}

export function AreaTab(props: TabProps & { area: Area | null }) {
    const { area, context, options } = props;
    const model = props.models[props.side];
    const hide = hiddenKinds(options).join(",");
    const key = area && `area ${JSON.stringify([model.source, area, hide])}`;
    const answer = useLoaded<TraceArea>(key, (signal) => {
        const { from, to, first, last } = area ?? { from: 0, to: 1, first: 0, last: 0 };
        return loadArea({ ...model.source, from, to, tile: first, tiles: last - first + 1, hide }, signal);
    });
    const length = area ? area.to - area.from : 0;
    const rows = useMemo(() => (answer.value ? rowsOf(answer.value, length) : []), [answer.value]);
    if (model.lanes.mode !== "detailed")
        return <Empty>Areas need a detailed trace: lightweight profiles have only blocks of a few tiles.</Empty>;
    if (!area) return <Empty>Hold Shift and drag over lanes or over the BSP to select an area: time and tiles.</Empty>;
    if (answer.error) return <Empty>{answer.error}</Empty>;
    if (!answer.value) return <Empty>Summing up the area.</Empty>;
    const found = answer.value;
    const total = found.kinds.reduce((sum, one) => sum + one.tileCycles, 0);
    const tiles = area.last - area.first + 1;
    const shares = found.kinds.map((one) => ({ kind: one.kind, cycles: one.tileCycles }));
    const tabs = [
        { id: "histogram", title: "Histogram", body: () => <Histogram answer={found} /> },
        { id: "bytile", title: "By tile", body: () => <ByTile answer={found} /> },
        {
            id: "table",
            title: "Table",
            body: () => (
                <Table
                    name="area"
                    columns={COLUMNS}
                    rows={rows}
                    rowKey={(row) => row.tile}
                    onSelect={(row) => context.select({ tile: row.tile })}
                    selected={(row) => row.tile === context.selection.tile}
                />
            ),
        },
    ];
    const chosen = typeof context.state.areaTab === "string" ? context.state.areaTab : undefined;
    return (
        <div class="area-tab">
            <div class="trace-facts">
                <table class="trace-figures">
                    <tbody>
                        <Row title="Time">
                            {cycles(length)} {time(length, model.lanes.clockFrequency)}
                        </Row>
                        <Row title="Tiles">
                            {count(area.first)} to {count(area.last)} ({count(tiles)})
                        </Row>
                        <Row
                            title="Utilisation"
                            tip="mean over tiles of the share of the time in which they compute or move data"
                        >
                            <span data-figure="utilisation">{percent(found.utilisation)}</span>, min{" "}
                            {percent(found.min)}, max {percent(found.max)}, σ {percent(found.deviation)}
                        </Row>
                        <Row title="Steps">
                            {count(found.steps)}
                            {found.leftOut > 0 && (
                                <div class="warning">
                                    {count(found.leftOut)} more were estimated: the area is very large
                                </div>
                            )}
                        </Row>
                        <Row title="By kind" tip="tile-cycles: sums over the tiles">
                            <Proportions shares={shares} looks={model.looks} />
                        </Row>
                        {shares
                            .filter((one) => one.cycles > 0)
                            .map((one) => (
                                <Row key={one.kind} title={one.kind}>
                                    {count(one.cycles)} ({percent(one.cycles / total)})
                                </Row>
                            ))}
                    </tbody>
                </table>
                <p>
                    <button type="button" onClick={() => props.go(area)}>
                        Fit the area
                    </button>{" "}
                    <button type="button" onClick={() => context.update({ area: null })}>
                        Clear
                    </button>
                </p>
            </div>
            <div class="wide">
                <Tabs
                    tabs={tabs}
                    chosen={chosen}
                    onChoose={(areaTab) => context.update({ areaTab }, { replace: true })}
                />
            </div>
        </div>
    );
}
