/* SPDX-License-Identifier: Apache-2.0 */
/* Triangular systems and masks: arguments, operands, and the steps before substitution. */
#include <poplin/cholesky.h>
#include <poplin/triangular_solve.h>

#include "poplibs/elements.h"
#include "poplibs/log.h"
#include "poplibs/options.h"
#include "poplin/solve/copies.h"
#include "poplin/solve/substitute.h"
#include "poplin/solve/triangular_solve.h"

#include <popops/element_wise.h>
#include <poputil/tile_mapping.h>

/* ---- options ---- */

bool triangular_take_options(struct triangular_call *request, pop_option **list)
{
    const struct call *call = request->call;
    union triangular_value {
        unsigned size;
        double widest; /* the largest type that the parser writes */
    } value = { (unsigned)request->block_size };
    static const struct poplibs_option table[] = {
#define CHOLESKY_OPTION(...) POPLIBS_ROW(union triangular_value, __VA_ARGS__)
#include "poplibs/options.def"
    };
    size_t count = 0;
    bool right = true;
    *list = poplibs_new(request->options.count + 1, sizeof(pop_option));
    /* The published cycles of batched systems leave no time for copies of the products' results; an option that follows
     * overrides this one. */
    (*list)[count++] = (pop_option){ "remapOutputTensor", "false" };
    for (size_t i = 0; right && i < request->options.count; ++i) {
        pop_option option = request->options.list[i];
        if (!option.key || strcmp(option.key, table[0].key) != 0)
            (*list)[count++] = option;
        else
            right = call_parse_options(call, (pop_options){ &option, 1 }, table, 1, &value);
    }
    request->block_size = value.size;
    request->options = (pop_options){ *list, count };
    if (right && !value.size)
        right = call_fail(call, POP_INVALID_OPTION, "option 'blockSize' is 0; it must be at least 1");
    return right && poplin_matmul_validate_options(call->graph, request->options);
}

/* ---- arguments ---- */

static bool fail(const struct triangular_call *request, pop_status status, const char *what, pop_tensor t)
{
    char shape[96];
    size_t dims[POP_TENSOR_RUNS] = { 0 },
           rank = poplibs_min(pop_tensor_shape(t, dims, POP_TENSOR_RUNS), POP_TENSOR_RUNS);
    return call_fail(request->call, status, "%s%s %s", pop_type_name(pop_tensor_type(t)),
                     poplibs_shape_text(shape, sizeof(shape), (pop_shape){ rank, dims }), what);
}

pop_tensor triangular_grouped(const struct triangular_call *request, pop_tensor a)
{
    const struct call *call = request->call;
    size_t rank = pop_tensor_rank(a);
    return rank == 2 ? pop_tensor_expand(a, POP_DIMS(0)) : pop_tensor_flatten_dims(a, 0, (unsigned)rank - 2);
}

bool triangular_matrices(const struct triangular_call *request, pop_tensor a, pop_tensor *grouped)
{
    size_t rank = pop_tensor_rank(a);
    if (!call_takes(request->call, "the matrix", a))
        return false;
    if (pop_tensor_type(a) != POP_HALF && pop_tensor_type(a) != POP_FLOAT)
        return fail(request, POP_TYPE_ERROR, "is neither half nor float", a);
    if (rank < 2 || pop_tensor_dim(a, rank - 1) != pop_tensor_dim(a, rank - 2))
        return fail(request, POP_POPLAR_ERROR, "is not a square matrix", a);
    *grouped = triangular_grouped(request, a);
    return true;
}

/* Views right-hand sides as {groups, n, m}, one in each column. */
static bool right_hand_sides(const struct triangular_call *request, pop_tensor a, pop_tensor b, bool left_side,
                             pop_tensor *columns)
{
    const struct call *call = request->call;
    size_t rank = pop_tensor_rank(a);
    if (!call_takes(call, "the right-hand side", b))
        return false;
    if (pop_tensor_type(b) != pop_tensor_type(a))
        return fail(request, POP_TYPE_ERROR, "does not have the matrix's type", b);
    bool fits =
        pop_tensor_rank(b) == rank && pop_tensor_dim(b, left_side ? rank - 2 : rank - 1) == pop_tensor_dim(a, rank - 1);
    for (size_t i = 0; fits && i + 2 < rank; ++i)
        fits = pop_tensor_dim(a, i) == pop_tensor_dim(b, i);
    if (!fits)
        return fail(request, POP_POPLAR_ERROR, "does not match these systems of equations", b);
    b = triangular_grouped(request, b);
    *columns = left_side ? b : poplin_transpose_grouped_matrix(b);
    return true;
}

