/* SPDX-License-Identifier: Apache-2.0 */
/* poprand: random numbers can only be checked for their range. */
#include "generators.h"

#include <poprand/random_gen.h>

static void random_reference(const struct operation *op, double *const *in, struct expected *out)
{ /* number: from, to */
    (void)in;
    for (size_t i = 0; i < out->count; ++i) {
        double middle = (op->number[0] + op->number[1]) / 2;
        out->value[i] = middle;
        out->magnitude[i] = fabs(op->number[1] - op->number[0]) / 2;
    }
    out->relative = 1.002;
    out->absolute =
        out->count ? (op->out[0].view.type == POP_HALF ? 2e-3 * (fabs(op->number[0]) + fabs(op->number[1])) : 1e-5) : 0;
}
void make_random(struct world *w)
{
    static const pop_type types[] = { POP_HALF, POP_FLOAT, POP_INT };
    size_t kind = below(w, 5);
    pop_type type = types[below(w, kind <= 1 ? 3 : 2)];
    struct view reference = any_view(w, any_real(w), false, -300, 300, 4000);
    pop_program sequence;
    static const char *const names[] = { "uniform", "bernoulli", "normal", "truncated_normal", "log_uniform" };
    struct operation *op = op_begin(w, names[kind], &sequence);
    op->reference = random_reference;
    bool seeded = chance(w, 60);
    size_t two = 2;
    op_describe(op, seeded ? " seeded" : " unseeded");
    pop_tensor seed = { 0 };
    if (seeded)
        seed = op_reads(w, op, new_view(w, POP_UNSIGNED_INT, &two, 1, 0, 1e6)).tensor;
    op_reads(w, op, reference);
    const pop_tensor *s = seeded ? &seed : NULL;
    uint32_t modifier = (uint32_t)below(w, 99);
    double low = floor(real_between(w, -9, 4)), high = low + between(w, 1, 9);
    pop_tensor out;
    switch (kind) {
    case 0:
        out = poprand_uniform(w->graph, s, modifier, reference.tensor, type, low, high, sequence, "u");
        break;
    case 1:
        low = 0, high = 1;
        out = poprand_bernoulli(w->graph, s, modifier, reference.tensor, type, real_between(w, 0, 1), sequence, "b");
        break;
    case 2:
        out = poprand_normal(w->graph, s, modifier, reference.tensor, type, low, 1, sequence, "n");
        high = low + 8;
        low -= 8;
        break;
    case 3:
        out = poprand_truncated_normal(w->graph, s, modifier, reference.tensor, type, low, 1.5, 2, sequence, "t");
        high = low + 3;
        low -= 3;
        break;
    default:
        low = 0.5;
        high = 20;
        out = poprand_log_uniform(w->graph, s, modifier, reference.tensor, type, low, high, sequence, "l");
        break;
    }
    op->number[0] = low;
    op->number[1] = high;
    op_describe(op, " %g %g", low, high);
    op_makes(w, op, out);
    op_end(w, op, sequence, seeded ? 2 : 1);
    w->bases[op->out[0].view.base].tame = false; /* not known in advance */
}
