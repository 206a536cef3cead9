/* SPDX-License-Identifier: Apache-2.0 */
/* popops::SelectFromRows<T>: one element of each of several rows.  popops::UpdateIntervalsDEC<T>: one contiguous piece
 * of memory, which holds runs of a matrix' elements, [start, start + length), counted from the first row whose index is
 * connected. */
#include "poplibs/vertex_types.h"

#define TYPES POPLIBS_FLOATING

#ifdef __POPC__
#include <poplar/vertex.h>

#define MASKED       0xffffffffu
#define NOT_A_NUMBER __builtin_nanf("")

#define TEMPLATE "popops/slice/scalar_in_rows_typed.h"
#include "poplibs/each_type.h"

#else
#include "poplibs/estimates.h"
#include "popops/vertices.h"

/* Poplibs publishes no formula: estimated for each row as two loads, two comparisons, an address, a load and a store,
 * with branches. */
static pop_perf select_cycles(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    return (pop_perf){ 10 + 12 * pop_vertex_view_field_size(vertex, "params", POP_WHOLE), 0 };
}
static pop_perf update_cycles(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    uint64_t runs = pop_vertex_view_field_size(vertex, "starts", POP_WHOLE),
             rows = pop_vertex_view_field_size(vertex, "indices", POP_WHOLE);
    return (pop_perf){ 10 + 10 * runs + 12 * poplibs_max(runs, rows), rows };
}

void register_scalar_in_rows_vertices(pop_graph *graph)
{
    static const struct poplibs_estimate families[] = { { "popops::SelectFromRows<%s>", select_cycles },
                                                        { "popops::UpdateIntervalsDEC<%s>", update_cycles } };
    poplibs_register_estimates(graph, TYPES, families, sizeof(families) / sizeof(families[0]));
}
#endif
