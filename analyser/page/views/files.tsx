// SPDX-License-Identifier: Apache-2.0
// The files of the reports: which of the known ones exist, their sizes and dates.
import { ReportFile } from "../data/reports";
import { bytes } from "../text/format";
import { tableState } from "../ui/rows";
import { Column, Table } from "../ui/table";
import { View, ViewContext } from "./view";

interface Row extends ReportFile {
    report: string;
}

const COLUMNS: readonly Column<Row>[] = [
    { id: "report", title: "Report", value: (row) => row.report, width: 200 },
    { id: "name", title: "File", value: (row) => row.name },
    { id: "present", title: "Present", value: (row) => (row.present ? "yes" : "no"), width: 80 },
    {
        id: "bytes",
        title: "Size",
        kind: "number",
        width: 120,
        value: (row) => (row.present ? row.bytes : null),
        show: (row) => (row.present ? bytes(row.bytes) : ""),
    },
    {
        id: "modified",
        title: "Modified",
        width: 180,
        value: (row) =>
            row.present ? new Date(row.modified * 1000).toISOString().replace("T", " ").slice(0, 19) : null,
    },
];

function Files({ context }: { context: ViewContext }) {
    const rows = context.reports.flatMap((report) => report.files.map((file) => ({ ...file, report: report.name })));
    return (
        <Table
            name="files"
            columns={COLUMNS}
            rows={rows}
            state={tableState(context.state.table)}
            onState={(state) => context.update({ table: { ...state } }, { gesture: "table" })}
        />
    );
}

export const files: View = { id: "files", title: "Files", render: (context) => <Files context={context} /> };
