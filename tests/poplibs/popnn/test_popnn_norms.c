/* SPDX-License-Identifier: Apache-2.0 */
/* Batch, group, layer and instance norm, forward and backward, against their definition. */
#include "poplibs/numeric.h"

#include <poplin/codelets.h>
#include <popnn/codelets.h>
#include <popnn/norms.h>
#include <popops/codelets.h>

static void add_all(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    poplin_add_codelets_at(where, graph);
    popnn_add_codelets_at(where, graph);
}

/* Activations {N, C, F}, and their groups; groups 0 is a batch norm. */
struct layout {
    size_t images, channels, field, groups;
    bool strided;
};
enum { EVERY = 1000, LIMIT = 64 };

static size_t statistic_of(const struct layout *l, size_t i)
{
    size_t channel = i / l->field % l->channels, image = i / l->field / l->channels;
    if (!l->groups)
        return channel;
    return image * l->groups + (l->strided ? channel % l->groups : channel / (l->channels / l->groups));
}

struct reference {
    double mean[LIMIT], inverse[LIMIT], whitened[EVERY], out[EVERY], dx[EVERY], dgamma[LIMIT], dbeta[LIMIT];
};
static void calculate(struct reference *r, const struct layout *l, const double *x, const double *dy,
                      const double *gamma, const double *beta, double eps, bool unbiased)
{
    size_t all = l->images * l->channels * l->field, statistics = l->groups ? l->images * l->groups : l->channels;
    double count = (double)(all / statistics), products[LIMIT] = { 0 }, sums[LIMIT] = { 0 };
    memset(r, 0, sizeof(*r));
    for (size_t i = 0; i < all; ++i)
        r->mean[statistic_of(l, i)] += x[i] / count;
    for (size_t i = 0; i < all; ++i)
        r->inverse[statistic_of(l, i)] += pow(x[i] - r->mean[statistic_of(l, i)], 2) / (unbiased ? count - 1 : count);
    for (size_t k = 0; k < statistics; ++k)
        r->inverse[k] = 1 / sqrt(r->inverse[k] + eps);
    for (size_t i = 0; i < all; ++i) {
        size_t channel = i / l->field % l->channels, k = statistic_of(l, i);
        r->whitened[i] = (x[i] - r->mean[k]) * r->inverse[k];
        r->out[i] = r->whitened[i] * gamma[channel] + beta[channel];
        r->dgamma[channel] += r->whitened[i] * dy[i];
        r->dbeta[channel] += dy[i];
        products[k] += r->whitened[i] * dy[i] * gamma[channel];
        sums[k] += dy[i] * gamma[channel];
    }
    for (size_t i = 0; i < all; ++i) {
        size_t k = statistic_of(l, i);
        r->dx[i] = r->inverse[k] *
                   (dy[i] * gamma[i / l->field % l->channels] - sums[k] / count - r->whitened[i] * products[k] / count);
    }
}

enum kind { BATCH, GROUP, LAYER, INSTANCE };
enum {
    MEAN,
    INVERSE,
    WHITENED,
    OUT,
    OUT_ALONE,
    OUT_COMPOSED,
    WHITENED_ALONE,
    DX,
    DGAMMA,
    DBETA,
    NEW_GAMMA,
    NEW_BETA,
    RESULTS
};

