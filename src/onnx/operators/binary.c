/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of two or more elements, broadcast as in NumPy. */
#include "onnx/build/build.h"

#include "onnx/operators/wrap.h"

#include <math.h>

enum binary_operation {
    ADD,
    SUB,
    MUL,
    DIV,
    POW,
    AND,
    OR,
    XOR,
    EQUAL,
    GREATER,
    LESS,
    GREATER_OR_EQUAL,
    LESS_OR_EQUAL,
    MIN,
    MAX,
    MOD, /* with the sign of the divisor, */
    FMOD /* and of the dividend: of known integers */
};

/* The operator of popops, and what it is for known elements. */
static const struct {
    popops_binary_op op;
    bool test; /* gives bool */
} operations[] = {
    [ADD] = { POPOPS_BINARY_ADD, false },
    [SUB] = { POPOPS_BINARY_SUBTRACT, false },
    [MUL] = { POPOPS_BINARY_MULTIPLY, false },
    [DIV] = { POPOPS_BINARY_DIVIDE, false },
    [POW] = { POPOPS_BINARY_POWER, false },
    [AND] = { POPOPS_BINARY_LOGICAL_AND, true },
    [OR] = { POPOPS_BINARY_LOGICAL_OR, true },
    [XOR] = { POPOPS_BINARY_NOT_EQUAL, true },
    [EQUAL] = { POPOPS_BINARY_EQUAL, true },
    [GREATER] = { POPOPS_BINARY_GREATER_THAN, true },
    [LESS] = { POPOPS_BINARY_LESS_THAN, true },
    [GREATER_OR_EQUAL] = { POPOPS_BINARY_GREATER_THAN_EQUAL, true },
    [LESS_OR_EQUAL] = { POPOPS_BINARY_LESS_THAN_EQUAL, true },
    [MIN] = { POPOPS_BINARY_MINIMUM, false },
    [MAX] = { POPOPS_BINARY_MAXIMUM, false },
    [MOD] = { POPOPS_BINARY_REMAINDER, false },
    [FMOD] = { POPOPS_BINARY_REMAINDER, false },
};

/* Before operator set 7 the second operand's dimensions matched the first's from an axis on. */
static pop_tensor align_old(onnx_builder *b, pop_tensor t, size_t rank)
{
    if (b->model->opset >= 7 || !onnx_has(b, "axis") || !onnx_ok(b))
        return t;
    size_t end = onnx_axis(b, onnx_int(b, "axis", 0), rank) + pop_tensor_rank(t);
    for (size_t i = end; i < rank; ++i)
        t = pop_tensor_expand_at(b->where, t, POP_DIMS((unsigned)pop_tensor_rank(t)));
    return t;
}

/* An operand: a known scalar as a number of the expression, others as tensors. */
static popops_operand operand_of(onnx_builder *b, size_t i)
{
    const onnx_value *value = onnx_input(b, i), *other = onnx_input(b, 1 - i);
    bool number = value && value->known && other && !other->known && value->type != TREMULA_ONNX_BOOL &&
                  tremula_onnx_tensor_elements(&value->host) == 1 && value->host.rank <= other->host.rank;
    if (!number)
        return popops_operand_of_tensor(i ? align_old(b, onnx_tensor(b, i), onnx_rank_of(b, 0)) : onnx_tensor(b, i));
    return onnx_is_real(value->type) ? popops_operand_of_double(onnx_number(&value->host, 0))
                                     : popops_operand_of_int(onnx_integer(&value->host, 0));
}

/* The quotient of integers rounds towards zero, as popops does. */
static bool build_binary(onnx_builder *b)
{
    int row = b->node->row->op;
    popops_operand x = operand_of(b, 0), y = operand_of(b, 1);
    if (!onnx_ok(b))
        return false;
    pop_tensor result = popops_binary_at(b->where, operations[row].op, b->graph, x, y, b->program, b->name);
    if (!onnx_ok(b))
        return false;
    return onnx_give_like(b, operations[row].test ? result : onnx_wrap(b, result, onnx_type_of(b, 0)));
}

