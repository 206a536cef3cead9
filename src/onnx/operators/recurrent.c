/* SPDX-License-Identifier: Apache-2.0 */
/* LSTM, GRU and RNN.
 *
 * The products of all inputs with their weights are one product; a loop over the steps adds the products of the hidden
 * state and applies the gates.  A direction that runs backwards reads and writes reversed views. */
#include "onnx/build/build.h"

#include <poplar/text.h>
#include <poplin/mat_mul.h>
#include <popops/dynamic_slice.h>
#include <poputil/loop.h>
#include <string.h>

enum { LSTM, GRU, RNN, MAX_GATES = 4 };

/* One direction of a layer. */
struct layer {
    onnx_builder *b;
    int kind;
    size_t direction, directions, steps, batch, hidden, gates;
    pop_type type;
    pop_tensor inputs;           /* {steps, batch, gates x hidden}: products and biases of all inputs */
    pop_tensor weights;          /* {hidden, gates x hidden} */
    pop_tensor bias;             /* {gates x hidden} of the hidden state's products, or null */
    pop_tensor peepholes;        /* {3 x hidden}, or null */
    pop_tensor state, cell, all; /* {batch, hidden}, and {steps, batch, hidden} */
    pop_tensor lengths;          /* {batch, 1} INT, or null */
    const char *activations[3];
    float alpha[3], beta[3];
    bool reset_after; /* linear_before_reset */
};

/* ---- activations by name ---- */

static const struct {
    const char *name, *text; /* A and B stand for alpha and beta */
    float alpha, beta;
} functions[] = {
    { "Sigmoid", "sigmoid(_1)", 0, 0 },
    { "Tanh", "tanh(_1)", 0, 0 },
    { "Relu", "max(_1, 0)", 0, 0 },
    { "Affine", "_1 * A + B", 1, 0 },
    { "LeakyRelu", "select(_1, _1 * A, _1 >= 0)", 0.01F, 0 },
    { "ThresholdedRelu", "select(_1, 0, _1 > A)", 1, 0 },
    { "ScaledTanh", "A * tanh(_1 * B)", 1, 1 },
    { "HardSigmoid", "clamp(_1 * A + B, 0, 1)", 0.2F, 0.5F },
    { "Elu", "select(_1, expm1(min(_1, 0)) * A, _1 >= 0)", 1, 0 },
    { "Softsign", "_1 / (1 + abs(_1))", 0, 0 },
    { "Softplus", "max(_1, 0) + log1p(exp(-abs(_1)))", 0, 0 },
};
enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

static size_t find_function(const char *name)
{
    size_t i = 0;
    while (i < FUNCTIONS && strcmp(functions[i].name, name) != 0)
        ++i;
    return i;
}

static pop_tensor activate(const struct layer *l, size_t which, pop_tensor t)
{
    const char *text = functions[find_function(l->activations[which])].text;
    char expression[200];
    size_t length = 0;
    for (; *text && length + 24 < sizeof(expression); ++text)
        if (*text == 'A' || *text == 'B')
            length += (size_t)pop_text_format(expression + length, sizeof(expression) - length, "%.9g",
                                              (double)(*text == 'A' ? l->alpha[which] : l->beta[which]));
        else
            expression[length++] = *text;
    expression[length] = '\0';
    return onnx_map(l->b, expression, POP_TENSORS(t));
}

static bool read_activations(onnx_builder *b, struct layer *l)
{
    static const char *const standard[][3] = { { "Sigmoid", "Tanh", "Tanh" }, { "Sigmoid", "Tanh" }, { "Tanh" } };
    size_t count = l->kind == LSTM ? 3 : l->kind == GRU ? 2 : 1, alphas, betas;
    const onnx_attribute *names = onnx_find_attribute(b->node, "activations");
    const float *alpha = onnx_floats(b, "activation_alpha", &alphas), *beta = onnx_floats(b, "activation_beta", &betas);
    bool given = names && names->kind == ONNX_ATTRIBUTE_TEXTS && names->count == count * l->directions;
    for (size_t i = 0; i < count; ++i) {
        size_t at = l->direction * count + i;
        l->activations[i] = given ? names->as.texts[at] : standard[l->kind][i];
        size_t function = find_function(l->activations[i]);
        if (function == FUNCTIONS)
            return onnx_complain(b, "activation '%s' is not known", l->activations[i]);
        l->alpha[i] = at < alphas ? alpha[at] : functions[function].alpha;
        l->beta[i] = at < betas ? beta[at] : functions[function].beta;
    }
    return true;
}

