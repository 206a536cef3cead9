// SPDX-License-Identifier: Apache-2.0
// The bar above the graph: execution view, search, hint, magnification, colour key, layout, pictures.
import { useEffect, useState } from "preact/hooks";
import { Report } from "../../data/reports";
import { TraceLanes } from "../../data/trace";
import { canvasPen } from "../../draw/pen";
import { Span, zoomSpan } from "../../draw/scale";
import { SvgPen } from "../../draw/svg";
import { TypeLook } from "../../draw/types";
import { AXIS_HEIGHT } from "../../draw/axis";
import { JsonObject } from "../../state";
import { Menu, MenuItem } from "../../ui/menu";
import { saveCanvas, saveText } from "../../ui/save";
import { GUTTER, TraceModel } from "./model";
import { TraceOptions, optionPatch } from "./options";
import { drawGraph } from "./painter";
import { ColourKey } from "./panel";
import { Search } from "./search";

export interface ToolbarProps {
    model: TraceModel;
    models: readonly TraceModel[];
    lanes: readonly TraceLanes[];
    looks: readonly TypeLook[];
    options: TraceOptions;
    search: string;
    step: number;
    reports: readonly Report[];
    update: (patch: JsonObject) => void;
    onFound: (step: number, span: Span) => void;
    onWindow: (span: Span) => void;
}

function savePicture(model: TraceModel, looks: readonly TypeLook[], kind: "png" | "svg"): void {
    const width = GUTTER + model.width;
    const height = AXIS_HEIGHT + Math.max(40, model.bands.height);
    const scroll = model.scroll;
    model.scroll = 0;
    try {
        if (kind === "svg") {
            const pen = new SvgPen(width, height, (paint) => looks.find((look) => look.fill === paint)?.plain ?? "#888888");
            drawGraph(pen, model, width, height, true);
            saveText(pen.file(), "trace.svg", "image/svg+xml");
        } else {
            const canvas = document.createElement("canvas");
            drawGraph(canvasPen(canvas, width, height), model, width, height, true);
            saveCanvas(canvas, "trace.png");
        }
    } finally {
        model.scroll = scroll;
    }
}

function viewName(options: TraceOptions): string {
    const parts = [options.layout === "flame" ? "Flame" : "Flat", options.bsp ? "BSP" : "", options.runs ? "Runs" : ""];
    return parts.filter((part) => part).join(", ");
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
    const page = (direction: number) => onWindow({ from: span.from + direction * (span.to - span.from) * 0.9, to: span.to + direction * (span.to - span.from) * 0.9 });
    return (
        <span class="magnification">
            {button("«", "a page to the left", () => page(-1))}
            {button("−", "zoom out", () => onWindow(zoomSpan(span, 2, centre, extent)))}
            <input
                type="text"
                aria-label="magnification in percent"
                data-tip="magnification"
                value={`${percent < 1000 ? percent.toFixed(0) : Math.round(percent).toLocaleString("en-GB")} %`}
                onChange={(event) => set(event.currentTarget.value)}
                onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
            />
            {button("+", "zoom in", () => onWindow(zoomSpan(span, 0.5, centre, extent)))}
            {button("»", "a page to the right", () => page(1))}
            {button("↺", "show all (0)", () => onWindow(extent))}
        </span>
    );
}

function Hint({ model }: { model: TraceModel }) {
    const [small, setSmall] = useState(false);
    useEffect(() => {
        let timer = 0;
        const end = model.onDraw(() => {
            if (timer) return;
            timer = window.setTimeout(() => {
                timer = 0;
                setSmall(model.tooSmall());
            }, 250);
        });
        return () => {
            clearTimeout(timer);
            end();
        };
    }, [model]);
    return small ? <span class="hint">Most steps are too small to be seen here: zoom in for detail.</span> : null;
}

export function Toolbar(props: ToolbarProps) {
    const { model, models, lanes, looks, options, update } = props;
    const [key, setKey] = useState(false);
    const detailed = lanes[0].mode === "detailed";
    const views: MenuItem[] = [
        { kind: "choice", title: "Flat", chosen: options.layout === "flat", tip: "consecutive steps of each IPU", onChoose: () => update(optionPatch("layout", "flat")) },
        { kind: "choice", title: "Flame", chosen: options.layout === "flame", tip: "layers by the parts of debug names", onChoose: () => update(optionPatch("layout", "flame")) },
        { kind: "check", title: "BSP", checked: options.bsp, tip: "what each tile does: sync, compute, exchange", onChange: (checked) => update(optionPatch("bsp", checked)) },
        { kind: "check", title: "Runs", checked: options.runs, tip: "where Engine::run begins and ends", onChange: (checked) => update(optionPatch("runs", checked)) },
    ];
    const pictures: MenuItem[] = [
        { kind: "action", title: "PNG", onChoose: () => savePicture(model, looks, "png") },
        { kind: "action", title: "SVG", onChoose: () => savePicture(model, looks, "svg") },
    ];
    return (
        <div class="trace-bar">
            {detailed && <Menu label={<span class="execution-view">{viewName(options)} ▾</span>} items={views} name="Execution View" tip="how the trace is drawn" />}
            <Search report={model.report} query={props.search} step={props.step} onQuery={(q) => update({ q: q || null })} onFound={props.onFound} />
            <Hint model={model} />
            <span class="grow" />
            {models.length > 1 && (
                <>
                    <button type="button" aria-pressed={options.linked} data-tip="both traces show the same cycles" onClick={() => update(optionPatch("linked", !options.linked))}>
                        Linked
                    </button>
                    <button type="button" class="change-layout" data-tip="side by side, or one above the other" onClick={() => update(optionPatch("stacked", !options.stacked))}>
                        {options.stacked ? "Side by side" : "One above the other"}
                    </button>
                </>
            )}
            <Magnification model={model} onWindow={props.onWindow} />
            <button type="button" aria-pressed={key} class="key-button" data-tip="colour key" aria-label="colour key" onClick={() => setKey(!key)}>
                Key
            </button>
            <Menu label="Save" items={pictures} align="right" tip="save the graph as a picture" name="save the graph" />
            {key && (
                <div class="key-box">
                    <ColourKey lanes={lanes[0]} looks={looks} />
                </div>
            )}
        </div>
    );
}
