/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks along the diagonal, one after the other: each is solved by vertices, the rows below it are relieved of its
 * part by a product. */
#include <poplin/triangular_solve.h>

#include "poplibs/log.h"
#include "poplin/solve/triangular.h"
#include "poplin/solve/triangular_solve.h"

#include <popops/fill.h>
#include <poputil/tile_mapping.h>

/* ---- arguments ---- */

static bool fail(const struct triangular_call *call, pop_status status, const char *what, pop_tensor t)
{
    char shape[96];
    size_t dims[POP_TENSOR_RUNS] = { 0 },
           rank = poplibs_min(pop_tensor_shape(t, dims, POP_TENSOR_RUNS), POP_TENSOR_RUNS);
    return poplibs_fail(call->graph, status, call->where, call->api, "%s%s %s", pop_type_name(pop_tensor_type(t)),
                        poplibs_shape_text(shape, sizeof(shape), (pop_shape){ rank, dims }), what);
}

pop_tensor triangular_grouped(const struct triangular_call *call, pop_tensor a)
{
    size_t rank = pop_tensor_rank(a);
    return rank == 2 ? pop_tensor_expand_at(call->where, a, POP_DIMS(0))
                     : pop_tensor_flatten_dims_at(call->where, a, 0, (unsigned)rank - 2);
}

bool triangular_matrices(const struct triangular_call *call, pop_tensor a, pop_tensor *grouped)
{
    size_t rank = pop_tensor_rank(a);
    if (!poplibs_is_operand(call->graph, call->where, call->api, "the matrix", a))
        return false;
    if (pop_tensor_type(a) != POP_HALF && pop_tensor_type(a) != POP_FLOAT)
        return fail(call, POP_TYPE_ERROR, "is neither half nor float", a);
    if (rank < 2 || pop_tensor_dim(a, rank - 1) != pop_tensor_dim(a, rank - 2))
        return fail(call, POP_POPLAR_ERROR, "is no square matrix", a);
    *grouped = triangular_grouped(call, a);
    return true;
}

/* Right-hand sides as {groups, m, n}: one in each row. */
static bool right_hand_sides(const struct triangular_call *call, pop_tensor a, pop_tensor b, bool left_side,
                             pop_tensor *rows)
{
    size_t rank = pop_tensor_rank(a);
    if (!poplibs_is_operand(call->graph, call->where, call->api, "the right-hand side", b))
        return false;
    if (pop_tensor_type(b) != pop_tensor_type(a))
        return fail(call, POP_TYPE_ERROR, "is not of the matrix's type", b);
    bool fits =
        pop_tensor_rank(b) == rank && pop_tensor_dim(b, left_side ? rank - 2 : rank - 1) == pop_tensor_dim(a, rank - 1);
    for (size_t i = 0; fits && i + 2 < rank; ++i)
        fits = pop_tensor_dim(a, i) == pop_tensor_dim(b, i);
    if (!fits)
        return fail(call, POP_POPLAR_ERROR, "has not the right-hand sides of these systems", b);
    b = triangular_grouped(call, b);
    *rows = left_side ? poplin_transpose_grouped_matrix_at(call->where, b) : b;
    return true;
}

/* ---- solving ---- */

/* A block of the diagonal: vertices read its rows one after the other in memory. */
struct solving {
    const struct triangular_call *call;
    pop_compute_set arrange, solve;
    bool arranges; /* rows lie in pieces */
    bool lower, unit_diagonal;
};

