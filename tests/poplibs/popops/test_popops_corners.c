/* SPDX-License-Identifier: Apache-2.0 */
/* Operators where their definition decides: bounds of a clamp in the wrong order, divisions whose quotient is not in
 * the type, NaN; as operators, in place, and as compiled expressions. */
#include "poplibs/bed.h"

#include <popops/codelets.h>
#include <popops/expr.h>

#define COMPILED POP_OPTIONS({ "forceGenerateCodelet", "true" })

/* Raised to the lower bound, then lowered to the upper: whatever the order of the bounds, the upper one holds. */
static void test_clamp_between_bounds_of_any_order(void **state)
{
    (void)state;
    static const pop_type types[] = { POP_FLOAT,        POP_HALF,     POP_INT,
                                      POP_UNSIGNED_INT, POP_LONGLONG, POP_UNSIGNED_LONGLONG };
    static const double x[] = { 0, 1, 4, 5, 10, 2, 3, 7 }, low[] = { 5, 5, 5, 5, 5, 1, 3, 0 },
                        high[] = { 3, 3, 3, 3, 3, 4, 3, 9 };
    for (unsigned test = 0; test < 12; ++test) {
        struct bed bed = bed_open(test / 6 ? BED_MODEL : BED_CPU, 2, popops_add_codelets_at);
        pop_tensor in[4];
        for (int i = 0; i < 4; ++i) {
            in[i] = pop_graph_add_variable(bed.graph, types[test % 6], POP_SHAPE(8), "in");
            bed_map(&bed, in[i], BED_SCATTERED);
            bed_write(&bed, in[i], i == 1 ? low : i == 2 ? high : x, 0, 0);
        }
        pop_tensor out[] = { popops_clamp(bed.graph, in[0], in[1], in[2], bed.program, "new"),
                             popops_map(bed.graph, "clamp(_1, _2, _3)", POP_TENSORS(in[0], in[1], in[2]), bed.program,
                                        "map", COMPILED),
                             popops_clamp(bed.graph, in[0], 5, 3, bed.program, "numbers"), in[3] };
        popops_clamp_in_place(bed.graph, in[3], in[1], in[2], bed.program, "in place");
        double *got[4], wanted[2][8];
        bed_run_all(&bed, out, got, 4);
        for (int i = 0; i < 8; ++i) {
            wanted[0][i] = fmin(fmax(x[i], low[i]), high[i]);
            wanted[1][i] = 3;
        }
        for (int i = 0; i < 4; ++i)
            bed_check(got[i], wanted[i == 2], 8, 0, 0);
        bed_close(&bed);
    }
}

/* The quotient wraps and the remainder is 0; the machine's instructions would end the program. */
static void test_lowest_integer_by_minus_one(void **state)
{
    (void)state;
    static const pop_type types[] = { POP_INT, POP_LONGLONG };
    static const char *const texts[] = { "_1 / _2", "_1 % _2" };
    for (unsigned test = 0; test < 4; ++test) {
        struct bed bed = bed_open(test / 2 ? BED_MODEL : BED_CPU, 2, popops_add_codelets_at);
        pop_type type = types[test % 2];
        double lowest = type == POP_INT ? -0x1p31 : -0x1p63;
        pop_tensor a = pop_graph_add_variable(bed.graph, type, POP_SHAPE(4), "a"),
                   b = pop_graph_add_variable(bed.graph, type, POP_SHAPE(4), "b"), out[6];
        bed_map(&bed, a, BED_ONE_TILE);
        bed_map(&bed, b, BED_ONE_TILE);
        bed_write(&bed, a, (double[]){ lowest, -7, lowest, 7 }, 0, 0);
        bed_write(&bed, b, (double[]){ -1, -1, 2, -2 }, 0, 0);
        for (int k = 0; k < 2; ++k) {
            popops_binary_op op = k ? POPOPS_BINARY_REMAINDER : POPOPS_BINARY_DIVIDE;
            popops_operand first = popops_operand_of_tensor(a), second = popops_operand_of_tensor(b);
            out[3 * k] = popops_binary_at(POP_HERE, op, bed.graph, first, second, bed.program, "op");
            out[3 * k + 1] = popops_map(bed.graph, texts[k], POP_TENSORS(a, b), bed.program, "map", COMPILED);
            out[3 * k + 2] = pop_graph_clone(bed.graph, POP_TYPE_NULL, a, POP_CLONE_PRESERVE_ORDER_AND_ALIASES, "own");
            bed_map(&bed, out[3 * k + 2], BED_ONE_TILE);
            pop_sequence_add(bed.program, pop_copy(a, out[3 * k + 2], false, "own"));
            popops_binary_in_place_at(POP_HERE, op, bed.graph, popops_operand_of_tensor(out[3 * k + 2]), second,
                                      bed.program, "in place");
        }
        double *got[6];
        bed_run_all(&bed, out, got, 6);
        for (int i = 0; i < 3; ++i) {
            bed_check(got[i], (double[]){ lowest, 7, lowest / 2, -3 }, 4, 0, 0);
            bed_check(got[3 + i], (double[]){ 0, 0, 0, 1 }, 4, 0, 0);
        }
        bed_close(&bed);
    }
}

