/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fit.h"

#include <poplar/text.h>

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

static const double half_max = 65504;

/* Bounds of an integer type that has `bits` bits. */
static int64_t lowest_of(pop_type type)
{
    return pop_type_is_signed(type) ? -((int64_t)1 << (pop_type_size(type) * 8 - 2)) * 2 : 0;
}

static uint64_t highest_of(pop_type type)
{
    unsigned bits = (unsigned)pop_type_size(type) * 8;
    return UINT64_MAX >> (64 - bits + pop_type_is_signed(type));
}

static bool real_fits(double value, pop_type type)
{
    if (type == POP_DOUBLE || (pop_type_is_floating_point(type) && !isfinite(value)))
        return true;
    if (type == POP_HALF)
        return isfinite(pop_half_to_float(pop_half_from_double(value)));
    if (type == POP_FLOAT)
        return isfinite((float)value);
    double whole = trunc(value);
    return whole >= (double)lowest_of(type) && /* false for NaN */
           (pop_type_size(type) == 8 ? whole < (double)highest_of(type) : whole <= (double)highest_of(type));
}

static bool signed_fits(int64_t value, pop_type type)
{
    if (pop_type_is_floating_point(type))
        return real_fits((double)value, type);
    return value == -1 || (value >= lowest_of(type) && (value < 0 || (uint64_t)value <= highest_of(type)));
}

static bool unsigned_fits(uint64_t value, pop_type type)
{
    return pop_type_is_floating_point(type) ? real_fits((double)value, type) : value <= highest_of(type);
}

/* Whether no value of a type can be beyond the other: most constants are converted so. */
static bool always_fits(pop_type from, pop_type to)
{
    if (from == to || to == POP_BOOL || from == POP_BOOL || to == POP_QUARTER || from == POP_QUARTER)
        return true;
    if (pop_type_is_floating_point(to))
        return pop_type_is_floating_point(from) ? pop_type_size(to) >= pop_type_size(from) : to != POP_HALF;
    return !pop_type_is_floating_point(from) && pop_type_is_signed(from) == pop_type_is_signed(to) &&
           pop_type_size(to) >= pop_type_size(from);
}

size_t fit_first_beyond(pop_type from_type, const void *from, pop_type to_type, size_t count)
{
    size_t size = pop_type_size(from_type);
    if (always_fits(from_type, to_type) || !size || !pop_type_size(to_type))
        return count;
    for (size_t i = 0; i < count; ++i) {
        const char *at = (const char *)from + i * size;
        double real;
        int64_t whole;
        uint64_t natural;
        bool fits;
        if (pop_type_is_floating_point(from_type)) {
            pop_convert(from_type, at, POP_DOUBLE, &real, 1);
            fits = real_fits(real, to_type);
        } else if (pop_type_is_signed(from_type)) {
            pop_convert(from_type, at, POP_LONGLONG, &whole, 1);
            fits = signed_fits(whole, to_type);
        } else {
            pop_convert(from_type, at, POP_UNSIGNED_LONGLONG, &natural, 1);
            fits = unsigned_fits(natural, to_type);
        }
        if (!fits)
            return i;
    }
    return count;
}

void fit_value_text(char text[FIT_TEXT], pop_type type, const void *value)
{
    double real;
    long long whole;
    unsigned long long natural;
    if (pop_type_is_floating_point(type)) {
        pop_convert(type, value, POP_DOUBLE, &real, 1);
        pop_text_format(text, FIT_TEXT, "%.9g", real);
    } else if (pop_type_is_signed(type)) {
        pop_convert(type, value, POP_LONGLONG, &whole, 1);
        snprintf(text, FIT_TEXT, "%lld", whole);
    } else {
        pop_convert(type, value, POP_UNSIGNED_LONGLONG, &natural, 1);
        snprintf(text, FIT_TEXT, "%llu", natural);
    }
}

void fit_range_text(char *text, size_t size, pop_type type)
{
    double most = type == POP_HALF ? half_max : type == POP_FLOAT ? FLT_MAX : DBL_MAX;
    if (pop_type_is_floating_point(type))
        pop_text_format(text, size, "%.8g to %.8g", -most, most);
    else
        snprintf(text, size, "%lld to %llu", (long long)lowest_of(type), (unsigned long long)highest_of(type));
}
