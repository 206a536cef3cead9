/* SPDX-License-Identifier: Apache-2.0 */
/* popops::Transpose2d<T>: matrices in any places of the tile's memory.  popops::Transpose<T> and
 * TransposeSupervisor<T>: consecutive matrices with elements of two bytes, in blocks of 4 x 4. */
#include "poplibs/vertex_types.h"

#define TWO_BYTES (POPLIBS_HALF | POPLIBS_SHORTS)

#ifdef __POPC__
#define TYPES    POPLIBS_ALL_TYPES
#define TEMPLATE "popops/layout/transpose_2d_typed.h"
#include "poplibs/each_type.h"

#define TYPES    TWO_BYTES
#define TEMPLATE "popops/layout/transpose_typed.h"
#include "poplibs/each_type.h"

#else
#include "poplibs/estimates.h"
#include "popops/vertices.h"

/* Poplibs' estimators; elements of one and eight bytes cost as the slow forms of two and four bytes with twice the
 * moves. */
static uint64_t cycles_2d(size_t bytes, uint64_t count, uint64_t rows, uint64_t columns, bool later)
{
    uint64_t more = later ? 2 : 0;
    if (bytes == 4 && rows % 2 == 0 && columns % 2 == 0)
        return 27 + count * (11 + rows / 2 * (6 + 3 * (columns / 2 - 1)));
    if (bytes == 4 || bytes == 8)
        return 13 + count * (8 + columns * (5 + bytes / 2 * rows));
    if (bytes == 2 && rows == 4 && columns == 4)
        return 32 + more + 15 * count;
    if (bytes == 2 && rows % 4 == 0 && columns == 4)
        return 28 + more + count * (37 + 4 * (rows / 4 - 2));
    if (bytes == 2 && rows % 4 == 0 && columns % 4 == 0)
        return 37 + more + count * (12 + rows / 4 * (15 + 4 * (columns / 4 - 2)));
    return 15 + count * (8 + columns * (5 + 5 * rows / (bytes == 1 ? 1 : 2)));
}
static pop_perf estimate_2d(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    uint64_t rows = (uint64_t)pop_vertex_view_field_value(vertex, "numSrcRows", 0);
    uint64_t columns = (uint64_t)pop_vertex_view_field_value(vertex, "numSrcColumns", 0);
    size_t bytes = pop_target_type_size(target, poplibs_type_of_user(user));
    return (pop_perf){ cycles_2d(bytes, pop_vertex_view_field_size(vertex, "src", POP_WHOLE), rows, columns,
                                 poplibs_is_2021(target)),
                       0 };
}

/* One worker's matrices: `count` matrices of rows x columns blocks. */
static uint64_t matrices_cycles(const pop_vertex_view *vertex, uint64_t count)
{
    uint64_t rows = (uint64_t)pop_vertex_view_field_value(vertex, "numSrcRowsD4", 0),
             columns = (uint64_t)pop_vertex_view_field_value(vertex, "numSrcColumnsD4", 0);
    if (rows == 1 && columns == 1)
        return count == 1 ? 29 : 37 + 4 * (count - 2);
    if (columns == 1)
        return 27 + count * (35 + 4 * (rows - 2));
    return 29 + count * (18 + rows * (12 + 4 * (columns - 2)));
}
static pop_perf estimate_1d(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    uint64_t count = (uint64_t)pop_vertex_view_field_value(vertex, "numTranspositionsM1", 0) + 1;
    return (pop_perf){ matrices_cycles(vertex, count), 0 };
}
static pop_perf estimate_supervisor(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)user;
    uint64_t count = (uint64_t)pop_vertex_view_field_value(vertex, "numTranspositionsM1", 0) + 1,
             workers = target->num_worker_contexts;
    return (pop_perf){ 7 + workers * (matrices_cycles(vertex, poplibs_ceil_div(count, workers)) - 7), 0 };
}

void register_rearrange_vertices(pop_graph *graph)
{
    static const struct poplibs_estimate anywhere[] = { { "popops::Transpose2d<%s>", estimate_2d } };
    poplibs_register_estimates(graph, POPLIBS_ALL_TYPES, anywhere, 1);
    static const struct poplibs_estimate together[] = { { "popops::Transpose<%s>", estimate_1d },
                                                        { "popops::TransposeSupervisor<%s>", estimate_supervisor } };
    poplibs_register_estimates(graph, TWO_BYTES, together, 2);
}
#endif
