/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of different lengths in LSTM, GRU and GRU with attention: outputs, states and gradients against a layer in
 * double precision, whose gradients are central differences; and the cycles, which follow the largest length. */
#include "poplibs/numeric.h"

#include <poplin/codelets.h>
#include <popnn/codelets.h>
#include <popnn/gru.h>
#include <popnn/lstm.h>
#include <popops/codelets.h>

static void add_all(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    poplin_add_codelets_at(where, graph);
    popnn_add_codelets_at(where, graph);
}

/* ---- the reference: one layer, arrays in the order of the tensors ---- */

enum kind { LSTM, GRU, GRU_RESET_AFTER, AU_GRU, AU_GRU_RESET_AFTER, KINDS };
/* {T,B,I}; {B,O}; {B,O} of an LSTM; {G,I,O}; {G,O,O}; {G,O} or {G,2,O}; {B,T}; {T,B,O} or {B,O} */
enum { X, H, CELL, W, U, BIASES, SCORES, DY, ARRAYS };
enum { MAX_WIDTH = 8, MAX_BATCH = 4 };

struct layer {
    enum kind kind;
    size_t batch, steps, in, out;
    bool full; /* the output is a sequence */
    const unsigned *lengths;
    size_t num_lengths; /* batch or 1 */
    size_t count[ARRAYS];
    double *v[ARRAYS];
    double *h, *cell; /* results: outputs {T,B,O}, and the last state {B,O} */
};

static size_t length_of(const struct layer *l, size_t b)
{
    size_t n = l->lengths[l->num_lengths > 1 ? b : 0];
    return n < l->steps ? n : l->steps;
}
static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}
static bool resets_after(const struct layer *l)
{
    return l->kind == GRU_RESET_AFTER || l->kind == AU_GRU_RESET_AFTER;
}
static bool attended(const struct layer *l)
{
    return l->kind >= AU_GRU;
}
static double of_x(const struct layer *l, size_t gate, size_t t, size_t b, size_t o)
{
    double sum = 0;
    for (size_t i = 0; i < l->in; ++i)
        sum += l->v[X][(t * l->batch + b) * l->in + i] * l->v[W][(gate * l->in + i) * l->out + o];
    return sum;
}
static double of_h(const struct layer *l, size_t gate, const double *h, size_t o)
{
    double sum = 0;
    for (size_t k = 0; k < l->out; ++k)
        sum += h[k] * l->v[U][(gate * l->out + k) * l->out + o];
    return sum;
}
static void lstm_step(const struct layer *l, size_t t, size_t b, double *h, double *c)
{
    double next[MAX_WIDTH];
    for (size_t o = 0; o < l->out; ++o) {
        double z[POPNN_LSTM_UNITS];
        for (size_t gate = 0; gate < POPNN_LSTM_UNITS; ++gate)
            z[gate] = of_x(l, gate, t, b, o) + of_h(l, gate, h, o) + l->v[BIASES][gate * l->out + o];
        c[o] = sigmoid(z[POPNN_LSTM_FORGET_GATE]) * c[o] +
               sigmoid(z[POPNN_LSTM_INPUT_GATE]) * tanh(z[POPNN_LSTM_CANDIDATE]);
        next[o] = sigmoid(z[POPNN_LSTM_OUTPUT_GATE]) * tanh(c[o]);
    }
    memcpy(h, next, l->out * sizeof(double));
}
static double gru_bias(const struct layer *l, size_t gate, size_t which, size_t o)
{
    if (!resets_after(l))
        return which ? 0 : l->v[BIASES][gate * l->out + o];
    return l->v[BIASES][(gate * 2 + which) * l->out + o];
}
static void gru_step(const struct layer *l, size_t t, size_t b, double *h)
{
    double reset[MAX_WIDTH], used[MAX_WIDTH], next[MAX_WIDTH];
    for (size_t o = 0; o < l->out; ++o) {
        reset[o] = sigmoid(of_x(l, POPNN_GRU_RESET_GATE, t, b, o) + of_h(l, POPNN_GRU_RESET_GATE, h, o) +
                           gru_bias(l, POPNN_GRU_RESET_GATE, 0, o) + gru_bias(l, POPNN_GRU_RESET_GATE, 1, o));
        used[o] = reset[o] * h[o];
    }
    for (size_t o = 0; o < l->out; ++o) {
        double z = sigmoid(of_x(l, POPNN_GRU_UPDATE_GATE, t, b, o) + of_h(l, POPNN_GRU_UPDATE_GATE, h, o) +
                           gru_bias(l, POPNN_GRU_UPDATE_GATE, 0, o) + gru_bias(l, POPNN_GRU_UPDATE_GATE, 1, o));
        double from_h = resets_after(l)
                            ? reset[o] * (of_h(l, POPNN_GRU_CANDIDATE, h, o) + gru_bias(l, POPNN_GRU_CANDIDATE, 1, o))
                            : of_h(l, POPNN_GRU_CANDIDATE, used, o);
        double c = tanh(of_x(l, POPNN_GRU_CANDIDATE, t, b, o) + gru_bias(l, POPNN_GRU_CANDIDATE, 0, o) + from_h);
        if (attended(l))
            z *= 1 - l->v[SCORES][b * l->steps + t];
        next[o] = z * h[o] + (1 - z) * c;
    }
    memcpy(h, next, l->out * sizeof(double));
}
static void step(const struct layer *l, size_t t, size_t b, double *h, double *c)
{
    if (l->kind == LSTM)
        lstm_step(l, t, b, h, c);
    else
        gru_step(l, t, b, h);
}

