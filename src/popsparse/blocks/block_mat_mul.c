/* SPDX-License-Identifier: Apache-2.0 */
/* Products with blocks: a sparse right operand is the matrix of a product, and a sparse result the gradient of the
 * values of one, with a pattern that is fixed. */
#include "poplibs/log.h"
#include "poplibs/options.h"
#include "popsparse/dynamic/dynamic.h"
#include "popsparse/fixed/fixed.h"
#include "popsparse/pass/pass.h"

#include <popops/fill.h>
#include <popsparse/experimental/block_sparse_mat_mul.h>

struct block_options {
    double ratio;
    unsigned passes;
    int method;
};
static const struct poplibs_option option_table[] = {
#define BLOCK_SPARSE_OPTION(...) POPLIBS_ROW(struct block_options, __VA_ARGS__)
#include "poplibs/options.def"
};

/* The sparse matrix of a product: its rows and columns, its blocks' places in buckets, and the request. */
struct block_product {
    const popsparse_experimental_bs_mat_mul_params *params;
    bool transposed; /* the result's lines are the sparse matrix's columns */
    struct sparse_request request;
    struct sparse_buckets buckets;
    size_t blocks;
};

/* ---- parameters ---- */

static bool right(const struct call *call, const popsparse_experimental_bs_mat_mul_params *p)
{
    struct block_options options = { 0 };
    if (!call_ready(call))
        return false;
    if (!p || !p->num_groups)
        return call_fail(call, POP_POPLAR_ERROR, p ? "there are no groups" : "params is NULL");
    for (unsigned i = 0; i < 3; ++i)
        if (!p->block_size[i] || p->dim[i] % p->block_size[i])
            return call_fail(call, POP_POPLAR_ERROR, "dimension %u of %zu is not divided into blocks of %zu", i,
                             p->dim[i], p->block_size[i]);
    for (unsigned i = 0; i < 2; ++i) {
        pop_type type = i ? p->out_type : p->in_type;
        if (type != POP_HALF && type != POP_FLOAT)
            return call_fail(call, POP_TYPE_ERROR, "the type of the %s is %s; it must be half or float",
                             i ? "result" : "operands", pop_type_name(type));
    }
    if (p->partials_type == POP_HALF && p->in_type == POP_FLOAT)
        return call_fail(call, POP_TYPE_ERROR, "partial sums are half; of float operands they must be float");
    return call_read_options(call, call->options, option_table, sizeof(option_table) / sizeof(option_table[0]),
                             &options);
}

/* The present blocks as coordinates, in the mask's order. */
static popsparse_matrix coordinates(const struct sparse_shape *shape, const unsigned char *mask, size_t blocks)
{
    size_t across = shape->columns / shape->block_columns, down = shape->groups * shape->rows / shape->block_rows;
    popsparse_matrix m = { .format = POPSPARSE_COO,
                           .block_dimensions = { shape->block_rows, shape->block_columns },
                           .num_nz_values = blocks * sparse_block_area(shape),
                           .num_row_indices = blocks,
                           .num_column_indices = blocks };
    m.row_indices = poplibs_new(blocks, sizeof(size_t));
    m.column_indices = poplibs_new(blocks, sizeof(size_t));
    for (size_t i = 0, at = 0; i < down * across; ++i)
        if (mask[i]) {
            m.row_indices[at] = i / across * shape->block_rows;
            m.column_indices[at++] = i % across * shape->block_columns;
        }
    return m;
}

/* The shape of the sparse matrix, and what multiplies it. */
static struct sparse_shape shape_of(const popsparse_experimental_bs_mat_mul_params *p, size_t blocks)
{
    unsigned rows = p->sparse_result        ? 0
                    : p->rhs_need_transpose ? 2
                                            : 1,
             columns = p->sparse_result        ? 2
                       : p->rhs_need_transpose ? 1
                                               : 2,
             batch = p->sparse_result ? 1 : 0;
    size_t area = p->block_size[rows] * p->block_size[columns];
    return (struct sparse_shape){ p->in_type,    p->num_groups,       p->dim[rows],           p->dim[columns],
                                  p->dim[batch], p->block_size[rows], p->block_size[columns], blocks * area };
}

