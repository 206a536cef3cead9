/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions, ArgMax and ArgMin, CumSum. */
#include "onnx/build/build.h"

#include <math.h>
#include <popnn/loss.h>

/* Dimensions that are reduced, and the shapes of the result with and without dimensions of 1 for them. */
struct reduced {
    bool drop[TREMULA_ONNX_MAX_RANK];
    unsigned dims[TREMULA_ONNX_MAX_RANK];
    size_t count, kept[TREMULA_ONNX_MAX_RANK], rank;
    bool nothing; /* no axes, and the node says that then nothing is reduced */
};

static bool read_axes(onnx_builder *b, struct reduced *r)
{
    size_t count, rank = onnx_rank_of(b, 0);
    const int64_t *axes = onnx_input(b, 1) ? onnx_known_ints(b, 1, &count) : onnx_ints(b, "axes", &count);
    bool all = !axes || count == 0, keep = onnx_int(b, "keepdims", 1);
    *r = (struct reduced){ .nothing = all && onnx_int(b, "noop_with_empty_axes", 0) };
    for (size_t i = 0; i < count && !b->failed; ++i)
        r->drop[onnx_axis(b, axes[i], rank)] = rank > 0;
    for (size_t i = 0; i < rank && !b->failed; ++i) {
        r->drop[i] = r->drop[i] || (all && !r->nothing);
        if (r->drop[i])
            r->dims[r->count++] = (unsigned)i;
        if (!r->drop[i] || keep)
            r->kept[r->rank++] = r->drop[i] ? 1 : onnx_shape_of(b, 0).dims[i];
    }
    return !b->failed;
}

static pop_tensor reduce(onnx_builder *b, pop_tensor t, const struct reduced *r, popops_operation op)
{
    pop_tensor result = onnx_reduce(b, t, (pop_dims){ r->count, r->dims }, op);
    return onnx_ok(b) ? onnx_reshape(b, result, (pop_shape){ r->rank, r->kept }) : result;
}

static bool build_reduce(onnx_builder *b)
{
    struct reduced r;
    pop_tensor t = onnx_tensor(b, 0);
    if (!read_axes(b, &r) || !onnx_ok(b))
        return false;
    if (r.nothing)
        return onnx_give_like(b, t);
    return onnx_give_like(b, reduce(b, t, &r, (popops_operation)b->node->row->op));
}

/* Reductions with a function before or after the sum; the row's text has what comes after. */
static bool build_norm(onnx_builder *b)
{
    struct reduced r;
    pop_tensor t = onnx_tensor(b, 0);
    if (!read_axes(b, &r) || !onnx_ok(b))
        return false;
    popops_operation op = (popops_operation)b->node->row->op;
    tremula_onnx_type type = onnx_type_of(b, 0);
    if (b->node->row->text[0] == 'a' && !r.nothing)
        t = ONNX_UNARY(b, ABSOLUTE, t);
    if (r.nothing || !onnx_ok(b))
        return onnx_give(b, 0, t, type);
    pop_tensor sum = reduce(b, t, &r, op);
    if (b->node->row->text[0] == 's')
        sum = ONNX_UNARY(b, SQRT, sum);
    else if (b->node->row->text[0] == 'l')
        sum = ONNX_UNARY(b, LOGARITHM, sum);
    return onnx_give(b, 0, sum, type);
}

static bool build_mean(onnx_builder *b)
{
    struct reduced r;
    pop_tensor t = onnx_tensor(b, 0);
    if (!read_axes(b, &r) || !onnx_ok(b))
        return false;
    if (r.nothing)
        return onnx_give_like(b, t);
    size_t count = 1;
    for (size_t i = 0; i < r.count; ++i)
        count *= pop_tensor_dim(t, r.dims[i]);
    pop_tensor sum = reduce(b, t, &r, POPOPS_ADD);
    if (!onnx_ok(b))
        return false;
    sum = pop_type_is_floating_point(pop_tensor_type(sum)) ? ONNX_BINARY(b, MULTIPLY, sum, 1.0 / (double)count)
                                                           : ONNX_BINARY(b, DIVIDE, sum, (int)count);
    return onnx_give_like(b, sum);
}

/* ---- on the host: sums and products of sizes ---- */

static double combine(popops_operation op, double x, double y)
{
    switch (op) {
    case POPOPS_MUL:
        return x * y;
    case POPOPS_MIN:
        return fmin(x, y);
    case POPOPS_MAX:
        return fmax(x, y);
    default:
        return x + y;
    }
}

static bool fold_reduce(onnx_builder *b)
{
    struct reduced r;
    if (!read_axes(b, &r))
        return false;
    const onnx_value *in = onnx_input(b, 0);
    popops_operation op = (popops_operation)b->node->row->op;
    if (r.nothing)
        return onnx_give_known(b, 0, in->host);
    pop_shape shape = onnx_shape_of(b, 0);
    tremula_onnx_tensor result = onnx_new_tensor(b, in->type, (pop_shape){ r.rank, r.kept });
    size_t count = tremula_onnx_tensor_elements(&in->host),
           outputs = result.data ? tremula_onnx_tensor_elements(&result) : 0;
    double *sums = onnx_new(b->arena, outputs + 1, sizeof(*sums));
    for (size_t i = 0; i < outputs; ++i)
        sums[i] = op == POPOPS_MUL ? 1 : op == POPOPS_MIN ? INFINITY : op == POPOPS_MAX ? -INFINITY : 0;
    for (size_t i = 0; i < count && outputs; ++i) {
        size_t rest = i, to = 0, stride = 1;
        for (size_t d = shape.rank; d-- > 0; rest /= shape.dims[d])
            if (!r.drop[d]) {
                to += rest % shape.dims[d] * stride;
                stride *= shape.dims[d];
            }
        sums[to] = combine(op, sums[to], onnx_number(&in->host, i));
    }
    for (size_t i = 0; i < outputs; ++i)
        onnx_set_number(&result, i, sums[i]);
    return onnx_give_known(b, 0, result);
}

