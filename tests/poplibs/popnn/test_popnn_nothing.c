/* SPDX-License-Identifier: Apache-2.0 */
/* Every dimension 0, one at a time and together, in every operation that plans, reduces or divides: an empty result or
 * one clear error, and reports of plans. */
#include "poplibs/numeric.h"

#include <poplin/codelets.h>
#include <poplin/conv_util.h>
#include <poplin/convolution.h>
#include <poplin/mat_mul.h>
#include <poplin/norms.h>
#include <poplin/planning.h>
#include <popnn/codelets.h>
#include <popnn/loss.h>
#include <popnn/non_linearity.h>
#include <popnn/norms.h>
#include <popnn/pooling.h>
#include <popops/codelets.h>
#include <popops/pad.h>
#include <popops/reduce.h>
#include <popops/sort.h>
#include <popops/top_k.h>

static void add_all(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    poplin_add_codelets_at(where, graph);
    popnn_add_codelets_at(where, graph);
}
/* Takes the pending error, which must have a text; returns whether there was none. */
static bool taken(pop_graph *graph)
{
    pop_error error;
    if (!pop_graph_error(graph))
        return true;
    (void)pop_graph_take_error(graph, &error);
    assert_true(error.text[0] != 0);
    return false;
}
static void compile(struct fixture *fixture)
{
    pop_error error;
    taken(fixture->graph);
    fixture->engine = pop_engine_create(fixture->graph, POP_PROGRAMS(fixture->program), POP_NO_OPTIONS, &error);
    if (!fixture->engine)
        fail_msg("%s", error.text);
    if (pop_engine_load(fixture->engine, fixture->device, &error) != POP_OK ||
        pop_engine_run(fixture->engine, 0, &error) != POP_OK)
        fail_msg("%s", error.text);
}

static void report_conv(pop_graph *graph, const poplin_conv_params *p)
{
    char text[4096];
    poplin_report_plan_info(graph, p, POP_NO_OPTIONS, NULL, text, sizeof(text));
    taken(graph);
    poplin_report_weight_update_plan_info(graph, p, POP_NO_OPTIONS, NULL, text, sizeof(text));
    taken(graph);
    poplin_report_plan_estimated_costs(graph, p, POP_NO_OPTIONS, NULL);
    taken(graph);
    poplin_report_detailed_plan_estimated_costs(graph, p, POP_NO_OPTIONS, NULL);
    taken(graph);
    poplin_get_fwd_flops(p), poplin_get_bwd_flops(p), poplin_get_wu_flops(p);
    assert_true(poplin_get_fwd_perfect_cycle_count(graph, p) >= 0);
    assert_true(poplin_get_bwd_perfect_cycle_count(graph, p) >= 0);
    assert_true(poplin_get_wu_perfect_cycle_count(graph, p) >= 0);
    poplin_conv_params gradient = poplin_get_gradient_params(p), update = poplin_get_weight_update_params(p),
                       same = poplin_conv_params_canonicalize(p);
    poplin_conv_params_hash(&gradient), poplin_conv_params_hash(&update), poplin_conv_params_hash(&same);
    poplin_conv_params_to_text(p, text, sizeof(text));
}

