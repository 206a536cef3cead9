/* SPDX-License-Identifier: Apache-2.0 */
/* Operators where their definition decides: bounds of a clamp in the wrong order, divisions whose quotient is not in
 * the type, NaN; as operators, in place, and as compiled expressions. */
#include "poplibs/numeric.h"

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
        struct fixture fixture = fixture_open(test / 6 ? FIXTURE_MODEL : FIXTURE_CPU, 2, popops_add_codelets_at);
        pop_tensor in[4];
        for (int i = 0; i < 4; ++i) {
            in[i] = pop_graph_add_variable(fixture.graph, types[test % 6], POP_SHAPE(8), "in");
            fixture_map(&fixture, in[i], FIXTURE_SCATTERED);
            fixture_write(&fixture, in[i], i == 1 ? low : i == 2 ? high : x, 0, 0);
        }
        pop_tensor out[] = { popops_clamp(fixture.graph, in[0], in[1], in[2], fixture.program, "new"),
                             popops_map(fixture.graph, "clamp(_1, _2, _3)", POP_TENSORS(in[0], in[1], in[2]),
                                        fixture.program, "map", COMPILED),
                             popops_clamp(fixture.graph, in[0], 5, 3, fixture.program, "numbers"), in[3] };
        popops_clamp_in_place(fixture.graph, in[3], in[1], in[2], fixture.program, "in place");
        double *got[4], wanted[2][8];
        fixture_run_all(&fixture, out, got, 4);
        for (int i = 0; i < 8; ++i) {
            wanted[0][i] = fmin(fmax(x[i], low[i]), high[i]);
            wanted[1][i] = 3;
        }
        for (int i = 0; i < 4; ++i)
            fixture_check(got[i], wanted[i == 2], 8, 0, 0);
        fixture_close(&fixture);
    }
}

/* The quotient wraps and the remainder is 0; the machine's instructions would end the program. */
static void test_lowest_integer_by_minus_one(void **state)
{
    (void)state;
    static const pop_type types[] = { POP_INT, POP_LONGLONG };
    static const char *const texts[] = { "_1 / _2", "_1 % _2" };
    for (unsigned test = 0; test < 4; ++test) {
        struct fixture fixture = fixture_open(test / 2 ? FIXTURE_MODEL : FIXTURE_CPU, 2, popops_add_codelets_at);
        pop_type type = types[test % 2];
        double lowest = type == POP_INT ? -0x1p31 : -0x1p63;
        pop_tensor a = pop_graph_add_variable(fixture.graph, type, POP_SHAPE(4), "a"),
                   b = pop_graph_add_variable(fixture.graph, type, POP_SHAPE(4), "b"), out[6];
        fixture_map(&fixture, a, FIXTURE_ONE_TILE);
        fixture_map(&fixture, b, FIXTURE_ONE_TILE);
        fixture_write(&fixture, a, (double[]){ lowest, -7, lowest, 7 }, 0, 0);
        fixture_write(&fixture, b, (double[]){ -1, -1, 2, -2 }, 0, 0);
        for (int k = 0; k < 2; ++k) {
            popops_binary_op op = k ? POPOPS_BINARY_REMAINDER : POPOPS_BINARY_DIVIDE;
            popops_operand first = popops_operand_of_tensor(a), second = popops_operand_of_tensor(b);
            out[3 * k] = popops_binary_at(POP_HERE, op, fixture.graph, first, second, fixture.program, "op");
            out[3 * k + 1] = popops_map(fixture.graph, texts[k], POP_TENSORS(a, b), fixture.program, "map", COMPILED);
            out[3 * k + 2] =
                pop_graph_clone(fixture.graph, POP_TYPE_NULL, a, POP_CLONE_PRESERVE_ORDER_AND_ALIASES, "own");
            fixture_map(&fixture, out[3 * k + 2], FIXTURE_ONE_TILE);
            pop_sequence_add(fixture.program, pop_copy(a, out[3 * k + 2], false, "own"));
            popops_binary_in_place_at(POP_HERE, op, fixture.graph, popops_operand_of_tensor(out[3 * k + 2]), second,
                                      fixture.program, "in place");
        }
        double *got[6];
        fixture_run_all(&fixture, out, got, 6);
        for (int i = 0; i < 3; ++i) {
            fixture_check(got[i], (double[]){ lowest, 7, lowest / 2, -3 }, 4, 0, 0);
            fixture_check(got[3 + i], (double[]){ 0, 0, 0, 1 }, 4, 0, 0);
        }
        fixture_close(&fixture);
    }
}

