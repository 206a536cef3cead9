/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of the vertices that find the k largest elements of a row: for their estimators and for splitting rows. */
#ifndef POPNN_LOSS_TOP_K_H
#define POPNN_LOSS_TOP_K_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Worker cycles for n elements with a heap of k: 35 + (n - k)(13 + 20 ln k) + 8 k (Poplibs 1.2's estimators);
 * sorting sifts down k more elements. */
static inline uint64_t top_k_cycles(size_t n, size_t k, bool sorted)
{
    double sink = 13 + 20 * log((double)(k ? k : 1));
    return 35 + (uint64_t)((double)(n > k ? n - k : 0) * sink) + 8 * k + (sorted ? (uint64_t)((double)k * sink) : 0);
}

#endif
