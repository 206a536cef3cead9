/* SPDX-License-Identifier: Apache-2.0 */
/* popops::SequenceSlice<T>: some columns of both tensors, row by row. */
#include "poplibs/vertex_types.h"

#define TYPES POPLIBS_ALL_TYPES

#ifdef __POPC__
#define TEMPLATE "popops/slice/sequence_slice_typed.h"
#include "poplibs/each_type.h"

#else
#include "poplibs/estimates.h"
#include "popops/vertices.h"

/* Poplibs publishes no formula: estimated as a multi-slice of the largest possible number of rows, and a fill. */
static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    uint64_t rows = (uint64_t)pop_vertex_view_field_value(vertex, "dstRows", 0),
             region = (uint64_t)pop_vertex_view_field_value(vertex, "regionSize", 0);
    uint64_t vectors = poplibs_ceil_div(region, pop_target_vector_width(target, poplibs_type_of_user(user)));
    uint64_t fill = pop_vertex_view_field_value(vertex, "zeroUnused", 0) != 0 ? 20 + rows * vectors : 0;
    return (pop_perf){
        16 + fill + 15 * pop_vertex_view_field_size(vertex, "lengths", POP_WHOLE) + rows * (19 + 3 * vectors), 0
    };
}

void register_sequence_slice_vertices(pop_graph *graph)
{
    static const struct poplibs_estimate families[] = { { "popops::SequenceSlice<%s>", estimate } };
    poplibs_register_estimates(graph, TYPES, families, sizeof(families) / sizeof(families[0]));
}
#endif