/* ---- layouts ---- */

unsigned triangular_tile(const struct triangular_call *request, pop_tensor t)
{
    const struct call *call = request->call;
    pop_interval_lists mapping;
    unsigned tile = 0;
    uint64_t max = 0;
    if (!pop_graph_get_tile_mapping(call->graph, t, NULL, &mapping))
        return 0;
    for (size_t i = 0; i < mapping.count; ++i) {
        uint64_t elements = 0;
        for (size_t k = mapping.first[i]; k < mapping.first[i + 1]; ++k)
            elements += mapping.intervals[k].end - mapping.intervals[k].begin;
        if (elements > max) {
            max = elements;
            tile = (unsigned)i;
        }
    }
    pop_interval_lists_free(&mapping);
    return tile;
}

pop_tensor triangular_blocks(const struct triangular_call *request, pop_type type, size_t g, size_t n, size_t m,
                             size_t block, const char *name)
{
    const struct call *call = request->call;
    size_t rows = poplibs_ceil_div(n, block), columns = poplibs_ceil_div(m, block);
    pop_tensor t = pop_graph_add_variable(call->graph, type, POP_SHAPE(g, rows, columns, block, block), name);
    if (pop_tensor_num_elements(t))
        poputil_map_tensor_linearly_grain(call->graph, t, (unsigned)block,
                                          pop_target_vector_width(pop_graph_target(call->graph), type));
    t = pop_tensor_reshape(pop_tensor_dim_shuffle(t, POP_DIMS(0, 1, 3, 2, 4)),
                           POP_SHAPE(g, rows * block, columns * block));
    return pop_tensor_slice(pop_tensor_slice(t, 0, n, 1), 0, m, 2);
}

/* ---- masks ---- */

pop_tensor triangular_constant(const struct triangular_call *request, pop_type type, double value)
{
    const struct call *call = request->call;
    pop_tensor t =
        pop_graph_add_constant_float(call->graph, type, POP_SHAPE(1), value, call_path(call, call->name, "constant"));
    pop_graph_set_tile_mapping(call->graph, t, 0);
    return t;
}

pop_tensor triangular_masked(const struct triangular_call *request, pop_tensor a, bool lower, bool unit_diagonal)
{
    const struct call *call = request->call;
    size_t n = pop_tensor_dim(a, 1);
    pop_type type = pop_tensor_type(a);
    pop_tensor masked = pop_graph_clone(call->graph, type, a, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES,
                                        call_path(call, call->name, "masked"));
    enum { ZERO, ONE };
    struct triangular_copies copies = { .request = request,
                                        .constants = { triangular_constant(request, type, 0),
                                                       triangular_constant(request, type, 1) } };
    for (size_t i = 0; i < n && pop_tensor_num_elements(a); ++i) {
        pop_tensor to = pop_tensor_slice(masked, i, i + 1, 1), from = pop_tensor_slice(a, i, i + 1, 1);
        size_t begin = lower ? 0 : i + unit_diagonal, end = lower ? i + !unit_diagonal : n;
        triangular_copies_fill(&copies, ZERO, pop_tensor_slice(to, lower ? i + 1 : 0, lower ? n : i, 2));
        if (unit_diagonal)
            triangular_copies_fill(&copies, ONE, pop_tensor_slice(to, i, i + 1, 2));
        triangular_copies_add(&copies, pop_tensor_slice(from, begin, end, 2), pop_tensor_slice(to, begin, end, 2));
    }
    triangular_copies_end(&copies, call->sequence);
    return masked;
}

pop_tensor poplin_triangular_mask_at(pop_where where, pop_graph *graph, pop_tensor a, bool lower, bool unit_diagonal,
                                     pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, a, lower, unit_diagonal, name);
    struct triangular_call request = { call, POP_NO_OPTIONS, NULL, POPLIN_TRIANGULAR_BLOCK_SIZE };
    pop_tensor matrices, none = { 0 };
    if (!call_ready(call) || !triangular_matrices(&request, a, &matrices))
        return none;
    size_t shape[POP_TENSOR_RUNS], rank = pop_tensor_shape(a, shape, POP_TENSOR_RUNS);
    return pop_tensor_reshape(triangular_masked(&request, matrices, lower, unit_diagonal), (pop_shape){ rank, shape });
}