static void build_norm(struct fixture *fixture, enum kind kind, const struct layout *l, pop_tensor x, pop_tensor dy,
                       pop_tensor gamma, pop_tensor beta, double eps, bool unbiased, bool stable, pop_tensor *t)
{
    pop_graph *g = fixture->graph;
    pop_program p = fixture->program;
    pop_options options = l->strided ? POP_OPTIONS({ "groupNormStridedChannelGrouping", "true" }) : POP_NO_OPTIONS;
    if (kind == BATCH)
        popnn_batch_norm_statistics(g, x, eps, p, unbiased, stable, POP_FLOAT, "n", POP_NO_OPTIONS, &t[MEAN],
                                    &t[INVERSE]);
    else if (kind == GROUP)
        popnn_group_norm_statistics(g, x, eps, p, l->groups, unbiased, stable, POP_FLOAT, "n", options, &t[MEAN],
                                    &t[INVERSE]);
    else if (kind == LAYER)
        popnn_layer_norm_statistics(g, x, eps, p, unbiased, stable, POP_FLOAT, "n", options, &t[MEAN], &t[INVERSE]);
    else
        popnn_instance_norm_statistics(g, x, eps, p, unbiased, stable, POP_FLOAT, "n", options, &t[MEAN], &t[INVERSE]);
    if (kind == BATCH) {
        t[OUT] = popnn_batch_normalise(g, x, gamma, beta, t[MEAN], t[INVERSE], p, "n", POP_NO_OPTIONS, &t[WHITENED]);
        t[OUT_ALONE] = popnn_batch_normalise(g, x, gamma, beta, t[MEAN], t[INVERSE], p, "n", POP_NO_OPTIONS, NULL);
        t[WHITENED_ALONE] = popnn_batch_norm_whiten(g, x, t[MEAN], t[INVERSE], p, "n", POP_NO_OPTIONS);
        t[DX] = popnn_batch_norm_gradients(g, t[WHITENED], dy, t[INVERSE], gamma, p, POP_FLOAT, "n", POP_NO_OPTIONS);
        popnn_batch_norm_param_gradients(g, t[WHITENED], dy, p, POP_FLOAT, "n", POP_NO_OPTIONS, &t[DGAMMA], &t[DBETA]);
    } else {
        t[OUT] = popnn_group_normalise(g, x, gamma, beta, t[MEAN], t[INVERSE], p, "n", options, &t[WHITENED]);
        t[OUT_ALONE] = popnn_group_normalise(g, x, gamma, beta, t[MEAN], t[INVERSE], p, "n", options, NULL);
        t[WHITENED_ALONE] = popnn_group_norm_whiten(g, x, t[MEAN], t[INVERSE], p, "n", options);
        t[DX] = popnn_group_norm_gradients(g, t[WHITENED], dy, t[INVERSE], gamma, p, POP_FLOAT, "n", options);
        popnn_group_norm_param_gradients(g, t[WHITENED], dy, p, POP_FLOAT, "n", options, &t[DGAMMA], &t[DBETA]);
    }
    t[OUT_COMPOSED] = poplin_normalise(g, t[WHITENED_ALONE], gamma, beta, p, "n", POP_NO_OPTIONS);
    t[NEW_GAMMA] = pop_graph_clone(g, POP_TYPE_NULL, gamma, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "gamma");
    t[NEW_BETA] = pop_graph_clone(g, POP_TYPE_NULL, beta, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "beta");
    pop_sequence_add(p, pop_copy(gamma, t[NEW_GAMMA], false, NULL));
    pop_sequence_add(p, pop_copy(beta, t[NEW_BETA], false, NULL));
    popnn_norm_param_update(g, t[DGAMMA], t[DBETA], -0.5, t[NEW_GAMMA], t[NEW_BETA], p, "u", POP_NO_OPTIONS);
}

static void check_norm(enum fixture_device device, enum kind kind, struct layout l, pop_shape shape, pop_type type,
                       enum fixture_mapping mapping, unsigned variant)
{
    static struct reference r;
    bool unbiased = variant & 1, stable = variant & 2;
    struct fixture fixture = fixture_open(device, 5, add_all);
    pop_tensor x = fixture_input(&fixture, type, shape, mapping), dy = fixture_input(&fixture, type, shape, mapping),
               t[RESULTS];
    pop_tensor gamma = fixture_input_of(&fixture, type, POP_SHAPE(l.channels), FIXTURE_LINEAR, 0.5, 2),
               beta = fixture_input(&fixture, type, POP_SHAPE(l.channels), FIXTURE_LINEAR);
    build_norm(&fixture, kind, &l, x, dy, gamma, beta, 0.01, unbiased, stable, t);
    double *got[RESULTS], *g = fixture_given(&fixture, gamma), *b = fixture_given(&fixture, beta);
    fixture_run_all(&fixture, t, got, RESULTS);
    calculate(&r, &l, fixture_given(&fixture, x), fixture_given(&fixture, dy), g, b, 0.01, unbiased);
    size_t all = l.images * l.channels * l.field, statistics = l.groups ? l.images * l.groups : l.channels;
    double near = type == POP_HALF ? 0.01 : 1e-5, sums = near * (double)(all / l.channels) / 4;
    fixture_check(got[MEAN], r.mean, statistics, near, near);
    fixture_check(got[INVERSE], r.inverse, statistics, near, near);
    fixture_check(got[WHITENED], r.whitened, all, near, near);
    fixture_check(got[WHITENED_ALONE], r.whitened, all, near, near);
    fixture_check(got[OUT], r.out, all, near, near);
    fixture_check(got[OUT_ALONE], got[OUT], all, 0, 0);
    fixture_check(got[OUT_COMPOSED], got[OUT], all, 0, 0);
    if (!unbiased) /* the gradient uses the biased variance */
        fixture_check(got[DX], r.dx, all, 2 * near, 2 * near);
    fixture_check(got[DGAMMA], r.dgamma, l.channels, near, sums);
    fixture_check(got[DBETA], r.dbeta, l.channels, near, sums);
    for (size_t i = 0; i < l.channels; ++i) {
        g[i] -= 0.5 * r.dgamma[i];
        b[i] -= 0.5 * r.dbeta[i];
    }
    fixture_check(got[NEW_GAMMA], g, l.channels, near, sums);
    fixture_check(got[NEW_BETA], b, l.channels, near, sums);
    fixture_close(&fixture);
}