/* ---- a step ---- */

static pop_tensor gate(const struct layer *l, pop_tensor t, size_t i)
{
    return pop_tensor_slice_at(l->b->where, t, i * l->hidden, (i + 1) * l->hidden, (unsigned)pop_tensor_rank(t) - 1);
}

/* A gate's sum with the cell's share, where the layer has such weights: p is 0 for i, 1 for o, 2 for f. */
static pop_tensor peep(const struct layer *l, pop_tensor sum, pop_tensor cell, size_t p)
{
    if (!pop_tensor_valid(l->peepholes))
        return sum;
    return onnx_map(l->b, "_1 + _2 * _3", POP_TENSORS(sum, cell, gate(l, l->peepholes, p)));
}

/* Gates are in the order i, o, f, c. */
static pop_tensor step_lstm(const struct layer *l, pop_tensor sums, pop_tensor *cell)
{
    pop_tensor i = activate(l, 0, peep(l, gate(l, sums, 0), l->cell, 0)),
               f = activate(l, 0, peep(l, gate(l, sums, 2), l->cell, 2)), c = activate(l, 1, gate(l, sums, 3));
    if (onnx_int(l->b, "input_forget", 0))
        f = ONNX_BINARY(l->b, SUBTRACT, 1.0, i);
    *cell = onnx_map(l->b, "_1 * _2 + _3 * _4", POP_TENSORS(f, l->cell, i, c));
    pop_tensor o = activate(l, 0, peep(l, gate(l, sums, 1), *cell, 1));
    return ONNX_BINARY(l->b, MULTIPLY, o, activate(l, 2, *cell));
}

/* Gates are in the order z, r, h. */
static pop_tensor step_gru(const struct layer *l, pop_tensor inputs, pop_tensor product)
{
    onnx_builder *b = l->b;
    pop_tensor z = activate(l, 0, ONNX_BINARY(b, ADD, gate(l, inputs, 0), gate(l, product, 0))),
               r = activate(l, 0, ONNX_BINARY(b, ADD, gate(l, inputs, 1), gate(l, product, 1))), candidate;
    if (l->reset_after) {
        candidate = onnx_map(b, "_1 + _2 * _3", POP_TENSORS(gate(l, inputs, 2), r, gate(l, product, 2)));
    } else {
        pop_tensor reset = ONNX_BINARY(b, MULTIPLY, r, l->state);
        pop_tensor more = poplin_mat_mul_at(b->where, b->graph, reset, gate(l, l->weights, 2), b->program, b->name,
                                            onnx_poplin_options(b), b->cache);
        candidate = ONNX_BINARY(b, ADD, gate(l, inputs, 2), more);
        if (pop_tensor_valid(l->bias))
            candidate = ONNX_BINARY(b, ADD, candidate, gate(l, l->bias, 2));
    }
    candidate = activate(l, 1, candidate);
    return onnx_map(b, "(1 - _1) * _2 + _1 * _3", POP_TENSORS(z, candidate, l->state));
}

/* An entry whose sequence has ended keeps its state; its output is 0. */
static void write_state(const struct layer *l, pop_tensor counter, pop_tensor state, pop_tensor cell)
{
    onnx_builder *b = l->b;
    pop_tensor output = state;
    if (pop_tensor_valid(l->lengths)) {
        pop_tensor step = onnx_cast(b, counter, POP_INT);
        if (l->direction == 1 || onnx_text(b, "direction", "f")[0] == 'r') /* reversed: the padding comes first */
            step = ONNX_BINARY(b, SUBTRACT, (int)l->steps - 1, step);
        pop_tensor active = ONNX_BINARY(b, LESS_THAN, step, l->lengths);
        if (!onnx_ok(b))
            return;
        output = onnx_map(b, "select(_1, 0, _2)", POP_TENSORS(state, active));
        state = ONNX_TERNARY(b, SELECT, state, l->state, active);
        if (pop_tensor_valid(cell))
            cell = ONNX_TERNARY(b, SELECT, cell, l->cell, active);
    }
    if (!onnx_ok(b))
        return;
    popops_dynamic_update_at(b->where, b->graph, l->all, pop_tensor_expand_at(b->where, output, POP_DIMS(0)),
                             onnx_reshape(b, counter, POP_SHAPE(1)), POP_DIMS(0), POP_SHAPE(1), b->program, b->name);
    pop_sequence_add_at(b->where, b->program, pop_copy_at(b->where, state, l->state, false, b->name));
    if (pop_tensor_valid(cell))
        pop_sequence_add_at(b->where, b->program, pop_copy_at(b->where, cell, l->cell, false, b->name));
}

