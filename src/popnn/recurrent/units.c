/* SPDX-License-Identifier: Apache-2.0 */
#include "popnn/recurrent/units.h"
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
static void keep_product_options(struct units *units, pop_options options)
{
    static const char *const shared[] = { "partialsType", "availableMemoryProportion" };
    for (size_t k = 0; k < 2; ++k) {
        size_t found = options.count;
        for (size_t i = 0; i < options.count; ++i)
            if (strcmp(options.list[i].key, shared[k]) == 0)
                found = i;
        if (found < options.count)
            units->given[units->num_given++] = options.list[found];
    }
}

/* The passes of a trained layer are planned together, so that its weights can have one layout. */
static const char *name_of_pass(enum units_pass pass, bool inference_only)
{
    static const char *const names[] = { "TRAINING_FWD", "TRAINING_BWD", "TRAINING_WU" };
    return inference_only && pass == UNITS_FORWARD ? "INFERENCE_FWD" : names[pass];
}
pop_options units_options(const struct units *units, enum units_pass pass, struct units_options *storage)
{
    size_t count = units->num_given;
    memcpy(storage->list, units->given, count * sizeof(*storage->list));
    storage->list[count++] = (pop_option){ "fullyConnectedPass", name_of_pass(pass, units->inference_only) };
    return (pop_options){ storage->list, count };
}

bool units_is_given(const struct call *call, const void *structure, const char *what)
{
    return call_ready(call) && (structure || call_fail(call, POP_POPLAR_ERROR, "%s NULL", what));
}

/* Checks that an activation is element-wise. */
static bool check_activation(const struct units *units, popnn_non_linearity_type type)
{
    bool softmax = type == POPNN_SOFTMAX || type == POPNN_SOFTMAX_STABLE || type == POPNN_SOFTMAX_SCALED;
    return (type < POPNN_NON_LINEARITY_TYPES && !softmax) ||
           call_fail(units->call, POP_POPLAR_ERROR,
                     "%u is not an activation: all non-linearities but softmax are possible", (unsigned)type);
}

static bool check_lengths(const struct units *units)
{
    char seen[64];
    size_t rank = pop_tensor_rank(units->lengths), count = pop_tensor_num_elements(units->lengths);
    if (!pop_tensor_valid(units->lengths))
        return true;
    if (!call_takes(units->call, "the tensor of time steps", units->lengths))
        return false;
    if (pop_tensor_type(units->lengths) == POP_UNSIGNED_INT && rank == 1 && (count == 1 || count == units->batch))
        return true;
    pop_tensor_shape_to_string(units->lengths, seen, sizeof(seen));
    return call_fail(units->call, POP_POPLAR_ERROR,
                     "the tensor of time steps is %s%s, and should be unsigned int{1} or {%zu}",
                     pop_type_name(pop_tensor_type(units->lengths)), seen, units->batch);
}

bool units_open(struct units *units, const char *layer, const unsigned *order, pop_options options)
{
    const struct call *call = units->call;
    static const pop_type accumulators[] = { POP_HALF, POP_FLOAT };
    struct recurrent_options parsed = { .accumulators = -1 };
    unsigned seen = 0;
    if (!call_ready(call))
        return false;
    if (units->type != POP_HALF && units->type != POP_FLOAT)
        return call_fail(call, POP_TYPE_ERROR, "%s of type %s: HALF and FLOAT are possible", layer,
                         pop_type_name(units->type));
    if (!units->batch || !units->steps || !units->input || !units->output)
        return call_fail(call, POP_POPLAR_ERROR,
                         "%s of batch %zu, %zu steps, input %zu and output %zu: none of them can be 0", layer,
                         units->batch, units->steps, units->input, units->output);
    if (!check_lengths(units) || !check_activation(units, units->activation) ||
        !check_activation(units, units->recurrent_activation))
        return false;
    for (size_t i = 0; i < units->count; ++i) {
        if (order[i] >= units->count || seen >> order[i] & 1)
            return call_fail(call, POP_POPLAR_ERROR, "the cell order has to name each of the %zu units once",
                             units->count);
        seen |= 1u << order[i];
        units->place[order[i]] = i;
    }
    poplibs_default_options(table, sizeof(table) / sizeof(table[0]), &parsed);
    parsed.inference_only = units->inference_only; /* differs by layer */
    if (!call_parse_options(call, options, table, sizeof(table) / sizeof(table[0]), &parsed))
        return false;
    keep_product_options(units, options);
    units->inference_only = parsed.inference_only;
    units->weight_before_loop = parsed.pre_calc_weights;
    units->accumulators = parsed.accumulators < 0 ? units->type : accumulators[parsed.accumulators];
    return true;
}

