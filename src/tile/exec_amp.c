/* SPDX-License-Identifier: Apache-2.0 */
/* AMP and SLIC: products with the weights that all workers share.  The even accumulators are the columns, the odd ones
 * the line on which partials come in and results leave, two at a time (docs/reference/tile-isa.md, 2.14 and 2.15).
 *
 * The order of additions on the machine is not published.  Here the products of one instruction are added as doubles,
 * in pairs, then the accumulator; the sum is rounded to float once. */
#include "tile/exec.h"

enum { COLUMNS = 8, SET = 16 }; /* accumulators of a set */
/* Flags: the phase, or the word and (SLIC_OF_4) the width of the kernel; SLIC_HIGH: the high float of the word. */
enum { AMP_PHASE = 7, SLIC_WORD = 1, SLIC_HIGH = 2, SLIC_OF_4 = 16 };

struct columns {
    double of[COLUMNS];
};
struct two {
    float of[2];
};

/* ---- the products of one instruction, by column ---- */

static struct columns half_products(const struct tile *tile, const uint32_t *x, unsigned phase, unsigned first)
{
    const double x0 = (double)half_low(x[0]), x1 = (double)half_high(x[0]), x2 = (double)half_low(x[1]),
                 x3 = (double)half_high(x[1]);
    const double(*weights)[16] = tile->half_weights[phase];
    struct columns sum;
    for (unsigned m = 0; m < COLUMNS; ++m) {
        double low = x0 * weights[0][first + m] + x1 * weights[1][first + m];
        double high = x2 * weights[2][first + m] + x3 * weights[3][first + m];
        sum.of[m] = low + high;
    }
    return sum;
}

static struct columns float_products(const struct tile *tile, float x, unsigned phase, unsigned first)
{
    struct columns sum;
    for (unsigned m = 0; m < COLUMNS; ++m)
        sum.of[m] = (double)x * (double)tile->float_weights[phase >> 1][phase & 1][first + m];
    return sum;
}

static struct columns quarter_products(const struct tile_context *c, const uint32_t *x, unsigned phase, unsigned first)
{
    struct columns sum;
    for (unsigned m = 0; m < COLUMNS; ++m) {
        uint64_t weights = c->tile->weight_words[4 * (first + m) + phase];
        sum.of[m] = 0;
        for (unsigned i = 0; i < 8; ++i)
            sum.of[m] += (double)tile_quarter(c, x[i / 4] >> (8 * (i % 4)) & 0xff) *
                         (double)tile_quarter(c, (uint32_t)(weights >> (8 * i)) & 0xff);
    }
    return sum;
}

/* ---- partials and results ---- */

static struct two two_floats(const uint32_t *from)
{
    return (struct two){ { as_float(from[0]), as_float(from[1]) } };
}
static struct two two_from_halves(uint32_t word)
{
    return (struct two){ { half_low(word), half_high(word) } };
}
static void put_floats(struct tile_context *c, const struct tile_op *o, struct two two)
{
    put_pair(c, o->to[0], fp_quiet(two.of[0]), fp_quiet(two.of[1]));
}
static uint32_t put_halves(struct tile_context *c, const struct tile_op *o, struct two two)
{
    uint32_t low = half_bits(c, o, two.of[0]);
    return low | half_bits(c, o, two.of[1]) << 16;
}

/* ---- AMP ---- */

/* Moves the line by one pair: returns the pair that leaves. */
static struct two shift_line(float *a, struct two in)
{
    struct two out = { { a[1], a[3] } };
    for (unsigned k = 0; k < COLUMNS - 2; ++k)
        a[2 * k + 1] = a[2 * (k + 2) + 1];
    a[2 * (COLUMNS - 2) + 1] = in.of[0];
    a[2 * (COLUMNS - 1) + 1] = in.of[1];
    return out;
}

/* Exchanges columns and line: results go to the line, partials to the columns. */
static void exchange(float *a)
{
    for (unsigned m = 0; m < COLUMNS; ++m) {
        float result = a[2 * m];
        a[2 * m] = a[2 * m + 1];
        a[2 * m + 1] = result;
    }
}

static void accumulate(float *a, const struct columns *products)
{
    for (unsigned m = 0; m < COLUMNS; ++m)
        a[2 * m] = (float)((double)a[2 * m] + products->of[m]);
}