/* The operands may have different types: the power has the first one's, and is computed in real numbers. */
static bool build_pow(onnx_builder *b)
{
    pop_tensor x = onnx_tensor(b, 0), y = onnx_tensor(b, 1);
    if (!onnx_ok(b))
        return false;
    pop_type type = pop_tensor_type(x), real = pop_type_is_floating_point(type) ? type : POP_FLOAT;
    const onnx_value *power = onnx_input(b, 1);
    bool square = power->known && tremula_onnx_tensor_elements(&power->host) == 1 && power->host.rank == 0 &&
                  onnx_number(&power->host, 0) == 2;
    pop_tensor result = square ? ONNX_UNARY(b, SQUARE, onnx_cast(b, x, real))
                               : ONNX_BINARY(b, POWER, onnx_cast(b, x, real), onnx_cast(b, y, real));
    if (onnx_ok(b) && real != type)
        result = onnx_cast(b, ONNX_UNARY(b, NEARBY_INT, result), type);
    return onnx_give_like(b, result);
}

/* fmod keeps the dividend's sign; otherwise the remainder of integers has the divisor's. */
static bool build_mod(onnx_builder *b)
{
    pop_tensor x = onnx_tensor(b, 0), y = onnx_tensor(b, 1);
    if (!onnx_ok(b))
        return false;
    pop_tensor rest = ONNX_BINARY(b, REMAINDER, x, y);
    if (!onnx_int(b, "fmod", 0) && pop_tensor_type(x) != POP_UNSIGNED_INT && onnx_ok(b))
        rest = onnx_map(b, "select(_1 + _2, _1, _1 != 0 && (_1 < 0) != (_2 < 0))", POP_TENSORS(rest, y));
    return onnx_give_like(b, rest);
}

/* Min, Max, Sum and Mean take any number of operands. */
static bool build_several(onnx_builder *b)
{
    size_t count = onnx_num_inputs(b);
    pop_tensor result = onnx_tensor(b, 0);
    popops_binary_op op = b->node->row->op == DIV ? POPOPS_BINARY_ADD : operations[b->node->row->op].op;
    for (size_t i = 1; i < count && onnx_ok(b); ++i) {
        pop_tensor next = onnx_tensor(b, i);
        if (onnx_ok(b))
            result = popops_binary_at(b->where, op, b->graph, popops_operand_of_tensor(result),
                                      popops_operand_of_tensor(next), b->program, b->name);
    }
    if (b->node->row->op == DIV && onnx_ok(b) && count > 1)
        result = ONNX_BINARY(b, MULTIPLY, result, 1.0 / (double)count);
    return onnx_give_like(b, result);
}

static bool build_where(onnx_builder *b)
{
    pop_tensor condition = onnx_tensor(b, 0), x = onnx_tensor(b, 1), y = onnx_tensor(b, 2);
    if (!onnx_ok(b))
        return false;
    if (pop_tensor_type(x) == POP_BOOL) {
        pop_tensor others = ONNX_BINARY(b, LOGICAL_AND, ONNX_UNARY(b, LOGICAL_NOT, condition), y);
        return onnx_give(b, 0, ONNX_BINARY(b, LOGICAL_OR, ONNX_BINARY(b, LOGICAL_AND, condition, x), others),
                         TREMULA_ONNX_BOOL);
    }
    return onnx_give(b, 0, ONNX_TERNARY(b, SELECT, x, y, condition), onnx_type_of(b, 1));
}

static bool build_prelu(onnx_builder *b)
{
    pop_tensor x = onnx_tensor(b, 0), slope = onnx_tensor(b, 1);
    if (!onnx_ok(b))
        return false;
    if (b->model->opset < 7 && pop_tensor_rank(slope) == 1 && pop_tensor_num_elements(slope) > 1)
        for (size_t i = 2; i < pop_tensor_rank(x); ++i) /* one for each channel */
            slope = pop_tensor_expand_at(b->where, slope, POP_DIMS((unsigned)pop_tensor_rank(slope)));
    return onnx_give_like(
        b, ONNX_TERNARY(b, SELECT, x, ONNX_BINARY(b, MULTIPLY, x, slope), ONNX_BINARY(b, GREATER_THAN_EQUAL, x, 0)));
}

static bool build_bit_shift(onnx_builder *b)
{
    pop_tensor x = onnx_tensor(b, 0), y = onnx_tensor(b, 1);
    if (!onnx_ok(b))
        return false;
    bool left = onnx_text(b, "direction", "LEFT")[0] == 'L';
    pop_tensor result = left ? ONNX_BINARY(b, SHIFT_LEFT, x, y) : ONNX_BINARY(b, SHIFT_RIGHT, x, y);
    return onnx_give_like(b, onnx_wrap(b, result, onnx_type_of(b, 0)));
}

/* ---- on the host ---- */

