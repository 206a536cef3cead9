/* SPDX-License-Identifier: Apache-2.0 */
/* 8-bit floats against their definition: a table of values, and the nearest of them found by search. */
#include <poplar/quarter.h>

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const pop_quarter_format formats[] = { POP_QUARTER_F143, POP_QUARTER_F152 };

/* The value of a code from 0 to 0x7f by its definition. */
static double magnitude(pop_quarter_format format, unsigned code)
{
    int mantissa_bits = format == POP_QUARTER_F143 ? 3 : 2, bias = format == POP_QUARTER_F143 ? 8 : 16;
    int exponent = (int)code >> mantissa_bits, mantissa = (int)code & ((1 << mantissa_bits) - 1);
    return exponent ? ldexp(1 + ldexp(mantissa, -mantissa_bits), exponent - bias)
                    : ldexp(ldexp(mantissa, -mantissa_bits), 1 - bias);
}

static double value_of(pop_quarter_format format, int scale, unsigned code)
{
    double value = ldexp(magnitude(format, code & 0x7f), scale);
    return code == 0x80 ? NAN : code & 0x80 ? -value : value;
}

static void test_every_code(void **state)
{
    (void)state;
    for (int f = 0; f < 2; ++f)
        for (int scale = -32; scale < 32; ++scale) {
            uint8_t metadata = pop_quarter_metadata(formats[f], scale), codes[256];
            double values[256];
            assert_int_equal(pop_quarter_metadata_format(metadata), formats[f]);
            assert_int_equal(pop_quarter_metadata_scale(metadata), scale);
            assert_int_equal(pop_quarter_metadata_scale(metadata | 0x40), scale); /* bit 6 has no meaning */
            for (unsigned code = 0; code < 256; ++code) {
                float got = pop_quarter_to_float((uint8_t)code, metadata);
                double wanted = value_of(formats[f], scale, code);
                assert_true(code == 0x80 ? isnan(got) : (double)got == wanted);
                codes[code] = (uint8_t)code;
                for (int nanoo = 0; nanoo < 2; ++nanoo) /* every code but those of NaN is what its value becomes */
                    assert_int_equal(pop_quarter_from_double(wanted, metadata, nanoo), code);
            }
            pop_convert_from_quarter(metadata, codes, POP_DOUBLE, values, 256);
            for (unsigned code = 0; code < 256; ++code)
                assert_true(code == 0x80 ? isnan(values[code]) : values[code] == value_of(formats[f], scale, code));
        }
}

/* The code of a finite value: the nearest magnitude; of two the even code; the one beyond the largest is overflow. */
static unsigned nearest(pop_quarter_format format, double scaled, bool nanoo)
{
    double size = fabs(scaled);
    unsigned best = 0;
    for (unsigned code = 1; code <= 0x80; ++code) { /* 0x80: what would follow the largest value */
        double here = fabs(magnitude(format, code) - size), before = fabs(magnitude(format, best) - size);
        if (here < before || (here == before && code % 2 == 0))
            best = code;
    }
    if (best == 0x80)
        return nanoo ? 0x80 : scaled < 0 ? 0xff : 0x7f;
    return best && scaled < 0 ? best | 0x80 : best;
}

static void test_every_half_rounds_to_the_nearest(void **state)
{
    (void)state;
    static const int scales[] = { -31, -9, -1, 0, 3, 31 };
    for (int f = 0; f < 2; ++f)
        for (size_t s = 0; s < sizeof(scales) / sizeof(scales[0]); ++s)
            for (unsigned bits = 0; bits < 0x10000; ++bits) {
                float value = pop_half_to_float((uint16_t)bits);
                uint8_t metadata = pop_quarter_metadata(formats[f], scales[s]);
                for (int nanoo = 0; nanoo < 2; ++nanoo) {
                    unsigned wanted = isfinite(value) ? nearest(formats[f], ldexp(value, -scales[s]), nanoo) : 0x80;
                    assert_int_equal(pop_quarter_from_float(value, metadata, nanoo), wanted);
                }
            }
}

/* Each middle between neighbours, and the doubles beside it, which no rounding to float or half first may lose. */
static void test_middles(void **state)
{
    (void)state;
    for (int f = 0; f < 2; ++f)
        for (int scale = -31; scale < 32; ++scale)
            for (unsigned code = 0; code < 0x80; ++code)
                for (int side = -1; side <= 1; ++side)
                    for (int sign = -1; sign <= 1; sign += 2) {
                        double middle = (magnitude(formats[f], code) + magnitude(formats[f], code + 1)) / 2;
                        double scaled = side ? nextafter(middle, side * 1e9) : middle;
                        uint8_t metadata = pop_quarter_metadata(formats[f], scale);
                        for (int nanoo = 0; nanoo < 2; ++nanoo)
                            assert_int_equal(pop_quarter_from_double(sign * ldexp(scaled, scale), metadata, nanoo),
                                             nearest(formats[f], sign * scaled, nanoo));
                    }
}

