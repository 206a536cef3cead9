/* SPDX-License-Identifier: Apache-2.0 */
/* Recurrent layers, all passes; gradients are compared with differences in double precision. */
#include "generators.h"

#include <popnn/gru.h>
#include <popnn/lstm.h>
#include <popnn/recurrent.h>

enum kind { LSTM, GRU, RNN };
enum { MAX_BATCH = 3 };
struct layer {
    enum kind kind;
    size_t T, B, I, O;
    bool full, reset_after;
    int order[4];
    int activation, gates;
    unsigned lengths[MAX_BATCH]; /* of the sequences */
    size_t num_lengths;          /* B, 1 for all, or 0: all have T steps */
};
static size_t length_of(const struct layer *l, size_t b)
{
    const unsigned length = l->lengths[l->num_lengths > 1 ? b : 0];
    return l->num_lengths && length < l->T ? length : l->T;
}
static size_t units_of(const struct layer *l)
{
    return l->kind == LSTM ? 4 : l->kind == GRU ? 3 : 1;
}
static double act(int type, double x)
{
    switch (type) {
    case POPNN_SIGMOID:
        return 1 / (1 + exp(-x));
    case POPNN_HARD_SIGMOID:
        return fmin(1, fmax(0, 0.2 * x + 0.5));
    default:
        return tanh(x);
    }
}
static size_t place(const struct layer *l, int unit)
{
    for (size_t i = 0; i < 4; ++i)
        if (l->order[i] == unit)
            return i;
    return 0;
}
/* x W and h U of a unit. */
static double weighted(const struct layer *l, const double *x, const double *W, size_t g, size_t o)
{
    double s = 0;
    for (size_t i = 0; i < l->I; ++i)
        s += x[i] * (W[(g * l->I + i) * l->O + o]);
    return s;
}
static double fed_back(const struct layer *l, const double *h, const double *U, size_t g, size_t o)
{
    double s = 0;
    for (size_t k = 0; k < l->O; ++k)
        s += h[k] * (U[(g * l->O + k) * l->O + o]);
    return s;
}
/* in: x {T,B,I}, h0 {B,O}, c0 {B,O}, W, U, b.  out {T,B,O}, cell {B,O}. */
static void forward(const struct layer *l, double *const *in, double *out, double *cell)
{
    size_t O = l->O;
    double *h = malloc(O * sizeof(double)), *next = malloc(O * sizeof(double)), *reset = malloc(O * sizeof(double));
    for (size_t b = 0; b < l->B; ++b) {
        memcpy(h, in[1] + b * O, O * sizeof(double));
        for (size_t o = 0; o < O && l->kind == LSTM; ++o)
            cell[b * O + o] = in[2][b * O + o];
        for (size_t t = 0; t < length_of(l, b); ++t) {
            const double *x = in[0] + (t * l->B + b) * l->I, *W = in[3], *U = in[4], *bias = in[5];
            for (size_t o = 0; o < O && l->kind == GRU; ++o) {
                size_t g = place(l, POPNN_GRU_RESET_GATE);
                double s = weighted(l, x, W, g, o) + fed_back(l, h, U, g, o) +
                           (l->reset_after ? bias[g * 2 * O + o] + bias[(g * 2 + 1) * O + o] : bias[g * O + o]);
                reset[o] = act(l->gates, s);
            }
            for (size_t o = 0; o < O; ++o) {
                double a[4];
                if (l->kind == LSTM) {
                    for (int u = 0; u < 4; ++u) {
                        size_t g = place(l, u);
                        double s = weighted(l, x, W, g, o) + fed_back(l, h, U, g, o) + bias[g * O + o];
                        a[u] = act(u == POPNN_LSTM_CANDIDATE ? l->activation : l->gates, s);
                    }
                    double c = a[POPNN_LSTM_FORGET_GATE] * cell[b * O + o] +
                               a[POPNN_LSTM_INPUT_GATE] * a[POPNN_LSTM_CANDIDATE];
                    cell[b * O + o] = c;
                    next[o] = a[POPNN_LSTM_OUTPUT_GATE] * act(l->activation, c);
                } else if (l->kind == RNN) {
                    next[o] = act(l->activation, weighted(l, x, W, 0, o) + fed_back(l, h, U, 0, o) + bias[o]);
                } else {
                    size_t u = place(l, POPNN_GRU_UPDATE_GATE), c = place(l, POPNN_GRU_CANDIDATE);
                    double z = act(l->gates, weighted(l, x, W, u, o) + fed_back(l, h, U, u, o) +
                                                 (l->reset_after ? bias[u * 2 * O + o] + bias[(u * 2 + 1) * O + o]
                                                                 : bias[u * O + o]));
                    double s = weighted(l, x, W, c, o);
                    if (l->reset_after) {
                        s += bias[c * 2 * O + o] + reset[o] * (fed_back(l, h, U, c, o) + bias[(c * 2 + 1) * O + o]);
                    } else {
                        double *rh = malloc(O * sizeof(double));
                        for (size_t k = 0; k < O; ++k)
                            rh[k] = reset[k] * h[k];
                        s += fed_back(l, rh, U, c, o) + bias[c * O + o];
                        free(rh);
                    }
                    next[o] = z * h[o] + (1 - z) * act(l->activation, s);
                }
            }
            memcpy(h, next, O * sizeof(double));
            memcpy(out + (t * l->B + b) * O, h, O * sizeof(double));
        }
        for (size_t t = length_of(l, b); t < l->T; ++t)
            memset(out + (t * l->B + b) * O, 0, O * sizeof(double));
        if (!l->full)
            memcpy(out + ((l->T - 1) * l->B + b) * O, h, O * sizeof(double));
    }
    free(h);
    free(next);
    free(reset);
}
/* d_cell: of the last cell state, or NULL. */
static double loss_of(const struct layer *l, double *const *in, const double *dy, const double *d_cell)
{
    double *out = malloc(l->T * l->B * l->O * sizeof(double)), *cell = malloc(l->B * l->O * sizeof(double)), sum = 0;
    size_t step = l->B * l->O, first = l->full ? 0 : (l->T - 1) * step;
    forward(l, in, out, cell);
    for (size_t i = 0; i < (l->full ? l->T : 1) * step; ++i)
        sum += out[first + i] * dy[i];
    for (size_t i = 0; i < step && d_cell; ++i)
        sum += cell[i] * d_cell[i];
    free(out);
    free(cell);
    return sum;
}
/* ins: x, h0, (c0), W, U, b, dy, (gradient of the last cell state); outs: y, (cell), dx, dh, (dc), dW, dU, db. */
static void recurrent_reference(const struct operation *op, double *const *given, struct expected *out)
{
    const struct layer *l = op->extra;
    bool lstm = l->kind == LSTM, half = op->in[0].type == POP_HALF;
    double *in[6] = { given[0], given[1], lstm ? given[2] : NULL, given[2 + lstm], given[3 + lstm], given[4 + lstm] };
    const double *dy = given[5 + lstm], *d_cell = op->ins > (size_t)(6 + lstm) ? given[6 + lstm] : NULL;
    size_t counts[6] = { op->in[0].count,        op->in[1].count,        lstm ? op->in[2].count : 0,
                         op->in[2 + lstm].count, op->in[3 + lstm].count, op->in[4 + lstm].count };
    size_t step = l->B * l->O, first = l->full ? 0 : (l->T - 1) * step, k = 0;
    double *y = malloc(l->T * step * sizeof(double)), *cell = malloc(step * sizeof(double));
    forward(l, in, y, cell);
    memcpy(out[k++].value, y + first, out[0].count * sizeof(double));
    if (lstm)
        memcpy(out[k++].value, cell, step * sizeof(double));
    for (int i = 0; i < 6; ++i) {
        if ((i == 2 && !lstm) || (i == 1 && l->kind == RNN)) /* the simple layer has no gradient of its first state */
            continue;
        for (size_t e = 0; e < counts[i]; ++e) {
            double x = in[i][e], h = 1e-5;
            in[i][e] = x + h;
            double up = loss_of(l, in, dy, d_cell);
            in[i][e] = x - h;
            double down = loss_of(l, in, dy, d_cell);
            in[i][e] = x;
            out[k].value[e] = (up - down) / (2 * h);
        }
        ++k;
    }
    for (size_t o = 0; o < op->outs; ++o) {
        double max = 0;
        for (size_t i = 0; i < out[o].count; ++i)
            max = fmax(max, fabs(out[o].value[i]));
        out[o].relative = half ? 0.02 : 2e-5;
        out[o].absolute = half ? 0.02 * (max + 0.1) : 1e-5 * (max + 0.1);
    }
    free(y);
    free(cell);
}
static struct view weight(struct world *w, struct operation *op, pop_tensor t)
{
    return op_reads(w, op, whole(w, adopt_input(w, t, -0.5, 0.5)));
}
/* Shared by the three kinds of layers in a program. */
struct passes {
    struct world *w;
    struct operation *op;
    pop_program sequence;
    const struct layer *l;
    pop_type type;
    pop_options options;
    bool apart; /* weights are updated by a separate call */
    struct view x, h;
};