static pop_program build_step(pop_graph *graph, pop_tensor counter, void *user)
{
    const struct layer *l = user;
    onnx_builder *b = l->b;
    pop_program outer = b->program, step = b->program = pop_sequence_at(b->where, graph, b->name);
    pop_tensor inputs = popops_dynamic_slice_at(b->where, b->graph, l->inputs, onnx_reshape(b, counter, POP_SHAPE(1)),
                                                POP_DIMS(0), POP_SHAPE(1), b->program, b->name);
    inputs = onnx_reshape(b, inputs, POP_SHAPE(l->batch, l->gates * l->hidden));
    bool partly = l->kind == GRU && !l->reset_after;
    pop_tensor weights = partly ? pop_tensor_slice_at(b->where, l->weights, 0, 2 * l->hidden, 1) : l->weights;
    pop_tensor product =
        poplin_mat_mul_at(b->where, b->graph, l->state, weights, b->program, b->name, onnx_poplin_options(b), b->cache);
    pop_tensor cell = { 0 }, state = { 0 };
    if (pop_tensor_valid(l->bias) && onnx_ok(b))
        product = ONNX_BINARY(b, ADD, product,
                              partly ? pop_tensor_slice_at(b->where, l->bias, 0, 2 * l->hidden, 0) : l->bias);
    if (onnx_ok(b) && l->kind == GRU)
        state = step_gru(l, inputs, product);
    else if (onnx_ok(b) && l->kind == LSTM)
        state = step_lstm(l, ONNX_BINARY(b, ADD, inputs, product), &cell);
    else if (onnx_ok(b))
        state = activate(l, 0, ONNX_BINARY(b, ADD, inputs, product));
    if (onnx_ok(b))
        write_state(l, counter, state, cell);
    b->program = outer;
    return step;
}

/* ---- a direction ---- */

/* Part of input i that belongs to a direction; the null tensor when the input is left out. */
static pop_tensor part(const struct layer *l, size_t i, unsigned dim)
{
    if (!onnx_input(l->b, i))
        return (pop_tensor){ 0 };
    pop_tensor t = onnx_tensor(l->b, i);
    t = pop_tensor_slice_at(l->b->where, t, l->direction, l->direction + 1, dim);
    return pop_tensor_squeeze_at(l->b->where, t, POP_DIMS(dim));
}

static pop_tensor make_state(const struct layer *l, pop_tensor initial)
{
    onnx_builder *b = l->b;
    pop_tensor state = onnx_variable(b, l->type, POP_SHAPE(l->batch, l->hidden), "state");
    if (!pop_tensor_valid(initial))
        initial = onnx_fill(b, l->type, POP_SHAPE(l->batch, l->hidden), 0);
    pop_sequence_add_at(b->where, b->program, pop_copy_at(b->where, initial, state, false, b->name));
    return state;
}

static bool build_direction(struct layer *l, pop_tensor x, bool batch_first)
{
    onnx_builder *b = l->b;
    bool reverse = l->direction == 1 || strcmp(onnx_text(b, "direction", "forward"), "reverse") == 0;
    size_t features = pop_tensor_dim(x, 2), width = l->gates * l->hidden;
    if (!read_activations(b, l))
        return false;
    pop_tensor w = part(l, 1, 0), r = part(l, 2, 0), both = part(l, 3, 0);
    if (!onnx_ok(b))
        return false;
    pop_tensor rows = onnx_reshape(b, x, POP_SHAPE(l->steps * l->batch, features));
    pop_tensor products = poplin_mat_mul_at(b->where, b->graph, rows, pop_tensor_transpose_at(b->where, w), b->program,
                                            b->name, onnx_poplin_options(b), b->cache);
    l->bias = (pop_tensor){ 0 };
    if (pop_tensor_valid(both)) {
        products = ONNX_BINARY(b, ADD, products, pop_tensor_slice_at(b->where, both, 0, width, 0));
        l->bias = pop_tensor_slice_at(b->where, both, width, 2 * width, 0);
    }
    if (!onnx_ok(b))
        return false;
    l->inputs = onnx_reshape(b, products, POP_SHAPE(l->steps, l->batch, width));
    l->all = onnx_variable(b, l->type, POP_SHAPE(l->steps, l->batch, l->hidden), "all");
    if (reverse) {
        l->inputs = pop_tensor_reverse_at(b->where, l->inputs, 0);
        l->all = pop_tensor_reverse_at(b->where, l->all, 0);
    }
    l->weights = pop_tensor_transpose_at(b->where, r);
    l->state = make_state(l, part(l, 5, batch_first ? 1 : 0));
    if (l->kind == LSTM) {
        l->cell = make_state(l, part(l, 6, batch_first ? 1 : 0));
        l->peepholes = part(l, 7, 0);
    }
    if (onnx_input(b, 4))
        l->lengths = onnx_reshape(b, onnx_tensor(b, 4), POP_SHAPE(l->batch, 1));
    if (!onnx_ok(b))
        return false;
    pop_sequence_add_at(b->where, b->program,
                        poputil_counted_loop_at(b->where, b->graph, 0, l->steps, 1, b->name, build_step, l));
    if (reverse)
        l->all = pop_tensor_reverse_at(b->where, l->all, 0);
    return onnx_ok(b);
}

