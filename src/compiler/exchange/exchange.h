/* SPDX-License-Identifier: Apache-2.0 */
/* exchange: the data that tiles send to each other for each Execute and Copy, and rearrange locally. */
#ifndef COMPILER_EXCHANGE_EXCHANGE_H
#define COMPILER_EXCHANGE_EXCHANGE_H

#include "compiler/common/compiler.h"

/* Adds the internal and global exchanges to the model, and its sets of copies. */
const struct exchange_result *pass_exchange(struct compiler *c, const struct check_result *check,
                                            const struct order_result *sets, const struct order_result *order,
                                            const struct lower_result *lower);

#endif
