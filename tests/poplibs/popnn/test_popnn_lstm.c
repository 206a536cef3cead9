/* SPDX-License-Identifier: Apache-2.0 */
/* LSTM forward, backward and weight update against the same in double precision. */
#include "poplibs/numeric.h"

#include <poplin/codelets.h>
#include <popnn/codelets.h>
#include <popnn/lstm.h>
#include <popops/codelets.h>

static void add_all(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    poplin_add_codelets_at(where, graph);
    popnn_add_codelets_at(where, graph);
}

/* ---- the reference: arrays in the order of the tensors; gradients if dy is given ---- */

struct reference {
    const popnn_lstm_params *p;
    const double *x, *h0, *c0, *w, *u, *b, *dy; /* dy {T,B,O}, or {B,O} of the last step */
    double *h, *c, *act;                        /* {T,B,O}, {T,B,O}, {T,4,B,O} by unit */
    double *dx, *dh, *dc, *dw, *du, *db;
};

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}
static size_t place_of(const popnn_lstm_params *p, int unit)
{
    for (size_t i = 0; i < 4; ++i)
        if ((int)p->cell_order[i] == unit)
            return i;
    return 4;
}

static void run_forward(struct reference *r)
{
    const popnn_lstm_params *p = r->p;
    size_t B = p->batch_size, I = p->input_size, O = p->output_size;
    for (size_t t = 0; t < p->time_steps; ++t)
        for (size_t b = 0; b < B; ++b)
            for (size_t o = 0; o < O; ++o) {
                double a[4];
                for (int unit = 0; unit < 4; ++unit) {
                    size_t g = place_of(p, unit);
                    double sum = r->b[g * O + o];
                    for (size_t i = 0; i < I; ++i)
                        sum += r->x[(t * B + b) * I + i] * r->w[(g * I + i) * O + o];
                    for (size_t k = 0; k < O; ++k)
                        sum += (t ? r->h[((t - 1) * B + b) * O + k] : r->h0[b * O + k]) * r->u[(g * O + k) * O + o];
                    a[unit] = r->act[((t * 4 + (size_t)unit) * B + b) * O + o] =
                        unit == POPNN_LSTM_CANDIDATE ? tanh(sum) : sigmoid(sum);
                }
                double before = t ? r->c[((t - 1) * B + b) * O + o] : r->c0[b * O + o];
                double c = a[POPNN_LSTM_FORGET_GATE] * before + a[POPNN_LSTM_INPUT_GATE] * a[POPNN_LSTM_CANDIDATE];
                r->c[(t * B + b) * O + o] = c;
                r->h[(t * B + b) * O + o] = a[POPNN_LSTM_OUTPUT_GATE] * tanh(c);
            }
}

static void add_products(struct reference *r, size_t t, size_t b, size_t o, const double *dz, double *dh)
{
    const popnn_lstm_params *p = r->p;
    size_t B = p->batch_size, I = p->input_size, O = p->output_size;
    for (int unit = 0; unit < 4; ++unit) {
        size_t g = place_of(p, unit);
        r->db[g * O + o] += dz[unit];
        for (size_t i = 0; i < I; ++i) {
            r->dx[(t * B + b) * I + i] += dz[unit] * r->w[(g * I + i) * O + o];
            r->dw[(g * I + i) * O + o] += dz[unit] * r->x[(t * B + b) * I + i];
        }
        for (size_t k = 0; k < O; ++k) {
            dh[b * O + k] += dz[unit] * r->u[(g * O + k) * O + o];
            r->du[(g * O + k) * O + o] += dz[unit] * (t ? r->h[((t - 1) * B + b) * O + k] : r->h0[b * O + k]);
        }
    }
}

