// SPDX-License-Identifier: Apache-2.0
// The figures of a step, by its kind.
import { Spread, StepExchange, StepIpu, TraceStepTiles, computeSetBytes, movesData, spreadOf } from "../../data/trace";
import { bytes, count, cycles, percent, rate, time } from "../../text/format";
import { copyText } from "../../ui/save";
import { TraceModel } from "./model";
import { Row, TabProps } from "./parts";

const KINDS: { readonly [kind: string]: string } = {
    "Sync Internal": "a sync of the tiles of one IPU",
    "Sync External": "a sync between IPUs; it also controls the flow with the host",
    Sans: "tiles without a part in the exchange acknowledge its sync beforehand",
    SyncAns: "tiles without a part in the exchange wait for the syncs that they have acknowledged",
    OnTileExecute: "vertices of a compute set compute",
    DoExchange: "tiles of one IPU send data to each other",
    GlobalExchange: "data moves between IPUs",
    StreamCopyBegin: "preparation of a stream copy, including that of the host",
    "StreamCopyMid Host": "the copy itself, with the host",
    "StreamCopyMid RemoteBuffer": "the copy itself, with a remote buffer",
    "StreamCopyMid Mixed": "the copy itself, with the host and remote buffers",
    StreamCopyEnd: "end of a stream copy",
};

function spread(value: Spread): string {
    return `min ${count(value.min)}, mean ${count(value.mean)}, max ${count(value.max)}, σ ${count(value.deviation)}`;
}

interface Variable {
    name: string;
    bytes: number;
}

/** Sources or targets of an exchange; the compiler's temporary variables have no names and are numbered. */
function variablesOf(list: readonly Variable[], moved: number): Variable[] {
    const all = list.length || !moved ? list : [{ name: "", bytes: moved }];
    let temporaries = 0;
    return all.map((one) => ({ ...one, name: one.name || String(temporaries++) }));
}

function Names({ list }: { list: readonly Variable[] }) {
    const rest = list.slice(SHOWN).map((one) => `${one.name}  ${bytes(one.bytes)}`);
    const more = list.length < LISTED ? count(rest.length) : `at least ${rest.length}`;
    return (
        <>
            {list.slice(0, SHOWN).map((one) => (
                <div
                    key={one.name}
                    data-tip={/^\d+$/.test(one.name) ? "a temporary variable of the compiler" : one.name}
                >
                    {one.name} <small>{bytes(one.bytes)}</small>
                </div>
            ))}
            {rest.length > 0 && <small data-tip={rest.join("\n")}>and {more} more</small>}
        </>
    );
}

const SHOWN = 8; // variables
const LISTED = 50; // maximum in the server's list

const LIVE = "live bytes at this step on all tiles, always-live ones included";

export function StepFacts({ step, model, props }: { step: TraceStepTiles; model: TraceModel; props: TabProps }) {
    const clock = model.lanes.clockFrequency;
    const { context } = props;
    const active = step.ipus.filter((one) => one.activeTiles > 0);
    const moves = movesData(step);
    const exchange = moves ? step.exchange[0] : undefined;
    const memory = computeSetBytes(step);
    const moved = /Exchange$/.test(step.kind) ? (exchange?.totalData ?? 0) : 0;
    const [sources, destinations] = [variablesOf(step.sources, moved), variablesOf(step.destinations, moved)];
    const { tilesPerIpu } = model.lanes;
    return (
        <>
            <p class="path" data-tip="click to copy the whole name" onClick={() => void copyText(step.name)}>
                {step.name || step.kind}
            </p>
            <table class="trace-figures">
                <tbody>
                    <Row title="Step" tip="its index in execution.steps">
                        {count(step.step)} of run {step.run}
                    </Row>
                    <Row title="Type" tip={KINDS[step.kind]}>
                        <span data-figure="kind">{step.kind}</span>
                        <div class="explained">{KINDS[step.kind]}</div>
                    </Row>
                    <Row title="From, to" tip="of the first tile that begins, and of the last that ends">
                        {count(step.from)} to {count(step.to)}: {cycles(step.to - step.from)},{" "}
                        {time(step.to - step.from, clock)}
                    </Row>
                    {active.map((ipu) => (
                        <IpuRows
                            key={ipu.ipu}
                            ipu={ipu}
                            all={spreadOf(step.cycles, ipu.ipu * tilesPerIpu, tilesPerIpu)}
                            several={step.ipus.length > 1}
                            clock={clock}
                            moves={moves}
                        />
                    ))}
                    {step.to - step.from > 0xffffffff && (
                        <Row title="Warning">
                            {<span class="warning">more cycles than 32 bits count: they may have wrapped around</span>}
                        </Row>
                    )}
                    {step.critical && <Critical step={step} />}
                    {step.computeSet !== null && <Row title="Compute set">{step.computeSet}</Row>}
                    <FlopRow step={step} />
                    {memory !== null && (
                        <Row
                            title="Memory"
                            tip="bytes of the compute set on all tiles: code, state and pointers of its vertices"
                        >
                            <span data-figure="memory">{bytes(memory)}</span>
                        </Row>
                    )}
                    {exchange && <ExchangeRows exchange={exchange} />}
                    {step.live > 0 && (
                        <Row title="Live memory, all" tip={LIVE}>
                            {bytes(step.live)}
                        </Row>
                    )}
                    {step.vertices.length > 0 && (
                        <Row title="By vertex type">
                            {step.vertices.map((one) => (
                                <div key={one.type}>
                                    {one.type} <small>× {count(one.count)}</small>
                                </div>
                            ))}
                        </Row>
                    )}
                    {sources.length > 0 && (
                        <Row title={moves ? "Source variables" : "Reads"}>
                            <Names list={sources} />
                        </Row>
                    )}
                    {destinations.length > 0 && (
                        <Row title={moves ? "Destination variables" : "Writes"}>
                            <Names list={destinations} />
                        </Row>
                    )}
                    {step.source && (
                        <Row title="Your line" tip={step.source.file}>
                            {step.source.file.split("/").pop()}:{step.source.line} {step.source.function}
                        </Row>
                    )}
                </tbody>
            </table>
            <button type="button" onClick={() => context.open("programs", {}, { program: step.program })}>
                Show in the program tree
            </button>
        </>
    );
}