/* Sets the outputs and the last cell state; returns the loss that gives the outputs the gradient DY. */
static double run(struct layer *l)
{
    double loss = 0;
    const size_t O = l->out, B = l->batch;
    memset(l->h, 0, l->steps * B * O * sizeof(double));
    for (size_t b = 0; b < B; ++b) {
        double h[MAX_WIDTH], c[MAX_WIDTH], last[MAX_WIDTH];
        memcpy(h, l->v[H] + b * O, O * sizeof(double));
        memcpy(c, l->v[CELL] + b * O, O * sizeof(double));
        memcpy(last, c, sizeof(last));
        for (size_t t = 0; t < length_of(l, b); ++t) {
            step(l, t, b, h, c);
            if (t + 1 == length_of(l, b))
                memcpy(last, c, sizeof(last));
            for (size_t o = 0; o < O; ++o) {
                l->h[(t * B + b) * O + o] = h[o];
                loss += l->full ? h[o] * l->v[DY][(t * B + b) * O + o] : 0;
            }
        }
        memcpy(l->cell + b * O, last, O * sizeof(double));
        for (size_t o = 0; !l->full && o < O; ++o) {
            l->h[b * O + o] = h[o]; /* not read before: sequences run one after the other */
            loss += h[o] * l->v[DY][b * O + o];
        }
    }
    return loss;
}
/* The gradient of one array, in a new array. */
static double *gradient_of(struct layer *l, int array)
{
    const double width = 1e-5;
    double *gradient = malloc(l->count[array] * sizeof(double));
    for (size_t i = 0; i < l->count[array]; ++i) {
        double kept = l->v[array][i];
        l->v[array][i] = kept + width;
        double above = run(l);
        l->v[array][i] = kept - width;
        gradient[i] = (above - run(l)) / (2 * width);
        l->v[array][i] = kept;
    }
    return gradient;
}

/* ---- the layer on the device ---- */

enum { DEVICES = FIXTURE_DEVICES + 1 }; /* and the modelled IPU with poplibsRelease 2021 */
enum way { TOGETHER, APART };

/* Results of a layer, by array: the output and the last cell state at DY and CELL, gradients at the others. */
struct results {
    pop_tensor output, inferred, cell, inferred_cell, kept, gradient[ARRAYS]; /* kept {T,n,B,O}: for backward */
};

