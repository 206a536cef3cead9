/* SPDX-License-Identifier: Apache-2.0 */
/* For codelets: the number of floats in a machine vector, and the fused multiply-add of vectors. */
#ifndef POPLIBS_LANES_H
#define POPLIBS_LANES_H

#include "poplibs/fused.h"

#if defined(__AVX512F__)
enum { POPLIBS_LANES = 16 };
#elif defined(__AVX2__) && defined(__FMA__)
enum { POPLIBS_LANES = 8 };
#else
enum { POPLIBS_LANES = 4 };
#endif

/* sum += a b in each of `lanes` lanes. As inline assembly, because gcc would move sums between registers at each
 * step, and run out of them. */
#if defined(__FMA__)
#define POPLIBS_MULTIPLY_ADD(sum, a, b, lanes) __asm__("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b))
#else
#define POPLIBS_MULTIPLY_ADD(sum, a, b, lanes)                                                                         \
    for (int poplibs_lane = 0; poplibs_lane < (lanes); ++poplibs_lane)                                                 \
    (sum)[poplibs_lane] = poplibs_fused((a)[poplibs_lane], (b)[poplibs_lane], (sum)[poplibs_lane])
#endif

#endif
