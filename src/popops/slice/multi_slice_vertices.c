/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on rows of baseT, which is a matrix or the part of it that begins at row baseOffset.
 * popops::MultiSlice<T> copies rows to subT; an offset out of range reads the first row.  Updates ignore such offsets:
 * MultiUpdate<T> copies from subT, MultiUpdateAdd<T,subword> adds scale * subT, MultiUpdateOp<T,operation> computes
 * maxima or products. popops::MultiSliceSelect<T> copies each row from the part of a table to which its offset belongs,
 * or from the first part if the offset is out of range.  popops::MultiUpdateSum<T> adds scale * the sum of partial
 * results. */
#include "poplibs/vertex_types.h"

#define COPIED_TYPES  POPLIBS_ALL_TYPES
#define UPDATED_TYPES POPLIBS_NUMBERS

#ifdef __POPC__
#include <poplar/vertex.h>
#include <popops/element_functions.h>
#include <string.h>

/* The range of the matrix' rows that baseT holds. */
#define ROW_STATE                                                                                                      \
    POP_STATE(unsigned) baseOffset;                                                                                    \
    POP_STATE(unsigned) numBaseElements;                                                                               \
    POP_STATE(unsigned) regionSize;

#define TYPES    COPIED_TYPES
#define TEMPLATE "popops/slice/multi_slice_typed.h"
#include "poplibs/each_type.h"

#define TYPES    UPDATED_TYPES
#define TEMPLATE "popops/slice/multi_update_typed.h"
#include "poplibs/each_type.h"

#else
#include "poplibs/estimates.h"
#include "popops/slice/slice_cycles.h"
#include "popops/vertices.h"

static size_t rows_of(const pop_vertex_view *vertex)
{
    return pop_vertex_view_field_size(vertex, "offsets", POP_WHOLE);
}
static size_t region_of(const pop_vertex_view *vertex)
{
    return (size_t)pop_vertex_view_field_value(vertex, "regionSize", 0);
}
static pop_perf copy(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    return (pop_perf){ multi_slice_cycles(target, poplibs_type_of_user(user), rows_of(vertex), region_of(vertex)), 0 };
}
static uint64_t flops(pop_type type, uint64_t count)
{
    return pop_type_is_floating_point(type) ? count : 0;
}
static pop_perf add(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    bool subword = strstr(pop_vertex_view_type(vertex), ",true>") != NULL;
    pop_type type = poplibs_type_of_user(user);
    size_t rows = rows_of(vertex), region = region_of(vertex);
    return (pop_perf){ multi_update_add_cycles(target, type, subword, rows, region), flops(type, 2 * rows * region) };
}
/* All operations cost as much as additions. */
static pop_perf operate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    pop_type type = poplibs_type_of_user(user);
    size_t rows = rows_of(vertex), region = region_of(vertex);
    bool subword = region % store_atom(target, type) != 0;
    return (pop_perf){ multi_update_add_cycles(target, type, subword, rows, region), flops(type, rows * region) };
}
static pop_perf sum(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    pop_type type = poplibs_type_of_user(user);
    uint64_t partials = (uint64_t)pop_vertex_view_field_value(vertex, "numPartials", 0);
    size_t elements = pop_vertex_view_field_size(vertex, "baseT", POP_WHOLE);
    return (pop_perf){ multi_update_sum_cycles(target, partial_sum_type(type), partials, elements),
                       flops(type, (partials + 1) * elements) };
}

void register_multi_slice_vertices(pop_graph *graph)
{
    static const struct poplibs_estimate copies[] = { { "popops::MultiSlice<%s>", copy },
                                                      { "popops::MultiUpdate<%s>", copy },
                                                      { "popops::MultiSliceSelect<%s>", copy } };
    poplibs_register_estimates(graph, COPIED_TYPES, copies, sizeof(copies) / sizeof(copies[0]));
    static const struct poplibs_estimate updates[] = { { "popops::MultiUpdateAdd<%s,false>", add },
                                                       { "popops::MultiUpdateAdd<%s,true>", add },
                                                       { "popops::MultiUpdateSum<%s>", sum },
                                                       { "popops::MultiUpdateOp<%s,popops::Operation::MAX>", operate },
                                                       { "popops::MultiUpdateOp<%s,popops::Operation::MUL>",
                                                         operate } };
    poplibs_register_estimates(graph, UPDATED_TYPES, updates, sizeof(updates) / sizeof(updates[0]));
    static const struct poplibs_estimate scaled[] = { { "popops::MultiUpdateAdd<%s,float,false>", add },
                                                      { "popops::MultiUpdateAdd<%s,float,true>", add },
                                                      { "popops::MultiUpdateSum<%s,float>", sum } };
    poplibs_register_estimates(graph, POPLIBS_HALF, scaled, sizeof(scaled) / sizeof(scaled[0]));
}
#endif
