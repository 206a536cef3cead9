/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions by the operation OP: template of reduce_vertices.c. */
#define OF(name) NAMED(name, OP, T_TAG)
#define SUM      TYPED(sum)

#define TYPES    POPLIBS_JOIN(REDUCE_TYPES_, OP)
#define TEMPLATE "popops/reduce/reduce_typed.h"
#include "poplibs/each_type.h"

#define TYPES    POPLIBS_JOIN(REDUCE_TYPES_, OP)
#define TEMPLATE "popops/reduce/reduce_outputs.h"
#include "poplibs/each_type.h"

#undef OF
#undef SUM
