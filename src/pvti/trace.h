/* SPDX-License-Identifier: Apache-2.0 */
/* The process's trace: queued rows, and the file that they are written to. */
#ifndef PVTI_TRACE_H
#define PVTI_TRACE_H

#include <pvti/pvti.h>

/* Kinds of rows, each a statement (file.c). */
enum row_kind {
    ROW_THREAD,
    ROW_EVENT,
    ROW_END,
    ROW_GRAPH,
    ROW_SERIES,
    ROW_NUMBER,
    ROW_HEATMAP,
    ROW_HISTOGRAM,
    ROW_KINDS
};

/* A queued row: values in the order of the kind's columns. */
struct trace_row {
    enum row_kind kind;
    int64_t numbers[6];
    double real;
    char *texts[3]; /* malloc'ed, or NULL */
    void *blob;
    size_t blob_size;
};

#endif