bool units_check(const struct units *units, pop_tensor t, pop_shape shape, const char *what)
{
    return call_takes_shape(units->call, what, t, units->type, shape);
}

bool units_check_weights(const struct units *units, pop_tensor input_weights, pop_tensor output_weights,
                         pop_tensor biases)
{
    return units_check(units, input_weights, POP_SHAPE(units->count, units->input, units->output),
                       "the tensor of input weights") &&
           units_check(units, output_weights, POP_SHAPE(units->count, units->output, units->output),
                       "the tensor of output weights") &&
           units_check(units, biases, POP_SHAPE(units->count, units->output), "the tensor of biases");
}

/* ---- views and tensors ---- */

pop_tensor units_as_matrix(const struct units *units, pop_tensor weights)
{
    const struct call *call = units->call;
    pop_tensor rows = pop_tensor_dim_shuffle(weights, POP_DIMS(1, 0, 2));
    return pop_tensor_reshape(rows, POP_SHAPE(pop_tensor_dim(rows, 0), units->count * units->output));
}
pop_tensor units_from_matrix(const struct units *units, pop_tensor matrix)
{
    const struct call *call = units->call;
    pop_tensor rows = pop_tensor_reshape(matrix, POP_SHAPE(pop_tensor_dim(matrix, 0), units->count, units->output));
    return pop_tensor_dim_shuffle(rows, POP_DIMS(1, 0, 2));
}
pop_tensor units_columns(const struct units *units, pop_tensor z, unsigned unit)
{
    const struct call *call = units->call;
    size_t at = units->place[unit] * units->output;
    return pop_tensor_slice(z, at, at + units->output, 1);
}
pop_tensor units_stack(const struct units *units, const pop_tensor *list, size_t count)
{
    const struct call *call = units->call;
    pop_tensor *rows = poplibs_new(count, sizeof(*rows));
    for (size_t i = 0; i < count; ++i)
        rows[i] = pop_tensor_expand(list[i], POP_DIMS(0));
    pop_tensor stack = pop_tensor_concat((pop_tensors){ count, rows }, 0);
    free(rows);
    return stack;
}

pop_tensor units_left_operand(const struct units *units, size_t rows, size_t depth, size_t columns)
{
    const struct call *call = units->call;
    struct units_options storage;
    return poplin_create_mat_mul_input_lhs(call->graph, units->type, units->type, POP_SHAPE(rows, depth),
                                           POP_SHAPE(depth, columns), call->name,
                                           units_options(units, UNITS_FORWARD, &storage), units->cache);
}
pop_tensor units_right_operand(const struct units *units, size_t rows, size_t depth, size_t columns)
{
    const struct call *call = units->call;
    struct units_options storage;
    return poplin_create_mat_mul_input_rhs(call->graph, units->type, units->type, POP_SHAPE(rows, depth),
                                           POP_SHAPE(depth, columns), call->name,
                                           units_options(units, UNITS_FORWARD, &storage), units->cache);
}
/* A piece of a stack, {n, count * size}: `size` elements for all n on each of `count` of the stack's tiles, the first
 * of which is its first-th of `used`; with `spread` these are spread evenly over the target's. */
struct stack_tiles {
    size_t count, first, used;
    bool spread;
};
static pop_tensor stack_piece(const struct units *units, size_t n, struct stack_tiles on, size_t size, const char *name)
{
    const struct call *call = units->call;
    size_t tiles = pop_target_num_tiles(pop_graph_target(call->graph));
    pop_tensor piece = pop_graph_add_variable(call->graph, units->type, POP_SHAPE(on.count, n, size), name);
    for (size_t i = 0; i < on.count; ++i) {
        size_t tile = on.spread ? (on.first + i + 1) * tiles / on.used - 1 : on.first + i;
        pop_graph_set_tile_mapping(call->graph, pop_tensor_at(piece, i), (unsigned)tile);
    }
    return pop_tensor_reshape(pop_tensor_dim_shuffle(piece, POP_DIMS(1, 0, 2)), POP_SHAPE(n, on.count * size));
}
/* A stack, {n, elements}, `share` elements on a tile; the last may have fewer. */
static pop_tensor stack(const struct units *units, size_t n, size_t elements, size_t share, bool spread,
                        const char *name)
{
    const struct call *call = units->call;
    assert(share);
    size_t whole = elements / share, rest = elements % share, used = whole + (rest != 0);
    pop_tensor pieces[2];
    if (whole)
        pieces[0] = stack_piece(units, n, (struct stack_tiles){ whole, 0, used, spread }, share, name);
    if (rest)
        pieces[whole ? 1 : 0] = stack_piece(units, n, (struct stack_tiles){ 1, whole, used, spread }, rest, name);
    return pop_tensor_concat((pop_tensors){ (whole != 0) + (size_t)(rest != 0), pieces }, 1);
}
/* As poplibs of 2021: pieces of up to 16 units of one batch entry, in the order of the units and then of the batch,
 * equally many on each tile that has any. */
