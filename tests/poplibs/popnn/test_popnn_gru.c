/* SPDX-License-Identifier: Apache-2.0 */
/* GRU forward, backward and weight update against the same in double precision, with the reset before and after the
 * product. */
#include "poplibs/numeric.h"

#include <poplin/codelets.h>
#include <popnn/codelets.h>
#include <popnn/gru.h>
#include <popops/codelets.h>

static void add_all(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    poplin_add_codelets_at(where, graph);
    popnn_add_codelets_at(where, graph);
}

/* ---- the reference: arrays in the order of the tensors; biases always {3, 2, O} ---- */

struct reference {
    const popnn_gru_params *p;
    const double *x, *h0, *w, *u, *b, *dy;
    double *h, *act, *fed; /* {T,B,O}, {T,3,B,O} by unit, {T,B,O}: the factor of r after the product */
    double *dx, *dh, *dw, *du, *db;
    const double *attention; /* {B,T}, or NULL, and its gradient */
    double *da;
};

/* The factor of the update gate. */
static double unattended(const struct reference *r, size_t t, size_t b)
{
    return r->attention ? 1 - r->attention[b * r->p->time_steps + t] : 1;
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}
static size_t place_of(const popnn_gru_params *p, int unit)
{
    for (size_t i = 0; i < 3; ++i)
        if ((int)p->cell_order[i] == unit)
            return i;
    return 3;
}
static double before(const struct reference *r, size_t t, size_t b, size_t o)
{
    size_t B = r->p->batch_size, O = r->p->output_size;
    return t ? r->h[((t - 1) * B + b) * O + o] : r->h0[b * O + o];
}
static double *act(const struct reference *r, size_t t, int unit, size_t b, size_t o)
{
    return &r->act[((t * 3 + (size_t)unit) * r->p->batch_size + b) * r->p->output_size + o];
}

static void forward_unit(struct reference *r, size_t t, size_t b, int unit)
{
    const popnn_gru_params *p = r->p;
    size_t B = p->batch_size, I = p->input_size, O = p->output_size, g = place_of(p, unit);
    for (size_t o = 0; o < O; ++o) {
        double from_x = r->b[(g * 2 + 0) * O + o], from_h = p->reset_after ? r->b[(g * 2 + 1) * O + o] : 0;
        for (size_t i = 0; i < I; ++i)
            from_x += r->x[(t * B + b) * I + i] * r->w[(g * I + i) * O + o];
        for (size_t k = 0; k < O; ++k) {
            double h = before(r, t, b, k);
            if (unit == POPNN_GRU_CANDIDATE && !p->reset_after)
                h *= *act(r, t, POPNN_GRU_RESET_GATE, b, k);
            from_h += h * r->u[(g * O + k) * O + o];
        }
        if (unit != POPNN_GRU_CANDIDATE) {
            *act(r, t, unit, b, o) = sigmoid(from_x + from_h);
            continue;
        }
        r->fed[(t * B + b) * O + o] = from_h;
        *act(r, t, unit, b, o) = tanh(from_x + (p->reset_after ? *act(r, t, POPNN_GRU_RESET_GATE, b, o) : 1) * from_h);
    }
}
static void run_forward(struct reference *r)
{
    const popnn_gru_params *p = r->p;
    for (size_t t = 0; t < p->time_steps; ++t)
        for (size_t b = 0; b < p->batch_size; ++b) {
            forward_unit(r, t, b, POPNN_GRU_RESET_GATE);
            forward_unit(r, t, b, POPNN_GRU_UPDATE_GATE);
            forward_unit(r, t, b, POPNN_GRU_CANDIDATE);
            for (size_t o = 0; o < p->output_size; ++o) {
                double z = *act(r, t, POPNN_GRU_UPDATE_GATE, b, o) * unattended(r, t, b);
                r->h[(t * p->batch_size + b) * p->output_size + o] =
                    z * before(r, t, b, o) + (1 - z) * *act(r, t, POPNN_GRU_CANDIDATE, b, o);
            }
        }
}

