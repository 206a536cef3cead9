// SPDX-License-Identifier: Apache-2.0
// What is selected: a step with its plots by tile, several steps, a layer with its steps, or a run with its parameters.
import { useMemo } from "preact/hooks";
import { useColumns, useJson, useLoaded } from "../../data/load";
import { TraceRunDetails, TraceStepTiles, loadStep, movesData } from "../../data/trace";
import { bytes, count, cycles, percent, shortName, time } from "../../ui/format";
import { Plot } from "../../ui/plot";
import { Column, Table } from "../../ui/table";
import { Empty, Tabs } from "../../ui/tabs";
import { Layer, TraceModel } from "./model";
import { Row, TabProps } from "./parts";
import { StepFacts } from "./stepfacts";

export interface DetailsProps extends TabProps {
    layer: Layer | null;
    run: number;
    also: readonly number[];
}

function numbersTo(length: number): Float64Array {
    return Float64Array.from({ length }, (_, i) => i);
}

function StepPlots({ step, props }: { step: TraceStepTiles; props: DetailsProps }) {
    const { context } = props;
    const tiles = useMemo(() => numbersTo(step.cycles.length), [step]);
    const cyclesSeries = useMemo(() => [{ title: "cycles", values: step.cycles, shape: "steps" as const, fill: true, colour: "#0072b2" }], [step]);
    const dataSeries = useMemo(
        () => [
            { title: "transmitted", values: step.sent ?? [], shape: "steps" as const, colour: "#d55e00" },
            { title: "received", values: step.received ?? [], shape: "steps" as const, colour: "#0072b2" },
        ],
        [step],
    );
    const data = movesData(step) && step.sent !== null && step.received !== null;
    const chosen = typeof context.state.plot === "string" ? context.state.plot : "cycles";
    const onClick = (tile: number) => context.select({ tile });
    const tabs = [
        {
            id: "cycles",
            title: "Cycles by tile",
            body: () => <Plot name="cycles-by-tile" x={tiles} xTitle="tile" yTitle="cycles" series={cyclesSeries} format={count} onClick={onClick} />,
        },
        ...(data
            ? [{ id: "data", title: "Data by tile", body: () => <Plot name="data-by-tile" x={tiles} xTitle="tile" yTitle="bytes" series={dataSeries} format={(value: number) => bytes(value)} onClick={onClick} /> }]
            : []),
    ];
    return (
        <div class="trace-plots">
            <Tabs tabs={tabs} chosen={chosen} onChoose={(plot) => context.update({ plot }, { replace: true })} />
        </div>
    );
}

function StepDetails({ index, props }: { index: number; props: DetailsProps }) {
    const model = props.models[props.side];
    const answer = useLoaded(`step ${model.report} ${index}`, () => loadStep(model.report, index));
    if (answer.error) return <Empty>{answer.error}</Empty>;
    if (!answer.value) return <Empty>Reading step {index}.</Empty>;
    return (
        <div class="details-tab" data-step={answer.value.step}>
            <div class="trace-facts">
                <StepFacts step={answer.value} model={model} props={props} />
            </div>
            <StepPlots step={answer.value} props={props} />
        </div>
    );
}

interface StepRow {
    step: number;
    kind: string;
    name: string;
    from: number;
    to: number;
    cycles: number;
    balance: number;
}

const COLUMNS: readonly Column<StepRow>[] = [
    { id: "step", title: "Step", kind: "number", width: 90, value: (row) => row.step },
    { id: "kind", title: "Type", width: 160, value: (row) => row.kind },
    { id: "name", title: "Name", value: (row) => row.name, show: (row) => shortName(row.name), cellTip: (row) => row.name },
    { id: "from", title: "From (cycle)", kind: "number", width: 130, value: (row) => row.from },
    { id: "cycles", title: "Cycles", kind: "number", width: 110, tip: "of the tile that takes longest", value: (row) => row.cycles },
    { id: "balance", title: "Tile balance", kind: "number", width: 110, value: (row) => Math.round(row.balance * 1000) / 1000, show: (row) => percent(row.balance) },
];

function StepTable({ rows, name, props }: { rows: readonly StepRow[]; name: string; props: DetailsProps }) {
    const { context } = props;
    return (
        <Table
            name={name}
            columns={COLUMNS}
            rows={rows}
            rowKey={(row) => row.step}
            onSelect={(row) => props.go(row)}
            onOpen={(row) => {
                context.update({ layer: null, also: null, run: null });
                context.select({ step: row.step });
            }}
        />
    );
}

const MOST = 2000; // steps of a layer that are listed

