/* SPDX-License-Identifier: Apache-2.0 */
/* Element-wise operators on tensors: all rows of operators.def, each in three forms.
 *
 *     pop_tensor sum = popops_add(graph, a, b, program, "sum");    a new tensor, mapped like one of the operands
 *     popops_mul_in_place(graph, a, 0.5, program, "halve");        the result replaces the first operand
 *     popops_sub_with_output(graph, 1, a, out, program, "rest");   the result is written to an existing tensor
 *
 * An operand is a tensor or a number; at least one must be a tensor.  A number takes the tensors' type (select between
 * two numbers: FLOAT if one is real, otherwise INT).  Tensors of different shapes are broadcast as in NumPy; an operand
 * of one element is never expanded.  All operands have one type, which is also the result's type, except that
 * comparisons, logical operators and is_... give BOOL.  The operation is added to the sequence program; name, which may
 * be NULL, is the prefix of its debug names.
 *
 * Errors, recorded in the graph: type_error for types that the operator does not take or that differ; poplar_error for
 * shapes that do not match, and for an output of another shape or with aliases or constants. */
#ifndef POPOPS_ELEMENT_WISE_H
#define POPOPS_ELEMENT_WISE_H

#include <poplar/graph.h>
#include <poplar/program.h>

/* POPOPS_UNARY_ABSOLUTE and so on: a constant for each UNARY row of operators.def. */
typedef enum popops_unary_op {
#define UNARY(name, function, constant, ...) POPOPS_UNARY_##constant,
#include <popops/operators.def>
#undef UNARY
    POPOPS_UNARY_COUNT
} popops_unary_op;
/* POPOPS_BINARY_ADD and so on: a constant for each BINARY row. */
typedef enum popops_binary_op {
#define BINARY(name, function, constant, ...) POPOPS_BINARY_##constant,
#include <popops/operators.def>
#undef BINARY
    POPOPS_BINARY_COUNT
} popops_binary_op;
/* POPOPS_TERNARY_SELECT and so on: a constant for each TERNARY row. */
typedef enum popops_ternary_op {
#define TERNARY(name, function, constant, ...) POPOPS_TERNARY_##constant,
#include <popops/operators.def>
#undef TERNARY
    POPOPS_TERNARY_COUNT
} popops_ternary_op;

/* A tensor, or a number: a constant of the type of the tensors beside it. */
typedef struct popops_operand {
    pop_tensor tensor;   /* null for a number */
    pop_type value_type; /* POP_DOUBLE, POP_LONGLONG or POP_UNSIGNED_LONGLONG */
    union {
        double real;
        long long whole;
        unsigned long long natural;
    } value; /* the number, in the member of its type */
} popops_operand;

POP_BEGIN_DECLS

/* A tensor as an operand. */
static inline popops_operand popops_operand_of_tensor(pop_tensor tensor)
{
    popops_operand operand;
    operand.tensor = tensor;
    operand.value_type = POP_TYPE_NULL;
    operand.value.whole = 0;
    return operand;
}
/* A real number as an operand. */
POP_API popops_operand popops_operand_of_double(double value);
/* An integer as an operand. */
POP_API popops_operand popops_operand_of_int(long long value);
/* An unsigned integer as an operand. */
POP_API popops_operand popops_operand_of_unsigned(unsigned long long value);
/* An operand of a tensor or of a number of any C type. */
#define POPOPS_OPERAND(x)                                                                                              \
    _Generic((x), pop_tensor                                                                                           \
             : popops_operand_of_tensor, float                                                                         \
             : popops_operand_of_double, double                                                                        \
             : popops_operand_of_double, unsigned long                                                                 \
             : popops_operand_of_unsigned, unsigned long long                                                          \
             : popops_operand_of_unsigned, default                                                                     \
             : popops_operand_of_int)(x)

/* A unary operator by its number, with a new tensor as result; the functions by name below call these. */
POP_API pop_tensor popops_unary_at(pop_where where, popops_unary_op op, pop_graph *graph, pop_tensor a,
                                   pop_program sequence, const char *name);
/* A unary operator by its number, whose result replaces a. */
POP_API void popops_unary_in_place_at(pop_where where, popops_unary_op op, pop_graph *graph, pop_tensor a,
                                      pop_program sequence, const char *name);
