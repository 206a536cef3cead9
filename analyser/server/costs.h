/* SPDX-License-Identifier: Apache-2.0 */
/* What each program of a report costs, in all its executions: what the program tree, operations and source lines show.
 */
#ifndef ANALYSER_COSTS_H
#define ANALYSER_COSTS_H

#include "base/vec.h"
#include "contexts.h"

struct program_cost {
    char *type, *name, *detail;
    uint32_t target;                   /* of a Call; UINT32_MAX: none */
    uint32_t compute_set;              /* UINT32_MAX: none */
    uint32_t exchange;                 /* UINT32_MAX: none */
    uint32_t context;                  /* of contexts; NO_CONTEXT */
    double times, cycles, tile_cycles; /* executions; cycles of the slowest tile in each; of all tiles */
    double elapsed;  /* cycles by which its executions move the end of the run; all programs: the whole run */
    double estimate; /* cycles of one execution, as compiled */
    double exchange_code, control_code; /* bytes on all tiles */
    double state, vertices;             /* bytes and number of the vertices of a compute set */
    double data;                        /* bytes that one execution moves */
};
/* A variable of the graph that a program uses. */
struct program_use {
    uint32_t program, variable;
    unsigned char access; /* as program_vars has it */
};
struct costs {
    struct program_cost *list; /* by id of the program */
    size_t count;
    VEC(struct program_use) uses; /* by program and variable */
    int64_t end;                  /* cycle at which the last tile ends the last step */
    bool executed;                /* whether runs were captured: else times and cycles are 0 */
    struct contexts contexts;
};

/* Read at the first call, and kept with the report.  NULL, and *error is filled, when they cannot be read. */
const struct costs *costs_of(struct analyser_report *report, pop_error *error);
void costs_free(struct costs *costs); /* NULL is nothing */

/* Adds what a program's executions took on each tile, as estimated when it was compiled (a compute set and an exchange
 * take the same each time); once, where it was never executed. */
void costs_add_tiles(pva_file *report, const struct costs *costs, size_t program, double *by_tile, uint64_t tiles);

#endif
