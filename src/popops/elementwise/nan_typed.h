/* SPDX-License-Identifier: Apache-2.0 */
/* popops::HasNaN<T> and HasNaNOrInf<T>: template of predicate_vertices.c. */
/* The integer type with T's bits, the mask of a magnitude, and the bits of infinity; a larger magnitude is a NaN. */
#if T_BITS & POPLIBS_HALF
#define BITS      uint16_t
#define MAGNITUDE 0x7fff
#define INFINITE  0x7c00
#else
#define BITS      uint32_t
#define MAGNITUDE 0x7fffffff
#define INFINITE  0x7f800000
#endif

#define NAME  HasNaN
#define FIRST (INFINITE + 1)
#include "popops/elementwise/nan_of.h"
#undef NAME
#undef FIRST

#define NAME  HasNaNOrInf
#define FIRST INFINITE
#include "popops/elementwise/nan_of.h"
#undef NAME
#undef FIRST

#undef BITS
#undef MAGNITUDE
#undef INFINITE
