/* SPDX-License-Identifier: Apache-2.0 */
/* popops::Transpose2d<T>: matrices that lie anywhere on the tile.  popops::Transpose<T> and TransposeSupervisor<T>:
 * matrices one after the other, of elements of two bytes, in blocks of 4 x 4. */
#include "poplibs/vertex_types.h"

#define TWO_BYTES(X) X(half, half, "half") POPLIBS_SHORTS(X)

#ifdef __POPC__
#include <poplar/vertex.h>

#define TRANSPOSE_2D(tag, type, text)                                                                                  \
    static void transpose_##tag(const type *src, type *dst, size_t rows, size_t columns)                               \
    {                                                                                                                  \
        for (size_t c = 0; c < columns; ++c)                                                                           \
            for (size_t r = 0; r < rows; ++r)                                                                          \
                dst[c * rows + r] = src[r * columns + c];                                                              \
    }                                                                                                                  \
    POP_VERTEX(Transpose2d_##tag)                                                                                      \
    {                                                                                                                  \
        POP_INPUT(POP_VECTORS(type)) src;                                                                              \
        POP_OUTPUT(POP_VECTORS(type)) dst;                                                                             \
        POP_STATE(unsigned) numSrcRows;                                                                                \
        POP_STATE(unsigned) numSrcColumns;                                                                             \
    };                                                                                                                 \
    POP_VERTEX_NAME(Transpose2d_##tag, "popops::Transpose2d<" text ">");                                               \
    void Transpose2d_##tag##_compute(Transpose2d_##tag *v)                                                             \
    {                                                                                                                  \
        for (size_t i = 0; i < v->src.size; ++i)                                                                       \
            transpose_##tag(v->src.data[i].data, v->dst.data[i].data, v->numSrcRows, v->numSrcColumns);                \
    }
POPLIBS_ALL_TYPES(TRANSPOSE_2D)

#define TRANSPOSE_1D(VERTEX, name, tag, type, text)                                                                    \
    VERTEX(name##_##tag)                                                                                               \
    {                                                                                                                  \
        POP_INPUT(POP_VECTOR(type, ONE_PTR)) src;                                                                      \
        POP_OUTPUT(POP_VECTOR(type, ONE_PTR)) dst;                                                                     \
        POP_STATE(unsigned short) numSrcRowsD4;                                                                        \
        POP_STATE(unsigned short) numSrcColumnsD4;                                                                     \
        POP_STATE(unsigned short) numTranspositionsM1;                                                                 \
    };                                                                                                                 \
    POP_VERTEX_NAME(name##_##tag, "popops::" #name "<" text ">");                                                      \
    void name##_##tag##_compute(name##_##tag *v)                                                                       \
    {                                                                                                                  \
        size_t rows = 4 * (size_t)v->numSrcRowsD4, columns = 4 * (size_t)v->numSrcColumnsD4;                           \
        for (size_t i = 0; i <= v->numTranspositionsM1; ++i)                                                           \
            transpose_##tag(v->src.data + i * rows * columns, v->dst.data + i * rows * columns, rows, columns);        \
    }
#define BOTH(tag, type, text)                                                                                          \
    TRANSPOSE_1D(POP_VERTEX, Transpose, tag, type, text)                                                               \
    TRANSPOSE_1D(POP_SUPERVISOR_VERTEX, TransposeSupervisor, tag, type, text)
TWO_BYTES(BOTH)

#else
#include "poplibs/support.h"
#include "popops/vertices.h"

/* All of poplibs.md 2.2, but for elements of one and eight bytes: as the slow forms of two and four, with twice the
 * moves. */
static uint64_t cycles_2d(size_t bytes, uint64_t count, uint64_t rows, uint64_t columns)
{
    if (bytes == 4 && rows % 2 == 0 && columns % 2 == 0)
        return 27 + count * (11 + rows / 2 * (6 + 3 * (columns / 2 - 1)));
    if (bytes == 4 || bytes == 8)
        return 13 + count * (8 + columns * (5 + bytes / 2 * rows));
    if (bytes == 2 && rows == 4 && columns == 4)
        return 32 + 15 * count;
    if (bytes == 2 && rows % 4 == 0 && columns == 4)
        return 28 + count * (37 + 4 * (rows / 4 - 2));
    if (bytes == 2 && rows % 4 == 0 && columns % 4 == 0)
        return 37 + count * (12 + rows / 4 * (15 + 4 * (columns / 4 - 2)));
    return 15 + count * (8 + columns * (5 + 5 * rows / (bytes == 1 ? 1 : 2)));
}
static pop_perf estimate_2d(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    uint64_t rows = (uint64_t)pop_vertex_view_field_value(vertex, "numSrcRows", 0);
    uint64_t columns = (uint64_t)pop_vertex_view_field_value(vertex, "numSrcColumns", 0);
    size_t bytes = pop_target_type_size(target, poplibs_type_of_user(user));
    return (pop_perf){ cycles_2d(bytes, pop_vertex_view_field_size(vertex, "src", POP_WHOLE), rows, columns), 0 };
}

/* One worker's matrices of rows x columns blocks. */
static uint64_t cycles_1d(uint64_t count, uint64_t rows, uint64_t columns)
{
    if (rows == 1 && columns == 1)
        return count == 1 ? 29 : 37 + 4 * (count - 2);
    if (columns == 1)
        return 27 + count * (35 + 4 * (rows - 2));
    return 29 + count * (18 + rows * (12 + 4 * (columns - 2)));
}
static pop_perf estimate_1d(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    uint64_t rows = (uint64_t)pop_vertex_view_field_value(vertex, "numSrcRowsD4", 0);
    uint64_t columns = (uint64_t)pop_vertex_view_field_value(vertex, "numSrcColumnsD4", 0);
    uint64_t count = (uint64_t)pop_vertex_view_field_value(vertex, "numTranspositionsM1", 0) + 1,
             workers = target->num_worker_contexts;
    if (!user)
        return (pop_perf){ cycles_1d(count, rows, columns), 0 };
    return (pop_perf){ 7 + workers * (cycles_1d(poplibs_ceil_div(count, workers), rows, columns) - 7), 0 };
}

void popops_rearrange_vertices(pop_graph *graph)
{
#define REGISTER_2D(tag, type, text)                                                                                   \
    pop_graph_register_perf_estimator(graph, "popops::Transpose2d<" text ">", estimate_2d,                             \
                                      poplibs_as_user(pop_type_by_name(text)));
    POPLIBS_ALL_TYPES(REGISTER_2D)
#define REGISTER_1D(tag, type, text)                                                                                   \
    pop_graph_register_perf_estimator(graph, "popops::Transpose<" text ">", estimate_1d, poplibs_as_user(false));      \
    pop_graph_register_perf_estimator(graph, "popops::TransposeSupervisor<" text ">", estimate_1d,                     \
                                      poplibs_as_user(true));
    TWO_BYTES(REGISTER_1D)
}
#endif
