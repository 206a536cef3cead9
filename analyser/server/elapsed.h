/* SPDX-License-Identifier: Apache-2.0 */
/* The critical path: each execution of a program takes the cycles by which it delays the end of the last tile, so that
 * the cycles of all programs add up to the end of the last run. */
#ifndef ANALYSER_ELAPSED_H
#define ANALYSER_ELAPSED_H

#include "answer.h"
#include "base/vec.h"

/* What the executions of a program in a run add to the critical path. */
struct elapsed_row {
    uint64_t run;
    uint32_t program;
    uint64_t times;
    double cycles;
};
struct elapsed {
    VEC(struct elapsed_row) rows; /* by run */
};

pop_status elapsed_read(struct elapsed *elapsed, pva_file *file, pop_error *error);
void elapsed_free(struct elapsed *elapsed);
/* Reads it at the first call and keeps it with the report, for all who ask. NULL, with *error set, on failure. */
const struct elapsed *elapsed_of(struct analyser_report *report, pop_error *error);

#endif