/* The matrix a{n,n} in pieces, row by row in a new variable of a tile. */
static pop_tensor arranged(const struct solving *s, pop_tensor a, unsigned tile)
{
    char text[POPLIBS_PATH_SIZE];
    pop_where where = s->call->where;
    pop_graph *graph = s->call->graph;
    size_t count = pop_tensor_num_elements(a);
    pop_type type = pop_tensor_type(a);
    pop_tensor rows = pop_graph_add_variable_at(where, graph, type, POP_SHAPE(count),
                                                poplibs_path(text, sizeof(text), s->call->name, "rows"));
    pop_graph_set_tile_mapping_at(where, graph, rows, tile);
    snprintf(text, sizeof(text), "poplin::TriangularArrange<%s>", pop_type_name(type));
    pop_vertex vertex = pop_graph_add_vertex_at(where, graph, s->arrange, text);
    pop_interval *regions;
    size_t pieces = pop_tensor_contiguous_regions(a, &regions);
    pop_tensor *list = poplibs_new(pieces, sizeof(*list));
    if (pop_tensor_slices_at(where, pop_tensor_flatten_at(where, a), (pop_interval_list){ pieces, regions }, 0, list))
        pop_graph_connect_list_at(where, graph, vertex, "in", (pop_tensors){ pieces, list });
    free(list);
    free(regions);
    pop_graph_connect_at(where, graph, vertex, "out", rows);
    pop_graph_map_vertex_at(where, graph, vertex, tile);
    return rows;
}

/* Some of the right-hand sides of one group, which lie on one tile, shared out to its workers. */
static void add_vertices(const struct solving *s, pop_tensor a, pop_tensor x, unsigned tile)
{
    const struct triangular_call *call = s->call;
    size_t count = pop_tensor_dim(x, 0),
           workers = poplibs_min(count, pop_graph_target(call->graph)->num_worker_contexts);
    char name[64];
    snprintf(name, sizeof(name), "poplin::TriangularSolve<%s,%s>", pop_type_name(pop_tensor_type(a)),
             s->lower ? "true" : "false");
    pop_tensor rows = s->arranges ? arranged(s, a, tile) : pop_tensor_flatten_at(call->where, a);
    for (size_t w = 0; w < workers; ++w) {
        pop_vertex vertex = pop_graph_add_vertex_at(call->where, call->graph, s->solve, name);
        pop_graph_connect_at(call->where, call->graph, vertex, "a", rows);
        pop_graph_connect_at(call->where, call->graph, vertex, "x",
                             pop_tensor_slice_at(call->where, x, count * w / workers, count * (w + 1) / workers, 0));
        pop_graph_set_field_int_at(call->where, call->graph, vertex, "unitDiagonal", s->unit_diagonal);
        pop_graph_map_vertex_at(call->where, call->graph, vertex, tile);
    }
}
unsigned triangular_tile(const struct triangular_call *call, pop_tensor element)
{
    pop_interval_lists mapping;
    unsigned tile = 0;
    if (!pop_graph_get_tile_mapping_at(call->where, call->graph, element, NULL, &mapping))
        return 0;
    while (tile + 1 < mapping.count && mapping.first[tile] == mapping.first[tile + 1])
        ++tile;
    pop_interval_lists_free(&mapping);
    return tile;
}
/* Runs of right-hand sides on one tile. */
static void solve_group(const struct solving *s, pop_tensor a, pop_tensor x)
{
    size_t count = pop_tensor_dim(x, 0), begin = 0;
    unsigned tile = 0;
    for (size_t i = 0; i <= count; ++i) {
        unsigned next =
            i < count ? triangular_tile(s->call, pop_tensor_slice_at(s->call->where,
                                                                     pop_tensor_at_at(s->call->where, x, i), 0, 1, 0))
                      : 0;
        if (i > begin && (i == count || next != tile)) {
            add_vertices(s, a, pop_tensor_slice_at(s->call->where, x, begin, i, 0), tile);
            begin = i;
        }
        tile = next;
    }
}

