// SPDX-License-Identifier: Apache-2.0
// Tables of steps: those of a layer of the flame graph, and several individually selected ones.
import { useLoaded } from "../../data/load";
import { LayerStep, loadLayer, loadStep } from "../../data/trace";
import { count, cycles, percent, time } from "../../text/format";
import { shortName } from "../../text/names";
import { Column, Table } from "../../ui/table";
import { Empty } from "../../ui/tabs";
import { Layer } from "./model";
import { hiddenKinds } from "./options";
import { Row, TabProps } from "./parts";

interface StepRow extends LayerStep {
    type: string;
}

const share = (value: number) => Math.round(value * 1000) / 1000;
const COLUMNS: readonly Column<StepRow>[] = [
    { id: "step", title: "Step", kind: "number", width: 80, value: (row) => row.step },
    { id: "type", title: "Type", width: 150, value: (row) => row.type },
    {
        id: "name",
        title: "Name",
        value: (row) => row.name,
        show: (row) => shortName(row.name),
        cellTip: (row) => row.name,
    },
    { id: "from", title: "From (cycle)", kind: "number", width: 120, value: (row) => row.from },
    {
        id: "cycles",
        title: "Cycles",
        kind: "number",
        width: 100,
        tip: "of the tile that takes longest",
        value: (row) => row.cycles,
    },
    {
        id: "active",
        title: "Active tiles",
        kind: "number",
        width: 100,
        tip: "tiles that take any cycles",
        value: (row) => row.activeTiles,
    },
    {
        id: "balance",
        title: "Tile balance",
        kind: "number",
        width: 110,
        value: (row) => share(row.balance),
        show: (row) => percent(row.balance),
    },
    {
        id: "activeBalance",
        title: "Active balance",
        kind: "number",
        width: 110,
        tip: "tile balance of the active tiles alone",
        value: (row) => share(row.activeBalance),
        show: (row) => percent(row.activeBalance),
    },
];

/** A click shows a step in the graph, a double click its details. */
function StepTable({ rows, name, props }: { rows: readonly StepRow[]; name: string; props: TabProps }) {
    const { context } = props;
    const open = (row: StepRow) => {
        context.update({ layer: null, also: null, run: null, block: null });
        context.select({ step: row.step });
    };
    return (
        <Table
            name={name}
            columns={COLUMNS}
            rows={rows}
            rowKey={(row) => row.step}
            onSelect={(row) => props.go(row)}
            onOpen={open}
        />
    );
}

export function LayerDetails({ layer, props }: { layer: Layer; props: TabProps }) {
    const model = props.models[props.side];
    const where = {
        ...model.source,
        lane: layer.ipu,
        from: layer.from,
        to: layer.to,
        name: layer.name,
        tree: layer.tree,
        hide: hiddenKinds(props.options).join(","),
    };
    const answer = useLoaded(`layer ${JSON.stringify(where)}`, (signal) => loadLayer(where, signal));
    if (answer.error) return <Empty>{answer.error}</Empty>;
    const found = answer.value ?? { rows: [], steps: 0, cycles: 0 };
    const rows = found.rows.map((row) => ({ ...row, type: model.looks[row.kind]?.name ?? "" }));
    const length = layer.to - layer.from;
    return (
        <div class="details-tab" data-layer={layer.name} data-loading={answer.loading}>
            <div class="trace-facts">
                <p class="path">{layer.name}</p>
                <table class="trace-figures">
                    <tbody>
                        <Row title="IPU">{layer.ipu}</Row>
                        <Row title="Cycles">
                            <span data-figure="cycles">{cycles(length)}</span>{" "}
                            {time(length, model.lanes.clockFrequency)}
                        </Row>
                        <Row title="Steps">
                            <span data-figure="steps">{count(found.steps)}</span>
                            {found.steps > rows.length && `, the first ${count(rows.length)} are listed`}
                        </Row>
                        <Row
                            title="Cycles of its steps"
                            tip="sum over the steps on this IPU of the tile that takes longest"
                        >
                            <span data-figure="sum">{count(found.cycles)}</span>
                        </Row>
                    </tbody>
                </table>
                <button type="button" onClick={() => props.go(layer)}>
                    Fit the layer
                </button>
            </div>
            <StepTable rows={rows} name="layer" props={props} />
        </div>
    );
}

/** Steps selected by clicks with Ctrl. */
export function SeveralSteps({ steps, props }: { steps: readonly number[]; props: TabProps }) {
    const model = props.models[props.side];
    const answer = useLoaded(`steps ${JSON.stringify(model.source)} ${steps.join(" ")}`, () =>
        Promise.all(steps.map((step) => loadStep(model.source, step))),
    );
    if (answer.error) return <Empty>{answer.error}</Empty>;
    const rows = (answer.value ?? []).map((step): StepRow => {
        const longest = step.ipus.reduce((best, one) => (one.cycles > best.cycles ? one : best), step.ipus[0]);
        const {
            cycles: most,
            activeTiles,
            tileBalance: balance,
            activeTileBalance: activeBalance,
        } = longest ?? { cycles: 0, activeTiles: 0, tileBalance: 0, activeTileBalance: 0 };
        return {
            step: step.step,
            kind: 0,
            type: step.kind,
            name: step.name,
            from: step.from,
            to: step.to,
            cycles: most,
            activeTiles,
            balance,
            activeBalance,
        };
    });
    return (
        <div class="details-tab">
            <div class="trace-facts">
                <table class="trace-figures">
                    <tbody>
                        <Row title="Selected steps">{count(steps.length)}</Row>
                        <Row title="Sum of cycles" tip="each step's longest tile">
                            {count(rows.reduce((sum, row) => sum + row.cycles, 0))}
                        </Row>
                    </tbody>
                </table>
            </div>
            <StepTable rows={rows} name="steps" props={props} />
        </div>
    );
}
