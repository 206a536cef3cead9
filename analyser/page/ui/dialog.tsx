// SPDX-License-Identifier: Apache-2.0
// A modal dialog; the icon to the left of its title maximises it.
import { ComponentChild } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

export interface DialogProps {
    title: string;
    onClose: () => void;
    children: ComponentChild;
    actions?: ComponentChild; // buttons at the end
}

export function Dialog({ title, onClose, children, actions }: DialogProps) {
    const dialog = useRef<HTMLDialogElement>(null);
    const [full, setFull] = useState(false);
    useEffect(() => {
        const element = dialog.current as HTMLDialogElement;
        element.showModal();
        return () => element.close();
    }, []);
    return (
        <dialog
            ref={dialog}
            class={full ? "full" : ""}
            aria-label={title}
            onCancel={(event) => {
                event.preventDefault();
                onClose();
            }}
            onKeyDown={(event) => event.stopPropagation()}
            onClick={(event) => {
                if (event.target === dialog.current) onClose();
            }}
        >
            <div class="dialog-body">
                <header>
                    <button
                        type="button"
                        class="icon"
                        data-tip={full ? "smaller" : "full screen"}
                        aria-label="full screen"
                        onClick={() => setFull(!full)}
                    >
                        {full ? "▣" : "□"}
                    </button>
                    <h2>{title}</h2>
                    <button type="button" class="icon" aria-label="close" onClick={onClose}>
                        ×
                    </button>
                </header>
                <div class="dialog-content">{children}</div>
                {actions && <footer>{actions}</footer>}
            </div>
        </dialog>
    );
}