static pop_tensor stack_2021(const struct units *units, size_t n, const char *name)
{
    const struct call *call = units->call;
    enum { PIECE = 16 };
    size_t piece = poplibs_gcd(PIECE, units->output), groups = units->output / piece, count = groups * units->batch,
           share = poplibs_ceil_div(count, pop_target_num_tiles(pop_graph_target(call->graph)));
    pop_tensor all = pop_tensor_reshape(stack(units, n, count * piece, share * piece, true, name),
                                        POP_SHAPE(n, groups, units->batch, piece));
    return pop_tensor_reshape(pop_tensor_dim_shuffle(all, POP_DIMS(0, 2, 1, 3)),
                              POP_SHAPE(n, units->batch, units->output));
}
pop_tensor units_new_stack(const struct units *units, size_t n, const char *name)
{
    const struct call *call = units->call;
    enum { MIN_BYTES = 128 }; /* on a tile */
    const pop_target *target = pop_graph_target(call->graph);
    size_t elements = units->batch * units->output, grain = 8 / pop_type_size(units->type);
    if (target->poplibs_release == POP_POPLIBS_2021 && elements)
        return stack_2021(units, n, name);
    size_t share =
        poplibs_max(poplibs_ceil_div(elements, pop_target_num_tiles(target)), MIN_BYTES / pop_type_size(units->type));
    return pop_tensor_reshape(stack(units, n, elements, poplibs_ceil_div(share, grain) * grain, false, name),
                              POP_SHAPE(n, units->batch, units->output));
}
pop_tensor units_spread(const struct units *units, pop_shape shape)
{
    const struct call *call = units->call;
    pop_tensor t = pop_graph_add_variable(call->graph, units->type, shape, call->name);
    poputil_map_tensor_linearly(call->graph, t);
    return t;
}
pop_tensor units_like(const struct units *units, pop_tensor t, const char *name)
{
    const struct call *call = units->call;
    return pop_graph_clone(call->graph, POP_TYPE_NULL, t, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, name);
}
pop_tensor units_accumulator(const struct units *units, pop_tensor t, const char *name)
{
    const struct call *call = units->call;
    return pop_graph_clone(call->graph, units->accumulators, t, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, name);
}

poplin_fc_mat_mul units_product_params(pop_type type, enum units_pass pass, bool inference_only, size_t rows,
                                       size_t depth, size_t columns)
{
    return (poplin_fc_mat_mul){ { type, type, { 1, rows, depth }, { 1, depth, columns } },
                                name_of_pass(pass, inference_only) };
}

/* ---- steps ---- */

