// SPDX-License-Identifier: Apache-2.0
// The selection: a step with its plots by tile, several steps, a layer with its steps, a run with its parameters, or a
// block.
import { useMemo } from "preact/hooks";
import { useJson, useLoaded } from "../../data/load";
import { TraceRunDetails, TraceStepTiles, loadStep, movesData } from "../../data/trace";
import { bytes, count, cycles, time } from "../../text/format";
import { usedRange } from "../../draw/scale";
import { Plot } from "../../ui/plot";
import { Table } from "../../ui/table";
import { Empty, Tabs } from "../../ui/tabs";
import { BlockFacts } from "./blocks";
import { EventFacts } from "./event";
import { LayerDetails, SeveralSteps } from "./layer";
import { MatchedFacts } from "./matched";
import { Layer, TraceModel } from "./model";
import { Row, TabProps } from "./parts";
import { StepFacts } from "./stepfacts";

export interface DetailsProps extends TabProps {
    layer: Layer | null;
    run: number;
    block: number;
    event: number;
    also: readonly number[];
}

const SMALL = 64; // tiles that are shown even where few of them are in use

function shownTiles({ cycles: all }: TraceStepTiles): { from: number; to: number } {
    return all.length < SMALL ? { from: 0, to: all.length } : usedRange(Array.from(all));
}

function numbersTo(length: number): Float64Array {
    return Float64Array.from({ length }, (_, i) => i);
}

function StepPlots({ step, props }: { step: TraceStepTiles; props: DetailsProps }) {
    const { context } = props;
    const { from, to } = useMemo(() => shownTiles(step), [step]);
    const tiles = useMemo(() => numbersTo(to).slice(from), [step]);
    const cyclesSeries = useMemo(() => {
        const values = step.cycles.slice(from, to);
        return [{ title: "cycles", values, shape: "steps" as const, fill: true, colour: "#0072b2" }];
    }, [step]);
    const dataSeries = useMemo(
        () => [
            {
                title: "transmitted",
                values: step.sent?.slice(from, to) ?? [],
                shape: "steps" as const,
                colour: "#d55e00",
            },
            {
                title: "received",
                values: step.received?.slice(from, to) ?? [],
                shape: "steps" as const,
                colour: "#0072b2",
            },
        ],
        [step],
    );
    const data = movesData(step) && step.sent !== null && step.received !== null;
    const chosen = typeof context.state.plot === "string" ? context.state.plot : "cycles";
    const onClick = (at: number) => context.select({ tile: from + at });
    const tabs = [
        {
            id: "cycles",
            title: "Cycles by tile",
            body: () => (
                <Plot
                    name="cycles-by-tile"
                    x={tiles}
                    xTitle="tile"
                    yTitle="cycles"
                    series={cyclesSeries}
                    format={count}
                    onClick={onClick}
                />
            ),
        },
        ...(data
            ? [
                  {
                      id: "data",
                      title: "Data by tile",
                      body: () => (
                          <Plot
                              name="data-by-tile"
                              x={tiles}
                              xTitle="tile"
                              yTitle="bytes"
                              series={dataSeries}
                              format={(value: number) => bytes(value)}
                              onClick={onClick}
                          />
                      ),
                  },
              ]
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
    const answer = useLoaded(`step ${JSON.stringify(model.source)} ${index}`, () => loadStep(model.source, index));
    if (answer.error) return <Empty>{answer.error}</Empty>;
    if (!answer.value) return <Empty>Reading step {index}.</Empty>;
    return (
        <div class="details-tab" data-step={answer.value.step}>
            <div class="trace-facts">
                <MatchedFacts step={index} props={props} />
                <StepFacts step={answer.value} model={model} props={props} />
            </div>
            <StepPlots step={answer.value} props={props} />
        </div>
    );
}

function RunDetails({ index, model, props }: { index: number; model: TraceModel; props: DetailsProps }) {
    const answer = useJson<TraceRunDetails>("trace/run", { ...model.source, index });
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
                        <Row title="Began">
                            {new Date(run.startMicroseconds / 1000).toISOString().replace("T", " ")}
                        </Row>
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

export function DetailsTab(props: DetailsProps) {
    const { layer, run, block, event, also } = props;
    const { step } = props.context.selection;
    const model = props.models[props.side];
    if (layer) return <LayerDetails layer={layer} props={props} />;
    if (run >= 0 && model.lanes.runs[run]) return <RunDetails index={run} model={model} props={props} />;
    if (event >= 0 && model.hosts) return <EventFacts index={event} props={props} />;
    if (block >= 0) return <BlockFacts index={block} props={props} />;
    if (step !== undefined && also.length)
        return <SeveralSteps steps={[step, ...also.filter((one) => one !== step)]} props={props} />;
    if (step !== undefined) return <StepDetails index={step} props={props} />;
    return <Empty>Click a step, a layer, a run or a block in the graph to see its details.</Empty>;
}
