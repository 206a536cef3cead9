/* SPDX-License-Identifier: Apache-2.0 */
/* The effect of casts on numbers. */
#include "poplibs/support.h"

#include <math.h>
#include <poputil/util.h>

static double rounded_to(pop_type type, double value)
{
    if (type == POP_HALF)
        return (double)pop_half_to_float(pop_half_from_double(value));
    return type == POP_FLOAT ? (double)(float)value : value;
}

double poputil_cast_to_device_half_value(const pop_target *target, double input)
{
    (void)target; /* all devices round alike */
    return rounded_to(POP_HALF, input);
}

bool poputil_check_accuracy_when_cast(const pop_target *target, double input, pop_type input_type, pop_type output_type,
                                      double tolerance)
{
    (void)target;
    if (input_type != POP_FLOAT || output_type != POP_HALF)
        return true;
    double value = rounded_to(input_type, input), cast = rounded_to(output_type, value);
    return isfinite(cast) && fabs(cast - value) < tolerance * fabs(value);
}
