/* SPDX-License-Identifier: Apache-2.0 */
/* Functions and conversions.  A function's result is the double's, rounded once: its precision on the machine is not
 * published. */
#include "tile/exec.h"

#include <math.h>

/* ---- functions of floats ---- */

/* The bits of a function's result that double arithmetic computed. */
static uint32_t function_result(struct tile_context *c, const struct tile_op *o, double value, float x)
{
    return fp_result(c, o, (float)value, x, 0);
}

EXEC(f32div)
{
    float x = F(1), y = F(2);
    if (y == 0 && x != 0 && isfinite(x)) {
        fp_flag(c, o, FP_DIV0);
        W(0) = as_bits(x / y);
        return;
    }
    W(0) = fp_result(c, o, x / y, x, y);
}

EXEC(f32oox)
{
    float x = F(1);
    if (x == 0)
        fp_flag(c, o, FP_DIV0);
    W(0) = x == 0 ? as_bits(1 / x) : function_result(c, o, 1 / (double)x, x);
}

EXEC(f32oorx)
{
    float x = F(1);
    if (x == 0)
        fp_flag(c, o, FP_DIV0);
    W(0) = x == 0 ? as_bits(1 / x) : function_result(c, o, 1 / sqrt((double)x), x);
}

EXEC(f32sqrt)
{
    float x = F(1);
    W(0) = function_result(c, o, sqrt((double)x), x);
}

static uint32_t logarithm(struct tile_context *c, const struct tile_op *o, float x, double (*of)(double))
{
    if (x == 0) {
        fp_flag(c, o, FP_DIV0);
        return as_bits(-INFINITY);
    }
    return function_result(c, o, of((double)x), x);
}

EXEC(f32ln)
{
    W(0) = logarithm(c, o, F(1), log);
}

