// SPDX-License-Identifier: Apache-2.0
// The header: the reports, the views, and the menu of the page.
import { useState } from "preact/hooks";
import { closeReports, deleteCache, openReports, openWindow } from "./data/reports";
import { Theme, Units, setPreferences, usePreferences } from "./preferences";
import { Guide } from "./ui/guide";
import { Help } from "./ui/help";
import { Menu, MenuItem } from "./ui/menu";
import { VIEWS } from "./views";
import { View, ViewContext } from "./views/view";

const THEMES: readonly { id: Theme; title: string }[] = [
    { id: "system", title: "As the system" },
    { id: "light", title: "Light" },
    { id: "dark", title: "Dark" },
];
const UNITS: readonly { id: Units; title: string }[] = [
    { id: "binary", title: "Binary multiples (1.0 KiB)" },
    { id: "si", title: "SI prefixes (1.0 kB)" },
    { id: "bytes", title: "Bytes only (1,024 B)" },
];

export interface HeaderProps {
    view: View;
    context: ViewContext;
    reload: () => void;
    showKeys: () => void;
}

function Reports({ context, reload }: { context: ViewContext; reload: () => void }) {
    const { reports } = context;
    const landing = VIEWS.find((view) => view.landing);
    const keepFirst = () => void openReports([reports[0].directory]).then(reload, reload);
    const another = () => {
        const shown = window.open("", "_blank"); // immediately, otherwise the browser blocks it as a pop-up
        openWindow().then(
            (address) => shown && (shown.location.href = address),
            (reason: unknown) => {
                shown?.close();
                context.status(reason instanceof Error ? reason.message : String(reason));
            },
        );
    };
    const swap = () => void openReports([reports[1].directory, reports[0].directory]).then(reload, reload);
    // Frameworks write a directory for each program: the menu offers the other reports of the set.
    const set = reports.length === 1 && (reports[0].set?.length ?? 0) > 1 ? (reports[0].set ?? []) : [];
    const items: MenuItem[] = [
        ...(landing
            ? [
                  { kind: "action" as const, title: "Open or compare…", onChoose: () => context.open(landing.id) },
                  {
                      kind: "action" as const,
                      title: "New window",
                      tip: "another window, for other reports",
                      onChoose: another,
                  },
              ]
            : []),
        ...(reports.length
            ? [
                  { kind: "action" as const, title: "Reload", onChoose: reload },
                  {
                      kind: "action" as const,
                      title: "Close",
                      onChoose: () => void closeReports().then(reload, reload),
                  },
              ]
            : []),
        ...(reports.length > 1
            ? [
                  { kind: "action" as const, title: "Swap source and target", onChoose: swap },
                  { kind: "action" as const, title: "End the comparison", onChoose: keepFirst },
              ]
            : []),
        ...(set.length ? [{ kind: "title" as const, title: "Reports of this directory" }] : []),
        ...set.map((one) => ({
            kind: "choice" as const,
            title: one.about ? `${one.name} (${one.about})` : one.name,
            chosen: one.directory === reports[0].directory,
            onChoose: () => void openReports([one.directory]).then(reload, reload),
        })),
    ];
    // A name is "directory/report"; the directory is shown once when both reports share it.
    const [first, ...others] = reports.map((report) => report.name);
    const common = first ? first.slice(0, first.lastIndexOf("/") + 1) : "";
    const short = (name: string) => (name.startsWith(common) ? name.slice(common.length) : name);
    const names = first ? [first, ...others.map(short)].join("  ↔  ") : "no report";
    const tip = reports.map((report) => report.directory).join("\n");
    return <Menu label={<span class="report-name">{names}</span>} items={items} tip={tip} name="reports" />;
}

/** The recorded replica, when there are several. */
function Replicas({ context }: { context: ViewContext }) {
    const { reports } = context;
    if (!reports.some((report) => report.replicas > 1)) return null;
    const names = reports.map((report) => `replica ${report.replica} of ${report.replicas}`);
    const tip =
        "Replicas run the same program on parts of the device. Cycles, memory and tiles are those of this one:\n" +
        "profiler.replicaToProfile chooses it by its number, from 0.";
    return (
        <span class="replica" data-tip={tip}>
            {[...new Set(names)].join("  ↔  ")}
        </span>
    );
}

export function Header({ view, context, reload, showKeys }: HeaderProps) {
    const { theme, units, liveness } = usePreferences();
    const [guide, setGuide] = useState(false);
    const [help, setHelp] = useState(false);
    const items: MenuItem[] = [
        { kind: "title", title: "Theme" },
        ...THEMES.map((one) => ({
            kind: "choice" as const,
            title: one.title,
            chosen: theme === one.id,
            onChoose: () => setPreferences({ theme: one.id }),
        })),
        { kind: "title", title: "Units of memory" },
        ...UNITS.map((one) => ({
            kind: "choice" as const,
            title: one.title,
            chosen: units === one.id,
            onChoose: () => setPreferences({ units: one.id }),
        })),
        { kind: "title", title: "Memory of selected tiles" },
        {
            kind: "check",
            title: "With live memory",
            checked: liveness,
            onChange: (on) => setPreferences({ liveness: on }),
        },
        { kind: "title", title: "Help" },
        { kind: "action", title: "Getting started", onChoose: () => setGuide(true) },
        { kind: "action", title: "Search the documentation", onChoose: () => setHelp(true) },
        { kind: "action", title: "Keys", onChoose: showKeys },
        {
            kind: "action",
            title: "Delete the cache",
            tip: "profile.pop_cache in the directory of the report; it is created again when needed",
            onChoose: () => void deleteCache().then(reload, reload),
        },
    ];
    return (
        <header class={context.reports.length > 1 ? "header two" : "header"}>
            <span class="brand">Tremula</span>
            <Reports context={context} reload={reload} />
            <Replicas context={context} />
            <nav aria-label="views">
                {VIEWS.filter((one) => !one.landing).map((one) => {
                    const missing = context.reports.length ? one.missing?.(context.reports) : null;
                    return (
                        <button
                            key={one.id}
                            type="button"
                            class={missing ? "missing" : ""}
                            aria-current={one.id === view.id ? "page" : undefined}
                            data-view={one.id}
                            data-tip={missing ?? one.tip}
                            disabled={context.reports.length === 0}
                            onClick={() => context.open(one.id)}
                        >
                            {one.title}
                        </button>
                    );
                })}
            </nav>
            <button type="button" class="icon" aria-label="keys" data-tip="keys (?)" onClick={showKeys}>
                ?
            </button>
            {guide && <Guide onClose={() => setGuide(false)} />}
            {help && <Help onClose={() => setHelp(false)} />}
            <Menu label="☰" items={items} align="right" name="menu" tip="theme, units, help" />
        </header>
    );
}
