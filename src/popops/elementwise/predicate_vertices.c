/* SPDX-License-Identifier: Apache-2.0 */
/* Vertices whose result is the return value of their compute function, which the compute set combines:
 * popops::AllTrue<bool>; popops::HasNaN<T> and popops::HasNaNOrInf<T>, which return true if they find none. */

#ifdef __POPC__
#include "poplibs/half_vectors.h"

POP_VERTEX(AllTrue)
{
    POP_INPUT(POP_VECTORS(bool)) in;
};
POP_VERTEX_NAME(AllTrue, "popops::AllTrue<bool>");
bool AllTrue_compute(AllTrue *v)
{
    bool all = true;
    for (size_t i = 0; i < v->in.size; ++i)
        for (size_t k = 0; k < v->in.data[i].size; ++k)
            all &= v->in.data[i].data[k];
    return all;
}

#define TYPES    POPLIBS_FLOATING
#define TEMPLATE "popops/elementwise/nan_typed.h"
#include "poplibs/each_type.h"

#else
#include "poplibs/support.h"
#include "popops/vertices.h"

/* Poplibs 1.2's estimators, HasNaN: 9 for a float, 10 for a half; user is the cycles of an element. */
static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    uint64_t cycles = 6;
    (void)target;
    for (size_t i = 0, rows = pop_vertex_view_field_size(vertex, "in", POP_WHOLE); i < rows; ++i)
        cycles += 6 + (uintptr_t)user * pop_vertex_view_field_size(vertex, "in", i);
    return (pop_perf){ cycles, 0 };
}
/* Poplibs publishes no formula: estimated as loads of eight bytes, an AND, and the remaining bytes. */
static pop_perf estimate_all_true(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    uint64_t cycles = 6;
    (void)target, (void)user;
    for (size_t i = 0, rows = pop_vertex_view_field_size(vertex, "in", POP_WHOLE); i < rows; ++i) {
        size_t count = pop_vertex_view_field_size(vertex, "in", i);
        cycles += 6 + 2 * (count / 8) + 3 * (count % 8);
    }
    return (pop_perf){ cycles, 0 };
}

void register_predicate_vertices(pop_graph *graph)
{
    pop_graph_register_perf_estimator(graph, "popops::AllTrue<bool>", estimate_all_true, NULL);
    pop_graph_register_perf_estimator(graph, "popops::HasNaN<float>", estimate, poplibs_as_user(9));
    pop_graph_register_perf_estimator(graph, "popops::HasNaN<half>", estimate, poplibs_as_user(10));
    pop_graph_register_perf_estimator(graph, "popops::HasNaNOrInf<float>", estimate, poplibs_as_user(9));
    pop_graph_register_perf_estimator(graph, "popops::HasNaNOrInf<half>", estimate, poplibs_as_user(10));
}
#endif