/** Floating-point operations of a compute set, and their rate. */
function FlopRow({ step }: { step: TraceStepTiles }) {
    const [counted] = step.flops;
    if (!counted) return null;
    return (
        <Row title="FLOP" tip="floating-point operations, as the estimates of its vertices count them">
            <span data-figure="flops">{count(counted.flops)}</span>, {rate(counted.flops / (step.to - step.from))} a
            cycle
            {counted.uncounted > 0 && <div>{`${count(counted.uncounted)} vertices are not counted`}</div>}
        </Row>
    );
}

/** The slowest tile, its vertices, and the time that the other tiles wait for it. */
function Critical({ step }: { step: TraceStepTiles }) {
    const { critical } = step;
    if (!critical) return null;
    return (
        <Row title="Critical tile" tip="the tile that takes longest: the step ends when it does">
            <span data-figure="critical">{critical.tile}</span>, {cycles(critical.cycles)}
            {critical.vertices.map((one) => (
                <div key={one.type} data-figure="critical vertex">
                    {one.type} <small>× {count(one.count)}</small>
                </div>
            ))}
            <div data-tip="cycles of the critical tile less the mean over all tiles">
                lost: <span data-figure="lost">{cycles(Math.round(critical.lost))}</span>
            </div>
        </Row>
    );
}

const TOTAL_DATA =
    "half of what tiles send and receive, as in Poplar's listings: an exchange between tiles counts what " +
    "it moves, a stream copy half of it, because the host's part is not counted";

function ExchangeRows({ exchange }: { exchange: StepExchange }) {
    return (
        <>
            {exchange.totalData !== null && (
                <Row title="Total data" tip={TOTAL_DATA}>
                    {bytes(exchange.totalData)}
                </Row>
            )}
            {exchange.dataBalance !== null && (
                <Row title="Data balance" tip="mean / maximum over tiles of the bytes sent and received">
                    {percent(exchange.dataBalance)}
                </Row>
            )}
            {exchange.codeBytes !== null && <Row title="Exchange code">{bytes(exchange.codeBytes)}</Row>}
            {exchange.fromHost !== null && <Row title="Copies from host">{count(exchange.fromHost)}</Row>}
            {exchange.toHost !== null && <Row title="Copies to host">{count(exchange.toHost)}</Row>}
        </>
    );
}

function IpuRows({
    ipu,
    all,
    several,
    clock,
    moves,
}: {
    ipu: StepIpu;
    all: Spread;
    several: boolean;
    clock: number;
    moves: boolean;
}) {
    const of = several ? `IPU ${ipu.ipu}: ` : "";
    return (
        <>
            <Row title={`${of}Cycles`} tip="of the tile that takes longest">
                <span data-figure={`cycles ${ipu.ipu}`}>{cycles(ipu.cycles)}</span> {time(ipu.cycles, clock)}
            </Row>
            <Row title={`${of}Active tiles`} tip="tiles that take any cycles">
                {count(ipu.activeTiles)}
            </Row>
            <Row title={`${of}All cycles`} tip="over all tiles of the IPU">
                {spread(all)}
            </Row>
            <Row title={`${of}Tile balance`} tip="sum of cycles over tiles / (largest × tiles)">
                <span data-figure={`balance ${ipu.ipu}`}>{percent(ipu.tileBalance)}</span>, active tiles alone{" "}
                {percent(ipu.activeTileBalance)}
            </Row>
            {moves && (
                <Row title={`${of}Data`}>
                    transmitted {bytes(ipu.dataOut)}, received {bytes(ipu.dataIn)}
                </Row>
            )}
        </>
    );
}
