/* SPDX-License-Identifier: Apache-2.0 */
/* Stages that exchange: outputs are distributed over tiles, each of which collects the rows of its outputs. */
#ifndef POPOPS_REDUCE_REDUCE_GATHER_H
#define POPOPS_REDUCE_REDUCE_GATHER_H

#include "popops/reduce/reduce_parts.h"

/* Reduces rows of partial results of a type, in one stage or several.  Source 1 of the rows is `partials`, which may be
 * null. number is the index of the next intermediate stage. */
void reduce_gather(struct reduction *r, const struct partial_rows *rows, pop_tensor partials, pop_type type,
                   popops_operation op, unsigned number);

#endif