/* An operand of more dims than the output, which come first and are 1. */
static void test_leading_ones(void **state)
{
    (void)state;
    for (enum bed_device device = BED_CPU; device < BED_DEVICES; ++device) {
        struct bed bed = bed_open(device, 2, popops_add_codelets_at);
        pop_tensor a = bed_input(&bed, POP_FLOAT, POP_SHAPE(2, 3), BED_LINEAR),
                   b = bed_input(&bed, POP_FLOAT, POP_SHAPE(1, 2, 3), BED_LINEAR),
                   scalar = bed_input(&bed, POP_FLOAT, POP_SHAPE(), BED_LINEAR),
                   one = bed_input(&bed, POP_FLOAT, POP_SHAPE(1), BED_LINEAR),
                   out = bed_input(&bed, POP_FLOAT, POP_SHAPE(2, 3), BED_SCATTERED);
        popops_add_in_place(bed.graph, a, b, bed.program, "x");
        popops_map_in_place(bed.graph, "_1 * _2 + _2", POP_TENSORS(a, b), bed.program, "x", POP_NO_OPTIONS);
        popops_mul_in_place(bed.graph, scalar, one, bed.program, "x");
        popops_map_in_place(bed.graph, "_1 * _2", POP_TENSORS(scalar, one), bed.program, "x", POP_NO_OPTIONS);
        popops_sub_with_output(bed.graph, b, pop_tensor_expand(b, POP_DIMS(0)), out, bed.program, "x");
        double x[6], y[6], s = *bed_given(&bed, scalar), o = *bed_given(&bed, one), *got[3];
        memcpy(x, bed_given(&bed, a), sizeof(x));
        memcpy(y, bed_given(&bed, b), sizeof(y));
        bed_run_all(&bed, (pop_tensor[]){ a, scalar, out }, got, 3);
        for (int i = 0; i < 6; ++i)
            x[i] = (x[i] + y[i]) * y[i] + y[i];
        bed_check(got[0], x, 6, 1e-6, 1e-7);
        bed_check(got[1], (double[]){ s * o * o }, 1, 1e-6, 0);
        bed_check(got[2], (double[6]){ 0 }, 6, 0, 0);
        bed_close(&bed);
    }
}

/* Element i of x times a float, rounded to half once. */
static double product_of(double x, double scale)
{
    float exact = (float)x * (float)scale;
    uint16_t rounded;
    double value;
    pop_convert(POP_FLOAT, &exact, POP_HALF, &rounded, 1);
    pop_convert(POP_HALF, &rounded, POP_DOUBLE, &value, 1);
    return value;
}

/* Halves times one float: the float is not rounded to half first (0.1 is not a half, 1e5 is beyond the largest). */
static void test_halves_times_one_float(void **state)
{
    (void)state;
    static const double scales[] = { 0.1, 0.5, 1e5, -3e-6 };
    enum { N = 45, FORMS = 9 };
    for (unsigned test = 0; test < 16; ++test) {
        struct bed bed = bed_open(test % 2 ? BED_MODEL : BED_CPU, 3, popops_add_codelets_at);
        double scale = scales[test / 4], wanted[N], *got[FORMS];
        pop_tensor a = bed_input_of(&bed, POP_HALF, POP_SHAPE(9, 5), test & 2 ? BED_SCATTERED : BED_LINEAR, -0.5, 0.5),
                   s = pop_graph_add_variable(bed.graph, POP_FLOAT, POP_SHAPE(1, 1), "s"), out[FORMS];
        bed_map(&bed, s, BED_ONE_TILE);
        bed_write(&bed, s, &scale, 0, 0);
        for (int i = 0; i < FORMS; ++i) {
            out[i] = pop_graph_clone(bed.graph, POP_TYPE_NULL, a, POP_CLONE_PRESERVE_ORDER_AND_ALIASES, "own");
            pop_sequence_add(bed.program, pop_copy(a, out[i], false, "own"));
        }
        popops_expr_node number[] = {
            { .kind = POPOPS_EXPR_PLACEHOLDER, .op = 1 },
            { .kind = POPOPS_EXPR_CONST, .type = POP_FLOAT, .value = popops_operand_of_double(scale) },
            { .kind = POPOPS_EXPR_BINARY, .op = POPOPS_BINARY_MULTIPLY }
        };
        popops_expr of_number = { number, 3 };
        pop_tensor turned = pop_tensor_flatten(out[8]), reverse = pop_tensor_reverse(turned, 0);
        out[0] = popops_mul(bed.graph, a, s, bed.program, "x");
        out[1] = popops_mul(bed.graph, s, a, bed.program, "x");
        popops_mul_in_place(bed.graph, out[2], s, bed.program, "x");
        popops_mul_with_output(bed.graph, s, a, out[3], bed.program, "x");
        out[4] = popops_map(bed.graph, "_2 * _1", POP_TENSORS(s, a), bed.program, "x", POP_NO_OPTIONS);
        popops_map_in_place(bed.graph, "_1 * _2", POP_TENSORS(out[5], s), bed.program, "x", COMPILED);
        popops_map_with_output(bed.graph, "_1 * _2", POP_TENSORS(a, s), out[6], bed.program, "x", POP_NO_OPTIONS);
        out[7] = popops_map_expr(bed.graph, of_number, POP_TENSORS(a), bed.program, "x", POP_NO_OPTIONS);
        popops_mul_with_output(bed.graph, reverse, s, turned, bed.program, "x");
        const double *x = bed_given(&bed, a);
        for (int i = 0; i < N; ++i)
            wanted[i] = product_of(x[i], scale);
        bed_run_all(&bed, out, got, FORMS);
        for (int i = 0; i < FORMS - 1; ++i)
            bed_check(got[i], wanted, N, 0, 0);
        for (int i = 0; i < N; ++i)
            bed_check(got[8] + i, wanted + N - 1 - i, 1, 0, 0);
        bed_close(&bed);
    }
}

