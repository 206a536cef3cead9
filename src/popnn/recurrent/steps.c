/* SPDX-License-Identifier: Apache-2.0 */
#include "popnn/recurrent/steps.h"

#include <assert.h>
#include <popops/dynamic_slice.h>
#include <popops/element_wise.h>
#include <popops/fill.h>
#include <popops/reduce.h>

struct steps steps_begin(const struct call *call, size_t count, bool backwards, pop_tensor lengths)
{
    struct steps steps = { .call = call, .count = count, .backwards = backwards, .lengths = lengths };
    steps.index = pop_graph_add_variable(call->graph, POP_UNSIGNED_INT, POP_SHAPE(1), "seqIdx");
    pop_graph_set_tile_mapping(call->graph, steps.index, 0);
    steps.body = pop_sequence(call->graph, call->name);
    return steps;
}

/* Adds an outer dimension of 1. */
static pop_tensor with_step(const struct call *call, pop_tensor t)
{
    return pop_tensor_expand(t, POP_DIMS(0));
}

pop_tensor steps_read(struct steps *steps, pop_tensor sequence)
{
    const struct call *call = steps->call;
    pop_tensor slice =
        popops_dynamic_slice(call->graph, sequence, steps->index, POP_DIMS(0), POP_SHAPE(1), steps->body, call->name);
    return pop_tensor_at(slice, 0);
}

void steps_write(struct steps *steps, pop_tensor sequence, pop_tensor step)
{
    const struct call *call = steps->call;
    assert(steps->num_written < STEPS_MAX_WRITTEN);
    steps->written[steps->num_written++] = sequence;
    popops_dynamic_update(call->graph, sequence, with_step(call, step), steps->index, POP_DIMS(0), POP_SHAPE(1),
                          steps->body, call->name);
}

/* Whether the loop's index is less than each of the limits. */
static pop_tensor index_below(const struct steps *steps, pop_tensor limits, pop_program sequence, const char *name)
{
    const struct call *call = steps->call;
    return popops_binary_at(call->where, POPOPS_BINARY_LESS_THAN, call->graph, popops_operand_of_tensor(steps->index),
                            popops_operand_of_tensor(limits), sequence, name);
}

pop_tensor steps_select(struct steps *steps, pop_tensor value, pop_tensor instead)
{
    const struct call *call = steps->call;
    if (!pop_tensor_valid(steps->lengths))
        return value;
    if (!pop_tensor_valid(steps->active))
        steps->active = pop_tensor_expand(index_below(steps, steps->lengths, steps->body, "active"), POP_DIMS(1));
    size_t batch = pop_tensor_dim(value, 0), columns = pop_tensor_dim(value, 1);
    pop_tensor active = pop_tensor_broadcast(steps->active, (unsigned)columns, 1);
    if (pop_tensor_dim(active, 0) != batch)
        active = pop_tensor_broadcast(active, (unsigned)batch, 0);
    popops_operand other = pop_tensor_valid(instead) ? popops_operand_of_tensor(instead) : popops_operand_of_double(0);
    return popops_ternary_at(call->where, POPOPS_TERNARY_SELECT, call->graph, popops_operand_of_tensor(value), other,
                             popops_operand_of_tensor(active), steps->body, "select");
}

pop_tensor steps_stack(struct steps *steps, pop_tensors list)
{
    const struct call *call = steps->call;
    pop_tensor columns = steps_select(steps, pop_tensor_concat(list, 1), (pop_tensor){ 0 });
    const size_t batch = pop_tensor_dim(columns, 0), size = pop_tensor_dim(columns, 1) / list.count;
    return pop_tensor_dim_shuffle(pop_tensor_reshape(columns, POP_SHAPE(batch, list.count, size)), POP_DIMS(1, 0, 2));
}

