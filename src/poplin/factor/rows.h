/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a matrix, dealt out to the workers of all tiles: row i belongs to worker i modulo their number. */
#ifndef POPLIN_FACTOR_ROWS_H
#define POPLIN_FACTOR_ROWS_H

#include "poplibs/call.h"

/* Calls add for each worker with rows from `first` on: rows{count, columns} are its rows of t. */
struct row_work {
    const struct call *call;
    pop_compute_set set;
    void (*add)(const struct row_work *work, pop_tensor rows, size_t worker, unsigned tile);
    const void *operands;
};
void rows_deal(const struct row_work *work, pop_tensor t, size_t first);
/* The rows of a worker, from `first` on, of any tensor with as many rows. */
pop_tensor rows_of_worker(const struct call *call, pop_tensor t, size_t first, size_t worker);
/* Maps each row to the tile of its worker. */
void rows_map(const struct call *call, pop_tensor t);

#endif