/* Within the tolerance the float is used as half; the option is for this product alone, which stays the only operation
 * of two types. */
static void test_tolerance_of_the_scale(void **state)
{
    (void)state;
    pop_options coarse = POP_OPTIONS({ "scalarMultiplyFloatToHalfTolerance", "1e-3" });
    struct bed bed = bed_open(BED_MODEL, 1, popops_add_codelets_at);
    pop_tensor a = bed_input(&bed, POP_HALF, POP_SHAPE(40), BED_ONE_TILE),
               s = pop_graph_add_variable(bed.graph, POP_FLOAT, POP_SHAPE(), "s");
    bed_map(&bed, s, BED_ONE_TILE);
    bed_write(&bed, s, (double[]){ 0.1 }, 0, 0);
    popops_add(bed.graph, a, s, bed.program, "x");
    assert_error(bed.graph, POP_TYPE_ERROR, "popops_add", "half and float");
    popops_mul_in_place(bed.graph, s, pop_tensor_at(a, 0), bed.program, "x");
    assert_error(bed.graph, POP_TYPE_ERROR, "popops_mul_in_place", "float and half");
    popops_map(bed.graph, "_1 * 2", POP_TENSORS(a), bed.program, "x", coarse);
    assert_error(bed.graph, POP_INVALID_OPTION, "popops_map", "scalarMultiplyFloatToHalfTolerance");
    pop_tensor out = popops_map(bed.graph, "_1 * _2", POP_TENSORS(a, s), bed.program, "x", coarse);
    double wanted[40], *got;
    for (int i = 0; i < 40; ++i)
        wanted[i] = product_of(bed_given(&bed, a)[i], 0.0999755859375);
    got = bed_run(&bed, out);
    bed_check(got, wanted, 40, 0, 0);
    bed_close(&bed);
}

/* As the machine's instructions: of a NaN and a number the number; RELU is the maximum with 0. */
static void test_maximum_and_relu_of_nan(void **state)
{
    (void)state;
    static const double x[] = { NAN, -NAN, -1, 2, INFINITY, -INFINITY, -0.0 },
                        wanted[] = { 0, 0, 0, 2, INFINITY, 0, 0 };
    for (unsigned test = 0; test < 4; ++test) {
        struct bed bed = bed_open(test / 2 ? BED_MODEL : BED_CPU, 2, popops_add_codelets_at);
        pop_type type = test % 2 ? POP_HALF : POP_FLOAT;
        pop_tensor in = pop_graph_add_variable(bed.graph, type, POP_SHAPE(7), "in"), out[4];
        bed_map(&bed, in, BED_LINEAR);
        bed_write(&bed, in, x, 0, 0);
        popops_expr_node relu[] = { { .kind = POPOPS_EXPR_PLACEHOLDER, .op = 1 },
                                    { .kind = POPOPS_EXPR_UNARY, .op = POPOPS_UNARY_RELU } };
        out[0] = popops_unary_at(POP_HERE, POPOPS_UNARY_RELU, bed.graph, in, bed.program, "relu");
        out[1] = popops_map_expr(bed.graph, ((popops_expr){ relu, 2 }), POP_TENSORS(in), bed.program, "m", COMPILED);
        out[2] = popops_map(bed.graph, "max(_1, 0)", POP_TENSORS(in), bed.program, "max", COMPILED);
        out[3] = popops_max(bed.graph, in, 0.0f, bed.program, "number");
        double *got[4];
        bed_run_all(&bed, out, got, 4);
        for (int i = 0; i < 4; ++i)
            bed_check(got[i], wanted, 7, 0, 0);
        bed_close(&bed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clamp_between_bounds_of_any_order),
        cmocka_unit_test(test_lowest_integer_by_minus_one),
        cmocka_unit_test(test_leading_ones),
        cmocka_unit_test(test_halves_times_one_float),
        cmocka_unit_test(test_tolerance_of_the_scale),
        cmocka_unit_test(test_maximum_and_relu_of_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