static void test_batch_norms(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device) {
        check_norm(device, BATCH, (struct layout){ 7, 5, 1, 0, true }, POP_SHAPE(7, 5), POP_FLOAT, FIXTURE_SCATTERED,
                   0);
        check_norm(device, BATCH, (struct layout){ 3, 5, 14, 0, true }, POP_SHAPE(3, 5, 2, 7), POP_FLOAT,
                   FIXTURE_SCATTERED, 3);
        check_norm(device, BATCH, (struct layout){ 3, 4, 12, 0, true }, POP_SHAPE(3, 4, 2, 3, 2), POP_HALF,
                   FIXTURE_LINEAR, 2);
    }
}

static void test_group_norms(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device) {
        for (unsigned strided = 0; strided < 2; ++strided) {
            check_norm(device, GROUP, (struct layout){ 3, 6, 10, 2, strided }, POP_SHAPE(3, 6, 2, 5), POP_FLOAT,
                       FIXTURE_SCATTERED, strided);
            check_norm(device, GROUP, (struct layout){ 2, 12, 1, 3, strided }, POP_SHAPE(2, 12), POP_FLOAT,
                       FIXTURE_LINEAR, 2);
        }
        check_norm(device, GROUP, (struct layout){ 2, 6, 15, 3, true }, POP_SHAPE(2, 6, 3, 5), POP_HALF, FIXTURE_LINEAR,
                   2);
        check_norm(device, LAYER, (struct layout){ 3, 7, 3, 1, true }, POP_SHAPE(3, 7, 3), POP_FLOAT, FIXTURE_LINEAR,
                   0);
        for (unsigned variant = 0; variant < 4; ++variant) /* enough images for vertices of whole images */
            check_norm(device, LAYER, (struct layout){ 9, 5, 17, 1, true }, POP_SHAPE(9, 5, 17), POP_FLOAT,
                       FIXTURE_LINEAR, variant);
        check_norm(device, INSTANCE, (struct layout){ 2, 3, 11, 3, true }, POP_SHAPE(2, 3, 11), POP_FLOAT,
                   FIXTURE_LINEAR, 2);
    }
}

/* Outputs that are stored past the caches: all lines of memory aligned, or few of them, and the end of a line. */
static void test_large_norms_on_a_cpu(void **state)
{
    (void)state;
    static const size_t channels[] = { 1024, 1003 };
    enum { IMAGES = 2100 };
    for (size_t i = 0; i < 2; ++i) {
        const size_t count = channels[i];
        struct fixture fixture = fixture_open(FIXTURE_CPU, 1, add_all);
        pop_tensor x = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(IMAGES, count), FIXTURE_LINEAR),
                   gamma = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(count), FIXTURE_LINEAR),
                   beta = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(count), FIXTURE_LINEAR),
                   mean = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(IMAGES), FIXTURE_LINEAR),
                   inverse = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(IMAGES), FIXTURE_LINEAR);
        pop_tensor out = popnn_layer_normalise(fixture.graph, x, gamma, beta, mean, inverse, fixture.program, "n",
                                               POP_NO_OPTIONS, NULL);
        const double *xs = fixture_given(&fixture, x), *g = fixture_given(&fixture, gamma),
                     *b = fixture_given(&fixture, beta), *m = fixture_given(&fixture, mean),
                     *d = fixture_given(&fixture, inverse);
        double *wanted = malloc(IMAGES * count * sizeof(*wanted));
        for (size_t k = 0; k < IMAGES * count; ++k)
            wanted[k] = (xs[k] - m[k / count]) * d[k / count] * g[k % count] + b[k % count];
        fixture_check(fixture_run(&fixture, out), wanted, IMAGES * count, 1e-6, 1e-6);
        free(wanted);
        fixture_close(&fixture);
    }
}

