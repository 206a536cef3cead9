// SPDX-License-Identifier: Apache-2.0
// The page that chooses a report: a directory by its path or from a list, or a recent one; two to compare.
import { useEffect, useState } from "preact/hooks";
import "./landing.css";
import { Directory, Listing, Recent, addRecent, recent, removeRecent, useListing } from "../data/browse";
import { ReportFile, openReports } from "../data/reports";
import { Guide } from "../ui/guide";
import { copyText } from "../ui/save";
import { Empty, Tabs } from "../ui/tabs";
import { JsonObject, stateToFragment } from "../state";
import { View, ViewContext } from "./view";

const NEEDED = ["profile.pop", "archive.a"]; // a directory with one of these is a report

function isReport(files: readonly ReportFile[]): boolean {
    return files.some((file) => file.present && NEEDED.includes(file.name));
}

function Files({ files }: { files: readonly ReportFile[] }) {
    return (
        <>
            {files
                .filter((file) => file.present)
                .map((file) => (
                    <span key={file.name} class={`file ${NEEDED.includes(file.name) ? "needed" : ""}`}>
                        {file.name}
                    </span>
                ))}
        </>
    );
}

const VIEW_OF: { readonly [file: string]: string } = {
    "archive.a": "#/memory",
    "debug.cbor": "#/operations",
    "serialized_graph.json": "#/programs",
    "framework.json": "#/summary",
    "app.json": "#/summary",
};

/** A file of a report is replaced by its directory, and selects the view for its contents. */
function viewOf(named: Recent): [string, Recent] {
    let view = "";
    const directories = named.map((path) => {
        const name = path.slice(path.lastIndexOf("/") + 1);
        if (!(name in VIEW_OF)) return path;
        view = VIEW_OF[name];
        return path.slice(0, -name.length).replace(/(.)\/+$/, "$1");
    });
    return [view, directories];
}

interface Entry {
    title: string;
    path: string;
    files: readonly ReportFile[];
}

function entriesOf(listing: Listing, typed: string): Entry[] {
    const word = typed.slice(typed.lastIndexOf("/") + 1).toLowerCase();
    const below = listing.directories.filter((one: Directory) => one.name.toLowerCase().startsWith(word));
    return [
        ...(word ? [] : [{ title: ". (this directory)", path: listing.path, files: listing.files }]),
        ...(listing.parent !== listing.path ? [{ title: "..", path: listing.parent, files: [] }] : []),
        ...below.map((one) => ({ title: one.name, path: one.path, files: one.files })),
    ];
}

function useEntries(typed: string) {
    const directory = typed.includes("/") ? typed.slice(0, typed.lastIndexOf("/") + 1) : "";
    const { value: listing, error } = useListing(directory);
    return { listing, error, entries: listing ? entriesOf(listing, typed) : [] };
}

function Browse({
    typed,
    at,
    onType,
    onOpen,
}: {
    typed: string;
    at: number; // index of the entry selected with the arrow keys; -1: none
    onType: (path: string) => void;
    onOpen: (path: string) => void;
}) {
    const { listing, error, entries } = useEntries(typed);
    if (error) return <Empty>{error}</Empty>;
    if (!listing) return <Empty>Reading the directory.</Empty>;
    return (
        <div class="directories" role="listbox" aria-label="directories">
            {entries.map((entry, i) => (
                <div
                    key={entry.title}
                    class={`directory ${isReport(entry.files) ? "report" : ""} ${i === at ? "reached" : ""}`}
                    data-path={entry.path}
                    role="option"
                    aria-selected={i === at}
                >
                    <button
                        type="button"
                        class="name"
                        onClick={() => onType(entry.path === "/" ? "/" : `${entry.path}/`)}
                        onDblClick={() => isReport(entry.files) && onOpen(entry.path)}
                    >
                        {entry.title}
                    </button>
                    <Files files={entry.files} />
                    {isReport(entry.files) && (
                        <button type="button" class="primary" onClick={() => onOpen(entry.path)}>
                            Open
                        </button>
                    )}
                </div>
            ))}
            {listing.cut && <Empty>There are more directories; type the beginning of a name.</Empty>}
        </div>
    );
}

/** A URL that names reports of this server: {first, second} of the view's state. */
function addressOf([first, second]: Recent): string {
    const part: JsonObject = second === undefined ? { first } : { first, second };
    return new URL(stateToFragment({ view: "open", parts: { open: part }, selection: {} }), location.href).href;
}

function RecentList({
    list,
    onOpen,
    onRemove,
    empty,
}: {
    list: readonly Recent[];
    onOpen: (one: Recent) => void;
    onRemove: (one: Recent) => void;
    empty: string;
}) {
    if (!list.length) return <Empty>{empty}</Empty>;
    return (
        <div class="directories">
            {list.map((one) => (
                <div key={one.join("\n")} class="directory report">
                    <button type="button" class="name" data-tip={one.join("\n")} onClick={() => onOpen(one)}>
                        {one.join("  ↔  ")}
                    </button>
                    <button
                        type="button"
                        class="icon"
                        aria-label="copy the address"
                        data-tip="copy an address that opens it on this server"
                        onClick={() => void copyText(addressOf(one))}
                    >
                        ⧉
                    </button>
                    <button
                        type="button"
                        class="icon"
                        aria-label="remove from the list"
                        data-tip="remove from the list"
                        onClick={() => onRemove(one)}
                    >
                        ×
                    </button>
                </div>
            ))}
        </div>
    );
}

