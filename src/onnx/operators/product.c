/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices. */
#include "onnx/build/build.h"

#include <poplin/mat_mul.h>
#include <string.h>

/* Known right-hand matrices are laid out as the product's plan wants them. */
static pop_tensor right_operand(onnx_builder *b, const tremula_onnx_tensor *known, pop_shape a, pop_type type)
{
    pop_tensor t = poplin_create_mat_mul_input_rhs_at(b->where, b->graph, type, type, a, (pop_shape){ 2, known->dims },
                                                      "weights", onnx_poplin_options(b), b->cache);
    if (onnx_ok(b))
        onnx_set_initial(b, t, known);
    return t;
}

/* The product of all outer dimensions but the last two. */
static size_t count_outer(const size_t *dims, size_t rank)
{
    size_t count = 1;
    for (size_t i = 0; i + 2 < rank; ++i)
        count *= dims[i];
    return count;
}

static bool build_mat_mul(onnx_builder *b)
{
    pop_tensor x = onnx_tensor(b, 0);
    if (!onnx_ok(b))
        return false;
    const onnx_value *right = onnx_input(b, 1);
    size_t x_rank = pop_tensor_rank(x), y_rank = onnx_rank_of(b, 1);
    if (!right || x_rank == 0 || y_rank == 0)
        return onnx_complain(b, "a scalar has no product of matrices");
    if (x_rank == 1)
        x = pop_tensor_expand_at(b->where, x, POP_DIMS(0));
    size_t rows = pop_tensor_dim(x, pop_tensor_rank(x) - 2), depth = pop_tensor_dim(x, pop_tensor_rank(x) - 1);
    pop_type type = pop_tensor_type(x);
    bool weights = right->known && y_rank == 2;
    size_t outer = rows && depth ? pop_tensor_num_elements(x) / rows / depth : 0;
    pop_tensor y = weights ? right_operand(b, &right->host, POP_SHAPE(outer * rows, depth), type) : onnx_tensor(b, 1);
    if (!onnx_ok(b))
        return false;
    if (y_rank == 1)
        y = pop_tensor_expand_at(b->where, y, POP_DIMS(1));
    size_t columns = pop_tensor_dim(y, pop_tensor_rank(y) - 1), dims[TREMULA_ONNX_MAX_RANK + 2];
    size_t rank = pop_tensor_rank(x) > pop_tensor_rank(y) ? pop_tensor_rank(x) : pop_tensor_rank(y);
    if (pop_tensor_dim(y, pop_tensor_rank(y) - 2) != depth)
        return onnx_complain(b, "a matrix of %zu columns is multiplied by one of %zu rows", depth,
                             pop_tensor_dim(y, pop_tensor_rank(y) - 2));
    for (size_t i = 0; i + 2 < rank; ++i) {
        size_t p = i + pop_tensor_rank(x) < rank ? 1 : pop_tensor_dim(x, i + pop_tensor_rank(x) - rank),
               q = i + pop_tensor_rank(y) < rank ? 1 : pop_tensor_dim(y, i + pop_tensor_rank(y) - rank);
        dims[i] = p == 1 ? q : p;
    }
    size_t groups = count_outer(dims, rank);
    pop_tensor result;
    if (pop_tensor_rank(y) == 2) { /* one matrix for all: its rows are those of all groups */
        x = onnx_reshape(b, x, POP_SHAPE(groups * rows, depth));
        result = poplin_mat_mul_at(b->where, b->graph, x, y, b->program, b->name, onnx_poplin_options(b), b->cache);
    } else {
        dims[rank - 2] = rows;
        dims[rank - 1] = depth;
        x = onnx_reshape(b, onnx_broadcast(b, x, (pop_shape){ rank, dims }), POP_SHAPE(groups, rows, depth));
        dims[rank - 2] = depth;
        dims[rank - 1] = columns;
        y = onnx_reshape(b, onnx_broadcast(b, y, (pop_shape){ rank, dims }), POP_SHAPE(groups, depth, columns));
        if (!onnx_ok(b))
            return false;
        result = poplin_mat_mul_grouped_at(b->where, b->graph, x, y, b->program, type, b->name, onnx_poplin_options(b),
                                           b->cache);
    }
    size_t last = rank - 2; /* a vector's dimension of 1 is dropped */
    if (x_rank > 1)
        dims[last++] = rows;
    if (y_rank > 1)
        dims[last++] = columns;
    return onnx_ok(b) && onnx_give_like(b, onnx_reshape(b, result, (pop_shape){ last, dims }));
}

static bool build_gemm(onnx_builder *b)
{
    double alpha = onnx_float(b, "alpha", 1), beta = onnx_float(b, "beta", 1);
    pop_tensor x = onnx_tensor(b, 0);
    if (!onnx_ok(b) || pop_tensor_rank(x) != 2 || onnx_rank_of(b, 1) != 2)
        return onnx_complain(b, "its operands are no matrices");
    if (onnx_int(b, "transA", 0))
        x = pop_tensor_transpose_at(b->where, x);
    const onnx_value *right = onnx_input(b, 1);
    bool transposed = onnx_int(b, "transB", 0);
    pop_tensor y;
    if (right->known && transposed) { /* the layout is that of the transposed matrix */
        pop_shape shape = POP_SHAPE(right->host.dims[1], right->host.dims[0]);
        y = poplin_create_mat_mul_input_rhs_at(b->where, b->graph, pop_tensor_type(x), pop_tensor_type(x),
                                               onnx_shape(b, x), shape, "weights", onnx_poplin_options(b), b->cache);
        if (onnx_ok(b))
            onnx_set_initial(b, pop_tensor_transpose_at(b->where, y), &right->host);
    } else if (right->known) {
        y = right_operand(b, &right->host, onnx_shape(b, x), pop_tensor_type(x));
    } else {
        y = onnx_tensor(b, 1);
        y = transposed ? pop_tensor_transpose_at(b->where, y) : y;
    }
    if (!onnx_ok(b))
        return false;
    pop_tensor out = poplin_mat_mul_at(b->where, b->graph, x, y, b->program, b->name, onnx_poplin_options(b), b->cache);
    if (alpha != 1 && onnx_ok(b))
        out = ONNX_BINARY(b, MULTIPLY, out, alpha);
    if (onnx_input(b, 2) && onnx_ok(b)) {
        pop_tensor c = onnx_tensor(b, 2);
        c = beta == 1 || !onnx_ok(b) ? c : ONNX_BINARY(b, MULTIPLY, c, beta);
        out = onnx_ok(b) ? ONNX_BINARY(b, ADD, out, c) : out;
    }
    return onnx_give_like(b, out);
}

const onnx_operator onnx_product_operators[] = {
    { ONNX_ROW("Gemm", 1), build_gemm, NULL, 0, NULL },
    { ONNX_ROW("MatMul", 1), build_mat_mul, NULL, 0, NULL },
    { { 0 }, NULL, NULL, 0, NULL },
};
