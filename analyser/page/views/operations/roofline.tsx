// SPDX-License-Identifier: Apache-2.0
// The roofline of operations: how much arithmetic each does for a byte that it exchanges, and for a cycle.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { OperationTable } from "../../data/operations";
import { canvasPen } from "../../draw/pen";
import { RooflineInput, dotAt, drawRoofline, planRoofline } from "../../draw/roofline";
import { usePreferences } from "../../preferences";
import { bytes, count, flop, percent, rate } from "../../text/format";
import { tailName } from "../../text/names";
import { withName } from "../../ui/ofreport";
import { SavePicture } from "../../ui/savepicture";
import { Empty } from "../../ui/tabs";
import { themeColour } from "../../draw/theme";

export interface RooflinePoint<Row> {
    of: Row;
    name: string;
    call: string;
    flops: number;
    cycles: number;
    bytes: number;
}

function look() {
    return {
        ink: themeColour("ink"),
        soft: themeColour("ink-soft"),
        line: themeColour("line"),
        accent: themeColour("accent"),
    };
}

const LABEL = 28; // characters

export function Roofline<Row>({
    table,
    points,
    selected,
    onSelect,
}: {
    table: OperationTable;
    points: readonly RooflinePoint<Row>[];
    selected: Row | undefined;
    onSelect: (row: Row) => void;
}) {
    const box = useRef<HTMLDivElement>(null);
    const canvas = useRef<HTMLCanvasElement>(null);
    const [size, setSize] = useState({ width: 0, height: 0 });
    const preferences = usePreferences();
    const { peak } = table;
    useEffect(() => {
        const element = box.current;
        if (!element) return;
        const observer = new ResizeObserver(() =>
            setSize({ width: element.clientWidth, height: element.clientHeight }),
        );
        observer.observe(element);
        return () => observer.disconnect();
    }, []);
    const inputs = useMemo((): RooflineInput[] => {
        const whole = points.reduce((sum, one) => sum + one.cycles, 0);
        return points.map((one) => ({
            intensity: one.bytes ? one.flops / one.bytes : Infinity,
            rate: one.flops / one.cycles,
            share: one.cycles / whole,
            name: tailName(one.name || one.call, LABEL),
            selected: one.of === selected,
        }));
    }, [points, selected]);
    const plan = useMemo(() => planRoofline(inputs, peak, size), [inputs, peak, size]);
    useEffect(() => {
        if (!canvas.current || !size.width || !size.height) return;
        const pen = canvasPen(canvas.current, size.width, size.height);
        pen.fillStyle = themeColour("paper");
        pen.fillRect(0, 0, size.width, size.height);
        drawRoofline(pen, plan, look());
    }, [plan, size, preferences]);
    if (!table.counted)
        return <Empty>The report has no floating-point operations: it was written by an earlier version.</Empty>;
    if (!points.length) return <Empty>No operation of this layer executes floating-point operations.</Empty>;
    const at = (event: MouseEvent) => {
        const place = (event.currentTarget as HTMLElement).getBoundingClientRect();
        return dotAt(plan, event.clientX - place.left, event.clientY - place.top);
    };
    const tip = (i: number) => {
        const one = points[i];
        return (
            `${one.call} ${one.name}\n` +
            `${flop(one.flops)} in ${count(one.cycles)} cycles: ${rate(one.flops / one.cycles)} ` +
            `a cycle${peak.half ? `, ${percent(one.flops / one.cycles / peak.half, 2)} of the peak of halves` : ""}\n` +
            (one.bytes
                ? `${bytes(one.bytes)} exchanged: ${rate(one.flops / one.bytes)} FLOP for each byte`
                : "it exchanges nothing: drawn at the right edge")
        );
    };
    return (
        <div class="pane-column">
            <div class="flame-bar">
                <span>
                    {withName(count(points.length))} operations with arithmetic; a larger dot takes more cycles
                    {peak.half > 0 &&
                        `; peak: ${count(peak.half)} FLOP a cycle (halves), ${count(peak.float)} (floats), ` +
                            `${count(peak.exchange)} bytes received a cycle`}
                </span>
                <span class="grow" />
                <SavePicture
                    drawing={() => ({ name: "roofline", ...size, draw: (pen) => drawRoofline(pen, plan, look()) })}
                />
            </div>
            <div class="roofline" ref={box}>
                <canvas
                    ref={canvas}
                    style={{ width: `${size.width}px`, height: `${size.height}px` }}
                    role="img"
                    aria-label="roofline of operations"
                    data-dots={JSON.stringify(plan.dots.map((dot) => [Math.round(dot.x), Math.round(dot.y)]))}
                    onMouseMove={(event) => {
                        const found = at(event);
                        if (found < 0) delete event.currentTarget.dataset.tip;
                        else event.currentTarget.dataset.tip = tip(found);
                    }}
                    onClick={(event) => {
                        const found = at(event);
                        if (found >= 0) onSelect(points[found].of);
                    }}
                />
            </div>
        </div>
    );
}