/* A unary operator by its number, whose result is written to out. */
POP_API void popops_unary_with_output_at(pop_where where, popops_unary_op op, pop_graph *graph, pop_tensor a,
                                         pop_tensor out, pop_program sequence, const char *name);
/* A binary operator by its number, with a new tensor as result. */
POP_API pop_tensor popops_binary_at(pop_where where, popops_binary_op op, pop_graph *graph, popops_operand a,
                                    popops_operand b, pop_program sequence, const char *name);
/* A binary operator by its number, whose result replaces the tensor a. */
POP_API void popops_binary_in_place_at(pop_where where, popops_binary_op op, pop_graph *graph, popops_operand a,
                                       popops_operand b, pop_program sequence, const char *name);
/* A binary operator by its number, whose result is written to out. */
POP_API void popops_binary_with_output_at(pop_where where, popops_binary_op op, pop_graph *graph, popops_operand a,
                                          popops_operand b, pop_tensor out, pop_program sequence, const char *name);
/* A ternary operator by its number, with a new tensor as result. */
POP_API pop_tensor popops_ternary_at(pop_where where, popops_ternary_op op, pop_graph *graph, popops_operand a,
                                     popops_operand b, popops_operand c, pop_program sequence, const char *name);
/* A ternary operator by its number, whose result replaces the tensor a. */
POP_API void popops_ternary_in_place_at(pop_where where, popops_ternary_op op, pop_graph *graph, popops_operand a,
                                        popops_operand b, popops_operand c, pop_program sequence, const char *name);
/* A ternary operator by its number, whose result is written to out. */
POP_API void popops_ternary_with_output_at(pop_where where, popops_ternary_op op, pop_graph *graph, popops_operand a,
                                           popops_operand b, popops_operand c, pop_tensor out, pop_program sequence,
                                           const char *name);

#define popops_binary_as(...) popops_binary_as_at(POP_HERE, __VA_ARGS__)
/* A binary operator whose result has another floating-point type; it is computed in the wider of both types. */
POP_API pop_tensor popops_binary_as_at(pop_where where, popops_binary_op op, pop_graph *graph, popops_operand a,
                                       popops_operand b, pop_type type, pop_program sequence, const char *name);

#define popops_create_output_for_element_wise_op(...) popops_create_output_for_element_wise_op_at(POP_HERE, __VA_ARGS__)
/* A variable of a type for the result of an element-wise operation, in the shape to which the inputs broadcast.  It is
 * mapped like the most evenly spread input of that shape: the one with the fewest elements on its fullest tile, then
 * the one on most tiles.  If all such inputs have aliases or constants, it is mapped linearly. */
POP_API pop_tensor popops_create_output_for_element_wise_op_at(pop_where where, pop_graph *graph, pop_tensors inputs,
                                                               pop_type type, const char *name);

POP_END_DECLS

/* ---- operators by name: popops_add(graph, a, b, sequence, name) and so on, for each row of operators.def ---- */

/* A unary operator by the end of its constant; form: nothing, _in_place or _with_output. */
#define POPOPS_UNARY(form, op, ...) popops_unary##form##_at(POP_HERE, POPOPS_UNARY_##op, __VA_ARGS__)
/* A binary operator by the end of its constant; form: nothing, _in_place or _with_output. */
#define POPOPS_BINARY(form, op, graph, a, b, ...)                                                                      \
    popops_binary##form##_at(POP_HERE, POPOPS_BINARY_##op, graph, POPOPS_OPERAND(a), POPOPS_OPERAND(b), __VA_ARGS__)
/* A ternary operator by the end of its constant; form: nothing, _in_place or _with_output. */
#define POPOPS_TERNARY(form, op, graph, a, b, c, ...)                                                                  \
    popops_ternary##form##_at(POP_HERE, POPOPS_TERNARY_##op, graph, POPOPS_OPERAND(a), POPOPS_OPERAND(b),              \
                              POPOPS_OPERAND(c), __VA_ARGS__)