static void run_backward(struct reference *r)
{
    const popnn_lstm_params *p = r->p;
    size_t B = p->batch_size, O = p->output_size;
    double *next = malloc(B * O * sizeof(double));
    for (size_t t = p->time_steps; t-- > 0;) {
        memset(next, 0, B * O * sizeof(double));
        for (size_t b = 0; b < B; ++b)
            for (size_t o = 0; o < O; ++o) {
                size_t at = (t * B + b) * O + o;
                double f = r->act[((t * 4 + POPNN_LSTM_FORGET_GATE) * B + b) * O + o],
                       i = r->act[((t * 4 + POPNN_LSTM_INPUT_GATE) * B + b) * O + o];
                double g = r->act[((t * 4 + POPNN_LSTM_CANDIDATE) * B + b) * O + o],
                       out = r->act[((t * 4 + POPNN_LSTM_OUTPUT_GATE) * B + b) * O + o];
                double dh = r->dh[b * O + o] + (p->output_full_sequence  ? r->dy[at]
                                                : t + 1 == p->time_steps ? r->dy[b * O + o]
                                                                         : 0);
                double th = tanh(r->c[at]), dc = r->dc[b * O + o] + dh * out * (1 - th * th);
                double before = t ? r->c[at - B * O] : r->c0[b * O + o], dz[4];
                dz[POPNN_LSTM_FORGET_GATE] = dc * before * f * (1 - f);
                dz[POPNN_LSTM_INPUT_GATE] = dc * g * i * (1 - i);
                dz[POPNN_LSTM_CANDIDATE] = dc * i * (1 - g * g);
                dz[POPNN_LSTM_OUTPUT_GATE] = dh * th * out * (1 - out);
                r->dc[b * O + o] = dc * f;
                add_products(r, t, b, o, dz, next);
            }
        memcpy(r->dh, next, B * O * sizeof(double));
    }
    free(next);
}

/* ---- one layer, all passes ---- */

enum { OUT, CELL, DX, DH, DC, DW, DU, DB, RESULTS };

enum { DEVICES = FIXTURE_DEVICES + 1 }; /* and the modelled IPU with poplibsRelease 2021 */

/* Backward and weight update by one call or by two; by one if the input is weighted before the loop, or weights'
 * gradients are summed in float. */
enum way { TOGETHER, APART, WEIGHTED_BEFORE, SUMMED_IN_FLOAT };