/* An operand of more dims than the output, which come first and are 1. */
static void test_leading_ones(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device) {
        struct fixture fixture = fixture_open(device, 2, popops_add_codelets_at);
        pop_tensor a = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(2, 3), FIXTURE_LINEAR),
                   b = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(1, 2, 3), FIXTURE_LINEAR),
                   scalar = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(), FIXTURE_LINEAR),
                   one = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(1), FIXTURE_LINEAR),
                   out = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(2, 3), FIXTURE_SCATTERED);
        popops_add_in_place(fixture.graph, a, b, fixture.program, "x");
        popops_map_in_place(fixture.graph, "_1 * _2 + _2", POP_TENSORS(a, b), fixture.program, "x", POP_NO_OPTIONS);
        popops_mul_in_place(fixture.graph, scalar, one, fixture.program, "x");
        popops_map_in_place(fixture.graph, "_1 * _2", POP_TENSORS(scalar, one), fixture.program, "x", POP_NO_OPTIONS);
        popops_sub_with_output(fixture.graph, b, pop_tensor_expand(b, POP_DIMS(0)), out, fixture.program, "x");
        double x[6], y[6], s = *fixture_given(&fixture, scalar), o = *fixture_given(&fixture, one), *got[3];
        memcpy(x, fixture_given(&fixture, a), sizeof(x));
        memcpy(y, fixture_given(&fixture, b), sizeof(y));
        fixture_run_all(&fixture, (pop_tensor[]){ a, scalar, out }, got, 3);
        for (int i = 0; i < 6; ++i)
            x[i] = (x[i] + y[i]) * y[i] + y[i];
        fixture_check(got[0], x, 6, 1e-6, 1e-7);
        fixture_check(got[1], (double[]){ s * o * o }, 1, 1e-6, 0);
        fixture_check(got[2], (double[6]){ 0 }, 6, 0, 0);
        fixture_close(&fixture);
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
        struct fixture fixture = fixture_open(test % 2 ? FIXTURE_MODEL : FIXTURE_CPU, 3, popops_add_codelets_at);
        double scale = scales[test / 4], wanted[N], *got[FORMS];
        pop_tensor a = fixture_input_of(&fixture, POP_HALF, POP_SHAPE(9, 5),
                                        test & 2 ? FIXTURE_SCATTERED : FIXTURE_LINEAR, -0.5, 0.5),
                   s = pop_graph_add_variable(fixture.graph, POP_FLOAT, POP_SHAPE(1, 1), "s"), out[FORMS];
        fixture_map(&fixture, s, FIXTURE_ONE_TILE);
        fixture_write(&fixture, s, &scale, 0, 0);
        for (int i = 0; i < FORMS; ++i) {
            out[i] = pop_graph_clone(fixture.graph, POP_TYPE_NULL, a, POP_CLONE_PRESERVE_ORDER_AND_ALIASES, "own");
            pop_sequence_add(fixture.program, pop_copy(a, out[i], false, "own"));
        }
        popops_expr_node number[] = {
            { .kind = POPOPS_EXPR_PLACEHOLDER, .op = 1 },
            { .kind = POPOPS_EXPR_CONST, .type = POP_FLOAT, .value = popops_operand_of_double(scale) },
            { .kind = POPOPS_EXPR_BINARY, .op = POPOPS_BINARY_MULTIPLY }
        };
        popops_expr of_number = { number, 3 };
        pop_tensor turned = pop_tensor_flatten(out[8]), reverse = pop_tensor_reverse(turned, 0);
        out[0] = popops_mul(fixture.graph, a, s, fixture.program, "x");
        out[1] = popops_mul(fixture.graph, s, a, fixture.program, "x");
        popops_mul_in_place(fixture.graph, out[2], s, fixture.program, "x");
        popops_mul_with_output(fixture.graph, s, a, out[3], fixture.program, "x");
        out[4] = popops_map(fixture.graph, "_2 * _1", POP_TENSORS(s, a), fixture.program, "x", POP_NO_OPTIONS);
        popops_map_in_place(fixture.graph, "_1 * _2", POP_TENSORS(out[5], s), fixture.program, "x", COMPILED);
        popops_map_with_output(fixture.graph, "_1 * _2", POP_TENSORS(a, s), out[6], fixture.program, "x",
                               POP_NO_OPTIONS);
        out[7] = popops_map_expr(fixture.graph, of_number, POP_TENSORS(a), fixture.program, "x", POP_NO_OPTIONS);
        popops_mul_with_output(fixture.graph, reverse, s, turned, fixture.program, "x");
        const double *x = fixture_given(&fixture, a);
        for (int i = 0; i < N; ++i)
            wanted[i] = product_of(x[i], scale);
        fixture_run_all(&fixture, out, got, FORMS);
        for (int i = 0; i < FORMS - 1; ++i)
            fixture_check(got[i], wanted, N, 0, 0);
        for (int i = 0; i < N; ++i)
            fixture_check(got[8] + i, wanted + N - 1 - i, 1, 0, 0);
        fixture_close(&fixture);
    }
}

