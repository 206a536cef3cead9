/* SPDX-License-Identifier: Apache-2.0 */
/* Worker cycles of the vertices of multi-slices (Poplibs 1.2's estimators), for their estimates and for the planner. */
#ifndef POPOPS_SLICE_SLICE_CYCLES_H
#define POPOPS_SLICE_SLICE_CYCLES_H

#include "poplibs/support.h"

#include <poplar/target.h>

/* Copies of rows; updates cost the same. */
static inline uint64_t multi_slice_cycles(const pop_target *target, pop_type type, uint64_t offsets, uint64_t region)
{
    return 16 + offsets * (19 + 3 * poplibs_ceil_div(region, pop_target_vector_width(target, type)));
}
/* The number of elements of one store; rows that are not a multiple of it are written in parts. */
static inline uint64_t store_atom(const pop_target *target, pop_type type)
{
    return poplibs_max(1, target->atomic_store_granularity / poplibs_max(1, pop_target_type_size(target, type)));
}
static inline uint64_t multi_update_add_cycles(const pop_target *target, pop_type type, bool subword, uint64_t offsets,
                                               uint64_t region)
{
    uint64_t atom = store_atom(target, type), fixed = type == POP_HALF ? 18 : 17, row = type == POP_HALF ? 12 : 11;
    return fixed + offsets * (subword ? row + 20 * region : row + 3 * (poplibs_ceil_div(region, atom) - (region != 0)));
}
/* Partial sums of half are float. */
static inline pop_type partial_sum_type(pop_type type)
{
    return type == POP_HALF ? POP_FLOAT : type;
}
/* Sums of partial results of this type, with the formula of the default reduction by 8 elements: 33 cycles, and for
 * each vector 11, and 7 for each partial result. */
static inline uint64_t multi_update_sum_cycles(const pop_target *target, pop_type type, uint64_t partials,
                                               uint64_t elements)
{
    return 33 + poplibs_ceil_div(elements, 2 * (uint64_t)pop_target_vector_width(target, type)) * (11 + 7 * partials);
}

#endif