/* |a|; signed types. */
#define popops_abs(...)             POPOPS_UNARY(, ABSOLUTE, __VA_ARGS__)
#define popops_abs_in_place(...)    POPOPS_UNARY(_in_place, ABSOLUTE, __VA_ARGS__)
#define popops_abs_with_output(...) POPOPS_UNARY(_with_output, ABSOLUTE, __VA_ARGS__)
/* The arc sine, in radians. */
#define popops_asin(...)             POPOPS_UNARY(, ASIN, __VA_ARGS__)
#define popops_asin_in_place(...)    POPOPS_UNARY(_in_place, ASIN, __VA_ARGS__)
#define popops_asin_with_output(...) POPOPS_UNARY(_with_output, ASIN, __VA_ARGS__)
/* ~a, bit by bit; integers. */
#define popops_bitwise_not(...)             POPOPS_UNARY(, BITWISE_NOT, __VA_ARGS__)
#define popops_bitwise_not_in_place(...)    POPOPS_UNARY(_in_place, BITWISE_NOT, __VA_ARGS__)
#define popops_bitwise_not_with_output(...) POPOPS_UNARY(_with_output, BITWISE_NOT, __VA_ARGS__)
/* The cube root. */
#define popops_cbrt(...)             POPOPS_UNARY(, CBRT, __VA_ARGS__)
#define popops_cbrt_in_place(...)    POPOPS_UNARY(_in_place, CBRT, __VA_ARGS__)
#define popops_cbrt_with_output(...) POPOPS_UNARY(_with_output, CBRT, __VA_ARGS__)
/* The smallest integer that is not less than a. */
#define popops_ceil(...)             POPOPS_UNARY(, CEIL, __VA_ARGS__)
#define popops_ceil_in_place(...)    POPOPS_UNARY(_in_place, CEIL, __VA_ARGS__)
#define popops_ceil_with_output(...) POPOPS_UNARY(_with_output, CEIL, __VA_ARGS__)
/* The cosine of an angle in radians. */
#define popops_cos(...)             POPOPS_UNARY(, COS, __VA_ARGS__)
#define popops_cos_in_place(...)    POPOPS_UNARY(_in_place, COS, __VA_ARGS__)
#define popops_cos_with_output(...) POPOPS_UNARY(_with_output, COS, __VA_ARGS__)
/* Number of zero bits above the highest one; the type's bits for 0. */
#define popops_count_leading_zeros(...)             POPOPS_UNARY(, COUNT_LEADING_ZEROS, __VA_ARGS__)
#define popops_count_leading_zeros_in_place(...)    POPOPS_UNARY(_in_place, COUNT_LEADING_ZEROS, __VA_ARGS__)
#define popops_count_leading_zeros_with_output(...) POPOPS_UNARY(_with_output, COUNT_LEADING_ZEROS, __VA_ARGS__)
/* The error function. */
#define popops_erf(...)             POPOPS_UNARY(, ERF, __VA_ARGS__)
#define popops_erf_in_place(...)    POPOPS_UNARY(_in_place, ERF, __VA_ARGS__)
#define popops_erf_with_output(...) POPOPS_UNARY(_with_output, ERF, __VA_ARGS__)
/* e to the power of a. */
#define popops_exp(...)             POPOPS_UNARY(, EXPONENT, __VA_ARGS__)
#define popops_exp_in_place(...)    POPOPS_UNARY(_in_place, EXPONENT, __VA_ARGS__)
#define popops_exp_with_output(...) POPOPS_UNARY(_with_output, EXPONENT, __VA_ARGS__)
/* 2 to the power of a. */
#define popops_exp2(...)             POPOPS_UNARY(, EXPONENT2, __VA_ARGS__)
#define popops_exp2_in_place(...)    POPOPS_UNARY(_in_place, EXPONENT2, __VA_ARGS__)
#define popops_exp2_with_output(...) POPOPS_UNARY(_with_output, EXPONENT2, __VA_ARGS__)
/* e to the power of a, minus 1, precise near 0. */
#define popops_expm1(...)             POPOPS_UNARY(, EXPONENT_MINUS_ONE, __VA_ARGS__)
#define popops_expm1_in_place(...)    POPOPS_UNARY(_in_place, EXPONENT_MINUS_ONE, __VA_ARGS__)
#define popops_expm1_with_output(...) POPOPS_UNARY(_with_output, EXPONENT_MINUS_ONE, __VA_ARGS__)
/* The largest integer that is not greater than a. */
#define popops_floor(...)             POPOPS_UNARY(, FLOOR, __VA_ARGS__)
#define popops_floor_in_place(...)    POPOPS_UNARY(_in_place, FLOOR, __VA_ARGS__)
#define popops_floor_with_output(...) POPOPS_UNARY(_with_output, FLOOR, __VA_ARGS__)
/* GELU by the error function: a (1 + erf(a / sqrt(2))) / 2. */
#define popops_gelu_erf(...)             POPOPS_UNARY(, GELU_ERF, __VA_ARGS__)
#define popops_gelu_erf_in_place(...)    POPOPS_UNARY(_in_place, GELU_ERF, __VA_ARGS__)
#define popops_gelu_erf_with_output(...) POPOPS_UNARY(_with_output, GELU_ERF, __VA_ARGS__)
/* 1 / a. */
#define popops_inv(...)             POPOPS_UNARY(, INVERSE, __VA_ARGS__)
#define popops_inv_in_place(...)    POPOPS_UNARY(_in_place, INVERSE, __VA_ARGS__)
#define popops_inv_with_output(...) POPOPS_UNARY(_with_output, INVERSE, __VA_ARGS__)
/* Whether a is neither infinite nor a NaN; BOOL. */
#define popops_is_finite(...)             POPOPS_UNARY(, IS_FINITE, __VA_ARGS__)
#define popops_is_finite_in_place(...)    POPOPS_UNARY(_in_place, IS_FINITE, __VA_ARGS__)
#define popops_is_finite_with_output(...) POPOPS_UNARY(_with_output, IS_FINITE, __VA_ARGS__)
/* Whether a is infinite; BOOL. */
#define popops_is_inf(...)             POPOPS_UNARY(, IS_INF, __VA_ARGS__)
#define popops_is_inf_in_place(...)    POPOPS_UNARY(_in_place, IS_INF, __VA_ARGS__)
#define popops_is_inf_with_output(...) POPOPS_UNARY(_with_output, IS_INF, __VA_ARGS__)
/* Whether a is a NaN; BOOL. */
#define popops_is_nan(...)             POPOPS_UNARY(, IS_NAN, __VA_ARGS__)
#define popops_is_nan_in_place(...)    POPOPS_UNARY(_in_place, IS_NAN, __VA_ARGS__)
#define popops_is_nan_with_output(...) POPOPS_UNARY(_with_output, IS_NAN, __VA_ARGS__)
/* The natural logarithm. */
#define popops_log(...)             POPOPS_UNARY(, LOGARITHM, __VA_ARGS__)
#define popops_log_in_place(...)    POPOPS_UNARY(_in_place, LOGARITHM, __VA_ARGS__)
#define popops_log_with_output(...) POPOPS_UNARY(_with_output, LOGARITHM, __VA_ARGS__)
/* The natural logarithm of 1 + a, precise near 0. */
#define popops_log1p(...)             POPOPS_UNARY(, LOGARITHM_ONE_PLUS, __VA_ARGS__)
#define popops_log1p_in_place(...)    POPOPS_UNARY(_in_place, LOGARITHM_ONE_PLUS, __VA_ARGS__)
#define popops_log1p_with_output(...) POPOPS_UNARY(_with_output, LOGARITHM_ONE_PLUS, __VA_ARGS__)
/* Whether a is false or 0; BOOL. */
#define popops_logical_not(...)             POPOPS_UNARY(, LOGICAL_NOT, __VA_ARGS__)
#define popops_logical_not_in_place(...)    POPOPS_UNARY(_in_place, LOGICAL_NOT, __VA_ARGS__)
#define popops_logical_not_with_output(...) POPOPS_UNARY(_with_output, LOGICAL_NOT, __VA_ARGS__)
/* The nearest integer; ties to even. */
#define popops_nearbyint(...)             POPOPS_UNARY(, NEARBY_INT, __VA_ARGS__)
#define popops_nearbyint_in_place(...)    POPOPS_UNARY(_in_place, NEARBY_INT, __VA_ARGS__)
#define popops_nearbyint_with_output(...) POPOPS_UNARY(_with_output, NEARBY_INT, __VA_ARGS__)
/* -a; signed types. */
#define popops_neg(...)             POPOPS_UNARY(, NEGATE, __VA_ARGS__)
#define popops_neg_in_place(...)    POPOPS_UNARY(_in_place, NEGATE, __VA_ARGS__)
#define popops_neg_with_output(...) POPOPS_UNARY(_with_output, NEGATE, __VA_ARGS__)
/* Number of bits that are 1. */
#define popops_popcount(...)             POPOPS_UNARY(, POPCOUNT, __VA_ARGS__)
#define popops_popcount_in_place(...)    POPOPS_UNARY(_in_place, POPCOUNT, __VA_ARGS__)
#define popops_popcount_with_output(...) POPOPS_UNARY(_with_output, POPCOUNT, __VA_ARGS__)
/* The nearest integer; ties away from 0. */
#define popops_round(...)             POPOPS_UNARY(, ROUND, __VA_ARGS__)
#define popops_round_in_place(...)    POPOPS_UNARY(_in_place, ROUND, __VA_ARGS__)
#define popops_round_with_output(...) POPOPS_UNARY(_with_output, ROUND, __VA_ARGS__)
/* 1 / sqrt(a). */
#define popops_rsqrt(...)             POPOPS_UNARY(, RSQRT, __VA_ARGS__)
#define popops_rsqrt_in_place(...)    POPOPS_UNARY(_in_place, RSQRT, __VA_ARGS__)
#define popops_rsqrt_with_output(...) POPOPS_UNARY(_with_output, RSQRT, __VA_ARGS__)
/* 1 / (1 + e^-a). */
#define popops_sigmoid(...)             POPOPS_UNARY(, SIGMOID, __VA_ARGS__)
#define popops_sigmoid_in_place(...)    POPOPS_UNARY(_in_place, SIGMOID, __VA_ARGS__)
#define popops_sigmoid_with_output(...) POPOPS_UNARY(_with_output, SIGMOID, __VA_ARGS__)
/* 1, 0 or -1: the sign of a. */
#define popops_signum(...)             POPOPS_UNARY(, SIGNUM, __VA_ARGS__)
#define popops_signum_in_place(...)    POPOPS_UNARY(_in_place, SIGNUM, __VA_ARGS__)
#define popops_signum_with_output(...) POPOPS_UNARY(_with_output, SIGNUM, __VA_ARGS__)
/* The sine of an angle in radians. */
#define popops_sin(...)             POPOPS_UNARY(, SIN, __VA_ARGS__)
#define popops_sin_in_place(...)    POPOPS_UNARY(_in_place, SIN, __VA_ARGS__)
#define popops_sin_with_output(...) POPOPS_UNARY(_with_output, SIN, __VA_ARGS__)
/* The square root; of integers rounded down. */
#define popops_sqrt(...)             POPOPS_UNARY(, SQRT, __VA_ARGS__)
#define popops_sqrt_in_place(...)    POPOPS_UNARY(_in_place, SQRT, __VA_ARGS__)
#define popops_sqrt_with_output(...) POPOPS_UNARY(_with_output, SQRT, __VA_ARGS__)
/* a a. */
#define popops_square(...)             POPOPS_UNARY(, SQUARE, __VA_ARGS__)
#define popops_square_in_place(...)    POPOPS_UNARY(_in_place, SQUARE, __VA_ARGS__)
#define popops_square_with_output(...) POPOPS_UNARY(_with_output, SQUARE, __VA_ARGS__)
/* The tangent of an angle in radians. */
#define popops_tan(...)             POPOPS_UNARY(, TAN, __VA_ARGS__)
#define popops_tan_in_place(...)    POPOPS_UNARY(_in_place, TAN, __VA_ARGS__)
#define popops_tan_with_output(...) POPOPS_UNARY(_with_output, TAN, __VA_ARGS__)
/* The hyperbolic tangent. */
#define popops_tanh(...)             POPOPS_UNARY(, TANH, __VA_ARGS__)
#define popops_tanh_in_place(...)    POPOPS_UNARY(_in_place, TANH, __VA_ARGS__)
#define popops_tanh_with_output(...) POPOPS_UNARY(_with_output, TANH, __VA_ARGS__)
/* a without its fraction. */
#define popops_trunc(...)             POPOPS_UNARY(, TRUNC, __VA_ARGS__)
#define popops_trunc_in_place(...)    POPOPS_UNARY(_in_place, TRUNC, __VA_ARGS__)
#define popops_trunc_with_output(...) POPOPS_UNARY(_with_output, TRUNC, __VA_ARGS__)
/* a + b. */
#define popops_add(...)             POPOPS_BINARY(, ADD, __VA_ARGS__)
#define popops_add_in_place(...)    POPOPS_BINARY(_in_place, ADD, __VA_ARGS__)
#define popops_add_with_output(...) POPOPS_BINARY(_with_output, ADD, __VA_ARGS__)
/* The angle of the point (b, a), in radians. */
#define popops_atan2(...)             POPOPS_BINARY(, ATAN2, __VA_ARGS__)
#define popops_atan2_in_place(...)    POPOPS_BINARY(_in_place, ATAN2, __VA_ARGS__)
#define popops_atan2_with_output(...) POPOPS_BINARY(_with_output, ATAN2, __VA_ARGS__)
/* a & b, bit by bit; integers. */
#define popops_bitwise_and(...)             POPOPS_BINARY(, BITWISE_AND, __VA_ARGS__)
#define popops_bitwise_and_in_place(...)    POPOPS_BINARY(_in_place, BITWISE_AND, __VA_ARGS__)
#define popops_bitwise_and_with_output(...) POPOPS_BINARY(_with_output, BITWISE_AND, __VA_ARGS__)
/* a | b, bit by bit; integers. */
#define popops_bitwise_or(...)             POPOPS_BINARY(, BITWISE_OR, __VA_ARGS__)
#define popops_bitwise_or_in_place(...)    POPOPS_BINARY(_in_place, BITWISE_OR, __VA_ARGS__)
#define popops_bitwise_or_with_output(...) POPOPS_BINARY(_with_output, BITWISE_OR, __VA_ARGS__)
/* ~(a ^ b), bit by bit; integers. */
#define popops_bitwise_xnor(...)             POPOPS_BINARY(, BITWISE_XNOR, __VA_ARGS__)
#define popops_bitwise_xnor_in_place(...)    POPOPS_BINARY(_in_place, BITWISE_XNOR, __VA_ARGS__)
#define popops_bitwise_xnor_with_output(...) POPOPS_BINARY(_with_output, BITWISE_XNOR, __VA_ARGS__)
/* a ^ b, bit by bit; integers. */
#define popops_bitwise_xor(...)             POPOPS_BINARY(, BITWISE_XOR, __VA_ARGS__)
#define popops_bitwise_xor_in_place(...)    POPOPS_BINARY(_in_place, BITWISE_XOR, __VA_ARGS__)
#define popops_bitwise_xor_with_output(...) POPOPS_BINARY(_with_output, BITWISE_XOR, __VA_ARGS__)
/* a / b; of integers rounded toward 0. */
#define popops_div(...)             POPOPS_BINARY(, DIVIDE, __VA_ARGS__)
#define popops_div_in_place(...)    POPOPS_BINARY(_in_place, DIVIDE, __VA_ARGS__)
#define popops_div_with_output(...) POPOPS_BINARY(_with_output, DIVIDE, __VA_ARGS__)
/* Whether a = b; BOOL. */
#define popops_eq(...)             POPOPS_BINARY(, EQUAL, __VA_ARGS__)
#define popops_eq_in_place(...)    POPOPS_BINARY(_in_place, EQUAL, __VA_ARGS__)
#define popops_eq_with_output(...) POPOPS_BINARY(_with_output, EQUAL, __VA_ARGS__)
/* Whether a > b; BOOL. */
#define popops_gt(...)             POPOPS_BINARY(, GREATER_THAN, __VA_ARGS__)
#define popops_gt_in_place(...)    POPOPS_BINARY(_in_place, GREATER_THAN, __VA_ARGS__)
#define popops_gt_with_output(...) POPOPS_BINARY(_with_output, GREATER_THAN, __VA_ARGS__)
/* Whether a >= b; BOOL. */
#define popops_gteq(...)             POPOPS_BINARY(, GREATER_THAN_EQUAL, __VA_ARGS__)
#define popops_gteq_in_place(...)    POPOPS_BINARY(_in_place, GREATER_THAN_EQUAL, __VA_ARGS__)
#define popops_gteq_with_output(...) POPOPS_BINARY(_with_output, GREATER_THAN_EQUAL, __VA_ARGS__)
/* 1 / a^2 - b: the variance of an inverse standard deviation a with epsilon b. */
#define popops_inv_std_dev_to_variance(...)          POPOPS_BINARY(, INV_STD_DEV_TO_VARIANCE, __VA_ARGS__)
#define popops_inv_std_dev_to_variance_in_place(...) POPOPS_BINARY(_in_place, INV_STD_DEV_TO_VARIANCE, __VA_ARGS__)
#define popops_inv_std_dev_to_variance_with_output(...)                                                                \
    POPOPS_BINARY(_with_output, INV_STD_DEV_TO_VARIANCE, __VA_ARGS__)
