/* SPDX-License-Identifier: Apache-2.0 */
/* The simple recurrent layer against the same in double precision. */
#include "poplibs/numeric.h"

#include <poplin/codelets.h>
#include <popnn/codelets.h>
#include <popnn/recurrent.h>
#include <popops/codelets.h>

static void add_all(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    poplin_add_codelets_at(where, graph);
    popnn_add_codelets_at(where, graph);
}

enum { OUT, DX, DW, DU, DB, RESULTS };
enum { LIMIT = 512 };
struct reference {
    double out[LIMIT], dx[LIMIT], dw[LIMIT], du[LIMIT], db[LIMIT];
};

static void run_reference(struct reference *r, const popnn_rnn_params *p, const double *x, const double *h0,
                          const double *w, const double *u, const double *biases, const double *dy)
{
    size_t T = p->time_steps, B = p->batch_size, I = p->input_size, O = p->output_size;
    double dh[LIMIT] = { 0 };
    memset(r, 0, sizeof(*r));
    for (size_t t = 0; t < T; ++t)
        for (size_t b = 0; b < B; ++b)
            for (size_t o = 0; o < O; ++o) {
                double sum = biases[o];
                for (size_t i = 0; i < I; ++i)
                    sum += x[(t * B + b) * I + i] * w[i * O + o];
                for (size_t k = 0; k < O; ++k)
                    sum += (t ? r->out[((t - 1) * B + b) * O + k] : h0[b * O + k]) * u[k * O + o];
                r->out[(t * B + b) * O + o] = p->activation == POPNN_TANH ? tanh(sum) : 1 / (1 + exp(-sum));
            }
    for (size_t t = T; t-- > 0;) {
        double next[LIMIT] = { 0 };
        for (size_t b = 0; b < B; ++b)
            for (size_t o = 0; o < O; ++o) {
                double out = r->out[(t * B + b) * O + o],
                       slope = p->activation == POPNN_TANH ? 1 - out * out : out * (1 - out);
                double dz = (dy[(b * T + t) * O + o] + dh[b * O + o]) * slope;
                r->db[o] += dz;
                for (size_t i = 0; i < I; ++i) {
                    r->dx[(t * B + b) * I + i] += dz * w[i * O + o];
                    r->dw[i * O + o] += dz * x[(t * B + b) * I + i];
                }
                for (size_t k = 0; k < O; ++k) {
                    next[b * O + k] += dz * u[k * O + o];
                    r->du[k * O + o] += dz * (t ? r->out[((t - 1) * B + b) * O + k] : h0[b * O + k]);
                }
            }
        memcpy(dh, next, sizeof(dh));
    }
}

static void check_layer(enum fixture_device device, const popnn_rnn_params *p, enum fixture_mapping mapping,
                        double tolerance)
{
    static struct reference r;
    struct fixture fixture = fixture_open(device, 7, add_all);
    size_t T = p->time_steps, B = p->batch_size, I = p->input_size, O = p->output_size;
    pop_tensor x = popnn_rnn_create_input(fixture.graph, p, "in", NULL),
               h0 = popnn_rnn_create_fwd_state(fixture.graph, p, fixture.program, false, "state");
    fixture_write(&fixture, x, NULL, -1, 1);
    fixture_write(&fixture, h0, NULL, -1, 1);
    popnn_rnn_weights weights, deltas;
    weights.input_weights = popnn_rnn_create_weights_input(fixture.graph, p, "w", NULL);
    weights.feedback_weights = popnn_rnn_create_weights_feedback(fixture.graph, p, "u", NULL);
    fixture_write(&fixture, weights.input_weights, NULL, -0.4, 0.4);
    fixture_write(&fixture, weights.feedback_weights, NULL, -0.4, 0.4);
    weights.biases = fixture_input(&fixture, p->data_type, POP_SHAPE(O), mapping);
    pop_tensor dy = fixture_input(&fixture, p->data_type, POP_SHAPE(B, T, O), mapping), t[RESULTS];
    t[OUT] = popnn_rnn_fwd_sequence(fixture.graph, p, fixture.program, h0, weights, x, "fwd", NULL);
    popnn_rnn_bwd_sequence(fixture.graph, p, fixture.program, h0, t[OUT], weights, dy, x, &t[DX], &deltas, "bwd", NULL);
    t[DW] = deltas.input_weights;
    t[DU] = deltas.feedback_weights;
    t[DB] = deltas.biases;
    double *got[RESULTS];
    fixture_run_all(&fixture, t, got, RESULTS);
    run_reference(&r, p, fixture_given(&fixture, x), fixture_given(&fixture, h0),
                  fixture_given(&fixture, weights.input_weights), fixture_given(&fixture, weights.feedback_weights),
                  fixture_given(&fixture, weights.biases), fixture_given(&fixture, dy));
    fixture_check(got[OUT], r.out, T * B * O, tolerance, tolerance);
    fixture_check(got[DX], r.dx, T * B * I, tolerance, 2 * tolerance);
    fixture_check(got[DW], r.dw, O * I, tolerance, tolerance * (double)(T * B));
    fixture_check(got[DU], r.du, O * O, tolerance, tolerance * (double)(T * B));
    fixture_check(got[DB], r.db, O, tolerance, tolerance * (double)(T * B));
    fixture_close(&fixture);
}