static popnn_lstm_params lstm_params(const struct layer *l, pop_tensor lengths)
{
    popnn_lstm_params p = popnn_lstm_params_make(POP_FLOAT, l->batch, l->steps, l->in, l->out);
    p.output_full_sequence = l->full;
    p.var_time_steps = lengths;
    return p;
}
static popnn_gru_params gru_params(const struct layer *l, pop_tensor lengths)
{
    popnn_gru_params p = popnn_gru_params_make(POP_FLOAT, l->batch, l->steps, l->in, l->out);
    p.output_full_sequence = l->full;
    p.reset_after = resets_after(l);
    p.var_time_steps = lengths;
    return p;
}
static struct results build_lstm(struct fixture *fixture, const struct layer *l, pop_tensor lengths,
                                 const pop_tensor *t, enum way way)
{
    struct results r = { .output = { 0 } };
    popnn_lstm_params p = lstm_params(l, lengths);
    popnn_lstm_state initial = { t[H], t[CELL] }, before;
    popnn_lstm_weights weights = { t[W], t[U], t[BIASES] }, dw;
    pop_tensor between;
    r.inferred = popnn_lstm_fwd(fixture->graph, &p, initial, t[X], weights, NULL, &r.inferred_cell, fixture->program,
                                "infer", POP_NO_OPTIONS, NULL);
    r.output = popnn_lstm_fwd(fixture->graph, &p, initial, t[X], weights, &r.kept, &r.cell, fixture->program, "fwd",
                              POP_NO_OPTIONS, NULL);
    popnn_lstm_forward forward = { initial, r.kept, t[X], r.output, weights };
    const popnn_lstm_state ignored = { t[H], t[CELL] }; /* with variable time steps */
    if (way == APART) {
        before = popnn_lstm_bwd(fixture->graph, &p, fixture->program, &forward, t[DY], &ignored, &r.gradient[X],
                                &between, "bwd", POP_NO_OPTIONS, NULL);
        dw = popnn_lstm_wu(fixture->graph, &p, fixture->program, &forward, between, "wu", POP_NO_OPTIONS, NULL);
    } else {
        before = popnn_lstm_bwd_with_wu(fixture->graph, &p, fixture->program, &forward, t[DY], NULL, &r.gradient[X],
                                        &dw, "bwd", POP_NO_OPTIONS, NULL);
    }
    r.gradient[H] = before.output;
    r.gradient[CELL] = before.cell_state;
    r.gradient[W] = dw.input_weights;
    r.gradient[U] = dw.output_weights;
    r.gradient[BIASES] = dw.biases;
    return r;
}
static struct results build_gru(struct fixture *fixture, const struct layer *l, pop_tensor lengths, const pop_tensor *t,
                                enum way way)
{
    struct results r = { .output = { 0 } };
    pop_graph *graph = fixture->graph;
    pop_program program = fixture->program;
    popnn_gru_params p = gru_params(l, lengths);
    popnn_gru_weights weights = { t[W], t[U], t[BIASES] }, dw;
    pop_tensor between, *dx = &r.gradient[X], *da = &r.gradient[SCORES];
    const bool by_scores = attended(l);
    const pop_options none = POP_NO_OPTIONS;
    r.inferred = by_scores
                     ? popnn_au_gru_fwd(graph, &p, t[H], t[X], weights, NULL, t[SCORES], program, "infer", none, NULL)
                     : popnn_gru_fwd(graph, &p, t[H], t[X], weights, NULL, program, "infer", none, NULL);
    r.output = by_scores
                   ? popnn_au_gru_fwd(graph, &p, t[H], t[X], weights, &r.kept, t[SCORES], program, "fwd", none, NULL)
                   : popnn_gru_fwd(graph, &p, t[H], t[X], weights, &r.kept, program, "fwd", none, NULL);
    popnn_gru_forward forward = { t[H], r.kept, t[X], r.output, weights };
    if (way == APART) {
        r.gradient[H] = by_scores ? popnn_au_gru_bwd(graph, &p, program, &forward, t[DY], dx, &between, t[SCORES], da,
                                                     "bwd", none, NULL)
                                  : popnn_gru_bwd(graph, &p, program, &forward, t[DY], dx, &between, "bwd", none, NULL);
        dw = popnn_gru_wu(graph, &p, program, &forward, between, "wu", none, NULL);
    } else {
        r.gradient[H] = by_scores
                            ? popnn_au_gru_bwd_with_wu(graph, &p, program, &forward, t[DY], dx, &dw, t[SCORES], da,
                                                       "bwd", none, NULL)
                            : popnn_gru_bwd_with_wu(graph, &p, program, &forward, t[DY], dx, &dw, "bwd", none, NULL);
    }
    r.gradient[W] = dw.input_weights;
    r.gradient[U] = dw.output_weights;
    r.gradient[BIASES] = dw.biases;
    return r;
}

