/* SPDX-License-Identifier: Apache-2.0 */
/* All results of a compilation, for pipeline.c; NULL: the pass has not run. Passes receive only the results that they
 * use. */
#ifndef COMPILER_COMMON_PASSES_H
#define COMPILER_COMMON_PASSES_H

#include "compiler/common/compiler.h"

struct live;
struct pass_results {
    const struct use_result *use;
    const struct check_result *check;
    const struct order_result *sets, *order;
    const struct storage_result *storage;
    const struct blocks_result *blocks;
    const struct outline_result *outline;
    const struct lower_result *lower;
    const struct schedule_result *schedule;
    const struct exchange_result *exchange;
    const struct steps_result *steps;
    const struct live *live;
};

#endif
