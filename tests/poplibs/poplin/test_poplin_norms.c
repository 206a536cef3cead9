/* SPDX-License-Identifier: Apache-2.0 */
/* Norms of unusual shapes, forward and backward, against their definition. */
#include "poplibs/bed.h"

#include <poplin/codelets.h>
#include <poplin/norms.h>
#include <popops/codelets.h>

static void add_codelets(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    poplin_add_codelets_at(where, graph);
}

enum { BATCH = 5, CHANNELS = 7, FIELD = 11, COUNT = BATCH * FIELD, ALL = COUNT * CHANNELS };
static size_t channel_of(size_t i)
{
    return i / FIELD % CHANNELS;
}

static void test_forward(void **state)
{
    (void)state;
    static const double eps = 0.01;
    for (enum bed_device device = BED_CPU; device < BED_DEVICES; ++device)
        for (unsigned variant = 0; variant < 8; ++variant) {
            bool half = variant & 1, stable = variant & 2, unbiased = variant & 4;
            struct bed bed = bed_open(device, 7, add_codelets);
            pop_tensor x = bed_input(&bed, half ? POP_HALF : POP_FLOAT, POP_SHAPE(BATCH, CHANNELS, FIELD),
                                     BED_SCATTERED),
                       outputs[4], gamma, beta;
            poplin_create_norm_params(bed.graph, x, "params", &gamma, &beta);
            pop_tensor one = poplin_create_norm_gamma(bed.graph, x, POP_FLOAT, "g"),
                       none = poplin_create_norm_beta(bed.graph, x, POP_TYPE_NULL, "b");
            assert_int_equal(pop_tensor_type(one), POP_FLOAT);
            assert_int_equal(pop_tensor_dim(none, 0), CHANNELS);
            bed_write(&bed, gamma, NULL, 0.5, 2);
            bed_write(&bed, beta, NULL, -1, 1);
            poplin_norm_statistics(bed.graph, x, eps, bed.program, unbiased, stable, POP_FLOAT, "n", POP_NO_OPTIONS,
                                   &outputs[0], &outputs[1]);
            outputs[2] = poplin_norm_whiten(bed.graph, x, outputs[0], outputs[1], bed.program, "n", POP_NO_OPTIONS);
            outputs[3] = poplin_normalise(bed.graph, outputs[2], gamma, beta, bed.program, "n", POP_NO_OPTIONS);
            double *got[4], *given, *g, *b, mean[CHANNELS] = { 0 }, variance[CHANNELS] = { 0 }, whitened[ALL], out[ALL];
            bed_run_all(&bed, outputs, got, 4);
            given = bed_given(&bed, x);
            g = bed_given(&bed, gamma);
            b = bed_given(&bed, beta);
            for (size_t i = 0; i < ALL; ++i)
                mean[channel_of(i)] += given[i] / COUNT;
            for (size_t i = 0; i < ALL; ++i)
                variance[channel_of(i)] += pow(given[i] - mean[channel_of(i)], 2) / (unbiased ? COUNT - 1 : COUNT);
            for (size_t c = 0; c < CHANNELS; ++c)
                variance[c] = 1 / sqrt(variance[c] + eps);
            for (size_t i = 0; i < ALL; ++i) {
                whitened[i] = (given[i] - mean[channel_of(i)]) * variance[channel_of(i)];
                out[i] = whitened[i] * g[channel_of(i)] + b[channel_of(i)];
            }
            double relative = half ? 0.004 : 1e-5, absolute = half ? 0.004 : 1e-5;
            bed_check(got[0], mean, CHANNELS, relative, absolute);
            bed_check(got[1], variance, CHANNELS, relative, absolute);
            bed_check(got[2], whitened, ALL, relative, absolute);
            bed_check(got[3], out, ALL, relative, absolute);
            bed_close(&bed);
        }
}

