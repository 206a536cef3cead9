/* SPDX-License-Identifier: Apache-2.0 */
/* Counted loops: the counter is on one tile, where a vertex adds the step. */
#include "poplibs/codelets.h"
#include "poplibs/log.h"
#include "poputil/support.h"

#include <poputil/loop.h>

static const char vertex_type[] = "poputil::AddToCounter";
static const poplibs_register files[] = { register_loop_vertices };

static pop_program add_step(const struct call *call, pop_tensor counter, size_t step)
{
    poplibs_add_codelets(call, "poputil", vertex_type, (void (*)(void))poputil_counted_loop_at, files, 1);
    pop_compute_set set =
        pop_graph_add_compute_set(call->graph, call->name && *call->name ? call->name : "countedLoop");
    pop_vertex vertex = call_vertex(call, set, vertex_type, 0);
    call_connect(call, vertex, "counter", counter);
    call_set(call, vertex, "step", step);
    return pop_execute(set, call->name);
}

pop_program poputil_counted_loop_at(pop_where where, pop_graph *graph, size_t begin, size_t end, size_t step,
                                    const char *name, poputil_loop_body body, void *user)
{
    POPLIBS_CALL(graph, begin, end, step, name);
    pop_program none = { 0 };
    if (!call_ready(call))
        return none;
    size_t count = step ? poplibs_ceil_div(end > begin ? end - begin : 0, step) : 0;
    if (!step || (count && begin + step * (count - 1) > UINT32_MAX)) {
        call_fail(call, POP_POPLAR_ERROR,
                  step ? "a counter from %zu to %zu does not fit 32 bits" : "a step of 0 from %zu to %zu never ends",
                  begin, end);
        return none;
    }
    if (!count) {
        call_fail(call, POP_POPLAR_ERROR, "a counter from %zu to %zu has no step", begin, end);
        return none;
    }
    uint32_t first = (uint32_t)begin;
    pop_tensor i = pop_graph_add_variable(graph, POP_UNSIGNED_INT, POP_SHAPE(), name);
    pop_tensor start =
        pop_graph_add_constant_fill(graph, POP_UNSIGNED_INT, POP_SHAPE(), POP_UNSIGNED_INT, &first, name);
    pop_graph_set_tile_mapping(graph, i, 0);
    pop_graph_set_tile_mapping(graph, start, 0);
    pop_program inner = pop_sequence(graph, name);
    pop_program given = body(graph, i, user);
    if (given.id)
        pop_sequence_add(inner, given);
    if (count > 1)
        pop_sequence_add(inner, add_step(call, i, step));
    pop_program loop = pop_sequence(graph, name);
    pop_sequence_add(loop, pop_copy(start, i, false, name));
    pop_sequence_add(loop, pop_repeat((unsigned)count, inner, name));
    return call_ready(call) ? loop : none;
}
