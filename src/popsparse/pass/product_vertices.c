/* SPDX-License-Identifier: Apache-2.0 */
/* popsparse::SparseDenseMatMulElementWise<T,sums> and its kin: one cell's part of a product, from one bucket.  Values
 * r are stored in the order of metaInfo's parts (plan/plan.h); operands and results are contiguous rows of numZ
 * elements. rows and columns are the block rows and blocks of a row that the plan counts on, for the estimate alone. */
#include "poplibs/vertex_types.h"

#define TYPES POPLIBS_FLOATING

#ifdef __POPC__
#include "popsparse/pass/bucket_parts.h"

#include <poplar/vertex.h>

#define PRODUCT_STATE unsigned subGroupIdToProcess, numZ, blockRows, blockColumns, cellRows, cellColumns, rows, columns
/* For each row of blocks; values: the bucket's places. */
#define PRODUCT_WALK(values)                                                                                           \
    const struct cell_limits limits = { v->subGroupIdToProcess, v->cellRows, v->cellColumns,                           \
                                        (values) / ((size_t)v->blockRows * v->blockColumns) };                         \
    size_t z = v->numZ;                                                                                                \
    struct bucket_row row;                                                                                             \
    for (struct bucket_walk walk = { 0 }; next_row(v->metaInfo.data, v->metaInfo.size, &limits, &walk, &row);)

#define ADD_LINES(tag, sums) NAMED_3(add_lines, tag, sums)
#define DOT(tag)             POPLIBS_JOIN(dot_, tag)

#define TEMPLATE "popsparse/pass/product_lines.h"
#include "poplibs/each_type.h"
#define TYPES    POPLIBS_FLOATING
#define TEMPLATE "popsparse/pass/product_typed.h"
#include "poplibs/each_type.h"

#else
#include "poplibs/estimates.h"
#include "popsparse/plan/cycles.h"
#include "popsparse/vertices.h"

/* Partial results of half have costs of their own in the gradient of the weights alone. */
static pop_perf estimate_with(const pop_vertex_view *vertex, const pop_target *target, enum sparse_phase pass,
                              pop_type type, pop_type sums)
{
    struct sparse_work work = { .type = type,
                                .sums = sums,
                                .rows = (size_t)pop_vertex_view_field_value(vertex, "rows", 0),
                                .columns = (size_t)pop_vertex_view_field_value(vertex, "columns", 0),
                                .batch = (size_t)pop_vertex_view_field_value(vertex, "numZ", 0),
                                .block_rows = (size_t)pop_vertex_view_field_value(vertex, "blockRows", 0),
                                .block_columns = (size_t)pop_vertex_view_field_value(vertex, "blockColumns", 0) };
    work.own = work.rows > 0;
    return (pop_perf){ sparse_cycles(pass, &work, target->num_worker_contexts), sparse_flops(&work) };
}
static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, enum sparse_phase pass, pop_type type)
{
    return estimate_with(vertex, target, pass, type, POP_FLOAT);
}
static pop_perf forward(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    return estimate(vertex, target, SPARSE_FORWARD, poplibs_type_of_user(user));
}
static pop_perf transpose(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    return estimate(vertex, target, SPARSE_GRAD_A, poplibs_type_of_user(user));
}
static pop_perf grad_w(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    return estimate(vertex, target, SPARSE_GRAD_W, poplibs_type_of_user(user));
}
static pop_perf grad_w_half(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    return estimate_with(vertex, target, SPARSE_GRAD_W, poplibs_type_of_user(user), POP_HALF);
}

void register_product_vertices(pop_graph *graph)
{
    static const struct poplibs_estimate families[] = {
        { "popsparse::SparseDenseMatMulElementWise<%s,float>", forward },
        { "popsparse::SparseDenseMatMulElementWiseTranspose<%s,float>", transpose },
        { "popsparse::SparseDenseMatMulGradWElementWise<%s,float>", grad_w },
        { "popsparse::SparseDenseMatMulBlock<%s,float>", forward },
        { "popsparse::SparseDenseMatMulBlockGradA<%s,float>", transpose },
        { "popsparse::SparseDenseMatMulBlockGradW<%s,float>", grad_w }
    };
    static const struct poplibs_estimate half_sums[] = {
        { "popsparse::SparseDenseMatMulBlock<%s,half>", forward },
        { "popsparse::SparseDenseMatMulBlockGradA<%s,half>", transpose },
        { "popsparse::SparseDenseMatMulBlockGradW<%s,half>", grad_w_half }
    };
    poplibs_register_estimates(graph, TYPES, families, sizeof(families) / sizeof(families[0]));
    poplibs_register_estimates(graph, POPLIBS_HALF, half_sums, sizeof(half_sums) / sizeof(half_sums[0]));
}
#endif