static void test_backward(void **state)
{
    (void)state;
    for (enum bed_device device = BED_CPU; device < BED_DEVICES; ++device)
        for (unsigned half = 0; half < 2; ++half) {
            struct bed bed = bed_open(device, 5, add_codelets);
            pop_type type = half ? POP_HALF : POP_FLOAT;
            pop_tensor whitened = bed_input(&bed, type, POP_SHAPE(BATCH, CHANNELS, FIELD), BED_SCATTERED), outputs[4];
            pop_tensor grads = bed_input(&bed, type, POP_SHAPE(BATCH, CHANNELS, FIELD), BED_LINEAR);
            pop_tensor gamma = bed_input(&bed, type, POP_SHAPE(CHANNELS), BED_SCATTERED),
                       inverse = bed_input(&bed, type, POP_SHAPE(CHANNELS), BED_ONE_TILE);
            poplin_norm_param_gradients(bed.graph, whitened, grads, bed.program, POP_FLOAT, "n", POP_NO_OPTIONS,
                                        &outputs[0], &outputs[1]);
            outputs[2] = poplin_norm_gradients(bed.graph, grads, gamma, bed.program, "n", POP_NO_OPTIONS);
            outputs[3] = poplin_norm_statistics_gradients(bed.graph, whitened, grads, inverse, bed.program, POP_FLOAT,
                                                          "n", POP_NO_OPTIONS);
            double *got[4], products[CHANNELS] = { 0 }, sums[CHANNELS] = { 0 }, scaled[ALL], through[ALL];
            bed_run_all(&bed, outputs, got, 4);
            double *w = bed_given(&bed, whitened), *d = bed_given(&bed, grads), *g = bed_given(&bed, gamma),
                   *v = bed_given(&bed, inverse);
            for (size_t i = 0; i < ALL; ++i) {
                products[channel_of(i)] += w[i] * d[i];
                sums[channel_of(i)] += d[i];
                scaled[i] = d[i] * g[channel_of(i)];
            }
            for (size_t i = 0; i < ALL; ++i)
                through[i] =
                    v[channel_of(i)] * (d[i] - sums[channel_of(i)] / COUNT - w[i] * products[channel_of(i)] / COUNT);
            double relative = half ? 0.004 : 1e-5, absolute = half ? 0.01 : 1e-5;
            bed_check(got[0], products, CHANNELS, relative, absolute);
            bed_check(got[1], sums, CHANNELS, relative, absolute);
            bed_check(got[2], scaled, ALL, relative, absolute);
            bed_check(got[3], through, ALL, relative, absolute);
            bed_close(&bed);
        }
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct bed bed = bed_open(BED_MODEL, 2, add_codelets);
    pop_tensor x = bed_input(&bed, POP_FLOAT, POP_SHAPE(2, 3), BED_LINEAR),
               four = bed_input(&bed, POP_FLOAT, POP_SHAPE(4), BED_LINEAR), a, b;
    poplin_norm_statistics(bed.graph, x, -1, bed.program, false, false, POP_FLOAT, "n", POP_NO_OPTIONS, &a, &b);
    assert_error(bed.graph, POP_POPLAR_ERROR, "poplin_norm_statistics", "eps is -1");
    poplin_norm_statistics(bed.graph, x, 1, bed.program, false, false, POP_INT, "n", POP_NO_OPTIONS, &a, &b);
    assert_error(bed.graph, POP_TYPE_ERROR, "poplin_norm_statistics", "partials_type is int");
    poplin_norm_gradients(bed.graph, x, four, bed.program, "n", POP_NO_OPTIONS);
    assert_error(bed.graph, POP_POPLAR_ERROR, "poplin_norm_gradients", "gamma has shape {4}");
    poplin_norm_gradients(bed.graph, four, four, bed.program, "n", POP_NO_OPTIONS);
    assert_error(bed.graph, POP_POPLAR_ERROR, "poplin_norm_gradients", "1 dimensions");
    bed_close(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forward),
        cmocka_unit_test(test_backward),
        cmocka_unit_test(mistakes_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
