/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of element_functions.h against double precision: random bit patterns, intervals where they are steep,
 * and every special value. */
#include "poplibs/fixture.h"

#include <math.h>
#include <popops/element_functions.h>
#include <stdlib.h>

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}
static double gelu_of(double x)
{
    return isinf(x) && x < 0 ? -0.0 : 0.5 * x * erfc(-x / sqrt(2));
}

/* The error of a result, in units in the last place of float. */
static double distance(float got, double wanted)
{
    if (isnan(got) || isnan(wanted))
        return isnan(got) && isnan(wanted) ? 0 : INFINITY;
    if (got == (float)wanted)
        return 0;
    if (isinf(got) || isinf((float)wanted)) /* one unit beyond the largest float may be rounded to it */
        return fabs(got) > 3.4e38 && fabs(wanted) > 3.4e38 && (got > 0) == (wanted > 0) ? 1 : INFINITY;
    return fabs(got - wanted) / ldexp(1, ilogb(fabs(wanted) < 0x1p-126 ? 0x1p-126 : wanted) - 23);
}

static const float special[] = {
    0.0f,    -0.0f,    1.0f,      -1.0f,         0.5f,      -0.5f,      2.0f,      -2.0f,           3.0f,
    -3.0f,   INFINITY, -INFINITY, NAN,           0x1p-149f, -0x1p-149f, 0x1p-126f, 0x1.fffffep127f, -0x1.fffffep127f,
    0x1p24f, 1.5f,     -2.5f,     0x1.fffffep-1f
};
enum { SPECIAL = sizeof(special) / sizeof(special[0]), ROUNDS = 20000 };

static float any_float(uint64_t *random)
{
    return popops_float_of(next_random(random) << 1 ^ next_random(random));
}

static void test_functions_of_one(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        float (*ours)(float);
        double (*wanted)(double);
        float low, high;
    } tests[] = {
        { "exp", popops_expf, exp, -105, 90 },
        { "exp2", popops_exp2f, exp2, -151, 129 },
        { "expm1", popops_expm1f, expm1, -5, 5 },
        { "log", popops_logf, log, 0.5f, 2 },
        { "log1p", popops_log1pf, log1p, -0.9f, 1 },
        { "sin", popops_sinf, sin, -10, 10 },
        { "cos", popops_cosf, cos, -10, 10 },
        { "tan", popops_tanf, tan, -10, 10 },
        { "asin", popops_asinf, asin, -1, 1 },
        { "cbrt", popops_cbrtf, cbrt, -9, 9 },
        { "erf", popops_erff, erf, -4, 4 },
        { "tanh", popops_tanhf, tanh, -3, 3 },
        { "sigmoid", popops_sigmoidf, sigmoid, -87, 20 },
        { "gelu", popops_gelu_erff, gelu_of, -12, 6 },
        { "round", popops_roundf, round, -9, 9 },
    };
    uint64_t random = 1;
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); ++i)
        for (int k = 0; k < ROUNDS + SPECIAL; ++k) {
            float within = tests[i].low + (tests[i].high - tests[i].low) * (float)next_random(&random) * 0x1p-31f;
            float a = k < SPECIAL ? special[k] : k % 2 ? any_float(&random) : within;
            float got = tests[i].ours(a);
            double wanted = tests[i].wanted(a);
            bool gelu = tests[i].ours == popops_gelu_erff, vanishes = gelu && fabs(wanted) < 0x1p-120;
            if (vanishes ? fabs(got - wanted) > 0x1p-140 : !(distance(got, wanted) <= (gelu ? 7 : 4)))
                fail_msg("%s(%.9g) is %.9g instead of %.9g", tests[i].name, a, got, wanted);
        }
}

/* Each 4,999th float, or with TREMULA_ALL_FLOATS all 2^32 of them (scripts/check-all). */
static void test_one_unit_in_the_last_place(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        float (*ours)(float);
        double (*wanted)(double);
    } tests[] = { { "exp", popops_expf, exp },
                  { "log", popops_logf, log },
                  { "tanh", popops_tanhf, tanh },
                  { "sigmoid", popops_sigmoidf, sigmoid },
                  { "erf", popops_erff, erf } };
    uint32_t step = getenv("TREMULA_ALL_FLOATS") ? 1 : 4999;
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); ++i)
        for (uint64_t bits = 0; bits <= UINT32_MAX; bits += step) {
            float a = popops_float_of((uint32_t)bits), got = tests[i].ours(a);
            double wanted = tests[i].wanted(a);
            if (!(distance(got, wanted) <= 1))
                fail_msg("%s(%.9g) is %.9g instead of %.9g", tests[i].name, a, got, wanted);
        }
}

static void test_functions_of_two(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int k = 0; k < 8 * ROUNDS; ++k) {
        float a = any_float(&random), b = any_float(&random);
        if (k < SPECIAL * SPECIAL) {
            a = special[k / SPECIAL];
            b = special[k % SPECIAL];
        } else if (k % 2) {
            a = 20 * (float)next_random(&random) * 0x1p-31f;
            b = 120 * ((float)next_random(&random) * 0x1p-31f - 0.5f);
        }
        if (!(distance(popops_powf(a, b), pow(a, b)) <= 4))
            fail_msg("pow(%.9g, %.9g) is %.9g instead of %.9g", a, b, popops_powf(a, b), pow(a, b));
        if (!(distance(popops_atan2f(a, b), atan2(a, b)) <= 4))
            fail_msg("atan2(%.9g, %.9g) is %.9g instead of %.9g", a, b, popops_atan2f(a, b), atan2(a, b));
    }
}

/* Every half, and floats around the ties between them. */
static void test_rounding_to_half(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
        float half = pop_half_to_float((uint16_t)bits);
        for (int k = -2; k <= 2 && !isnan(half); ++k) {
            float near = popops_float_of(popops_bits_of(half) + 0x1000u + (uint32_t)k),
                  rounded = pop_half_to_float(pop_half_from_float(near));
            if (!isnan(near) && popops_bits_of(popops_round_to_half(near)) != popops_bits_of(rounded))
                fail_msg("%.9g becomes %.9g, not %.9g", near, popops_round_to_half(near), rounded);
        }
        float other = any_float(&random);
        if (!isnan(other))
            assert_true(popops_round_to_half(other) == pop_half_to_float(pop_half_from_float(other)));
    }
    assert_true(isnan(popops_round_to_half(NAN)));
}

static void test_integer_roots(void **state)
{
    (void)state;
    for (int root = 0; root <= 46340; ++root) {
        assert_int_equal(popops_integer_root(root * root), root);
        assert_int_equal(popops_integer_root(root * root - 1), root ? root - 1 : 0);
    }
    assert_int_equal(popops_integer_root(INT32_MAX), 46340);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions_of_one), cmocka_unit_test(test_one_unit_in_the_last_place),
        cmocka_unit_test(test_functions_of_two), cmocka_unit_test(test_rounding_to_half),
        cmocka_unit_test(test_integer_roots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
