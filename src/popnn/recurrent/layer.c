/* SPDX-License-Identifier: Apache-2.0 */
#include "popnn/recurrent/layer.h"
#include "poplibs/options.h"

#include <assert.h>
#include <popops/cast.h>
#include <popops/fill.h>
#include <popops/reduce.h>
#include <popops/scaled_add.h>
#include <poputil/tile_mapping.h>

/* ---- opening ---- */

struct recurrent_options {
    bool inference_only, pre_calc_weights, code_reuse, apart;
    int partials, accumulators, recomputation;
    unsigned shards, steps_per_update;
    double proportion, update_proportion;
};
static const struct poplibs_option table[] = {
#define RECURRENT_OPTION(...) POPLIBS_ROW(struct recurrent_options, __VA_ARGS__)
#include "poplibs/options.def"
};

/* Stores the options that are passed on to products; the last of equal keys counts. */
static void keep_product_options(struct layer *layer, pop_options options)
{
    static const char *const shared[] = { "partialsType", "availableMemoryProportion" };
    for (size_t k = 0; k < 2; ++k) {
        size_t found = options.count;
        for (size_t i = 0; i < options.count; ++i)
            if (strcmp(options.list[i].key, shared[k]) == 0)
                found = i;
        if (found < options.count)
            layer->given[layer->num_given++] = options.list[found];
    }
}

/* The passes of a trained layer are planned together, so that its weights can have one layout. */
static const char *name_of_pass(enum layer_pass pass, bool inference_only)
{
    static const char *const names[] = { "TRAINING_FWD", "TRAINING_BWD", "TRAINING_WU" };
    return inference_only && pass == LAYER_FORWARD ? "INFERENCE_FWD" : names[pass];
}
pop_options layer_options(const struct layer *layer, enum layer_pass pass, struct layer_options *storage)
{
    size_t count = layer->num_given;
    memcpy(storage->list, layer->given, count * sizeof(*storage->list));
    storage->list[count++] = (pop_option){ "fullyConnectedPass", name_of_pass(pass, layer->inference_only) };
    return (pop_options){ storage->list, count };
}

bool layer_is_given(const struct call *call, const void *structure, const char *what)
{
    return call_ready(call) && (structure || call_fail(call, POP_POPLAR_ERROR, "%s NULL", what));
}

/* Checks that an activation is element-wise. */
static bool check_activation(const struct layer *layer, popnn_non_linearity_type type)
{
    bool softmax = type == POPNN_SOFTMAX || type == POPNN_SOFTMAX_STABLE || type == POPNN_SOFTMAX_SCALED;
    return (type < POPNN_NON_LINEARITY_TYPES && !softmax) ||
           call_fail(layer->call, POP_POPLAR_ERROR,
                     "%u is not an activation: all non-linearities but softmax are possible", (unsigned)type);
}

static bool check_lengths(const struct layer *layer)
{
    char seen[64];
    size_t rank = pop_tensor_rank(layer->lengths), count = pop_tensor_num_elements(layer->lengths);
    if (!pop_tensor_valid(layer->lengths))
        return true;
    if (!call_takes(layer->call, "the tensor of time steps", layer->lengths))
        return false;
    if (pop_tensor_type(layer->lengths) == POP_UNSIGNED_INT && rank == 1 && (count == 1 || count == layer->batch))
        return true;
    pop_tensor_shape_to_string(layer->lengths, seen, sizeof(seen));
    return call_fail(layer->call, POP_POPLAR_ERROR,
                     "the tensor of time steps is %s%s, and should be unsigned int{1} or {%zu}",
                     pop_type_name(pop_tensor_type(layer->lengths)), seen, layer->batch);
}

