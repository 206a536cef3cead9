/* SPDX-License-Identifier: Apache-2.0 */
/* The element-wise operators in double precision, or in 64-bit integers, and the ranges of their operands. */
#ifndef TESTS_POPLIBS_POPOPS_ELEMENT_WISE_REFERENCES_H
#define TESTS_POPLIBS_POPOPS_ELEMENT_WISE_REFERENCES_H

#include "poplibs/numeric.h"

#include <popops/element_wise.h>
#include <popops/operator_types.h>

struct operator_test {
    const char *name;
    int arity, op;
    unsigned types;
    bool boolean;
    pop_tensor (*new_one)(pop_graph *, const pop_tensor *, pop_program);
    void (*in_place)(pop_graph *, const pop_tensor *, pop_program);
    void (*with_output)(pop_graph *, const pop_tensor *, pop_tensor, pop_program);
};

/* RELU has no function in popops: popnn has it. */
#define popops_relu(...)             popops_unary_at(POP_HERE, POPOPS_UNARY_RELU, __VA_ARGS__)
#define popops_relu_in_place(...)    popops_unary_in_place_at(POP_HERE, POPOPS_UNARY_RELU, __VA_ARGS__)
#define popops_relu_with_output(...) popops_unary_with_output_at(POP_HERE, POPOPS_UNARY_RELU, __VA_ARGS__)

/* Calls the macros of element_wise.h, so that each row of the table has its own test. */
#define CALLS(name, ...)                                                                                               \
    static pop_tensor new_##name(pop_graph *graph, const pop_tensor *in, pop_program program)                          \
    {                                                                                                                  \
        return popops_##name(graph, __VA_ARGS__, program, "x");                                                        \
    }                                                                                                                  \
    static void in_place_##name(pop_graph *graph, const pop_tensor *in, pop_program program)                           \
    {                                                                                                                  \
        popops_##name##_in_place(graph, __VA_ARGS__, program, "x");                                                    \
    }                                                                                                                  \
    static void with_output_##name(pop_graph *graph, const pop_tensor *in, pop_tensor out, pop_program program)        \
    {                                                                                                                  \
        popops_##name##_with_output(graph, __VA_ARGS__, out, program, "x");                                            \
    }
#define UNARY(name, ...)   CALLS(name, in[0])
#define BINARY(name, ...)  CALLS(name, in[0], in[1])
#define TERNARY(name, ...) CALLS(name, in[0], in[1], in[2])
#include <popops/operators.def>
#undef UNARY
#undef BINARY
#undef TERNARY

