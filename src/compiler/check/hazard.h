/* SPDX-License-Identifier: Apache-2.0 */
/* hazard: vertices of a compute set that run in any order give the same result. */
#ifndef COMPILER_CHECK_HAZARD_H
#define COMPILER_CHECK_HAZARD_H

#include "compiler/common/compiler.h"

/* False: a set writes an element twice, or reads what another of its vertices writes (graph_cycle_error). */
bool pass_hazard(struct compiler *c, const struct order_result *sets);

#endif