bool layer_open(struct layer *layer, const char *what, const unsigned *order, pop_options options)
{
    const struct call *call = layer->call;
    static const pop_type accumulators[] = { POP_HALF, POP_FLOAT };
    struct recurrent_options parsed = { .accumulators = -1 };
    unsigned seen = 0;
    if (!call_ready(call))
        return false;
    if (layer->type != POP_HALF && layer->type != POP_FLOAT)
        return call_fail(call, POP_TYPE_ERROR, "%s of type %s: HALF and FLOAT are possible", what,
                         pop_type_name(layer->type));
    if (!layer->batch || !layer->steps || !layer->input || !layer->output)
        return call_fail(call, POP_POPLAR_ERROR,
                         "%s of batch %zu, %zu steps, input %zu and output %zu: none of them can be 0", what,
                         layer->batch, layer->steps, layer->input, layer->output);
    if (!check_lengths(layer) || !check_activation(layer, layer->activation) ||
        !check_activation(layer, layer->recurrent_activation))
        return false;
    for (size_t i = 0; i < layer->gates; ++i) {
        if (order[i] >= layer->gates || seen >> order[i] & 1)
            return call_fail(call, POP_POPLAR_ERROR, "the cell order has to name each of the %zu units once",
                             layer->gates);
        seen |= 1u << order[i];
        layer->place[order[i]] = i;
    }
    poplibs_default_options(table, sizeof(table) / sizeof(table[0]), &parsed);
    parsed.inference_only = layer->inference_only; /* differs by layer */
    if (!call_parse_options(call, options, table, sizeof(table) / sizeof(table[0]), &parsed))
        return false;
    keep_product_options(layer, options);
    layer->inference_only = parsed.inference_only;
    layer->weight_before_loop = parsed.pre_calc_weights;
    layer->accumulators = parsed.accumulators < 0 ? layer->type : accumulators[parsed.accumulators];
    return true;
}

bool layer_check(const struct layer *layer, pop_tensor t, pop_shape shape, const char *what)
{
    return call_takes_shape(layer->call, what, t, layer->type, shape);
}

bool layer_check_weights(const struct layer *layer, pop_tensor input_weights, pop_tensor output_weights,
                         pop_tensor biases)
{
    return layer_check(layer, input_weights, POP_SHAPE(layer->gates, layer->input, layer->output),
                       "the tensor of input weights") &&
           layer_check(layer, output_weights, POP_SHAPE(layer->gates, layer->output, layer->output),
                       "the tensor of output weights") &&
           layer_check(layer, biases, POP_SHAPE(layer->gates, layer->output), "the tensor of biases");
}

/* ---- views and tensors ---- */

pop_tensor layer_as_matrix(const struct layer *layer, pop_tensor weights)
{
    const struct call *call = layer->call;
    pop_tensor rows = pop_tensor_dim_shuffle(weights, POP_DIMS(1, 0, 2));
    return pop_tensor_reshape(rows, POP_SHAPE(pop_tensor_dim(rows, 0), layer->gates * layer->output));
}
pop_tensor layer_from_matrix(const struct layer *layer, pop_tensor matrix)
{
    const struct call *call = layer->call;
    pop_tensor rows = pop_tensor_reshape(matrix, POP_SHAPE(pop_tensor_dim(matrix, 0), layer->gates, layer->output));
    return pop_tensor_dim_shuffle(rows, POP_DIMS(1, 0, 2));
}
pop_tensor layer_columns(const struct layer *layer, pop_tensor z, unsigned gate)
{
    const struct call *call = layer->call;
    size_t at = layer->place[gate] * layer->output;
    return pop_tensor_slice(z, at, at + layer->output, 1);
}
pop_tensor layer_stack(const struct layer *layer, const pop_tensor *list, size_t count)
{
    const struct call *call = layer->call;
    pop_tensor *rows = poplibs_new(count, sizeof(*rows));
    for (size_t i = 0; i < count; ++i)
        rows[i] = pop_tensor_expand(list[i], POP_DIMS(0));
    pop_tensor stack = pop_tensor_concat((pop_tensors){ count, rows }, 0);
    free(rows);
    return stack;
}