/* A number of steps, {1}. */
static pop_tensor constant_of(const struct steps *steps, size_t number, const char *name)
{
    const struct call *call = steps->call;
    uint32_t value = (uint32_t)number;
    pop_tensor t =
        pop_graph_add_constant_fill(call->graph, POP_UNSIGNED_INT, POP_SHAPE(1), POP_UNSIGNED_INT, &value, name);
    pop_graph_set_tile_mapping(call->graph, t, 0);
    return t;
}

static pop_tensor binary(const struct steps *steps, popops_binary_op op, pop_tensor a, pop_tensor b,
                         pop_program sequence, const char *name)
{
    const struct call *call = steps->call;
    return popops_binary_at(call->where, op, call->graph, popops_operand_of_tensor(a), popops_operand_of_tensor(b),
                            sequence, name);
}

/* The largest length, {1}, at most the number of steps. */
static pop_tensor largest_length(const struct steps *steps, pop_program sequence)
{
    const struct call *call = steps->call;
    pop_tensor largest = steps->lengths;
    if (pop_tensor_num_elements(largest) > 1)
        largest = pop_tensor_reshape(popops_reduce(call->graph, largest, POP_TYPE_NULL, POP_DIMS(0),
                                                   (popops_reduce_params){ .op = POPOPS_MAX }, sequence, "largest",
                                                   POP_NO_OPTIONS),
                                     POP_SHAPE(1));
    return binary(steps, POPOPS_BINARY_MINIMUM, largest, constant_of(steps, steps->count, "steps"), sequence,
                  "largest");
}

/* Adds a loop that ends at the largest length: backwards, the index before step 0 is not below it either. */
static void loop_to_largest(const struct steps *steps, pop_program sequence)
{
    const struct call *call = steps->call;
    pop_tensor flat[STEPS_MAX_WRITTEN];
    for (size_t i = 0; i < steps->num_written; ++i)
        flat[i] = pop_tensor_flatten(steps->written[i]);
    if (steps->num_written)
        popops_zero(call->graph, pop_tensor_concat((pop_tensors){ steps->num_written, flat }, 0), sequence,
                    "laterSteps");
    pop_tensor end = largest_length(steps, sequence), start = constant_of(steps, steps->backwards, "seqStart");
    if (steps->backwards)
        start = binary(steps, POPOPS_BINARY_SUBTRACT, end, start, sequence, "seqStart");
    pop_sequence_add(sequence, pop_copy(start, steps->index, false, call->name));
    pop_program condition = pop_sequence(call->graph, call->name);
    pop_tensor more = index_below(steps, end, condition, "seqEnd");
    pop_sequence_add(sequence,
                     pop_repeat_while_true(condition, pop_tensor_reshape(more, POP_SHAPE()), steps->body, call->name));
}

void steps_end(struct steps *steps, pop_program sequence)
{
    const struct call *call = steps->call;
    popops_binary_in_place_at(call->where, steps->backwards ? POPOPS_BINARY_SUBTRACT : POPOPS_BINARY_ADD, call->graph,
                              popops_operand_of_tensor(steps->index), popops_operand_of_int(1), steps->body,
                              "seqIdxNext");
    if (pop_tensor_valid(steps->lengths)) {
        loop_to_largest(steps, sequence);
        return;
    }
    pop_tensor start = constant_of(steps, steps->backwards ? steps->count - 1 : 0, "seqStart");
    pop_sequence_add(sequence, pop_copy(start, steps->index, false, call->name));
    pop_sequence_add(sequence, pop_repeat((unsigned)steps->count, steps->body, call->name));
}

pop_tensor steps_new(const struct call *call, pop_tensor step, size_t count, const char *name)
{
    return pop_graph_clone_n(call->graph, POP_TYPE_NULL, step, count, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES,
                             POP_DUPLICATE_BY_OUTER_DIMENSION, name);
}

pop_tensor steps_before(const struct call *call, pop_tensor first, pop_tensor sequence)
{
    size_t count = pop_tensor_dim(sequence, 0);
    return pop_tensor_concat(POP_TENSORS(with_step(call, first), pop_tensor_slice(sequence, 0, count - 1, 0)), 0);
}