/* ---- solving ---- */

/* Divides each row of a{g,n,n} and of b{g,n,k} by its diagonal element, so that a has ones on its diagonal. */
static void scale(const struct triangular_call *request, pop_tensor a, pop_tensor *b)
{
    const struct call *call = request->call;
    size_t g = pop_tensor_dim(a, 0), n = pop_tensor_dim(a, 1);
    pop_tensor flat = pop_tensor_flatten_dims(a, 1, 3);
    pop_tensor diagonal = pop_tensor_reshape(pop_tensor_sub_sample(flat, (unsigned)n + 1, 1), POP_SHAPE(g, n, 1));
    pop_tensor kept = pop_graph_clone(call->graph, pop_tensor_type(a), diagonal,
                                      POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, call_path(call, call->name, "diagonal"));
    call_copy(call, diagonal, kept, call->name);
    call_binary_in_place(call, POPOPS_BINARY_DIVIDE, a, kept, call->name);
    *b = call_binary(call, POPOPS_BINARY_DIVIDE, *b, kept, call->name);
}

static pop_tensor solve(const struct triangular_call *request, pop_tensor a, pop_tensor b, bool left_side, bool lower,
                        bool unit_diagonal)
{
    const struct call *call = request->call;
    if (!left_side) { /* x a = b is a' x' = b' */
        a = poplin_transpose_grouped_matrix(a);
        lower = !lower;
    }
    if (pop_tensor_num_elements(b)) {
        a = triangular_masked(request, a, lower, unit_diagonal);
        if (!unit_diagonal)
            scale(request, a, &b);
        b = triangular_substitute(request, a, b, lower);
    }
    return left_side ? b : poplin_transpose_grouped_matrix(b);
}

pop_tensor poplin_triangular_solve_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b, bool left_side,
                                      bool lower, bool unit_diagonal, size_t block_size, pop_program sequence,
                                      const char *name, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, a, b, left_side, lower, unit_diagonal, block_size, name, options);
    struct triangular_call request = { call, options, cache, POPLIN_TRIANGULAR_BLOCK_SIZE };
    pop_tensor matrices, columns, none = { 0 };
    pop_option *list = NULL;
    if (call_ready(call) && triangular_matrices(&request, a, &matrices) &&
        right_hand_sides(&request, a, b, left_side, &columns) && triangular_take_options(&request, &list)) {
        size_t shape[POP_TENSOR_RUNS], rank = pop_tensor_shape(b, shape, POP_TENSOR_RUNS);
        request.block_size = block_size ? block_size : request.block_size;
        columns = solve(&request, matrices, columns, left_side, lower, unit_diagonal);
        if (!pop_graph_error(graph))
            none = pop_tensor_reshape(columns, (pop_shape){ rank, shape });
    }
    free(list);
    return none;
}

/* ---- operands, plans ---- */

/* Checks that b can be a right-hand side of a. */
static bool fit(pop_shape a, pop_shape b, bool left_side)
{
    size_t rank = a.rank;
    if (rank < 2 || b.rank != rank || a.dims[rank - 1] != a.dims[rank - 2])
        return false;
    return memcmp(a.dims, b.dims, (rank - 2) * sizeof(size_t)) == 0 &&
           b.dims[left_side ? rank - 2 : rank - 1] == a.dims[rank - 1];
}
/* Creates a matrix in blocks (element by element if one block is enough), transposed for systems from the right; or
 * right-hand sides, each of which is contiguous. */