static void check_results(struct fixture *fixture, struct layer *l, const struct results *r)
{
    pop_tensor tensors[ARRAYS + 5] = { r->output, r->inferred };
    double *got[ARRAYS + 5];
    int of[ARRAYS + 5] = { 0 };
    size_t count = 2, kept = pop_tensor_num_elements(r->kept),
           outputs = l->full ? l->steps * l->batch * l->out : l->batch * l->out;
    if (l->kind == LSTM) {
        tensors[count++] = r->cell;
        tensors[count++] = r->inferred_cell;
    }
    const size_t at_kept = count, each = kept / (l->steps * l->batch * l->out), first = count + 1;
    tensors[count++] = r->kept;
    for (int array = 0; array < ARRAYS; ++array)
        if (pop_tensor_valid(r->gradient[array])) {
            of[count] = array;
            tensors[count++] = r->gradient[array];
        }
    fixture_run_all(fixture, tensors, got, count);
    run(l);
    fixture_check(got[0], l->h, outputs, 1e-5, 1e-5);
    if (l->kind == LSTM) {
        fixture_check(got[2], l->cell, l->batch * l->out, 1e-5, 1e-5);
        fixture_check(got[3], l->cell, l->batch * l->out, 1e-5, 1e-5);
    }
    for (size_t i = 0; i < kept; ++i) { /* nothing is kept of steps that a sequence does not have */
        size_t t = i / (each * l->batch * l->out), b = i / l->out % l->batch;
        assert_true(t < length_of(l, b) || got[at_kept][i] == 0);
    }
    fixture_check(got[1], l->h, outputs, 1e-5, 1e-5);
    for (size_t i = first; i < count; ++i) {
        double *wanted = gradient_of(l, of[i]);
        fixture_check(got[i], wanted, l->count[of[i]], 1e-4, 2e-5);
        free(wanted);
    }
}

static pop_tensor constant(struct fixture *fixture, const unsigned *values, size_t count)
{
    pop_tensor t =
        pop_graph_add_constant(fixture->graph, POP_UNSIGNED_INT, POP_SHAPE(count), POP_UNSIGNED_INT, values, "lengths");
    pop_graph_set_tile_mapping(fixture->graph, t, 0);
    return t;
}

