/* SPDX-License-Identifier: Apache-2.0 */
/* popops::EncodeOneHot<index type, type> and EncodeOneHotCustomValues: one contiguous piece of memory, which holds runs
 * of the encoded tensor's elements, [start, start + length).  Positions count from the first row whose index is
 * connected. popops::Iota<T>: several regions, each with its first value. */
#include "poplibs/vertex_types.h"

#define INDEX_TYPES   POPLIBS_INTEGERS
#define ENCODED_TYPES POPLIBS_NUMBERS

#ifdef __POPC__
#define TYPES    INDEX_TYPES
#define TEMPLATE "popops/slice/one_hot_typed.h"
#include "poplibs/each_type.h"

#define TYPES    ENCODED_TYPES
#define TEMPLATE "popops/slice/iota_typed.h"
#include "poplibs/each_type.h"

#else
#include "poplibs/estimates.h"
#include "popops/vertices.h"

/* Poplibs 1.2's estimators: 100 cycles for an index, and 76 and the start in the supervisor vertex. */
static pop_perf one_hot(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    return (pop_perf){ 100 * pop_vertex_view_field_size(vertex, "indices", POP_WHOLE), 0 };
}
static pop_perf one_hot_supervisor(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)user;
    return (pop_perf){
        poplibs_supervisor_cycles(target) + 76 * pop_vertex_view_field_size(vertex, "indices", POP_WHOLE), 0
    };
}
static pop_perf iota(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    uint64_t cycles = 10;
    unsigned width = pop_target_vector_width(target, poplibs_type_of_user(user));
    for (size_t i = 0, rows = pop_vertex_view_field_size(vertex, "out", POP_WHOLE); i < rows; ++i)
        cycles += 4 + 3 * poplibs_ceil_div(pop_vertex_view_field_size(vertex, "out", i), width);
    return (pop_perf){ cycles, 0 };
}

void register_encoding_vertices(pop_graph *graph)
{
    static const struct poplibs_estimate by_index[] = {
        { "popops::EncodeOneHot<%s,half>", one_hot },
        { "popops::EncodeOneHot<%s,float>", one_hot },
        { "popops::EncodeOneHot<%s,int>", one_hot },
        { "popops::EncodeOneHot<%s,unsigned int>", one_hot },
        { "popops::EncodeOneHotCustomValues<%s,half>", one_hot },
        { "popops::EncodeOneHotCustomValues<%s,float>", one_hot },
        { "popops::EncodeOneHotCustomValues<%s,int>", one_hot },
        { "popops::EncodeOneHotCustomValues<%s,unsigned int>", one_hot },
    };
    poplibs_register_estimates(graph, INDEX_TYPES, by_index, sizeof(by_index) / sizeof(by_index[0]));
    static const struct poplibs_estimate supervisors[] = {
        { "popops::EncodeOneHot<%s,half>", one_hot_supervisor },
        { "popops::EncodeOneHotCustomValues<%s,half>", one_hot_supervisor },
    };
    poplibs_register_estimates(graph, POPLIBS_UNSIGNED, supervisors, 2);
    static const struct poplibs_estimate numbers = { "popops::Iota<%s>", iota };
    poplibs_register_estimates(graph, ENCODED_TYPES, &numbers, 1);
}
#endif