/* x{g,m,n}: the unknowns of the block a{g,n,n}, of each right-hand side. */
static void solve_block(const struct triangular_call *call, pop_tensor a, pop_tensor x, bool lower, bool unit_diagonal)
{
    char path[POPLIBS_PATH_SIZE];
    pop_where where = call->where;
    struct solving s = { .call = call, .lower = lower, .unit_diagonal = unit_diagonal };
    pop_interval *regions;
    s.arranges = pop_tensor_contiguous_regions(pop_tensor_at_at(where, a, 0), &regions) > pop_tensor_dim(a, 1);
    free(regions);
    if (s.arranges)
        s.arrange =
            pop_graph_add_compute_set_at(where, call->graph, poplibs_path(path, sizeof(path), call->name, "Arrange"));
    s.solve = pop_graph_add_compute_set_at(where, call->graph, poplibs_path(path, sizeof(path), call->name, "Solve"));
    for (size_t g = 0; g < pop_tensor_dim(a, 0); ++g)
        solve_group(&s, pop_tensor_at_at(where, a, g), pop_tensor_at_at(where, x, g));
    if (s.arranges)
        pop_sequence_add_at(where, call->sequence, pop_execute_at(where, s.arrange, call->name));
    pop_sequence_add_at(where, call->sequence, pop_execute_at(where, s.solve, call->name));
}

/* x{g,m,n} becomes the solutions of a{g,n,n} x' = x': each row of x is one right-hand side.  Upper triangles are solved
 * from their end. */
static void solve_rows(const struct triangular_call *call, pop_tensor a, pop_tensor x, bool lower, bool unit_diagonal,
                       size_t block_size)
{
    size_t n = pop_tensor_dim(a, 1);
    if (!pop_tensor_num_elements(x))
        return;
    for (size_t done = 0; done < n; done += block_size) {
        size_t size = poplibs_min(n - done, block_size), at = lower ? done : n - done - size, end = at + size;
        pop_tensor columns = pop_tensor_slice_at(call->where, a, at, end, 2),
                   part = pop_tensor_slice_at(call->where, x, at, end, 2);
        solve_block(call, pop_tensor_slice_at(call->where, columns, at, end, 1), part, lower, unit_diagonal);
        if (done + size == n)
            return;
        size_t from = lower ? end : 0, to = lower ? n : at;
        pop_tensor others = pop_tensor_slice_at(call->where, columns, from, to, 1);
        poplin_mat_mul_grouped_acc_at(call->where, call->graph, pop_tensor_slice_at(call->where, x, from, to, 2), -1,
                                      part, poplin_transpose_grouped_matrix_at(call->where, others), call->sequence,
                                      call->name, call->options, call->cache);
    }
}

/* The size that is taken where none is given: blocks of 64 rows. */
static size_t block_of(size_t given)
{
    return given ? given : 64;
}

pop_tensor poplin_triangular_solve_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b, bool left_side,
                                      bool lower, bool unit_diagonal, size_t block_size, pop_program sequence,
                                      const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, a, b, left_side, lower, unit_diagonal, block_size, name, options);
    struct triangular_call call = { where, graph, "poplin_triangular_solve", name, options, cache, sequence };
    pop_tensor matrices, rows, none = { 0 };
    if (!poplibs_ready(graph) || !triangular_matrices(&call, a, &matrices) ||
        !right_hand_sides(&call, a, b, left_side, &rows) || !poplin_matmul_validate_options_at(where, graph, options))
        return none;
    /* Each right-hand side as a whole on one tile. */
    size_t dims[] = { pop_tensor_dim(rows, 0), pop_tensor_dim(rows, 1), pop_tensor_dim(rows, 2) };
    char path[POPLIBS_PATH_SIZE];
    pop_tensor x = pop_graph_add_variable_at(where, graph, pop_tensor_type(b), (pop_shape){ 3, dims },
                                             poplibs_path(path, sizeof(path), name, "x"));
    poputil_map_tensor_linearly_grain_at(where, graph, x, (unsigned)poplibs_max(1, dims[2]),
                                         (unsigned)poplibs_max(1, dims[2]));
    pop_sequence_add_at(where, sequence, pop_copy_at(where, rows, x, false, name));
    if (!left_side) { /* x a = b is a' x' = b' */
        matrices = poplin_transpose_grouped_matrix_at(where, matrices);
        lower = !lower;
    }
    solve_rows(&call, matrices, x, lower, unit_diagonal, block_of(block_size));
    size_t shape[POP_TENSOR_RUNS], rank = pop_tensor_shape(b, shape, POP_TENSOR_RUNS);
    return pop_tensor_reshape_at(where, left_side ? poplin_transpose_grouped_matrix_at(where, x) : x,
                                 (pop_shape){ rank, shape });
}

