/* SPDX-License-Identifier: Apache-2.0 */
#include <poplar/type.h>

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_names(void **state)
{
    (void)state;
    for (int i = 1; i < POP_TYPE_COUNT; ++i)
        assert_int_equal(pop_type_by_name(pop_type_name((pop_type)i)), i);
    assert_string_equal(pop_type_name(POP_UNSIGNED_LONGLONG), "unsigned long long");
    assert_string_equal(pop_type_name((pop_type)-1), "null");
    assert_string_equal(pop_type_name(POP_TYPE_COUNT), "null");
    assert_int_equal(pop_type_by_name("unsigned"), POP_UNSIGNED_INT);
    assert_int_equal(pop_type_by_name("long long unsigned int"), POP_UNSIGNED_LONGLONG);
    assert_int_equal(pop_type_by_name("Float"), POP_TYPE_NULL);
    assert_int_equal(pop_type_by_name(""), POP_TYPE_NULL);
    assert_int_equal(pop_type_by_name(NULL), POP_TYPE_NULL);
}

static void test_properties(void **state)
{
    (void)state;
    assert_int_equal(pop_type_size(POP_HALF), 2);
    assert_int_equal(pop_type_size(POP_BOOL), 1);
    assert_int_equal(pop_type_size(POP_LONGLONG), 8);
    assert_int_equal(pop_type_size(POP_TYPE_NULL), 0);
    assert_int_equal(pop_type_size((pop_type)1000), 0);
    assert_true(pop_type_is_integral(POP_BOOL) && !pop_type_is_signed(POP_BOOL));
    assert_true(pop_type_is_floating_point(POP_HALF) && !pop_type_is_integral(POP_HALF));
    assert_false(pop_type_is_integral(POP_TYPE_NULL) || pop_type_is_integral(POP_TYPE_COUNT));
    static const pop_type refused[] = { POP_TYPE_NULL, POP_LONG, POP_UNSIGNED_LONG, POP_DOUBLE };
    int supported = 0;
    for (int i = 0; i < POP_TYPE_COUNT; ++i)
        supported += pop_type_is_supported((pop_type)i);
    assert_int_equal(supported, POP_TYPE_COUNT - (int)(sizeof(refused) / sizeof(refused[0])));
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); ++i)
        assert_false(pop_type_is_supported(refused[i]));
}

static bool half_is_nan(unsigned bits)
{
    return (bits & 0x7c00) == 0x7c00 && (bits & 0x3ff);
}

/* The value of finite half bits by its definition. */
static double half_value(unsigned bits)
{
    int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
    double value = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return bits & 0x8000 ? -value : value;
}

static void test_every_half_round_trips(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 65536; ++bits) {
        float value = pop_half_to_float((uint16_t)bits);
        if (half_is_nan(bits)) {
            assert_true(isnan(value));
            assert_int_equal(pop_half_from_float(value), bits | 0x200);
            assert_int_equal(pop_half_from_double((double)value), bits | 0x200);
            continue;
        }
        if ((bits & 0x7fff) == 0x7c00)
            assert_true(isinf(value));
        else
            assert_true((double)value == half_value(bits));
        assert_int_equal(!!signbit(value), bits >> 15);
        assert_int_equal(pop_half_from_float(value), bits);
        assert_int_equal(pop_half_from_double((double)value), bits);
    }
}

/* Between any two neighbouring halves: the midpoint rounds to even, other values to the nearer one. */
static void test_every_midpoint_rounds_to_even(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 0x7c00; ++bits) {
        double low = half_value(bits), high = bits + 1 == 0x7c00 ? 65536 : half_value(bits + 1),
               middle = (low + high) / 2;
        unsigned even = bits & 1 ? bits + 1 : bits;
        assert_int_equal(pop_half_from_double(middle), even);
        assert_int_equal(pop_half_from_double(nextafter(middle, 0)), bits);
        assert_int_equal(pop_half_from_double(nextafter(middle, 1e9)), bits + 1);
        assert_int_equal(pop_half_from_double(-middle), even | 0x8000);
        float narrow = (float)middle;
        assert_true((double)narrow == middle);
        assert_int_equal(pop_half_from_float(narrow), even);
        assert_int_equal(pop_half_from_float(nextafterf(narrow, 0)), bits);
        assert_int_equal(pop_half_from_float(nextafterf(narrow, 1e9f)), bits + 1);
        assert_int_equal(pop_half_from_float(-nextafterf(narrow, 1e9f)), (bits + 1) | 0x8000);
    }
}