#define TYPE_BIT(tag, type, work, unsigned_, signed_, text, constant, none) | 1u << constant
#define TYPE_BITS(TYPES)                                                    (0 POPOPS_TYPES_##TYPES(TYPE_BIT, ))
#define IS_SAME                                                             false
#define IS_BOOL                                                             true
#define UNARY(name, f, op, node, TYPES, RESULT, ...)                                                                   \
    { #name, 1, POPOPS_UNARY_##op, TYPE_BITS(TYPES), IS_##RESULT, new_##name, in_place_##name, with_output_##name },
#define BINARY(name, f, op, node, TYPES, RESULT, ...)                                                                  \
    { #name, 2, POPOPS_BINARY_##op, TYPE_BITS(TYPES), IS_##RESULT, new_##name, in_place_##name, with_output_##name },
#define TERNARY(name, f, op, node, TYPES, RESULT, ...)                                                                 \
    { #name, 3, POPOPS_TERNARY_##op, TYPE_BITS(TYPES), IS_##RESULT, new_##name, in_place_##name, with_output_##name },
static const struct operator_test operator_tests[] = {
#include <popops/operators.def>
};
#undef UNARY
#undef BINARY
#undef TERNARY
enum { OPERATOR_TESTS = sizeof(operator_tests) / sizeof(operator_tests[0]) };

static inline double unary_reference(int op, double a)
{
    switch ((popops_unary_op)op) {
    case POPOPS_UNARY_ABSOLUTE:
        return fabs(a);
    case POPOPS_UNARY_ASIN:
        return asin(a);
    case POPOPS_UNARY_CBRT:
        return cbrt(a);
    case POPOPS_UNARY_CEIL:
        return ceil(a);
    case POPOPS_UNARY_COS:
        return cos(a);
    case POPOPS_UNARY_ERF:
        return erf(a);
    case POPOPS_UNARY_EXPONENT:
        return exp(a);
    case POPOPS_UNARY_EXPONENT2:
        return exp2(a);
    case POPOPS_UNARY_EXPONENT_MINUS_ONE:
        return expm1(a);
    case POPOPS_UNARY_FLOOR:
        return floor(a);
    case POPOPS_UNARY_GELU_ERF:
        return 0.5 * a * erfc(-a / sqrt(2));
    case POPOPS_UNARY_INVERSE:
        return 1 / a;
    case POPOPS_UNARY_IS_FINITE:
        return isfinite(a) != 0;
    case POPOPS_UNARY_IS_INF:
        return isinf(a) != 0;
    case POPOPS_UNARY_IS_NAN:
        return isnan(a) != 0;
    case POPOPS_UNARY_LOGARITHM:
        return log(a);
    case POPOPS_UNARY_LOGARITHM_ONE_PLUS:
        return log1p(a);
    case POPOPS_UNARY_NEARBY_INT:
        return nearbyint(a);
    case POPOPS_UNARY_NEGATE:
        return -a;
    case POPOPS_UNARY_RELU:
        return fmax(a, 0);
    case POPOPS_UNARY_ROUND:
        return round(a);
    case POPOPS_UNARY_RSQRT:
        return 1 / sqrt(a);
    case POPOPS_UNARY_SIGMOID:
        return 1 / (1 + exp(-a));
    case POPOPS_UNARY_SIGNUM:
        return (a > 0) - (a < 0);
    case POPOPS_UNARY_SIN:
        return sin(a);
    case POPOPS_UNARY_SQRT:
        return sqrt(a);
    case POPOPS_UNARY_SQUARE:
        return a * a;
    case POPOPS_UNARY_TAN:
        return tan(a);
    case POPOPS_UNARY_TANH:
        return tanh(a);
    case POPOPS_UNARY_TRUNC:
        return trunc(a);
    default:
        fail_msg("no reference");
        return 0;
    }
}
static inline double binary_reference(int op, double a, double b)
{
    switch ((popops_binary_op)op) {
    case POPOPS_BINARY_ADD:
        return a + b;
    case POPOPS_BINARY_ATAN2:
        return atan2(a, b);
    case POPOPS_BINARY_DIVIDE:
        return a / b;
    case POPOPS_BINARY_EQUAL:
        return a == b;
    case POPOPS_BINARY_GREATER_THAN:
        return a > b;
    case POPOPS_BINARY_GREATER_THAN_EQUAL:
        return a >= b;
    case POPOPS_BINARY_INV_STD_DEV_TO_VARIANCE:
        return 1 / (a * a) - b;
    case POPOPS_BINARY_LESS_THAN:
        return a < b;
    case POPOPS_BINARY_LESS_THAN_EQUAL:
        return a <= b;
    case POPOPS_BINARY_MAXIMUM:
        return fmax(a, b);
    case POPOPS_BINARY_MINIMUM:
        return fmin(a, b);
    case POPOPS_BINARY_MULTIPLY:
        return a * b;
    case POPOPS_BINARY_NOT_EQUAL:
        return a != b;
    case POPOPS_BINARY_POWER:
        return pow(a, b);
    case POPOPS_BINARY_REMAINDER:
        return fmod(a, b);
    case POPOPS_BINARY_SUBTRACT:
        return a - b;
    case POPOPS_BINARY_VARIANCE_TO_INV_STD_DEV:
        return 1 / sqrt(a + b);
    default:
        fail_msg("no reference");
        return 0;
    }
}

/* An integer wrapped to a type of that many bits. */
static inline double wrapped(pop_type type, int64_t value)
{
    unsigned bits = 8 * (unsigned)pop_type_size(type);
    uint64_t mask = bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1, low = (uint64_t)value & mask;
    if (pop_type_is_signed(type) && low >> (bits - 1))
        return (double)(int64_t)(low | ~mask);
    return (double)low;
}
static inline double whole_reference(const struct operator_test *test, pop_type type, double x, double y)
{
    int bits = 8 * (int)pop_type_size(type);
    int64_t a = (int64_t)x, b = (int64_t)y;
    uint64_t mask = bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1, low = (uint64_t)a & mask;
    if (test->arity == 1)
        switch ((popops_unary_op)test->op) {
        case POPOPS_UNARY_BITWISE_NOT:
            return wrapped(type, ~a);
        case POPOPS_UNARY_COUNT_LEADING_ZEROS:
            return low ? __builtin_clzll(low) - (64 - bits) : bits;
        case POPOPS_UNARY_LOGICAL_NOT:
            return !a;
        case POPOPS_UNARY_POPCOUNT:
            return __builtin_popcountll(low);
        case POPOPS_UNARY_SQRT:
            return a < 0 ? 0 : floor(sqrt(x));
        default:
            return wrapped(type, (int64_t)unary_reference(test->op, x));
        }
    switch ((popops_binary_op)test->op) {
    case POPOPS_BINARY_BITWISE_AND:
        return wrapped(type, a & b);
    case POPOPS_BINARY_BITWISE_OR:
        return wrapped(type, a | b);
    case POPOPS_BINARY_BITWISE_XNOR:
        return wrapped(type, ~(a ^ b));
    case POPOPS_BINARY_BITWISE_XOR:
        return wrapped(type, a ^ b);
    case POPOPS_BINARY_DIVIDE:
        return wrapped(type, a / b);
    case POPOPS_BINARY_LOGICAL_AND:
        return a && b;
    case POPOPS_BINARY_LOGICAL_OR:
        return a || b;
    case POPOPS_BINARY_SHIFT_LEFT:
        return b < 0 || b >= bits ? 0 : wrapped(type, (int64_t)(low << b));
    case POPOPS_BINARY_SHIFT_RIGHT:
        return b < 0 || b >= bits ? 0 : wrapped(type, (int64_t)(low >> b));
    case POPOPS_BINARY_SHIFT_RIGHT_SIGN_EXTEND: {
        int64_t value = low >> (bits - 1) ? (int64_t)(low | ~mask) : (int64_t)low;
        return wrapped(type, value >> (b < 0 || b >= bits ? bits - 1 : b));
    }
    default:
        return wrapped(type, (int64_t)binary_reference(test->op, x, y));
    }
}

/* The result for operands in the device's types; the caller rounds it to the result's type. */
static inline double operator_reference(const struct operator_test *test, pop_type type, double a, double b, double c)
{
    if (test->arity == 3)
        return test->op == POPOPS_TERNARY_SELECT ? (c != 0 ? a : b) : fmin(fmax(a, b), c);
    if (!pop_type_is_floating_point(type))
        return whole_reference(test, type, a, b);
    return test->arity == 1 ? unary_reference(test->op, a) : binary_reference(test->op, a, b);
}

/* The range of operands: an interval that has the function's interesting parts and no singular point. */
struct operator_range {
    double low, high;
};
static inline struct operator_range operator_range(const struct operator_test *test, pop_type type, int operand)
{
    if (type == POP_BOOL)
        return (struct operator_range){ 0, 2 };
    if (test->arity == 1)
        switch ((popops_unary_op)test->op) {
        case POPOPS_UNARY_ASIN:
            return (struct operator_range){ -1, 1 };
        case POPOPS_UNARY_LOGARITHM:
        case POPOPS_UNARY_RSQRT:
        case POPOPS_UNARY_INVERSE:
            return (struct operator_range){ 0.01, 30 };
        case POPOPS_UNARY_SQRT:
            return (struct operator_range){ 0, 3000 };
        case POPOPS_UNARY_LOGARITHM_ONE_PLUS:
            return (struct operator_range){ -0.9, 4 };
        default:
            return pop_type_is_signed(type) || pop_type_is_floating_point(type) ? (struct operator_range){ -7, 7 }
                                                                                : (struct operator_range){ 0, 9000 };
        }
    if (test->arity == 3)
        return operand == 0
                   ? (struct operator_range){ pop_type_is_signed(type) || pop_type_is_floating_point(type) ? -8 : 0, 8 }
               : operand == 1 ? (struct operator_range){ 1, 3 }
                              : (struct operator_range){ 3, 5 };
    switch ((popops_binary_op)test->op) {
    case POPOPS_BINARY_POWER:
        return operand ? (struct operator_range){ -3, 3 } : (struct operator_range){ 0.1, 5 };
    case POPOPS_BINARY_DIVIDE:
    case POPOPS_BINARY_REMAINDER:
        return operand ? (struct operator_range){ 1, 6 } : (struct operator_range){ 0, 100 };
    case POPOPS_BINARY_INV_STD_DEV_TO_VARIANCE:
        return operand ? (struct operator_range){ 0, 0.01 } : (struct operator_range){ 0.3, 3 };
    case POPOPS_BINARY_VARIANCE_TO_INV_STD_DEV:
        return operand ? (struct operator_range){ 0, 0.01 } : (struct operator_range){ 0.1, 3 };
    case POPOPS_BINARY_SHIFT_LEFT:
    case POPOPS_BINARY_SHIFT_RIGHT:
    case POPOPS_BINARY_SHIFT_RIGHT_SIGN_EXTEND:
        return operand ? (struct operator_range){ 0, 34 }
                       : (struct operator_range){ pop_type_is_signed(type) ? -3000 : 0, 3000 };
    case POPOPS_BINARY_MULTIPLY:
        return (struct operator_range){ pop_type_is_signed(type) || pop_type_is_floating_point(type) ? -90 : 0, 90 };
    default:
        return (struct operator_range){ pop_type_is_signed(type) || pop_type_is_floating_point(type) ? -4 : 0, 4 };
    }
}

#endif
