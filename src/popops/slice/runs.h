/* SPDX-License-Identifier: Apache-2.0 */
/* Fields for a vertex on a contiguous piece of memory that holds runs of a matrix' elements in any order. */
#ifndef POPOPS_SLICE_RUNS_H
#define POPOPS_SLICE_RUNS_H

#include "poplibs/call.h"

/* Sets a vertex' fields starts and lengths to the runs of a list of intervals of the flattened matrix.  Starts count
 * from the first row that the runs contain.  Returns the interval from that row to the last one. */
static inline pop_interval set_runs(const struct call *call, pop_vertex vertex, const pop_interval_lists *regions,
                                    size_t list, size_t columns)
{
    const pop_interval *runs = regions->intervals + regions->first[list];
    size_t count = regions->first[list + 1] - regions->first[list];
    pop_interval rows = { SIZE_MAX, 0 };
    for (size_t i = 0; i < count; ++i) {
        rows.begin = poplibs_min(rows.begin, runs[i].begin / columns);
        rows.end = poplibs_max(rows.end, (runs[i].end - 1) / columns + 1);
    }
    uint32_t *starts = poplibs_new(2 * count, sizeof(*starts)), *lengths = starts + count;
    for (size_t i = 0; i < count; ++i) {
        starts[i] = (uint32_t)(runs[i].begin - rows.begin * columns);
        lengths[i] = (uint32_t)(runs[i].end - runs[i].begin);
    }
    pop_graph_set_field_vector(call->graph, vertex, POP_FIELD("starts", POP_WHOLE), POP_UNSIGNED_INT, starts, count);
    pop_graph_set_field_vector(call->graph, vertex, POP_FIELD("lengths", POP_WHOLE), POP_UNSIGNED_INT, lengths, count);
    free(starts);
    return rows;
}

#endif
