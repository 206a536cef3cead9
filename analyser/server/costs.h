/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of each program of a report, over all its executions: shown by the program tree, operations and source
 * lines. */
#ifndef ANALYSER_COSTS_H
#define ANALYSER_COSTS_H

#include "program_cost.h"

/* Reads the costs at the first call and caches them in the report. NULL, with *error set, on failure. */
const struct costs *costs_of(struct analyser_report *report, pop_error *error);
void costs_free(struct costs *costs); /* NULL is allowed */

/* Adds the cycles of a program's executions on each tile, from estimates at compile time (each execution of a
 * compute set or an exchange takes the same time); those of one execution when it was never executed. */
void costs_add_tiles(pva_file *report, const struct costs *costs, size_t program, double *by_tile, uint64_t tiles);

#endif
