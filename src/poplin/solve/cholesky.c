/* SPDX-License-Identifier: Apache-2.0 */
/* Cholesky factorisation by blocks along the diagonal: a vertex factors each block, the rows below it are multiplied by
 * its inverse, and their product updates the trailing matrix.  Upper factors are computed on transposed views. */
#include <poplin/cholesky.h>

#include "poplibs/log.h"
#include "poplin/solve/copies.h"
#include "poplin/solve/triangular_solve.h"

static pop_compute_set add_set(const struct triangular_call *request, const char *what)
{
    const struct call *call = request->call;
    return pop_graph_add_compute_set(call->graph, call_path(call, call->name, what));
}

/* Adds a vertex for matrix i of blocks{g,n,n}, on the tile that holds most of it. */
static pop_vertex add_vertex(const struct triangular_call *request, pop_compute_set set, const char *type, bool lower,
                             const char *field, pop_tensor block)
{
    const struct call *call = request->call;
    char name[64];
    snprintf(name, sizeof(name), "poplin::%s<%s,%s>", type, pop_type_name(pop_tensor_type(block)),
             lower ? "true" : "false");
    pop_tensor flat = pop_tensor_flatten(block);
    pop_vertex vertex = pop_graph_add_vertex(call->graph, set, name);
    call_connect(call, vertex, field, flat);
    call_set(call, vertex, "dim", pop_tensor_dim(block, 0));
    pop_graph_map_vertex(call->graph, vertex, triangular_tile(request, flat));
    return vertex;
}

/* Replaces a{g,n,n} by its lower factor. */
static void factor_block(const struct triangular_call *request, pop_tensor a)
{
    const struct call *call = request->call;
    pop_compute_set set = add_set(request, "Factor");
    for (size_t g = 0; g < pop_tensor_dim(a, 0); ++g)
        add_vertex(request, set, "Cholesky", true, "a", pop_tensor_at(a, g));
    call_execute(call, set, call->name);
}

/* The inverse of a factor, in the stored orientation; lower: whether the stored factor is lower. */
static pop_tensor inverse_of(const struct triangular_call *request, pop_tensor stored, bool lower)
{
    const struct call *call = request->call;
    pop_compute_set set = add_set(request, "Invert");
    pop_tensor inverse =
        pop_graph_clone(call->graph, pop_tensor_type(stored), stored, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES,
                        call_path(call, call->name, "inverse"));
    for (size_t g = 0; g < pop_tensor_dim(stored, 0); ++g) {
        pop_vertex vertex = add_vertex(request, set, "TriangularInverse", lower, "in", pop_tensor_at(stored, g));
        call_connect(call, vertex, "out", pop_tensor_flatten(pop_tensor_at(inverse, g)));
    }
    call_execute(call, set, call->name);
    return inverse;
}

/* Copies both operands of a product to new tensors with the layout of its plan. */
static void operands(const struct triangular_call *request, pop_tensor *left, pop_tensor *right)
{
    const struct call *call = request->call;
    pop_type type = pop_tensor_type(*left);
    pop_shape left_shape = POP_SHAPE(pop_tensor_dim(*left, 0), pop_tensor_dim(*left, 1), pop_tensor_dim(*left, 2)),
              right_shape = POP_SHAPE(pop_tensor_dim(*right, 0), pop_tensor_dim(*right, 1), pop_tensor_dim(*right, 2));
    pop_tensor a =
        poplin_create_mat_mul_grouped_input_lhs(call->graph, type, type, left_shape, right_shape,
                                                call_path(call, call->name, "left"), request->options, request->cache);
    pop_tensor b =
        poplin_create_mat_mul_grouped_input_rhs(call->graph, type, type, left_shape, right_shape,
                                                call_path(call, call->name, "right"), request->options, request->cache);
    if (pop_graph_error(call->graph))
        return;
    struct triangular_copies copies = { .request = request };
    triangular_copies_add(&copies, *left, a);
    triangular_copies_add(&copies, *right, b);
    triangular_copies_end(&copies, call->sequence);
    *left = a;
    *right = b;
}

/* to = left right, as a copy of the product. */
static void multiply(const struct triangular_call *request, pop_tensor left, pop_tensor right, pop_tensor to)
{
    const struct call *call = request->call;
    operands(request, &left, &right);
    pop_tensor product = poplin_mat_mul_grouped(call->graph, left, right, call->sequence, pop_tensor_type(to),
                                                call->name, request->options, request->cache);
    if (!pop_graph_error(call->graph))
        call_copy(call, product, to, call->name);
}

/* rest -= left right. */
static void update_trailing(const struct triangular_call *request, pop_tensor left, pop_tensor right, pop_tensor rest)
{
    const struct call *call = request->call;
    operands(request, &left, &right);
    poplin_mat_mul_grouped_acc(call->graph, rest, -1, left, right, call->sequence, call->name, request->options,
                               request->cache);
}

static pop_tensor transposed(const struct triangular_call *request, pop_tensor a)
{
    const struct call *call = request->call;
    return poplin_transpose_grouped_matrix(a);
}

