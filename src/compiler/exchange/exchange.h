/* SPDX-License-Identifier: Apache-2.0 */
/* exchange: the data that tiles send to each other for each Execute and Copy, and rearrange locally. */
#ifndef COMPILER_EXCHANGE_EXCHANGE_H
#define COMPILER_EXCHANGE_EXCHANGE_H

#include "compiler/common/compiler.h"
#include "compiler/common/owners.h"
#include "compiler/common/tables.h"
#include "compiler/exchange/step_traffic.h"

/* Adds the internal and global exchanges to the model, and its sets of copies. */
const struct exchange_result *pass_exchange(struct compiler *c, const struct check_result *check,
                                            const struct order_result *sets, const struct order_result *order,
                                            const struct lower_result *lower);

/* cross_exchange.c: the exchange of a copy between replicas. */

/* A CrossReplicaCopy as a global exchange of the model, NONE where nothing leaves a replica.  Its flows are what each
 * tile of one replica sends and receives; its cycles are those of all replicas' flows at once over the device's links.
 */
uint32_t cross_exchange(struct compiler *c, struct owners *owners, const struct program_node *n);

/* local_sets.c: large sets whose vertices have all that they read and write on their own tiles, found by all
 * threads. */

/* By set: whether it is large, and no edge of it has traffic.  threads: one for each thread, whose owners are asked.
 * The caller frees it. */
bool *local_sets(struct compiler *c, const struct order_result *sets, struct traffic *threads, unsigned count);

#endif