/* Bit i of zeros: that size is 0. */
static void run_conv(unsigned zeros, size_t dims, bool truncated)
{
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 5, add_all);
    size_t size[] = { 2, 3, 4, 2, 6, 3 };
    for (unsigned i = 0; i < 6; ++i)
        size[i] = zeros >> i & 1 ? 0 : size[i];
    pop_shape field = { dims, (size_t[]){ 5, size[4] } }, kernel = { dims, (size_t[]){ 2, size[5] } };
    poplin_conv_params p =
        poplin_conv_params_make(POP_FLOAT, POP_FLOAT, size[0], field, kernel, size[1], size[2], size[3]);
    for (size_t d = 0; d < dims && truncated; ++d) /* the output is empty */
        p.output_transform.truncation_lower[d] = (unsigned)poplin_conv_untransformed_output_size(&p, d);
    pop_error error;
    bool valid = poplin_conv_params_validate(&p, &error) == POP_OK;
    report_conv(fixture.graph, &p);
    pop_tensor in = poplin_create_input(fixture.graph, &p, "in", POP_NO_OPTIONS, NULL);
    bool made = taken(fixture.graph);
    pop_tensor weights = poplin_create_weights(fixture.graph, &p, "weights", POP_NO_OPTIONS, NULL);
    made = taken(fixture.graph) && made;
    assert_true(made == valid);
    pop_tensor out =
        poplin_convolution(fixture.graph, in, weights, &p, false, fixture.program, "conv", POP_NO_OPTIONS, NULL);
    if (taken(fixture.graph)) {
        assert_int_equal(pop_tensor_dim(out, 0), size[0]);
        assert_int_equal(pop_tensor_dim(out, 1), size[2] * size[3]);
        poplin_calculate_weight_deltas(fixture.graph, out, in, &p, fixture.program, "wu", POP_NO_OPTIONS, NULL);
        taken(fixture.graph);
        pop_tensor biases = poplin_create_biases(fixture.graph, out, "biases", POP_NO_OPTIONS);
        if (taken(fixture.graph)) {
            poplin_add_bias(fixture.graph, out, biases, fixture.program, "bias", POP_NO_OPTIONS);
            taken(fixture.graph);
            poplin_convolution_bias_update_constant(fixture.graph, out, biases, 0.5, fixture.program, "bias",
                                                    POP_NO_OPTIONS);
            taken(fixture.graph);
        }
    } else {
        assert_false(valid);
    }
    compile(&fixture);
    fixture_close(&fixture);
}
static void convolutions_of_nothing_are_taken(void **state)
{
    (void)state;
    for (unsigned zeros = 0; zeros < 64; zeros += zeros < 33 ? 1 : 15)
        run_conv(zeros, 2, zeros % 3 == 0);
    for (unsigned zeros = 0; zeros < 16; ++zeros)
        run_conv(zeros, 0, false);
}

/* Without field dimensions each group's channels are multiplied with its weights. */
static void test_no_field(void **state)
{
    (void)state;
    enum { B = 3, G = 2, I = 5, O = 4 };
    for (unsigned test = 0; test < 4; ++test) {
        struct fixture fixture = fixture_open(test % 2 ? FIXTURE_MODEL : FIXTURE_CPU, 7, add_all);
        poplin_planning_cache *cache = test / 2 ? poplin_planning_cache_create() : NULL;
        poplin_conv_params p = poplin_conv_params_make(POP_FLOAT, POP_FLOAT, B, POP_SHAPE(), POP_SHAPE(), I, O, G);
        pop_tensor in = poplin_create_input(fixture.graph, &p, "in", POP_NO_OPTIONS, cache),
                   w = poplin_create_weights(fixture.graph, &p, "w", POP_NO_OPTIONS, cache);
        assert_built(fixture.graph);
        fixture_write(&fixture, in, NULL, -1, 1);
        fixture_write(&fixture, w, NULL, -1, 1);
        pop_tensor out =
            poplin_convolution(fixture.graph, in, w, &p, false, fixture.program, "conv", POP_NO_OPTIONS, cache);
        pop_tensor into = poplin_create_conv_output(fixture.graph, &p, "out", POP_NO_OPTIONS, cache),
                   deltas = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(B, G * O), FIXTURE_LINEAR);
        poplin_convolution_with_output(fixture.graph, in, w, into, &p, false, fixture.program, "conv", POP_NO_OPTIONS,
                                       cache);
        poplin_conv_params back = poplin_get_gradient_params(&p);
        pop_tensor results[] = {
            out, into,
            poplin_convolution(fixture.graph, deltas, w, &back, true, fixture.program, "bwd", POP_NO_OPTIONS, cache),
            poplin_calculate_weight_deltas(fixture.graph, deltas, in, &p, fixture.program, "wu", POP_NO_OPTIONS, cache)
        };
        assert_built(fixture.graph);
        assert_int_equal(pop_tensor_rank(out), 2);
        assert_int_equal(pop_tensor_rank(results[3]), 3);
        assert_int_equal(poplin_get_fwd_flops(&p), B * G * O * (2 * I - 1));
        double *got[4], *x = fixture_given(&fixture, in), *y = fixture_given(&fixture, w),
                        *d = fixture_given(&fixture, deltas);
        fixture_run_all(&fixture, results, got, 4);
        double wanted[B * G * O] = { 0 }, dx[B * G * I] = { 0 }, dw[G * O * I] = { 0 };
        for (size_t b = 0; b < B; ++b)
            for (size_t g = 0; g < G; ++g)
                for (size_t o = 0; o < O; ++o)
                    for (size_t i = 0; i < I; ++i) {
                        wanted[(b * G + g) * O + o] += x[(b * G + g) * I + i] * y[(g * O + o) * I + i];
                        dx[(b * G + g) * I + i] += d[(b * G + g) * O + o] * y[(g * O + o) * I + i];
                        dw[(g * O + o) * I + i] += d[(b * G + g) * O + o] * x[(b * G + g) * I + i];
                    }
        fixture_check(got[0], wanted, B * G * O, 1e-5, 1e-5);
        fixture_check(got[1], wanted, B * G * O, 1e-5, 1e-5);
        fixture_check(got[2], dx, B * G * I, 1e-5, 1e-5);
        fixture_check(got[3], dw, G * O * I, 1e-5, 1e-5);
        poplin_planning_cache_destroy(cache);
        fixture_close(&fixture);
    }
}