static void draw_order(struct world *w, struct layer *l)
{
    size_t units = units_of(l);
    for (size_t i = 0; i < units; ++i)
        l->order[i] = (int)i;
    for (size_t i = units; i < 4; ++i)
        l->order[i] = 99;
    if (chance(w, 40))
        for (size_t i = units; i > 1; --i) {
            size_t k = below(w, i);
            int t = l->order[k];
            l->order[k] = l->order[i - 1];
            l->order[i - 1] = t;
        }
}

static struct layer draw_layer(struct world *w, pop_type *type)
{
    struct layer l = { .kind = (enum kind)below(w, 3),
                       .T = between(w, 1, 5),
                       .B = between(w, 1, MAX_BATCH),
                       .I = between(w, 1, chance(w, 20) ? 17 : 5),
                       .O = between(w, 1, chance(w, 15) ? 11 : 5),
                       .full = chance(w, 60) };
    static const int kinds[] = { POPNN_TANH, POPNN_SIGMOID, POPNN_HARD_SIGMOID };
    *type = any_real(w);
    l.activation = chance(w, 70) ? POPNN_TANH : kinds[below(w, 3)];
    l.gates = chance(w, 75) ? POPNN_SIGMOID : POPNN_TANH;
    draw_order(w, &l);
    l.reset_after = l.kind == GRU && chance(w, 50);
    if (l.kind == RNN)
        l.full = true;
    if (l.kind != RNN && chance(w, 40))
        l.num_lengths = chance(w, 30) ? 1 : l.B;
    for (size_t i = 0; i < l.num_lengths; ++i)
        l.lengths[i] = (unsigned)below(w, l.T + 2); /* one more than all is all */
    return l;
}

