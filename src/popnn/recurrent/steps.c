/* SPDX-License-Identifier: Apache-2.0 */
#include "popnn/recurrent/steps.h"

#include <popops/dynamic_slice.h>
#include <popops/element_wise.h>

struct steps steps_begin(pop_where where, pop_graph *graph, size_t count, bool backwards, const char *name)
{
    struct steps steps = { .where = where, .graph = graph, .count = count, .backwards = backwards, .name = name };
    steps.index = pop_graph_add_variable_at(where, graph, POP_UNSIGNED_INT, POP_SHAPE(1), "seqIdx");
    pop_graph_set_tile_mapping_at(where, graph, steps.index, 0);
    steps.body = pop_sequence_at(where, graph, name);
    return steps;
}

/* Adds an outer dimension of 1. */
static pop_tensor with_step(pop_where where, pop_tensor t)
{
    return pop_tensor_expand_at(where, t, POP_DIMS(0));
}

pop_tensor steps_read(struct steps *steps, pop_tensor sequence)
{
    pop_tensor slice = popops_dynamic_slice_at(steps->where, steps->graph, sequence, steps->index, POP_DIMS(0),
                                               POP_SHAPE(1), steps->body, steps->name);
    return pop_tensor_at_at(steps->where, slice, 0);
}

void steps_write(struct steps *steps, pop_tensor sequence, pop_tensor step)
{
    popops_dynamic_update_at(steps->where, steps->graph, sequence, with_step(steps->where, step), steps->index,
                             POP_DIMS(0), POP_SHAPE(1), steps->body, steps->name);
}

void steps_limit(struct steps *steps, pop_tensor lengths)
{
    if (!pop_tensor_valid(lengths))
        return;
    pop_tensor active =
        popops_binary_at(steps->where, POPOPS_BINARY_LESS_THAN, steps->graph, popops_operand_of_tensor(steps->index),
                         popops_operand_of_tensor(lengths), steps->body, "active");
    steps->active = pop_tensor_expand_at(steps->where, active, POP_DIMS(1));
}

pop_tensor steps_select(struct steps *steps, pop_tensor value, pop_tensor instead)
{
    if (!pop_tensor_valid(steps->active))
        return value;
    size_t batch = pop_tensor_dim(value, 0), columns = pop_tensor_dim(value, 1);
    pop_tensor active = pop_tensor_broadcast_at(steps->where, steps->active, (unsigned)columns, 1);
    if (pop_tensor_dim(active, 0) != batch)
        active = pop_tensor_broadcast_at(steps->where, active, (unsigned)batch, 0);
    popops_operand other = pop_tensor_valid(instead) ? popops_operand_of_tensor(instead) : popops_operand_of_double(0);
    return popops_ternary_at(steps->where, POPOPS_TERNARY_SELECT, steps->graph, popops_operand_of_tensor(value), other,
                             popops_operand_of_tensor(active), steps->body, "select");
}

void steps_end(struct steps *steps, pop_program sequence)
{
    uint32_t first = steps->backwards ? (uint32_t)steps->count - 1 : 0;
    pop_tensor start = pop_graph_add_constant_fill_at(steps->where, steps->graph, POP_UNSIGNED_INT, POP_SHAPE(1),
                                                      POP_UNSIGNED_INT, &first, "seqStart");
    pop_graph_set_tile_mapping_at(steps->where, steps->graph, start, 0);
    popops_binary_in_place_at(steps->where, steps->backwards ? POPOPS_BINARY_SUBTRACT : POPOPS_BINARY_ADD, steps->graph,
                              popops_operand_of_tensor(steps->index), popops_operand_of_int(1), steps->body,
                              "seqIdxNext");
    pop_sequence_add_at(steps->where, sequence, pop_copy_at(steps->where, start, steps->index, false, steps->name));
    pop_sequence_add_at(steps->where, sequence,
                        pop_repeat_at(steps->where, (unsigned)steps->count, steps->body, steps->name));
}

pop_tensor steps_new(pop_where where, pop_graph *graph, pop_tensor step, size_t count, const char *name)
{
    return pop_graph_clone_n_at(where, graph, POP_TYPE_NULL, step, count, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES,
                                POP_DUPLICATE_BY_OUTER_DIMENSION, name);
}

pop_tensor steps_before(pop_where where, pop_tensor first, pop_tensor sequence)
{
    size_t count = pop_tensor_dim(sequence, 0);
    return pop_tensor_concat_at(
        where, POP_TENSORS(with_step(where, first), pop_tensor_slice_at(where, sequence, 0, count - 1, 0)), 0);
}
