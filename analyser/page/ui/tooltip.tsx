// SPDX-License-Identifier: Apache-2.0
// Tooltips: any element with data-tip has one; canvases use showTip. Lines are separated by "\n", and the first is the
// title.
import { render } from "preact";

const DISTANCE = 14;
let box: HTMLElement | null = null;
let owner: Element | null = null;

function element(): HTMLElement {
    if (!box) {
        box = document.createElement("div");
        box.className = "tooltip";
        box.setAttribute("role", "tooltip");
        box.hidden = true;
        document.body.append(box);
    }
    return box;
}

function place(x: number, y: number): void {
    const tip = element();
    const { offsetWidth: width, offsetHeight: height } = tip;
    const left = x + DISTANCE + width > innerWidth ? Math.max(4, x - DISTANCE - width) : x + DISTANCE;
    const top = y + DISTANCE + height > innerHeight ? Math.max(4, y - DISTANCE - height) : y + DISTANCE;
    tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
}

/** The lines, and the report that their figures are of when two are open: see ui/ofreport.tsx. */
function linesOf(text: string, target: Element | null): string[] {
    const report = target?.closest("[data-report]")?.getAttribute("data-report") ?? "";
    const of = report && /\d/.test(text) && !text.includes(report) ? [`report: ${report}`] : [];
    return [...text.split("\n"), ...of];
}

/** Shows lines next to a point of the window; their target is there unless it is given. */
export function showTip(text: string, x: number, y: number, target = document.elementFromPoint(x, y)): void {
    const tip = element();
    const lines = linesOf(text, target);
    render(
        <>
            {lines.map((line, i) => (
                <div key={i} class={i === 0 && lines.length > 1 ? "title" : ""}>
                    {line}
                </div>
            ))}
        </>,
        tip,
    );
    tip.hidden = false;
    place(x, y);
}

export function hideTip(): void {
    owner = null;
    if (box) box.hidden = true;
}

function tipOf(target: EventTarget | null): Element | null {
    return target instanceof Element ? target.closest("[data-tip]") : null;
}

/** Called once for the page: shows tooltips of elements on hover and on keyboard focus. */
export function startTooltips(): void {
    document.addEventListener("pointerover", (event) => {
        const found = tipOf(event.target);
        if (found === owner) return;
        if (owner) hideTip();
        owner = found;
        const text = found?.getAttribute("data-tip");
        if (text) showTip(text, event.clientX, event.clientY, found);
    });
    document.addEventListener("pointermove", (event) => {
        if (owner) place(event.clientX, event.clientY);
    });
    document.addEventListener("focusin", (event) => {
        const found = tipOf(event.target);
        if (!found || !found.matches(":focus-visible")) return;
        owner = found;
        const area = found.getBoundingClientRect();
        showTip(found.getAttribute("data-tip") ?? "", area.left, area.bottom - DISTANCE / 2, found);
    });
    document.addEventListener("focusout", hideTip);
    document.addEventListener("pointerdown", hideTip, true);
    addEventListener("blur", hideTip);
}
