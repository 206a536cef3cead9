/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the summary's sections: numbers in the format of Graphcore's Poplar user guide, and columns. */
#ifndef VALUE_SUMMARY_H
#define VALUE_SUMMARY_H

#include "base/str.h"
#include "base/terminal.h"
#include "base/vec.h"

#include <poplar/profile.h>

struct summary {
    struct terminal terminal;
    FILE *file;  /* shows names as terminals can (base/terminal.h) */
    FILE *below; /* the caller's file, which it writes to */
    const pop_profile_value *graph, *execution;
    bool colours, var_storage, optimizations, execution_steps, per_ipu_memory, tile_averages;
};

/* "67,725,024" */
void text_number(struct str *s, uint64_t value);
/* "1,600.0": one decimal, commas before the point. */
void text_decimal(struct str *s, double value);
/* "256.0 kB", "304.0 MB": 1,024 bytes to the kB. */
void text_memory(struct str *s, uint64_t bytes);

/* Rows of one block: labels padded to the longest, numbers right-aligned in width. */
struct column {
    VEC(struct column_row {
        char *label;
        uint64_t value;
        bool number;
    })
    rows;
};
void column_add(struct column *column, int indent, const char *label, uint64_t value);
void column_heading(struct column *column, int indent, const char *label);                /* no number */
void column_print(struct summary *s, struct column *column, int width, const char *unit); /* then clears the column */

/* A heading, in bold where colours are on. */
void summary_heading(struct summary *s, const char *text);

/* summary_liveness.c: the summary's liveness. */
void summary_liveness(struct summary *s);

/* summary_memory.c: the summary's memory. */
void summary_memory(struct summary *s);

#endif