/* Within the tolerance the float is used as half; the option is for this product alone, which stays the only operation
 * of two types. */
static void test_tolerance_of_the_scale(void **state)
{
    (void)state;
    pop_options coarse = POP_OPTIONS({ "scalarMultiplyFloatToHalfTolerance", "1e-3" });
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 1, popops_add_codelets_at);
    pop_tensor a = fixture_input(&fixture, POP_HALF, POP_SHAPE(40), FIXTURE_ONE_TILE),
               s = pop_graph_add_variable(fixture.graph, POP_FLOAT, POP_SHAPE(), "s");
    fixture_map(&fixture, s, FIXTURE_ONE_TILE);
    fixture_write(&fixture, s, (double[]){ 0.1 }, 0, 0);
    popops_add(fixture.graph, a, s, fixture.program, "x");
    assert_error(fixture.graph, POP_TYPE_ERROR, "popops_add", "half and float");
    popops_mul_in_place(fixture.graph, s, pop_tensor_at(a, 0), fixture.program, "x");
    assert_error(fixture.graph, POP_TYPE_ERROR, "popops_mul_in_place", "float and half");
    popops_map(fixture.graph, "_1 * 2", POP_TENSORS(a), fixture.program, "x", coarse);
    assert_error(fixture.graph, POP_INVALID_OPTION, "popops_map", "scalarMultiplyFloatToHalfTolerance");
    pop_tensor out = popops_map(fixture.graph, "_1 * _2", POP_TENSORS(a, s), fixture.program, "x", coarse);
    double wanted[40], *got;
    for (int i = 0; i < 40; ++i)
        wanted[i] = product_of(fixture_given(&fixture, a)[i], 0.0999755859375);
    got = fixture_run(&fixture, out);
    fixture_check(got, wanted, 40, 0, 0);
    fixture_close(&fixture);
}

/* As the machine's instructions: of a NaN and a number the number; RELU is the maximum with 0. */
static void test_maximum_and_relu_of_nan(void **state)
{
    (void)state;
    static const double x[] = { NAN, -NAN, -1, 2, INFINITY, -INFINITY, -0.0 },
                        wanted[] = { 0, 0, 0, 2, INFINITY, 0, 0 };
    for (unsigned test = 0; test < 4; ++test) {
        struct fixture fixture = fixture_open(test / 2 ? FIXTURE_MODEL : FIXTURE_CPU, 2, popops_add_codelets_at);
        pop_type type = test % 2 ? POP_HALF : POP_FLOAT;
        pop_tensor in = pop_graph_add_variable(fixture.graph, type, POP_SHAPE(7), "in"), out[4];
        fixture_map(&fixture, in, FIXTURE_LINEAR);
        fixture_write(&fixture, in, x, 0, 0);
        popops_expr_node relu[] = { { .kind = POPOPS_EXPR_PLACEHOLDER, .op = 1 },
                                    { .kind = POPOPS_EXPR_UNARY, .op = POPOPS_UNARY_RELU } };
        out[0] = popops_unary_at(POP_HERE, POPOPS_UNARY_RELU, fixture.graph, in, fixture.program, "relu");
        out[1] =
            popops_map_expr(fixture.graph, ((popops_expr){ relu, 2 }), POP_TENSORS(in), fixture.program, "m", COMPILED);
        out[2] = popops_map(fixture.graph, "max(_1, 0)", POP_TENSORS(in), fixture.program, "max", COMPILED);
        out[3] = popops_max(fixture.graph, in, 0.0f, fixture.program, "number");
        double *got[4];
        fixture_run_all(&fixture, out, got, 4);
        for (int i = 0; i < 4; ++i)
            fixture_check(got[i], wanted, 7, 0, 0);
        fixture_close(&fixture);
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