static bool open_product(const struct call *call, const popsparse_experimental_bs_mat_mul_params *p,
                         struct block_product *product)
{
    *product = (struct block_product){ .params = p };
    if (!right(call, p))
        return false;
    product->transposed = !p->sparse_result && !p->rhs_need_transpose;
    struct sparse_request *request = &product->request;
    struct sparse_options options = sparse_options_default();
    struct sparse_shape shape = shape_of(p, 0);
    size_t all = p->num_groups * (shape.rows / shape.block_rows) * (shape.columns / shape.block_columns);
    if (p->mask_size != all)
        return call_fail(call, POP_POPLAR_ERROR, "the mask has %zu bytes where the sparse matrix has %zu blocks",
                         p->mask_size, all);
    for (size_t i = 0; i < all; ++i)
        product->blocks += p->mask[i] != 0;
    options.oversize = 0; /* the pattern is known */
    options.partials =
        p->partials_type == POP_HALF && sparse_block_area(&shape) > 1 ? SPARSE_HALF_SUMS : SPARSE_FLOAT_SUMS;
    struct sparse_question asked = { .shape = shape_of(p, product->blocks),
                                     .set = SPARSE_OF_STATIC,
                                     .options = &options };
    if (!sparse_request_make(call, &asked, request))
        return false;
    request->result = p->out_type;
    popsparse_matrix m = coordinates(&request->shape, p->mask, product->blocks);
    bool filled = sparse_fixed_fill(call, request, &m, &product->buckets);
    free(m.row_indices);
    free(m.column_indices);
    return filled;
}

/* ---- blocks and buckets ---- */

/* The blocks of buckets, as {blocks, area} in the mask's order. */
static pop_tensor blocks_view(const struct call *call, const struct block_product *product, pop_tensor buckets)
{
    const struct sparse_plan *plan = &product->request.plan;
    size_t area = sparse_block_area(&product->request.shape), in_bucket = product->buckets.blocks;
    pop_tensor *views = poplibs_new(product->blocks, sizeof(*views));
    for (size_t c = 0; c < plan->cells; ++c)
        for (size_t i = 0; i < in_bucket; ++i) {
            size_t place = product->buckets.places[c * in_bucket + i], at = c * plan->nz + i * area;
            if (place != SIZE_MAX)
                views[place] = pop_tensor_slice(buckets, at, at + area, 0);
        }
    pop_tensor view = product->blocks ? pop_tensor_concat((pop_tensors){ product->blocks, views }, 0)
                                      : pop_tensor_slice(buckets, 0, 0, 0);
    free(views);
    return pop_tensor_reshape(view, POP_SHAPE(product->blocks, area));
}

/* A dense operand {groups x rows, columns} as {groups, columns, rows} or, straight, {groups, rows, columns}. */
static pop_tensor grouped(const struct call *call, const struct block_product *product, pop_tensor t, bool straight)
{
    size_t groups = product->params->num_groups;
    pop_tensor view = pop_tensor_reshape(t, POP_SHAPE(groups, pop_tensor_dim(t, 0) / groups, pop_tensor_dim(t, 1)));
    return straight ? view : pop_tensor_dim_shuffle(view, POP_DIMS(0, 2, 1));
}
/* {groups, columns, rows} as {groups x rows, columns}. */
static pop_tensor stacked(const struct call *call, pop_tensor t)
{
    if (!call_ready(call))
        return (pop_tensor){ 0 };
    return pop_tensor_reshape(pop_tensor_dim_shuffle(t, POP_DIMS(0, 2, 1)),
                              POP_SHAPE(pop_tensor_dim(t, 0) * pop_tensor_dim(t, 2), pop_tensor_dim(t, 1)));
}

/* The pattern without its header, as a constant on the tiles of the buckets. */
static struct sparse_cells cells_of(const struct call *call, const struct block_product *product, pop_tensor values)
{
    return (struct sparse_cells){ sparse_pattern_constant(call, &product->request, &product->buckets), values, { 0 } };
}

/* ---- creation ---- */

pop_tensor popsparse_experimental_create_bs_mat_mul_input_lhs_at(pop_where where, pop_graph *graph,
                                                                 const popsparse_experimental_bs_mat_mul_params *params,
                                                                 const char *name, pop_options options)
{
    POPLIBS_CALL(graph, name, options);
    struct block_product product;
    pop_tensor made = { 0 };
    if (open_product(call, params, &product)) {
        enum sparse_lines lines = product.transposed || params->sparse_result ? SPARSE_ROWS : SPARSE_COLUMNS;
        made = sparse_dense_view(call, &product.request, sparse_dense_variable(call, &product.request, lines, name));
        made = params->sparse_result ? pop_tensor_flatten_dims(made, 0, 2) : stacked(call, made);
    }
    sparse_buckets_free(&product.buckets);
    return made;
}

