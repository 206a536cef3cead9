// SPDX-License-Identifier: Apache-2.0
// The toolbar above the graph: execution view, search, hint, magnification, colour key, layout, pictures.
import { useEffect, useState } from "preact/hooks";
import { TraceLanes } from "../../data/trace";
import { canvasPen } from "../../draw/pen";
import { Span } from "../../data/rectangles";
import { zoomSpan } from "../../draw/scale";
import { SvgPen } from "../../draw/svg";
import { AXIS_HEIGHT } from "../../draw/axis";
import { JsonObject } from "../../state";
import { Menu, MenuItem } from "../../ui/menu";
import { saveCanvas, saveText } from "../../ui/save";
import { GUTTER, TraceModel } from "./model";
import { TraceOptions, optionPatch } from "./options";
import { drawGraph } from "./painter";
import { ColourKey } from "./panel";
import { Search } from "./search";
import { Typed } from "../../ui/typed";

export interface ToolbarProps {
    model: TraceModel;
    name: string; // of the model's report, when two are compared
    lanes: readonly TraceLanes[]; // of one report, or of two to compare
    options: TraceOptions;
    search: string;
    step: number;
    update: (patch: JsonObject) => void;
    onFound: (found: { step?: number; block?: number }, span: Span) => void;
    onWindow: (span: Span) => void;
}

function savePicture(model: TraceModel, kind: "png" | "svg"): void {
    const { looks } = model;
    const width = GUTTER + model.width;
    const height = AXIS_HEIGHT + Math.max(40, model.bands.height);
    const scroll = model.scroll;
    model.scroll = 0;
    try {
        if (kind === "svg") {
            const pen = new SvgPen(
                width,
                height,
                (paint) => looks.find((look) => look.fill === paint)?.plain ?? "#888888",
            );
            drawGraph(pen, null, model, width, height);
            saveText(pen.file(), "trace.svg", "image/svg+xml");
        } else {
            const canvas = document.createElement("canvas");
            drawGraph(canvasPen(canvas, width, height), null, model, width, height);
            saveCanvas(canvas, "trace.png");
        }
    } finally {
        model.scroll = scroll;
    }
}

const LAYOUTS: readonly { id: TraceOptions["layout"]; title: string; tip: string }[] = [
    { id: "flat", title: "Flat", tip: "consecutive steps of each IPU" },
    { id: "flame", title: "Flame", tip: "layers by the components of debug names" },
    {
        id: "programs",
        title: "Flame by program",
        tip: "layers by the programs that steps are in: the control program, loops, calls",
    },
];

/** The menu of the execution view, whose button shows the current one; lightweight profiles only have runs. */
function ExecutionView({
    detailed,
    options,
    update,
}: {
    detailed: boolean;
    options: TraceOptions;
    update: (patch: JsonObject) => void;
}) {
    const runs: MenuItem = {
        kind: "check",
        title: "Runs",
        checked: options.runs,
        tip: "where Engine::run begins and ends",
        onChange: (checked) => update(optionPatch("runs", checked)),
    };
    const items: MenuItem[] = [
        ...LAYOUTS.map(({ id, title, tip }): MenuItem => ({
            kind: "choice",
            title,
            tip,
            chosen: options.layout === id,
            onChoose: () => update(optionPatch("layout", id)),
        })),
        {
            kind: "check",
            title: "BSP",
            checked: options.bsp,
            tip: "the activity of each tile: sync, compute, exchange",
            onChange: (checked) => update(optionPatch("bsp", checked)),
        },
        runs,
    ];
    const layout = LAYOUTS.find((one) => one.id === options.layout)?.title ?? "";
    const parts = detailed
        ? [layout, options.bsp ? "BSP" : "", options.runs ? "Runs" : ""]
        : ["Blocks", options.runs ? "Runs" : ""];
    const name = parts.filter((part) => part).join(", ");
    return (
        <Menu
            label={<span class="execution-view">{name} ▾</span>}
            items={detailed ? items : [runs]}
            name="Execution View"
            tip="how the trace is drawn"
        />
    );
}

function SelectIpu({
    ipus,
    options,
    update,
}: {
    ipus: number;
    options: TraceOptions;
    update: (patch: JsonObject) => void;
}) {
    return (
        <select
            aria-label="Select IPU"
            data-tip="all IPUs, or one"
            value={String(options.ipu)}
            onChange={(event) => update(optionPatch("ipu", Number(event.currentTarget.value)))}
        >
            <option value="-1">All IPUs</option>
            {Array.from({ length: ipus }, (_, ipu) => (
                <option key={ipu} value={String(ipu)}>
                    IPU {ipu}
                </option>
            ))}
        </select>
    );
}