/* ---- the position of the largest ---- */

static bool build_arg(onnx_builder *b)
{
    size_t rank = onnx_rank_of(b, 0), axis = onnx_axis(b, onnx_int(b, "axis", 0), rank), dims[TREMULA_ONNX_MAX_RANK],
           kept = 0;
    bool least = b->node->row->op, last = onnx_int(b, "select_last_index", 0), keep = onnx_int(b, "keepdims", 1);
    pop_tensor t = onnx_tensor(b, 0);
    if (!onnx_ok(b))
        return false;
    size_t extent = pop_tensor_dim(t, axis);
    for (size_t i = 0; i < rank; ++i)
        if (i != axis || keep)
            dims[kept++] = i == axis ? 1 : pop_tensor_dim(t, i);
    if (last)
        t = pop_tensor_reverse_at(b->where, t, (unsigned)axis);
    t = pop_tensor_dim_roll_at(b->where, t, (unsigned)axis, (unsigned)(rank - 1));
    size_t rows = extent ? pop_tensor_num_elements(t) / extent : 0;
    pop_tensor matrix = onnx_reshape(b, t, POP_SHAPE(rows, extent));
    pop_tensor index = least ? popnn_arg_min_at(b->where, b->graph, matrix, b->program, b->name)
                             : popnn_arg_max_at(b->where, b->graph, matrix, b->program, b->name);
    index = onnx_cast(b, index, POP_INT);
    if (last && onnx_ok(b))
        index = ONNX_BINARY(b, SUBTRACT, (int)extent - 1, index);
    return onnx_ok(b) && onnx_give(b, 0, onnx_reshape(b, index, (pop_shape){ kept, dims }), TREMULA_ONNX_INT64);
}

/* ---- sums of all elements up to each: after step k an element has the sum of 2^k ---- */

static bool build_cum_sum(onnx_builder *b)
{
    const tremula_onnx_tensor *known = onnx_known(b, 1);
    pop_tensor t = onnx_tensor(b, 0);
    if (!onnx_ok(b))
        return false;
    unsigned dim = (unsigned)onnx_axis(b, onnx_integer(known, 0), pop_tensor_rank(t));
    bool reverse = onnx_int(b, "reverse", 0), exclusive = onnx_int(b, "exclusive", 0);
    size_t extent = pop_tensor_dim(t, dim);
    if (reverse)
        t = pop_tensor_reverse_at(b->where, t, dim);
    if (exclusive && extent) {
        size_t dims[TREMULA_ONNX_MAX_RANK];
        pop_tensor_shape(t, dims, TREMULA_ONNX_MAX_RANK);
        dims[dim] = 1;
        pop_tensor zero = onnx_fill(b, pop_tensor_type(t), (pop_shape){ pop_tensor_rank(t), dims }, 0);
        t = pop_tensor_concat_at(b->where, POP_TENSORS(zero, pop_tensor_slice_at(b->where, t, 0, extent - 1, dim)),
                                 dim);
    }
    for (size_t step = 1; step < extent && onnx_ok(b); step *= 2) {
        pop_tensor head = pop_tensor_slice_at(b->where, t, 0, step, dim);
        pop_tensor sums = ONNX_BINARY(b, ADD, pop_tensor_slice_at(b->where, t, step, extent, dim),
                                      pop_tensor_slice_at(b->where, t, 0, extent - step, dim));
        t = pop_tensor_concat_at(b->where, POP_TENSORS(head, sums), dim);
    }
    if (reverse)
        t = pop_tensor_reverse_at(b->where, t, dim);
    return onnx_give_like(b, t);
}

const onnx_operator onnx_reduce_operators[] = {
    { ONNX_ROW("ArgMax", 1), build_arg, NULL, 0, NULL },
    { ONNX_ROW("ArgMin", 1), build_arg, NULL, 1, NULL },
    { ONNX_ROW("CumSum", 11), build_cum_sum, NULL, 0, NULL },
    { ONNX_ROW("ReduceL1", 1), build_norm, NULL, POPOPS_ADD, "absolute values first" },
    { ONNX_ROW("ReduceL2", 1), build_norm, NULL, POPOPS_SQUARE_ADD, "square root" },
    { ONNX_ROW("ReduceLogSum", 1), build_norm, NULL, POPOPS_ADD, "logarithm" },
    { ONNX_ROW("ReduceLogSumExp", 1), build_reduce, NULL, POPOPS_LOG_ADD, NULL },
    { ONNX_ROW("ReduceMax", 1), build_reduce, fold_reduce, POPOPS_MAX, NULL },
    { ONNX_ROW("ReduceMean", 1), build_mean, NULL, 0, NULL },
    { ONNX_ROW("ReduceMin", 1), build_reduce, fold_reduce, POPOPS_MIN, NULL },
    { ONNX_ROW("ReduceProd", 1), build_reduce, fold_reduce, POPOPS_MUL, NULL },
    { ONNX_ROW("ReduceSum", 1), build_reduce, fold_reduce, POPOPS_ADD, NULL },
    { ONNX_ROW("ReduceSumSquare", 1), build_reduce, NULL, POPOPS_SQUARE_ADD, NULL },
    { { 0 }, NULL, NULL, 0, NULL },
};
