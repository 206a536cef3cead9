/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks along the diagonal: each is factored by one vertex, the rows below it are multiplied by its inverse, and what
 * is left over is relieved of their part. */
#include <poplin/cholesky.h>

#include "poplibs/log.h"
#include "poplibs/options.h"
#include "poplin/solve/triangular.h"
#include "poplin/solve/triangular_solve.h"

/* Options without blockSize, whose value goes to *block_size. */
struct options {
    pop_option *list;
    size_t count, block_size;
};
static bool take_options(const struct triangular_call *call, struct options *options)
{
    union value {
        unsigned size;
        double widest; /* of the kinds that the parser knows */
    } value = { POPLIN_CHOLESKY_BLOCK_SIZE };
    static const struct poplibs_option table[] = {
#define CHOLESKY_OPTION(...) POPLIBS_ROW(union value, __VA_ARGS__)
#include "poplibs/options.def"
    };
    *options = (struct options){ poplibs_new(call->options.count, sizeof(pop_option)), 0, 0 };
    bool right = true;
    for (size_t i = 0; right && i < call->options.count; ++i) {
        pop_option option = call->options.list[i];
        if (!option.key || strcmp(option.key, table[0].key) != 0)
            options->list[options->count++] = option;
        else
            right = poplibs_parse_options(call->where, call->graph, call->api, (pop_options){ &option, 1 }, table, 1,
                                          &value);
    }
    options->block_size = value.size;
    if (right && !value.size)
        right = poplibs_fail(call->graph, POP_INVALID_OPTION, call->where, call->api,
                             "option 'blockSize' is 0; it must be at least 1");
    return right &&
           poplin_matmul_validate_options_at(call->where, call->graph, (pop_options){ options->list, options->count });
}

/* A vertex of a type for each matrix of a diagonal block {g,n,n}, on the tile where it lies; what it writes besides
 * goes to out unless that is NULL. */
static void visit_block(const struct triangular_call *call, const char *type, const char *what, pop_tensor block,
                        const pop_tensor *out, bool lower)
{
    char name[64], path[POPLIBS_PATH_SIZE];
    pop_where where = call->where;
    pop_graph *graph = call->graph;
    snprintf(name, sizeof(name), "poplin::%s<%s,%s>", type, pop_type_name(pop_tensor_type(block)),
             lower ? "true" : "false");
    pop_compute_set set =
        pop_graph_add_compute_set_at(where, graph, poplibs_path(path, sizeof(path), call->name, what));
    if (!lower) /* as it is stored */
        block = poplin_transpose_grouped_matrix_at(where, block);
    for (size_t g = 0; g < pop_tensor_dim(block, 0); ++g) {
        pop_tensor flat = pop_tensor_flatten_at(where, pop_tensor_at_at(where, block, g));
        unsigned tile = triangular_tile(call, pop_tensor_slice_at(where, flat, 0, 1, 0));
        pop_vertex vertex = pop_graph_add_vertex_at(where, graph, set, name);
        pop_graph_connect_at(where, graph, vertex, out ? "in" : "a", flat);
        pop_graph_set_field_int_at(where, graph, vertex, "dim", (int64_t)pop_tensor_dim(block, 1));
        pop_graph_map_vertex_at(where, graph, vertex, tile);
        if (out) {
            pop_tensor written = pop_tensor_at_at(where, *out, g);
            pop_graph_set_tile_mapping_at(where, graph, written, tile);
            pop_graph_connect_at(where, graph, vertex, "out", pop_tensor_flatten_at(where, written));
        }
    }
    pop_sequence_add_at(where, call->sequence, pop_execute_at(where, set, call->name));
}
/* The rows below a factored block become the factor's: they times the inverse, transposed. */
static void factor_below(const struct triangular_call *call, pop_tensor block, pop_tensor below, bool lower)
{
    char path[POPLIBS_PATH_SIZE];
    pop_where where = call->where;
    size_t dims[] = { pop_tensor_dim(block, 0), pop_tensor_dim(block, 1), pop_tensor_dim(block, 2) };
    pop_tensor inverse = pop_graph_add_variable_at(where, call->graph, pop_tensor_type(block), (pop_shape){ 3, dims },
                                                   poplibs_path(path, sizeof(path), call->name, "inverse"));
    visit_block(call, "TriangularInverse", "Invert", block, &inverse, lower);
    if (lower) /* an upper one is stored transposed */
        inverse = poplin_transpose_grouped_matrix_at(where, inverse);
    pop_tensor product = poplin_mat_mul_grouped_at(where, call->graph, below, inverse, call->sequence,
                                                   pop_tensor_type(block), call->name, call->options, call->cache);
    if (!pop_graph_error(call->graph))
        pop_sequence_add_at(where, call->sequence, pop_copy_at(where, product, below, false, call->name));
}