static size_t draw_options(struct world *w, const struct layer *l, pop_option list[5])
{
    size_t count = 0;
    if (l->kind == LSTM && chance(w, 40))
        list[count++] = (pop_option){ "preCalcWeights", "true" };
    if (chance(w, 30))
        list[count++] = (pop_option){ "partialsType", chance(w, 50) ? "half" : "float" };
    if (chance(w, 30))
        list[count++] = (pop_option){ "availableMemoryProportion", chance(w, 50) ? "0.01" : "0.4" };
    if (chance(w, 30) && l->kind == LSTM)
        list[count++] = (pop_option){ "recomputationMode", chance(w, 50) ? "cellAndTanh" : "none" };
    if (chance(w, 30) && l->kind != RNN)
        list[count++] = (pop_option){ "weightAccumulatorsType", "float" };
    return count;
}

/* {T,B,O}, or {B,O} of the last step. */
static struct view draw_output_gradient(const struct passes *p)
{
    size_t dims[3] = { p->l->T, p->l->B, p->l->O };
    bool full = p->l->full;
    return op_reads(p->w, p->op, wanted(p->w, p->type, dims + !full, 2 + full, true, -2, 2));
}
/* False if the layer was refused. */
static bool has_weights(const struct passes *p, pop_tensor of_input, pop_tensor of_output, pop_tensor biases)
{
    if (pop_graph_error(p->w->graph))
        return false;
    weight(p->w, p->op, of_input);
    weight(p->w, p->op, of_output);
    weight(p->w, p->op, biases);
    return true;
}
/* The lengths of the sequences, or null. */
static pop_tensor lengths_of(const struct passes *p)
{
    if (!p->l->num_lengths)
        return (pop_tensor){ 0 };
    pop_tensor t = pop_graph_add_constant(p->w->graph, POP_UNSIGNED_INT, POP_SHAPE(p->l->num_lengths), POP_UNSIGNED_INT,
                                          p->l->lengths, "lengths");
    pop_graph_set_tile_mapping(p->w->graph, t, p->w->tiles - 1);
    return t;
}
static void make_results(const struct passes *p, const pop_tensor *results, size_t count)
{
    for (size_t i = 0; i < count && !p->w->failure[0]; ++i)
        op_makes(p->w, p->op, results[i]);
}

