/* SPDX-License-Identifier: Apache-2.0 */
/* Substitution: matrix and right-hand sides are halved recursively down to blocks.  A vertex solves a block with one
 * right-hand side; blocks with several are solved row by row, with planned products (docs/libraries/poplin-matmul.md).
 */
#include "poplin/solve/substitute.h"
#include "poplin/solve/copies.h"

#include <popops/element_wise.h>
#include <poputil/tile_mapping.h>

/* A function for products of one shape: result = a b. */
struct shaped_product {
    size_t rows, inner, columns;
    pop_tensor a, b, result;
    pop_function function;
};
struct substitution {
    const struct triangular_call *request;
    pop_tensor x; /* {g,n,k} */
    bool lower;
    size_t width;            /* number of right-hand sides of a block */
    pop_tensor a, b, solved; /* arguments of the function for blocks, created with the first block; null before */
    pop_function block;
    struct {
        struct shaped_product *list;
        size_t count, capacity;
    } products;
};

static pop_tensor part(const struct substitution *s, pop_tensor t, size_t row, size_t rows, size_t column,
                       size_t columns)
{
    const struct call *call = s->request->call;
    return pop_tensor_slice(pop_tensor_slice(t, row, row + rows, 1), column, column + columns, 2);
}

static void copy(const struct triangular_call *request, pop_program sequence, pop_tensor from, pop_tensor to)
{
    const struct call *call = request->call;
    if (pop_tensor_num_elements(to) && !pop_graph_error(call->graph))
        pop_sequence_add(sequence, pop_copy(from, to, false, call->name));
}

static pop_tensor cloned(const struct triangular_call *request, pop_tensor t, const char *name)
{
    const struct call *call = request->call;
    return pop_graph_clone(call->graph, pop_tensor_type(t), t, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES,
                           call_path(call, call->name, name));
}

static pop_tensor minus(const struct triangular_call *request, pop_program sequence, pop_tensor a, pop_tensor b)
{
    return popops_binary_at(request->call->where, POPOPS_BINARY_SUBTRACT, request->call->graph,
                            popops_operand_of_tensor(a), popops_operand_of_tensor(b), sequence, request->call->name);
}

/* ---- products of halves ---- */

static struct shaped_product *product_of(struct substitution *s, pop_tensor a, pop_tensor b)
{
    const struct triangular_call *request = s->request;
    const struct call *call = request->call;
    size_t g = pop_tensor_dim(a, 0), rows = pop_tensor_dim(a, 1), inner = pop_tensor_dim(a, 2),
           columns = pop_tensor_dim(b, 2);
    for (size_t i = 0; i < s->products.count; ++i) {
        struct shaped_product *known = s->products.list + i;
        if (known->rows == rows && known->inner == inner && known->columns == columns)
            return known;
    }
    pop_type type = pop_tensor_type(a);
    pop_shape a_shape = POP_SHAPE(g, rows, inner), b_shape = POP_SHAPE(g, inner, columns);
    pop_program body = pop_sequence(call->graph, call->name);
    struct shaped_product made = { rows, inner, columns, { 0 }, { 0 }, { 0 }, { 0 } };
    made.a =
        poplin_create_mat_mul_grouped_input_lhs(call->graph, type, type, a_shape, b_shape,
                                                call_path(call, call->name, "left"), request->options, request->cache);
    made.b =
        poplin_create_mat_mul_grouped_input_rhs(call->graph, type, type, a_shape, b_shape,
                                                call_path(call, call->name, "right"), request->options, request->cache);
    made.result =
        poplin_mat_mul_grouped(call->graph, made.a, made.b, body, type, call->name, request->options, request->cache);
    made.function = pop_graph_add_function(call->graph, body);
    struct shaped_product *kept = poplibs_push(&s->products);
    *kept = made;
    return kept;
}

/* b - a x, in a new tensor. */
static pop_tensor minus_product(struct substitution *s, pop_tensor b, pop_tensor a, pop_tensor x)
{
    const struct triangular_call *request = s->request;
    const struct call *call = request->call;
    struct shaped_product *product = product_of(s, a, x);
    if (pop_graph_error(call->graph))
        return b;
    struct triangular_copies copies = { .request = request };
    triangular_copies_add(&copies, a, product->a);
    triangular_copies_add(&copies, x, product->b);
    triangular_copies_end(&copies, call->sequence);
    pop_sequence_add(call->sequence, pop_call(product->function, call->name));
    pop_tensor result = cloned(request, product->result, "product");
    copy(request, call->sequence, product->result, result);
    return minus(request, call->sequence, b, result);
}

/* ---- blocks ---- */