static void products_of_nothing_are_taken(void **state)
{
    (void)state;
    for (unsigned zeros = 0; zeros < 16; ++zeros) {
        struct fixture fixture = fixture_open(FIXTURE_MODEL, 5, add_all);
        char text[4096];
        size_t g = zeros & 8 ? 0 : 2, m = zeros & 1 ? 0 : 5, k = zeros & 2 ? 0 : 3, n = zeros & 4 ? 0 : 4;
        static const char *const passes[] = { "NONE", "INFERENCE_FWD", "TRAINING_FWD", "TRAINING_BWD", "TRAINING_WU" };
        for (unsigned i = 0; i < 5; ++i) {
            pop_options options = POP_OPTIONS({ "fullyConnectedPass", passes[i] });
            poplin_mat_mul_grouped_report_plan(fixture.graph, POP_FLOAT, POP_FLOAT, POP_SHAPE(g, m, k),
                                               POP_SHAPE(g, k, n), options, NULL, text, sizeof(text));
            assert_true(taken(fixture.graph));
            poplin_mat_mul_report_plan(fixture.graph, POP_HALF, POP_HALF, POP_SHAPE(m, k), POP_SHAPE(k, n), options,
                                       NULL, text, sizeof(text));
            assert_true(taken(fixture.graph) && text[0]);
        }
        pop_tensor a = poplin_create_mat_mul_grouped_input_lhs(fixture.graph, POP_FLOAT, POP_FLOAT, POP_SHAPE(g, m, k),
                                                               POP_SHAPE(g, k, n), "a", POP_NO_OPTIONS, NULL);
        pop_tensor b = poplin_create_mat_mul_grouped_input_rhs(fixture.graph, POP_FLOAT, POP_FLOAT, POP_SHAPE(g, m, k),
                                                               POP_SHAPE(g, k, n), "b", POP_NO_OPTIONS, NULL);
        assert_true(taken(fixture.graph));
        pop_tensor out =
            poplin_mat_mul_grouped(fixture.graph, a, b, fixture.program, POP_FLOAT, "x", POP_NO_OPTIONS, NULL);
        assert_true(taken(fixture.graph));
        assert_int_equal(pop_tensor_num_elements(out), g * m * n);
        poplin_mat_mul_grouped_acc(fixture.graph, out, 2, a, b, fixture.program, "acc", POP_NO_OPTIONS, NULL);
        taken(fixture.graph);
        if (g && m && n && !k) { /* sums of no products */
            double *got = fixture_run(&fixture, out);
            for (size_t i = 0; i < g * m * n; ++i)
                assert_true(got[i] == 0);
        } else {
            compile(&fixture);
        }
        fixture_close(&fixture);
    }
}

