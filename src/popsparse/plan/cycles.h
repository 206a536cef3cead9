/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of a tile for one bucket: the formulas of the planner of Poplibs (docs/reference/sparse.md), which the plan
 * and the estimates of vertices share. */
#ifndef POPSPARSE_PLAN_CYCLES_H
#define POPSPARSE_PLAN_CYCLES_H

#include <poplar/target.h>
#include <stdbool.h>

struct sparse_work {
    pop_type type, sums;  /* of values and operands; of partial results */
    size_t rows, columns; /* block rows with a value, and blocks in each of them */
    size_t batch;
    size_t block_rows, block_columns;
    bool own; /* whether the bucket has values of the vertex's own part of the matrix */
};
enum sparse_phase { SPARSE_FORWARD, SPARSE_GRAD_A, SPARSE_GRAD_W };

uint64_t sparse_cycles(enum sparse_phase pass, const struct sparse_work *work, unsigned workers);
/* Multiplications and additions. */
uint64_t sparse_flops(const struct sparse_work *work);

#endif
