// SPDX-License-Identifier: Apache-2.0
// Shared by the tabs of the trace.
import { ComponentChild } from "preact";
import { Span } from "../../data/rectangles";
import { TypeLook } from "../../draw/types";
import { cycles, percent } from "../../text/format";
import { ViewContext } from "../view";
import { TraceModel } from "./model";
import { TraceOptions } from "./options";

export interface TabProps {
    context: ViewContext;
    models: readonly TraceModel[];
    options: TraceOptions;
    side: number; // index of the model with the selection
    go: (span: Span) => void;
    /** Comparing: shows a step of each report, one of which may be missing. */
    both?: (a: number | null, b: number | null) => void;
}

export function Row({ title, tip, children }: { title: string; tip?: string; children: ComponentChild }) {
    return (
        <tr>
            <th data-tip={tip}>{title}</th>
            <td>{children}</td>
        </tr>
    );
}

export interface Share {
    kind: string;
    cycles: number;
}

/** Cycles by kind as a single bar. */
export function Proportions({ shares, looks }: { shares: readonly Share[]; looks: readonly TypeLook[] }) {
    const total = shares.reduce((sum, share) => sum + share.cycles, 0);
    if (total <= 0) return <>none</>;
    const colour = (kind: string) => looks.find((look) => look.name === kind)?.plain ?? "#888888";
    const present = shares.filter((share) => share.cycles > 0);
    const lines = present.map(
        (share) => `${share.kind}  ${percent(share.cycles / total)}  ${cycles(Math.round(share.cycles))}`,
    );
    return (
        <>
            <div class="proportions" data-tip={["share of the cycles", ...lines].join("\n")}>
                {present.map((share) => (
                    <span
                        key={share.kind}
                        data-kind={share.kind}
                        style={{ width: `${(share.cycles / total) * 100}%`, background: colour(share.kind) }}
                    />
                ))}
            </div>
            <ul class="proportions-key">
                {present.map((share) => (
                    <li key={share.kind} data-key={share.kind}>
                        <i class="swatch" style={{ background: colour(share.kind) }} />
                        {`${share.kind} ${percent(share.cycles / total)}`}
                    </li>
                ))}
            </ul>
        </>
    );
}

export function Bar({ share }: { share: number }) {
    return (
        <span class="bar">
            <span style={{ width: `${Math.min(100, Math.max(0, share * 100))}%` }} />
        </span>
    );
}