pop_tensor popsparse_experimental_create_bs_mat_mul_input_rhs_at(pop_where where, pop_graph *graph,
                                                                 const popsparse_experimental_bs_mat_mul_params *params,
                                                                 const char *name, pop_options options)
{
    POPLIBS_CALL(graph, name, options);
    struct block_product product;
    pop_tensor made = { 0 };
    if (open_product(call, params, &product) && params->sparse_result)
        made = stacked(call, sparse_dense_view(call, &product.request,
                                               sparse_dense_variable(call, &product.request, SPARSE_COLUMNS, name)));
    else if (call_ready(call))
        made =
            blocks_view(call, &product,
                        sparse_bucket_variable(call, &product.request, params->in_type, product.request.plan.nz, name));
    sparse_buckets_free(&product.buckets);
    return made;
}

/* ---- products ---- */

/* Zeros the elements of blocks on the diagonal that the mask takes away. */
static void zero_triangle(const struct call *call, const struct block_product *product, pop_tensor blocks)
{
    const popsparse_experimental_bs_mat_mul_params *p = product->params;
    const struct sparse_shape *s = &product->request.shape;
    size_t across = s->columns / s->block_columns, down = s->rows / s->block_rows, at = 0;
    struct tensor_vec away = { 0 };
    for (size_t i = 0; i < p->mask_size; ++i) {
        size_t top = i / across % down * s->block_rows, left = i % across * s->block_columns;
        if (!p->mask[i])
            continue;
        pop_tensor block = pop_tensor_at(blocks, at++);
        for (size_t r = top; r < top + s->block_rows; ++r) {
            bool upper = p->sub_block_mask == POPSPARSE_SUB_BLOCK_MASK_ZERO_UPPER_TRIANGLE;
            size_t first = upper ? poplibs_max(r + 1, left) : left,
                   end = upper ? left + s->block_columns : poplibs_min(r, left + s->block_columns);
            if (left < top + s->block_rows && top < left + s->block_columns && first < end)
                *poplibs_push(&away) = pop_tensor_slice(block, (r - top) * s->block_columns + first - left,
                                                        (r - top) * s->block_columns + end - left, 0);
        }
    }
    if (away.count)
        popops_zero(call->graph, pop_tensor_concat(tensors_of(&away), 0), call->sequence,
                    call_path(call, call->name, "triangle"));
    free(away.list);
}

static pop_tensor to_sparse(const struct call *call, const struct block_product *product, pop_tensor lhs,
                            pop_tensor rhs)
{
    struct sparse_cells cells = cells_of(call, product, (pop_tensor){ 0 });
    pop_tensor values = sparse_grad_w(call, &product->request, &cells, grouped(call, product, lhs, true),
                                      grouped(call, product, rhs, false));
    if (!call_ready(call))
        return (pop_tensor){ 0 };
    pop_tensor blocks = blocks_view(call, product, values);
    if (product->params->sub_block_mask != POPSPARSE_SUB_BLOCK_MASK_NONE)
        zero_triangle(call, product, blocks);
    return blocks;
}
static pop_tensor to_dense(const struct call *call, const struct block_product *product, pop_tensor lhs, pop_tensor rhs)
{
    pop_tensor values = sparse_bucket_variable(call, &product->request, product->params->in_type,
                                               product->request.plan.nz, call_path(call, call->name, "buckets"));
    call_copy(call, rhs, blocks_view(call, product, values), call->name);
    struct sparse_cells cells = cells_of(call, product, values);
    return stacked(
        call, sparse_product(call, &product->request, &cells, grouped(call, product, lhs, false), product->transposed));
}

pop_tensor popsparse_experimental_bs_mat_mul_at(pop_where where, pop_graph *graph,
                                                const popsparse_experimental_bs_mat_mul_params *params,
                                                pop_program sequence, pop_tensor lhs, pop_tensor rhs,
                                                pop_options options, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, lhs, rhs, options, name);
    struct block_product product;
    pop_tensor made = { 0 };
    if (open_product(call, params, &product)) {
        const size_t *dim = params->dim;
        size_t groups = params->num_groups, area = sparse_block_area(&product.request.shape);
        pop_shape right_shape =
            params->sparse_result ? POP_SHAPE(groups * dim[1], dim[2]) : POP_SHAPE(product.blocks, area);
        if (call_takes_shape(call, "the left operand", lhs, product.request.shape.type,
                             POP_SHAPE(groups * dim[0], dim[1])) &&
            call_takes_shape(call, "the right operand", rhs, product.request.shape.type, right_shape))
            made = (params->sparse_result ? to_sparse : to_dense)(call, &product, lhs, rhs);
    }
    sparse_buckets_free(&product.buckets);
    return made;
}
