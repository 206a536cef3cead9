/* SPDX-License-Identifier: Apache-2.0 */
/* 8-bit floats: casts there and back, and products. */
#include "generators.h"

#include <poplar/metadata.h>
#include <poplin/mat_mul.h>
#include <popops/cast.h>

/* The value of a code from 0 to 0x80; the last one is what would follow the largest. */
static double magnitude(bool f143, unsigned code)
{
    int mantissa_bits = f143 ? 3 : 2, bias = f143 ? 8 : 16, exponent = (int)code >> mantissa_bits;
    double mantissa = ldexp((double)(code & ((1u << mantissa_bits) - 1)), -mantissa_bits);
    return exponent ? ldexp(1 + mantissa, exponent - bias) : ldexp(mantissa, 1 - bias);
}
static double as_quarter(bool f143, int scale, double x)
{
    double size = ldexp(fabs(x), -scale);
    unsigned low = 0, high = 0x80; /* magnitude(low) <= size < magnitude(high) */
    if (!isfinite(x) || size >= magnitude(f143, high))
        return NAN;
    while (high - low > 1) {
        unsigned middle = (low + high) / 2;
        *(magnitude(f143, middle) <= size ? &low : &high) = middle;
    }
    double down = size - magnitude(f143, low), up = magnitude(f143, high) - size;
    unsigned code = up < down || (up == down && low % 2) ? high : low;
    return code == 0x80 ? NAN : copysign(ldexp(magnitude(f143, code), scale), code ? x : 1);
}

/* Signs of zeros are not compared. */
static void cast_reference(const struct operation *op, double *const *in, struct expected *out)
{
    for (size_t i = 0; i < out->count; ++i)
        out->value[i] = rounded_to(op->out[0].view.type, as_quarter(op->whole[0], (int)op->whole[1], in[0][i]));
    out->relative = out->absolute = 0;
}
static void product_reference(const struct operation *op, double *const *in, struct expected *out)
{ /* whole: formats and scales of both, m, k, n */
    size_t m = (size_t)op->whole[4], k = (size_t)op->whole[5], n = (size_t)op->whole[6];
    for (size_t i = 0; i < m * n; ++i) {
        out->value[i] = out->magnitude[i] = 0;
        for (size_t j = 0; j < k; ++j) {
            double term = as_quarter(op->whole[0], (int)op->whole[1], in[0][i / n * k + j]) *
                          as_quarter(op->whole[2], (int)op->whole[3], in[1][j * n + i % n]);
            out->value[i] += term;
            out->magnitude[i] += fabs(term);
        }
    }
    sum_tolerance(op, out, POP_HALF, k);
}

static pop_tensor quarter_of(struct world *w, struct operation *op, pop_program sequence, pop_tensor t, size_t which)
{
    op->whole[2 * which] = chance(w, 50);
    op->whole[2 * which + 1] = (long)between(w, 0, 8) - 4;
    op_describe(op, " f%d scale %ld", op->whole[2 * which] ? 143 : 152, op->whole[2 * which + 1]);
    pop_tensor metadata = pop_create_constant_metadata_tensor(
        w->graph, op->whole[2 * which] ? POP_QUARTER_F143 : POP_QUARTER_F152, (int)op->whole[2 * which + 1], "m");
    return popops_cast_with_metadata(w->graph, t, POP_QUARTER, metadata, sequence, "q");
}

void make_quarter(struct world *w)
{
    pop_program sequence;
    bool multiplies = chance(w, 40);
    struct operation *op = op_begin(w, multiplies ? "quarter_product" : "quarter_cast", &sequence);
    if (multiplies) {
        size_t m = between(w, 1, 12), k = between(w, 1, 40), n = between(w, 1, 12);
        size_t a_dims[] = { m, k }, b_dims[] = { k, n };
        op->reference = product_reference;
        struct view a = op_reads(w, op, wanted(w, any_real(w), a_dims, 2, true, -2, 2)),
                    b = op_reads(w, op, wanted(w, any_real(w), b_dims, 2, true, -2, 2));
        pop_tensor left = quarter_of(w, op, sequence, a.tensor, 0), right = quarter_of(w, op, sequence, b.tensor, 1);
        op->whole[60] = 1; /* half partials */
        op->whole[4] = (long)m;
        op->whole[5] = (long)k;
        op->whole[6] = (long)n;
        /* groups of 32 input channels, which halves have not: the codes are multiplied as they are */
        const pop_target *target = pop_graph_target(w->graph);
        bool keeps = pop_target_num_conv_units(target, POP_QUARTER, POP_HALF) &&
                     target->poplibs_release == POP_POPLIBS_2021 && chance(w, 70);
        pop_options kept = POP_OPTIONS({ "planConstraints", "{\"inChansPerGroup\": 32}" });
        op_describe(op, keeps ? " kept" : "");
        op_makes(w, op,
                 poplin_mat_mul_typed(w->graph, left, right, sequence, POP_HALF, "p", keeps ? kept : POP_NO_OPTIONS,
                                      w->cache));
    } else {
        op->reference = cast_reference;
        struct view in = op_reads(w, op, any_view(w, any_real(w), true, -300, 300, 6000));
        pop_tensor q = quarter_of(w, op, sequence, in.tensor, 0);
        op_makes(w, op, popops_cast(w->graph, q, any_real(w), sequence, "back"));
    }
    op_end(w, op, sequence, 2);
}
