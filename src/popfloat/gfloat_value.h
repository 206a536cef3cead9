/* SPDX-License-Identifier: Apache-2.0 */
/* Rounding one value to a custom float, and its packed code.  For codelets. */
#ifndef POPFLOAT_GFLOAT_VALUE_H
#define POPFLOAT_GFLOAT_VALUE_H

#include <popops/element_functions.h>

/* A format, with what follows from it. */
struct gfloat {
    int mantissa_bits, exponent_bits, bias;
    _Bool denormals, infinities;
    double largest, least_normal;
};

/* 2^n; n from -1022 to 1023. */
static inline double gfloat_power(int n)
{
    uint64_t bits = (uint64_t)(n + 1023) << 52;
    double value;
    __builtin_memcpy(&value, &bits, sizeof(value));
    return value;
}

/* params: as the vertices of parameters write them. */
static inline struct gfloat gfloat_of(const int *params)
{
    struct gfloat f = { params[0], params[1], params[2], params[3] & 1, params[3] >> 1 & 1, 0, 0 };
    int most = (1 << f.exponent_bits) - 1 - f.bias - f.infinities;
    /* where all values are denormals, the largest is 0.11...1 x 2^(1 - bias) */
    _Bool block = most < 1 - f.bias;
    f.largest = gfloat_power(block ? -f.bias : most) * (2 - gfloat_power(block - f.mantissa_bits));
    f.least_normal = f.exponent_bits ? gfloat_power(1 - f.bias) : 0;
    return f;
}

/* The binary exponent of a positive double that is no subnormal. */
static inline int gfloat_exponent(double size)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &size, sizeof(bits));
    return (int)(bits >> 52 & 0x7ff) - 1023;
}
/* The exponent whose step a value's mantissa counts in. */
static inline int gfloat_step_exponent(const struct gfloat *f, double size)
{
    int least = 1 - f->bias, exponent = gfloat_exponent(size);
    return !f->exponent_bits || (f->denormals && exponent < least) ? least : exponent;
}

/* ---- random numbers: a counter's hash, one for each element of each run ---- */

struct gfloat_random {
    uint64_t state;
};
static inline uint64_t gfloat_draw(struct gfloat_random *r)
{
    uint64_t x = r->state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}
/* In (0, 1). */
static inline float gfloat_uniform(struct gfloat_random *r)
{
    return ((float)(gfloat_draw(r) >> 42) + 0.5f) * 0x1p-22f;
}
static inline float gfloat_normal(struct gfloat_random *r)
{
    float size = __builtin_sqrtf(-2 * popops_logf(gfloat_uniform(r)));
    return size * popops_cosf(6.2831853f * gfloat_uniform(r));
}

/* ---- rounding ---- */

struct gfloat_rounding {
    unsigned mode, density, srBits; /* popfloat_round, popfloat_density */
    unsigned nanoo;
    float offset, scale, max, min, bernoulli;
};
enum { GFLOAT_RZ = 1, GFLOAT_RN, GFLOAT_RA, GFLOAT_RU, GFLOAT_RD, GFLOAT_SR, GFLOAT_SX };
enum {
    GFLOAT_UNIFORM = 1,
    GFLOAT_NORMAL,
    GFLOAT_TRUNCATED_NORMAL,
    GFLOAT_BERNOULLI,
    GFLOAT_LOGISTIC,
    GFLOAT_TRUNCATED_LOGISTIC,
    GFLOAT_LAPLACE,
    GFLOAT_TRUNCATED_LAPLACE,
    GFLOAT_LOGIT_NORMAL,
    GFLOAT_TRUNCATED_LOGIT_NORMAL,
    GFLOAT_TRIES = 64 /* of a truncated density, whose last sample is clamped */
};

static inline float gfloat_laplace(float u)
{
    return u < 0.5f ? popops_logf(2 * u) : -popops_logf(2 - 2 * u);
}
static inline float gfloat_sample(const struct gfloat_rounding *v, struct gfloat_random *r)
{
    float u;
    switch (v->density) {
    case GFLOAT_UNIFORM:
        return (gfloat_uniform(r) - 0.5f) * (v->max - v->min) + 0.5f * (v->max + v->min);
    case GFLOAT_NORMAL:
    case GFLOAT_TRUNCATED_NORMAL:
        return gfloat_normal(r) * v->scale + v->offset;
    case GFLOAT_LOGISTIC:
    case GFLOAT_TRUNCATED_LOGISTIC:
        u = gfloat_uniform(r);
        return popops_logf(u / (1 - u)) * v->scale + v->offset;
    case GFLOAT_LAPLACE:
    case GFLOAT_TRUNCATED_LAPLACE:
        return gfloat_laplace(gfloat_uniform(r)) * v->scale + v->offset;
    default:
        return popops_sigmoidf(gfloat_normal(r) * v->scale + v->offset);
    }
}
/* The noise of SX: clamped, or drawn again while it is outside of the limits. */
static inline float gfloat_noise(const struct gfloat_rounding *v, struct gfloat_random *r)
{
    _Bool truncated = v->density == GFLOAT_TRUNCATED_NORMAL || v->density == GFLOAT_TRUNCATED_LOGISTIC ||
                      v->density == GFLOAT_TRUNCATED_LAPLACE || v->density == GFLOAT_TRUNCATED_LOGIT_NORMAL;
    float noise = gfloat_sample(v, r);
    for (int i = 1; truncated && i < GFLOAT_TRIES && (noise < v->min || noise > v->max); ++i)
        noise = gfloat_sample(v, r);
    return popops_clampf(noise, v->min, v->max);
}

