/* SPDX-License-Identifier: Apache-2.0 */
/* sets, order: the vertices of each compute set, in order. */
#ifndef COMPILER_SCHEDULE_ORDER_H
#define COMPILER_SCHEDULE_ORDER_H

#include "compiler/common/compiler.h"

/* By (set, creation), without groups. */
const struct order_result *pass_sets(struct compiler *c, const struct use_result *use,
                                     const struct check_result *check);
/* By (set, type, tile, creation): runs of one type are long, and a tile's vertices are neighbours. */
const struct order_result *pass_order(struct compiler *c, const struct use_result *use,
                                      const struct order_result *sets);

#endif
