/* SPDX-License-Identifier: Apache-2.0 */
/* popsparse::SparseDenseMultiSlice<T,float> and popsparse::SparseDenseMultiUpdateAdd<T,float>: rows of a cell of a
 * sparse matrix that indices select, from one bucket, into or from dense columns of as many elements as there are
 * indices.  firstRow: the cell's, in the matrix. */
#include "poplibs/vertex_types.h"

#define TYPES POPLIBS_FLOATING

#ifdef __POPC__
#include "popsparse/pass/bucket_parts.h"

#include <poplar/vertex.h>

#define EMBEDDING_STATE                                                                                                \
    unsigned subGroupIdToProcess, firstRow, blockRows, blockColumns, cellRows, cellColumns, rows, columns
/* For each index i that selects a line of a row of blocks; values: the bucket's places. */
#define EMBEDDING_WALK(values)                                                                                         \
    const struct cell_limits limits = { v->subGroupIdToProcess, v->cellRows, v->cellColumns,                           \
                                        (values) / ((size_t)v->blockRows * v->blockColumns) };                         \
    size_t n = v->indices.size, line;                                                                                  \
    struct bucket_row row;                                                                                             \
    for (struct bucket_walk walk = { 0 }; next_row(v->metaInfo.data, v->metaInfo.size, &limits, &walk, &row);)         \
        for (size_t i = 0; i < n; ++i)                                                                                 \
            if ((line = (size_t)v->indices.data[i] - v->firstRow - row.row * v->blockRows) < v->blockRows)

#define TEMPLATE "popsparse/dynamic/embedding_typed.h"
#include "poplibs/each_type.h"

#else
#include "poplibs/estimates.h"
#include "popsparse/vertices.h"

/* Workers share the indices: each is compared with each row, and selects at most one.  Counted from our vertex. */
static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)user;
    uint64_t rows = (uint64_t)pop_vertex_view_field_value(vertex, "rows", 0),
             columns = (uint64_t)pop_vertex_view_field_value(vertex, "columns", 0),
             width = (uint64_t)pop_vertex_view_field_value(vertex, "blockColumns", 0),
             indices = pop_vertex_view_field_size(vertex, "indices", POP_WHOLE);
    if (!rows)
        return (pop_perf){ 62, 0 };
    uint64_t share = poplibs_ceil_div(indices, target->num_worker_contexts), values = columns * width;
    return (pop_perf){ 62 + target->num_worker_contexts * (20 + rows * (8 + share * 3) + share * (6 + values * 5)),
                       indices * values };
}

void register_embedding_vertices(pop_graph *graph)
{
    static const struct poplibs_estimate families[] = { { "popsparse::SparseDenseMultiSlice<%s,float>", estimate },
                                                        { "popsparse::SparseDenseMultiUpdateAdd<%s,float>",
                                                          estimate } };
    poplibs_register_estimates(graph, TYPES, families, sizeof(families) / sizeof(families[0]));
}
#endif