static void test_special_values(void **state)
{
    (void)state;
    for (int f = 0; f < 2; ++f)
        for (int nanoo = 0; nanoo < 2; ++nanoo) {
            uint8_t metadata = pop_quarter_metadata(formats[f], 0);
            assert_int_equal(pop_quarter_from_double(NAN, metadata, nanoo), 0x80);
            assert_int_equal(pop_quarter_from_double(-INFINITY, metadata, nanoo), 0x80);
            assert_int_equal(pop_quarter_from_double(-0.0, metadata, nanoo), 0);
            assert_int_equal(pop_quarter_from_double(-DBL_MIN / 4, metadata, nanoo), 0);
            assert_int_equal(pop_quarter_from_double(-DBL_MAX, metadata, nanoo), nanoo ? 0x80 : 0xff);
            assert_int_equal(pop_quarter_from_float(FLT_MIN / 4, metadata, nanoo), 0);
        }
    /* From the front end's tests, and from release 2.5's packing. */
    assert_int_equal(pop_quarter_from_float(0.75f, pop_quarter_metadata(POP_QUARTER_F143, 0), true), 0x3c);
    assert_int_equal(pop_quarter_from_float(0.75f, pop_quarter_metadata(POP_QUARTER_F143, 2), true), 0x2c);
    assert_int_equal(pop_quarter_from_float(0.75f, pop_quarter_metadata(POP_QUARTER_F143, -1), true), 0x44);
    assert_int_equal(pop_quarter_from_float(0.25f, pop_quarter_metadata(POP_QUARTER_F152, 0), true), 0x38);
    assert_int_equal(pop_quarter_from_float(0.25f, pop_quarter_metadata(POP_QUARTER_F152, 3), true), 0x2c);
    assert_int_equal(pop_quarter_from_float(250, pop_quarter_metadata(POP_QUARTER_F143, 0), false), 0x7f);
    assert_int_equal(pop_quarter_from_float(250, pop_quarter_metadata(POP_QUARTER_F143, 0), true), 0x80);
    assert_int_equal(pop_quarter_metadata(POP_QUARTER_F143, 0), 0x80);
    assert_int_equal(pop_quarter_metadata(POP_QUARTER_F152, 1), 0x01);
    assert_int_equal(pop_quarter_metadata(POP_QUARTER_F143, -1), 0xbf);
}

static void test_arrays_of_every_type(void **state)
{
    (void)state;
    static const int small[] = { 0, 1, 3, 7, 17, 100, 5 };
    uint8_t metadata = pop_quarter_metadata(POP_QUARTER_F152, -2), codes[521];
    for (int type = 1; type < POP_TYPE_COUNT; ++type) {
        if (type == POP_QUARTER)
            continue;
        unsigned char host[521 * 8], back[521 * 8];
        double values[521], wanted[521], got[521];
        for (size_t i = 0; i < 521; ++i)
            values[i] = type == POP_BOOL ? (double)(i % 2) : small[i % 7];
        pop_convert(POP_DOUBLE, values, (pop_type)type, host, 521);
        pop_convert_to_quarter(metadata, (pop_type)type, host, codes, 521, true);
        pop_convert_from_quarter(metadata, codes, (pop_type)type, back, 521);
        pop_convert((pop_type)type, back, POP_DOUBLE, got, 521);
        for (size_t i = 0; i < 521; ++i) {
            unsigned code = nearest(POP_QUARTER_F152, ldexp(values[i], 2), true);
            assert_int_equal(codes[i], code);
            wanted[i] = type == POP_BOOL ? values[i] : value_of(POP_QUARTER_F152, -2, code);
            assert_true(got[i] == wanted[i]);
        }
    }
    pop_convert_to_quarter(metadata, POP_FLOAT, NULL, NULL, 0, true);
    pop_convert_from_quarter(metadata, NULL, POP_FLOAT, NULL, 0);
}

static double error_of(pop_quarter_format format, int scale, const float *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; ++i)
        if (isfinite(values[i])) {
            unsigned code = nearest(format, ldexp(values[i], -scale), false);
            double error = value_of(format, scale, code) - (double)values[i];
            sum += error * error;
        }
    return sum;
}

static void test_the_best_scale(void **state)
{
    (void)state;
    enum { COUNT = 37 };
    for (int f = 0; f < 2; ++f)
        for (int power = -40; power <= 40; power += 5) {
            float values[COUNT];
            for (int i = 0; i < COUNT; ++i)
                values[i] = (float)ldexp(sin(i * 1.7) * (1 + i % 5), power);
            values[3] = NAN;
            values[4] = -INFINITY;
            uint8_t best = pop_quarter_best_metadata(formats[f], POP_FLOAT, values, COUNT);
            assert_int_equal(pop_quarter_metadata_format(best), formats[f]);
            int found = pop_quarter_metadata_scale(best);
            double least = error_of(formats[f], found, values, COUNT);
            for (int scale = -31; scale <= 31; ++scale) {
                double error = error_of(formats[f], scale, values, COUNT);
                assert_true(error >= least);
                if (error == least) /* of equal ones the nearest to 0, then the positive */
                    assert_true(abs(scale) > abs(found) || (abs(scale) == abs(found) && scale <= found));
            }
        }
    assert_int_equal(pop_quarter_best_metadata(POP_QUARTER_F143, POP_FLOAT, NULL, 0), 0x80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_code),
        cmocka_unit_test(test_every_half_rounds_to_the_nearest),
        cmocka_unit_test(test_middles),
        cmocka_unit_test(test_special_values),
        cmocka_unit_test(test_arrays_of_every_type),
        cmocka_unit_test(test_the_best_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
