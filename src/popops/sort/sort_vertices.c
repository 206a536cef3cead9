/* SPDX-License-Identifier: Apache-2.0 */
/* popops::HeapSortVertex<T> sorts one line in place, HeapSortVertexKV<K,V> a line of keys with its values.
 * popops::TopK<T> finds the positions of the best keys of a line, in order; popops::TopKGather<T> copies the elements
 * at positions. */
#include "poplibs/vertex_types.h"

#define SORTED_TYPES POPLIBS_NUMBERS

#ifdef __POPC__
#include "popops/sort/heap.h"

#define TYPES    SORTED_TYPES
#define TEMPLATE "popops/sort/sort_typed.h"
#include "poplibs/each_type.h"

#define TYPES    SORTED_TYPES
#define TEMPLATE "popops/sort/sort_pairs_typed.h"
#include "poplibs/each_type.h"

#else
#include "poplibs/estimates.h"
#include "popops/vertices.h"

#include <math.h>

/* Poplibs 1.2's estimators. */
static uint64_t sort_cycles(uint64_t n)
{
    uint64_t levels = 0;
    while (n >> (levels + 1))
        ++levels;
    return 8 * (19 * n * levels + 6 * n + 2);
}
static pop_perf sort(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    return (pop_perf){ sort_cycles(pop_vertex_view_field_size(vertex, "out", POP_WHOLE)), 0 };
}
static pop_perf sort_pairs(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    return (pop_perf){ 2 * sort_cycles(pop_vertex_view_field_size(vertex, "key", POP_WHOLE)), 0 };
}
static pop_perf top_k(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    uint64_t n = pop_vertex_view_field_size(vertex, "keys", POP_WHOLE),
             k = pop_vertex_view_field_size(vertex, "positions", POP_WHOLE);
    return (pop_perf){ 35 + (uint64_t)((double)(n - k) * (13 + 20 * log((double)k))) + 8 * k + sort_cycles(k), 0 };
}
/* For each element: a load of the position, a subtraction, a comparison, a load and a store. */
static pop_perf gather(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    return (pop_perf){ 12 + 6 * pop_vertex_view_field_size(vertex, "positions", POP_WHOLE), 0 };
}

void register_sort_vertices(pop_graph *graph)
{
    static const struct poplibs_estimate families[] = {
        { "popops::HeapSortVertex<%s>", sort },
        { "popops::HeapSortVertexKV<%s,half>", sort_pairs },
        { "popops::HeapSortVertexKV<%s,float>", sort_pairs },
        { "popops::HeapSortVertexKV<%s,int>", sort_pairs },
        { "popops::HeapSortVertexKV<%s,unsigned int>", sort_pairs },
        { "popops::TopK<%s>", top_k },
        { "popops::TopKGather<%s>", gather },
    };
    poplibs_register_estimates(graph, SORTED_TYPES, families, sizeof(families) / sizeof(families[0]));
}
#endif
