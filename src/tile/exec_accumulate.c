/* SPDX-License-Identifier: Apache-2.0 */
/* Accumulators outside AMP and SLIC.  Element k of a vector belongs to accumulator 2k. */
#include "tile/exec.h"

#include <math.h>

static void add_to(struct tile_context *c, unsigned element, double value)
{
    c->aacc[2 * element] = (float)((double)c->aacc[2 * element] + value);
}

static double square(double x)
{
    return x * x;
}

#define ACCUMULATE_HALVES(name, count, of)                                                                             \
    EXEC(name)                                                                                                         \
    {                                                                                                                  \
        const uint32_t *x = &R(0);                                                                                     \
        for (unsigned i = 0; i < (count); ++i)                                                                         \
            add_to(c, i, of((double)half_value(x[i / 2] >> (16 * (i % 2)) & 0xffff)));                                 \
    }
#define ACCUMULATE_FLOATS(name, of)                                                                                    \
    EXEC(name)                                                                                                         \
    {                                                                                                                  \
        const uint32_t *x = &R(0);                                                                                     \
        for (unsigned i = 0; i < 4; ++i)                                                                               \
            add_to(c, i, of((double)as_float(x[i])));                                                                  \
    }
ACCUMULATE_HALVES(f16v4acc, 4, )
ACCUMULATE_HALVES(f16v8acc, 8, )
ACCUMULATE_HALVES(f16v4absacc, 4, fabs)
ACCUMULATE_HALVES(f16v8absacc, 8, fabs)
ACCUMULATE_HALVES(f16v8sqacc, 8, square)
ACCUMULATE_FLOATS(f32v4acc, )
ACCUMULATE_FLOATS(f32v4absacc, fabs)
ACCUMULATE_FLOATS(f32v4sqacc, square)

EXEC(f32mac)
{
    add_to(c, 0, (double)F(0) * (double)F(1));
}

EXEC(f32v2mac)
{
    add_to(c, 0, (double)F(0) * (double)F(1));
    add_to(c, 1, (double)F1(0) * (double)F1(1));
}

static double half_dot(uint32_t x, uint32_t y)
{
    double low = (double)half_low(x) * (double)half_low(y), high = (double)half_high(x) * (double)half_high(y);
    return low + high;
}

EXEC(f16v2cmac)
{
    add_to(c, 0, half_dot(R(0), R(1)));
}

EXEC(f16v4cmac)
{
    add_to(c, 0, half_dot(R(0), R(1)));
    add_to(c, 1, half_dot(R1(0), R1(1)));
}

EXEC(f32v2aop)
{
    add_to(c, 0, (double)F(0) * (double)F(1));
    add_to(c, 1, (double)F1(0) * (double)F(1));
    add_to(c, 2, (double)F(0) * (double)F1(1));
    add_to(c, 3, (double)F1(0) * (double)F1(1));
}

EXEC(f32v2axpy)
{
    double scale = (double)as_float(c->tas), x0 = (double)F(1) * scale, x1 = (double)F1(1) * scale;
    float y0 = F(2), y1 = F1(2);
    put_pair(c, o->to[0], fp_quiet(c->aacc[0]), fp_quiet(c->aacc[2]));
    c->aacc[0] = (float)(x0 + (double)y0);
    c->aacc[2] = (float)(x1 + (double)y1);
}

static uint32_t accumulators_as_halves(struct tile_context *c, const struct tile_op *o, unsigned first, unsigned second)
{
    uint32_t low = half_bits(c, o, c->aacc[first]);
    return low | half_bits(c, o, c->aacc[second]) << 16;
}

static float mixed(uint32_t scales, float x, float y)
{
    double first = (double)half_low(scales) * (double)x, second = (double)half_high(scales) * (double)y;
    return (float)(first + second);
}

EXEC(f16v4mix)
{
    const uint32_t x[2] = { R(1), R1(1) }, y[2] = { R(2), R1(2) };
    uint32_t low = accumulators_as_halves(c, o, 0, 2), high = accumulators_as_halves(c, o, 4, 6);
    W(0) = low;
    W1(0) = high;
    for (unsigned i = 0; i < 2; ++i) {
        c->aacc[4 * i] = mixed(c->tas, half_low(x[i]), half_low(y[i]));
        c->aacc[4 * i + 2] = mixed(c->tas, half_high(x[i]), half_high(y[i]));
    }
}

EXEC(f16v4gacc)
{
    uint32_t low = accumulators_as_halves(c, o, 0, 2);
    W1(0) = accumulators_as_halves(c, o, 4, 6);
    W(0) = low;
}

/* Get and initialise: 0 and 1 are the even and odd accumulators of the first set, 2 and 3 those of the second. */
static float *gina_line(struct tile_context *c, const struct tile_op *o)
{
    unsigned which = (unsigned)o->value;
    if (which > (c->tile->arch == TILE_IPU1 ? 1 : 3))
        tile_raise(c, o, TILE_INVALID_OP, 0, "gets accumulators %u, which do not exist", which);
    return c->aacc + (which & 1) + (which & 2 ? 16 : 0);
}

static void gina_shift(float *a, float s0, float s1)
{
    for (unsigned k = 0; k <= 10; k += 2)
        a[k] = a[k + 4];
    a[12] = s0;
    a[14] = s1;
}

EXEC(f32v2gina)
{
    float *a = gina_line(c, o), s0 = F(1), s1 = F1(1);
    W(0) = as_bits(a[0]);
    W1(0) = as_bits(a[2]);
    gina_shift(a, s0, s1);
}

EXEC(f16v2gina)
{
    float *a = gina_line(c, o);
    uint32_t s = R(1), low = half_bits(c, o, a[0]);
    W(0) = low | half_bits(c, o, a[2]) << 16;
    gina_shift(a, half_low(s), half_high(s));
}

/* ---- transposing: the accumulators hold the matrix's bits, as AMP's columns and line hold results ---- */

static void take_line(struct tile_context *c, uint32_t *to)
{
    to[0] = as_bits(c->aacc[1]);
    to[1] = as_bits(c->aacc[3]);
    for (unsigned k = 1; k < 12; k += 2)
        c->aacc[k] = c->aacc[k + 4];
}

/* P0 reads rows 0 and 1, P1 rows 2 and 3. */
EXEC(f16v4istacc)
{
    const uint32_t x[2] = { R(1), R1(1) }, y[2] = { R(2), R1(2) };
    unsigned second = (unsigned)o->value & 1;
    take_line(c, &W(0));
    for (unsigned k = 0; k < 4; ++k) {
        uint32_t low = x[k / 2] >> (16 * (k % 2)) & 0xffff, high = y[k / 2] >> (16 * (k % 2)) & 0xffff;
        c->aacc[4 * k + 2 * second] = as_float(low | high << 16);
    }
}

EXEC(f16v4stacc)
{
    if (o->value & 1) {
        take_line(c, &W(0));
        return;
    }
    W(0) = as_bits(c->aacc[0]);
    W1(0) = as_bits(c->aacc[2]);
    for (unsigned k = 0; k < 12; k += 2)
        c->aacc[k + 1] = c->aacc[k + 4];
}