/* ---- masks ---- */

void triangular_zero_others(const struct triangular_call *call, pop_tensor a, bool lower)
{
    size_t n = pop_tensor_dim(a, 1);
    if (n < 2 || !pop_tensor_num_elements(a))
        return;
    pop_tensor *rows = poplibs_new(n, sizeof(*rows));
    for (size_t i = 0; i < n; ++i) {
        pop_tensor row = pop_tensor_slice_at(call->where, a, i, i + 1, 1);
        row =
            lower ? pop_tensor_slice_at(call->where, row, i + 1, n, 2) : pop_tensor_slice_at(call->where, row, 0, i, 2);
        rows[i] = pop_tensor_flatten_at(call->where, row);
    }
    popops_zero_at(call->where, call->graph, pop_tensor_concat_at(call->where, (pop_tensors){ n, rows }, 0),
                   call->sequence, call->name);
    free(rows);
}

pop_tensor poplin_triangular_mask_at(pop_where where, pop_graph *graph, pop_tensor a, bool lower, bool unit_diagonal,
                                     pop_program sequence, const char *name)
{
    POPLIBS_CALL(graph, a, lower, unit_diagonal, name);
    struct triangular_call call = { where, graph, "poplin_triangular_mask", name, POP_NO_OPTIONS, NULL, sequence };
    pop_tensor matrices, none = { 0 };
    if (!poplibs_ready(graph) || !triangular_matrices(&call, a, &matrices))
        return none;
    char path[POPLIBS_PATH_SIZE];
    pop_tensor copy = pop_graph_clone_at(where, graph, pop_tensor_type(a), a, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES,
                                         poplibs_path(path, sizeof(path), name, "masked"));
    pop_sequence_add_at(where, sequence, pop_copy_at(where, a, copy, false, name));
    triangular_matrices(&call, copy, &matrices);
    triangular_zero_others(&call, matrices, lower);
    size_t n = pop_tensor_dim(matrices, 1);
    if (unit_diagonal && pop_tensor_num_elements(copy)) {
        pop_tensor flat = pop_tensor_flatten_dims_at(where, matrices, 1, 3);
        popops_fill_at(where, graph, pop_tensor_sub_sample_at(where, flat, (unsigned)n + 1, 1), sequence, 1, name);
    }
    return copy;
}

/* ---- operands, plans ---- */

/* Whether b can be a's right-hand side. */
static bool fit(pop_shape a, pop_shape b, bool left_side)
{
    size_t rank = a.rank;
    if (rank < 2 || b.rank != rank || a.dims[rank - 1] != a.dims[rank - 2])
        return false;
    return memcmp(a.dims, b.dims, (rank - 2) * sizeof(size_t)) == 0 &&
           b.dims[left_side ? rank - 2 : rank - 1] == a.dims[rank - 1];
}
/* Operands lie as those of the product of the matrix and its solutions; with fewer right-hand sides than a product's
 * vertex takes at once, as they are. */
