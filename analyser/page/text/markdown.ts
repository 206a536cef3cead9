// SPDX-License-Identifier: Apache-2.0
// Documents in Markdown: their sections, the blocks of a section, and a search. Only what the project's own documents
// use is understood.

export interface Section {
    page: string; // the title of its document
    title: string;
    level: number; // 1: the document itself
    text: string; // Markdown, without its title
}

export type Block =
    | { kind: "text"; text: string }
    | { kind: "code"; text: string }
    | { kind: "list"; items: string[] }
    | { kind: "table"; rows: string[][] };

/** Marks within a line. */
export interface Mark {
    kind: "text" | "code" | "strong";
    text: string;
}

export function sectionsOf(document: string): Section[] {
    const sections: Section[] = [];
    let page = "";
    let code = false;
    for (const line of document.split("\n")) {
        if (line.startsWith("```")) code = !code;
        const heading = code ? null : /^(#{1,4}) +(.*)$/.exec(line);
        if (heading) {
            const [, marks, title] = heading;
            if (marks.length === 1) page = plain(title);
            sections.push({ page, title: plain(title), level: marks.length, text: "" });
        } else if (sections.length) sections[sections.length - 1].text += `${line}\n`;
    }
    return sections;
}

/** Text without links, pictures and marks. */
export function plain(text: string): string {
    return marksOf(text)
        .map((mark) => mark.text)
        .join("");
}

export function marksOf(text: string): Mark[] {
    const marks: Mark[] = [];
    const add = (kind: Mark["kind"], part: string) => part && marks.push({ kind, text: part });
    const rest = text.replace(/!\[[^\]]*\]\([^)]*\)/g, "").replace(/\[([^\]]+)\]\([^)]*\)/g, "$1");
    let at = 0;
    for (const found of rest.matchAll(/`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*/g)) {
        add("text", rest.slice(at, found.index));
        if (found[1] !== undefined) add("code", found[1]);
        else add("strong", found[2] ?? found[3]);
        at = found.index + found[0].length;
    }
    add("text", rest.slice(at));
    return marks;
}

export function blocksOf(text: string): Block[] {
    const blocks: Block[] = [];
    let lines: string[] = [];
    let code = false;
    const flush = () => {
        const all = lines.join("\n").trim();
        lines = [];
        if (all === "" || /^!\[[^\]]*\]\([^)]*\)$/.test(all)) return;
        if (all.startsWith("|"))
            blocks.push({
                kind: "table",
                rows: all
                    .split("\n")
                    .filter((line) => !/^\|[\s|:-]+\|$/.test(line))
                    .map((line) => line.replace(/^\||\|$/g, "").split(/(?<!\\)\|/)),
            });
        else if (/^[-*] |^\d+\. /.test(all))
            blocks.push({
                kind: "list",
                items: all.split(/\n(?=[-*] |\d+\. )/).map((one) => one.replace(/^[-*\d.]+ /, "")),
            });
        else blocks.push({ kind: "text", text: all.replace(/\n/g, " ") });
    };
    for (const line of text.split("\n")) {
        if (line.startsWith("```")) {
            if (code) {
                blocks.push({ kind: "code", text: lines.join("\n") });
                lines = [];
            } else flush();
            code = !code;
        } else if (!code && line.trim() === "") flush();
        else lines.push(line);
    }
    flush();
    return blocks;
}

/** Sections with all words, those with them in the title first, then those with more of them. */
export function searchSections(sections: readonly Section[], query: string): Section[] {
    const words = query
        .toLowerCase()
        .split(/\s+/)
        .filter((word) => word);
    if (!words.length) return [];
    const ranked = sections.flatMap((section, order) => {
        const title = `${section.page} ${section.title}`.toLowerCase();
        const text = section.text.toLowerCase();
        if (!words.every((word) => title.includes(word) || text.includes(word))) return [];
        const inTitle = words.filter((word) => section.title.toLowerCase().includes(word)).length;
        const times = words.reduce((sum, word) => sum + Math.min(8, text.split(word).length - 1), 0);
        return [{ section, order, rank: inTitle * 100 + times }];
    });
    return ranked.sort((a, b) => b.rank - a.rank || a.order - b.order).map((one) => one.section);
}

/** The part of a section around the first word of a query that it has. */
export function excerpt(section: Section, query: string, length = 160): string {
    const text = plain(section.text.replace(/```[^`]*```/g, " ").replace(/[|#>]/g, " "))
        .replace(/\s+/g, " ")
        .trim();
    const words = query
        .toLowerCase()
        .split(/\s+/)
        .filter((word) => word);
    const found = words.map((word) => text.toLowerCase().indexOf(word)).filter((at) => at >= 0);
    const from = Math.max(0, Math.min(...(found.length ? found : [0])) - length / 3);
    const start = from > 0 ? text.indexOf(" ", from) + 1 : 0;
    const part = text.slice(start, start + length);
    return `${start > 0 ? "…" : ""}${part}${start + length < text.length ? "…" : ""}`;
}
