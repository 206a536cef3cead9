/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of four float numbers for the convolution codelets, loaded from and stored to float or half data. */
#ifndef POPLIN_CONV_VERTICES_VECTOR_LOOPS_H
#define POPLIN_CONV_VERTICES_VECTOR_LOOPS_H

#include "poplibs/typed.h"

#include <string.h>

#pragma GCC diagnostic ignored "-Wpsabi" /* no vector is passed to a function that is not inlined */

typedef float lanes4 __attribute__((vector_size(16)));
typedef half half_lanes4 __attribute__((vector_size(8)));

static inline lanes4 load4_float(const float *from)
{
    lanes4 value;
    memcpy(&value, from, sizeof(value));
    return value;
}
static inline lanes4 load4_half(const half *from)
{
    half_lanes4 value;
    memcpy(&value, from, sizeof(value));
    return __builtin_convertvector(value, lanes4);
}
static inline void store4_float(float *to, lanes4 value)
{
    memcpy(to, &value, sizeof(value));
}
static inline void store4_half(half *to, lanes4 value)
{
    half_lanes4 rounded = __builtin_convertvector(value, half_lanes4);
    memcpy(to, &rounded, sizeof(rounded));
}

#endif
