/* SPDX-License-Identifier: Apache-2.0 */
/* popsparse::BlockSoftmax<T> and popsparse::BlockSoftmaxGrad<T>: one row of blocks, which are contiguous; columns are
 * the first columns of the blocks. */
#include "poplibs/vertex_types.h"

#define TYPES POPLIBS_FLOATING

#ifdef __POPC__
#include <math.h>
#include <poplar/vertex.h>

#define BLOCK_STATE unsigned blockRows, blockColumns
/* For each element of line i: block b, column j of it, place `at`. */
#define BLOCK_ROW(i)                                                                                                   \
    for (size_t b = 0; b < v->columns.size; ++b)                                                                       \
        for (size_t j = 0, at = (b * v->blockRows + (i)) * v->blockColumns; j < v->blockColumns; ++j, ++at)

/* Whether an element of a block on the diagonal is taken away: mask 1 above the diagonal, 2 below. */
static inline _Bool masked(unsigned mask, size_t row, size_t first, size_t columns, size_t rows, size_t j)
{
    size_t top = row - row % rows; /* rows of blocks begin at multiples */
    if (!mask || first + columns <= top || first >= top + rows)
        return 0;
    return mask == 1 ? first + j > row : first + j < row;
}

#define TEMPLATE "popsparse/blocks/block_softmax_typed.h"
#include "poplibs/each_type.h"

#else
#include "poplibs/estimates.h"
#include "popsparse/vertices.h"

/* Counted from our vertex: three passes over a row's elements, two of them with an exponential. */
static pop_perf softmax(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    unsigned width = pop_target_vector_width(target, poplibs_type_of_user(user));
    uint64_t elements = pop_vertex_view_field_size(vertex, "x", POP_WHOLE);
    return (pop_perf){ 60 + 10 * poplibs_ceil_div(elements, width), 5 * elements };
}
static pop_perf grad(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    unsigned width = pop_target_vector_width(target, poplibs_type_of_user(user));
    uint64_t elements = pop_vertex_view_field_size(vertex, "y", POP_WHOLE);
    return (pop_perf){ 60 + 5 * poplibs_ceil_div(elements, width), 4 * elements };
}

void register_block_softmax_vertices(pop_graph *graph)
{
    static const struct poplibs_estimate families[] = { { "popsparse::BlockSoftmax<%s>", softmax },
                                                        { "popsparse::BlockSoftmaxGrad<%s>", grad } };
    poplibs_register_estimates(graph, TYPES, families, sizeof(families) / sizeof(families[0]));
}
#endif
