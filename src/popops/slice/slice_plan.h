/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of multi-slices: sizes of blocks, tiles, options. */
#ifndef POPOPS_SLICE_SLICE_PLAN_H
#define POPOPS_SLICE_SLICE_PLAN_H

#include "poplibs/call.h"

#include <popops/dynamic_slice.h>

static inline bool slice_is_planned(const popops_slice_plan *plan)
{
    return plan && plan->rows;
}
/* Sizes of blocks; the last ones may be smaller, or empty. */
static inline size_t slice_plan_block_columns(const popops_slice_plan *plan)
{
    return poplibs_ceil_div(poplibs_ceil_div(plan->columns, plan->column_grain), plan->column_splits) *
           plan->column_grain;
}
static inline size_t slice_plan_block_rows(const popops_slice_plan *plan)
{
    return poplibs_ceil_div(plan->rows, plan->row_splits);
}
static inline unsigned slice_plan_tile(const popops_slice_plan *plan, size_t row_block, size_t lookup_block,
                                       size_t column_block)
{
    return (unsigned)((row_block * plan->lookup_splits + lookup_block) * plan->column_splits + column_block);
}

/* Checks the options of a call that takes a plan.  *validate and *padding, which may be NULL, receive whether indices
 * are checked at run time and paddingIndexUsed; other options have no effect in such calls. */
bool slice_check_options(const struct call *call, pop_options given, bool *validate, bool *padding);
/* Checks the options of slices at constant offsets.  *remap: whether an offset beyond the end counts as 0. */
bool slice_check_static_options(const struct call *call, pop_options given, bool *remap, bool *padding);
/* The plan with default options. */
popops_slice_plan slice_plan_default(const struct call *call, pop_type type, size_t rows, size_t columns,
                                     size_t lookups);

#endif
