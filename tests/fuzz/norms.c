/* SPDX-License-Identifier: Apache-2.0 */
/* popnn: batch and group norms. */
#include "generators.h"

#include <popnn/norms.h>

struct layout {
    size_t images, channels, field, groups; /* groups 0: a batch norm */
    bool strided, unbiased;
    double eps;
};
static size_t statistic_of(const struct layout *l, size_t i)
{
    size_t channel = i / l->field % l->channels, image = i / l->field / l->channels;
    if (!l->groups)
        return channel;
    return image * l->groups + (l->strided ? channel % l->groups : channel / (l->channels / l->groups));
}
static void statistics_reference(const struct operation *op, double *const *in, struct expected *out)
{
    const struct layout *l = op->extra;
    size_t all = op->in[0].count, n = out[0].count;
    double count = (double)all / (double)n, *squares = calloc(n + 1, sizeof(double)),
           *size = calloc(n + 1, sizeof(double));
    bool half = op->in[0].type == POP_HALF;
    for (size_t i = 0; i < all; ++i) {
        size_t s = statistic_of(l, i);
        out[0].value[s] += in[0][i] / count;
        size[s] += fabs(in[0][i]) / count;
        squares[s] += in[0][i] * in[0][i] / count;
    }
    double *variance = calloc(n + 1, sizeof(double));
    for (size_t i = 0; i < all; ++i) {
        size_t s = statistic_of(l, i);
        variance[s] += (in[0][i] - out[0].value[s]) * (in[0][i] - out[0].value[s]) / (l->unbiased ? count - 1 : count);
    }
    for (size_t s = 0; s < n; ++s) {
        double v = variance[s] + l->eps;
        out[0].magnitude[s] = size[s];
        out[1].value[s] = 1 / sqrt(v);
        out[1].magnitude[s] = out[1].value[s] * (1 + squares[s] / v); /* the squares less the mean's square */
        if (isnan(v) || (half && (out[1].value[s] > 2000 || squares[s] / v > 60)) || squares[s] / v > 1e4)
            out[1].magnitude[s] = INFINITY;
    }
    out[0].relative = out[1].relative = half ? 3e-3 : 6e-6;
    out[0].absolute = out[1].absolute = half ? 1e-4 : 1e-7;
    free(squares);
    free(size);
    free(variance);
}
static void normalise_reference(const struct operation *op, double *const *in, struct expected *out)
{ /* acts, gamma, beta, mean, inverse; out, whitened */
    const struct layout *l = op->extra;
    bool half = op->in[0].type == POP_HALF;
    for (size_t i = 0; i < op->in[0].count; ++i) {
        size_t s = statistic_of(l, i), c = i / l->field % l->channels;
        double x = in[0][i], white = (x - in[3][s]) * in[4][s], size = (fabs(x) + fabs(in[3][s])) * fabs(in[4][s]);
        out[0].value[i] = white * in[1][c] + in[2][c];
        out[0].magnitude[i] = size * fabs(in[1][c]) + fabs(in[2][c]);
        if (op->outs > 1) {
            out[1].value[i] = white;
            out[1].magnitude[i] = size;
        }
    }
    out[0].relative = out[1].relative = half ? 4e-3 : 2e-6;
}
static void norm_gradient_reference(const struct operation *op, double *const *in, struct expected *out)
{ /* whitened, grads, inverse, gamma; dx, dgamma, dbeta */
    const struct layout *l = op->extra;
    bool half = op->in[0].type == POP_HALF;
    size_t n = op->in[2].count, all = op->in[0].count;
    double count = (double)all / (double)n, *sums = calloc(n + 1, sizeof(double)),
           *products = calloc(n + 1, sizeof(double)), *s1 = calloc(n + 1, sizeof(double)),
           *s2 = calloc(n + 1, sizeof(double));
    for (size_t c = 0; c < out[1].count; ++c)
        out[1].magnitude[c] = out[2].magnitude[c] = 0;
    for (size_t i = 0; i < all; ++i) {
        size_t s = statistic_of(l, i), c = i / l->field % l->channels;
        double g = in[1][i] * in[3][c];
        sums[s] += g;
        products[s] += g * in[0][i];
        s1[s] += fabs(g);
        s2[s] += fabs(g * in[0][i]);
        out[1].value[c] += in[0][i] * in[1][i];
        out[1].magnitude[c] += fabs(in[0][i] * in[1][i]);
        out[2].value[c] += in[1][i];
        out[2].magnitude[c] += fabs(in[1][i]);
    }
    for (size_t i = 0; i < all; ++i) {
        size_t s = statistic_of(l, i), c = i / l->field % l->channels;
        out[0].value[i] = in[2][s] * (in[1][i] * in[3][c] - sums[s] / count - in[0][i] * products[s] / count);
        out[0].magnitude[i] =
            fabs(in[2][s]) * (fabs(in[1][i] * in[3][c]) + s1[s] / count + fabs(in[0][i]) * s2[s] / count);
    }
    for (int k = 0; k < 3; ++k) {
        out[k].relative = half ? 6e-3 : 6e-6;
        out[k].absolute = half ? 1e-5 : 1e-30;
    }
    free(sums);
    free(products);
    free(s1);
    free(s2);
}
void make_norm(struct world *w)
{
    pop_type type = any_real(w);
    struct layout l = { .images = between(w, 1, 4),
                        .channels = chance(w, 70) ? between(w, 1, 12) : any_extent(w),
                        .strided = chance(w, 50),
                        .unbiased = chance(w, 30) };
    if (!l.channels)
        l.channels = 7;
    if (chance(w, 60)) {
        do
            l.groups = between(w, 1, l.channels);
        while (l.channels % l.groups);
    }
    size_t dims[5] = { l.images, l.channels }, rank = 2 + below(w, 3), kind = below(w, 3);
    for (size_t d = 2; d < rank; ++d)
        dims[d] = between(w, 1, 6);
    l.field = product(dims + 2, rank - 2);
    l.eps = rounded_to(POP_FLOAT, chance(w, 50) ? 1e-2 : 1e-4);
    size_t statistics = l.groups ? l.images * l.groups : l.channels, all = product(dims, rank);
    if (all / statistics < 2)
        l.unbiased = false;
    pop_program sequence;
    static const char *const names[] = { "norm_statistics", "normalise", "norm_gradients" };
    struct operation *op = op_begin(w, names[kind], &sequence);
    op->extra = malloc(sizeof(l));
    memcpy(op->extra, &l, sizeof(l));
    op_describe(op, " groups %zu strided %d unbiased %d eps %g", l.groups, l.strided, l.unbiased, l.eps);
    pop_options options = POP_NO_OPTIONS;
    pop_option strided = { "groupNormStridedChannelGrouping", l.strided ? "true" : "false" };
    if (l.groups)
        options = (pop_options){ &strided, 1 };
    pop_type partials = chance(w, 70) ? POP_FLOAT : type;
    struct view acts = op_reads(w, op, wanted(w, type, dims, rank, true, -9, 9));
    pop_tensor one = { 0 }, two = { 0 };
    if (kind == 0) {
        op->reference = statistics_reference;
        bool stable = chance(w, 50);
        op_describe(op, " stable %d", stable);
        if (l.groups)
            popnn_group_norm_statistics(w->graph, acts.tensor, l.eps, sequence, l.groups, l.unbiased, stable, partials,
                                        "s", options, &one, &two);
        else
            popnn_batch_norm_statistics(w->graph, acts.tensor, l.eps, sequence, l.unbiased, stable, partials, "s",
                                        options, &one, &two);
        op_makes(w, op, one);
        if (!w->failure[0])
            op_makes(w, op, two);
    } else if (kind == 1) {
        op->reference = normalise_reference;
        struct view gamma = op_reads(w, op, wanted(w, type, &l.channels, 1, true, -9, 9)),
                    beta = op_reads(w, op, wanted(w, type, &l.channels, 1, true, -9, 9));
        struct view mean = op_reads(w, op, wanted(w, type, &statistics, 1, true, -9, 9)),
                    inverse = op_reads(w, op, wanted(w, type, &statistics, 1, true, 0, 9));
        op_makes(w, op,
                 l.groups ? popnn_group_normalise(w->graph, acts.tensor, gamma.tensor, beta.tensor, mean.tensor,
                                                  inverse.tensor, sequence, "n", options, &one)
                          : popnn_batch_normalise(w->graph, acts.tensor, gamma.tensor, beta.tensor, mean.tensor,
                                                  inverse.tensor, sequence, "n", options, &one));
        if (!w->failure[0])
            op_makes(w, op, one);
    } else {
        op->reference = norm_gradient_reference;
        struct view grads = op_reads(w, op, wanted(w, type, dims, rank, true, -9, 9)),
                    inverse = op_reads(w, op, wanted(w, type, &statistics, 1, true, 0, 9));
        struct view gamma = op_reads(w, op, wanted(w, type, &l.channels, 1, true, -9, 9));
        op_makes(w, op,
                 l.groups ? popnn_group_norm_gradients(w->graph, acts.tensor, grads.tensor, inverse.tensor,
                                                       gamma.tensor, sequence, partials, "g", options)
                          : popnn_batch_norm_gradients(w->graph, acts.tensor, grads.tensor, inverse.tensor,
                                                       gamma.tensor, sequence, partials, "g", options));
        if (l.groups)
            popnn_group_norm_param_gradients(w->graph, acts.tensor, grads.tensor, sequence, partials, "p", options,
                                             &one, &two);
        else
            popnn_batch_norm_param_gradients(w->graph, acts.tensor, grads.tensor, sequence, partials, "p", options,
                                             &one, &two);
        if (!w->failure[0])
            op_makes(w, op, one);
        if (!w->failure[0])
            op_makes(w, op, two);
    }
    op_end(w, op, sequence, 2);
}
