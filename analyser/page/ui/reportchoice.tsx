// SPDX-License-Identifier: Apache-2.0
// The choice of one of two open reports.
import { Report } from "../data/reports";
import { reportTitles } from "./compare";
import { Choice } from "./layout";

export function ReportChoice({
    reports,
    report,
    onChoose,
}: {
    reports: readonly Report[];
    report: number;
    onChoose: (report: number | undefined) => void; // undefined: the source
}) {
    return (
        <Choice
            label="report"
            chosen={String(report)}
            choices={reports.map((one, i) => ({
                id: String(i),
                title: reportTitles(reports)[i],
                tip: `the ${i ? "target" : "source"}: ${one.name}`,
            }))}
            onChoose={(id) => onChoose(id === "1" ? 1 : undefined)}
        />
    );
}