/* A conversion via float would round twice: the low bits are lost, and the midpoint rounds to even. */
static void test_double_is_rounded_once(void **state)
{
    (void)state;
    double value = 1 + ldexp(1, -11) + ldexp(1, -40);
    assert_int_equal(pop_half_from_float((float)value), 0x3c00);
    assert_int_equal(pop_half_from_double(value), 0x3c01);
    uint16_t half;
    pop_convert(POP_DOUBLE, &value, POP_HALF, &half, 1);
    assert_int_equal(half, 0x3c01);
}

static void test_far_values(void **state)
{
    (void)state;
    assert_int_equal(pop_half_from_float(FLT_MAX), 0x7c00);
    assert_int_equal(pop_half_from_double(-DBL_MAX), 0xfc00);
    assert_int_equal(pop_half_from_double(HUGE_VAL), 0x7c00);
    assert_int_equal(pop_half_from_float(1e-45f), 0);
    assert_int_equal(pop_half_from_double(-5e-324), 0x8000);
    assert_int_equal(pop_half_from_double(ldexp(1, -25)), 0);
    assert_int_equal(pop_half_from_double(ldexp(1.0001, -25)), 1);
}

static void test_half_arrays(void **state)
{
    (void)state;
    float from[257], back[257];
    unsigned char halves[257 * 2 + 1];
    for (int i = 0; i < 257; ++i)
        from[i] = (float)(i - 100) * 0.25f;
    pop_copy_float_to_device_half(from, halves + 1, 257); /* unaligned on purpose */
    pop_copy_device_half_to_float(halves + 1, back, 257);
    assert_memory_equal(from, back, sizeof(from));
    pop_copy_float_to_device_half(NULL, NULL, 0);
}

/* A small value that every type can hold, converted between all pairs of types, in counts around the chunk size. */
static void test_every_pair_converts(void **state)
{
    (void)state;
    static const size_t counts[] = { 0, 1, 7, 255, 256, 257, 521 };
    double ones[521];
    unsigned char from[521 * 8 + 1], to[521 * 8 + 2];
    for (size_t i = 0; i < 521; ++i)
        ones[i] = (double)(i % 3 == 0);
    for (int f = 1; f < POP_TYPE_COUNT; ++f)
        for (int t = 1; t < POP_TYPE_COUNT; ++t)
            for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); ++c) {
                if (f == POP_QUARTER || t == POP_QUARTER)
                    continue;
                size_t count = counts[c], bytes = count * pop_type_size((pop_type)t);
                double back[521] = { 0 };
                memset(to, 0xa5, sizeof(to));
                pop_convert(POP_DOUBLE, ones, (pop_type)f, from + 1, count);
                pop_convert((pop_type)f, from + 1, (pop_type)t, to + 1, count);
                pop_convert((pop_type)t, to + 1, POP_DOUBLE, back, count);
                assert_memory_equal(back, ones, count * sizeof(double));
                assert_int_equal(to[0], 0xa5);
                assert_int_equal(to[1 + bytes], 0xa5);
            }
}