pop_tensor layer_left_operand(const struct layer *layer, size_t rows, size_t depth, size_t columns)
{
    const struct call *call = layer->call;
    struct layer_options storage;
    return poplin_create_mat_mul_input_lhs(call->graph, layer->type, layer->type, POP_SHAPE(rows, depth),
                                           POP_SHAPE(depth, columns), call->name,
                                           layer_options(layer, LAYER_FORWARD, &storage), layer->cache);
}
pop_tensor layer_right_operand(const struct layer *layer, size_t rows, size_t depth, size_t columns)
{
    const struct call *call = layer->call;
    struct layer_options storage;
    return poplin_create_mat_mul_input_rhs(call->graph, layer->type, layer->type, POP_SHAPE(rows, depth),
                                           POP_SHAPE(depth, columns), call->name,
                                           layer_options(layer, LAYER_FORWARD, &storage), layer->cache);
}
/* A piece of a stack, {n, count * size}: `size` elements for all n on each of `count` of the stack's tiles, the first
 * of which is its first-th of `used`; with `spread` these are spread evenly over the target's. */
struct stack_tiles {
    size_t count, first, used;
    bool spread;
};
static pop_tensor stack_piece(const struct layer *layer, size_t n, struct stack_tiles on, size_t size, const char *name)
{
    const struct call *call = layer->call;
    size_t tiles = pop_target_num_tiles(pop_graph_target(call->graph));
    pop_tensor piece = pop_graph_add_variable(call->graph, layer->type, POP_SHAPE(on.count, n, size), name);
    for (size_t i = 0; i < on.count; ++i) {
        size_t tile = on.spread ? (on.first + i + 1) * tiles / on.used - 1 : on.first + i;
        pop_graph_set_tile_mapping(call->graph, pop_tensor_at(piece, i), (unsigned)tile);
    }
    return pop_tensor_reshape(pop_tensor_dim_shuffle(piece, POP_DIMS(1, 0, 2)), POP_SHAPE(n, on.count * size));
}
/* A stack, {n, elements}, `share` elements on a tile; the last may have fewer. */
static pop_tensor stack(const struct layer *layer, size_t n, size_t elements, size_t share, bool spread,
                        const char *name)
{
    const struct call *call = layer->call;
    assert(share);
    size_t whole = elements / share, rest = elements % share, used = whole + (rest != 0);
    pop_tensor pieces[2];
    if (whole)
        pieces[0] = stack_piece(layer, n, (struct stack_tiles){ whole, 0, used, spread }, share, name);
    if (rest)
        pieces[whole ? 1 : 0] = stack_piece(layer, n, (struct stack_tiles){ 1, whole, used, spread }, rest, name);
    return pop_tensor_concat((pop_tensors){ (whole != 0) + (size_t)(rest != 0), pieces }, 1);
}
/* As poplibs of 2021: pieces of up to 16 layer of one batch entry, in the order of the layer and then of the batch,
 * equally many on each tile that has any. */