/* Adds the gradients of one unit's sums d_input (of x w) and d_output (of h u), of one batch element, {O} each; those
 * of h are added to dh. */
static void add_products(struct reference *r, size_t t, size_t b, int unit, const double *d_input,
                         const double *d_output, const double *h, double *dh)
{
    const popnn_gru_params *p = r->p;
    size_t B = p->batch_size, I = p->input_size, O = p->output_size, g = place_of(p, unit);
    for (size_t o = 0; o < O; ++o) {
        r->db[(g * 2 + 0) * O + o] += d_input[o];
        r->db[(g * 2 + 1) * O + o] += d_output[o];
        for (size_t i = 0; i < I; ++i) {
            r->dx[(t * B + b) * I + i] += d_input[o] * r->w[(g * I + i) * O + o];
            r->dw[(g * I + i) * O + o] += d_input[o] * r->x[(t * B + b) * I + i];
        }
        for (size_t k = 0; k < O; ++k) {
            dh[k] += d_output[o] * r->u[(g * O + k) * O + o];
            r->du[(g * O + k) * O + o] += d_output[o] * h[k];
        }
    }
}

enum { LIMIT = 16 };
static void step_backward(struct reference *r, size_t t, size_t b)
{
    const popnn_gru_params *p = r->p;
    size_t B = p->batch_size, O = p->output_size;
    double *dh = r->dh + b * O, next[LIMIT] = { 0 }, dr[LIMIT] = { 0 }, dz[LIMIT] = { 0 }, dc[LIMIT] = { 0 },
           fed[LIMIT] = { 0 }, h[LIMIT] = { 0 };
    double reset[LIMIT] = { 0 }, d_reset[LIMIT] = { 0 };
    for (size_t o = 0; o < O; ++o) {
        double own = *act(r, t, POPNN_GRU_UPDATE_GATE, b, o), z = own * unattended(r, t, b),
               c = *act(r, t, POPNN_GRU_CANDIDATE, b, o), gate = *act(r, t, POPNN_GRU_RESET_GATE, b, o);
        double d = dh[o] + (p->output_full_sequence  ? r->dy[(t * B + b) * O + o]
                            : t + 1 == p->time_steps ? r->dy[b * O + o]
                                                     : 0);
        h[o] = before(r, t, b, o);
        reset[o] = gate * h[o];
        next[o] = d * z;
        dz[o] = d * (h[o] - c) * unattended(r, t, b) * own * (1 - own);
        if (r->attention)
            r->da[b * p->time_steps + t] -= d * (h[o] - c) * own;
        dc[o] = d * (1 - z) * (1 - c * c);
        fed[o] = dc[o] * gate;
        dr[o] = dc[o] * r->fed[(t * B + b) * O + o] * gate * (1 - gate);
    }
    if (p->reset_after) {
        add_products(r, t, b, POPNN_GRU_CANDIDATE, dc, fed, h, next);
    } else {
        add_products(r, t, b, POPNN_GRU_CANDIDATE, dc, dc, reset, d_reset);
        for (size_t o = 0; o < O; ++o) {
            double gate = *act(r, t, POPNN_GRU_RESET_GATE, b, o);
            next[o] += d_reset[o] * gate;
            dr[o] = d_reset[o] * h[o] * gate * (1 - gate);
        }
    }
    add_products(r, t, b, POPNN_GRU_RESET_GATE, dr, dr, h, next);
    add_products(r, t, b, POPNN_GRU_UPDATE_GATE, dz, dz, h, next);
    memcpy(dh, next, O * sizeof(double));
}

/* ---- one layer, all passes ---- */

enum { OUT, DX, DH, DW, DU, DB, RESULTS };

enum { DEVICES = FIXTURE_DEVICES + 1 }; /* and the modelled IPU with poplibsRelease 2021 */

