/* SPDX-License-Identifier: Apache-2.0 */
/* For codelets in C: the element functions that operators.def uses, in float and without branches, so that loops over
 * them are vectorised.  The error of exp, log, tanh, sigmoid and erf is at most 1 unit in the last place, that of the
 * others at most 4 (gelu 7), for all arguments (tests/poplibs/popops/test_popops_element_functions.c).  fma is one
 * instruction from x86-64-v3 on.  The time of a loop is the number of its vector instructions, because those of several
 * elements overlap: polynomials are nested (Horner), and special values cost one instruction where they can.
 * Coefficients are those of the smallest maximum error (Remez), rounded to float one after another. */
#ifndef POPOPS_ELEMENT_FUNCTIONS_H
#define POPOPS_ELEMENT_FUNCTIONS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* A loop with a call in it would not be vectorised. */
#define POPOPS_FUNCTION static inline __attribute__((always_inline, unused))

POPOPS_FUNCTION float popops_float_of(uint32_t bits)
{
    float value;
    __builtin_memcpy(&value, &bits, sizeof(value));
    return value;
}
POPOPS_FUNCTION uint32_t popops_bits_of(float value)
{
    uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof(bits));
    return bits;
}
POPOPS_FUNCTION float popops_fma(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
POPOPS_FUNCTION float popops_choose(int condition, float a, float b)
{
    return condition ? a : b;
}
/* A NaN stays a NaN. */
POPOPS_FUNCTION float popops_clampf(float a, float low, float high)
{
    a = a < low ? low : a;
    return a > high ? high : a;
}
/* |a|, at most a positive limit; of a NaN, the limit.  One instruction less than comparing and choosing. */
POPOPS_FUNCTION float popops_size_up_to(float a, float limit)
{
    int bits = (int)(popops_bits_of(a) & 0x7fffffffu), max = (int)popops_bits_of(limit);
    return popops_float_of((uint32_t)(bits < max ? bits : max));
}

/* A polynomial whose coefficients are taken in pairs, so that few operations wait for one another; z is x squared. */
POPOPS_FUNCTION float popops_cubic(float x, float z, float c0, float c1, float c2, float c3)
{
    return popops_fma(popops_fma(c3, x, c2), z, popops_fma(c1, x, c0));
}
/* ---- memory ---- */

/* A loop whose elements take many instructions asks in each line of memory (POPOPS_LINE bytes) for the line that is
 * POPOPS_AHEAD bytes further on, because the machine does not look that far by itself. */
enum { POPOPS_LINE = 64, POPOPS_AHEAD = 4096 };
/* at + POPOPS_AHEAD bytes as an index, or `at` if that is beyond the last of count elements. */
POPOPS_FUNCTION size_t popops_ahead(size_t at, size_t count, size_t element_bytes)
{
    size_t ahead = at + POPOPS_AHEAD / element_bytes;
    return ahead < count ? ahead : at;
}
POPOPS_FUNCTION void popops_prefetch(const void *from, size_t bytes)
{
#if !defined(__IPU__) || defined(POPLAR_TILE_BUILTINS)
    for (size_t at = 0; at < bytes; at += POPOPS_LINE)
        __builtin_prefetch((const char *)from + at);
#else
    (void)from, (void)bytes;
#endif
}

/* ---- exponentials ---- */

/* 2^n as a product of two factors, because 2^128 and 2^-140 are not representable in float. */
struct popops_power {
    float first, second;
};
/* Added to a float below 2^22, it rounds it to the nearest integer n and leaves n + 254 in the low bits of the sum. */
#define POPOPS_ROUNDING 12583166.0f
/* From those bits, for n from -254 to 256. */
POPOPS_FUNCTION struct popops_power popops_power_of_bits(uint32_t bits)
{
    uint32_t first = bits << 22 & 0x7f800000u;
    struct popops_power power = { popops_float_of(first), popops_float_of((bits << 23) - first) };
    return power;
}
/* n is an integer from -254 to 256, or a NaN. */
POPOPS_FUNCTION struct popops_power popops_power_of_two(float n)
{
    return popops_power_of_bits(popops_bits_of(n + POPOPS_ROUNDING));
}
/* The bits of a sum with POPOPS_ROUNDING, where n is at most 156: then the results are infinite anyway. */
POPOPS_FUNCTION uint32_t popops_power_bits(float sum)
{
    int bits = (int)popops_bits_of(sum), limit = 0x4b40019a;
    return (uint32_t)(bits < limit ? bits : limit);
}
/* The coefficients of r^2 to r^6 in e^r for |r| <= ln 2 / 2, after 1 and r: 5e-9 of e^r, 1e-9 below -0.2, where the
 * result's last place is the smallest. */
#define POPOPS_EXP_2 0.499999702f
#define POPOPS_EXP_3 0.166665301f
#define POPOPS_EXP_4 0.0416744165f
#define POPOPS_EXP_5 0.00836783741f
#define POPOPS_EXP_6 0.00134618895f
/* e^r - 1 for |r| <= ln 2 / 2. */
POPOPS_FUNCTION float popops_small_expm1(float r)
{
    float z = r * r;
    float p = popops_fma(POPOPS_EXP_6, z, popops_fma(POPOPS_EXP_5, r, POPOPS_EXP_4));
    return popops_fma(popops_fma(p, z, popops_fma(POPOPS_EXP_3, r, POPOPS_EXP_2)), z, r);
}
/* e^(scale r) for |scale r| <= ln 2 / 2; scale is a power of two, whose powers are multiplied by the compiler. */
POPOPS_FUNCTION float popops_small_exp(float r, float scale)
{
    float square = scale * scale, cube = square * scale, p = POPOPS_EXP_6 * cube * cube;
    p = popops_fma(p, r, POPOPS_EXP_5 * square * cube);
    p = popops_fma(p, r, POPOPS_EXP_4 * square * square);
    p = popops_fma(p, r, POPOPS_EXP_3 * cube);
    p = popops_fma(p, r, POPOPS_EXP_2 * square);
    p = popops_fma(p, r, scale);
    return popops_fma(p, r, 1.0f);
}
/* a = n ln 2 + r; the bits are those of popops_power_of_bits. */
POPOPS_FUNCTION float popops_exp_split(float a, uint32_t *bits)
{
    *bits = popops_power_bits(popops_fma(a, 1.44269504f, POPOPS_ROUNDING));
    float n = popops_float_of(*bits) - POPOPS_ROUNDING;
    return popops_fma(n, -1.42860677e-06f, popops_fma(n, -0.693145752f, a));
}
POPOPS_FUNCTION float popops_expf(float a)
{
    uint32_t bits;
    float p = popops_small_expm1(popops_exp_split(a < -105.0f ? -105.0f : a, &bits));
    struct popops_power power = popops_power_of_bits(bits);
    return popops_fma(power.first, p, power.first) * power.second;
}
/* popops_expf, with the same bits, for arguments that are not positive: one factor, and a constant that brings products
 * from 2^-88 to 2^64 to their place. */
POPOPS_FUNCTION float popops_exp_of_negative(float a)
{
    const float rounding = POPOPS_ROUNDING - 63.0f, limited = a < -105.0f ? -105.0f : a;
    float sum = popops_fma(limited, 1.44269504f, rounding), n = sum - rounding;
    float p = popops_small_expm1(popops_fma(n, -1.42860677e-06f, popops_fma(n, -0.693145752f, limited)));
    float power = popops_float_of(popops_bits_of(sum) << 23);
    return popops_fma(power, p, power) * 5.42101086e-20f;
}
POPOPS_FUNCTION float popops_exp2f(float a)
{
    float limited = popops_clampf(a, -152.0f, 130.0f), sum = limited + POPOPS_ROUNDING;
    uint32_t bits = popops_bits_of(sum);
    float r = limited - (sum - POPOPS_ROUNDING);
    float p = popops_small_expm1(popops_fma(r, 0.693147182f, r * -1.90465421e-09f));
    struct popops_power power = popops_power_of_bits(bits);
    return popops_fma(power.first, p, power.first) * power.second;
}
POPOPS_FUNCTION float popops_expm1f(float a)
{
    uint32_t bits;
    float p = popops_small_expm1(popops_exp_split(a < -105.0f ? -105.0f : a, &bits));
    struct popops_power power = popops_power_of_bits(bits);
    float less = popops_float_of(0x7f000000u - popops_bits_of(power.second)); /* 1 / power.second */
    float result = popops_fma(power.first, p, power.first - less) * power.second;
    return bits == popops_bits_of(POPOPS_ROUNDING) ? p : result;
}
/* tanh(a) for |a| < 1, an odd polynomial: within 5e-9 of it. */
POPOPS_FUNCTION float popops_tanh_near(float a)
{
    float z = a * a, p = -0.000358270918f;
    p = popops_fma(p, z, 0.00230085547f);
    p = popops_fma(p, z, -0.00794562139f);
    p = popops_fma(p, z, 0.021486504f);
    p = popops_fma(p, z, -0.0538798198f);
    p = popops_fma(p, z, 0.133323461f);
    p = popops_fma(p, z, -0.333332956f);
    return popops_fma(a * z, p, a);
}
/* tanh(|a|) for others: 1 - 2 / (e^(2 |a|) + 1), with only one rounding in the divisor. */
POPOPS_FUNCTION float popops_tanh_far(float a)
{
    float far = popops_size_up_to(a, 10.0f); /* tanh(10) rounds to 1 in float */
    float sum = popops_fma(far, 2.88539008f, POPOPS_ROUNDING - 127.0f);
    float r = popops_fma(sum - (POPOPS_ROUNDING - 127.0f), -0.346573591f, far);
    float power = popops_float_of(popops_bits_of(sum) << 23);
    return 1.0f - 2.0f / popops_fma(power, popops_small_exp(r, 2.0f), 1.0f);
}
/* Vectorised, both are computed; where exceptions count, only the one that is chosen.  A NaN is near. */
POPOPS_FUNCTION float popops_tanhf(float a)
{
    return __builtin_copysignf(__builtin_fabsf(a) >= 1.0f ? popops_tanh_far(a) : popops_tanh_near(a), a);
}
/* 1 / (1 + e^|a|) for a negative a, and 1 minus that for others.  The quotient is of numbers that are scaled by 2^-64,
 * because e^|a| may be above the largest float; what is left of the dividend is divided, too, and added to it. */
POPOPS_FUNCTION float popops_sigmoidf(float a)
{
    const float rounding = POPOPS_ROUNDING - 191.0f, one = 5.42101086e-20f;
    float size = __builtin_fabsf(a), far = size > 105.0f ? 105.0f : size;
    float sum = popops_fma(far, 1.44269504f, rounding), n = sum - rounding;
    float p = popops_small_expm1(popops_fma(n, -1.42860677e-06f, popops_fma(n, -0.693145752f, far)));
    float power = popops_float_of(popops_bits_of(sum) << 23), more = power * p, whole = power + one;
    float base = popops_float_of(popops_bits_of(whole) & 0xff800000u); /* a power of two: its product is exact */
    float q = one / (whole + more), left = popops_fma(-q, more, popops_fma(-q, base, one));
    left = popops_fma(-q, one - (base - power), left);
    q = popops_fma(left, q * 18446744073709551616.0f, q);
    return a < 0.0f ? q : 1.0f - q;
}

/* ---- logarithms ---- */

/* A number 2^n (1 + f), where 1 + f is between sqrt(1/2) and sqrt(2), from its bits, if it is positive, finite and
 * normal.  n receives the difference of bits beyond the 23 of f: the number may have been scaled in them. */
POPOPS_FUNCTION float popops_log_split_bits(uint32_t bits, float *n)
{
    uint32_t difference = bits - 0x3f3504f3u;
    *n = (float)((int)difference >> 23);
    return popops_float_of((difference & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
}
/* a = 2^n (1 + f) for subnormal numbers, too. */
POPOPS_FUNCTION float popops_log_split(float a, float *n)
{
    uint32_t bits = popops_bits_of(a);
    return popops_log_split_bits((int)bits < 0x00800000 ? popops_bits_of(a * 8388608.0f) - (23u << 23) : bits, n);
}
/* The logarithm of 2^n (1 + f). */
POPOPS_FUNCTION float popops_log_join(float n, float f)
{
    float z = f * f;
    float p = popops_fma(popops_cubic(f, z, 0.1420158f, -0.131596103f, 0.127622172f, -0.0763643906f), z * z,
                         popops_cubic(f, z, 0.333333313f, -0.250008196f, 0.200012416f, -0.166234091f));
    float rest = popops_fma(z, popops_fma(f, p, -0.5f), n * -1.90465421e-09f);
    return popops_fma(n, 0.693147182f, f + rest);
}
POPOPS_FUNCTION float popops_logf(float a)
{
    float n, f = popops_log_split(a, &n), result = popops_log_join(n, f);
    int bits = (int)popops_bits_of(a);
    result = popops_float_of(popops_bits_of(result) | (uint32_t)(bits >> 31)); /* of a negative number: NaN */
    result = bits < 0x7f800000 ? result : a;                                   /* infinity and NaN stay */
    return a == 0.0f ? -__builtin_inff() : result;
}
POPOPS_FUNCTION float popops_log1pf(float a)
{
    float sum = 1.0f + a, lost = popops_choose(a < 1.0f, a - (sum - 1.0f), 1.0f - (sum - a));
    float result = popops_logf(sum) + popops_choose(sum > 0.0f && sum < __builtin_inff(), lost / sum, 0.0f);
    return __builtin_fabsf(a) < 1e-12f ? a : result;
}

/* ---- powers ---- */

/* The logarithm to base 2 with twice float's precision, as n + 2 / ln 2 artanh(f / (2 + f)); *low receives the low
 * part. */
POPOPS_FUNCTION float popops_long_log2(float a, float *low)
{
    float n, f = popops_log_split(a, &n);
    float sum = f + 2.0f, sum_low = f - (sum - 2.0f), s = f / sum;
    float s_low = popops_fma(-s, sum_low, popops_fma(-s, sum, f)) / sum;
    float z = s * s, p = 0.116664566f;
    p = popops_fma(p, z, 0.142753661f);
    p = popops_fma(p, z, 0.200000614f);
    p = popops_fma(p, z, 0.333333343f);
    float t = s * 2.88539004f, t_low = popops_fma(s, 2.88539004f, -t);
    t_low = popops_fma(s, 3.85192607e-08f, t_low);
    t_low = popops_fma(popops_fma(s * z, p, s_low), 2.88539004f, t_low);
    float high = n + t, rest = n == 0.0f ? 0.0f : t - (high - n); /* t is less than n, unless n is 0 */
    float sum_of_both = high + (rest + t_low);                    /* t_low has the cubic term, a hundredth of t */
    *low = (high - sum_of_both) + (rest + t_low);
    return sum_of_both;
}
POPOPS_FUNCTION float popops_powf(float a, float b)
{
    float low, high = popops_long_log2(__builtin_fabsf(a), &low), product = b * high;
    float limited = popops_clampf(product, -152.0f, 130.0f), n = __builtin_rintf(limited);
    n = n == n ? n : 0.0f;
    float r =
        (limited - n) + popops_choose(product == limited, popops_fma(b, low, popops_fma(b, high, -product)), 0.0f);
    struct popops_power power = popops_power_of_two(n);
    float e = popops_small_expm1(r * 0.693147182f), result = popops_fma(power.first, e, power.first) * power.second;
    float size = __builtin_fabsf(a), whole = __builtin_truncf(b), infinite = __builtin_inff(), nan = __builtin_nanf("");
    int is_odd = whole == b && __builtin_fabsf(b) < 16777216.0f && whole * 0.5f != __builtin_truncf(whole * 0.5f);
    int vanishes = (size == 0.0f || size == infinite) && b != 0.0f, grows = (size > 1.0f) == (b > 0.0f);
    result = popops_choose(vanishes || (__builtin_fabsf(b) == infinite && size != 1.0f),
                           popops_choose(grows, infinite, 0.0f), result);
    result = popops_choose(is_odd && __builtin_signbit(a), -result, result);
    result = popops_choose(a < 0.0f && size != infinite && whole != b, nan, result);
    result = popops_choose(a != a || b != b, nan, result);
    return popops_choose(a == 1.0f || b == 0.0f || (a == -1.0f && __builtin_fabsf(b) == infinite), 1.0f, result);
}
POPOPS_FUNCTION float popops_cbrtf(float a)
{
    float size = __builtin_fabsf(a);
    int tiny = size<1.17549435e-38f, huge = size> 1e36f;
    float x = tiny ? size * 16777216.0f : huge ? size * 5.96046448e-08f : size;
    float t = popops_float_of(popops_bits_of(x) / 3 +
                              0x2a5119f2u); /* within 4 percent, because log2 is nearly linear between powers of two */
    for (int i = 0; i < 2; ++i) {           /* one step of Halley's method */
        float cube = t * t * t;
        t = t * ((cube + x + x) / (cube + cube + x));
    }
    float square = t * t;
    t = popops_fma(popops_fma(-t, square, x) - t * popops_fma(t, t, -square), 0.333333333f / square, t);
    t = tiny ? t * 0.00390625f : huge ? t * 256.0f : t;
    return size > 0.0f && size < __builtin_inff() ? __builtin_copysignf(t, a) : a;
}

/* ---- circular functions ---- */

/* a = q pi/2 + r with |r| <= pi/4: the product of a's 24 bits with those 96 bits of 2/pi that determine the quadrant
 * and the remainder. */
POPOPS_FUNCTION float popops_quadrant(float a, int *quadrant)
{
    static const uint32_t two_over_pi[8] = { 0,           0xa2f9836eu, 0x4e441529u, 0xfc2757d1u,
                                             0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu };
    uint32_t bits = popops_bits_of(a) & 0x7fffffffu, mantissa = (bits & 0x7fffffu) | 0x800000u;
    int place = (int)(bits >> 23) - 120;
    place = place < 0 ? 0 : place > 134 ? 134 : place;
    int index = place >> 5, shift = place & 31;
    uint32_t t0 = two_over_pi[index], t1 = two_over_pi[index + 1], t2 = two_over_pi[index + 2],
             t3 = two_over_pi[index + 3];
    uint32_t w0 = (uint32_t)(((uint64_t)t0 << 32 | t1) << shift >> 32),
             w1 = (uint32_t)(((uint64_t)t1 << 32 | t2) << shift >> 32);
    uint32_t w2 = (uint32_t)(((uint64_t)t2 << 32 | t3) << shift >> 32);
    uint64_t product = ((uint64_t)(mantissa * w0) << 32) + (uint64_t)mantissa * w1 + (((uint64_t)mantissa * w2) >> 32);
    uint32_t q = (uint32_t)((product + (UINT64_C(1) << 61)) >> 62) & 3u;
    int64_t left = (int64_t)(product - ((uint64_t)q << 62)); /* in 2^-62 quadrants */
    float parts =
        (float)(int)(left >> 38) + (float)(int)(left >> 7 & 0x7fffffff) * 4.65661287e-10f; /* in 2^-24 quadrants */
    float r = popops_fma(parts, 9.36267597e-08f, parts * -2.60540177e-15f);
    int small = bits < 0x3f490fdbu, negative = popops_bits_of(a) >> 31 != 0;
    r = negative ? -r : r;
    *quadrant = small ? 0 : negative ? -(int)q : (int)q;
    r = small ? a : r;
    return bits < 0x7f800000u ? r : __builtin_nanf("");
}
POPOPS_FUNCTION float popops_small_sin(float r)
{
    float z = r * r, p = 2.72493139e-06f;
    p = popops_fma(p, z, -0.000198400827f);
    p = popops_fma(p, z, 0.00833333191f);
    p = popops_fma(p, z, -0.166666672f);
    return popops_fma(p * z, r, r);
}
POPOPS_FUNCTION float popops_small_cos(float r)
{
    float z = r * r, p = -2.73004474e-07f;
    p = popops_fma(p, z, 2.48005963e-05f);
    p = popops_fma(p, z, -0.00138888881f);
    p = popops_fma(p, z, 0.0416666679f);
    return popops_fma(z, popops_fma(p, z, -0.5f), 1.0f);
}
POPOPS_FUNCTION float popops_sinf(float a)
{
    int q;
    float r = popops_quadrant(a, &q), value = popops_choose(q & 1, popops_small_cos(r), popops_small_sin(r));
    return popops_choose(q & 2, -value, value);
}
POPOPS_FUNCTION float popops_cosf(float a)
{
    int q;
    float r = popops_quadrant(a, &q), value = popops_choose(q & 1, popops_small_sin(r), popops_small_cos(r));
    return popops_choose((q + 1) & 2, -value, value);
}
POPOPS_FUNCTION float popops_tanf(float a)
{
    int q;
    float r = popops_quadrant(a, &q), s = popops_small_sin(r), c = popops_small_cos(r);
    return popops_choose(q & 1, -c, s) / popops_choose(q & 1, s, c);
}
POPOPS_FUNCTION float popops_asinf(float a)
{
    float size = __builtin_fabsf(a), left = 0.5f * (1.0f - size), z = popops_choose(size < 0.5f, a * a, left);
    float x = popops_choose(size < 0.5f, size, __builtin_sqrtf(left < 0.0f ? __builtin_nanf("") : left)),
          p = 0.0337007269f;
    p = popops_fma(p, z, 0.017143717f);
    p = popops_fma(p, z, 0.0311017279f);
    p = popops_fma(p, z, 0.0445993207f);
    p = popops_fma(p, z, 0.0750009492f);
    p = popops_fma(p, z, 0.166666657f);
    float arc = popops_fma(p * z, x, x); /* of size, or of the half angle of the remainder to 1 */
    return __builtin_copysignf(popops_choose(size < 0.5f, arc, popops_fma(-2.0f, arc, 1.57079633f)), a);
}
POPOPS_FUNCTION float popops_atan2f(float a, float b)
{
    float y = __builtin_fabsf(a), x = __builtin_fabsf(b), more = y > x ? y : x, less = y > x ? x : y;
    float t = popops_choose(more == 0.0f, 0.0f, popops_choose(less == __builtin_inff(), 1.0f, less / more)), z = t * t,
          p = 0.00148869189f;
    p = popops_fma(p, z, -0.00914462935f);
    p = popops_fma(p, z, 0.0263050012f);
    p = popops_fma(p, z, -0.0489605144f);
    p = popops_fma(p, z, 0.0703191459f);
    p = popops_fma(p, z, -0.089318268f);
    p = popops_fma(p, z, 0.110882618f);
    p = popops_fma(p, z, -0.142840043f);
    p = popops_fma(p, z, 0.199999496f);
    p = popops_fma(p, z, -0.333333343f);
    float angle = popops_fma(p * z, t, t);
    angle = popops_choose(y > x, 1.57079633f - angle, angle);
    angle = popops_choose(__builtin_signbit(b) != 0, 3.14159265f - angle, angle);
    angle = __builtin_copysignf(angle, a);
    return popops_choose(a != a || b != b, __builtin_nanf(""), angle);
}

/* ---- the error function ---- */

/* The numerator and denominator of e^(x^2 / 2) times the cumulative normal distribution at -x, for x from 0 to 14.5: a
 * quotient of polynomials that is within 6e-9 of it.  The numerator is multiplied by scale, a power of two. */
POPOPS_FUNCTION float popops_normal_tail_above(float x, float scale)
{
    float p = scale * 0.00411636071f;
    p = popops_fma(p, x, scale * 0.0406335678f);
    p = popops_fma(p, x, scale * 0.183236138f);
    p = popops_fma(p, x, scale * 0.438296279f);
    return popops_fma(p, x, scale * 0.5f);
}
POPOPS_FUNCTION float popops_normal_tail_below(float x)
{
    float q = 0.0103180664f;
    q = popops_fma(q, x, 0.101859697f);
    q = popops_fma(q, x, 0.469473274f);
    q = popops_fma(q, x, 1.20250726f);
    q = popops_fma(q, x, 1.67447754f);
    return popops_fma(q, x, 1.0f);
}
/* erf(a) for |a| < 1, an odd polynomial. */
POPOPS_FUNCTION float popops_erf_near(float a)
{
    float z = a * a, p = 7.92036808e-05f;
    p = popops_fma(p, z, -0.000803076138f);
    p = popops_fma(p, z, 0.00519073382f);
    p = popops_fma(p, z, -0.026855126f);
    p = popops_fma(p, z, 0.112836182f);
    p = popops_fma(p, z, -0.376126289f);
    p = popops_fma(p, z, 0.128379166f);
    return popops_fma(p, a, a);
}
/* erf(|a|) for others: 1 - e^-g, where g = -log(erfc(|a|)) is |a| and |a| times a polynomial. */
POPOPS_FUNCTION float popops_erf_far(float a)
{
    float far = popops_size_up_to(a, 3.95f), g = -0.000210186641f; /* erf(3.95) rounds to 1 in float */
    g = popops_fma(g, far, 0.00318314647f);
    g = popops_fma(g, far, -0.0227861535f);
    g = popops_fma(g, far, 0.105096735f);
    g = popops_fma(g, far, 0.635846376f);
    g = popops_fma(g, far, 0.128475577f);
    g = popops_fma(g, far, far);
    float sum = popops_fma(g, -1.44269504f, POPOPS_ROUNDING - 127.0f);
    float r = popops_fma(sum - (POPOPS_ROUNDING - 127.0f), -0.693147182f, -g);
    float power = popops_float_of(popops_bits_of(sum) << 23);
    return popops_fma(-power, popops_small_expm1(r), 1.0f - power);
}
POPOPS_FUNCTION float popops_erff(float a)
{
    return __builtin_copysignf(__builtin_fabsf(a) >= 1.0f ? popops_erf_far(a) : popops_erf_near(a), a);
}
/* a times the cumulative normal distribution at a.  The exponent is a^2 + 2 n ln 2, whose half is summed exactly but
 * for its last bits, and the power 2^64 times the result's, which may be below the smallest float. */
POPOPS_FUNCTION float popops_gelu_erff(float a)
{
    const float rounding = POPOPS_ROUNDING - 63.0f;
    float far = popops_size_up_to(a, 14.5f), sum = popops_fma(far * far, -0.721347520f, rounding), n = sum - rounding;
    float r = popops_fma(n, 2.85721354e-06f, popops_fma(far, far, n * 1.3862915f));
    float power = popops_float_of(popops_bits_of(sum) << 23) * popops_small_exp(r, -0.5f);
    float beyond = popops_normal_tail_above(far, 5.42101086e-20f) / popops_normal_tail_below(far) * power;
    return (a < 0.0f ? -far : a) * (a < 0.0f ? beyond : 1.0f - beyond);
}
/* Exact, therefore not vectorised. */
POPOPS_FUNCTION float popops_fmodf(float a, float b)
{
    return fmodf(a, b);
}

/* ---- integers ---- */

/* Rounds to the nearest integer, halfway cases away from zero. */
POPOPS_FUNCTION float popops_roundf(float a)
{
    float whole = __builtin_truncf(a);
    return __builtin_fabsf(a - whole) >= 0.5f ? whole + __builtin_copysignf(1.0f, a) : __builtin_copysignf(whole, a);
}

/* Conversions to integers, toward zero; beyond a type they give its nearest bound and of a NaN 0, as pop_convert on the
 * host does.  C leaves both undefined. */
POPOPS_FUNCTION float popops_number_in(float a, float low, float high)
{
    return popops_clampf(a == a ? a : 0.0f, low, high);
}
POPOPS_FUNCTION signed char popops_float_to_schar(float a)
{
    return (signed char)(int)popops_number_in(a, -128.0f, 127.0f);
}
POPOPS_FUNCTION unsigned char popops_float_to_uchar(float a)
{
    return (unsigned char)(int)popops_number_in(a, 0.0f, 255.0f);
}
POPOPS_FUNCTION short popops_float_to_short(float a)
{
    return (short)(int)popops_number_in(a, -32768.0f, 32767.0f);
}
POPOPS_FUNCTION unsigned short popops_float_to_ushort(float a)
{
    return (unsigned short)(int)popops_number_in(a, 0.0f, 65535.0f);
}
/* The largest of these types are no floats: the limits are the floats below. */
POPOPS_FUNCTION int popops_float_to_int(float a)
{
    int near = (int)popops_number_in(a, -2147483648.0f, 2147483520.0f);
    return a >= 2147483648.0f ? INT32_MAX : near;
}
POPOPS_FUNCTION unsigned popops_float_to_unsigned(float a)
{
    unsigned near = (unsigned)popops_number_in(a, 0.0f, 4294967040.0f);
    return a >= 4294967296.0f ? UINT32_MAX : near;
}
POPOPS_FUNCTION long long popops_float_to_longlong(float a)
{
    long long near = (long long)popops_number_in(a, -9223372036854775808.0f, 9223371487098961920.0f);
    return a >= 9223372036854775808.0f ? INT64_MAX : near;
}
POPOPS_FUNCTION unsigned long long popops_float_to_ulonglong(float a)
{
    unsigned long long near = (unsigned long long)popops_number_in(a, 0.0f, 18446742974197923840.0f);
    return a >= 18446744073709551616.0f ? UINT64_MAX : near;
}
POPOPS_FUNCTION _Bool popops_float_to_bool(float a)
{
    return a != 0.0f;
}

/* Rounds to the nearest half, as a float: ties to even, infinity beyond the largest half. */
POPOPS_FUNCTION float popops_round_to_half(float a)
{
    float size = __builtin_fabsf(a),
          tiny = (size + 0.5f) - 0.5f; /* subnormal halves are multiples of 2^-24, as floats around 0.5 */
    unsigned bits, rounded;
    __builtin_memcpy(&bits, &size, sizeof(bits));
    rounded = (bits + 0xfffu + (bits >> 13 & 1u)) & ~0x1fffu;
    float normal;
    __builtin_memcpy(&normal, &rounded, sizeof(normal));
    float result = size < 6.103515625e-05f ? tiny : normal >= 65536.0f ? __builtin_inff() : normal;
    return __builtin_copysignf(size == size ? result : size, a);
}

POPOPS_FUNCTION int popops_leading_zeros(unsigned long long a, size_t bytes)
{
    return a ? __builtin_clzll(a) - 8 * (int)(sizeof(a) - bytes) : 8 * (int)bytes;
}
POPOPS_FUNCTION int popops_popcount(unsigned long long a, size_t bytes)
{
    (void)bytes;
    return __builtin_popcountll(a);
}
/* The largest integer whose square is not above a; 0 for a negative a. */
POPOPS_FUNCTION int popops_integer_root(int a)
{
    if (a <= 0)
        return 0;
    long long root = (long long)__builtin_sqrtf((float)a);
    root -= root * root > a;
    root += (root + 1) * (root + 1) <= a;
    return (int)root;
}

#endif
