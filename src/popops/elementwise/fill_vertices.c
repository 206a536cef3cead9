/* SPDX-License-Identifier: Apache-2.0 */
/* popops::Fill<T> for one region, popops::Fill2d<T> for several; Zero and Zero2d are their older names. */
#include "poplibs/vertex_types.h"

#define TYPES POPLIBS_ALL_TYPES

#ifdef __POPC__
#define TEMPLATE "popops/elementwise/fill_typed.h"
#include "poplibs/each_type.h"

#else
#include "poplibs/estimates.h"
#include "popops/vertices.h"

/* 20 + n / v cycles for each region (Poplibs 1.2's estimators, Zero). */
static uint64_t region_cycles(const pop_target *target, pop_type type, size_t elements)
{
    return 20 + poplibs_ceil_div(elements, pop_target_vector_width(target, type));
}
static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    return (pop_perf){
        region_cycles(target, poplibs_type_of_user(user), pop_vertex_view_field_size(vertex, "out", POP_WHOLE)), 0
    };
}
static pop_perf estimate_2d(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    uint64_t cycles = 0;
    for (size_t i = 0, rows = pop_vertex_view_field_size(vertex, "out", POP_WHOLE); i < rows; ++i)
        cycles += region_cycles(target, poplibs_type_of_user(user), pop_vertex_view_field_size(vertex, "out", i));
    return (pop_perf){ cycles, 0 };
}

void register_fill_vertices(pop_graph *graph)
{
    static const struct poplibs_estimate families[] = { { "popops::Fill<%s>", estimate },
                                                        { "popops::Fill2d<%s>", estimate_2d } };
    poplibs_register_estimates(graph, TYPES, families, sizeof(families) / sizeof(families[0]));
}
#endif
