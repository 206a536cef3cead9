// SPDX-License-Identifier: Apache-2.0
// The page's frame: header with the reports and the views, the current view, the status bar.
import { useEffect, useMemo, useState } from "preact/hooks";
import { forgetAnswers } from "./data/load";
import { Report, listen, loadReports } from "./data/reports";
import { Header } from "./header";
import { StatusBar, StatusText } from "./statusbar";
import { Store, useStore } from "./store";
import { Dialog } from "./ui/dialog";
import { KeysDialog, useKeys } from "./ui/keys";
import { Empty } from "./ui/tabs";
import { VIEWS } from "./views";
import { View, ViewContext } from "./views/view";

export interface Progress {
    what: string;
    share: number | null;
}

function ReloadDialog({ files, onReload, onClose }: { files: string[]; onReload: () => void; onClose: () => void }) {
    const actions = (
        <>
            <button type="button" onClick={onClose}>
                Keep what is shown
            </button>
            <button type="button" class="primary" onClick={onReload}>
                Reload
            </button>
        </>
    );
    return (
        <Dialog title="The report has changed" onClose={onClose} actions={actions}>
            <p>These files have changed since they were read:</p>
            <ul>
                {files.map((name) => (
                    <li key={name}>{name}</li>
                ))}
            </ul>
            <p>Wait until the program has finished: a report that is still being written is not consistent.</p>
        </Dialog>
    );
}

function useReports() {
    const [reports, setReports] = useState<Report[] | null>(null);
    const [error, setError] = useState("");
    const [changed, setChanged] = useState<string[]>([]);
    const [progress, setProgress] = useState<Progress | null>(null);
    const [connected, setConnected] = useState(true);
    const reload = () => {
        setChanged([]);
        forgetAnswers();
        loadReports().then(
            (found) => {
                setReports(found);
                setError("");
            },
            (reason: unknown) => setError(reason instanceof Error ? reason.message : String(reason)),
        );
    };
    useEffect(() => {
        reload();
        return listen({
            changed: (names) => setChanged((before) => [...new Set([...before, ...names])].sort()),
            progress: (what, share) => setProgress(share !== null && share >= 1 ? null : { what, share }),
            run: reload,
            connected: setConnected,
        });
    }, []);
    return { reports, error, changed, setChanged, progress, connected, reload };
}

function Body({ view, context }: { view: View; context: ViewContext }) {
    const missing = view.missing?.(context.reports);
    if (missing) return <Empty>{missing}</Empty>;
    return <>{view.render(context)}</>;
}

export function Frame({ store }: { store: Store }) {
    const state = useStore(store);
    const server = useReports();
    const status = useMemo(() => new StatusText(), []);
    const [keys, setKeys] = useState(false);
    const reports = server.reports ?? [];
    const known = VIEWS.find((one) => one.id === state.view) ?? VIEWS.find((one) => !one.landing) ?? VIEWS[0];
    const landing = VIEWS.find((one) => one.landing);
    const view = server.reports && reports.length === 0 && landing ? landing : known;
    useKeys([
        { key: "?", what: "this list", run: () => setKeys(true) },
        { key: "Escape", what: "one step back", run: () => store.back() },
    ]);
    useEffect(() => status.set(""), [view.id]);
    useEffect(() => {
        document.title = [view.title, reports.map((report) => report.name).join(" / "), "Tremula"]
            .filter((part) => part)
            .join(" · ");
    }, [view.id, reports]);
    const context: ViewContext = {
        reports,
        state: state.parts[view.id] ?? {},
        update: (patch, options) =>
            store.dispatch({ type: "update", view: view.id, patch: patch as ViewContext["state"] }, options),
        selection: state.selection,
        select: (selection, options) => store.dispatch({ type: "select", selection }, options),
        open: (id, part, selection) => store.dispatch({ type: "open", view: id, part, selection }),
        status: status.set,
    };
    return (
        <div class="frame">
            <Header view={view} context={context} reload={server.reload} showKeys={() => setKeys(true)} />
            <main>
                {server.error && !server.reports ? (
                    <Empty>{server.error}</Empty>
                ) : server.reports ? (
                    <Body key={view.id} view={view} context={context} />
                ) : (
                    <Empty>Opening the report.</Empty>
                )}
            </main>
            <StatusBar reports={reports} text={status} progress={server.progress} connected={server.connected} />
            {keys && <KeysDialog onClose={() => setKeys(false)} />}
            {server.changed.length > 0 && (
                <ReloadDialog files={server.changed} onReload={server.reload} onClose={() => server.setChanged([])} />
            )}
        </div>
    );
}