static pop_tensor create(const struct triangular_call *call, pop_type type, pop_shape a, pop_shape b, bool left_side,
                         bool is_matrix)
{
    enum { FEW = 8 };
    char path[POPLIBS_PATH_SIZE];
    size_t rank = a.rank, groups = 1;
    pop_shape shape = is_matrix ? a : b;
    for (size_t i = 0; i + 2 < rank; ++i)
        groups *= a.dims[i];
    const char *name = poplibs_path(path, sizeof(path), call->name, is_matrix ? "lhs" : "rhs");
    if (b.dims[left_side ? rank - 1 : rank - 2] < FEW) {
        pop_tensor t = pop_graph_add_variable_at(call->where, call->graph, type, shape, name);
        poputil_map_tensor_linearly_at(call->where, call->graph, t);
        return t;
    }
    pop_shape matrix = POP_SHAPE(groups, a.dims[rank - 2], a.dims[rank - 1]),
              sides = POP_SHAPE(groups, b.dims[rank - 2], b.dims[rank - 1]);
    pop_shape first = left_side ? matrix : sides, second = left_side ? sides : matrix;
    pop_tensor t = is_matrix == left_side
                       ? poplin_create_mat_mul_grouped_input_lhs_at(call->where, call->graph, type, type, first, second,
                                                                    name, call->options, call->cache)
                       : poplin_create_mat_mul_grouped_input_rhs_at(call->where, call->graph, type, type, first, second,
                                                                    name, call->options, call->cache);
    return pop_tensor_reshape_at(call->where, t, shape);
}
static pop_tensor create_input(const struct triangular_call *call, pop_type type, pop_shape a, pop_shape b,
                               bool left_side, bool is_matrix)
{
    char left[96], right[96];
    pop_tensor none = { 0 };
    if (!poplibs_ready(call->graph) || !poplin_matmul_validate_options_at(call->where, call->graph, call->options))
        return none;
    if (!fit(a, b, left_side)) {
        poplibs_fail(call->graph, POP_POPLAR_ERROR, call->where, call->api,
                     "shapes %s and %s are no system of equations", poplibs_shape_text(left, sizeof(left), a),
                     poplibs_shape_text(right, sizeof(right), b));
        return none;
    }
    if (type != POP_HALF && type != POP_FLOAT) {
        poplibs_fail(call->graph, POP_TYPE_ERROR, call->where, call->api, "the type is %s; it must be half or float",
                     pop_type_name(type));
        return none;
    }
    return create(call, type, a, b, left_side, is_matrix);
}
pop_tensor poplin_create_triangular_solve_input_lhs_at(pop_where where, pop_graph *graph, pop_type input_type,
                                                       pop_type output_type, pop_shape a_shape, pop_shape b_shape,
                                                       bool left_side, const char *name, pop_options options,
                                                       poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_type(input_type), log_type(output_type), a_shape, b_shape, left_side, name, options);
    (void)output_type;
    struct triangular_call call = { where, graph, "poplin_create_triangular_solve_input_lhs", name, options,
                                    cache, { 0 } };
    return create_input(&call, input_type, a_shape, b_shape, left_side, true);
}
pop_tensor poplin_create_triangular_solve_input_rhs_at(pop_where where, pop_graph *graph, pop_type input_type,
                                                       pop_type output_type, pop_shape a_shape, pop_shape b_shape,
                                                       bool left_side, const char *name, pop_options options,
                                                       poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_type(input_type), log_type(output_type), a_shape, b_shape, left_side, name, options);
    (void)output_type;
    struct triangular_call call = { where, graph, "poplin_create_triangular_solve_input_rhs", name, options,
                                    cache, { 0 } };
    return create_input(&call, input_type, a_shape, b_shape, left_side, false);
}

size_t poplin_get_triangular_solve_mat_mul_pre_plan_parameters(pop_type input_type, pop_type output_type,
                                                               pop_shape a_shape, pop_shape b_shape, bool left_side,
                                                               size_t block_size, poplin_mat_mul_params *list,
                                                               size_t capacity)
{
    block_size = block_of(block_size);
    if (!fit(a_shape, b_shape, left_side))
        return 0;
    size_t n = a_shape.dims[a_shape.rank - 1], m = b_shape.dims[left_side ? b_shape.rank - 1 : b_shape.rank - 2],
           groups = 1, count = 0;
    for (size_t i = 0; i + 2 < a_shape.rank; ++i)
        groups *= a_shape.dims[i];
    for (size_t end = block_size; end < n; end += block_size, ++count)
        if (count < capacity)
            list[count] = (poplin_mat_mul_params){
                input_type, output_type, { groups, m, block_size }, { groups, block_size, n - end }
            };
    return count;
}
