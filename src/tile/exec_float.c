/* SPDX-License-Identifier: Apache-2.0 */
/* Element-wise floating point.  A result is the exact one, rounded once: halves are computed as floats, whose 24 bits
 * are enough for the second rounding to change nothing (24 >= 2 * 11 + 2), or as doubles when FP_CTL does not ask for
 * the nearest. */
#include "tile/exec.h"

#include <math.h>

/* ---- results that are not finite, and rounding ---- */

static bool signalling(float x)
{
    uint32_t bits = as_bits(x) & 0x7fffffff;
    return bits > 0x7f800000 && !(bits & 0x400000);
}

void fp_flag(struct tile_context *c, const struct tile_op *o, unsigned flags)
{
    static const char *const names[] = { "", "invalid operation", "division by zero", "", "overflow" };
    c->fp_sts |= flags;
    unsigned enabled = flags & c->fp_ctl & FP_ALL;
    if (enabled)
        tile_raise(c, o, TILE_FP, 0, "raised the floating-point exception %s",
                   names[enabled & FP_INV    ? FP_INV
                         : enabled & FP_DIV0 ? FP_DIV0
                                             : FP_OFLO]);
}

uint32_t fp_special(struct tile_context *c, const struct tile_op *o, float value, float a, float b)
{
    if (isnan(value)) {
        if (signalling(a) || signalling(b) || (!isnan(a) && !isnan(b)))
            fp_flag(c, o, FP_INV);
        return 0x7fc00000;
    }
    if (isfinite(a) && isfinite(b))
        fp_flag(c, o, FP_OFLO);
    return as_bits(value);
}

