/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of the vertices that find the maximum of a row (Poplibs 1.2's estimators): used by their estimators and by
 * the planner of the split. */
#ifndef POPNN_LOSS_ARG_MAX_H
#define POPNN_LOSS_ARG_MAX_H

#include <stddef.h>
#include <stdint.h>

/* Tile cycles for size elements, of which each of the six workers processes shares. */
static inline uint64_t max_class_gather_cycles(size_t size, size_t share)
{
    size_t rounds = (size + 6 * share - 1) / (6 * share); /* the published formula is for one share per worker */
    return 9 + 6 * (30 + 3 * ((share < size ? share : size) - 1)) +
           (rounds > 1 ? (rounds - 1) * 6 * (10 + 3 * share) : 0);
}
/* Worker cycles. */
static inline uint64_t max_class_sparse_cycles(size_t size)
{
    return 24 + 3 * (size - 1);
}

#endif