static pop_tensor stack_2021(const struct layer *layer, size_t n, const char *name)
{
    const struct call *call = layer->call;
    enum { PIECE = 16 };
    size_t piece = poplibs_gcd(PIECE, layer->output), groups = layer->output / piece, count = groups * layer->batch,
           share = poplibs_ceil_div(count, pop_target_num_tiles(pop_graph_target(call->graph)));
    pop_tensor all = pop_tensor_reshape(stack(layer, n, count * piece, share * piece, true, name),
                                        POP_SHAPE(n, groups, layer->batch, piece));
    return pop_tensor_reshape(pop_tensor_dim_shuffle(all, POP_DIMS(0, 2, 1, 3)),
                              POP_SHAPE(n, layer->batch, layer->output));
}
pop_tensor layer_new_stack(const struct layer *layer, size_t n, const char *name)
{
    const struct call *call = layer->call;
    enum { MIN_BYTES = 128 }; /* on a tile */
    const pop_target *target = pop_graph_target(call->graph);
    size_t elements = layer->batch * layer->output, grain = 8 / pop_type_size(layer->type);
    if (target->poplibs_release == POP_POPLIBS_2021 && elements)
        return stack_2021(layer, n, name);
    size_t share =
        poplibs_max(poplibs_ceil_div(elements, pop_target_num_tiles(target)), MIN_BYTES / pop_type_size(layer->type));
    return pop_tensor_reshape(stack(layer, n, elements, poplibs_ceil_div(share, grain) * grain, false, name),
                              POP_SHAPE(n, layer->batch, layer->output));
}
pop_tensor layer_spread(const struct layer *layer, pop_shape shape)
{
    const struct call *call = layer->call;
    pop_tensor t = pop_graph_add_variable(call->graph, layer->type, shape, call->name);
    poputil_map_tensor_linearly(call->graph, t);
    return t;
}
pop_tensor layer_like(const struct layer *layer, pop_tensor t, const char *name)
{
    const struct call *call = layer->call;
    return pop_graph_clone(call->graph, POP_TYPE_NULL, t, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, name);
}
pop_tensor layer_new_gradient_sum(const struct layer *layer, pop_tensor t, const char *name)
{
    const struct call *call = layer->call;
    return pop_graph_clone(call->graph, layer->accumulators, t, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, name);
}

poplin_fc_mat_mul layer_product_params(pop_type type, enum layer_pass pass, bool inference_only, size_t rows,
                                       size_t depth, size_t columns)
{
    return (poplin_fc_mat_mul){ { type, type, { 1, rows, depth }, { 1, depth, columns } },
                                name_of_pass(pass, inference_only) };
}

/* ---- steps ---- */

