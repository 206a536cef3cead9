/* SPDX-License-Identifier: Apache-2.0 */
/* popops::Histogram2D<type, type of counts>: counts the elements of several regions between ascending levels. */
#include "poplibs/vertex_types.h"

#define TYPES       POPLIBS_FLOATING
#define COUNT_TYPES (POPLIBS_UNSIGNED | POPLIBS_FLOAT)

#ifdef __POPC__
#define TEMPLATE "popops/reduce/histogram_typed.h"
#include "poplibs/each_type.h"

#else
#include "poplibs/estimates.h"
#include "popops/vertices.h"

/* Poplibs publishes no formula: estimated as a load, a comparison and an addition for each level and vector, and an
 * overhead for each row. */
static pop_perf histogram(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    uint64_t level = 10;
    unsigned width = pop_target_vector_width(target, poplibs_type_of_user(user));
    for (size_t i = 0, rows = pop_vertex_view_field_size(vertex, "data", POP_WHOLE); i < rows; ++i)
        level += 6 + 3 * poplibs_ceil_div(pop_vertex_view_field_size(vertex, "data", i), width);
    return (pop_perf){ 20 + pop_vertex_view_field_size(vertex, "levels", POP_WHOLE) * level, 0 };
}

void register_gather_statistics_vertices(pop_graph *graph)
{
    static const struct poplibs_estimate families[] = { { "popops::Histogram2D<%s,unsigned int>", histogram },
                                                        { "popops::Histogram2D<%s,float>", histogram } };
    poplibs_register_estimates(graph, TYPES, families, sizeof(families) / sizeof(families[0]));
}
#endif