/* Backward and weight update by one call or by two, or by one with weights' gradients that are summed in float.
 * Returns the largest error of the biases' gradient. */
enum way { TOGETHER, APART, SUMMED_IN_FLOAT, ATTENDED, ATTENDED_APART };

static double check_layer(unsigned device, const popnn_gru_params *p, enum fixture_mapping mapping, enum way way,
                          double tolerance)
{
    pop_options options = way == SUMMED_IN_FLOAT ? POP_OPTIONS({ "weightAccumulatorsType", "float" }) : POP_NO_OPTIONS;
    struct fixture fixture =
        device == DEVICES - 1 ? fixture_open_with(FIXTURE_MODEL, 11, POP_OPTIONS({ "poplibsRelease", "2021" }), add_all)
                              : fixture_open(device, 7, add_all);
    size_t T = p->time_steps, B = p->batch_size, I = p->input_size, O = p->output_size,
           all = p->output_full_sequence ? T * B * O : B * O;
    pop_tensor initial = fixture_input(&fixture, p->data_type, POP_SHAPE(B, O), mapping),
               x = fixture_input(&fixture, p->data_type, POP_SHAPE(T, B, I), mapping);
    popnn_gru_weights weights = popnn_gru_create_weights(fixture.graph, p, "weights", options, NULL), dw;
    fixture_write(&fixture, weights.input_weights, NULL, -0.4, 0.4);
    fixture_write(&fixture, weights.output_weights, NULL, -0.4, 0.4);
    fixture_write(&fixture, weights.biases, NULL, -0.4, 0.4);
    pop_tensor dy = p->output_full_sequence ? fixture_input(&fixture, p->data_type, POP_SHAPE(T, B, O), mapping)
                                            : fixture_input(&fixture, p->data_type, POP_SHAPE(B, O), mapping);
    bool attended = way >= ATTENDED;
    pop_tensor kept, dx = { 0 }, between, dh, attention = { 0 }, da = { 0 };
    if (attended) {
        attention = popnn_gru_create_attention(fixture.graph, p, "attention", options);
        fixture_write(&fixture, attention, NULL, 0, 0.9);
    }
    pop_tensor out =
        attended ? popnn_au_gru_fwd(fixture.graph, p, initial, x, weights, &kept, attention, fixture.program, "fwd",
                                    options, NULL)
                 : popnn_gru_fwd(fixture.graph, p, initial, x, weights, &kept, fixture.program, "fwd", options, NULL);
    popnn_gru_forward forward = { initial, kept, x, out, weights };
    if (way == ATTENDED_APART) {
        dh = popnn_au_gru_bwd(fixture.graph, p, fixture.program, &forward, dy, &dx, &between, attention, &da, "bwd",
                              options, NULL);
        dw = popnn_gru_wu(fixture.graph, p, fixture.program, &forward, between, "wu", options, NULL);
    } else if (way == ATTENDED) {
        dh = popnn_au_gru_bwd_with_wu(fixture.graph, p, fixture.program, &forward, dy, &dx, &dw, attention, &da, "bwd",
                                      options, NULL);
    } else if (way == APART) {
        dh = popnn_gru_bwd(fixture.graph, p, fixture.program, &forward, dy, &dx, &between, "bwd", options, NULL);
        dw = popnn_gru_wu(fixture.graph, p, fixture.program, &forward, between, "wu", options, NULL);
    } else {
        dh = popnn_gru_bwd_with_wu(fixture.graph, p, fixture.program, &forward, dy, &dx, &dw, "bwd", options, NULL);
    }
    pop_tensor tensors[RESULTS + 1] = { out, dx, dh, dw.input_weights, dw.output_weights, dw.biases, da };
    double *got[RESULTS + 1], *sums[5], *scores = calloc(B * T, sizeof(double)),
                                        *biases = calloc(6 * O, sizeof(double));
    fixture_run_all(&fixture, tensors, got, RESULTS + (size_t)attended);
    size_t sizes[5] = { T * B * I, B * O, 3 * I * O, 3 * O * O, 6 * O };
    for (int i = 0; i < 5; ++i)
        sums[i] = calloc(sizes[i], sizeof(double));
    for (size_t i = 0; i < 3 * O * (p->reset_after ? 2 : 1); ++i)
        biases[p->reset_after ? i : i / O * 2 * O + i % O] = fixture_given(&fixture, weights.biases)[i];
    struct reference r = { p,
                           fixture_given(&fixture, x),
                           fixture_given(&fixture, initial),
                           fixture_given(&fixture, weights.input_weights),
                           fixture_given(&fixture, weights.output_weights),
                           biases,
                           fixture_given(&fixture, dy),
                           calloc(T * B * O, sizeof(double)),
                           calloc(3 * T * B * O, sizeof(double)),
                           calloc(T * B * O, sizeof(double)),
                           sums[0],
                           sums[1],
                           sums[2],
                           sums[3],
                           sums[4],
                           attended ? fixture_given(&fixture, attention) : NULL,
                           scores };
    run_forward(&r);
    for (size_t t = T; t-- > 0;)
        for (size_t b = 0; b < B; ++b)
            step_backward(&r, t, b);
    for (size_t i = 0; i < 3 * O && !p->reset_after; ++i)
        r.db[i] = r.db[i / O * 2 * O + i % O];
    fixture_check(got[OUT], p->output_full_sequence ? r.h : r.h + (T - 1) * B * O, all, tolerance, tolerance);
    for (int i = 0; i < 4; ++i)
        fixture_check(got[DX + i], sums[i], sizes[i], tolerance, tolerance * (double)(T * B));
    fixture_check(got[DB], r.db, 3 * O * (p->reset_after ? 2 : 1), tolerance, tolerance * (double)(T * B));
    if (attended)
        fixture_check(got[RESULTS], scores, B * T, tolerance * (double)O, tolerance * (double)O);
    free(scores);
    double worst = 0;
    for (size_t i = 0; i < 3 * O * (p->reset_after ? 2 : 1); ++i)
        worst = fmax(worst, fabs(got[DB][i] - r.db[i]));
    for (int i = 0; i < 5; ++i)
        free(sums[i]);
    free(biases);
    free(r.h);
    free(r.act);
    free(r.fed);
    fixture_close(&fixture);
    return worst;
}