static pop_tensor create(const struct triangular_call *request, pop_type type, pop_shape a, pop_shape b, bool left_side,
                         bool is_matrix)
{
    const struct call *call = request->call;
    size_t rank = a.rank, n = a.dims[rank - 1], k = b.dims[left_side ? rank - 1 : rank - 2], groups = 1;
    for (size_t i = 0; i + 2 < rank; ++i)
        groups *= a.dims[i];
    const char *name = call_path(call, call->name, is_matrix ? "lhs" : "rhs");
    pop_tensor t;
    if (is_matrix) {
        t = triangular_blocks(request, type, groups, n, n, n <= request->block_size ? 1 : request->block_size, name);
    } else {
        t = pop_graph_add_variable(call->graph, type, POP_SHAPE(groups, k, n), name);
        poputil_map_tensor_linearly(call->graph, t);
    }
    if (is_matrix != left_side)
        t = poplin_transpose_grouped_matrix(t);
    return pop_tensor_reshape(t, is_matrix ? a : b);
}
static pop_tensor create_input(struct triangular_call *request, pop_type type, pop_shape a, pop_shape b, bool left_side,
                               bool is_matrix)
{
    char left[96], right[96];
    pop_option *list = NULL;
    pop_tensor t = { 0 };
    if (!call_ready(request->call) || !triangular_take_options(request, &list))
        (void)0; /* the error is recorded already */
    else if (!fit(a, b, left_side))
        call_fail(request->call, POP_POPLAR_ERROR, "shapes %s and %s do not form a system of equations",
                  poplibs_shape_text(left, sizeof(left), a), poplibs_shape_text(right, sizeof(right), b));
    else if (type != POP_HALF && type != POP_FLOAT)
        call_fail(request->call, POP_TYPE_ERROR, "the type is %s; it must be half or float", pop_type_name(type));
    else
        t = create(request, type, a, b, left_side, is_matrix);
    free(list);
    return t;
}
pop_tensor poplin_create_triangular_solve_input_lhs_at(pop_where where, pop_graph *graph, pop_type input_type,
                                                       pop_type output_type, pop_shape a_shape, pop_shape b_shape,
                                                       bool left_side, const char *name, pop_options options,
                                                       poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_type(input_type), log_type(output_type), a_shape, b_shape, left_side, name, options);
    (void)output_type;
    struct triangular_call request = { call, options, cache, POPLIN_TRIANGULAR_BLOCK_SIZE };
    return create_input(&request, input_type, a_shape, b_shape, left_side, true);
}
pop_tensor poplin_create_triangular_solve_input_rhs_at(pop_where where, pop_graph *graph, pop_type input_type,
                                                       pop_type output_type, pop_shape a_shape, pop_shape b_shape,
                                                       bool left_side, const char *name, pop_options options,
                                                       poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, log_type(input_type), log_type(output_type), a_shape, b_shape, left_side, name, options);
    (void)output_type;
    struct triangular_call request = { call, options, cache, POPLIN_TRIANGULAR_BLOCK_SIZE };
    return create_input(&request, input_type, a_shape, b_shape, left_side, false);
}

/* The products of halves, which have two widths if the right-hand sides cannot be halved evenly; then those of a
 * block's rows. */
size_t poplin_get_triangular_solve_mat_mul_pre_plan_parameters(pop_type input_type, pop_type output_type,
                                                               pop_shape a_shape, pop_shape b_shape, bool left_side,
                                                               size_t block_size, poplin_mat_mul_params *list,
                                                               size_t capacity)
{
    size_t block = block_size ? block_size : POPLIN_TRIANGULAR_BLOCK_SIZE;
    if (!fit(a_shape, b_shape, left_side))
        return 0;
    size_t n = a_shape.dims[a_shape.rank - 1], k = b_shape.dims[left_side ? b_shape.rank - 1 : b_shape.rank - 2],
           size = n, groups = 1, count = 0;
    for (size_t i = 0; i + 2 < a_shape.rank; ++i)
        groups *= a_shape.dims[i];
    for (size_t padded = block; n > block && padded / 2 < n; padded *= 2)
        size = padded;
    size_t widest = k, narrowest = k;
    for (; size > block; size /= 2) {
        widest = (widest + 1) / 2;
        narrowest /= 2;
        for (size_t width = widest; width && width >= narrowest; --width, ++count)
            if (count < capacity)
                list[count] = (poplin_mat_mul_params){
                    input_type, output_type, { groups, size / 2, size / 2 }, { groups, size / 2, width }
                };
    }
    for (size_t row = 1; widest > 1 && row < size; ++row, ++count)
        if (count < capacity)
            list[count] =
                (poplin_mat_mul_params){ input_type, output_type, { groups, 1, row }, { groups, row, widest } };
    return count;
}