/** The steps of a layer, as the trace's window gives them. */
function LayerDetails({ layer, props }: { layer: Layer; props: DetailsProps }) {
    const model = props.models[props.side];
    const answer = useColumns<unknown>("trace/window", { report: model.report, lane: layer.ipu, from: Math.floor(layer.from), to: Math.ceil(layer.to), pixels: 8192 });
    const rows = useMemo(() => {
        const columns = answer.value;
        if (!columns) return [];
        const [step, kind, from, to, label, balance] = ["step", "kind", "from", "to", "label", "balance"].map((name) => columns.numbers(name));
        const labels = columns.texts("labels");
        const found: StepRow[] = [];
        for (let i = 0; i < step.length && found.length < MOST; ++i) {
            const name = labels[label[i]];
            if (name === undefined || step[i] === 0xffffffff) continue;
            if (name !== layer.name && !name.startsWith(`${layer.name}/`)) continue;
            if (to[i] < layer.from || from[i] > layer.to) continue;
            found.push({ step: step[i], kind: model.looks[kind[i]]?.name ?? "", name, from: from[i], to: to[i], cycles: to[i] - from[i], balance: balance[i] });
        }
        return found;
    }, [answer.value]);
    const length = layer.to - layer.from;
    return (
        <div class="details-tab" data-layer={layer.name}>
            <div class="trace-facts">
                <p class="path">{layer.name}</p>
                <table class="trace-figures">
                    <tbody>
                        <Row title="IPU">{layer.ipu}</Row>
                        <Row title="Cycles">
                            {cycles(length)} {time(length, model.lanes.clockFrequency)}
                        </Row>
                        <Row title="Steps">{rows.length === MOST ? `more than ${count(MOST)}` : count(rows.length)}</Row>
                        <Row title="Cycles of its steps" tip="sum of the steps on this IPU">
                            {count(rows.reduce((sum, row) => sum + row.cycles, 0))}
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

function RunDetails({ index, model, props }: { index: number; model: TraceModel; props: DetailsProps }) {
    const answer = useJson<TraceRunDetails>("trace/run", { report: model.report, index });
    const run = answer.value;
    if (answer.error) return <Empty>{answer.error}</Empty>;
    if (!run) return <Empty>Reading the run.</Empty>;
    const seconds = (run.endMicroseconds - run.startMicroseconds) / 1e6;
    return (
        <div class="details-tab" data-run={index}>
            <div class="trace-facts">
                <p class="path">{run.name}</p>
                <table class="trace-figures">
                    <tbody>
                        <Row title="Cycles" tip="of the tile that was last">
                            {cycles(run.to - run.from)} {time(run.to - run.from, model.lanes.clockFrequency)}
                        </Row>
                        <Row title="Steps">{count(run.steps)}</Row>
                        <Row title="Began">{new Date(run.startMicroseconds / 1000).toISOString().replace("T", " ")}</Row>
                        <Row title="Time on the host">{seconds.toPrecision(4)} s</Row>
                    </tbody>
                </table>
                <button type="button" onClick={() => props.go(run)}>
                    Fit the run
                </button>
            </div>
            <Table
                name="run-parameters"
                rows={run.parameters}
                columns={[
                    { id: "name", title: "Parameter", value: (row) => row.name },
                    { id: "value", title: "Value", value: (row) => row.value },
                ]}
                empty="No parameters were given to this run."
            />
        </div>
    );
}

function SeveralSteps({ steps, props }: { steps: readonly number[]; props: DetailsProps }) {
    const model = props.models[props.side];
    const answer = useLoaded(`steps ${model.report} ${steps.join(" ")}`, () => Promise.all(steps.map((step) => loadStep(model.report, step))));
    const rows = (answer.value ?? []).map((step) => {
        const longest = step.ipus.reduce((best, one) => (one.cycles > best.cycles ? one : best), step.ipus[0]);
        return { step: step.step, kind: step.kind, name: step.name, from: step.from, to: step.to, cycles: longest?.cycles ?? 0, balance: longest?.tileBalance ?? 0 };
    });
    if (answer.error) return <Empty>{answer.error}</Empty>;
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

export function DetailsTab(props: DetailsProps) {
    const { layer, run, also } = props;
    const { step } = props.context.selection;
    const model = props.models[props.side];
    if (layer) return <LayerDetails layer={layer} props={props} />;
    if (run >= 0 && model.lanes.runs[run]) return <RunDetails index={run} model={model} props={props} />;
    if (step !== undefined && also.length) return <SeveralSteps steps={[step, ...also.filter((one) => one !== step)]} props={props} />;
    if (step !== undefined) return <StepDetails index={step} props={props} />;
    return <Empty>Click a step, a layer or a run in the graph to see its details.</Empty>;
}
