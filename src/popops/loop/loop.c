/* SPDX-License-Identifier: Apache-2.0 */
/* The counter starts one step before its first value, because each iteration begins with increment and comparison. */
#include "poplibs/log.h"
#include "poplibs/support.h"

#include <popops/loop.h>

static bool check(pop_where where, pop_graph *graph, const char *api, pop_tensor count, pop_tensor limit, int step)
{
    pop_type type = pop_tensor_type(limit);
    if (pop_tensor_num_elements(limit) != 1 || pop_tensor_num_elements(count) != 1 || pop_tensor_type(count) != type ||
        (type != POP_INT && type != POP_UNSIGNED_INT))
        return poplibs_fail(
            graph, POP_POPLAR_ERROR, where, api,
            "a count of %zu elements of %s up to %zu of %s: both must be one int, or both one unsigned int",
            pop_tensor_num_elements(count), pop_type_name(pop_tensor_type(count)), pop_tensor_num_elements(limit),
            pop_type_name(type));
    if (step == 0)
        return poplibs_fail(graph, POP_POPLAR_ERROR, where, api, "a step of 0 never ends");
    return poplibs_is_operand(graph, where, api, "the count", count) &&
           poplibs_is_operand(graph, where, api, "the limit", limit);
}

pop_tensor popops_add_for_loop_counter_vertex_at(pop_where where, pop_graph *graph, pop_tensor count, pop_tensor limit,
                                                 int step, unsigned tile, pop_program sequence, const char *name)
{
    POPLIBS_CALL(graph, count, limit, step, tile, name);
    char path[POPLIBS_PATH_SIZE];
    if (!poplibs_ready(graph) || !check(where, graph, "popops_add_for_loop_counter_vertex", count, limit, step))
        return (pop_tensor){ 0 };
    pop_tensor goes_on = pop_graph_add_variable_at(where, graph, POP_UNSIGNED_INT, POP_SHAPE(),
                                                   poplibs_path(path, sizeof(path), name, "predicate"));
    pop_graph_set_tile_mapping_at(where, graph, goes_on, tile);
    pop_compute_set set =
        pop_graph_add_compute_set_at(where, graph, poplibs_path(path, sizeof(path), name, "ForLoopCounter"));
    snprintf(path, sizeof(path), "popops::ForLoopCounter<%s>", pop_type_name(pop_tensor_type(count)));
    pop_vertex vertex = pop_graph_add_vertex_at(where, graph, set, path);
    pop_graph_connect_at(where, graph, vertex, "count", pop_tensor_reshape_at(where, count, POP_SHAPE()));
    pop_graph_connect_at(where, graph, vertex, "limit", pop_tensor_reshape_at(where, limit, POP_SHAPE()));
    pop_graph_connect_at(where, graph, vertex, "comparisonResult", goes_on);
    pop_graph_set_field_int_at(where, graph, vertex, "increment", step);
    pop_graph_map_vertex_at(where, graph, vertex, tile);
    pop_sequence_add_at(where, sequence, pop_execute_at(where, set, name));
    return goes_on;
}

pop_program popops_counted_for_loop_at(pop_where where, pop_graph *graph, pop_tensor count, int initial,
                                       pop_tensor limit, int step, pop_program body, const char *name)
{
    POPLIBS_CALL(graph, count, initial, limit, step, name);
    pop_program none = { 0 };
    if (!poplibs_ready(graph))
        return none;
    unsigned tile = 0;
    pop_interval_lists mapping;
    bool given = pop_tensor_valid(count);
    if (!given && pop_tensor_valid(limit))
        count = pop_graph_add_variable_mapped_at(where, graph, pop_tensor_type(limit), POP_SHAPE(), POP_MAPPING_LINEAR,
                                                 name);
    if (!check(where, graph, "popops_counted_for_loop", count, limit, step))
        return none;
    if (!pop_graph_get_tile_mapping_at(where, graph, count, NULL, &mapping))
        return none;
    while (mapping.first[tile + 1] == mapping.first[tile])
        ++tile;
    pop_interval_lists_free(&mapping);
    uint32_t before = (uint32_t)initial - (uint32_t)step;
    pop_tensor first = pop_graph_add_constant_fill_at(where, graph, pop_tensor_type(count), POP_SHAPE(),
                                                      POP_UNSIGNED_INT, &before, "initial");
    pop_graph_set_tile_mapping_at(where, graph, first, tile);
    pop_program loop = pop_sequence_at(where, graph, name), condition = pop_sequence_at(where, graph, name);
    pop_tensor goes_on = popops_add_for_loop_counter_vertex_at(where, graph, count, limit, step, tile, condition, name);
    pop_sequence_add_at(where, loop, pop_copy_at(where, first, count, false, name));
    pop_sequence_add_at(where, loop, pop_repeat_while_true_at(where, condition, goes_on, body, name));
    return poplibs_ready(graph) ? loop : none;
}