static void run_norms(unsigned zeros)
{
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 5, add_all);
    size_t b = zeros & 1 ? 0 : 2, c = zeros & 2 ? 0 : 4, f = zeros & 4 ? 0 : 3;
    pop_graph *g = fixture.graph;
    pop_tensor acts = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(b, c, f), FIXTURE_LINEAR), mean, inverse, gamma,
               beta, whitened, dg, db;
    for (unsigned stable = 0; stable < 2; ++stable) {
        poplin_norm_statistics(g, acts, 1e-3, fixture.program, stable, stable, POP_FLOAT, "s", POP_NO_OPTIONS, &mean,
                               &inverse);
        if (taken(g)) {
            assert_int_equal(pop_tensor_num_elements(mean), c);
            poplin_create_norm_params(g, acts, "p", &gamma, &beta);
            taken(g);
            pop_tensor out = popnn_batch_normalise(g, acts, gamma, beta, mean, inverse, fixture.program, "n",
                                                   POP_NO_OPTIONS, &whitened);
            if (taken(g)) {
                poplin_norm_param_gradients(g, whitened, out, fixture.program, POP_FLOAT, "g", POP_NO_OPTIONS, &dg,
                                            &db);
                taken(g);
                popnn_batch_norm_gradients(g, whitened, out, inverse, gamma, fixture.program, POP_FLOAT, "g",
                                           POP_NO_OPTIONS);
                taken(g);
            }
        }
        for (size_t groups = 0; groups < 3; ++groups) {
            popnn_group_norm_statistics(g, acts, 1e-3, fixture.program, groups, stable, stable, POP_FLOAT, "s",
                                        POP_NO_OPTIONS, &mean, &inverse);
            if (!taken(g)) {
                assert_true(groups == 0 || (groups && c % groups));
                continue;
            }
            assert_int_equal(pop_tensor_num_elements(mean), b * groups);
            poplin_create_norm_params(g, acts, "p", &gamma, &beta);
            pop_tensor out = popnn_group_normalise(g, acts, gamma, beta, mean, inverse, fixture.program, "n",
                                                   POP_NO_OPTIONS, &whitened);
            if (!taken(g))
                continue;
            assert_int_equal(pop_tensor_num_elements(out), b * c * f);
            popnn_group_norm_gradients(g, whitened, out, inverse, gamma, fixture.program, POP_FLOAT, "g",
                                       POP_NO_OPTIONS);
            assert_true(taken(g));
            popnn_group_norm_param_gradients(g, whitened, out, fixture.program, POP_FLOAT, "g", POP_NO_OPTIONS, &dg,
                                             &db);
            assert_true(taken(g));
            assert_int_equal(pop_tensor_num_elements(dg), c);
        }
        popnn_layer_norm_statistics(g, acts, 1e-3, fixture.program, stable, stable, POP_FLOAT, "s", POP_NO_OPTIONS,
                                    &mean, &inverse);
        taken(g);
        popnn_instance_norm_statistics(g, acts, 1e-3, fixture.program, stable, stable, POP_FLOAT, "s", POP_NO_OPTIONS,
                                       &mean, &inverse);
        taken(g);
    }
    popnn_norm_fwd_flops(0, 0), popnn_norm_bwd_flops(0, 0), popnn_norm_wu_flops(0, 0);
    compile(&fixture);
    fixture_close(&fixture);
}
static void norms_of_nothing_are_taken(void **state)
{
    (void)state;
    for (unsigned zeros = 0; zeros < 8; ++zeros)
        run_norms(zeros);
}