function Landing({ context }: { context: ViewContext }) {
    const named = [context.state.first, context.state.second].map((path) => (typeof path === "string" ? path : ""));
    const [paths, setPaths] = useState<[string, string]>([named[0], named[1]]);
    const [side, setSide] = useState<0 | 1>(0);
    const [failure, setFailure] = useState<{ text: string; directories: Recent } | null>(null);
    const [known, setKnown] = useState(recent());
    const [guide, setGuide] = useState(false);
    const [reached, setReached] = useState(-1);
    const { entries, listing } = useEntries(paths[side]);
    const type = (path: string) => {
        setPaths(side ? [paths[0], path] : [path, paths[1]]);
        setReached(-1);
    };
    const open = (named: Recent) => {
        const [view, directories] = viewOf(named);
        openReports([...directories]).then(
            () => {
                addRecent(directories);
                location.hash = view;
                location.reload();
            },
            (reason: unknown) =>
                setFailure({ text: reason instanceof Error ? reason.message : String(reason), directories }),
        );
    };
    const openTyped = () => {
        const clean = paths
            .map((path) => (path.length > 1 ? path.replace(/\/+$/, "") : path))
            .filter((path) => path !== "");
        if (clean.length) open(clean);
    };
    useEffect(() => {
        // A URL opens reports that this browser has opened before; others wait for a click.
        const asked = named.filter((path) => path !== "");
        if (known.some((one) => one.join("\n") === asked.join("\n"))) open(asked);
    }, []);
    const remove = (directories: Recent) => {
        removeRecent(directories);
        setKnown(recent());
        setFailure(null);
    };
    const key = (event: KeyboardEvent) => {
        const entry = entries[reached];
        if (event.key === "ArrowDown") setReached(Math.min(entries.length - 1, reached + 1));
        else if (event.key === "ArrowUp") setReached(Math.max(-1, reached - 1));
        else if (event.key === "Enter" && entry && isReport(entry.files) && !side) open([entry.path]);
        else if (event.key === "Enter" && entry) type(entry.path === "/" ? "/" : `${entry.path}/`);
        else if (event.key === "Enter") openTyped();
        else return;
        event.preventDefault();
    };
    const input = (which: 0 | 1, label: string, hint: string) => (
        <div class="path-row">
            <label for={`path-${which}`}>{label}</label>
            <input
                id={`path-${which}`}
                value={paths[which]}
                placeholder={hint}
                autoComplete="off"
                spellcheck={false}
                onFocus={() => setSide(which)}
                onInput={(event) => type(event.currentTarget.value)}
                onKeyDown={key}
            />
        </div>
    );
    const chosen = typeof context.state.tab === "string" ? context.state.tab : undefined;
    return (
        <div class="landing">
            <h1>
                Open a report
                <button type="button" class="link getting-started" onClick={() => setGuide(true)}>
                    Getting started
                </button>
            </h1>
            {guide && <Guide onClose={() => setGuide(false)} />}
            {input(0, "Directory", "a directory that holds profile.pop or archive.a")}
            {input(1, "Compare with", "optional: a second report")}
            <div class="path-row">
                <button type="button" class="primary" disabled={!paths[0]} onClick={openTyped}>
                    {paths[1] ? "Compare" : "Open"}
                </button>
                {listing?.demo && (
                    <button type="button" data-tip={listing.demo} onClick={() => open([listing.demo ?? ""])}>
                        Open the demo report
                    </button>
                )}
                {failure && (
                    <span class="warning" role="alert">
                        {failure.text}{" "}
                        {known.some((one) => one.join("\n") === failure.directories.join("\n")) && (
                            <button type="button" onClick={() => remove(failure.directories)}>
                                Remove from the recent ones
                            </button>
                        )}
                    </span>
                )}
            </div>
            <Tabs
                chosen={chosen}
                onChoose={(tab) => context.update({ tab }, { replace: true })}
                tabs={[
                    {
                        id: "browse",
                        title: "Directories",
                        body: () => (
                            <Browse
                                typed={paths[side]}
                                at={reached}
                                onType={type}
                                onOpen={(path) => (side ? setPaths([paths[0], path]) : open([path]))}
                            />
                        ),
                    },
                    {
                        id: "recent",
                        title: "Recent",
                        body: () => (
                            <RecentList
                                list={known.filter((one) => one.length === 1)}
                                onOpen={open}
                                onRemove={remove}
                                empty="No report was opened from this page yet."
                            />
                        ),
                    },
                    {
                        id: "comparisons",
                        title: "Recent comparisons",
                        body: () => (
                            <RecentList
                                list={known.filter((one) => one.length === 2)}
                                onOpen={open}
                                onRemove={remove}
                                empty="No reports were compared from this page yet."
                            />
                        ),
                    },
                ]}
            />
        </div>
    );
}

export const landing: View = {
    id: "open",
    title: "Open",
    landing: true,
    render: (context) => <Landing context={context} />,
};
