// SPDX-License-Identifier: Apache-2.0
// A text field whose value takes effect when confirmed, by Enter or by leaving the field.
import { JSX } from "preact";
import { useState } from "preact/hooks";

export interface TypedProps extends Omit<JSX.InputHTMLAttributes<HTMLInputElement>, "value" | "onInput" | "onChange"> {
    value: string | number;
    onConfirm: (text: string) => void;
}

/** The typed text survives rendering of the view. */
export function Typed({ value, onConfirm, ...rest }: TypedProps) {
    const [draft, setDraft] = useState<string | null>(null);
    return (
        <input
            {...rest}
            value={draft ?? value}
            onInput={(event) => setDraft(event.currentTarget.value)}
            onBlur={() => setDraft(null)}
            onChange={(event) => {
                setDraft(null);
                onConfirm(event.currentTarget.value);
            }}
        />
    );
}