pop_tensor layer_product(const struct layer *layer, enum layer_pass pass, pop_tensor a, pop_tensor b,
                         pop_program sequence)
{
    const struct call *call = layer->call;
    struct layer_options storage;
    return poplin_mat_mul(call->graph, a, b, sequence, call->name, layer_options(layer, pass, &storage), layer->cache);
}
pop_tensor layer_product_in_loop(const struct layer *layer, pop_tensor a, pop_tensor b, pop_program before,
                                 pop_program body)
{
    const struct call *call = layer->call;
    if (layer->steps == 1)
        return layer_product(layer, LAYER_BACKWARD, a, b, body);
    struct layer_options storage;
    pop_options options = layer_options(layer, LAYER_BACKWARD, &storage);
    assert(options.count < sizeof(storage.list) / sizeof(storage.list[0]));
    storage.list[options.count++] = (pop_option){ "inputRHSIsPreArranged", "true" };
    pop_shape shape = POP_SHAPE(pop_tensor_dim(a, 0), pop_tensor_dim(a, 1));
    pop_tensor arranged = poplin_pre_arrange_mat_mul_input_rhs(call->graph, shape, b, before, layer->type, call->name,
                                                               options, layer->cache);
    return poplin_mat_mul(call->graph, a, arranged, body, call->name, options, layer->cache);
}
bool layer_update_in_loop(const struct layer *layer)
{
    return layer->input + layer->output <= layer->batch * layer->steps;
}
void layer_add_product(const struct layer *layer, pop_tensor sum, pop_tensor a, pop_tensor b, pop_program sequence)
{
    const struct call *call = layer->call;
    struct layer_options storage;
    poplin_mat_mul_acc(call->graph, sum, 1, layer_transposed(layer, a), b, sequence, call->name,
                       layer_options(layer, LAYER_UPDATE, &storage), layer->cache);
}
pop_tensor layer_binary(const struct layer *layer, popops_binary_op op, pop_tensor a, pop_tensor b,
                        pop_program sequence, const char *name)
{
    return popops_binary_at(layer->call->where, op, layer->call->graph, popops_operand_of_tensor(a),
                            popops_operand_of_tensor(b), sequence, name);
}
void layer_binary_in_place(const struct layer *layer, popops_binary_op op, pop_tensor a, pop_tensor b,
                           pop_program sequence, const char *name)
{
    popops_binary_in_place_at(layer->call->where, op, layer->call->graph, popops_operand_of_tensor(a),
                              popops_operand_of_tensor(b), sequence, name);
}
void layer_add_to(const struct layer *layer, pop_tensor a, pop_tensor b, pop_program sequence, const char *name)
{
    layer_binary_in_place(layer, POPOPS_BINARY_ADD, a, b, sequence, name);
}
pop_tensor layer_times_each(const struct layer *layer, pop_tensors list, pop_tensor factor, pop_program sequence,
                            const char *name)
{
    const struct call *call = layer->call;
    assert(list.count);
    pop_tensor factors = pop_tensor_broadcast(factor, (unsigned)list.count, 0);
    return layer_binary(layer, POPOPS_BINARY_MULTIPLY, pop_tensor_concat(list, 0), factors, sequence, name);
}
pop_tensor layer_part(const struct layer *layer, pop_tensor all, size_t i)
{
    const struct call *call = layer->call;
    assert(!call_ready(call) || (i + 1) * layer->batch <= pop_tensor_dim(all, 0));
    return pop_tensor_slice(all, i * layer->batch, (i + 1) * layer->batch, 0);
}
pop_tensor layer_gradient(const struct layer *layer, popnn_non_linearity_type type, pop_tensor act, pop_tensor out,
                          pop_program sequence, const char *name)
{
    const struct call *call = layer->call;
    return popnn_non_linearity_input_gradient(call->graph, type, act, out, sequence, name);
}
pop_tensor layer_non_linearity(const struct layer *layer, popnn_non_linearity_type type, pop_tensor t,
                               pop_program sequence, const char *name)
{
    const struct call *call = layer->call;
    /* popops computes these functions directly, without a copy of t. */
    if (type == POPNN_TANH || type == POPNN_SIGMOID)
        return popops_unary_at(call->where, type == POPNN_TANH ? POPOPS_UNARY_TANH : POPOPS_UNARY_SIGMOID, call->graph,
                               t, sequence, name);
    return popnn_non_linearity(call->graph, type, t, sequence, name);
}
void layer_copy(const struct layer *layer, pop_tensor from, pop_tensor to, pop_program sequence)
{
    const struct call *call = layer->call;
    pop_sequence_add(sequence, pop_copy(from, to, false, call->name));
}
void layer_zero(const struct layer *layer, pop_tensor t, pop_program sequence)
{
    const struct call *call = layer->call;
    popops_zero(call->graph, t, sequence, call->name);
}
void layer_add_to_gradient_sum(const struct layer *layer, pop_tensor sum, pop_tensor t, pop_program sequence,
                               const char *name)
{
    const struct call *call = layer->call;
    if (pop_tensor_type(sum) == pop_tensor_type(t))
        layer_add_to(layer, sum, t, sequence, name);
    else
        popops_scaled_add_to_constant(call->graph, sum, t, 1, sequence, name, POP_NO_OPTIONS);
}
pop_tensor layer_gradient_of_sum(const struct layer *layer, pop_tensor sum, pop_program sequence)
{
    const struct call *call = layer->call;
    return layer->accumulators == layer->type ? sum : popops_cast(call->graph, sum, layer->type, sequence, call->name);
}
pop_tensor layer_sum(const struct layer *layer, pop_tensor t, pop_program sequence)
{
    const struct call *call = layer->call;
    return popops_reduce(call->graph, t, POP_TYPE_NULL, POP_DIMS(0), (popops_reduce_params){ .op = POPOPS_ADD },
                         sequence, call->name, POP_NO_OPTIONS);
}
