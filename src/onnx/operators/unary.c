/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one element. */
#include "onnx/build/build.h"

#include <math.h>

/* An operator of popops; elements keep their type, but for tests, which give bool. */
static bool build_unary(onnx_builder *b)
{
    pop_tensor t = onnx_tensor(b, 0);
    if (!onnx_ok(b))
        return false;
    pop_tensor result = popops_unary_at(b->where, (popops_unary_op)b->node->row->op, b->graph, t, b->program, b->name);
    return onnx_give_like(b, result);
}

/* An expression, which becomes one vertex type. */
static bool build_expression(onnx_builder *b)
{
    return onnx_give_map(b, b->node->row->text);
}

/* Unsigned integers are not negative: they are their own absolute values. */
static bool build_abs(onnx_builder *b)
{
    pop_tensor t = onnx_tensor(b, 0);
    if (!onnx_ok(b))
        return false;
    return pop_tensor_type(t) == POP_UNSIGNED_INT ? onnx_give_like(b, t) : build_unary(b);
}

static bool build_is_inf(onnx_builder *b)
{
    bool negative = onnx_int(b, "detect_negative", 1), positive = onnx_int(b, "detect_positive", 1);
    pop_tensor t = onnx_tensor(b, 0);
    if (!onnx_ok(b))
        return false;
    pop_tensor infinite = ONNX_UNARY(b, IS_INF, t);
    if (!negative)
        infinite = ONNX_BINARY(b, LOGICAL_AND, infinite, ONNX_BINARY(b, GREATER_THAN, t, 0.0));
    if (!positive)
        infinite = ONNX_BINARY(b, LOGICAL_AND, infinite, ONNX_BINARY(b, LESS_THAN, t, 0.0));
    return onnx_give(b, 0, infinite, TREMULA_ONNX_BOOL);
}

/* ---- on the host ---- */

static double negate(double x)
{
    return -x;
}
static double sign(double x)
{
    return (x > 0) - (x < 0);
}
static double invert(double x)
{
    return 1 / x;
}
static double logical_not(double x)
{
    return x == 0;
}

#define FOLD(name, function)                                                                                           \
    static bool fold_##name(onnx_builder *b)                                                                           \
    {                                                                                                                  \
        return onnx_fold_elements(b, function);                                                                        \
    }
FOLD(abs, fabs)
FOLD(ceil, ceil)
FOLD(exp, exp)
FOLD(floor, floor)
FOLD(log, log)
FOLD(neg, negate)
FOLD(not, logical_not)
FOLD(reciprocal, invert)
FOLD(round, rint)
FOLD(sign, sign)
FOLD(sqrt, sqrt)

const onnx_operator onnx_unary_operators[] = {
    { ONNX_ROW("Abs", 1), build_abs, fold_abs, POPOPS_UNARY_ABSOLUTE, NULL },
    { ONNX_ROW("Acos", 7), build_expression, NULL, 0, "1.57079637 - asin(_1)" },
    { ONNX_ROW("Acosh", 9), build_expression, NULL, 0, "log(_1 + sqrt(_1 * _1 - 1))" },
    { ONNX_ROW("Asin", 7), build_unary, NULL, POPOPS_UNARY_ASIN, NULL },
    { ONNX_ROW("Asinh", 9), build_expression, NULL, 0, "signum(_1) * log(abs(_1) + sqrt(_1 * _1 + 1))" },
    { ONNX_ROW("Atan", 7), build_expression, NULL, 0, "atan2(_1, 1)" },
    { ONNX_ROW("Atanh", 9), build_expression, NULL, 0, "0.5 * (log1p(_1) - log1p(-_1))" },
    { ONNX_ROW("Ceil", 1), build_unary, fold_ceil, POPOPS_UNARY_CEIL, NULL },
    { ONNX_ROW("Cos", 7), build_unary, NULL, POPOPS_UNARY_COS, NULL },
    { ONNX_ROW("Cosh", 9), build_expression, NULL, 0, "0.5 * (exp(_1) + exp(-_1))" },
    { ONNX_ROW("Erf", 9), build_unary, NULL, POPOPS_UNARY_ERF, NULL },
    { ONNX_ROW("Exp", 1), build_unary, fold_exp, POPOPS_UNARY_EXPONENT, NULL },
    { ONNX_ROW("Floor", 1), build_unary, fold_floor, POPOPS_UNARY_FLOOR, NULL },
    { ONNX_ROW("IsInf", 10), build_is_inf, NULL, 0, NULL },
    { ONNX_ROW("IsNaN", 9), build_unary, NULL, POPOPS_UNARY_IS_NAN, NULL },
    { ONNX_ROW("Log", 1), build_unary, fold_log, POPOPS_UNARY_LOGARITHM, NULL },
    { ONNX_ROW("Neg", 1), build_unary, fold_neg, POPOPS_UNARY_NEGATE, NULL },
    { ONNX_ROW("Not", 1), build_unary, fold_not, POPOPS_UNARY_LOGICAL_NOT, NULL },
    { ONNX_ROW("Reciprocal", 1), build_unary, fold_reciprocal, POPOPS_UNARY_INVERSE, NULL },
    { ONNX_ROW("Round", 11), build_unary, fold_round, POPOPS_UNARY_NEARBY_INT, NULL },
    { ONNX_ROW("Sigmoid", 1), build_unary, NULL, POPOPS_UNARY_SIGMOID, NULL },
    { ONNX_ROW("Sign", 9), build_unary, fold_sign, POPOPS_UNARY_SIGNUM, NULL },
    { ONNX_ROW("Sin", 7), build_unary, NULL, POPOPS_UNARY_SIN, NULL },
    { ONNX_ROW("Sinh", 9), build_expression, NULL, 0, "0.5 * (expm1(_1) - expm1(-_1))" },
    { ONNX_ROW("Softplus", 1), build_expression, NULL, 0, "max(_1, 0) + log1p(exp(-abs(_1)))" },
    { ONNX_ROW("Softsign", 1), build_expression, NULL, 0, "_1 / (1 + abs(_1))" },
    { ONNX_ROW("Sqrt", 1), build_unary, fold_sqrt, POPOPS_UNARY_SQRT, NULL },
    { ONNX_ROW("Tan", 7), build_unary, NULL, POPOPS_UNARY_TAN, NULL },
    { ONNX_ROW("Tanh", 1), build_unary, NULL, POPOPS_UNARY_TANH, NULL },
    { { 0 }, NULL, NULL, 0, NULL },
};
