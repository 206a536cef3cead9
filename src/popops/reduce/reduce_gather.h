/* SPDX-License-Identifier: Apache-2.0 */
/* Stages that exchange: outputs are dealt out to tiles, each of which collects the rows of its own. */
#ifndef POPOPS_REDUCE_REDUCE_GATHER_H
#define POPOPS_REDUCE_REDUCE_GATHER_H

#include "popops/reduce/reduce_parts.h"

/* Collects rows of partial results, of a type, by one stage or more; source 1 of the rows is partials, which may be
 * null.  number counts intermediate stages. */
void reduce_gather(struct reduction *r, const struct partial_rows *rows, pop_tensor partials, pop_type type,
                   popops_operation op, unsigned number);

#endif
