/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions of T by OP, for each output type: template of reduce_operation.h. */
#if POPLIBS_JOIN(REDUCE_MIXED_, OP) && (T_BITS & POPLIBS_FLOATING)
#define TYPES_2 POPLIBS_FLOATING
#else
#define TYPES_2 T_BITS
#endif
#define TEMPLATE_2 "popops/reduce/reduce_paired.h"
#include "poplibs/each_second_type.h"