static void test_all_passes(void **state)
{
    (void)state;
    for (unsigned device = FIXTURE_CPU; device < DEVICES; ++device)
        for (int after = 0; after < 2; ++after) {
            popnn_gru_params p = popnn_gru_params_make(POP_FLOAT, 3, 4, 5, 7);
            p.reset_after = after;
            check_layer(device, &p, FIXTURE_LINEAR, TOGETHER, 1e-5);
            check_layer(device, &p, FIXTURE_SCATTERED, APART, 1e-5);
            p = popnn_gru_params_make(POP_HALF, 2, 3, 11, 6);
            p.reset_after = after;
            check_layer(device, &p, FIXTURE_LINEAR, APART, 2e-2);
        }
}

/* Sums over many steps in half are less accurate than in float. */
static void test_sums_in_float(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (int after = 0; after < 2; ++after) {
            popnn_gru_params p = popnn_gru_params_make(POP_HALF, 3, 250, 2, 4);
            p.reset_after = after;
            double half = check_layer(device, &p, FIXTURE_LINEAR, TOGETHER, 5e-2),
                   wide = check_layer(device, &p, FIXTURE_LINEAR, SUMMED_IN_FLOAT, 5e-2);
            if (!(wide < half / 2))
                fail_msg("summed in half %g, in float %g", half, wide);
        }
}

