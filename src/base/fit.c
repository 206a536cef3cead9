/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fit.h"

#include <poplar/text.h>

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

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

/* Bytes of a whole number, the others 0. */
static uint64_t bits_at(const char *at, size_t size)
{
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (size) {
    case 1:
        return memcpy(&one, at, sizeof(one)), one;
    case 2:
        return memcpy(&two, at, sizeof(two)), two;
    case 4:
        return memcpy(&four, at, sizeof(four)), four;
    default:
        return memcpy(&eight, at, sizeof(eight)), eight;
    }
}

static int64_t signed_at(const char *at, size_t size)
{
    unsigned above = 64 - 8 * (unsigned)size;
    return (int64_t)(bits_at(at, size) << above) >> above;
}

/* The worklists of convolutions are long, and most are narrowed. */
static size_t whole_first_beyond(pop_type from_type, const char *from, pop_type to_type, size_t count)
{
    size_t size = pop_type_size(from_type);
    int64_t lowest = lowest_of(to_type);
    uint64_t highest = highest_of(to_type);
    if (!pop_type_is_signed(from_type)) {
        for (size_t i = 0; i < count; ++i)
            if (bits_at(from + i * size, size) > highest)
                return i;
        return count;
    }
    for (size_t i = 0; i < count; ++i) {
        int64_t value = signed_at(from + i * size, size);
        if (value != -1 && (value < lowest || (value >= 0 && (uint64_t)value > highest)))
            return i;
    }
    return count;
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
    if (!pop_type_is_floating_point(from_type) && !pop_type_is_floating_point(to_type))
        return whole_first_beyond(from_type, from, to_type, count);
    for (size_t i = 0; i < count; ++i) {
        const char *at = (const char *)from + i * size;
        double real;
        if (pop_type_is_floating_point(from_type))
            pop_convert(from_type, at, POP_DOUBLE, &real, 1);
        else if (pop_type_is_signed(from_type))
            real = (double)signed_at(at, size);
        else
            real = (double)bits_at(at, size);
        if (!real_fits(real, to_type))
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
