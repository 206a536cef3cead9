/* SPDX-License-Identifier: Apache-2.0 */
/* popnn: activations, softmax, losses, the largest elements of rows. */
#include "generators.h"

#include <popnn/log_softmax.h>
#include <popnn/loss.h>
#include <popnn/non_linearity.h>
#include <popops/fill.h>

static double activation(int type, double x)
{
    switch (type) {
    case POPNN_SIGMOID:
        return 1 / (1 + exp(-x));
    case POPNN_HARD_SIGMOID:
        return fmin(1, fmax(0, 0.2 * x + 0.5));
    case POPNN_RELU:
        return x > 0 ? x : 0;
    case POPNN_TANH:
        return tanh(x);
    case POPNN_GELU:
        return 0.5 * x * (1 + tanh(sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
    case POPNN_SWISH:
        return x / (1 + exp(-x));
    case POPNN_GELU_ERF:
        return 0.5 * x * erfc(-x / sqrt(2));
    default:
        return NAN;
    }
}
static void non_linearity_reference(const struct operation *op, double *const *in, struct expected *out)
{ /* whole: type, gradient */
    int type = (int)op->whole[0];
    bool half = op->in[0].type == POP_HALF, gradient = op->whole[1];
    const struct view *t = &op->in[0];
    out->absolute = half ? 1e-3 : 1e-6;
    out->relative = half ? 3e-3 : 5e-6;
    if (type == POPNN_SOFTMAX || type == POPNN_SOFTMAX_STABLE || type == POPNN_SOFTMAX_SCALED || type == 100) {
        size_t n = t->rank ? t->dims[t->rank - 1] : 1, rows = n ? t->count / n : 0;
        for (size_t r = 0; r < rows; ++r) {
            double max = -INFINITY, sum = 0, dot = 0, dots = 0;
            for (size_t i = 0; i < n; ++i)
                max = fmax(max, in[0][r * n + i]);
            for (size_t i = 0; i < n; ++i) {
                sum += exp(in[0][r * n + i] - max);
                if (gradient)
                    dot += in[0][r * n + i] * in[1][r * n + i], dots += fabs(in[0][r * n + i] * in[1][r * n + i]);
            }
            for (size_t i = 0; i < n; ++i) {
                double x = in[0][r * n + i], e = exp(x - max) / sum;
                size_t at = r * n + i;
                if (gradient) {
                    out->value[at] = x * (in[1][at] - dot);
                    out->magnitude[at] = fabs(x) * (fabs(in[1][at]) + dots) * 3;
                } else if (type == 100) {
                    out->value[at] = x - max - log(sum);
                    out->magnitude[at] = (fabs(x - max) + fabs(log(sum)) + 1) * 2;
                } else if (type == POPNN_SOFTMAX_SCALED && op->number[0] != 1) {
                    out->value[at] = e * op->number[0];
                    out->magnitude[at] = (out->value[at] * (2 + (half ? fabs(x - max) : 0)) + 1) * 2;
                } else {
                    out->value[at] = e;
                    out->magnitude[at] = e * (2 + (half ? fabs(x - max) : 0));
                }
                if (type == POPNN_SOFTMAX && !gradient && max > (half ? 10 : 80))
                    out->magnitude[at] = INFINITY; /* not the stable variant */
                if (type == POPNN_SOFTMAX && !gradient && max < (half ? -8 : -60))
                    out->magnitude[at] = INFINITY;
            }
        }
        return;
    }
    for (size_t i = 0; i < out->count; ++i) {
        double x = in[0][i], g = gradient ? in[1][i] : 0;
        if (!gradient) {
            out->value[i] = activation(type, x);
            out->magnitude[i] =
                type == POPNN_GELU || type == POPNN_GELU_ERF || type == POPNN_SWISH ? fabs(x) : fabs(out->value[i]);
            continue;
        }
        switch (type) { /* x is the output, except for GELU, GELU_ERF and SWISH: the input */
        case POPNN_SIGMOID:
            out->value[i] = g * x * (1 - x);
            out->magnitude[i] = fabs(g) * fabs(x) * (1 + fabs(x));
            break;
        case POPNN_HARD_SIGMOID:
            out->value[i] = x > 0 && x < 1 ? 0.2 * g : 0;
            break;
        case POPNN_RELU:
            out->value[i] = x > 0 ? g : 0;
            break;
        case POPNN_TANH:
            out->value[i] = g * (1 - x * x);
            out->magnitude[i] = fabs(g) * (1 + x * x);
            break;
        default: {
            double h = 1e-4;
            out->value[i] = g * (activation(type, x + h) - activation(type, x - h)) / (2 * h);
            out->magnitude[i] = fabs(g) * (2 + fabs(x));
        }
        }
    }
}
void make_non_linearity(struct world *w)
{
    int type = chance(w, 10) ? 100 : (int)below(w, POPNN_NON_LINEARITY_TYPES);
    bool gradient = chance(w, 40) && type != 100, in_place = !gradient && chance(w, 30);
    bool soft = type == 100 || type == POPNN_SOFTMAX || type == POPNN_SOFTMAX_STABLE || type == POPNN_SOFTMAX_SCALED;
    pop_type data = any_real(w);
    struct view t = any_view(w, data, !in_place, gradient && soft ? -1 : -20, gradient && soft ? 1 : 20, 4000);
    if (soft && !t.rank)
        return;
    pop_program sequence;
    struct operation *op = op_begin(w, type == 100 ? "log_softmax" : "non_linearity", &sequence);
    op->reference = non_linearity_reference;
    op->whole[0] = type;
    op->whole[1] = gradient;
    op->number[0] = 1;
    if (type != 100)
        op_describe(op, " %s%s", popnn_non_linearity_type_name((popnn_non_linearity_type)type),
                    gradient ? " gradient" : "");
    op_reads(w, op, t);
    float scaling = 1;
    popnn_non_linearity_type kind = (popnn_non_linearity_type)type;
    if (gradient) {
        struct view g = op_reads(w, op, wanted(w, data, t.dims, t.rank, true, -20, 20));
        op_makes(w, op, popnn_non_linearity_input_gradient(w->graph, kind, t.tensor, g.tensor, sequence, "g"));
    } else if (in_place) {
        op_writes(w, op, t);
        if (type == 100)
            popnn_log_softmax_in_place(w->graph, t.tensor, sequence, "l");
        else if (chance(w, 50))
            popnn_non_linearity_in_place(w->graph, kind, t.tensor, sequence, "n");
        else
            popnn_non_linearity_in_place_scaled(w->graph, kind, t.tensor, &scaling, sequence, "n");
    } else if (type == 100) {
        op_makes(w, op, popnn_log_softmax(w->graph, t.tensor, sequence, "l"));
    } else {
        bool scaled = chance(w, 50);
        op_makes(w, op,
                 scaled ? popnn_non_linearity_scaled(w->graph, kind, t.tensor, &scaling, sequence, "n")
                        : popnn_non_linearity(w->graph, kind, t.tensor, sequence, "n"));
    }
    op->number[0] = (double)scaling;
    op_end(w, op, sequence, in_place ? 1 : 2);
}

/* ---- losses and largest elements ---- */
static void loss_reference(const struct operation *op, double *const *in, struct expected *out)
{ /* out: loss, deltas, correct */
    size_t rows = op->in[0].dims[0], n = op->in[0].dims[1];
    bool cross = op->whole[0], half = op->in[0].type == POP_HALF;
    double correct = 0;
    for (size_t r = 0; r < rows; ++r) {
        uint32_t label = (uint32_t)(int64_t)in[1][r];
        double loss = 0, size = 0, best = -INFINITY;
        size_t at = 0;
        for (size_t c = 0; c < n; ++c) {
            double p = in[0][r * n + c], d = p - (c == label);
            if (p > best)
                best = p, at = c;
            out[1].value[r * n + c] = label == 0xffffffffu ? 0 : d;
            out[1].magnitude[r * n + c] = fabs(p) + 1;
            if (!cross)
                loss += d * d / 2, size += d * d / 2;
            else if (c == label) {
                loss = -log(p);
                size = 1 + fabs(loss);
                if (p <= 6e-5)
                    out[0].magnitude[r] = INFINITY;
            }
        }
        out[0].value[r] = label == 0xffffffffu ? 0 : loss;
        if (!isinf(out[0].magnitude[r]))
            out[0].magnitude[r] = size * 2;
        correct += label < n && at == label;
    }
    out[0].relative = out[1].relative = half ? 3e-3 : 4e-6;
    out[0].absolute = out[1].absolute = half ? 1e-4 : 1e-7;
    if (op->outs > 2) {
        out[2].value[0] = correct;
        out[2].magnitude[0] = 0;
    }
}
static void extreme_reference(const struct operation *op, double *const *in, struct expected *out)
{ /* whole: min; outs: value, index, or index alone */
    size_t rows = op->in[0].dims[0], n = op->in[0].dims[1];
    for (size_t r = 0; r < rows; ++r) {
        size_t at = 0;
        for (size_t c = 1; c < n; ++c)
            if (op->whole[0] ? in[0][r * n + c] < in[0][r * n + at] : in[0][r * n + c] > in[0][r * n + at])
                at = c;
        out[op->outs - 1].value[r] = (double)at;
        if (op->outs > 1)
            out[0].value[r] = in[0][r * n + at];
    }
    out[0].relative = out[0].absolute = 0;
}
void make_loss(struct world *w)
{
    size_t dims[2] = { between(w, 1, 20), any_extent(w) };
    if (!dims[1])
        dims[1] = 1;
    pop_program sequence;
    if (chance(w, 50)) {
        static const pop_type types[] = { POP_HALF, POP_FLOAT, POP_INT, POP_UNSIGNED_INT };
        pop_type type = types[below(w, 4)];
        bool min = chance(w, 40), alone = chance(w, 50);
        struct operation *op = op_begin(w, min ? "arg_min" : "arg_max", &sequence);
        op->reference = extreme_reference;
        op->whole[0] = min;
        struct view t = op_reads(w, op, wanted(w, type, dims, 2, true, type == POP_UNSIGNED_INT ? 0 : -300, 300));
        if (alone) {
            op_makes(w, op,
                     min ? popnn_arg_min(w->graph, t.tensor, sequence, "a")
                         : popnn_arg_max(w->graph, t.tensor, sequence, "a"));
        } else {
            popnn_extreme e = min ? popnn_min_and_arg_min(w->graph, t.tensor, sequence, "a")
                                  : popnn_max_and_arg_max(w->graph, t.tensor, sequence, "a");
            op_makes(w, op, e.value);
            if (!w->failure[0])
                op_makes(w, op, e.index);
        }
        op_end(w, op, sequence, 2);
        return;
    }
    pop_type type = any_real(w), label = chance(w, 50) ? POP_INT : POP_UNSIGNED_INT;
    struct operation *op = op_begin(w, "loss", &sequence);
    op->reference = loss_reference;
    op->whole[0] = chance(w, 60);
    op_describe(op, op->whole[0] ? " cross entropy" : " squares");
    struct view p =
        op_reads(w, op, op->whole[0] ? new_view(w, type, dims, 2, 0.01, 1) : wanted(w, type, dims, 2, true, -9, 9));
    struct view expected =
        op_reads(w, op, new_view(w, label, dims, 1, label == POP_INT && chance(w, 30) ? -1 : 0, (double)dims[1]));
    struct view loss = new_view(w, type, dims, 1, 0, 1), deltas = new_view(w, type, dims, 2, 0, 1);
    op_writes(w, op, loss);
    op_writes(w, op, deltas);
    popnn_loss_type kind = op->whole[0] ? POPNN_CROSS_ENTROPY_LOSS : POPNN_SUM_SQUARED_LOSS;
    if (chance(w, 50)) {
        struct view correct = new_view(w, POP_UNSIGNED_INT, NULL, 0, 0, 1);
        op_writes(w, op, correct);
        popops_zero(w->graph, correct.tensor, sequence, "l"); /* the call adds to it */
        pop_sequence_add(sequence, popnn_calc_loss_and_accuracy(w->graph, p.tensor, expected.tensor, loss.tensor,
                                                                deltas.tensor, correct.tensor, kind, "l"));
    } else {
        pop_sequence_add(sequence,
                         popnn_calc_loss(w->graph, p.tensor, expected.tensor, loss.tensor, deltas.tensor, kind, "l"));
    }
    op_end(w, op, sequence, 2);
}
