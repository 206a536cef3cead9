/* SPDX-License-Identifier: Apache-2.0 */
/* Counted loops: the counter is on one tile, where a vertex adds the step. */
#include "poplibs/codelets.h"
#include "poplibs/log.h"
#include "poputil/loop_vertices.h"

#include <poputil/loop.h>

static const char vertex_type[] = "poputil::AddToCounter";
static const poplibs_register files[] = { poputil_loop_vertices };

static pop_program add_step(pop_where where, pop_graph *graph, pop_tensor counter, size_t step, const char *name)
{
    poplibs_add_codelets(where, graph, "poputil", vertex_type, (void (*)(void))poputil_counted_loop_at, files, 1);
    pop_compute_set set = pop_graph_add_compute_set_at(where, graph, name && *name ? name : "countedLoop");
    pop_vertex vertex = pop_graph_add_vertex_at(where, graph, set, vertex_type);
    pop_graph_connect_at(where, graph, vertex, "counter", counter);
    pop_graph_set_field_int_at(where, graph, vertex, "step", (int64_t)step);
    pop_graph_map_vertex_at(where, graph, vertex, 0);
    return pop_execute_at(where, set, name);
}

pop_program poputil_counted_loop_at(pop_where where, pop_graph *graph, size_t begin, size_t end, size_t step,
                                    const char *name, poputil_loop_body body, void *user)
{
    POPLIBS_CALL(graph, begin, end, step, name);
    static const char api[] = "poputil_counted_loop";
    pop_program none = { 0 };
    if (!poplibs_ready(graph))
        return none;
    size_t count = step ? poplibs_ceil_div(end > begin ? end - begin : 0, step) : 0;
    if (!step || (count && begin + step * (count - 1) > UINT32_MAX)) {
        poplibs_fail(graph, POP_POPLAR_ERROR, where, api,
                     step ? "a counter from %zu to %zu does not fit 32 bits" : "a step of 0 from %zu to %zu never ends",
                     begin, end);
        return none;
    }
    if (!count) {
        poplibs_fail(graph, POP_POPLAR_ERROR, where, api, "a counter from %zu to %zu has no step", begin, end);
        return none;
    }
    uint32_t first = (uint32_t)begin;
    pop_tensor i = pop_graph_add_variable_at(where, graph, POP_UNSIGNED_INT, POP_SHAPE(), name);
    pop_tensor start =
        pop_graph_add_constant_fill_at(where, graph, POP_UNSIGNED_INT, POP_SHAPE(), POP_UNSIGNED_INT, &first, name);
    pop_graph_set_tile_mapping_at(where, graph, i, 0);
    pop_graph_set_tile_mapping_at(where, graph, start, 0);
    pop_program inner = pop_sequence_at(where, graph, name);
    pop_program given = body(graph, i, user);
    if (given.id)
        pop_sequence_add_at(where, inner, given);
    if (count > 1)
        pop_sequence_add_at(where, inner, add_step(where, graph, i, step, name));
    pop_program loop = pop_sequence_at(where, graph, name);
    pop_sequence_add_at(where, loop, pop_copy_at(where, start, i, false, name));
    pop_sequence_add_at(where, loop, pop_repeat_at(where, (unsigned)count, inner, name));
    return poplibs_ready(graph) ? loop : none;
}
