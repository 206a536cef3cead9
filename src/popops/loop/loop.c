/* SPDX-License-Identifier: Apache-2.0 */
/* The counter starts one step before its first value, because each iteration begins with increment and comparison. */
#include "poplibs/log.h"
#include "poplibs/tiles.h"

#include <popops/loop.h>

static bool check(const struct call *call, pop_tensor count, pop_tensor limit, int step)
{
    pop_type type = pop_tensor_type(limit);
    if (pop_tensor_num_elements(limit) != 1 || pop_tensor_num_elements(count) != 1 || pop_tensor_type(count) != type ||
        (type != POP_INT && type != POP_UNSIGNED_INT))
        return call_fail(
            call, POP_POPLAR_ERROR,
            "a count of %zu elements of %s up to %zu of %s: both must be one int, or both one unsigned int",
            pop_tensor_num_elements(count), pop_type_name(pop_tensor_type(count)), pop_tensor_num_elements(limit),
            pop_type_name(type));
    if (step == 0)
        return call_fail(call, POP_POPLAR_ERROR, "a step of 0 never ends");
    return call_takes(call, "the count", count) && call_takes(call, "the limit", limit);
}

pop_tensor popops_add_for_loop_counter_vertex_at(pop_where where, pop_graph *graph, pop_tensor count, pop_tensor limit,
                                                 int step, unsigned tile, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, count, limit, step, tile, name);
    char type[64];
    if (!call_ready(call) || !check(call, count, limit, step))
        return (pop_tensor){ 0 };
    pop_tensor goes_on =
        pop_graph_add_variable(graph, POP_UNSIGNED_INT, POP_SHAPE(), call_path(call, name, "predicate"));
    pop_graph_set_tile_mapping(graph, goes_on, tile);
    pop_compute_set set = pop_graph_add_compute_set(graph, call_path(call, name, "ForLoopCounter"));
    snprintf(type, sizeof(type), "popops::ForLoopCounter<%s>", pop_type_name(pop_tensor_type(count)));
    pop_vertex vertex = call_vertex(call, set, type, tile);
    call_connect(call, vertex, "count", pop_tensor_reshape(count, POP_SHAPE()));
    call_connect(call, vertex, "limit", pop_tensor_reshape(limit, POP_SHAPE()));
    call_connect(call, vertex, "comparisonResult", goes_on);
    pop_graph_set_field_int(graph, vertex, "increment", step);
    call_execute(call, set, name);
    return goes_on;
}

pop_program popops_counted_for_loop_at(pop_where where, pop_graph *graph, pop_tensor count, int initial,
                                       pop_tensor limit, int step, pop_program body, const char *name)
{
    POPLIBS_CALL(graph, count, initial, limit, step, name);
    pop_program none = { 0 };
    if (!call_ready(call))
        return none;
    unsigned tile;
    bool given = pop_tensor_valid(count);
    if (!given && pop_tensor_valid(limit))
        count = pop_graph_add_variable_mapped(graph, pop_tensor_type(limit), POP_SHAPE(), POP_MAPPING_LINEAR, name);
    if (!check(call, count, limit, step))
        return none;
    if (!call_first_tile(call, count, &tile))
        return none;
    uint32_t before = (uint32_t)initial - (uint32_t)step;
    pop_tensor first =
        pop_graph_add_constant_fill(graph, pop_tensor_type(count), POP_SHAPE(), POP_UNSIGNED_INT, &before, "initial");
    pop_graph_set_tile_mapping(graph, first, tile);
    pop_program loop = pop_sequence(graph, name), condition = pop_sequence(graph, name);
    pop_tensor goes_on = popops_add_for_loop_counter_vertex(graph, count, limit, step, tile, condition, name);
    pop_sequence_add(loop, pop_copy(first, count, false, name));
    pop_sequence_add(loop, pop_repeat_while_true(condition, goes_on, body, name));
    return call_ready(call) ? loop : none;
}