/* Factors a{g,n,n} in place: a = l l' if lower, otherwise u' u. */
static void factor(const struct triangular_call *request, pop_tensor a, bool lower)
{
    const struct call *call = request->call;
    size_t n = pop_tensor_dim(a, 1), block = poplibs_min(request->block_size, n);
    for (size_t at = 0; at < n && !pop_graph_error(call->graph); at += block) {
        size_t end = poplibs_min(n, at + block);
        pop_tensor rows = pop_tensor_slice(a, at, end, 1), diagonal = pop_tensor_slice(rows, at, end, 2);
        factor_block(request, lower ? diagonal : transposed(request, diagonal));
        if (end == n)
            return;
        pop_tensor rest = pop_tensor_slice(pop_tensor_slice(a, end, n, 1), end, n, 2),
                   inverse = inverse_of(request, diagonal, lower);
        if (lower) {
            pop_tensor below = pop_tensor_slice(pop_tensor_slice(a, end, n, 1), at, end, 2);
            multiply(request, below, transposed(request, inverse), below);
            update_trailing(request, below, transposed(request, below), rest);
        } else {
            pop_tensor beside = pop_tensor_slice(rows, end, n, 2);
            multiply(request, transposed(request, inverse), beside, beside);
            update_trailing(request, transposed(request, beside), beside, rest);
        }
    }
}

/* Zeros the triangle that the factor does not use. */
static void zero_others(const struct triangular_call *request, pop_tensor a, bool lower)
{
    const struct call *call = request->call;
    size_t n = pop_tensor_dim(a, 1);
    struct triangular_copies copies = { .request = request,
                                        .constants = { triangular_constant(request, pop_tensor_type(a), 0) } };
    for (size_t i = 0; i < n; ++i) {
        pop_tensor row = pop_tensor_slice(a, i, i + 1, 1);
        triangular_copies_fill(&copies, 0, pop_tensor_slice(row, lower ? i + 1 : 0, lower ? n : i, 2));
    }
    triangular_copies_end(&copies, call->sequence);
}

static void factor_in_place(struct triangular_call *request, pop_tensor a, bool lower)
{
    pop_tensor matrices;
    pop_option *list = NULL;
    if (!triangular_matrices(request, a, &matrices))
        return;
    if (!call_takes_writeable(request->call, "the matrix", a))
        return;
    if (triangular_take_options(request, &list) && pop_tensor_num_elements(a)) {
        factor(request, matrices, lower);
        zero_others(request, matrices, lower);
    }
    free(list);
}

void poplin_cholesky_in_place_at(pop_where where, pop_graph *graph, pop_tensor a, bool lower, pop_program sequence,
                                 const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, a, lower, name, options);
    struct triangular_call request = { call, options, cache, POPLIN_CHOLESKY_BLOCK_SIZE };
    if (call_ready(call))
        factor_in_place(&request, a, lower);
}
pop_tensor poplin_cholesky_at(pop_where where, pop_graph *graph, pop_tensor a, bool lower, pop_program sequence,
                              const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, a, lower, name, options);
    struct triangular_call request = { call, options, cache, POPLIN_CHOLESKY_BLOCK_SIZE };
    pop_tensor matrices, none = { 0 };
    if (!call_ready(call) || !triangular_matrices(&request, a, &matrices))
        return none;
    pop_tensor copy = pop_graph_clone(graph, pop_tensor_type(a), a, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES,
                                      call_path(call, name, "factor"));
    call_copy(call, a, copy, name);
    factor_in_place(&request, copy, lower);
    return pop_graph_error(graph) ? none : copy;
}

pop_tensor poplin_create_cholesky_input_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                           bool lower, const char *name, pop_options options,
                                           poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_type(type), shape, lower, name, options);
    struct triangular_call request = { call, options, cache, POPLIN_CHOLESKY_BLOCK_SIZE };
    pop_option *list = NULL;
    char text[96];
    pop_tensor t = { 0 };
    if (!call_ready(call))
        return t;
    if (type != POP_HALF && type != POP_FLOAT)
        call_fail(call, POP_TYPE_ERROR, "the type is %s; it must be half or float", pop_type_name(type));
    else if (shape.rank < 2 || shape.dims[shape.rank - 1] != shape.dims[shape.rank - 2])
        call_fail(call, POP_POPLAR_ERROR, "%s is not the shape of a square matrix",
                  poplibs_shape_text(text, sizeof(text), shape));
    else if (triangular_take_options(&request, &list)) {
        size_t n = shape.dims[shape.rank - 1], groups = 1;
        for (size_t i = 0; i + 2 < shape.rank; ++i)
            groups *= shape.dims[i];
        t = triangular_blocks(&request, type, groups, n, n, poplibs_max(1, poplibs_min(request.block_size, n)),
                              call_path(call, name, "input"));
        t = pop_tensor_reshape(lower ? t : transposed(&request, t), shape);
    }
    free(list);
    return t;
}

size_t poplin_get_cholesky_mat_mul_pre_plan_parameters(pop_type type, pop_shape shape, bool lower, size_t block_size,
                                                       poplin_mat_mul_params *list, size_t capacity)
{
    if (shape.rank < 2 || shape.dims[shape.rank - 1] != shape.dims[shape.rank - 2] || !block_size)
        return 0;
    size_t n = shape.dims[shape.rank - 1], groups = 1, count = 0;
    for (size_t i = 0; i + 2 < shape.rank; ++i)
        groups *= shape.dims[i];
    for (size_t end = block_size; end < n; end += block_size, count += 2) {
        size_t rest = lower ? block_size : n - end; /* below the block, or beside it */
        poplin_mat_mul_params products[] = {
            { type, type, { groups, lower ? n - end : block_size, block_size }, { groups, block_size, rest } },
            { type, type, { groups, n - end, block_size }, { groups, block_size, n - end } }
        };
        for (size_t i = 0; i < 2 && count + i < capacity; ++i)
            list[count + i] = products[i];
    }
    return count;
}