/* How two elements compare: nothing of this holds when one is NaN. */
struct order {
    bool below, equal, above;
};

static bool test_result(int op, bool x, bool y, struct order order)
{
    switch (op) {
    case AND:
        return x && y;
    case OR:
        return x || y;
    case XOR:
        return x != y;
    case EQUAL:
        return order.equal;
    case GREATER:
        return order.above;
    case LESS:
        return order.below;
    case GREATER_OR_EQUAL:
        return order.above || order.equal;
    default:
        return order.below || order.equal;
    }
}

static double real_result(int op, double x, double y)
{
    switch (op) {
    case ADD:
        return x + y;
    case SUB:
        return x - y;
    case MUL:
        return x * y;
    case DIV:
        return x / y;
    case POW:
        return pow(x, y);
    case MIN:
        return fmin(x, y);
    case MAX:
        return fmax(x, y);
    default:
        return test_result(op, x != 0, y != 0, (struct order){ x<y, x == y, x> y });
    }
}

/* As the processor computes them: without overflow errors; a division by zero gives 0. */
static int64_t quotient(int64_t x, int64_t y)
{
    return y == 0 ? 0 : y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
}

static int64_t integer_result(int op, int64_t x, int64_t y)
{
    int64_t rest = (int64_t)((uint64_t)x - (uint64_t)quotient(x, y) * (uint64_t)y);
    switch (op) {
    case ADD:
        return (int64_t)((uint64_t)x + (uint64_t)y);
    case SUB:
        return (int64_t)((uint64_t)x - (uint64_t)y);
    case MUL:
        return (int64_t)((uint64_t)x * (uint64_t)y);
    case DIV:
        return quotient(x, y);
    case POW:
        return (int64_t)pow((double)x, (double)y);
    case MIN:
        return x < y ? x : y;
    case MAX:
        return x > y ? x : y;
    case FMOD:
        return rest;
    case MOD:
        return rest && (rest < 0) != (y < 0) ? rest + y : rest;
    default:
        return test_result(op, x != 0, y != 0, (struct order){ x<y, x == y, x> y });
    }
}

/* The shape to which two shapes broadcast; false when they do not. */
static bool join_shapes(pop_shape x, pop_shape y, size_t *dims, size_t *rank)
{
    *rank = x.rank > y.rank ? x.rank : y.rank;
    for (size_t i = 0; i < *rank; ++i) {
        size_t p = i + x.rank < *rank ? 1 : x.dims[i + x.rank - *rank],
               q = i + y.rank < *rank ? 1 : y.dims[i + y.rank - *rank];
        if (p != q && p != 1 && q != 1)
            return false;
        dims[i] = p == 1 ? q : p;
    }
    return true;
}

/* The element of a tensor that element i of a broadcast result reads. */
static size_t source_of(pop_shape shape, const size_t *dims, size_t rank, size_t i)
{
    size_t source = 0, stride = 1;
    for (size_t d = rank; d-- > 0; i /= dims[d]) {
        if (d + shape.rank < rank)
            break;
        size_t own = shape.dims[d + shape.rank - rank];
        source += own == 1 ? 0 : i % dims[d] * stride;
        stride *= own;
    }
    return source;
}

static bool fold_pair(onnx_builder *b, size_t first, size_t second, int op, tremula_onnx_tensor *result)
{
    const onnx_value *x = onnx_input(b, first), *y = onnx_input(b, second);
    size_t dims[TREMULA_ONNX_MAX_RANK], rank;
    pop_shape xs = onnx_shape_of(b, first), ys = onnx_shape_of(b, second);
    if (!x || !y || !join_shapes(xs, ys, dims, &rank))
        return onnx_complain(b, "the shapes of its inputs do not match");
    *result = onnx_new_tensor(b, operations[op].test ? TREMULA_ONNX_BOOL : x->type, (pop_shape){ rank, dims });
    for (size_t i = 0, n = result->data ? tremula_onnx_tensor_elements(result) : 0; i < n; ++i) {
        size_t p = source_of(xs, dims, rank, i), q = source_of(ys, dims, rank, i);
        if (onnx_is_real(x->type) || onnx_is_real(y->type))
            onnx_set_number(result, i, real_result(op, onnx_number(&x->host, p), onnx_number(&y->host, q)));
        else
            onnx_set_integer(result, i, integer_result(op, onnx_integer(&x->host, p), onnx_integer(&y->host, q)));
    }
    return !b->failed;
}

