/* SPDX-License-Identifier: Apache-2.0 */
/* Norms of unusual shapes, forward and backward, against their definition. */
#include "poplibs/numeric.h"

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
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (unsigned variant = 0; variant < 8; ++variant) {
            bool half = variant & 1, stable = variant & 2, unbiased = variant & 4;
            struct fixture fixture = fixture_open(device, 7, add_codelets);
            pop_tensor x = fixture_input(&fixture, half ? POP_HALF : POP_FLOAT, POP_SHAPE(BATCH, CHANNELS, FIELD),
                                         FIXTURE_SCATTERED),
                       outputs[4], gamma, beta;
            poplin_create_norm_params(fixture.graph, x, "params", &gamma, &beta);
            pop_tensor one = poplin_create_norm_gamma(fixture.graph, x, POP_FLOAT, "g"),
                       none = poplin_create_norm_beta(fixture.graph, x, POP_TYPE_NULL, "b");
            assert_int_equal(pop_tensor_type(one), POP_FLOAT);
            assert_int_equal(pop_tensor_dim(none, 0), CHANNELS);
            fixture_write(&fixture, gamma, NULL, 0.5, 2);
            fixture_write(&fixture, beta, NULL, -1, 1);
            poplin_norm_statistics(fixture.graph, x, eps, fixture.program, unbiased, stable, POP_FLOAT, "n",
                                   POP_NO_OPTIONS, &outputs[0], &outputs[1]);
            outputs[2] =
                poplin_norm_whiten(fixture.graph, x, outputs[0], outputs[1], fixture.program, "n", POP_NO_OPTIONS);
            outputs[3] = poplin_normalise(fixture.graph, outputs[2], gamma, beta, fixture.program, "n", POP_NO_OPTIONS);
            double *got[4], *given, *g, *b, mean[CHANNELS] = { 0 }, variance[CHANNELS] = { 0 }, whitened[ALL], out[ALL];
            fixture_run_all(&fixture, outputs, got, 4);
            given = fixture_given(&fixture, x);
            g = fixture_given(&fixture, gamma);
            b = fixture_given(&fixture, beta);
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
            fixture_check(got[0], mean, CHANNELS, relative, absolute);
            fixture_check(got[1], variance, CHANNELS, relative, absolute);
            fixture_check(got[2], whitened, ALL, relative, absolute);
            fixture_check(got[3], out, ALL, relative, absolute);
            fixture_close(&fixture);
        }
}

static void test_backward(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (unsigned half = 0; half < 2; ++half) {
            struct fixture fixture = fixture_open(device, 5, add_codelets);
            pop_type type = half ? POP_HALF : POP_FLOAT;
            pop_tensor whitened = fixture_input(&fixture, type, POP_SHAPE(BATCH, CHANNELS, FIELD), FIXTURE_SCATTERED),
                       outputs[4];
            pop_tensor grads = fixture_input(&fixture, type, POP_SHAPE(BATCH, CHANNELS, FIELD), FIXTURE_LINEAR);
            pop_tensor gamma = fixture_input(&fixture, type, POP_SHAPE(CHANNELS), FIXTURE_SCATTERED),
                       inverse = fixture_input(&fixture, type, POP_SHAPE(CHANNELS), FIXTURE_ONE_TILE);
            poplin_norm_param_gradients(fixture.graph, whitened, grads, fixture.program, POP_FLOAT, "n", POP_NO_OPTIONS,
                                        &outputs[0], &outputs[1]);
            outputs[2] = poplin_norm_gradients(fixture.graph, grads, gamma, fixture.program, "n", POP_NO_OPTIONS);
            outputs[3] = poplin_norm_statistics_gradients(fixture.graph, whitened, grads, inverse, fixture.program,
                                                          POP_FLOAT, "n", POP_NO_OPTIONS);
            double *got[4], products[CHANNELS] = { 0 }, sums[CHANNELS] = { 0 }, scaled[ALL], through[ALL];
            fixture_run_all(&fixture, outputs, got, 4);
            double *w = fixture_given(&fixture, whitened), *d = fixture_given(&fixture, grads),
                   *g = fixture_given(&fixture, gamma), *v = fixture_given(&fixture, inverse);
            for (size_t i = 0; i < ALL; ++i) {
                products[channel_of(i)] += w[i] * d[i];
                sums[channel_of(i)] += d[i];
                scaled[i] = d[i] * g[channel_of(i)];
            }
            for (size_t i = 0; i < ALL; ++i)
                through[i] =
                    v[channel_of(i)] * (d[i] - sums[channel_of(i)] / COUNT - w[i] * products[channel_of(i)] / COUNT);
            double relative = half ? 0.004 : 1e-5, absolute = half ? 0.01 : 1e-5;
            fixture_check(got[0], products, CHANNELS, relative, absolute);
            fixture_check(got[1], sums, CHANNELS, relative, absolute);
            fixture_check(got[2], scaled, ALL, relative, absolute);
            fixture_check(got[3], through, ALL, relative, absolute);
            fixture_close(&fixture);
        }
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 2, add_codelets);
    pop_tensor x = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(2, 3), FIXTURE_LINEAR),
               four = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(4), FIXTURE_LINEAR), a, b;
    poplin_norm_statistics(fixture.graph, x, -1, fixture.program, false, false, POP_FLOAT, "n", POP_NO_OPTIONS, &a, &b);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "poplin_norm_statistics", "eps is -1");
    poplin_norm_statistics(fixture.graph, x, 1, fixture.program, false, false, POP_INT, "n", POP_NO_OPTIONS, &a, &b);
    assert_error(fixture.graph, POP_TYPE_ERROR, "poplin_norm_statistics", "partials_type is int");
    poplin_norm_gradients(fixture.graph, x, four, fixture.program, "n", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "poplin_norm_gradients", "gamma has shape {4}");
    poplin_norm_gradients(fixture.graph, four, four, fixture.program, "n", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "poplin_norm_gradients", "1 dimensions");
    fixture_close(&fixture);
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
