/* SPDX-License-Identifier: Apache-2.0 */
/* For codelets in C: the functions of one element that operators.def calls. */
#ifndef POPOPS_ELEMENT_FUNCTIONS_H
#define POPOPS_ELEMENT_FUNCTIONS_H

#include <math.h>
#include <stddef.h>

static inline float popops_expf(float a) { return expf(a); }
static inline float popops_exp2f(float a) { return exp2f(a); }
static inline float popops_expm1f(float a) { return expm1f(a); }
static inline float popops_logf(float a) { return logf(a); }
static inline float popops_log1pf(float a) { return log1pf(a); }
static inline float popops_sinf(float a) { return sinf(a); }
static inline float popops_cosf(float a) { return cosf(a); }
static inline float popops_tanf(float a) { return tanf(a); }
static inline float popops_asinf(float a) { return asinf(a); }
static inline float popops_atan2f(float a, float b) { return atan2f(a, b); }
static inline float popops_powf(float a, float b) { return powf(a, b); }
static inline float popops_cbrtf(float a) { return cbrtf(a); }
static inline float popops_erff(float a) { return erff(a); }
static inline float popops_tanhf(float a) { return tanhf(a); }
static inline float popops_sigmoidf(float a) { return 1.0f / (1.0f + expf(-a)); }
static inline float popops_gelu_erff(float a) { return 0.5f * a * erfcf(a * -0.70710678f); }
static inline float popops_fmodf(float a, float b) { return fmodf(a, b); }

/* To the nearest whole number, halves away from zero. */
static inline float popops_roundf(float a)
{
    float whole = __builtin_truncf(a);
    return __builtin_fabsf(a - whole) >= 0.5f ? whole + __builtin_copysignf(1.0f, a) : __builtin_copysignf(whole, a);
}

/* To the nearest half, which is a float again; ties to even, infinity beyond the largest. */
static inline float popops_round_to_half(float a)
{
    float size = __builtin_fabsf(a), tiny = (size + 0.5f) - 0.5f; /* subnormal halves are multiples of 2^-24, as floats around 0.5 are */
    unsigned bits, rounded;
    __builtin_memcpy(&bits, &size, sizeof(bits));
    rounded = (bits + 0xfffu + (bits >> 13 & 1u)) & ~0x1fffu;
    float normal;
    __builtin_memcpy(&normal, &rounded, sizeof(normal));
    float result = size < 6.103515625e-05f ? tiny : normal >= 65536.0f ? __builtin_inff() : normal;
    return __builtin_copysignf(size == size ? result : size, a);
}

static inline int popops_leading_zeros(unsigned long long a, size_t bytes)
{
    return a ? __builtin_clzll(a) - 8 * (int)(sizeof(a) - bytes) : 8 * (int)bytes;
}
static inline int popops_popcount(unsigned long long a, size_t bytes)
{
    (void)bytes;
    return __builtin_popcountll(a);
}
/* The largest whole number whose square is not above a; 0 for negative ones. */
static inline int popops_integer_root(int a)
{
    if (a <= 0)
        return 0;
    long long root = (long long)__builtin_sqrtf((float)a);
    root -= root * root > a;
    root += (root + 1) * (root + 1) <= a;
    return (int)root;
}

#endif