/* Returns the largest error of the biases' gradient. */
static double check_layer(unsigned device, const popnn_lstm_params *p, enum fixture_mapping mapping, enum way way,
                          double tolerance)
{
    pop_options options = POP_OPTIONS({ "preCalcWeights", way == WEIGHTED_BEFORE ? "true" : "false" },
                                      { "weightAccumulatorsType", "float" });
    options.count -= way != SUMMED_IN_FLOAT;
    struct fixture fixture =
        device == DEVICES - 1 ? fixture_open_with(FIXTURE_MODEL, 11, POP_OPTIONS({ "poplibsRelease", "2021" }), add_all)
                              : fixture_open(device, 7, add_all);
    size_t T = p->time_steps, B = p->batch_size, I = p->input_size, O = p->output_size;
    popnn_lstm_state initial = { fixture_input(&fixture, p->data_type, POP_SHAPE(B, O), mapping),
                                 fixture_input(&fixture, p->data_type, POP_SHAPE(B, O), mapping) };
    pop_tensor x = fixture_input(&fixture, p->data_type, POP_SHAPE(T, B, I), mapping);
    popnn_lstm_weights weights = popnn_lstm_create_weights(fixture.graph, p, "weights", options, NULL);
    fixture_write(&fixture, weights.input_weights, NULL, -0.4, 0.4);
    fixture_write(&fixture, weights.output_weights, NULL, -0.4, 0.4);
    fixture_write(&fixture, weights.biases, NULL, -0.4, 0.4);
    pop_tensor dy = p->output_full_sequence ? fixture_input(&fixture, p->data_type, POP_SHAPE(T, B, O), mapping)
                                            : fixture_input(&fixture, p->data_type, POP_SHAPE(B, O), mapping);
    pop_tensor kept, cell, dx = { 0 }, between;
    pop_tensor out =
        popnn_lstm_fwd(fixture.graph, p, initial, x, weights, &kept, &cell, fixture.program, "fwd", options, NULL);
    popnn_lstm_forward forward = { initial, kept, x, out, weights };
    popnn_lstm_weights dw;
    popnn_lstm_state ds;
    popnn_lstm_state d_last = { { 0 }, fixture_input(&fixture, p->data_type, POP_SHAPE(B, O), mapping) };
    if (way == APART)
        d_last.output = fixture_input(&fixture, p->data_type, POP_SHAPE(B, O), mapping);
    const popnn_lstm_state *last =
        way == WEIGHTED_BEFORE || way == APART ? &d_last : NULL; /* the gradient of the last state */
    if (way == APART) {
        ds = popnn_lstm_bwd(fixture.graph, p, fixture.program, &forward, dy, last, &dx, &between, "bwd", options, NULL);
        dw = popnn_lstm_wu(fixture.graph, p, fixture.program, &forward, between, "wu", options, NULL);
    } else {
        ds = popnn_lstm_bwd_with_wu(fixture.graph, p, fixture.program, &forward, dy, last, &dx, &dw, "bwd", options,
                                    NULL);
    }
    pop_tensor tensors[RESULTS] = { out,      cell, dx, ds.output, ds.cell_state, dw.input_weights, dw.output_weights,
                                    dw.biases };
    double *got[RESULTS], *zeros[6];
    fixture_run_all(&fixture, tensors, got, RESULTS);
    size_t sizes[6] = { T * B * I, B * O, B * O, 4 * I * O, 4 * O * O, 4 * O };
    for (int i = 0; i < 6; ++i)
        zeros[i] = calloc(sizes[i], sizeof(double));
    struct reference r = { p,
                           fixture_given(&fixture, x),
                           fixture_given(&fixture, initial.output),
                           fixture_given(&fixture, initial.cell_state),
                           fixture_given(&fixture, weights.input_weights),
                           fixture_given(&fixture, weights.output_weights),
                           fixture_given(&fixture, weights.biases),
                           fixture_given(&fixture, dy),
                           calloc(T * B * O, sizeof(double)),
                           calloc(T * B * O, sizeof(double)),
                           calloc(4 * T * B * O, sizeof(double)),
                           zeros[0],
                           zeros[1],
                           zeros[2],
                           zeros[3],
                           zeros[4],
                           zeros[5] };
    if (last)
        memcpy(r.dc, fixture_given(&fixture, d_last.cell_state), B * O * sizeof(double));
    if (way == APART)
        memcpy(r.dh, fixture_given(&fixture, d_last.output), B * O * sizeof(double));
    run_forward(&r);
    run_backward(&r);
    fixture_check(got[OUT], p->output_full_sequence ? r.h : r.h + (T - 1) * B * O,
                  p->output_full_sequence ? T * B * O : B * O, tolerance, tolerance);
    fixture_check(got[CELL], r.c + (T - 1) * B * O, B * O, tolerance, tolerance);
    for (int i = 0; i < 6; ++i)
        fixture_check(got[DX + i], zeros[i], sizes[i], tolerance, tolerance * (double)(T * B));
    double worst = 0;
    for (size_t i = 0; i < sizes[5]; ++i)
        worst = fmax(worst, fabs(got[DB][i] - r.db[i]));
    for (int i = 0; i < 6; ++i)
        free(zeros[i]);
    free(r.h);
    free(r.c);
    free(r.act);
    fixture_close(&fixture);
    return worst;
}

static void test_all_passes(void **state)
{
    (void)state;
    for (unsigned device = FIXTURE_CPU; device < DEVICES; ++device) {
        popnn_lstm_params p = popnn_lstm_params_make(POP_FLOAT, 3, 4, 5, 7);
        check_layer(device, &p, FIXTURE_LINEAR, TOGETHER, 1e-5);
        check_layer(device, &p, FIXTURE_SCATTERED, APART, 1e-5);
        check_layer(device, &p, FIXTURE_LINEAR, WEIGHTED_BEFORE, 1e-5);
        p = popnn_lstm_params_make(POP_HALF, 2, 3, 11, 6);
        check_layer(device, &p, FIXTURE_LINEAR, APART, 2e-2);
    }
}

/* Sums over many steps in half are less accurate than in float. */
static void test_sums_in_float(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device) {
        popnn_lstm_params p = popnn_lstm_params_make(POP_HALF, 3, 250, 2, 4);
        double half = check_layer(device, &p, FIXTURE_LINEAR, TOGETHER, 5e-2),
               wide = check_layer(device, &p, FIXTURE_LINEAR, SUMMED_IN_FLOAT, 5e-2);
        if (!(wide < half / 2))
            fail_msg("summed in half %g, in float %g", half, wide);
        p = popnn_lstm_params_make(POP_FLOAT, 2, 3, 4, 5);
        check_layer(device, &p, FIXTURE_LINEAR, SUMMED_IN_FLOAT, 1e-5);
    }
}