/* Whole steps that a magnitude of `steps` becomes; bits: random bits below the step. */
static inline double gfloat_stochastic(const struct gfloat_rounding *v, struct gfloat_random *r, double steps, int bits)
{
    double whole = (double)(uint64_t)steps, grain = gfloat_power(bits > 0 ? bits : 0), noise;
    if (v->mode == GFLOAT_SR) {
        noise = (double)(uint64_t)(gfloat_power(-22) * (double)(gfloat_draw(r) >> 42) * grain) / grain;
    } else if (v->density == GFLOAT_BERNOULLI) {
        return whole + (steps > whole && gfloat_uniform(r) < v->bernoulli);
    } else {
        _Bool away = v->density >= GFLOAT_NORMAL && v->density != GFLOAT_LOGISTIC &&
                     v->density != GFLOAT_TRUNCATED_LOGISTIC && v->density < GFLOAT_LOGIT_NORMAL;
        noise = (double)gfloat_noise(v, r);
        noise = (noise < 0 ? -1 : 1) * (double)(uint64_t)((noise < 0 ? -noise : noise) * grain) / grain;
        noise += away ? 0.5 : 0;
    }
    double moved = steps + noise;
    return moved > 0 ? (double)(uint64_t)moved : 0;
}
static inline double gfloat_whole_steps(const struct gfloat_rounding *v, struct gfloat_random *r, double steps,
                                        _Bool negative, int bits)
{
    double whole = (double)(uint64_t)steps, rest = steps - whole;
    switch (v->mode) {
    case GFLOAT_RN:
        return whole + (rest > 0.5 || (rest == 0.5 && ((uint64_t)whole & 1)));
    case GFLOAT_RA:
        return whole + (rest >= 0.5);
    case GFLOAT_RU:
        return whole + (rest > 0 && !negative);
    case GFLOAT_RD:
        return whole + (rest > 0 && negative);
    case GFLOAT_SR:
    case GFLOAT_SX:
        return gfloat_stochastic(v, r, steps, bits);
    default:
        return whole;
    }
}

/* The value of the format that x becomes. */
static inline float gfloat_round(const struct gfloat *f, const struct gfloat_rounding *v, struct gfloat_random *r,
                                 float x)
{
    uint32_t sign = popops_bits_of(x) & 0x80000000u;
    double size = (double)popops_float_of(popops_bits_of(x) & 0x7fffffffu), result;
    if (x != x || size == 0)
        return x;
    if (size > 0x1p128 * 0.99999998) /* infinity */
        result = v->nanoo ? size : f->largest;
    else {
        int at = gfloat_step_exponent(f, size);
        double step = gfloat_power(at - f->mantissa_bits);
        int bits = (int)v->srBits - f->mantissa_bits;
        result = gfloat_whole_steps(v, r, size / step, sign != 0, bits) * step;
        if (!f->denormals && result < f->least_normal)
            result = 0;
        if (result > f->largest)
            return v->nanoo ? popops_float_of(0x7fd9c07eu) : popops_float_of(sign | popops_bits_of((float)f->largest));
    }
    return popops_float_of(sign | popops_bits_of((float)result));
}

/* ---- packed codes ---- */

static inline unsigned gfloat_encode(const struct gfloat *f, float x)
{
    unsigned ones = ((1u << f->exponent_bits) - 1) << f->mantissa_bits;
    unsigned sign = popops_bits_of(x) >> 31 << (f->mantissa_bits + f->exponent_bits);
    double size = (double)popops_float_of(popops_bits_of(x) & 0x7fffffffu);
    if (x != x || (!f->infinities && size > f->largest))
        return f->infinities ? ones | (f->mantissa_bits ? 1u << (f->mantissa_bits - 1) : 0)
                             : 1u << (f->mantissa_bits + f->exponent_bits);
    if (size > f->largest)
        return sign | ones;
    if (size == 0)
        return f->infinities ? sign : 0;
    int least = 1 - f->bias, exponent = gfloat_exponent(size);
    if (!f->exponent_bits || exponent < least)
        return sign | (unsigned)(size / gfloat_power(least - f->mantissa_bits));
    return sign + ((unsigned)(exponent + f->bias - 1) << f->mantissa_bits) +
           (unsigned)(size / gfloat_power(exponent - f->mantissa_bits));
}
static inline float gfloat_decode(const struct gfloat *f, unsigned code)
{
    unsigned places = (unsigned)(f->mantissa_bits + f->exponent_bits), ones = (1u << f->exponent_bits) - 1;
    unsigned exponent = code >> f->mantissa_bits & ones, mantissa = code & ((1u << f->mantissa_bits) - 1);
    _Bool negative = code >> places & 1;
    if (f->infinities && exponent == ones)
        return popops_float_of(mantissa ? 0x7fd9c07eu : negative ? 0xff800000u : 0x7f800000u);
    if (!f->infinities && negative && !exponent && !mantissa)
        return popops_float_of(0x7fd9c07eu);
    if (exponent)
        mantissa |= 1u << f->mantissa_bits;
    double size = (double)mantissa * gfloat_power((int)(exponent ? exponent : 1) - f->bias - f->mantissa_bits);
    return (float)(negative ? -size : size);
}

#endif