/** Layout and linking of two traces. */
function CompareButtons({ options, update }: { options: TraceOptions; update: (patch: JsonObject) => void }) {
    return (
        <>
            <button
                type="button"
                aria-pressed={options.linked}
                data-tip="both traces show the same cycles"
                onClick={() => update(optionPatch("linked", !options.linked))}
            >
                Linked
            </button>
            <button
                type="button"
                class="change-layout"
                data-tip="side by side, or one above the other"
                onClick={() => update(optionPatch("stacked", !options.stacked))}
            >
                {options.stacked ? "Side by side" : "One above the other"}
            </button>
        </>
    );
}

function Magnification({ model, onWindow }: { model: TraceModel; onWindow: (span: Span) => void }) {
    const [, redraw] = useState(0);
    useEffect(() => {
        let timer = 0;
        const end = model.onChange(() => {
            clearTimeout(timer);
            timer = window.setTimeout(() => redraw((n) => n + 1), 60);
        });
        return () => {
            clearTimeout(timer);
            end();
        };
    }, [model]);
    const { span, extent } = model;
    const percent = ((extent.to - extent.from) / (span.to - span.from)) * 100;
    const centre = (span.from + span.to) / 2;
    const set = (text: string) => {
        const wished = Number(text.replace(/[%,\s]/g, ""));
        if (wished > 0) onWindow(zoomSpan(span, percent / wished, centre, extent));
    };
    const button = (title: string, tip: string, run: () => void) => (
        <button type="button" class="icon" aria-label={tip} data-tip={tip} onClick={run}>
            {title}
        </button>
    );
    const page = (direction: number) =>
        onWindow({
            from: span.from + direction * (span.to - span.from) * 0.9,
            to: span.to + direction * (span.to - span.from) * 0.9,
        });
    return (
        <span class="magnification">
            {button("«", "a page to the left", () => page(-1))}
            {button("−", "zoom out", () => onWindow(zoomSpan(span, 2, centre, extent)))}
            <Typed
                type="text"
                aria-label="magnification in percent"
                data-tip="magnification"
                value={`${percent < 1000 ? percent.toFixed(0) : Math.round(percent).toLocaleString("en-GB")} %`}
                onConfirm={set}
                onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
            />
            {button("+", "zoom in", () => onWindow(zoomSpan(span, 0.5, centre, extent)))}
            {button("»", "a page to the right", () => page(1))}
            {button("↺", "show all (0)", () => onWindow(extent))}
        </span>
    );
}

export function Toolbar(props: ToolbarProps) {
    const { model, lanes, options, update } = props;
    const [key, setKey] = useState(false);
    const detailed = lanes.some((one) => one.mode === "detailed");
    const pictures: MenuItem[] = [
        { kind: "action", title: "PNG", onChoose: () => savePicture(model, "png") },
        { kind: "action", title: "SVG", onChoose: () => savePicture(model, "svg") },
    ];
    return (
        <div class="trace-bar">
            <ExecutionView detailed={detailed} options={options} update={update} />
            <SelectIpu ipus={Math.max(...lanes.map((one) => one.ipus))} options={options} update={update} />
            {props.name && (
                <span
                    class="report-label"
                    data-tip="search and magnification are of this trace: click one to choose it"
                >
                    {props.name}
                </span>
            )}
            <Search
                source={model.source}
                query={props.search}
                step={props.step}
                onQuery={(q) => update({ q: q || null })}
                onFound={props.onFound}
            />
            <span class="grow" />
            {lanes.length > 1 && <CompareButtons options={options} update={update} />}
            <Magnification model={model} onWindow={props.onWindow} />
            <button
                type="button"
                aria-pressed={key}
                class="key-button"
                data-tip="colour key"
                aria-label="colour key"
                onClick={() => setKey(!key)}
            >
                Key
            </button>
            <Menu label="Save" items={pictures} align="right" tip="save the graph as a picture" name="save the graph" />
            {key && (
                <div class="key-box">
                    <ColourKey lanes={lanes} looks={model.looks} />
                </div>
            )}
        </div>
    );
}