/* The lower factor of a{g,n,n}, in place; a is a view of transposed matrices unless lower. */
static void factor(const struct triangular_call *call, pop_tensor a, bool lower, size_t block_size)
{
    size_t n = pop_tensor_dim(a, 1);
    for (size_t at = 0; at < n; at += block_size) {
        size_t end = poplibs_min(n, at + block_size);
        pop_tensor columns = pop_tensor_slice_at(call->where, a, at, end, 2),
                   diagonal = pop_tensor_slice_at(call->where, columns, at, end, 1);
        visit_block(call, "Cholesky", "Factor", diagonal, NULL, lower);
        if (end == n)
            return;
        pop_tensor below = pop_tensor_slice_at(call->where, columns, end, n, 1);
        factor_below(call, diagonal, below, lower);
        pop_tensor rest = pop_tensor_slice_at(call->where, pop_tensor_slice_at(call->where, a, end, n, 1), end, n, 2);
        poplin_mat_mul_grouped_acc_at(call->where, call->graph, rest, -1, below,
                                      poplin_transpose_grouped_matrix_at(call->where, below), call->sequence,
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
        poplibs_fail(call->graph, POP_POPLAR_ERROR, call->where, call->api,
                     "the matrix has constants or elements that stand in it several times");
        return;
    }
    if (take_options(call, &options) && pop_tensor_num_elements(a)) {
        call->options = (pop_options){ options.list, options.count };
        if (!lower) /* a = U' U: U' is the lower factor of a' */
            matrices = poplin_transpose_grouped_matrix_at(call->where, matrices);
        factor(call, matrices, lower, options.block_size);
        triangular_zero_others(call, matrices, true);
    }
    free(options.list);
}

void poplin_cholesky_in_place_at(pop_where where, pop_graph *graph, pop_tensor a, bool lower, pop_program sequence,
                                 const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, a, lower, name, options);
    struct triangular_call call = { where, graph, "poplin_cholesky_in_place", name, options, cache, sequence };
    if (poplibs_ready(graph))
        factor_in_place(&call, a, lower);
}
pop_tensor poplin_cholesky_at(pop_where where, pop_graph *graph, pop_tensor a, bool lower, pop_program sequence,
                              const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, a, lower, name, options);
    struct triangular_call call = { where, graph, "poplin_cholesky", name, options, cache, sequence };
    pop_tensor matrices, none = { 0 };
    if (!poplibs_ready(graph) || !triangular_matrices(&call, a, &matrices))
        return none;
    char path[POPLIBS_PATH_SIZE];
    pop_tensor copy = pop_graph_clone_at(where, graph, pop_tensor_type(a), a, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES,
                                         poplibs_path(path, sizeof(path), name, "factor"));
    pop_sequence_add_at(where, sequence, pop_copy_at(where, a, copy, false, name));
    factor_in_place(&call, copy, lower);
    return pop_graph_error(graph) ? none : copy;
}

/* Each block of each matrix as a whole on a tile. */
static void map_blocks(const struct triangular_call *call, pop_tensor t, size_t block_size)
{
    unsigned tiles = pop_target_num_tiles(pop_graph_target(call->graph)), tile = 0;
    if (!pop_tensor_num_elements(t))
        return;
    pop_tensor a = triangular_grouped(call, t);
    size_t groups = pop_tensor_dim(a, 0), n = pop_tensor_dim(a, 1);
    for (size_t g = 0; g < groups; ++g)
        for (size_t i = 0; i < n; i += block_size)
            for (size_t j = 0; j < n; j += block_size, tile = (tile + 1) % tiles) {
                pop_tensor rows = pop_tensor_slice_at(call->where, pop_tensor_at_at(call->where, a, g), i,
                                                      poplibs_min(n, i + block_size), 0);
                pop_graph_set_tile_mapping_at(
                    call->where, call->graph,
                    pop_tensor_slice_at(call->where, rows, j, poplibs_min(n, j + block_size), 1), tile);
            }
}

pop_tensor poplin_create_cholesky_input_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                           const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_type(type), shape, name, options);
    struct triangular_call call = { where, graph, "poplin_create_cholesky_input", name, options, cache, { 0 } };
    struct options taken = { NULL, 0, 0 };
    char path[POPLIBS_PATH_SIZE], text[96];
    pop_tensor t = { 0 };
    if (!poplibs_ready(graph))
        return t;
    if (type != POP_HALF && type != POP_FLOAT)
        poplibs_fail(graph, POP_TYPE_ERROR, where, call.api, "the type is %s; it must be half or float",
                     pop_type_name(type));
    else if (shape.rank < 2 || shape.dims[shape.rank - 1] != shape.dims[shape.rank - 2])
        poplibs_fail(graph, POP_POPLAR_ERROR, where, call.api, "%s is the shape of no square matrix",
                     poplibs_shape_text(text, sizeof(text), shape));
    else if (take_options(&call, &taken)) {
        t = pop_graph_add_variable_at(where, graph, type, shape, poplibs_path(path, sizeof(path), name, "input"));
        map_blocks(&call, t, taken.block_size);
    }
    free(taken.list);
    return t;
}

size_t poplin_get_cholesky_mat_mul_pre_plan_parameters(pop_type type, pop_shape shape, size_t block_size,
                                                       poplin_mat_mul_params *list, size_t capacity)
{
    if (shape.rank < 2 || shape.dims[shape.rank - 1] != shape.dims[shape.rank - 2] || !block_size)
        return 0;
    size_t n = shape.dims[shape.rank - 1], groups = 1, count = 0;
    for (size_t i = 0; i + 2 < shape.rank; ++i)
        groups *= shape.dims[i];
    for (size_t end = block_size; end < n; end += block_size, count += 2) {
        poplin_mat_mul_params products[] = {
            { type, type, { groups, n - end, block_size }, { groups, block_size, block_size } },
            { type, type, { groups, n - end, block_size }, { groups, block_size, n - end } }
        };
        for (size_t i = 0; i < 2 && count + i < capacity; ++i)
            list[count + i] = products[i];
    }
    return count;
}
