// SPDX-License-Identifier: Apache-2.0
// The status bar: the selection, loading with its progress, the files of the report.
import { useEffect, useState } from "preact/hooks";
import { activities, onActivity } from "./data/activity";
import { Report } from "./data/reports";
import { Progress } from "./frame";
import { bytes, percent } from "./text/format";
import { reportTitles } from "./ui/compare";

/** The text at the left of the status bar. Views change it at each frame of a gesture: only this text is rendered
 * then. */
export class StatusText {
    private text = "";
    private shown: ((text: string) => void) | null = null;

    set = (text: string): void => {
        this.text = text;
        this.shown?.(text);
    };

    /** Calls `show` now and at each change; returns a function that stops this. */
    watch(show: (text: string) => void): () => void {
        this.shown = show;
        show(this.text);
        return () => (this.shown = null);
    }
}

function Text({ status }: { status: StatusText }) {
    const [text, show] = useState("");
    useEffect(() => status.watch(show), [status]);
    return <span class="status-text">{text}</span>;
}

const SHOWN_AFTER = 200; // ms: shorter loading is not shown

function Activities() {
    const [, redraw] = useState(0);
    useEffect(() => {
        let timer = 0;
        const tick = () => {
            redraw((n) => n + 1);
            clearTimeout(timer);
            if (activities().length) timer = window.setTimeout(tick, SHOWN_AFTER + 10);
        };
        const end = onActivity(tick);
        tick();
        return () => {
            end();
            clearTimeout(timer);
        };
    }, []);
    const now = performance.now();
    const slow = activities().filter((one) => now - one.since > SHOWN_AFTER);
    if (!slow.length) return null;
    return (
        <span class="activity">
            loading {slow[0].what}
            {slow.length > 1 ? ` and ${slow.length - 1} more` : ""} ({((now - slow[0].since) / 1000).toFixed(1)} s)
            <button type="button" onClick={() => slow.forEach((one) => one.cancel())}>
                cancel
            </button>
        </span>
    );
}

export function StatusBar(props: {
    reports: readonly Report[];
    text: StatusText;
    progress: Progress | null;
    connected: boolean;
}) {
    const { reports, text, progress, connected } = props;
    const titles = reportTitles(reports);
    return (
        <footer class="status" role="status">
            <Text status={text} />
            <span class="grow" />
            {progress && (
                <span class="activity">
                    {progress.what}
                    {progress.share !== null && ` ${percent(progress.share, 0)}`}
                </span>
            )}
            <Activities />
            {!connected && <span class="warning">the server does not answer</span>}
            {reports.map((report, i) => {
                const present = report.files.filter((file) => file.present);
                return (
                    <span
                        key={report.index}
                        class={report.partial ? "warning" : ""}
                        data-tip={[
                            report.directory,
                            ...present.map((file) => `${file.name}  ${bytes(file.bytes)}`),
                        ].join("\n")}
                    >
                        {titles.length > 1 && `${titles[i]}: `}
                        {report.partial ??
                            `${present.length} files, ${bytes(present.reduce((sum, file) => sum + file.bytes, 0))}`}
                    </span>
                );
            })}
        </footer>
    );
}
