/* SPDX-License-Identifier: Apache-2.0 */
/* The multiply-add of codelets for machines without an instruction for it (poplibs/fused.h) against fmaf, to the bit:
 * chosen values, values of any exponent, sums next to half-way cases, cancellation, subnormal results. */
#undef __FMA__
#undef __ARM_FEATURE_FMA
#undef __riscv
#include "../../../src/poplibs/fused.h"

#include "poplibs/fixture.h"

#include <float.h>
#include <math.h>

static float from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}
static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static void check(float a, float b, float c)
{
    const volatile float x = a, y = b, z = c; /* computed when the test runs, not by the compiler */
    const float got = poplibs_fused(x, y, z), wanted = fmaf(x, y, z);
    if (bits_of(got) != bits_of(wanted) && !(isnan(got) && isnan(wanted)))
        fail_msg("%a * %a + %a gives %a, fmaf gives %a", (double)a, (double)b, (double)c, (double)got, (double)wanted);
}

static uint32_t any_bits(uint64_t *state)
{
    return (uint32_t)next_random(state) << 16 ^ next_random(state);
}
/* With an exponent from low to high, and a significand of any bits or of few. */
static float value_of(uint64_t *state, int low, int high)
{
    uint32_t fraction = any_bits(state) & 0x7fffff;
    if (next_random(state) % 2)
        fraction &= 0x7fffffu << next_random(state) % 23;
    const float value =
        ldexpf((float)(fraction | 0x800000), low + (int)(next_random(state) % (unsigned)(high - low)) - 23);
    return next_random(state) % 2 ? -value : value;
}

static void test_chosen_values(void **state)
{
    (void)state;
    static const float values[] = { 0.0f,
                                    1.0f,
                                    1.5f,
                                    3.0f,
                                    FLT_MIN,
                                    FLT_MAX,
                                    FLT_EPSILON,
                                    FLT_TRUE_MIN,
                                    3 * FLT_TRUE_MIN,
                                    FLT_MIN - FLT_TRUE_MIN,
                                    1 + FLT_EPSILON,
                                    1 - FLT_EPSILON / 2,
                                    0x1p-75f,
                                    0x1p-63f,
                                    0x1.fffffep63f,
                                    0x1.000002p-12f,
                                    0x1.001p0f,
                                    INFINITY,
                                    NAN };
    enum { COUNT = sizeof(values) / sizeof(values[0]) };
    for (unsigned i = 0; i < 8 * COUNT * COUNT * COUNT; ++i) {
        const unsigned at = i / 8;
        const float a = values[at % COUNT], b = values[at / COUNT % COUNT], c = values[at / COUNT / COUNT];
        check(i & 1 ? -a : a, i & 2 ? -b : b, i & 4 ? -c : c);
    }
}

static void test_any_bits(void **state)
{
    (void)state;
    uint64_t random = 11;
    for (unsigned i = 0; i < 200000; ++i)
        check(from_bits(any_bits(&random)), from_bits(any_bits(&random)), from_bits(any_bits(&random)));
}

/* c is as large as the product's end, so that the sum is next to the midpoint of two floats or cancels. */
static void test_half_way_and_cancellation(void **state)
{
    (void)state;
    uint64_t random = 12;
    for (unsigned i = 0; i < 200000; ++i) {
        const float a = value_of(&random, -30, 30), b = value_of(&random, -30, 30), product = a * b;
        const int shift = (int)(next_random(&random) % 56) - 28;
        check(a, b, -product);
        check(a, b, nextafterf(-product, 0));
        check(a, b, ldexpf(product, shift));
        check(a, b, ldexpf(value_of(&random, 0, 1), ilogbf(product) + shift));
        check(product, 1 + FLT_EPSILON, ldexpf(1, ilogbf(product) + 24));
    }
}

static void test_subnormal_results(void **state)
{
    (void)state;
    uint64_t random = 13;
    for (unsigned i = 0; i < 200000; ++i) {
        const float a = value_of(&random, -80, -60), b = value_of(&random, -80, -60);
        check(a, b, from_bits(any_bits(&random) & 0x80ffffff));
        check(a, b, value_of(&random, -149, -120));
        check(value_of(&random, 60, 70), value_of(&random, 58, 66), value_of(&random, 110, 128));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_chosen_values), cmocka_unit_test(test_any_bits),
                                        cmocka_unit_test(test_half_way_and_cancellation),
                                        cmocka_unit_test(test_subnormal_results) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