/* Whether both are true or not 0; BOOL. */
#define popops_logical_and(...)             POPOPS_BINARY(, LOGICAL_AND, __VA_ARGS__)
#define popops_logical_and_in_place(...)    POPOPS_BINARY(_in_place, LOGICAL_AND, __VA_ARGS__)
#define popops_logical_and_with_output(...) POPOPS_BINARY(_with_output, LOGICAL_AND, __VA_ARGS__)
/* Whether one is true or not 0; BOOL. */
#define popops_logical_or(...)             POPOPS_BINARY(, LOGICAL_OR, __VA_ARGS__)
#define popops_logical_or_in_place(...)    POPOPS_BINARY(_in_place, LOGICAL_OR, __VA_ARGS__)
#define popops_logical_or_with_output(...) POPOPS_BINARY(_with_output, LOGICAL_OR, __VA_ARGS__)
/* Whether a < b; BOOL. */
#define popops_lt(...)             POPOPS_BINARY(, LESS_THAN, __VA_ARGS__)
#define popops_lt_in_place(...)    POPOPS_BINARY(_in_place, LESS_THAN, __VA_ARGS__)
#define popops_lt_with_output(...) POPOPS_BINARY(_with_output, LESS_THAN, __VA_ARGS__)
/* Whether a <= b; BOOL. */
#define popops_lteq(...)             POPOPS_BINARY(, LESS_THAN_EQUAL, __VA_ARGS__)
#define popops_lteq_in_place(...)    POPOPS_BINARY(_in_place, LESS_THAN_EQUAL, __VA_ARGS__)
#define popops_lteq_with_output(...) POPOPS_BINARY(_with_output, LESS_THAN_EQUAL, __VA_ARGS__)
/* The larger of a and b; a number if one is a NaN. */
#define popops_max(...)             POPOPS_BINARY(, MAXIMUM, __VA_ARGS__)
#define popops_max_in_place(...)    POPOPS_BINARY(_in_place, MAXIMUM, __VA_ARGS__)
#define popops_max_with_output(...) POPOPS_BINARY(_with_output, MAXIMUM, __VA_ARGS__)
/* The smaller of a and b; a number if one is a NaN. */
#define popops_min(...)             POPOPS_BINARY(, MINIMUM, __VA_ARGS__)
#define popops_min_in_place(...)    POPOPS_BINARY(_in_place, MINIMUM, __VA_ARGS__)
#define popops_min_with_output(...) POPOPS_BINARY(_with_output, MINIMUM, __VA_ARGS__)
/* a b. */
#define popops_mul(...)             POPOPS_BINARY(, MULTIPLY, __VA_ARGS__)
#define popops_mul_in_place(...)    POPOPS_BINARY(_in_place, MULTIPLY, __VA_ARGS__)
#define popops_mul_with_output(...) POPOPS_BINARY(_with_output, MULTIPLY, __VA_ARGS__)
/* Whether a and b differ; BOOL. */
#define popops_neq(...)             POPOPS_BINARY(, NOT_EQUAL, __VA_ARGS__)
#define popops_neq_in_place(...)    POPOPS_BINARY(_in_place, NOT_EQUAL, __VA_ARGS__)
#define popops_neq_with_output(...) POPOPS_BINARY(_with_output, NOT_EQUAL, __VA_ARGS__)
/* a to the power of b. */
#define popops_pow(...)             POPOPS_BINARY(, POWER, __VA_ARGS__)
#define popops_pow_in_place(...)    POPOPS_BINARY(_in_place, POWER, __VA_ARGS__)
#define popops_pow_with_output(...) POPOPS_BINARY(_with_output, POWER, __VA_ARGS__)
/* The remainder of a / b, with the sign of a. */
#define popops_rem(...)             POPOPS_BINARY(, REMAINDER, __VA_ARGS__)
#define popops_rem_in_place(...)    POPOPS_BINARY(_in_place, REMAINDER, __VA_ARGS__)
#define popops_rem_with_output(...) POPOPS_BINARY(_with_output, REMAINDER, __VA_ARGS__)
/* a shifted to the left by b bits; 0 if b is the type's bits or more. */
#define popops_shift_left(...)             POPOPS_BINARY(, SHIFT_LEFT, __VA_ARGS__)
#define popops_shift_left_in_place(...)    POPOPS_BINARY(_in_place, SHIFT_LEFT, __VA_ARGS__)
#define popops_shift_left_with_output(...) POPOPS_BINARY(_with_output, SHIFT_LEFT, __VA_ARGS__)
/* a shifted to the right by b bits, with zeros; 0 if b is the type's bits or more. */
#define popops_shift_right(...)             POPOPS_BINARY(, SHIFT_RIGHT, __VA_ARGS__)
#define popops_shift_right_in_place(...)    POPOPS_BINARY(_in_place, SHIFT_RIGHT, __VA_ARGS__)
#define popops_shift_right_with_output(...) POPOPS_BINARY(_with_output, SHIFT_RIGHT, __VA_ARGS__)
/* a shifted to the right by b bits, with copies of the sign. */
#define popops_shift_right_sign_extend(...)          POPOPS_BINARY(, SHIFT_RIGHT_SIGN_EXTEND, __VA_ARGS__)
#define popops_shift_right_sign_extend_in_place(...) POPOPS_BINARY(_in_place, SHIFT_RIGHT_SIGN_EXTEND, __VA_ARGS__)
#define popops_shift_right_sign_extend_with_output(...)                                                                \
    POPOPS_BINARY(_with_output, SHIFT_RIGHT_SIGN_EXTEND, __VA_ARGS__)