static bool fold_binary(onnx_builder *b)
{
    tremula_onnx_tensor result;
    if (b->model->opset < 7 && onnx_has(b, "axis"))
        return b->node->row->build(b);
    return fold_pair(b, 0, 1, b->node->row->op, &result) && onnx_give_known(b, 0, result);
}

/* Two operands at most are folded: shapes need no more. */
static bool fold_several(onnx_builder *b)
{
    if (onnx_num_inputs(b) == 1)
        return onnx_give_known(b, 0, onnx_input(b, 0)->host);
    return onnx_num_inputs(b) == 2 && b->node->row->op != DIV ? fold_binary(b) : b->node->row->build(b);
}

static bool fold_mod(onnx_builder *b)
{
    tremula_onnx_tensor result;
    if (onnx_is_real(onnx_type_of(b, 0)))
        return build_mod(b);
    return fold_pair(b, 0, 1, onnx_int(b, "fmod", 0) ? FMOD : MOD, &result) && onnx_give_known(b, 0, result);
}

static bool fold_where(onnx_builder *b)
{
    const onnx_value *condition = onnx_input(b, 0), *x = onnx_input(b, 1), *y = onnx_input(b, 2);
    size_t dims[TREMULA_ONNX_MAX_RANK], all[TREMULA_ONNX_MAX_RANK], rank;
    if (!join_shapes(onnx_shape_of(b, 1), onnx_shape_of(b, 2), dims, &rank) ||
        !join_shapes(onnx_shape_of(b, 0), (pop_shape){ rank, dims }, all, &rank))
        return onnx_complain(b, "the shapes of its inputs do not match");
    tremula_onnx_tensor result = onnx_new_tensor(b, x->type, (pop_shape){ rank, all });
    for (size_t i = 0, n = result.data ? tremula_onnx_tensor_elements(&result) : 0; i < n; ++i) {
        size_t which = onnx_integer(&condition->host, source_of(onnx_shape_of(b, 0), all, rank, i)) ? 1 : 2;
        size_t from = source_of(onnx_shape_of(b, which), all, rank, i);
        const tremula_onnx_tensor *source = which == 1 ? &x->host : &y->host;
        if (onnx_is_real(x->type))
            onnx_set_number(&result, i, onnx_number(source, from));
        else
            onnx_set_integer(&result, i, onnx_integer(source, from));
    }
    return onnx_give_known(b, 0, result);
}

const onnx_operator onnx_binary_operators[] = {
    { ONNX_ROW("Add", 1), build_binary, fold_binary, ADD, NULL },
    { ONNX_ROW("And", 1), build_binary, fold_binary, AND, NULL },
    { ONNX_ROW("BitShift", 11), build_bit_shift, NULL, 0, NULL },
    { ONNX_ROW("Div", 1), build_binary, fold_binary, DIV, NULL },
    { ONNX_ROW("Equal", 1), build_binary, fold_binary, EQUAL, NULL },
    { ONNX_ROW("Greater", 1), build_binary, fold_binary, GREATER, NULL },
    { ONNX_ROW("GreaterOrEqual", 12), build_binary, fold_binary, GREATER_OR_EQUAL, NULL },
    { ONNX_ROW("Less", 1), build_binary, fold_binary, LESS, NULL },
    { ONNX_ROW("LessOrEqual", 12), build_binary, fold_binary, LESS_OR_EQUAL, NULL },
    { ONNX_ROW("Max", 1), build_several, fold_several, MAX, NULL },
    { ONNX_ROW("Mean", 1), build_several, fold_several, DIV, NULL },
    { ONNX_ROW("Min", 1), build_several, fold_several, MIN, NULL },
    { ONNX_ROW("Mod", 10), build_mod, fold_mod, 0, NULL },
    { ONNX_ROW("Mul", 1), build_binary, fold_binary, MUL, NULL },
    { ONNX_ROW("Or", 1), build_binary, fold_binary, OR, NULL },
    { ONNX_ROW("PRelu", 1), build_prelu, NULL, 0, NULL },
    { ONNX_ROW("Pow", 1), build_pow, fold_binary, POW, NULL },
    { ONNX_ROW("Sub", 1), build_binary, fold_binary, SUB, NULL },
    { ONNX_ROW("Sum", 1), build_several, fold_several, ADD, NULL },
    { ONNX_ROW("Where", 9), build_where, fold_where, 0, NULL },
    { ONNX_ROW("Xor", 1), build_binary, fold_binary, XOR, NULL },
    { { 0 }, NULL, NULL, 0, NULL },
};
