/* SPDX-License-Identifier: Apache-2.0 */
/* Functions for codelets, in float, without branches, tables or calls: loops over them become vectors.  Infinities and NaN come out as they
 * should; what is said of errors is measured against double precision in tests/poplibs/test_popnn_non_linearity.c. */
#ifndef POPLIBS_VECTOR_MATH_H
#define POPLIBS_VECTOR_MATH_H

#include <stdint.h>

static inline float poplibs_float_of_bits(uint32_t bits)
{
    float value;
    __builtin_memcpy(&value, &bits, sizeof(value));
    return value;
}
static inline uint32_t poplibs_bits_of_float(float value)
{
    uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof(bits));
    return bits;
}
/* NaN stays. */
static inline float poplibs_clamp(float x, float low, float high)
{
    x = x < low ? low : x;
    return x > high ? high : x;
}

/* x = n ln 2 + r with |r| <= ln 2 / 2: gives e^r - 1, and 2^n as two factors, since 2^128 and 2^-140 are no floats. */
static inline float poplibs_exp_parts(float x, float *first, float *second)
{
    const float whole = 12582912.0f; /* 1.5 * 2^23: adding it rounds to an integer, which stands in the low bits */
    x = poplibs_clamp(x, -104.0f, 89.0f);
    float shifted = x * 1.44269504f + whole, n = shifted - whole;
    float r = (x - n * 0.693145752f) - n * 1.42860677e-6f;
    int power = (int)(poplibs_bits_of_float(shifted) - poplibs_bits_of_float(whole));
    *first = poplibs_float_of_bits((uint32_t)((power >> 1) + 127) << 23);
    *second = poplibs_float_of_bits((uint32_t)((power - (power >> 1)) + 127) << 23);
    float p = 1.98412698e-4f; /* 1 / 7!, and so on */
    p = p * r + 1.38888889e-3f;
    p = p * r + 8.33333333e-3f;
    p = p * r + 4.16666667e-2f;
    p = p * r + 1.66666667e-1f;
    p = p * r + 0.5f;
    return p * r * r + r;
}
/* 2 units in the last place. */
static inline float poplibs_exp(float x)
{
    float first, second, p = poplibs_exp_parts(x, &first, &second);
    return (first + first * p) * second;
}
/* e^x - 1. */
static inline float poplibs_expm1(float x)
{
    float first, second, p = poplibs_exp_parts(x, &first, &second);
    float scale = first * second;
    return scale * p + (scale - 1.0f);
}
static inline float poplibs_tanh(float x)
{
    float e = poplibs_expm1(2.0f * poplibs_clamp(x, -10.0f, 10.0f)); /* tanh 10 is 1 in float */
    return e / (e + 2.0f);
}
static inline float poplibs_sigmoid(float x)
{
    return 1.0f / (1.0f + poplibs_exp(-x));
}
/* Natural logarithm; -infinity for 0, NaN below. */
static inline float poplibs_log(float x)
{
    int tiny = x < 1.17549435e-38f;
    float scaled = tiny ? x * 8388608.0f : x;
    uint32_t bits = poplibs_bits_of_float(scaled) + (0x3f800000u - 0x3f3504f3u); /* mantissas from sqrt(1/2) to sqrt(2) */
    float n = (float)((int)(bits >> 23) - 127 - (tiny ? 23 : 0));
    float f = poplibs_float_of_bits((bits & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
    float s = f / (2.0f + f), z = s * s; /* ln(1 + f) = 2 artanh(s) */
    float p = z * (0.333333333f + z * (0.2f + z * (0.142857143f + z * 0.111111111f)));
    float result = n * 0.693145752f + (2.0f * s + (2.0f * s * p + n * 1.42860677e-6f));
    result = x == 0 ? -__builtin_inff() : result;
    result = x < 0 ? __builtin_nanf("") : result;
    return x < __builtin_inff() ? result : x;
}
/* The error function to 5e-7 (Abramowitz and Stegun 7.1.26). */
static inline float poplibs_erf(float x)
{
    float size = x < 0 ? -x : x, t = 1.0f / (1.0f + 0.3275911f * size);
    float p = t * (0.254829592f + t * (-0.284496736f + t * (1.421413741f + t * (-1.453152027f + t * 1.061405429f))));
    float value = 1.0f - p * poplibs_exp(-size * size);
    return x < 0 ? -value : value;
}

#endif