static void test_conversions_are_those_of_c(void **state)
{
    (void)state;
    int from_int[] = { -1, 300, 65535, 0, -129 };
    unsigned char bytes[5];
    signed char chars[5];
    bool flags[5];
    float floats[5];
    pop_convert(POP_INT, from_int, POP_UNSIGNED_CHAR, bytes, 5);
    pop_convert(POP_INT, from_int, POP_CHAR, chars, 5);
    pop_convert(POP_INT, from_int, POP_BOOL, flags, 5);
    pop_convert(POP_INT, from_int, POP_FLOAT, floats, 5);
    for (int i = 0; i < 5; ++i) {
        assert_int_equal(bytes[i], (unsigned char)from_int[i]);
        assert_int_equal(chars[i], (signed char)from_int[i]);
        assert_int_equal(flags[i], from_int[i] != 0);
        assert_true(floats[i] == (float)from_int[i]);
    }
    float reals[] = { -1.9f, 1.9f, 0.25f, -0.0f, NAN };
    int ints[5];
    pop_convert(POP_FLOAT, reals, POP_INT, ints, 5);
    assert_int_equal(ints[0], -1);
    assert_int_equal(ints[1], 1);
    assert_int_equal(ints[4], 0);
    pop_convert(POP_FLOAT, reals, POP_BOOL, flags, 5);
    assert_true(flags[0] && flags[2] && !flags[3] && flags[4]);
    /* 2^53 + 1 and 2^63 + 2^39 are float midpoints that a conversion via double would miss. */
    long long large = ((long long)1 << 62) + ((long long)1 << 38) + 1;
    float narrow;
    pop_convert(POP_LONGLONG, &large, POP_FLOAT, &narrow, 1);
    assert_true(narrow == (float)large && (double)narrow == ldexp(1, 62) + ldexp(1, 39));
    unsigned long long max = UINT64_MAX;
    uint16_t half;
    pop_convert(POP_UNSIGNED_LONGLONG, &max, POP_HALF, &half, 1);
    assert_int_equal(half, 0x7c00);
}

/* Conversions that are undefined in C give the nearest bound. */
static void test_out_of_range_reals_saturate(void **state)
{
    (void)state;
    double reals[] = { 1e30, -1e30, HUGE_VAL, -HUGE_VAL, NAN, 9223372036854775808.0 };
    long long wide[6];
    unsigned long long wide_unsigned[6];
    signed char narrow[6];
    pop_convert(POP_DOUBLE, reals, POP_LONGLONG, wide, 6);
    pop_convert(POP_DOUBLE, reals, POP_UNSIGNED_LONGLONG, wide_unsigned, 6);
    pop_convert(POP_DOUBLE, reals, POP_SIGNED_CHAR, narrow, 6);
    assert_true(wide[0] == INT64_MAX && wide[1] == INT64_MIN && wide[2] == INT64_MAX && wide[3] == INT64_MIN &&
                wide[4] == 0 && wide[5] == INT64_MAX);
    assert_true(wide_unsigned[0] == UINT64_MAX && wide_unsigned[1] == 0 && wide_unsigned[4] == 0 &&
                wide_unsigned[5] == (uint64_t)1 << 63);
    assert_true(narrow[0] == 127 && narrow[1] == -128 && narrow[4] == 0);
}

static void test_bools_other_than_1_and_types_without_values(void **state)
{
    (void)state;
    unsigned char odd[] = { 0, 1, 2, 255 }, flags[4], left = 9;
    int ints[4];
    pop_convert(POP_BOOL, odd, POP_INT, ints, 4);
    assert_true(ints[0] == 0 && ints[1] == 1 && ints[2] == 1 && ints[3] == 1);
    pop_convert(POP_BOOL, odd, POP_BOOL, flags, 4);
    assert_true(flags[0] == 0 && flags[1] == 1 && flags[2] == 1 && flags[3] == 1);
    pop_convert(POP_INT, ints, POP_TYPE_NULL, &left, 1);
    assert_int_equal(left, 9);
    pop_convert(POP_QUARTER, odd, POP_INT, ints, 4);
    assert_true(ints[0] == 0 && ints[3] == 0);
    pop_convert(POP_INT, NULL, POP_FLOAT, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_properties),
        cmocka_unit_test(test_every_half_round_trips),
        cmocka_unit_test(test_every_midpoint_rounds_to_even),
        cmocka_unit_test(test_double_is_rounded_once),
        cmocka_unit_test(test_far_values),
        cmocka_unit_test(test_half_arrays),
        cmocka_unit_test(test_every_pair_converts),
        cmocka_unit_test(test_conversions_are_those_of_c),
        cmocka_unit_test(test_out_of_range_reals_saturate),
        cmocka_unit_test(test_bools_other_than_1_and_types_without_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
