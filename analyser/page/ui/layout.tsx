// SPDX-License-Identifier: Apache-2.0
// The layout of a view: options at the left, which fold away, a graph, and tabs below it.
import { ComponentChild } from "preact";
import { preferences, setPreferences, usePreferences } from "../preferences";
import { NameProvider } from "./ofreport";
import { Split } from "./split";

export interface LayoutProps {
    name: string; // of the view: sizes are stored under it
    options?: ComponentChild;
    graph: ComponentChild;
    tabs?: ComponentChild;
    graphShare?: number; // initial fraction of the height
    report?: string; // the name of the report that all of it is of, when two are open
}

export function Layout({ name, options, graph, tabs, graphShare = 0.6, report = "" }: LayoutProps) {
    const { sizes } = usePreferences();
    const folded = sizes[`${name}.options`] === 0;
    const fold = () => setPreferences({ sizes: { ...preferences().sizes, [`${name}.options`]: folded ? 1 : 0 } });
    return (
        <div class="layout" data-report={report || undefined}>
            {options && (
                <aside class={folded ? "options folded" : "options"}>
                    <button
                        type="button"
                        class="icon fold"
                        aria-expanded={!folded}
                        data-tip={folded ? "show the options" : "hide the options"}
                        aria-label="options"
                        onClick={fold}
                    >
                        {folded ? "»" : "«"}
                    </button>
                    {!folded && <div class="options-body">{options}</div>}
                </aside>
            )}
            <div class="layout-main">
                <NameProvider name={report}>
                    {tabs ? <Split name={`${name}.graph`} initial={graphShare} first={graph} second={tabs} /> : graph}
                </NameProvider>
            </div>
        </div>
    );
}

/** A switch in the options. */
export function Check(props: {
    title: string;
    checked: boolean;
    onChange: (checked: boolean) => void;
    tip?: string;
    disabled?: boolean;
}) {
    return (
        <label class="check" data-tip={props.tip}>
            <input
                type="checkbox"
                checked={props.checked}
                disabled={props.disabled}
                onChange={(event) => props.onChange(event.currentTarget.checked)}
            />
            <span>{props.title}</span>
        </label>
    );
}

/** A choice of one value, as adjacent buttons. */
export function Choice<T extends string>(props: {
    choices: readonly { id: T; title: string; tip?: string }[];
    chosen: T;
    onChoose: (id: T) => void;
    label: string;
}) {
    return (
        <div class="choice" role="radiogroup" aria-label={props.label}>
            {props.choices.map((one) => (
                <button
                    key={one.id}
                    type="button"
                    role="radio"
                    aria-checked={one.id === props.chosen}
                    data-choice={one.id}
                    data-tip={one.tip}
                    onClick={() => props.onChoose(one.id)}
                >
                    {one.title}
                </button>
            ))}
        </div>
    );
}