/* One step of a set whose line moves with every instruction. */
static struct two amp_step(float *a, unsigned phase, struct two in, const struct columns *products)
{
    if (phase == 0)
        exchange(a);
    struct two out = shift_line(a, in);
    accumulate(a, products);
    return out;
}

EXEC(f16v4sisoamp)
{
    unsigned phase = (unsigned)o->value & 3;
    struct columns products = half_products(c->tile, &R(1), phase, 0);
    put_floats(c, o, amp_step(c->aacc, phase, two_floats(&R(2)), &products));
}

EXEC(f16v4hihoamp)
{
    unsigned phase = (unsigned)o->value & 3;
    struct columns products = half_products(c->tile, &R(1), phase, 0);
    W(0) = put_halves(c, o, amp_step(c->aacc, phase, two_from_halves(R(2)), &products));
}

EXEC(f16v4sihoamp)
{
    unsigned phase = (unsigned)o->value & 3;
    struct columns products = half_products(c->tile, &R(1), phase, 0);
    W(0) = put_halves(c, o, amp_step(c->aacc, phase, two_floats(&R(2)), &products));
}

EXEC(f16v4hihov4amp)
{
    unsigned phase = (unsigned)o->value & 3;
    uint32_t in0 = R(2), in1 = R1(2);
    struct columns first = half_products(c->tile, &R(1), phase, 0), second = half_products(c->tile, &R(1), phase, 8);
    uint32_t low = put_halves(c, o, amp_step(c->aacc, phase, two_from_halves(in0), &first));
    W1(0) = put_halves(c, o, amp_step(c->aacc + SET, phase, two_from_halves(in1), &second));
    W(0) = low;
}

EXEC(f8v8hihov4amp)
{
    unsigned phase = (unsigned)o->value & 3;
    uint32_t in0 = R(2), in1 = R1(2);
    struct columns first = quarter_products(c, &R(1), phase, 0), second = quarter_products(c, &R(1), phase, 8);
    uint32_t low = put_halves(c, o, amp_step(c->aacc, phase, two_from_halves(in0), &first));
    W1(0) = put_halves(c, o, amp_step(c->aacc + SET, phase, two_from_halves(in1), &second));
    W(0) = low;
}

/* The line moves with even phases alone. */
EXEC(f32sisoamp)
{
    unsigned phase = (unsigned)o->value & AMP_PHASE;
    struct columns products = float_products(c->tile, F(1), phase, 0);
    if (phase & 1)
        accumulate(c->aacc, &products);
    else
        put_floats(c, o, amp_step(c->aacc, phase, two_floats(&R(2)), &products));
}

/* Set 0 moves with even phases, set 1 with odd ones; both exchange in phase 0. */
EXEC(f32sisov2amp)
{
    unsigned phase = (unsigned)o->value & AMP_PHASE;
    struct columns first = float_products(c->tile, F(1), phase, 0), second = float_products(c->tile, F(1), phase, 8);
    struct two in = two_floats(&R(2));
    if (phase == 0) {
        exchange(c->aacc);
        exchange(c->aacc + SET);
    }
    put_floats(c, o, shift_line(c->aacc + (phase & 1 ? SET : 0), in));
    accumulate(c->aacc, &first);
    accumulate(c->aacc + SET, &second);
}

/* ---- SLIC: two chains of accumulators, each adding a product of the same input as a sum passes ---- */

static struct two slic_step(float *a, unsigned flags, struct two in, const struct columns *products)
{
    struct two out;
    bool of4 = flags & SLIC_OF_4;
    for (unsigned q = 0; q < 2; ++q) {
        float *chain = a + 2 * q;
        const double *product = products->of + q;
        out.of[q] = chain[0];
        chain[0] = (float)((double)chain[4] + product[0]);
        chain[4] = (float)((double)chain[8] + product[2]);
        chain[8] = (float)((double)(of4 ? chain[12] : in.of[q]) + product[4]);
        if (of4)
            chain[12] = (float)((double)in.of[q] + product[6]);
    }
    return out;
}

