/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks along the diagonal: each is factored by one vertex, the rows below it are solved for, and what is left over is relieved of their part. */
#include <poplin/cholesky.h>

#include "poplibs/options.h"
#include "poplin/triangular.h"

#include <poputil/tile_mapping.h>

/* Options without blockSize, whose value goes to *block_size. */
struct options {
    pop_option *list;
    size_t count, block_size;
};
static bool take_options(const struct triangular_call *call, struct options *options)
{
    static const struct poplibs_option table[] = { { "blockSize", POPLIBS_UNSIGNED, 0, NULL } };
    union {
        unsigned size;
        double widest; /* of the kinds that the parser knows */
    } value = { POPLIN_CHOLESKY_BLOCK_SIZE };
    *options = (struct options){ poplibs_new(call->options.count, sizeof(pop_option)), 0, 0 };
    bool right = true;
    for (size_t i = 0; right && i < call->options.count; ++i) {
        pop_option option = call->options.list[i];
        if (strcmp(option.key, table[0].key) != 0)
            options->list[options->count++] = option;
        else
            right = poplibs_parse_options(call->where, call->graph, call->api, (pop_options){ &option, 1 }, table, 1, &value);
    }
    options->block_size = value.size;
    if (right && !value.size)
        right = poplibs_fail(call->graph, POP_INVALID_OPTION, call->where, call->api, "option 'blockSize' is 0; it must be at least 1");
    return right && poplin_matmul_validate_options_at(call->where, call->graph, (pop_options){ options->list, options->count });
}

/* The factor of a diagonal block {g,n,n}: a vertex for each matrix, each on another tile. */
static void factor_block(const struct triangular_call *call, pop_tensor block)
{
    char name[64], path[256];
    unsigned tiles = pop_target_num_tiles(pop_graph_target(call->graph));
    snprintf(name, sizeof(name), "poplin::Cholesky<%s>", pop_type_name(pop_tensor_type(block)));
    pop_compute_set set = pop_graph_add_compute_set_at(call->where, call->graph, poplibs_path(path, sizeof(path), call->name, "Factor"));
    for (size_t g = 0; g < pop_tensor_dim(block, 0); ++g) {
        pop_vertex vertex = pop_graph_add_vertex_at(call->where, call->graph, set, name);
        pop_graph_connect_at(call->where, call->graph, vertex, "a", pop_tensor_flatten_at(call->where, pop_tensor_at_at(call->where, block, g)));
        pop_graph_set_field_int_at(call->where, call->graph, vertex, "dim", (int64_t)pop_tensor_dim(block, 1));
        pop_graph_map_vertex_at(call->where, call->graph, vertex, (unsigned)(g % tiles));
    }
    pop_sequence_add_at(call->where, call->sequence, pop_execute_at(call->where, set, call->name));
}

/* The lower factor of a{g,n,n}, in place. */
static void factor(const struct triangular_call *call, pop_tensor a, size_t block_size)
{
    size_t n = pop_tensor_dim(a, 1);
    for (size_t at = 0; at < n; at += block_size) {
        size_t end = poplibs_min(n, at + block_size);
        pop_tensor columns = pop_tensor_slice_at(call->where, a, at, end, 2), diagonal = pop_tensor_slice_at(call->where, columns, at, end, 1);
        factor_block(call, diagonal);
        if (end == n)
            return;
        pop_tensor below = pop_tensor_slice_at(call->where, columns, end, n, 1);
        triangular_solve_rows(call, diagonal, below, false, block_size);
        pop_tensor rest = pop_tensor_slice_at(call->where, pop_tensor_slice_at(call->where, a, end, n, 1), end, n, 2);
        poplin_mat_mul_grouped_acc_at(call->where, call->graph, rest, -1, below, poplin_transpose_grouped_matrix_at(call->where, below), call->sequence,
                                      call->name, call->options, call->cache);
    }
}

