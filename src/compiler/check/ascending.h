/* SPDX-License-Identifier: Apache-2.0 */
/* Sets whose vertices have no hazard at a glance. */
#ifndef COMPILER_CHECK_ASCENDING_H
#define COMPILER_CHECK_ASCENDING_H

#include "compiler/common/compiler.h"

/* By set: whether no variable is both read and written, and the runs that vertices write of each one ascend. The caller
 * frees it. */
bool *ascending_sets(struct compiler *c, const struct order_result *sets);

#endif
