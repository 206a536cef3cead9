/* SPDX-License-Identifier: Apache-2.0 */
#include "popnn/recurrent/steps.h"

#include <popops/dynamic_slice.h>
#include <popops/element_wise.h>

struct steps steps_begin(const struct call *call, size_t count, bool backwards)
{
    struct steps steps = { .call = call, .count = count, .backwards = backwards };
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
    popops_dynamic_update(call->graph, sequence, with_step(call, step), steps->index, POP_DIMS(0), POP_SHAPE(1),
                          steps->body, call->name);
}

void steps_limit(struct steps *steps, pop_tensor lengths)
{
    const struct call *call = steps->call;
    if (!pop_tensor_valid(lengths))
        return;
    pop_tensor active =
        popops_binary_at(call->where, POPOPS_BINARY_LESS_THAN, call->graph, popops_operand_of_tensor(steps->index),
                         popops_operand_of_tensor(lengths), steps->body, "active");
    steps->active = pop_tensor_expand(active, POP_DIMS(1));
}

pop_tensor steps_select(struct steps *steps, pop_tensor value, pop_tensor instead)
{
    const struct call *call = steps->call;
    if (!pop_tensor_valid(steps->active))
        return value;
    size_t batch = pop_tensor_dim(value, 0), columns = pop_tensor_dim(value, 1);
    pop_tensor active = pop_tensor_broadcast(steps->active, (unsigned)columns, 1);
    if (pop_tensor_dim(active, 0) != batch)
        active = pop_tensor_broadcast(active, (unsigned)batch, 0);
    popops_operand other = pop_tensor_valid(instead) ? popops_operand_of_tensor(instead) : popops_operand_of_double(0);
    return popops_ternary_at(call->where, POPOPS_TERNARY_SELECT, call->graph, popops_operand_of_tensor(value), other,
                             popops_operand_of_tensor(active), steps->body, "select");
}

void steps_end(struct steps *steps, pop_program sequence)
{
    const struct call *call = steps->call;
    uint32_t first = steps->backwards ? (uint32_t)steps->count - 1 : 0;
    pop_tensor start =
        pop_graph_add_constant_fill(call->graph, POP_UNSIGNED_INT, POP_SHAPE(1), POP_UNSIGNED_INT, &first, "seqStart");
    pop_graph_set_tile_mapping(call->graph, start, 0);
    popops_binary_in_place_at(call->where, steps->backwards ? POPOPS_BINARY_SUBTRACT : POPOPS_BINARY_ADD, call->graph,
                              popops_operand_of_tensor(steps->index), popops_operand_of_int(1), steps->body,
                              "seqIdxNext");
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
