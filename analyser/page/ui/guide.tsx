// SPDX-License-Identifier: Apache-2.0
// The short guide: how to make a report, and where to look first. It opens from the page that chooses a report, and
// from the menu.
import { Dialog } from "./dialog";

const ENVIRONMENT = `POPLAR_ENGINE_OPTIONS='{"autoReport.all":"true","autoReport.directory":"report"}' ./program`;

const STEPS: readonly { title: string; text: string; code?: string }[] = [
    {
        title: "Record",
        text:
            "Run your program with reports switched on; it writes one " +
            "when it ends. With --live, pva serve shows runs while the program executes.",
        code: ENVIRONMENT,
    },
    {
        title: "Open",
        text: "Choose the directory here, or start the " + "page with it. Two directories are compared.",
        code: "pva serve report",
    },
    {
        title: "Does it fit, and what is slow?",
        text: "Insights answers this first, with a list of " + "what to improve. Each entry links to the place.",
    },
    {
        title: "Which line costs most, on which tiles?",
        text:
            "Source lists the lines of your program by their cycles; " +
            "below are the cycles of the selected line on each tile.",
    },
    {
        title: "When?",
        text: "Trace has every step of every run: the wheel " + "zooms, a drag moves, a click shows a step's details.",
    },
    {
        title: "Where is memory?",
        text: "Memory shows it by tile and by " + "purpose, Liveness by step of the program.",
    },
];

export function Guide({ onClose }: { onClose: () => void }) {
    return (
        <Dialog title="Getting started" onClose={onClose}>
            <ol class="guide">
                {STEPS.map((step) => (
                    <li key={step.title}>
                        <b>{step.title}</b> {step.text}
                        {step.code && <pre>{step.code}</pre>}
                    </li>
                ))}
            </ol>
            <p>
                The menu ☰ searches the whole documentation; keys are listed by <kbd>?</kbd>, calls by{" "}
                <code>man pva</code>.
            </p>
        </Dialog>
    );
}