/* a - b. */
#define popops_sub(...)             POPOPS_BINARY(, SUBTRACT, __VA_ARGS__)
#define popops_sub_in_place(...)    POPOPS_BINARY(_in_place, SUBTRACT, __VA_ARGS__)
#define popops_sub_with_output(...) POPOPS_BINARY(_with_output, SUBTRACT, __VA_ARGS__)
/* 1 / sqrt(a + b): the inverse standard deviation of a variance a with epsilon b. */
#define popops_variance_to_inv_std_dev(...)          POPOPS_BINARY(, VARIANCE_TO_INV_STD_DEV, __VA_ARGS__)
#define popops_variance_to_inv_std_dev_in_place(...) POPOPS_BINARY(_in_place, VARIANCE_TO_INV_STD_DEV, __VA_ARGS__)
#define popops_variance_to_inv_std_dev_with_output(...)                                                                \
    POPOPS_BINARY(_with_output, VARIANCE_TO_INV_STD_DEV, __VA_ARGS__)
/* a raised to b, then lowered to c. */
#define popops_clamp(...)             POPOPS_TERNARY(, CLAMP, __VA_ARGS__)
#define popops_clamp_in_place(...)    POPOPS_TERNARY(_in_place, CLAMP, __VA_ARGS__)
#define popops_clamp_with_output(...) POPOPS_TERNARY(_with_output, CLAMP, __VA_ARGS__)
/* a where the BOOL c is true, otherwise b. */
#define popops_select(...)             POPOPS_TERNARY(, SELECT, __VA_ARGS__)
#define popops_select_in_place(...)    POPOPS_TERNARY(_in_place, SELECT, __VA_ARGS__)
#define popops_select_with_output(...) POPOPS_TERNARY(_with_output, SELECT, __VA_ARGS__)

#endif
