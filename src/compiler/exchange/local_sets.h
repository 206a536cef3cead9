/* SPDX-License-Identifier: Apache-2.0 */
/* Large sets whose vertices have all that they read and write on their own tiles, found by all threads. */
#ifndef COMPILER_EXCHANGE_LOCAL_SETS_H
#define COMPILER_EXCHANGE_LOCAL_SETS_H

#include "compiler/exchange/step_traffic.h"

/* By set: whether it is large, and no edge of it has traffic.  threads: one for each thread, whose owners are asked.
 * The caller frees it. */
bool *local_sets(struct compiler *c, const struct order_result *sets, struct traffic *threads, unsigned count);

#endif
