// SPDX-License-Identifier: Apache-2.0
// Which report figures are of, when two are open: its name beside tables, plots and flame graphs, and in tooltips.
import { ComponentChild, createContext } from "preact";
import { useContext } from "preact/hooks";
import { Report } from "../data/reports";
import { reportTitles } from "./compare";

interface Named {
    name: string; // "": one report is open, or the figures are of both
    shown: boolean; // an element around has shown it
}

const Context = createContext<Named>({ name: "", shown: false });

/** The name of a report when two are open; otherwise "". */
export function nameOfReport(reports: readonly Report[], index: number): string {
    return reports.length > 1 ? reportTitles(reports)[index] : "";
}

/** A title with the name of its report, if that is needed. */
export function titled(title: string, name: string): string {
    return name ? `${title}, ${name}` : title;
}

export function useReportName(): string {
    return useContext(Context).name;
}

/** Figures inside are of the report of this name. Tooltips find it in data-report, which an element around needs. */
export function NameProvider({ name, children }: { name: string; children: ComponentChild }) {
    return <Context.Provider value={{ name, shown: false }}>{children}</Context.Provider>;
}

/** As NameProvider, with an element that does not change the layout. */
export function OfReport({ name, children }: { name: string; children: ComponentChild }) {
    return (
        <NameProvider name={name}>
            <div class="of-report" data-report={name || undefined}>
                {children}
            </div>
        </NameProvider>
    );
}

/** Shows the name unless an element around has; elements inside `children` do not show it again. */
export function ShowName({ children }: { children: (name: ComponentChild) => ComponentChild }) {
    const { name, shown } = useContext(Context);
    const label = name && !shown ? <ReportName /> : null;
    return <Context.Provider value={{ name, shown: shown || name !== "" }}>{children(label)}</Context.Provider>;
}

/** The name, unless an element around has shown it, and what is beside it. */
export function withName(beside?: ComponentChild): ComponentChild {
    return (
        <>
            <ShowName>{(name) => name}</ShowName>
            {beside}
        </>
    );
}

export function ReportName() {
    const { name } = useContext(Context);
    return name ? (
        <span class="report-label" data-of={name}>
            {name}
        </span>
    ) : null;
}
