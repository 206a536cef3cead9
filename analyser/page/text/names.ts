// SPDX-License-Identifier: Apache-2.0
// Names of variables, vertices and steps in little space. Their end tells them apart, so that it stays: first the
// arguments of templates lose their namespaces, then leading parts of the path go, then the arguments, then the middle
// of the last part. The whole name is in the tooltip.

/** "A<popops::expr::BinaryOpType::ADD,float>" as "A<ADD, float>". */
export function shortTypes(name: string): string {
    let depth = 0;
    let text = "";
    let part = "";
    const flush = () => {
        text += depth > 0 ? (part.split("::").pop() ?? "").trim() : part;
        part = "";
    };
    for (const c of name) {
        if (c === "<" && /[\w]$/.test(part)) {
            flush();
            text += c;
            ++depth;
        } else if (depth > 0 && c === ">") {
            flush();
            text += c;
            --depth;
        } else if (depth > 0 && c === ",") {
            flush();
            text += ", ";
        } else {
            part += c;
        }
    }
    // An argument that does not end is no template.
    if (depth > 0) return name;
    flush();
    return text;
}

/** "A<ADD, float>" as "A<…>". */
export function foldTypes(name: string): string {
    let depth = 0;
    let text = "";
    let last = "";
    for (const c of name) {
        if (c === "<" && (depth > 0 || /\w/.test(last))) {
            if (depth++ === 0) text += "<…";
        } else if (c === ">" && depth > 0) {
            --depth;
        }
        if (depth === 0) text += c;
        last = c;
    }
    return depth > 0 ? name : text;
}

/** The parts of a path; slashes between "<" and ">" are no separators. */
function partsOf(name: string): string[] {
    const parts = [""];
    let depth = 0;
    for (const c of name) {
        depth += c === "<" ? 1 : c === ">" && depth > 0 ? -1 : 0;
        if (c === "/" && depth === 0) parts.push("");
        else parts[parts.length - 1] += c;
    }
    return parts.filter((part) => part !== "");
}

/** The last two parts of a path, with short types. */
export function shortName(name: string): string {
    const parts = partsOf(name);
    return shortTypes(parts.length <= 2 ? name : `…/${parts.slice(-2).join("/")}`);
}

const FEWEST_KEPT = 4; // shorter names are not useful

/** The longest form of a name that `fits`, with its end; empty when too little would remain. */
export function fitName(name: string, fits: (text: string) => boolean): string {
    if (fits(name)) return name;
    const short = shortTypes(name);
    if (fits(short)) return short;
    const parts = partsOf(short);
    for (let i = 1; i < parts.length; ++i) {
        const tail = `…/${parts.slice(i).join("/")}`;
        if (fits(tail)) return tail;
    }
    const last = foldTypes(parts[parts.length - 1] ?? short);
    if (parts.length < 2 && fits(last)) return last;
    if (parts.length >= 2 && fits(`…/${last}`)) return `…/${last}`;
    let least = 0;
    let most = last.length - 1;
    while (least < most) {
        const kept = (least + most + 1) >> 1;
        if (fits(cut(last, kept))) least = kept;
        else most = kept - 1;
    }
    return least < FEWEST_KEPT ? "" : cut(last, least);
}

/** So many characters of both ends, of the end more. */
function cut(text: string, kept: number): string {
    const head = Math.floor(kept / 2);
    return `${text.slice(0, head)}…${text.slice(text.length - (kept - head))}`;
}

/** A name of at most so many characters. */
export function tailName(name: string, characters: number): string {
    return fitName(name, (text) => text.length <= characters);
}

/** Numbers of equal variables differ: "partials/12" and "partials/13". */
export function stem(label: string): string {
    return label.replace(/\d+/g, "#");
}