/* The layer runs with full sequences first: what it leaves in later steps must not be in the results. */
static void check_layer(unsigned device, struct layer l, enum way way)
{
    struct fixture fixture =
        device == DEVICES - 1 ? fixture_open_with(FIXTURE_MODEL, 11, POP_OPTIONS({ "poplibsRelease", "2021" }), add_all)
                              : fixture_open(device, 7, add_all);
    const size_t T = l.steps, B = l.batch, O = l.out, gates = l.kind == LSTM ? POPNN_LSTM_UNITS : POPNN_GRU_UNITS;
    const unsigned full[MAX_BATCH] = { 5, 5, 5, 5 };
    pop_tensor t[ARRAYS],
        lengths = pop_graph_add_variable(fixture.graph, POP_UNSIGNED_INT, POP_SHAPE(l.num_lengths), "lengths");
    pop_graph_set_tile_mapping(fixture.graph, lengths, 1 % pop_target_num_tiles(pop_graph_target(fixture.graph)));
    pop_program whole = fixture.program;
    fixture.program = pop_sequence(fixture.graph, "layer");
    t[X] = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(T, B, l.in), FIXTURE_LINEAR);
    t[H] = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(B, O), FIXTURE_SCATTERED);
    t[CELL] = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(B, O), FIXTURE_LINEAR);
    t[W] = fixture_input_of(&fixture, POP_FLOAT, POP_SHAPE(gates, l.in, O), FIXTURE_LINEAR, -0.6, 0.6);
    t[U] = fixture_input_of(&fixture, POP_FLOAT, POP_SHAPE(gates, O, O), FIXTURE_LINEAR, -0.6, 0.6);
    t[BIASES] = fixture_input(&fixture, POP_FLOAT, resets_after(&l) ? POP_SHAPE(gates, 2, O) : POP_SHAPE(gates, O),
                              FIXTURE_LINEAR);
    t[SCORES] = fixture_input_of(&fixture, POP_FLOAT, POP_SHAPE(B, T), FIXTURE_LINEAR, 0, 0.9);
    t[DY] = fixture_input(&fixture, POP_FLOAT, l.full ? POP_SHAPE(T, B, O) : POP_SHAPE(B, O), FIXTURE_LINEAR);
    for (int i = 0; i < ARRAYS; ++i) {
        l.v[i] = fixture_given(&fixture, t[i]);
        l.count[i] = pop_tensor_num_elements(t[i]);
    }
    for (size_t b = 0; b < B; ++b) /* no score of 1 within a sequence, where the gradient divides by 1 - score */
        for (size_t s = length_of(&l, b); s < T; ++s)
            l.v[SCORES][b * T + s] = 1;
    l.h = malloc(T * B * O * sizeof(double));
    l.cell = malloc(B * O * sizeof(double));
    struct results r = (l.kind == LSTM ? build_lstm : build_gru)(&fixture, &l, lengths, t, way);
    pop_sequence_add(whole, pop_copy(constant(&fixture, full, l.num_lengths), lengths, false, "full"));
    pop_sequence_add(whole, fixture.program);
    pop_sequence_add(whole, pop_copy(constant(&fixture, l.lengths, l.num_lengths), lengths, false, "given"));
    pop_sequence_add(whole, fixture.program);
    fixture.program = whole;
    check_results(&fixture, &l, &r);
    free(l.h);
    free(l.cell);
    fixture_close(&fixture);
}

static void test_results(void **state)
{
    (void)state;
    static const struct {
        unsigned lengths[MAX_BATCH];
        size_t count;
    } given[] = {
        { { 2, 0, 4 }, 3 }, { { 5, 5, 5 }, 3 }, { { 2, 2, 2 }, 3 },
        { { 0, 0, 0 }, 3 }, { { 3 }, 1 },       { { 1, 77, 3 }, 3 },
    };
    unsigned turn = 0;
    for (enum kind kind = LSTM; kind < KINDS; ++kind)
        for (size_t i = 0; i < sizeof(given) / sizeof(*given); ++i)
            for (int full = 0; full < 2; ++full, ++turn) {
                struct layer l = { .kind = kind,
                                   .batch = 3,
                                   .steps = 5,
                                   .in = 3,
                                   .out = 5,
                                   .full = full,
                                   .lengths = given[i].lengths,
                                   .num_lengths = given[i].count };
                if (i == 0 || (turn + turn / 12) % 3 == 0)
                    check_layer((turn + i) % DEVICES, l, (i + full + kind) % 2 ? APART : TOGETHER);
            }
}

