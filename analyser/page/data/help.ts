// SPDX-License-Identifier: Apache-2.0
// The project's documents, which the server has beside the page (cmake/analyser.cmake lists them, too).
import { Section, sectionsOf } from "../text/markdown";

const DOCUMENTS = [
    "analyser",
    "making-it-fast",
    "profiling",
    "capturing",
    "pva",
    "overview",
    "memory",
    "programs",
    "replicas",
    "report-files",
    "trace-files",
    "options",
    "ipu-model",
];

let sections: Promise<Section[]> | null = null;

/** Sections of all documents, in the order of the list; read once. */
export function loadHelp(): Promise<Section[]> {
    sections ??= Promise.all(
        DOCUMENTS.map(async (name) => {
            const answer = await fetch(`help/${name}.md`);
            if (!answer.ok) throw new Error("the documents are not here: open the report with pva serve");
            return sectionsOf(await answer.text());
        }),
    ).then((all) => all.flat());
    sections.catch(() => (sections = null));
    return sections;
}