static bool build_recurrent(onnx_builder *b)
{
    static const size_t gates[] = { 4, 3, 1 };
    bool batch_first = onnx_int(b, "layout", 0);
    pop_tensor x = onnx_tensor(b, 0), all[2] = { { 0 } }, state[2] = { { 0 } }, cell[2] = { { 0 } };
    pop_shape r = onnx_shape_of(b, 2);
    if (!onnx_ok(b) || pop_tensor_rank(x) != 3 || r.rank != 3 || r.dims[0] > 2)
        return onnx_complain(b, "its input, or its weights, do not have 3 dimensions");
    if (onnx_has(b, "clip"))
        return onnx_complain(b, "the attribute clip is not supported");
    if (batch_first)
        x = pop_tensor_dim_roll_at(b->where, x, 0, 1);
    size_t directions = r.dims[0];
    for (size_t d = 0; d < directions; ++d) {
        struct layer l = { .b = b,
                           .kind = b->node->row->op,
                           .direction = d,
                           .directions = directions,
                           .steps = pop_tensor_dim(x, 0),
                           .batch = pop_tensor_dim(x, 1),
                           .hidden = r.dims[2],
                           .gates = gates[b->node->row->op],
                           .type = pop_tensor_type(x),
                           .reset_after = onnx_int(b, "linear_before_reset", 0) };
        if (l.steps == 0)
            return onnx_complain(b, "its sequence has no steps");
        if (!build_direction(&l, x, batch_first))
            return false;
        all[d] = pop_tensor_expand_at(b->where, l.all, POP_DIMS(1)); /* {steps, 1, batch, hidden} */
        state[d] = pop_tensor_expand_at(b->where, l.state, POP_DIMS(0));
        cell[d] = l.kind == LSTM ? pop_tensor_expand_at(b->where, l.cell, POP_DIMS(0)) : l.state;
    }
    pop_tensor y = pop_tensor_concat_at(b->where, (pop_tensors){ directions, all }, 1),
               h = pop_tensor_concat_at(b->where, (pop_tensors){ directions, state }, 0);
    if (batch_first) { /* {batch, steps, directions, hidden}, {batch, directions, hidden} */
        y = onnx_permute(b, y, (const unsigned[]){ 2, 0, 1, 3 });
        h = pop_tensor_dim_roll_at(b->where, h, 0, 1);
    }
    tremula_onnx_type type = onnx_type_of(b, 0);
    if (!onnx_give(b, 0, y, type) || !onnx_give(b, 1, h, type))
        return false;
    if (b->node->row->op != LSTM || !onnx_wants(b, 2))
        return true;
    pop_tensor c = pop_tensor_concat_at(b->where, (pop_tensors){ directions, cell }, 0);
    return onnx_give(b, 2, batch_first ? pop_tensor_dim_roll_at(b->where, c, 0, 1) : c, type);
}

const onnx_operator onnx_recurrent_operators[] = {
    { ONNX_ROW("GRU", 7), build_recurrent, NULL, GRU, NULL },
    { ONNX_ROW("LSTM", 7), build_recurrent, NULL, LSTM, NULL },
    { ONNX_ROW("RNN", 7), build_recurrent, NULL, RNN, NULL },
    { { 0 }, NULL, NULL, 0, NULL },
};