EXEC(f32log2)
{
    W(0) = logarithm(c, o, F(1), log2);
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

#define FUNCTION(name, of)                                                                                             \
    EXEC(f32##name)                                                                                                    \
    {                                                                                                                  \
        float x = F(1);                                                                                                \
        W(0) = function_result(c, o, of((double)x), x);                                                                \
    }
FUNCTION(exp, exp)
FUNCTION(exp2, exp2)
FUNCTION(tanh, tanh)
FUNCTION(sigm, sigmoid)

/* ---- functions of two halves ---- */

static uint32_t half_function(struct tile_context *c, const struct tile_op *o, float x, double (*of)(double))
{
    double value = of((double)x);
    if (x == 0 && isinf(value))
        fp_flag(c, o, FP_DIV0);
    else if (isinf(value) && isfinite(x))
        value = copysign(1e30, value); /* overflows half */
    if (isnan(value) && !isnan(x))
        fp_flag(c, o, FP_INV);
    return half_round(c, o, value);
}

#define HALF_FUNCTION(name, of)                                                                                        \
    EXEC(f16v2##name)                                                                                                  \
    {                                                                                                                  \
        uint32_t x = R(1), low = half_function(c, o, half_low(x), of);                                                 \
        W(0) = low | half_function(c, o, half_high(x), of) << 16;                                                      \
    }
HALF_FUNCTION(exp, exp)
HALF_FUNCTION(exp2, exp2)
HALF_FUNCTION(ln, log)
HALF_FUNCTION(log2, log2)
HALF_FUNCTION(tanh, tanh)
HALF_FUNCTION(sigm, sigmoid)

/* ---- float and half ---- */

EXEC(f16tof32)
{
    W(0) = fp_quiet(half_low(R(1)));
}

EXEC(f16v2tof32)
{
    uint32_t x = R(1);
    W(0) = fp_quiet(half_low(x));
    W1(0) = fp_quiet(half_high(x));
}

EXEC(f32tof16)
{
    W(0) = half_bits(c, o, F(1)) * UINT32_C(0x10001);
}

static uint32_t two_halves(struct tile_context *c, const struct tile_op *o, float low, float high)
{
    uint32_t first = half_bits(c, o, low);
    return first | half_bits(c, o, high) << 16;
}

EXEC(f32v2tof16)
{
    W(0) = two_halves(c, o, F(1), F1(1));
}

EXEC(f32v4tof16)
{
    const uint32_t *x = &R(1);
    uint32_t low = two_halves(c, o, as_float(x[0]), as_float(x[1])),
             high = two_halves(c, o, as_float(x[2]), as_float(x[3]));
    W(0) = low;
    W1(0) = high;
}

/* ---- integers ---- */

EXEC(f32fromi32)
{
    W(0) = as_bits((float)(int32_t)R(1));
}

EXEC(f32fromui32)
{
    W(0) = as_bits((float)R(1));
}

static double to_integral(double x, unsigned mode)
{
    switch (mode) {
    case ROUND_UP:
        return ceil(x);
    case ROUND_DOWN:
        return floor(x);
    case ROUND_ZERO:
        return trunc(x);
    case ROUND_AWAY:
        return round(x);
    default: {
        double down = floor(x), rest = x - down;
        return copysign(rest > 0.5 || (rest == 0.5 && fmod(down, 2) != 0) ? down + 1 : down, x);
    }
    }
}

EXEC(f32int)
{
    float x = F(1);
    W(0) = fp_quiet((float)to_integral((double)x, (unsigned)o->value));
}

/* Saturates; a value that does not fit, and NaN (0), are invalid. */
static double to_range(struct tile_context *c, const struct tile_op *o, float x, double low, double high)
{
    double value = isnan(x) ? 0 : to_integral((double)x, (c->fp_ctl & FP_ROUND) >> FP_ROUND_SHIFT);
    if (isnan(x) || value < low || value > high)
        fp_flag(c, o, FP_INV);
    return value < low ? low : value > high ? high : value;
}

EXEC(f32toi32)
{
    W(0) = (uint32_t)(int32_t)to_range(c, o, F(1), INT32_MIN, INT32_MAX);
}

EXEC(f32toui32)
{
    W(0) = (uint32_t)to_range(c, o, F(1), 0, UINT32_MAX);
}

static float uniform32(uint32_t u)
{
    return (float)(((double)u + 0.5) * 0x1p-32 - 0.5);
}

static uint32_t uniform16(struct tile_context *c, const struct tile_op *o, uint32_t word)
{
    uint32_t low = half_round(c, o, ((double)(word & 0xffff) + 0.5) * 0x1p-16 - 0.5);
    return low | half_round(c, o, ((double)(word >> 16) + 0.5) * 0x1p-16 - 0.5) << 16;
}

EXEC(f32sufromui)
{
    W(0) = as_bits(uniform32(R(1)));
}

EXEC(f32v2sufromui)
{
    uint32_t x0 = R(1), x1 = R1(1);
    W(0) = as_bits(uniform32(x0));
    W1(0) = as_bits(uniform32(x1));
}

EXEC(f16v2sufromui)
{
    W(0) = uniform16(c, o, R(1));
}

EXEC(f16v4sufromui)
{
    uint32_t x0 = R(1), x1 = R1(1);
    W(0) = uniform16(c, o, x0);
    W1(0) = uniform16(c, o, x1);
}

/* ---- within halves ---- */

static uint32_t sum_of_halves(struct tile_context *c, const struct tile_op *o, uint32_t word)
{
    float x = half_low(word), y = half_high(word);
    return fp_result(c, o, x + y, x, y);
}

EXEC(f16v2sum)
{
    W(0) = sum_of_halves(c, o, R(1));
}

EXEC(f16v4sum)
{
    uint32_t x0 = R(1), x1 = R1(1);
    W(0) = sum_of_halves(c, o, x0);
    W1(0) = sum_of_halves(c, o, x1);
}

/* The half of the word that is greater; a NaN is ignored. */
static uint32_t greater_half(uint32_t word)
{
    float x = half_low(word), y = half_high(word);
    return x >= y || isnan(y) ? word & 0xffff : word >> 16;
}

EXEC(f16v2maxc)
{
    W(0) = greater_half(R(1)) * UINT32_C(0x10001);
}

EXEC(f16v4maxc)
{
    uint32_t low = greater_half(R(1));
    W(0) = low | greater_half(R1(1)) << 16;
}

/* ---- quarters (ipu21): 1-4-3 or 1-5-2 bits by FP_NFMT, times 2^FP_SCL; the code 0x80 is NaN, and there is no
 * infinity.  The exponent's bias is 8 or 16. ---- */

static int quarter_scale(const struct tile_context *c)
{
    int scale = (int)(c->fp_scl & 0x3f);
    return scale >= 32 ? scale - 64 : scale;
}

float tile_quarter(const struct tile_context *c, uint32_t code)
{
    unsigned fraction_bits = c->fp_nfmt & 1 ? 2 : 3;
    int bias = c->fp_nfmt & 1 ? 16 : 8, exponent = (int)((code & 0x7f) >> fraction_bits);
    uint32_t fraction = code & ((1u << fraction_bits) - 1);
    if (code == 0x80)
        return NAN;
    double value = exponent ? ldexp((double)(fraction | 1u << fraction_bits), exponent - bias - (int)fraction_bits)
                            : ldexp((double)fraction, 1 - bias - (int)fraction_bits);
    return (float)ldexp(code & 0x80 ? -value : value, quarter_scale(c));
}

/* Rounds to nearest even; what is too large becomes the largest code. */
static uint32_t quarter_code(const struct tile_context *c, float x)
{
    unsigned fraction_bits = c->fp_nfmt & 1 ? 2 : 3;
    int bias = c->fp_nfmt & 1 ? 16 : 8, exponent;
    if (isnan(x))
        return 0x80;
    double magnitude = isinf(x) ? 1e30 : ldexp(fabs((double)x), -quarter_scale(c));
    frexp(magnitude, &exponent);
    int unit = exponent - 1 - (int)fraction_bits, least = 1 - bias - (int)fraction_bits;
    unit = unit < least || magnitude == 0 ? least : unit;
    double places = to_integral(ldexp(magnitude, -unit), ROUND_NEAREST);
    /* Codes count the last places: one step of the exponent is 2^fraction_bits of them. */
    double code = places + (double)((unit - least) * (1 << fraction_bits));
    uint32_t bits = code > 127 ? 127 : (uint32_t)code;
    return bits && signbit(x) ? bits | 0x80 : bits;
}

static uint32_t quarters_of(const struct tile_context *c, uint32_t low, uint32_t high)
{
    return quarter_code(c, half_low(low)) | quarter_code(c, half_high(low)) << 8 |
           quarter_code(c, half_low(high)) << 16 | quarter_code(c, half_high(high)) << 24;
}

EXEC(f16v2tof8)
{
    W(0) = quarters_of(c, R(1), 0) & 0xffff;
}

EXEC(f16v8tof8)
{
    const uint32_t *x = &R(1);
    uint32_t low = quarters_of(c, x[0], x[1]), high = quarters_of(c, x[2], x[3]);
    W(0) = low;
    W1(0) = high;
}

static uint32_t halves_of_quarters(struct tile_context *c, const struct tile_op *o, uint32_t codes)
{
    uint32_t low = half_round(c, o, (double)tile_quarter(c, codes & 0xff));
    return low | half_round(c, o, (double)tile_quarter(c, codes >> 8 & 0xff)) << 16;
}

EXEC(f8v2tof16)
{
    W(0) = halves_of_quarters(c, o, R(1) & 0xffff);
}

EXEC(f8v4tof16)
{
    uint32_t codes = R(1), low = halves_of_quarters(c, o, codes & 0xffff);
    W1(0) = halves_of_quarters(c, o, codes >> 16);
    W(0) = low;
}