static void pooling_of_nothing_is_taken(void **state)
{
    (void)state;
    for (unsigned zeros = 0; zeros < 32; ++zeros)
        for (unsigned type = 0; type < 3; ++type) {
            struct fixture fixture = fixture_open(FIXTURE_MODEL, 5, add_all);
            popnn_pool_params p = { .type = (popnn_pooling_type)type,
                                    .dims = 1,
                                    .input_field = { zeros & 1 ? 0 : 5 },
                                    .kernel = { zeros & 2 ? 0 : 2 },
                                    .stride = { zeros & 4 ? 0 : 1 },
                                    .channels = zeros & 8 ? 0 : 3,
                                    .batch = zeros & 16 ? 0 : 2,
                                    .data_type = POP_FLOAT };
            size_t field[1] = { 0 };
            popnn_pool_output_field(&p, field);
            popnn_pool_fwd_flops(&p), popnn_pool_bwd_flops(&p);
            assert_true(popnn_pool_fwd_perfect_cycle_count(fixture.graph, &p) >= 0);
            assert_true(popnn_pool_bwd_perfect_cycle_count(fixture.graph, &p) >= 0);
            pop_tensor in =
                fixture_input(&fixture, POP_FLOAT, POP_SHAPE(p.batch, p.channels, p.input_field[0]), FIXTURE_LINEAR);
            pop_tensor out = popnn_pool(fixture.graph, &p, in, fixture.program, "p", POP_NO_OPTIONS);
            if (taken(fixture.graph)) {
                popnn_pool_input_gradient(fixture.graph, &p, in, out, out, true, fixture.program, "g", POP_NO_OPTIONS);
                assert_true(taken(fixture.graph));
            }
            popnn_pool_input_gradient_without_activations(fixture.graph, &p, 0, in, fixture.program, "g",
                                                          POP_NO_OPTIONS);
            taken(fixture.graph);
            compile(&fixture);
            fixture_close(&fixture);
        }
}

static void no_rows_and_no_classes_are_taken(void **state)
{
    (void)state;
    for (unsigned zeros = 0; zeros < 4; ++zeros) {
        struct fixture fixture = fixture_open(FIXTURE_MODEL, 5, add_all);
        pop_graph *g = fixture.graph;
        size_t rows = zeros & 1 ? 0 : 3, n = zeros & 2 ? 0 : 4;
        pop_tensor t = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(rows, n), FIXTURE_LINEAR),
                   labels = fixture_input(&fixture, POP_INT, POP_SHAPE(rows), FIXTURE_LINEAR), places;
        pop_tensor loss = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(rows), FIXTURE_LINEAR),
                   count = fixture_input(&fixture, POP_UNSIGNED_INT, POP_SHAPE(), FIXTURE_ONE_TILE);
        for (unsigned type = 0; type < 2; ++type) {
            pop_program p = popnn_calc_loss_and_accuracy(g, t, labels, loss, t, count, (popnn_loss_type)type, "l");
            if (taken(g))
                pop_sequence_add(fixture.program, p);
        }
        for (unsigned type = 0; type < POPNN_NON_LINEARITY_TYPES; ++type) {
            pop_tensor out = popnn_non_linearity(g, (popnn_non_linearity_type)type, t, fixture.program, "n");
            if (taken(g))
                popnn_non_linearity_input_gradient(g, (popnn_non_linearity_type)type, out, out, fixture.program, "n");
            taken(g);
        }
        popnn_max_and_arg_max(g, t, fixture.program, "m");
        taken(g);
        for (unsigned k = 0; k < 2; ++k) {
            popnn_top_k(g, t, &places, k, true, fixture.program, "k");
            taken(g);
            popops_top_k(g, fixture.program, t, (popops_top_k_params){ .k = k, .largest = true }, "k");
            taken(g);
        }
        for (unsigned dim = 0; dim < 2; ++dim) {
            popops_sort(g, t, dim, fixture.program, "s");
            taken(g);
            pop_tensor sum =
                popops_reduce(g, t, POP_TYPE_NULL, POP_DIMS(dim), (popops_reduce_params){ .op = POPOPS_ADD },
                              fixture.program, "r", POP_NO_OPTIONS);
            assert_true(taken(g));
            assert_int_equal(pop_tensor_num_elements(sum), dim ? rows : n);
        }
        compile(&fixture);
        fixture_close(&fixture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions_of_nothing_are_taken), cmocka_unit_test(test_no_field),
        cmocka_unit_test(products_of_nothing_are_taken),     cmocka_unit_test(norms_of_nothing_are_taken),
        cmocka_unit_test(pooling_of_nothing_is_taken),       cmocka_unit_test(no_rows_and_no_classes_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