static void test_orders_and_last_outputs(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (int after = 0; after < 2; ++after) {
            popnn_gru_params p = popnn_gru_params_make(POP_FLOAT, 1, 1, 1, 1);
            p.reset_after = after;
            check_layer(device, &p, FIXTURE_ONE_TILE, TOGETHER, 1e-5);
            p = popnn_gru_params_make(POP_FLOAT, 2, 5, 3, 13);
            p.reset_after = after;
            p.output_full_sequence = false;
            p.cell_order[0] = POPNN_GRU_CANDIDATE;
            p.cell_order[2] = POPNN_GRU_RESET_GATE;
            check_layer(device, &p, FIXTURE_LINEAR, TOGETHER, 1e-5);
            check_layer(device, &p, FIXTURE_LINEAR, APART, 1e-5);
        }
}

static void test_attention(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (int after = 0; after < 2; ++after) {
            popnn_gru_params p = popnn_gru_params_make(POP_FLOAT, 3, 4, 5, 7);
            p.reset_after = after;
            check_layer(device, &p, FIXTURE_LINEAR, ATTENDED, 1e-5);
            p.output_full_sequence = !after;
            check_layer(device, &p, FIXTURE_SCATTERED, ATTENDED_APART, 1e-5);
            p = popnn_gru_params_make(POP_HALF, 1, 1, 1, 6);
            p.reset_after = after;
            check_layer(device, &p, FIXTURE_ONE_TILE, ATTENDED, 1e-2);
        }
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 2, add_all);
    popnn_gru_params p = popnn_gru_params_make(POP_FLOAT, 2, 3, 4, 5);
    popnn_gru_weights weights = popnn_gru_create_weights(fixture.graph, &p, "w", POP_NO_OPTIONS, NULL);
    pop_tensor x = popnn_gru_create_input(fixture.graph, &p, "in", POP_NO_OPTIONS, NULL),
               wrong = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(2, 4), FIXTURE_LINEAR);
    popnn_gru_fwd(fixture.graph, &p, wrong, x, weights, NULL, fixture.program, "fwd", POP_NO_OPTIONS, NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_gru_fwd",
                 "the initial state: the shape is {2,4}; it must be {2,5}");
    p.reset_after = true;
    pop_tensor h = popnn_gru_create_initial_state(fixture.graph, &p, "h", POP_NO_OPTIONS, NULL);
    popnn_gru_fwd(fixture.graph, &p, h, x, weights, NULL, fixture.program, "fwd", POP_NO_OPTIONS, NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_gru_fwd",
                 "the tensor of biases: the shape is {3,5}; it must be {3,2,5}");
    p.cell_order[0] = POPNN_GRU_CANDIDATE;
    popnn_gru_create_weights(fixture.graph, &p, "w", POP_NO_OPTIONS, NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_gru_create_weights", "each of the 3 units once");
    p = popnn_gru_params_make(POP_FLOAT, 2, 3, 4, 5);
    popnn_gru_bwd(fixture.graph, &p, fixture.program, NULL, x, NULL, NULL, "bwd", POP_NO_OPTIONS, NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_gru_bwd", "what forward gave is NULL");
    popnn_gru_create_weights(fixture.graph, NULL, "w", POP_NO_OPTIONS, NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_gru_create_weights", "the parameters are NULL");
    weights = popnn_gru_create_weights(fixture.graph, &p, "w", POP_NO_OPTIONS, NULL);
    popnn_au_gru_fwd(fixture.graph, &p, h, x, weights, NULL, wrong, fixture.program, "fwd", POP_NO_OPTIONS, NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_au_gru_fwd",
                 "the tensor of attention scores: the shape is {2,4}; it must be {2,3}");
    p.activation = POPNN_SOFTMAX_STABLE;
    popnn_gru_create_weights(fixture.graph, &p, "w", POP_NO_OPTIONS, NULL);
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_gru_create_weights",
                 "all non-linearities but softmax are possible");
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_passes),
        cmocka_unit_test(test_sums_in_float),
        cmocka_unit_test(test_orders_and_last_outputs),
        cmocka_unit_test(test_attention),
        cmocka_unit_test(mistakes_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
