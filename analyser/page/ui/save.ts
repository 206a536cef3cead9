// SPDX-License-Identifier: Apache-2.0
// Saves files to the user's disk, and copies to the clipboard.

export function saveBlob(blob: Blob, name: string): void {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export function saveText(text: string, name: string, type = "text/plain"): void {
    saveBlob(new Blob([text], { type: `${type};charset=utf-8` }), name);
}

export function saveCanvas(canvas: HTMLCanvasElement, name: string): void {
    canvas.toBlob((blob) => {
        if (blob) saveBlob(blob, name);
    }, "image/png");
}

/** Without a secure context or permission uses the deprecated command, which browsers still support. */
export async function copyText(text: string): Promise<void> {
    try {
        await navigator.clipboard.writeText(text);
    } catch {
        const area = document.createElement("textarea");
        area.value = text;
        document.body.append(area);
        area.select();
        document.execCommand("copy");
        area.remove();
    }
}

/** A field of a CSV file (RFC 4180); text that a spreadsheet would interpret as a formula is quoted as text. */
export function csvField(value: string | number | null): string {
    if (value === null) return "";
    if (typeof value === "number") return String(value);
    const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
