// SPDX-License-Identifier: Apache-2.0
// The user's source lines, and the costs of their programs.
import { getColumns } from "./client";
import { Columns } from "./columns";
import { Loaded, useColumns, useJson, useLoaded } from "./load";

export interface SourceLine {
    file: string; // "" for programs without a known line
    line: number;
    elapsed: number; // cycles of the run
    cycles: number; // of the slowest tile, in all executions
    tileCycles: number;
    exchange: number; // part of elapsed: exchanges of tiles and IPUs, and syncs
    host: number; // part of elapsed: copies from and to the host
    times: number;
    estimate: number;
    code: number;
    state: number;
    programs: number;
    flops: number; // of vertices, in all executions
    instructions: number; // of assembly: executions, by all workers
    slots: number; // that these took
    readable: number; // 1 if the text of its file can be shown
}

export interface SourceLines {
    lines: SourceLine[];
    executed: boolean;
    debug: boolean;
}

/** null: nothing is loaded. */
export function useSourceLines(report: number | null): Loaded<SourceLines> {
    return useLoaded(report === null ? null : `source ${report}`, async (signal) => {
        const columns = await getColumns<{ executed: boolean; debug: boolean }>(
            "source/lines",
            { report: report ?? 0 },
            signal,
        );
        const file = columns.texts("file");
        const names = [
            "line",
            "elapsed",
            "cycles",
            "tileCycles",
            "exchange",
            "host",
            "times",
            "estimate",
            "code",
            "state",
            "programs",
            "flops",
            "instructions",
            "slots",
            "readable",
        ] as const;
        const numbers = names.map((name) => columns.numbers(name));
        const lines = file.map((path, i) => {
            const values = Object.fromEntries(names.map((name, k) => [name, numbers[k][i]]));
            return { file: path, ...values } as SourceLine;
        });
        return { lines, ...columns.meta };
    });
}

/** Columns: cycles by tile, and program, the ids. */
export function useLineTiles(report: number, line: SourceLine | undefined): Loaded<Columns<{ executed: boolean }>> {
    return useColumns(line?.file ? "source/tiles" : null, { report, file: line?.file, line: line?.line });
}

/** The text of a file that the report names; an error when it is not on this machine. */
export function useSourceText(report: number, file: string | undefined): Loaded<{ text: string }> {
    return useJson(file ? "source/text" : null, { report, file });
}
