/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of the convolution codelets on several numbers at a time, for float and half data alike; sums are in
 * float. */
#ifndef POPLIN_CONV_VERTICES_VECTOR_LOOPS_H
#define POPLIN_CONV_VERTICES_VECTOR_LOOPS_H

#include <poplar/vertex.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are never passed between functions that are not inlined */

#define LANES_OF(n)                                                                                                    \
    typedef float lanes##n __attribute__((vector_size(4 * (n))));                                                      \
    typedef half half_lanes##n __attribute__((vector_size(2 * (n))));                                                  \
    static inline lanes##n load##n##_float(const float *from)                                                          \
    {                                                                                                                  \
        lanes##n value;                                                                                                \
        memcpy(&value, from, sizeof(value));                                                                           \
        return value;                                                                                                  \
    }                                                                                                                  \
    static inline lanes##n load##n##_half(const half *from)                                                            \
    {                                                                                                                  \
        half_lanes##n value;                                                                                           \
        memcpy(&value, from, sizeof(value));                                                                           \
        return __builtin_convertvector(value, lanes##n);                                                               \
    }                                                                                                                  \
    static inline void store##n##_float(float *to, lanes##n value)                                                     \
    {                                                                                                                  \
        memcpy(to, &value, sizeof(value));                                                                             \
    }                                                                                                                  \
    static inline void store##n##_half(half *to, lanes##n value)                                                       \
    {                                                                                                                  \
        half_lanes##n rounded = __builtin_convertvector(value, half_lanes##n);                                         \
        memcpy(to, &rounded, sizeof(rounded));                                                                         \
    }
LANES_OF(4)

#endif