static void factor_in_place(struct triangular_call *call, pop_tensor a, bool lower)
{
    pop_tensor matrices;
    struct options options = { NULL, 0, 0 };
    if (!triangular_matrices(call, a, &matrices))
        return;
    if (!pop_tensor_is_parallel_writeable(a)) {
        poplibs_fail(call->graph, POP_POPLAR_ERROR, call->where, call->api, "the matrix has constants or elements that stand in it several times");
        return;
    }
    if (take_options(call, &options) && pop_tensor_num_elements(a)) {
        call->options = (pop_options){ options.list, options.count };
        if (!lower) /* a = U' U: U' is the lower factor of a' */
            matrices = poplin_transpose_grouped_matrix_at(call->where, matrices);
        factor(call, matrices, options.block_size);
        triangular_zero_others(call, matrices, true);
    }
    free(options.list);
}

void poplin_cholesky_in_place_at(pop_where where, pop_graph *graph, pop_tensor a, bool lower, pop_program sequence, const char *name,
                                 pop_options options, poplin_planning_cache *cache)
{
    struct triangular_call call = { where, graph, "poplin_cholesky_in_place", name, options, cache, sequence };
    if (poplibs_ready(graph))
        factor_in_place(&call, a, lower);
}
pop_tensor poplin_cholesky_at(pop_where where, pop_graph *graph, pop_tensor a, bool lower, pop_program sequence, const char *name, pop_options options,
                              poplin_planning_cache *cache)
{
    struct triangular_call call = { where, graph, "poplin_cholesky", name, options, cache, sequence };
    pop_tensor matrices, none = { 0 };
    if (!poplibs_ready(graph) || !triangular_matrices(&call, a, &matrices))
        return none;
    char path[256];
    pop_tensor copy = pop_graph_clone_at(where, graph, pop_tensor_type(a), a, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES,
                                         poplibs_path(path, sizeof(path), name, "factor"));
    pop_sequence_add_at(where, sequence, pop_copy_at(where, a, copy, false, name));
    factor_in_place(&call, copy, lower);
    return pop_graph_error(graph) ? none : copy;
}

pop_tensor poplin_create_cholesky_input_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape, const char *name, pop_options options,
                                           poplin_planning_cache *cache)
{
    struct triangular_call call = { where, graph, "poplin_create_cholesky_input", name, options, cache, { 0 } };
    struct options taken = { NULL, 0, 0 };
    char path[256], text[96];
    pop_tensor t = { 0 };
    if (!poplibs_ready(graph))
        return t;
    if (type != POP_HALF && type != POP_FLOAT)
        poplibs_fail(graph, POP_TYPE_ERROR, where, call.api, "the type is %s; it must be half or float", pop_type_name(type));
    else if (shape.rank < 2 || shape.dims[shape.rank - 1] != shape.dims[shape.rank - 2])
        poplibs_fail(graph, POP_POPLAR_ERROR, where, call.api, "%s is the shape of no square matrix", poplibs_shape_text(text, sizeof(text), shape));
    else if (take_options(&call, &taken)) {
        t = pop_graph_add_variable_at(where, graph, type, shape, poplibs_path(path, sizeof(path), name, "input"));
        poputil_map_tensor_linearly_at(where, graph, t);
    }
    free(taken.list);
    return t;
}

size_t poplin_get_cholesky_mat_mul_pre_plan_parameters(pop_type type, pop_shape shape, size_t block_size, poplin_mat_mul_params *list, size_t capacity)
{
    if (shape.rank < 2 || shape.dims[shape.rank - 1] != shape.dims[shape.rank - 2] || !block_size)
        return 0;
    size_t n = shape.dims[shape.rank - 1], groups = 1, count = 0;
    for (size_t i = 0; i + 2 < shape.rank; ++i)
        groups *= shape.dims[i];
    for (size_t end = block_size; end < n; end += block_size, ++count)
        if (count < capacity)
            list[count] = (poplin_mat_mul_params){ type, type, { groups, n - end, block_size }, { groups, block_size, n - end } };
    return count;
}