/* ---- cycles ---- */

static uint64_t cycles_of(enum kind kind, bool backward, unsigned length, bool limited)
{
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 8, add_all);
    const unsigned lengths[] = { length / 2, length };
    struct layer l = { .kind = kind, .batch = 2, .steps = 16, .in = 4, .out = 8, .full = true };
    pop_tensor kept = { 0 }, dx, cell, steps = limited ? constant(&fixture, lengths, 2) : (pop_tensor){ 0 };
    pop_program program = pop_sequence(fixture.graph, "layer");
    pop_tensor x = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(l.steps, l.batch, l.in), FIXTURE_LINEAR);
    if (kind == LSTM) {
        popnn_lstm_params p = lstm_params(&l, steps);
        popnn_lstm_state h = popnn_lstm_create_initial_state(fixture.graph, &p, "h", POP_NO_OPTIONS, NULL),
                         *none = NULL;
        popnn_lstm_weights w = popnn_lstm_create_weights(fixture.graph, &p, "w", POP_NO_OPTIONS, NULL), dw;
        pop_tensor y = popnn_lstm_fwd(fixture.graph, &p, h, x, w, backward ? &kept : NULL, &cell, program, "fwd",
                                      POP_NO_OPTIONS, NULL);
        popnn_lstm_forward forward = { h, kept, x, y, w };
        if (backward)
            popnn_lstm_bwd_with_wu(fixture.graph, &p, program, &forward, y, none, &dx, &dw, "bwd", POP_NO_OPTIONS,
                                   NULL);
    } else {
        popnn_gru_params p = gru_params(&l, steps);
        pop_tensor h = popnn_gru_create_initial_state(fixture.graph, &p, "h", POP_NO_OPTIONS, NULL);
        popnn_gru_weights w = popnn_gru_create_weights(fixture.graph, &p, "w", POP_NO_OPTIONS, NULL), dw;
        pop_tensor y =
            popnn_gru_fwd(fixture.graph, &p, h, x, w, backward ? &kept : NULL, program, "fwd", POP_NO_OPTIONS, NULL);
        popnn_gru_forward forward = { h, kept, x, y, w };
        if (backward)
            popnn_gru_bwd_with_wu(fixture.graph, &p, program, &forward, y, &dx, &dw, "bwd", POP_NO_OPTIONS, NULL);
    }
    pop_tensor count = pop_cycle_count(fixture.graph, program, 0, POP_SYNC_INTERNAL, "cycles");
    pop_sequence_add(fixture.program, program);
    const double *got = fixture_run(&fixture, count);
    const uint64_t cycles = (uint64_t)got[0] + ((uint64_t)got[1] << 32);
    fixture_close(&fixture);
    return cycles;
}

/* The loop ends at the largest length, not at the number of steps: cycles are linear in it. */
static void test_cycles(void **state)
{
    (void)state;
    static const struct {
        enum kind kind;
        bool backward;
    } layers[] = { { LSTM, false }, { LSTM, true }, { GRU, true } };
    for (size_t i = 0; i < sizeof(layers) / sizeof(*layers); ++i) {
        const enum kind kind = layers[i].kind;
        const bool backward = layers[i].backward;
        const uint64_t none = cycles_of(kind, backward, 0, true), four = cycles_of(kind, backward, 4, true),
                       all = cycles_of(kind, backward, 16, true), fixed = cycles_of(kind, backward, 16, false);
        const double step = (double)(all - none) / 16;
        if (fabs((double)(four - none) / 4 - step) > 0.02 * step || (double)none > 3 * step ||
            (double)four > 0.4 * (double)fixed)
            fail_msg("layer %d, %s: %llu cycles for 0 steps, %llu for 4, %llu for 16, %llu for 16 fixed", (int)kind,
                     backward ? "training" : "inference", (unsigned long long)none, (unsigned long long)four,
                     (unsigned long long)all, (unsigned long long)fixed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_cycles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