pop_tensor units_product(const struct units *units, enum units_pass pass, pop_tensor a, pop_tensor b,
                         pop_program sequence)
{
    const struct call *call = units->call;
    struct units_options storage;
    return poplin_mat_mul(call->graph, a, b, sequence, call->name, units_options(units, pass, &storage), units->cache);
}
pop_tensor units_product_in_loop(const struct units *units, pop_tensor a, pop_tensor b, pop_program before,
                                 pop_program body)
{
    const struct call *call = units->call;
    if (units->steps == 1)
        return units_product(units, UNITS_BACKWARD, a, b, body);
    struct units_options storage;
    pop_options options = units_options(units, UNITS_BACKWARD, &storage);
    assert(options.count < sizeof(storage.list) / sizeof(storage.list[0]));
    storage.list[options.count++] = (pop_option){ "inputRHSIsPreArranged", "true" };
    pop_shape shape = POP_SHAPE(pop_tensor_dim(a, 0), pop_tensor_dim(a, 1));
    pop_tensor arranged = poplin_pre_arrange_mat_mul_input_rhs(call->graph, shape, b, before, units->type, call->name,
                                                               options, units->cache);
    return poplin_mat_mul(call->graph, a, arranged, body, call->name, options, units->cache);
}
bool units_update_in_loop(const struct units *units)
{
    return units->input + units->output <= units->batch * units->steps;
}
void units_add_product(const struct units *units, pop_tensor sum, pop_tensor a, pop_tensor b, pop_program sequence)
{
    const struct call *call = units->call;
    struct units_options storage;
    poplin_mat_mul_acc(call->graph, sum, 1, units_transposed(units, a), b, sequence, call->name,
                       units_options(units, UNITS_UPDATE, &storage), units->cache);
}
pop_tensor units_binary(const struct units *units, popops_binary_op op, pop_tensor a, pop_tensor b,
                        pop_program sequence, const char *name)
{
    return popops_binary_at(units->call->where, op, units->call->graph, popops_operand_of_tensor(a),
                            popops_operand_of_tensor(b), sequence, name);
}
void units_binary_in_place(const struct units *units, popops_binary_op op, pop_tensor a, pop_tensor b,
                           pop_program sequence, const char *name)
{
    popops_binary_in_place_at(units->call->where, op, units->call->graph, popops_operand_of_tensor(a),
                              popops_operand_of_tensor(b), sequence, name);
}
void units_add_to(const struct units *units, pop_tensor a, pop_tensor b, pop_program sequence, const char *name)
{
    units_binary_in_place(units, POPOPS_BINARY_ADD, a, b, sequence, name);
}
pop_tensor units_times_each(const struct units *units, pop_tensors list, pop_tensor factor, pop_program sequence,
                            const char *name)
{
    const struct call *call = units->call;
    assert(list.count);
    pop_tensor factors = pop_tensor_broadcast(factor, (unsigned)list.count, 0);
    return units_binary(units, POPOPS_BINARY_MULTIPLY, pop_tensor_concat(list, 0), factors, sequence, name);
}
pop_tensor units_part(const struct units *units, pop_tensor all, size_t i)
{
    const struct call *call = units->call;
    assert(!call_ready(call) || (i + 1) * units->batch <= pop_tensor_dim(all, 0));
    return pop_tensor_slice(all, i * units->batch, (i + 1) * units->batch, 0);
}
pop_tensor units_gradient(const struct units *units, popnn_non_linearity_type type, pop_tensor act, pop_tensor out,
                          pop_program sequence, const char *name)
{
    const struct call *call = units->call;
    return popnn_non_linearity_input_gradient(call->graph, type, act, out, sequence, name);
}
pop_tensor units_non_linearity(const struct units *units, popnn_non_linearity_type type, pop_tensor t,
                               pop_program sequence, const char *name)
{
    const struct call *call = units->call;
    /* popops computes these functions directly, without a copy of t. */
    if (type == POPNN_TANH || type == POPNN_SIGMOID)
        return popops_unary_at(call->where, type == POPNN_TANH ? POPOPS_UNARY_TANH : POPOPS_UNARY_SIGMOID, call->graph,
                               t, sequence, name);
    return popnn_non_linearity(call->graph, type, t, sequence, name);
}
void units_copy(const struct units *units, pop_tensor from, pop_tensor to, pop_program sequence)
{
    const struct call *call = units->call;
    pop_sequence_add(sequence, pop_copy(from, to, false, call->name));
}
void units_zero(const struct units *units, pop_tensor t, pop_program sequence)
{
    const struct call *call = units->call;
    popops_zero(call->graph, t, sequence, call->name);
}
void units_accumulate(const struct units *units, pop_tensor sum, pop_tensor t, pop_program sequence, const char *name)
{
    const struct call *call = units->call;
    if (pop_tensor_type(sum) == pop_tensor_type(t))
        units_add_to(units, sum, t, sequence, name);
    else
        popops_scaled_add_to_constant(call->graph, sum, t, 1, sequence, name, POP_NO_OPTIONS);
}
pop_tensor units_accumulated(const struct units *units, pop_tensor sum, pop_program sequence)
{
    const struct call *call = units->call;
    return units->accumulators == units->type ? sum : popops_cast(call->graph, sum, units->type, sequence, call->name);
}
pop_tensor units_sum(const struct units *units, pop_tensor t, pop_program sequence)
{
    const struct call *call = units->call;
    return popops_reduce(call->graph, t, POP_TYPE_NULL, POP_DIMS(0), (popops_reduce_params){ .op = POPOPS_ADD },
                         sequence, call->name, POP_NO_OPTIONS);
}