/* One right-hand side: a vertex for each system, on the tile that holds most of its block. */
static void solve_column(const struct substitution *s, pop_tensor a, pop_tensor b, pop_tensor x)
{
    const struct triangular_call *request = s->request;
    const struct call *call = request->call;
    char name[64];
    pop_graph *graph = call->graph;
    pop_compute_set set = pop_graph_add_compute_set(graph, call_path(call, call->name, "Solve"));
    snprintf(name, sizeof(name), "poplin::TriangularSolve<%s,%s>", pop_type_name(pop_tensor_type(a)),
             s->lower ? "true" : "false");
    for (size_t g = 0; g < pop_tensor_dim(a, 0); ++g) {
        pop_tensor block = pop_tensor_flatten(pop_tensor_at(a, g));
        pop_vertex vertex = pop_graph_add_vertex(graph, set, name);
        call_connect(call, vertex, "a", block);
        call_connect(call, vertex, "b", pop_tensor_flatten(pop_tensor_at(b, g)));
        call_connect(call, vertex, "x", pop_tensor_flatten(pop_tensor_at(x, g)));
        pop_graph_map_vertex(graph, vertex, triangular_tile(request, block));
    }
    call_execute(call, set, call->name);
}

/* The function's program: for each row, the contribution of the solved rows is a product, which is subtracted. */
static void solve_rows(const struct substitution *s, pop_program body)
{
    const struct triangular_call *request = s->request;
    const struct call *call = request->call;
    size_t n = pop_tensor_dim(s->a, 1), k = s->width;
    for (size_t done = 0; done < n && !pop_graph_error(call->graph); ++done) {
        size_t row = s->lower ? done : n - 1 - done, first = s->lower ? 0 : row + 1;
        pop_tensor side = part(s, s->b, row, 1, 0, k);
        if (done) {
            pop_tensor dot = poplin_mat_mul_grouped(call->graph, part(s, s->a, row, 1, first, done),
                                                    part(s, s->solved, first, done, 0, k), body, pop_tensor_type(s->a),
                                                    call->name, request->options, request->cache);
            if (pop_graph_error(call->graph))
                return;
            side = minus(request, body, side, dot);
        }
        copy(request, body, side, part(s, s->solved, row, 1, 0, k));
    }
}

/* Extends b and x to the function's number of right-hand sides: b by zeros, x by an unused variable. */
static void widen(const struct substitution *s, pop_tensor *b, pop_tensor *x)
{
    const struct call *call = s->request->call;
    size_t g = pop_tensor_dim(*b, 0), n = pop_tensor_dim(*b, 1), more = s->width - pop_tensor_dim(*b, 2);
    pop_type type = pop_tensor_type(*b);
    if (!more)
        return;
    pop_tensor zeros =
        pop_tensor_reshape(pop_tensor_broadcast(triangular_constant(s->request, type, 0), (unsigned)(g * n * more), 0),
                           POP_SHAPE(g, n, more));
    pop_tensor dummy =
        pop_graph_add_variable(call->graph, type, POP_SHAPE(g, n, more), call_path(call, call->name, "dummy"));
    poputil_map_tensor_linearly(call->graph, dummy);
    *b = pop_tensor_concat((pop_tensors){ 2, (pop_tensor[]){ *b, zeros } }, 2);
    *x = pop_tensor_concat((pop_tensors){ 2, (pop_tensor[]){ *x, dummy } }, 2);
}

static void solve_columns(struct substitution *s, pop_tensor a, pop_tensor b, pop_tensor x)
{
    const struct triangular_call *request = s->request;
    const struct call *call = request->call;
    widen(s, &b, &x);
    if (!s->a.store) {
        pop_program body = pop_sequence(call->graph, call->name);
        s->a = cloned(request, a, "block");
        s->b = cloned(request, b, "sides");
        s->solved = cloned(request, x, "solved");
        solve_rows(s, body);
        s->block = pop_graph_add_function(call->graph, body);
    }
    struct triangular_copies copies = { .request = request };
    triangular_copies_add(&copies, a, s->a);
    triangular_copies_add(&copies, b, s->b);
    triangular_copies_add(&copies, x, s->solved);
    triangular_copies_end(&copies, call->sequence);
    if (!pop_graph_error(call->graph))
        pop_sequence_add(call->sequence, pop_call(s->block, call->name));
    copy(request, call->sequence, s->solved, x);
}

/* ---- halves ---- */

static void solve(struct substitution *s, pop_tensor a, pop_tensor b, size_t top, size_t left);

/* Solves one half of the rows, for both halves of the right-hand sides; for the second half of the rows, the
 * contribution of the first is subtracted before. */