/* Images of several blocks of sums, far from zero; one of equal elements; and one with a NaN. */
static void test_statistics_on_a_cpu(void **state)
{
    (void)state;
    enum { IMAGES = 8, COUNT = 9001 };
    for (unsigned stable = 0; stable < 2; ++stable) {
        struct fixture fixture = fixture_open(FIXTURE_CPU, 1, add_all);
        pop_tensor x = pop_graph_add_variable(fixture.graph, POP_FLOAT, POP_SHAPE(IMAGES, COUNT), "x"), t[2];
        fixture_map(&fixture, x, FIXTURE_LINEAR);
        static double values[IMAGES * COUNT];
        double *got[2], mean[IMAGES] = { 0 }, inverse[IMAGES] = { 0 };
        for (size_t i = 0; i < IMAGES * COUNT; ++i)
            values[i] = i < COUNT ? 10 : 9 + (double)(i % 64) / 32;
        values[COUNT] = NAN;
        fixture_write(&fixture, x, values, 0, 0);
        popnn_layer_norm_statistics(fixture.graph, x, 0.25, fixture.program, false, stable, POP_FLOAT, "n",
                                    POP_NO_OPTIONS, &t[0], &t[1]);
        fixture_run_all(&fixture, t, got, 2);
        for (size_t n = 0; n < IMAGES; ++n) {
            for (size_t i = 0; i < COUNT; ++i)
                mean[n] += values[n * COUNT + i] / COUNT;
            for (size_t i = 0; i < COUNT; ++i)
                inverse[n] += pow(values[n * COUNT + i] - mean[n], 2) / COUNT;
            inverse[n] = 1 / sqrt(inverse[n] + 0.25);
        }
        assert_true(isnan(got[0][1]) && isnan(got[1][1]));
        assert_true(got[0][0] == 10 && got[1][0] == 2);
        fixture_check(got[0] + 2, mean + 2, IMAGES - 2, 1e-6, 0);
        fixture_check(got[1] + 2, inverse + 2, IMAGES - 2, stable ? 1e-6 : 1e-4, 0);
        fixture_close(&fixture);
    }
}

static void flops_of_norms_are_counted(void **state)
{
    (void)state;
    assert_int_equal(popnn_norm_fwd_flops(0, 10), 40);
    assert_int_equal(popnn_norm_fwd_flops(2, 10), 82);
    assert_int_equal(popnn_norm_bwd_flops(2, 10), 84);
    assert_int_equal(popnn_norm_wu_flops(2, 10), 38);
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 2, add_all);
    pop_tensor x = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(2, 6, 3), FIXTURE_LINEAR),
               five = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(5), FIXTURE_LINEAR), a, b;
    popnn_group_norm_statistics(fixture.graph, x, 0.1, fixture.program, 4, false, false, POP_FLOAT, "n", POP_NO_OPTIONS,
                                &a, &b);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_group_norm_statistics", "4 groups of 6 channels");
    popnn_group_norm_whiten(fixture.graph, x, five, five, fixture.program, "n", POP_NO_OPTIONS);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_group_norm_whiten", "statistics of 5 elements");
    popnn_layer_norm_statistics(fixture.graph, five, 0.1, fixture.program, false, false, POP_FLOAT, "n", POP_NO_OPTIONS,
                                &a, &b);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_group_norm_statistics", "1 dimensions");
    popnn_layer_norm_statistics(fixture.graph, x, 0.1, fixture.program, false, false, POP_FLOAT, "n",
                                POP_OPTIONS({ "groups", "2" }), &a, &b);
    assert_error(fixture.graph, POP_INVALID_OPTION, "popnn_group_norm_statistics", "groupNormStridedChannelGrouping");
    popnn_group_norm_statistics(fixture.graph, x, 0.1, fixture.program, 3, false, false, POP_FLOAT, "n", POP_NO_OPTIONS,
                                NULL, &b);
    assert_int_equal(pop_tensor_num_elements(b), 6); /* without the mean */
    popnn_group_norm_param_gradients(fixture.graph, x, x, fixture.program, POP_FLOAT, "n", POP_NO_OPTIONS, NULL, NULL);
    assert_null(pop_graph_error(fixture.graph));
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batch_norms),           cmocka_unit_test(test_group_norms),
        cmocka_unit_test(test_large_norms_on_a_cpu),  cmocka_unit_test(test_statistics_on_a_cpu),
        cmocka_unit_test(flops_of_norms_are_counted), cmocka_unit_test(mistakes_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