static void test_orders_and_last_outputs(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device) {
        popnn_lstm_params p = popnn_lstm_params_make(POP_FLOAT, 1, 1, 1, 1);
        check_layer(device, &p, FIXTURE_ONE_TILE, TOGETHER, 1e-5);
        p = popnn_lstm_params_make(POP_FLOAT, 2, 5, 3, 13);
        p.output_full_sequence = false;
        p.cell_order[0] = POPNN_LSTM_OUTPUT_GATE;
        p.cell_order[3] = POPNN_LSTM_FORGET_GATE;
        check_layer(device, &p, FIXTURE_LINEAR, TOGETHER, 1e-5);
        check_layer(device, &p, FIXTURE_LINEAR, APART, 1e-5);
    }
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 2, add_all);
    popnn_lstm_params p = popnn_lstm_params_make(POP_INT, 2, 3, 4, 5);
    popnn_lstm_create_weights(fixture.graph, &p, "w", POP_NO_OPTIONS, NULL);
    assert_error(fixture.graph, POP_TYPE_ERROR, "popnn_lstm_create_weights", "type int");
    p = popnn_lstm_params_make(POP_FLOAT, 2, 0, 4, 5);
    popnn_lstm_create_weights(fixture.graph, &p, "w", POP_NO_OPTIONS, NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_lstm_create_weights", "none of them can be 0");
    p.time_steps = 3;
    p.cell_order[0] = POPNN_LSTM_CANDIDATE;
    popnn_lstm_create_weights(fixture.graph, &p, "w", POP_NO_OPTIONS, NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_lstm_create_weights", "each of the 4 units once");
    p = popnn_lstm_params_make(POP_FLOAT, 2, 3, 4, 5);
    popnn_lstm_create_weights(fixture.graph, &p, "w",
                              POP_OPTIONS({ "rnnCodeReuse", "true" }, { "numShards", "2" }, { "rnnStepsPerWU", "4" }),
                              NULL);
    assert_null(pop_graph_error(fixture.graph));
    popnn_lstm_create_weights(fixture.graph, &p, "w", POP_OPTIONS({ "recomputationMode", "some" }), NULL);
    assert_error(fixture.graph, POP_INVALID_OPTION, "popnn_lstm_create_weights", "none|cellAndTanh|full");
    popnn_lstm_weights weights = popnn_lstm_create_weights(fixture.graph, &p, "w", POP_NO_OPTIONS, NULL);
    popnn_lstm_state initial = popnn_lstm_create_initial_state(fixture.graph, &p, "s", POP_NO_OPTIONS, NULL);
    pop_tensor x = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(3, 2, 6), FIXTURE_LINEAR);
    popnn_lstm_fwd(fixture.graph, &p, initial, x, weights, NULL, NULL, fixture.program, "fwd", POP_NO_OPTIONS, NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_lstm_fwd",
                 "the input: the shape is {3,2,6}; it must be {3,2,4}");
    popnn_lstm_fwd(fixture.graph, NULL, initial, x, weights, NULL, NULL, fixture.program, "fwd", POP_NO_OPTIONS, NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_lstm_fwd", "the parameters are NULL");
    popnn_lstm_bwd(fixture.graph, &p, fixture.program, NULL, x, NULL, NULL, NULL, "bwd", POP_NO_OPTIONS, NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_lstm_bwd", "what forward gave is NULL");
    popnn_lstm_wu(fixture.graph, &p, fixture.program, NULL, x, "wu", POP_NO_OPTIONS, NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_lstm_wu", "what forward gave is NULL");
    p.recurrent_activation = POPNN_SOFTMAX;
    popnn_lstm_create_weights(fixture.graph, &p, "w", POP_NO_OPTIONS, NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_lstm_create_weights",
                 "all non-linearities but softmax are possible");
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_passes),
        cmocka_unit_test(test_sums_in_float),
        cmocka_unit_test(test_orders_and_last_outputs),
        cmocka_unit_test(mistakes_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