static void solve_half(struct substitution *s, pop_tensor a, pop_tensor b, size_t top, size_t left, bool first)
{
    size_t n = pop_tensor_dim(a, 1), k = pop_tensor_dim(b, 2), half = (n + 1) / 2, columns = (k + 1) / 2;
    size_t row = first == s->lower ? 0 : half, rows = row ? n - half : half, other = row ? 0 : half,
           others = row ? half : n - half;
    for (size_t at = 0; at < k; at += columns) {
        size_t count = poplibs_min(columns, k - at);
        pop_tensor sides = part(s, b, row, rows, at, count);
        if (!first)
            sides = minus_product(s, sides, part(s, a, row, rows, other, others),
                                  part(s, s->x, top + other, others, left + at, count));
        if (!pop_graph_error(s->request->call->graph))
            solve(s, part(s, a, row, rows, row, rows), sides, top + row, left + at);
    }
}

/* Solves a system, whose result is x from row `top` and column `left` on. */
static void solve(struct substitution *s, pop_tensor a, pop_tensor b, size_t top, size_t left)
{
    size_t n = pop_tensor_dim(a, 1), k = pop_tensor_dim(b, 2);
    if (n > s->request->block_size) {
        solve_half(s, a, b, top, left, true);
        solve_half(s, a, b, top, left, false);
    } else if (k == 1) {
        solve_column(s, a, b, part(s, s->x, top, n, left, 1));
    } else {
        solve_columns(s, a, b, part(s, s->x, top, n, left, k));
    }
}

/* ---- whole matrices ---- */

/* Pads a and b to `size` rows, with ones on the added diagonal. */
static void pad(const struct triangular_call *request, pop_tensor *a, pop_tensor *b, size_t size)
{
    const struct call *call = request->call;
    size_t g = pop_tensor_dim(*a, 0), n = pop_tensor_dim(*a, 1), k = pop_tensor_dim(*b, 2), more = size - n;
    pop_type type = pop_tensor_type(*a);
    pop_tensor zero = triangular_constant(request, type, 0), one = triangular_constant(request, type, 1);
    pop_tensor right =
        pop_graph_add_variable(call->graph, type, POP_SHAPE(g, n, more), call_path(call, call->name, "right"));
    pop_tensor bottom =
        pop_graph_add_variable(call->graph, type, POP_SHAPE(g, more, size), call_path(call, call->name, "bottom"));
    poputil_map_tensor_linearly(call->graph, right);
    poputil_map_tensor_linearly(call->graph, bottom);
    struct triangular_copies zero_copies = { .request = request, .constants = { zero } },
                             one_copies = { .request = request, .constants = { one } };
    triangular_copies_fill(&zero_copies, 0, right);
    triangular_copies_fill(&zero_copies, 0, bottom);
    triangular_copies_end(&zero_copies, call->sequence);
    pop_tensor flat = pop_tensor_flatten_dims(bottom, 1, 3); /* the diagonal: every (size + 1)-th */
    triangular_copies_fill(&one_copies, 0,
                           pop_tensor_sub_sample(pop_tensor_slice(flat, n, more * size, 1), (unsigned)size + 1, 1));
    triangular_copies_end(&one_copies, call->sequence);
    pop_tensor zeros =
        pop_tensor_reshape(pop_tensor_broadcast(zero, (unsigned)(g * more * k), 0), POP_SHAPE(g, more, k));
    *a = pop_tensor_concat((pop_tensors){ 2, (pop_tensor[]){ *a, right } }, 2);
    *a = pop_tensor_concat((pop_tensors){ 2, (pop_tensor[]){ *a, bottom } }, 1);
    *b = pop_tensor_concat((pop_tensors){ 2, (pop_tensor[]){ *b, zeros } }, 1);
}

pop_tensor triangular_substitute(const struct triangular_call *request, pop_tensor a, pop_tensor b, bool lower)
{
    const struct call *call = request->call;
    size_t g = pop_tensor_dim(a, 0), n = pop_tensor_dim(a, 1), k = pop_tensor_dim(b, 2), block = request->block_size;
    struct substitution s = { .request = request, .lower = lower, .width = k };
    size_t size = n;
    if (n > block)
        for (size = block; size < n; size *= 2)
            s.width = (s.width + 1) / 2;
    if (size > n)
        pad(request, &a, &b, size);
    s.x = pop_tensor_dim_shuffle(
        triangular_blocks(request, pop_tensor_type(a), g, k, size, size <= block ? 1 : block, "x"), POP_DIMS(0, 2, 1));
    if (!pop_graph_error(call->graph))
        solve(&s, a, b, 0, 0);
    free(s.products.list);
    return pop_tensor_slice(s.x, 0, n, 1);
}
