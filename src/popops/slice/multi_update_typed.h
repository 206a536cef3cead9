/* SPDX-License-Identifier: Apache-2.0 */
/* Updates of rows that add, multiply or take maxima: template of multi_slice_vertices.c. */
/* The types of computation and of partial sums.  Integers wrap. */
#if T_BITS & POPLIBS_FLOATING
#define WIDE    float
#define PARTIAL float
#else
#define WIDE    unsigned
#define PARTIAL T
#endif

#define SCALE    T
#define ADD_TAG  T_TAG
#define ADD_NAME T_NAME
#include "popops/slice/multi_update_add_of.h"
#undef SCALE
#undef ADD_TAG
#undef ADD_NAME

#if T_BITS & POPLIBS_HALF
#define SCALE    float
#define ADD_TAG  half_float
#define ADD_NAME "half,float"
#include "popops/slice/multi_update_add_of.h"
#undef SCALE
#undef ADD_TAG
#undef ADD_NAME
#endif

#define OPERATION   MAX
#define VALUE(a, b) ((a) > (b) ? (a) : (b))
#include "popops/slice/multi_update_op.h"
#undef OPERATION
#undef VALUE

#define OPERATION MUL
#if T_BITS & POPLIBS_INT
#define VALUE(a, b) ((unsigned)(a) * (unsigned)(b))
#else
#define VALUE(a, b) ((a) * (b))
#endif
#include "popops/slice/multi_update_op.h"
#undef OPERATION
#undef VALUE

#undef WIDE
#undef PARTIAL
