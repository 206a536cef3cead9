/* SPDX-License-Identifier: Apache-2.0 */
/* Largest and lowest values of element types. */
#include "base/error.h"

#include <poplar/target.h>

#include <float.h>
#include <string.h>

/* Limits of any type: reals are exact as double, integers as 64 bits. */
struct type_limits {
    bool real;
    double real_max; /* of reals, which are symmetric */
    int64_t lowest;
    uint64_t max;
};

/* Includes types that no device has, which can be the type of the result. */
static struct type_limits limits_of(pop_type type)
{
    switch (type) {
    case POP_HALF:
        return (struct type_limits){ .real = true, .real_max = 65504 };
    case POP_FLOAT:
        return (struct type_limits){ .real = true, .real_max = (double)FLT_MAX };
    case POP_DOUBLE:
        return (struct type_limits){ .real = true, .real_max = DBL_MAX };
    case POP_BOOL:
        return (struct type_limits){ .max = 1 };
    default:
        break;
    }
    unsigned bits = 8 * (unsigned)pop_type_size(type);
    if (!pop_type_is_signed(type))
        return (struct type_limits){ .max = UINT64_MAX >> (64 - bits) };
    uint64_t max = UINT64_MAX >> (65 - bits);
    return (struct type_limits){ .lowest = -(int64_t)max - 1, .max = max };
}

/* Whether a 64-bit integer has at most the given number of significant binary digits. */
static bool fits_digits(uint64_t value, unsigned digits)
{
    while (value && !(value & 1))
        value >>= 1;
    return value >> digits == 0;
}

/* Whether both limits of a type are values of another. */
static bool fits(const struct type_limits *limits, pop_type as)
{
    struct type_limits target = limits_of(as);
    if (limits->real) /* the largest real of one type has too many digits, or too great an exponent, for any smaller */
        return target.real ? target.real_max >= limits->real_max : false;
    if (!target.real)
        return limits->lowest >= target.lowest && limits->max <= target.max;
    unsigned digits = as == POP_HALF ? 11 : as == POP_FLOAT ? FLT_MANT_DIG : DBL_MANT_DIG;
    /* -2^63 is its own negative here. */
    return (double)limits->max <= target.real_max && fits_digits(limits->max, digits) &&
           fits_digits(0 - (uint64_t)limits->lowest, digits);
}

static void write_limit(const struct type_limits *limits, bool max, pop_type as, void *to)
{
    double real = max ? limits->real_max : -limits->real_max;
    if (!to)
        return;
    if (limits->real)
        pop_convert(POP_DOUBLE, &real, as, to, 1);
    else if (max)
        pop_convert(POP_UNSIGNED_LONGLONG, &limits->max, as, to, 1);
    else
        pop_convert(POP_LONGLONG, &limits->lowest, as, to, 1);
}

static pop_status write_limits(const char *api, pop_type type, pop_type as, void *lowest, void *max, pop_error *error)
{
    if (!pop_type_is_supported(type))
        return error_set(error, POP_TYPE_ERROR, NO_WHERE, api, "the device has no type '%s'", pop_type_name(type));
    if (type == POP_QUARTER)
        return error_set(error, POP_TYPE_ERROR, NO_WHERE, api, "the limits of 'quarter' depend on its metadata");
    if (as == POP_QUARTER || !pop_type_size(as))
        return error_set(error, POP_TYPE_ERROR, NO_WHERE, api,
                         "limits cannot be converted to '%s', it must be an integer type, half, float or double",
                         pop_type_name(as));
    struct type_limits limits = limits_of(type);
    if (!fits(&limits, as))
        return error_set(error, POP_OVERFLOW_ERROR, NO_WHERE, api, "the limits of '%s' are not exact as %s",
                         pop_type_name(type), pop_type_name(as));
    write_limit(&limits, false, as, lowest);
    write_limit(&limits, true, as, max);
    return POP_OK;
}

pop_status pop_target_type_limits(const pop_target *target, pop_type type, double *lowest, double *max,
                                  pop_error *error)
{
    (void)target; /* every machine has the same types */
    return write_limits("pop_target_type_limits", type, POP_DOUBLE, lowest, max, error);
}

pop_status pop_target_type_limits_as(const pop_target *target, pop_type type, pop_type as, void *lowest, void *max,
                                     pop_error *error)
{
    (void)target;
    return write_limits("pop_target_type_limits_as", type, as, lowest, max, error);
}