static bool add_lstm(const struct passes *p)
{
    const struct layer *l = p->l;
    pop_graph *graph = p->w->graph;
    poplin_planning_cache *cache = p->w->cache;
    popnn_lstm_params params = popnn_lstm_params_make(p->type, l->B, l->T, l->I, l->O);
    params.var_time_steps = lengths_of(p);
    params.output_full_sequence = l->full;
    params.activation = (popnn_non_linearity_type)l->activation;
    params.recurrent_activation = (popnn_non_linearity_type)l->gates;
    for (int i = 0; i < 4; ++i)
        params.cell_order[i] = (popnn_lstm_unit)l->order[i];
    struct view c = op_reads(p->w, p->op, wanted(p->w, p->type, (size_t[]){ l->B, l->O }, 2, true, -2, 2));
    popnn_lstm_weights weights = popnn_lstm_create_weights(graph, &params, "w", p->options, cache), dw;
    if (!has_weights(p, weights.input_weights, weights.output_weights, weights.biases))
        return false;
    struct view dy = draw_output_gradient(p);
    popnn_lstm_state d_last = { { 0 }, { 0 } }, *last = NULL;
    if (!l->num_lengths && chance(p->w, 50)) { /* ignored with lengths */
        d_last.cell_state =
            op_reads(p->w, p->op, wanted(p->w, p->type, (size_t[]){ l->B, l->O }, 2, true, -2, 2)).tensor;
        last = &d_last;
    }
    pop_tensor kept, cell, dx = { 0 }, between_them;
    popnn_lstm_state initial = { p->h.tensor, c.tensor }, ds;
    pop_tensor out = popnn_lstm_fwd(graph, &params, initial, p->x.tensor, weights, &kept, &cell, p->sequence, "f",
                                    p->options, cache);
    popnn_lstm_forward fwd = { initial, kept, p->x.tensor, out, weights };
    if (p->apart) {
        ds = popnn_lstm_bwd(graph, &params, p->sequence, &fwd, dy.tensor, last, &dx, &between_them, "b", p->options,
                            cache);
        dw = popnn_lstm_wu(graph, &params, p->sequence, &fwd, between_them, "u", p->options, cache);
    } else {
        ds = popnn_lstm_bwd_with_wu(graph, &params, p->sequence, &fwd, dy.tensor, last, &dx, &dw, "b", p->options,
                                    cache);
    }
    pop_tensor results[] = { out, cell, dx, ds.output, ds.cell_state, dw.input_weights, dw.output_weights, dw.biases };
    make_results(p, results, 8);
    return true;
}