float half_value_special(uint32_t bits)
{
    uint32_t sign = (bits & 0x8000) << 16, magnitude = bits & 0x7fff;
    if (magnitude >= 0x7c00)
        return as_float(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
    return as_float(sign | as_bits((float)magnitude * 0x1p-24f));
}

/* The magnitude of a finite value in units of the last place of half, and that unit's exponent. */
static double last_places(double magnitude, int *unit)
{
    int exponent;
    frexp(magnitude, &exponent); /* magnitude = f * 2^exponent, f in [1/2, 1) */
    *unit = exponent - 11 < -24 ? -24 : exponent - 11;
    return ldexp(magnitude, -*unit);
}

static double rounded_places(struct tile_context *c, double places, bool negative)
{
    double down = floor(places), rest = places - down;
    if (c->fp_ctl & FP_ESR)
        return down + (ldexp((double)(prng_next(c) >> 32), -32) < rest);
    switch ((c->fp_ctl & FP_ROUND) >> FP_ROUND_SHIFT) {
    case ROUND_UP:
        return down + (rest > 0 && !negative);
    case ROUND_DOWN:
        return down + (rest > 0 && negative);
    case ROUND_ZERO:
        return down;
    case ROUND_AWAY:
        return down + (rest >= 0.5);
    default:
        return down + (rest > 0.5 || (rest == 0.5 && fmod(down, 2) != 0));
    }
}

uint32_t half_round(struct tile_context *c, const struct tile_op *o, double value)
{
    uint32_t sign = signbit(value) ? 0x8000 : 0;
    if (isnan(value))
        return 0x7e00;
    if (isinf(value))
        return sign | 0x7c00;
    if (value == 0)
        return sign;
    int unit;
    double places = last_places(fabs(value), &unit);
    double kept = ldexp(rounded_places(c, places, sign != 0), unit);
    if (kept > 65504) {
        fp_flag(c, o, FP_OFLO);
        return c->fp_ctl & FP_NANOO ? 0x7e00 : sign | 0x7bff;
    }
    if (kept < 0x1p-14)
        return sign | (uint32_t)ldexp(kept, 24);
    int exponent;
    double fraction = frexp(kept, &exponent); /* in [1/2, 1) */
    return sign | (((uint32_t)(exponent + 13) << 10) + (uint32_t)ldexp(fraction, 11));
}

/* ---- operations of two elements ---- */

static inline float op_add(float x, float y)
{
    return x + y;
}
static inline float op_sub(float x, float y)
{
    return x - y;
}
static inline float op_mul(float x, float y)
{
    return x * y;
}
static inline float op_absadd(float x, float y)
{
    return fabsf(x) + fabsf(y);
}
/* A NaN operand is ignored; the sign of a zero does not count, so that all hosts agree: the first operand is kept. */
static inline float op_max(float x, float y)
{
    return x >= y || isnan(y) ? x : y;
}
static inline float op_min(float x, float y)
{
    return x <= y || isnan(y) ? x : y;
}
static inline float op_absmax(float x, float y)
{
    return op_max(fabsf(x), fabsf(y));
}

/* Whether a half needs more than the float of a sum or product: FP_CTL asks for another rounding than to nearest. */
static inline bool exact_needed(const struct tile_context *c)
{
    return __builtin_expect((c->fp_ctl & (FP_ROUND | FP_ESR)) != 0, 0);
}
static inline double wide_add(double x, double y)
{
    return x + y;
}
static inline double wide_sub(double x, double y)
{
    return x - y;
}
static inline double wide_mul(double x, double y)
{
    return x * y;
}
static inline double wide_absadd(double x, double y)
{
    return fabs(x) + fabs(y);
}
static inline double wide_max(double x, double y)
{
    return (double)op_max((float)x, (float)y);
}
static inline double wide_min(double x, double y)
{
    return (double)op_min((float)x, (float)y);
}
static inline double wide_absmax(double x, double y)
{
    return (double)op_absmax((float)x, (float)y);
}

static inline uint32_t half_result(struct tile_context *c, const struct tile_op *o, float value, float x, float y)
{
    if (__builtin_expect(value != value, 0)) {
        fp_special(c, o, value, x, y);
        return 0x7e00;
    }
    return half_bits(c, o, value);
}

/* The word of a broadcast first source, for halves. */
static inline uint32_t spread_word(uint32_t word, unsigned spread)
{
    return spread == TILE_SPREAD_LOW    ? (word & 0xffff) * UINT32_C(0x10001)
           : spread == TILE_SPREAD_HIGH ? (word >> 16) * UINT32_C(0x10001)
                                        : word;
}

typedef float (*single_operation)(float x, float y);
typedef double (*wide_operation)(double x, double y);

static inline uint32_t half_operation(struct tile_context *c, const struct tile_op *o, uint32_t a, uint32_t b,
                                      single_operation single, wide_operation wide)
{
    float x = half_value(a), y = half_value(b);
    if (exact_needed(c))
        return half_round(c, o, wide((double)x, (double)y));
    return half_result(c, o, single(x, y), x, y);
}

static inline uint32_t halves(struct tile_context *c, const struct tile_op *o, uint32_t a, uint32_t b,
                              single_operation single, wide_operation wide)
{
    uint32_t low = half_operation(c, o, a & 0xffff, b & 0xffff, single, wide);
    return low | half_operation(c, o, a >> 16, b >> 16, single, wide) << 16;
}

static inline void f32_elements(struct tile_context *c, const struct tile_op *o, single_operation single)
{
    float x = F(1), y = F(2);
    W(0) = fp_result(c, o, single(x, y), x, y);
}

struct float_pair {
    float of[2];
};

/* Results of which one is not finite. Not inline, so that plain results need no registers for it. */
static __attribute__((noinline)) void put_special(struct tile_context *c, const struct tile_op *o,
                                                  struct float_pair value, struct float_pair x, struct float_pair y)
{
    uint32_t low = fp_result(c, o, value.of[0], x.of[0], y.of[0]);
    put_pair(c, o->to[0], low, fp_result(c, o, value.of[1], x.of[1], y.of[1]));
}

static inline void f32v2_elements(struct tile_context *c, const struct tile_op *o, single_operation single)
{
    const uint32_t exponent = 0x7f800000;
    float x0 = F(1), x1 = o->spread ? x0 : F1(1), y0 = F(2), y1 = F1(2);
    float first = single(x0, y0), second = single(x1, y1);
    uint32_t low = as_bits(first), high = as_bits(second);
    if (__builtin_expect((low & exponent) == exponent || (high & exponent) == exponent, 0))
        put_special(c, o, (struct float_pair){ { first, second } }, (struct float_pair){ { x0, x1 } },
                    (struct float_pair){ { y0, y1 } });
    else
        put_pair(c, o->to[0], low, high);
}

static inline void f16v2_elements(struct tile_context *c, const struct tile_op *o, single_operation single,
                                  wide_operation wide)
{
    W(0) = halves(c, o, spread_word(R(1), o->spread), R(2), single, wide);
}

static inline void f16v4_elements(struct tile_context *c, const struct tile_op *o, single_operation single,
                                  wide_operation wide)
{
    uint32_t x0 = spread_word(R(1), o->spread), x1 = o->spread ? x0 : R1(1), y0 = R(2), y1 = R1(2);
    uint32_t low = halves(c, o, x0, y0, single, wide);
    put_pair(c, o->to[0], low, halves(c, o, x1, y1, single, wide));
}

#define ELEMENTWISE(name)                                                                                              \
    EXEC_AS(f32##name, f32_elements(c, o, op_##name))                                                                  \
    EXEC_AS(f32v2##name, f32v2_elements(c, o, op_##name))                                                              \
    EXEC_AS(f16v2##name, f16v2_elements(c, o, op_##name, wide_##name))                                                 \
    EXEC_AS(f16v4##name, f16v4_elements(c, o, op_##name, wide_##name))
ELEMENTWISE(add)
ELEMENTWISE(sub)
ELEMENTWISE(mul)
ELEMENTWISE(absadd)
ELEMENTWISE(max)
ELEMENTWISE(min)
ELEMENTWISE(absmax)

/* ---- comparisons: all ones or zero ---- */

typedef bool (*comparison)(float x, float y);

static inline bool is_eq(float x, float y)
{
    return x == y;
}
static inline bool is_ne(float x, float y)
{
    return x != y;
}
static inline bool is_lt(float x, float y)
{
    return x < y;
}
static inline bool is_le(float x, float y)
{
    return x <= y;
}
static inline bool is_gt(float x, float y)
{
    return x > y;
}
static inline bool is_ge(float x, float y)
{
    return x >= y;
}

static inline uint32_t compared_halves(uint32_t a, uint32_t b, comparison is)
{
    return (is(half_low(a), half_low(b)) ? 0xffffu : 0) | (is(half_high(a), half_high(b)) ? 0xffff0000u : 0);
}

static inline void f32_compare(struct tile_context *c, const struct tile_op *o, comparison is)
{
    W(0) = is(F(1), F(2)) ? UINT32_MAX : 0;
}

static inline void f32v2_compare(struct tile_context *c, const struct tile_op *o, comparison is)
{
    float x0 = F(1), x1 = o->spread ? x0 : F1(1), y0 = F(2), y1 = F1(2);
    W(0) = is(x0, y0) ? UINT32_MAX : 0;
    W1(0) = is(x1, y1) ? UINT32_MAX : 0;
}

static inline void f16v4_compare(struct tile_context *c, const struct tile_op *o, comparison is)
{
    uint32_t x0 = spread_word(R(1), o->spread), x1 = o->spread ? x0 : R1(1), y0 = R(2), y1 = R1(2);
    W(0) = compared_halves(x0, y0, is);
    W1(0) = compared_halves(x1, y1, is);
}

#define COMPARE(name)                                                                                                  \
    EXEC_AS(f32cmp##name, f32_compare(c, o, is_##name))                                                                \
    EXEC_AS(f32v2cmp##name, f32v2_compare(c, o, is_##name))                                                            \
    EXEC_AS(f16v2cmp##name, W(0) = compared_halves(spread_word(R(1), o->spread), R(2), is_##name))                     \
    EXEC_AS(f16v4cmp##name, f16v4_compare(c, o, is_##name))
COMPARE(eq)
COMPARE(ne)
COMPARE(lt)
COMPARE(le)
COMPARE(gt)
COMPARE(ge)

/* ---- clamp: a NaN stays NaN ---- */

static inline float clamped(float x, float low, float high)
{
    float least = x < low ? low : x;
    return least > high ? high : least;
}

EXEC(f32clamp)
{
    W(0) = fp_quiet(clamped(F(1), F(2), F1(2)));
}

EXEC(f32v2clamp)
{
    float x0 = F(1), x1 = F1(1), low = F(2), high = F1(2);
    W(0) = fp_quiet(clamped(x0, low, high));
    W1(0) = fp_quiet(clamped(x1, low, high));
}

static uint32_t halves_clamp(struct tile_context *c, const struct tile_op *o, uint32_t word, uint32_t limits)
{
    float low = half_low(limits), high = half_high(limits);
    uint32_t first = half_bits(c, o, clamped(half_low(word), low, high));
    return first | half_bits(c, o, clamped(half_high(word), low, high)) << 16;
}

EXEC(f16v2clamp)
{
    W(0) = halves_clamp(c, o, R(1), R(2));
}

EXEC(f16v4clamp)
{
    uint32_t x0 = R(1), x1 = R1(1), limits = R(2);
    W(0) = halves_clamp(c, o, x0, limits);
    W1(0) = halves_clamp(c, o, x1, limits);
}

/* ---- classes; those of NaN and of negative zero are the machine's, the others are chosen ---- */

enum float_class {
    CLASS_SIGNALLING = 1,
    CLASS_QUIET = 2,
    CLASS_MINUS_INFINITY = 3,
    CLASS_MINUS_NORMAL = 4,
    CLASS_MINUS_ZERO = 5,
    CLASS_MINUS_DENORMAL = 6,
    CLASS_ZERO = 7,
    CLASS_DENORMAL = 8,
    CLASS_NORMAL = 9,
    CLASS_INFINITY = 10
};

static uint32_t class_of(uint32_t bits, unsigned exponent_bits, unsigned fraction_bits)
{
    uint32_t fraction = bits & ((1u << fraction_bits) - 1), all = (1u << exponent_bits) - 1,
             exponent = bits >> fraction_bits & all;
    bool negative = bits >> (exponent_bits + fraction_bits) & 1;
    if (exponent == all && fraction)
        return fraction >> (fraction_bits - 1) ? CLASS_QUIET : CLASS_SIGNALLING;
    if (exponent == all)
        return negative ? CLASS_MINUS_INFINITY : CLASS_INFINITY;
    if (exponent)
        return negative ? CLASS_MINUS_NORMAL : CLASS_NORMAL;
    if (fraction)
        return negative ? CLASS_MINUS_DENORMAL : CLASS_DENORMAL;
    return negative ? CLASS_MINUS_ZERO : CLASS_ZERO;
}

static uint32_t class_of_halves(uint32_t word)
{
    return class_of(word & 0xffff, 5, 10) | class_of(word >> 16, 5, 10) << 8;
}

EXEC(f32class)
{
    W(0) = class_of(R(1), 8, 23);
}

EXEC(f32v2class)
{
    W(0) = class_of(R(1), 8, 23) | class_of(R1(1), 8, 23) << 8;
}

EXEC(f16v2class)
{
    W(0) = class_of_halves(R(1));
}

EXEC(f16v4class)
{
    W(0) = class_of_halves(R(1)) | class_of_halves(R1(1)) << 16;
}

/* A quarter has no infinity; its one NaN is the code of negative zero. */
EXEC(f8v4class)
{
    uint32_t word = R(1), classes = 0;
    unsigned fraction_bits = c->fp_nfmt & 1 ? 2 : 3;
    for (unsigned i = 0; i < 4; ++i) {
        uint32_t code = word >> (8 * i) & 0xff, magnitude = code & 0x7f;
        uint32_t class = code == 0x80                 ? CLASS_QUIET
                         : !magnitude                 ? CLASS_ZERO
                         : magnitude >> fraction_bits ? (code & 0x80 ? CLASS_MINUS_NORMAL : CLASS_NORMAL)
                         : code & 0x80                ? CLASS_MINUS_DENORMAL
                                                      : CLASS_DENORMAL;
        classes |= class << (8 * i);
    }
    W(0) = classes;
}
