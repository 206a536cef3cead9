// SPDX-License-Identifier: Apache-2.0
// Tabs: shows one body of several; the arrow keys switch between them.
import { ComponentChild } from "preact";
import { ShowName } from "./ofreport";

export interface Tab {
    id: string;
    title: string;
    body: () => ComponentChild;
}

export interface TabsProps {
    tabs: readonly Tab[];
    chosen: string | undefined; // an unknown one selects the first
    onChoose: (id: string) => void;
    extra?: ComponentChild; // at the right of the tabs
}

export function Tabs({ tabs, chosen, onChoose, extra }: TabsProps) {
    const at = Math.max(
        0,
        tabs.findIndex((tab) => tab.id === chosen),
    );
    const key = (event: KeyboardEvent) => {
        const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
        if (!step) return;
        const next = (at + step + tabs.length) % tabs.length;
        onChoose(tabs[next].id);
        const list = event.currentTarget as HTMLElement;
        (list.children[next] as HTMLElement).focus();
        event.preventDefault();
        event.stopPropagation();
    };
    return (
        <ShowName>
            {(name) => (
                <div class="tabs">
                    <div class="tab-row">
                        <div class="tab-list" role="tablist" onKeyDown={key}>
                            {tabs.map((tab, i) => (
                                <button
                                    key={tab.id}
                                    type="button"
                                    role="tab"
                                    aria-selected={i === at}
                                    tabIndex={i === at ? 0 : -1}
                                    data-tab={tab.id}
                                    onClick={() => onChoose(tab.id)}
                                >
                                    {tab.title}
                                </button>
                            ))}
                        </div>
                        <div class="tab-extra">
                            {extra}
                            {name}
                        </div>
                    </div>
                    <div class="tab-body" role="tabpanel">
                        {tabs[at]?.body()}
                    </div>
                </div>
            )}
        </ShowName>
    );
}

/** A sentence shown when nothing is selected or data is missing. */
export function Empty({ children }: { children: ComponentChild }) {
    return <p class="empty">{children}</p>;
}