EXEC(f16v4sisoslic)
{
    struct columns products = half_products(c->tile, &R(1), (unsigned)o->value & SLIC_WORD, 0);
    put_floats(c, o, slic_step(c->aacc, (unsigned)o->value, two_floats(&R(2)), &products));
}

EXEC(f16v4hihoslic)
{
    struct columns products = half_products(c->tile, &R(1), (unsigned)o->value & SLIC_WORD, 0);
    W(0) = put_halves(c, o, slic_step(c->aacc, (unsigned)o->value, two_from_halves(R(2)), &products));
}

EXEC(f16v4sihoslic)
{
    struct columns products = half_products(c->tile, &R(1), (unsigned)o->value & SLIC_WORD, 0);
    W(0) = put_halves(c, o, slic_step(c->aacc, (unsigned)o->value, two_floats(&R(2)), &products));
}

/* Both sets at once; two sets of sums from the same products' input. */
static void slic_two_sets(struct tile_context *c, const struct tile_op *o, const struct columns *first,
                          const struct columns *second)
{
    uint32_t in0 = R(2), in1 = R1(2);
    uint32_t low = put_halves(c, o, slic_step(c->aacc, (unsigned)o->value, two_from_halves(in0), first));
    W1(0) = put_halves(c, o, slic_step(c->aacc + SET, (unsigned)o->value, two_from_halves(in1), second));
    W(0) = low;
}

EXEC(f16v4hihov4slic)
{
    unsigned word = (unsigned)o->value & SLIC_WORD;
    struct columns first = half_products(c->tile, &R(1), word, 0), second = half_products(c->tile, &R(1), word, 8);
    slic_two_sets(c, o, &first, &second);
}

EXEC(f8v8hihov4slic)
{
    unsigned word = (unsigned)o->value & SLIC_WORD;
    struct columns first = quarter_products(c, &R(1), word, 0), second = quarter_products(c, &R(1), word, 8);
    slic_two_sets(c, o, &first, &second);
}

/* The high float of a word is added where the low one's step left the sums. */
static void slic_add(float *a, unsigned flags, const struct columns *products)
{
    for (unsigned q = 0; q < 2; ++q)
        for (unsigned k = 0; k < (flags & SLIC_OF_4 ? 4u : 3u); ++k)
            a[4 * k + 2 * q] = (float)((double)a[4 * k + 2 * q] + products->of[2 * k + q]);
}

static unsigned slic_phase(int32_t flags)
{
    return 2 * ((unsigned)flags & SLIC_WORD) + (flags & SLIC_HIGH ? 1 : 0);
}

EXEC(f32sisoslic)
{
    struct columns products = float_products(c->tile, F(1), slic_phase(o->value), 0);
    if (o->value & SLIC_HIGH)
        slic_add(c->aacc, (unsigned)o->value, &products);
    else
        put_floats(c, o, slic_step(c->aacc, (unsigned)o->value, two_floats(&R(2)), &products));
}

/* The odd accumulators in which set 1 keeps its results from the low float of a position to the high one. */
enum { SLIC_KEPT = SET + 1 };

/* As f32sisoslic on both sets. Partials and results are those of set 0 with the low float and of set 1 with the high
 * one; both sets move with the low one, so that the two floats of a position are added to the same sums. */
EXEC(f32sisov2slic)
{
    unsigned phase = slic_phase(o->value), flags = (unsigned)o->value;
    struct columns first = float_products(c->tile, F(1), phase, 0), second = float_products(c->tile, F(1), phase, 8);
    struct two in = two_floats(&R(2));
    float *kept = c->aacc + SLIC_KEPT;
    if (flags & SLIC_HIGH) {
        struct two out = { { kept[0], kept[2] } };
        unsigned last = flags & SLIC_OF_4 ? 3 : 2; /* where partials come in */
        slic_add(c->aacc, flags, &first);
        for (unsigned q = 0; q < 2; ++q)
            second.of[2 * last + q] += (double)in.of[q];
        slic_add(c->aacc + SET, flags, &second);
        put_floats(c, o, out);
    } else {
        put_floats(c, o, slic_step(c->aacc, flags, in, &first));
        struct two out = slic_step(c->aacc + SET, flags, (struct two){ { 0, 0 } }, &second);
        kept[0] = out.of[0];
        kept[2] = out.of[1];
    }
}
