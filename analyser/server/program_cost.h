/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of the cost of each program of a report (costs.h), and who fills it (program_tree.h). */
#ifndef ANALYSER_PROGRAM_COST_H
#define ANALYSER_PROGRAM_COST_H

#include "base/vec.h"
#include "contexts.h"

struct program_cost {
    char *type, *name, *detail;
    uint32_t target;                    /* called program of a Call; UINT32_MAX: none */
    uint32_t compute_set;               /* UINT32_MAX: none */
    uint32_t exchange;                  /* UINT32_MAX: none */
    uint32_t context;                   /* index into contexts; NO_CONTEXT: none */
    double times, cycles, tile_cycles;  /* executions; summed cycles, of the slowest tile and of all tiles */
    double executions, within;          /* of programs that contain others too (program_tree.h) */
    double elapsed;                     /* cycles by which it delays the end of the run; they add up to the whole run */
    double estimate;                    /* estimated cycles of one execution */
    double exchange_code, control_code; /* bytes on all tiles */
    double state, vertices;             /* of a compute set: bytes of state and number of its vertices */
    double data;                        /* bytes that one execution moves */
    double flops, uncounted;            /* of one execution; vertices whose operations are not counted */
};
/* A variable of the graph that a program accesses. */
struct program_use {
    uint32_t program, variable;
    unsigned char access; /* as in program_vars */
};
struct costs {
    struct program_cost *list; /* indexed by the program's id */
    size_t count;
    VEC(struct program_use) uses; /* sorted by program, then variable */
    bool flops;                   /* whether the report has floating-point operations */
    double *by_set;               /* while they are read: operations and uncounted vertices of each compute set */
    bool executed;                /* whether runs were captured; else times and cycles are 0 */
    struct contexts contexts;
};

#endif
