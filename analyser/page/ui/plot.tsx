// SPDX-License-Identifier: Apache-2.0
// A plot of series over a common x (uPlot): a drag zooms, a double click resets, clicks on the legend toggle series.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { isDark, usePreferences } from "../preferences";
import { mix } from "../draw/colour";
import { Pen } from "../draw/pen";
import { drawPlot } from "../draw/plot";
import { titled, useReportName } from "./ofreport";
import { SavePicture } from "./savepicture";
import { themeColour } from "../draw/theme";

export interface PlotSeries {
    title: string;
    values: ArrayLike<number>;
    colour?: string; // CSS; default: the next of the palette
    shape?: "line" | "steps" | "bars" | "points";
    fill?: boolean;
}

export interface PlotProps {
    name: string; // of the saved picture
    x: ArrayLike<number>;
    xTitle: string;
    yTitle: string;
    series: readonly PlotSeries[];
    format?: (value: number) => string; // of y
    formatX?: (value: number) => string;
    height?: number; // pixels; default: the parent's
    onClick?: (index: number) => void; // nearest index of x
    onZoom?: (from: number, to: number) => void;
    logarithmic?: boolean; // y
}

export const PALETTE = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a5195", "#8c8c00"];

/** The default colour of a series; lighter in the dark theme. */
function seriesColour(index: number): string {
    const colour = PALETTE[index % PALETTE.length];
    return isDark() ? mix(colour, "#ffffff", 0.35) : colour;
}

function paths(shape: PlotSeries["shape"]): uPlot.Series.PathBuilder | undefined {
    if (shape === "steps") return uPlot.paths.stepped?.({ align: 1 });
    if (shape === "bars") return uPlot.paths.bars?.({ size: [1, Infinity], gap: 0, align: 1 });
    return undefined;
}

const WHOLE = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((one) => one * 10 ** power)).flat();

/** No ticks between whole numbers where x is whole, as tiles and steps are. */
function wholeTicks(x: ArrayLike<number>): Partial<uPlot.Axis> {
    return Array.from(x).every(Number.isInteger) ? { incrs: WHOLE } : {};
}

/** With the name of its report, if two are open. */
function named(props: PlotProps, report: string): PlotProps {
    const series = props.series.map((one) => ({ ...one, title: titled(one.title, report) }));
    return { ...props, yTitle: titled(props.yTitle, report), series };
}

function options(props: PlotProps, width: number, height: number): uPlot.Options {
    const ink = themeColour("ink-soft");
    const grid = { stroke: themeColour("line"), width: 1 };
    const font = "11px system-ui, sans-serif";
    const axis = { labelSize: 18, labelFont: font, font, stroke: ink, grid, ticks: grid };
    const format = props.format ?? String;
    const formatX = props.formatX ?? ((value: number) => value.toLocaleString("en-GB"));
    return {
        width,
        height,
        scales: {
            x: { time: false },
            y: {
                distr: props.logarithmic ? 3 : 1,
                range: props.logarithmic ? undefined : ([0, null] as unknown as uPlot.Range.MinMax),
            },
        },
        legend: { live: true },
        cursor: { y: false, focus: { prox: 16 }, drag: { x: true, y: false } },
        focus: { alpha: 0.35 },
        axes: [
            {
                label: props.xTitle,
                ...axis,
                size: 28,
                ...wholeTicks(props.x),
                values: (_, ticks) => ticks.map((tick) => formatX(tick)),
            },
            {
                label: props.yTitle,
                ...axis,
                size: 74,
                values: (_, ticks) => ticks.map((tick) => (tick === null ? "" : format(tick))),
            },
        ],
        series: [
            { label: props.xTitle, value: (_, value) => (value === null ? "–" : formatX(value)) },
            ...props.series.map((one, i): uPlot.Series => {
                const colour = one.colour ?? seriesColour(i);
                return {
                    label: one.title,
                    stroke: colour,
                    fill: one.fill || one.shape === "bars" ? `${colour}55` : undefined,
                    width: 1.25,
                    points: { show: one.shape === "points", size: 3 },
                    paths: paths(one.shape),
                    value: (_, value) => (value === null ? "–" : format(value)),
                };
            }),
        ],
        hooks: {
            setSelect: [
                (plot) => {
                    if (plot.select.width > 2)
                        props.onZoom?.(
                            plot.posToVal(plot.select.left, "x"),
                            plot.posToVal(plot.select.left + plot.select.width, "x"),
                        );
                },
            ],
        },
    };
}

export function Plot(given: PlotProps) {
    const box = useRef<HTMLDivElement>(null);
    const props = named(given, useReportName());
    const { theme } = usePreferences();
    const latest = useRef(props);
    latest.current = props;
    const titles = props.series.map((one) => one.title).join("\n");
    useEffect(() => {
        const parent = box.current as HTMLDivElement;
        const size = () => ({
            width: Math.max(120, parent.clientWidth),
            height: Math.max(80, (props.height ?? parent.clientHeight) - 26),
        });
        const data = [Array.from(props.x), ...props.series.map((one) => Array.from(one.values))] as uPlot.AlignedData;
        const { width, height } = size();
        const plot = new uPlot(options(latest.current, width, height), data, parent);
        plot.over.addEventListener("click", () => {
            const at = plot.cursor.idx;
            if (at !== null && at !== undefined) latest.current.onClick?.(at);
        });
        const watch = new ResizeObserver(() => plot.setSize(size()));
        watch.observe(parent);
        return () => {
            watch.disconnect();
            plot.destroy();
        };
    }, [props.x, ...props.series.map((one) => one.values), titles, theme, props.logarithmic, props.height]);
    const drawing = () => {
        const width = Math.max(320, box.current?.clientWidth ?? 0);
        const height = Math.max(200, props.height ?? box.current?.clientHeight ?? 0);
        const picture = {
            ...props,
            series: props.series.map((one, i) => ({
                title: one.title,
                values: one.values,
                colour: one.colour ?? seriesColour(i),
                shape: one.shape ?? "line",
            })),
            formatX: props.formatX ?? ((value: number) => value.toLocaleString("en-GB")),
            formatY: props.format ?? String,
            ink: themeColour("ink"),
            line: themeColour("line"),
        };
        return { name: props.name, width, height, draw: (pen: Pen) => drawPlot(pen, picture, width, height) };
    };
    return (
        <div class="plot-frame" style={props.height ? { height: `${props.height}px` } : {}}>
            <div class="plot" ref={box} />
            <div class="plot-save">
                <SavePicture drawing={drawing} />
            </div>
        </div>
    );
}