static bool add_gru(const struct passes *p)
{
    const struct layer *l = p->l;
    pop_graph *graph = p->w->graph;
    poplin_planning_cache *cache = p->w->cache;
    popnn_gru_params params = popnn_gru_params_make(p->type, l->B, l->T, l->I, l->O);
    params.var_time_steps = lengths_of(p);
    params.output_full_sequence = l->full;
    params.reset_after = l->reset_after;
    params.activation = (popnn_non_linearity_type)l->activation;
    params.recurrent_activation = (popnn_non_linearity_type)l->gates;
    for (int i = 0; i < 3; ++i)
        params.cell_order[i] = (popnn_gru_unit)l->order[i];
    popnn_gru_weights weights = popnn_gru_create_weights(graph, &params, "w", p->options, cache), dw;
    if (!has_weights(p, weights.input_weights, weights.output_weights, weights.biases))
        return false;
    struct view dy = draw_output_gradient(p);
    pop_tensor kept, dx = { 0 }, between_them, dh;
    pop_tensor out =
        popnn_gru_fwd(graph, &params, p->h.tensor, p->x.tensor, weights, &kept, p->sequence, "f", p->options, cache);
    popnn_gru_forward fwd = { p->h.tensor, kept, p->x.tensor, out, weights };
    if (p->apart) {
        dh = popnn_gru_bwd(graph, &params, p->sequence, &fwd, dy.tensor, &dx, &between_them, "b", p->options, cache);
        dw = popnn_gru_wu(graph, &params, p->sequence, &fwd, between_them, "u", p->options, cache);
    } else {
        dh = popnn_gru_bwd_with_wu(graph, &params, p->sequence, &fwd, dy.tensor, &dx, &dw, "b", p->options, cache);
    }
    pop_tensor results[] = { out, dx, dh, dw.input_weights, dw.output_weights, dw.biases };
    make_results(p, results, 6);
    return true;
}

static bool add_rnn(const struct passes *p)
{
    const struct layer *l = p->l;
    struct world *w = p->w;
    popnn_rnn_params params = popnn_rnn_params_make(p->type, l->B, l->T, l->I, l->O);
    params.activation = (popnn_non_linearity_type)l->activation;
    size_t w_dims[2] = { l->I, l->O }, u_dims[2] = { l->O, l->O };
    struct view W = op_reads(w, p->op, new_view(w, p->type, w_dims, 2, -0.5, 0.5)),
                U = op_reads(w, p->op, new_view(w, p->type, u_dims, 2, -0.5, 0.5)),
                b = op_reads(w, p->op, new_view(w, p->type, u_dims, 1, -0.5, 0.5));
    popnn_rnn_weights weights = { W.tensor, U.tensor, b.tensor }, dw;
    struct view dy = draw_output_gradient(p);
    pop_tensor dx = { 0 };
    pop_tensor out =
        popnn_rnn_fwd_sequence(w->graph, &params, p->sequence, p->h.tensor, weights, p->x.tensor, "f", w->cache);
    popnn_rnn_bwd_sequence(w->graph, &params, p->sequence, p->h.tensor, out, weights,
                           pop_tensor_dim_shuffle(dy.tensor, POP_DIMS(1, 0, 2)), p->x.tensor, &dx, &dw, "b", w->cache);
    pop_tensor results[] = { out, dx, dw.input_weights, dw.feedback_weights, dw.biases };
    make_results(p, results, 5);
    return true;
}

void make_recurrent(struct world *w)
{
    static const char *const names[] = { "lstm", "gru", "rnn" };
    static bool (*const add[])(const struct passes *p) = { add_lstm, add_gru, add_rnn };
    struct passes p = { .w = w };
    struct layer l = draw_layer(w, &p.type);
    p.l = &l;
    p.op = op_begin(w, names[l.kind], &p.sequence);
    p.op->reference = recurrent_reference;
    p.op->extra = malloc(sizeof(l));
    memcpy(p.op->extra, &l, sizeof(l));
    struct operation *op = p.op;
    op_describe(op, " T%zu B%zu I%zu O%zu full %d after %d order %d%d%d%d acts %d %d", l.T, l.B, l.I, l.O, l.full,
                l.reset_after, l.order[0], l.order[1], l.order[2], l.order[3], l.activation, l.gates);
    pop_option list[5];
    p.options = (pop_options){ list, draw_options(w, &l, list) };
    for (size_t i = 0; i < p.options.count; ++i)
        op_describe(op, " %s=%s", list[i].key, list[i].value);
    size_t x_dims[3] = { l.T, l.B, l.I }, h_dims[2] = { l.B, l.O };
    p.apart = chance(w, 50);
    p.x = op_reads(w, op, wanted(w, p.type, x_dims, 3, true, -2, 2));
    p.h = op_reads(w, op, wanted(w, p.type, h_dims, 2, true, -2, 2));
    op_end(w, op, p.sequence, add[l.kind](&p) ? 2 : 0);
}
