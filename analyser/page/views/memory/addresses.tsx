// SPDX-License-Identifier: Apache-2.0
// The addresses of a tile as a strip, with variables that share bytes drawn on top of each other.
import { categoryTitle } from "../../data/concepts";
import { useEffect, useRef, useState } from "preact/hooks";
import { Pen, canvasPen } from "../../draw/pen";
import { usePreferences } from "../../preferences";
import { count } from "../../text/format";
import { SavePicture } from "../../ui/savepicture";
import { themeColour } from "../../draw/theme";
import { hideTip, showTip } from "../../ui/tooltip";
import { categoryColour } from "./colours";
import { LayoutRow } from "./tables";

const HEIGHT = 56;
const ROWS = 4; // lanes for variables that share addresses; the last one has all further ones

interface Placed {
    row: LayoutRow;
    lane: number;
    x: number;
    width: number;
}

/** Rows by address, each in the first lane that is free at its addresses. */
export function placeRows(rows: readonly LayoutRow[]): { row: LayoutRow; lane: number }[] {
    const ends: number[] = [];
    return [...rows]
        .sort((a, b) => a.address - b.address)
        .map((row) => {
            let lane = ends.findIndex((end) => end <= row.address);
            if (lane < 0) lane = Math.min(ends.length, ROWS - 1);
            ends[lane] = Math.max(ends[lane] ?? 0, row.address + row.bytes);
            return { row, lane };
        });
}

export function AddressMap({
    rows,
    interleaved,
    chosen,
    onPick,
}: {
    rows: readonly LayoutRow[];
    interleaved: number;
    chosen?: string;
    onPick: (name: string) => void;
}) {
    const canvas = useRef<HTMLCanvasElement>(null);
    const [width, setWidth] = useState(0);
    usePreferences();
    useEffect(() => {
        const element = canvas.current as HTMLCanvasElement;
        const measure = () => setWidth(element.clientWidth);
        const watch = new ResizeObserver(measure);
        watch.observe(element);
        measure();
        return () => watch.disconnect();
    }, []);
    // The two regions side by side, without the unused bytes between them.
    const low = Math.max(0, ...rows.filter((row) => row.address < interleaved).map((row) => row.address + row.bytes));
    const high = Math.max(
        0,
        ...rows.filter((row) => row.address >= interleaved).map((row) => row.address + row.bytes - interleaved),
    );
    const gap = high > 0 ? 24 : 0;
    const perByte = (width - gap) / Math.max(1, low + high);
    const x = (address: number) =>
        address < interleaved ? address * perByte : low * perByte + gap + (address - interleaved) * perByte;
    const placed: Placed[] = placeRows(rows).map(({ row, lane }) => ({
        row,
        lane,
        x: x(row.address),
        width: Math.max(1, row.bytes * perByte),
    }));
    const laneHeight = (HEIGHT - 14) / ROWS;
    const draw = (pen: Pen) => {
        for (const { row, lane, x: left, width: wide } of placed) {
            pen.globalAlpha = chosen === undefined || chosen === row.name ? 1 : 0.35;
            pen.fillStyle = categoryColour(row.category);
            pen.fillRect(left, lane * laneHeight, wide - (wide > 3 ? 0.5 : 0), laneHeight - 1);
        }
        pen.globalAlpha = 1;
        pen.fillStyle = themeColour("ink-soft");
        pen.font = "10px system-ui, sans-serif";
        pen.textBaseline = "bottom";
        pen.fillText(`0 to ${count(low)}`, 0, HEIGHT);
        if (high > 0)
            pen.fillText(`interleaved, from ${count(interleaved)}`, Math.min(low * perByte + gap, width - 160), HEIGHT);
    };
    useEffect(() => {
        if (!canvas.current || !width) return;
        const pen = canvasPen(canvas.current, width, HEIGHT);
        pen.fillStyle = themeColour("paper");
        pen.fillRect(0, 0, width, HEIGHT);
        draw(pen);
    });
    const at = (event: MouseEvent) => {
        const area = (canvas.current as HTMLCanvasElement).getBoundingClientRect();
        const [px, lane] = [event.clientX - area.left, Math.floor((event.clientY - area.top) / laneHeight)];
        return placed.find((one) => one.lane === lane && px >= one.x - 1 && px <= one.x + one.width + 1)?.row;
    };
    return (
        <div class="layout-map">
            <canvas
                ref={canvas}
                data-graph="addresses"
                onPointerMove={(event) => {
                    const row = at(event);
                    if (row)
                        showTip(
                            `${row.name}\n${categoryTitle(row.category)} (${row.category})\n` +
                                `${count(row.bytes)} bytes at ${count(row.address)}`,
                            event.clientX,
                            event.clientY,
                        );
                    else hideTip();
                }}
                onPointerLeave={hideTip}
                onClick={(event) => {
                    const row = at(event);
                    if (row) onPick(row.name);
                }}
            />
            <div class="plot-save">
                <SavePicture drawing={() => ({ name: "addresses", width, height: HEIGHT, draw })} />
            </div>
        </div>
    );
}