static void test_all_passes(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device) {
        popnn_rnn_params p = popnn_rnn_params_make(POP_FLOAT, 3, 4, 5, 7);
        check_layer(device, &p, FIXTURE_SCATTERED, 1e-5);
        p = popnn_rnn_params_make(POP_FLOAT, 1, 1, 1, 1);
        check_layer(device, &p, FIXTURE_ONE_TILE, 1e-5);
        p = popnn_rnn_params_make(POP_HALF, 2, 3, 11, 6);
        p.activation = POPNN_SIGMOID;
        check_layer(device, &p, FIXTURE_LINEAR, 1e-2);
    }
}

static void test_parameters(void **state)
{
    (void)state;
    popnn_rnn_params p = popnn_rnn_params_make(POP_FLOAT, 2, 3, 4, 5);
    poplin_fc_mat_mul list[POPNN_RNN_MAX_MAT_MULS];
    assert_int_equal(popnn_rnn_get_mat_mul_pre_plan_parameters(&p, false, true, list), 6);
    assert_int_equal(popnn_rnn_get_mat_mul_pre_plan_parameters(&p, true, false, list), 1);
    assert_int_equal(popnn_rnn_fwd_flops(&p, true), 2 * 3 * 2 * 5 * 9 + 2 * 30);
    assert_int_equal(popnn_rnn_fwd_flops(&p, false), 2 * 3 * 2 * 5 * 5 + 2 * 30);
    assert_int_equal(popnn_rnn_bwd_flops(&p, true), 2 * 3 * 2 * 5 * 9 + 30);
    assert_int_equal(popnn_rnn_wu_flops(&p), 2 * 3 * 2 * 5 * 9 + 30);
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 2, add_all);
    popnn_rnn_params p = popnn_rnn_params_make(POP_INT, 2, 3, 4, 5);
    popnn_rnn_create_input(fixture.graph, &p, "in", NULL);
    assert_error(fixture.graph, POP_TYPE_ERROR, "popnn_rnn_create_input", "type int");
    p.data_type = POP_FLOAT;
    p.partials_type = POP_INT;
    popnn_rnn_create_weights_input(fixture.graph, &p, "w", NULL);
    assert_error(fixture.graph, POP_INVALID_OPTION, "popnn_rnn_create_weights_input", "half|float");
    p.partials_type = POP_FLOAT;
    pop_tensor x = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(3, 2, 5), FIXTURE_LINEAR),
               w = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(5, 4), FIXTURE_LINEAR);
    popnn_rnn_forward_weight_input(fixture.graph, &p, x, w, fixture.program, "fwd", NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_rnn_forward_weight_input",
                 "the input: the shape is {3,2,5}; it must be {3,2,4}");
    popnn_rnn_create_input(fixture.graph, NULL, "in", NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_rnn_create_input", "the parameters are NULL");
    p.activation = POPNN_SOFTMAX_SCALED;
    popnn_rnn_create_input(fixture.graph, &p, "in", NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_rnn_create_input",
                 "all non-linearities but softmax are possible");
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_passes),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(mistakes_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
