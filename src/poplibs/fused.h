/* SPDX-License-Identifier: Apache-2.0 */
/* For codelets: fused multiply-add, with the same bits on every machine. */
#ifndef POPLIBS_FUSED_H
#define POPLIBS_FUSED_H

#include <string.h>

/* a b + c, rounded once. Without a hardware instruction: the product is exact in double, and the sum is rounded to
 * odd there, so that rounding it to float equals rounding the exact sum (Boldo and Melquiond, "Emulation of FMA and
 * correctly rounded sums", 2008). */
__attribute__((unused)) static inline float poplibs_fused(float a, float b, float c)
{
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__riscv)
    return __builtin_fmaf(a, b, c);
#else
    double product = (double)a * b, sum = product + c, of_c = sum - product;
    double lost = (product - (sum - of_c)) + (c - of_c);
    unsigned long long bits;
    memcpy(&bits, &sum, sizeof(bits));
    if ((lost > 0 || lost < 0) && !(bits & 1)) {
        bits += (lost > 0) == (sum > 0) ? 1 : -1ULL;
        memcpy(&sum, &bits, sizeof(bits));
    }
    return (float)sum;
#endif
}

#endif
