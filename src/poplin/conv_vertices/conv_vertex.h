/* SPDX-License-Identifier: Apache-2.0 */
/* Common fields of AMP and MAC vertices.
 *
 * in[g I + i] is a group of input channels of the group of convolutions g: {position, channel}; weights[(g O + o) I +
 * i] is {kernel position, output channel, input channel}; out[g O + o] is {position, output channel}.  Positions run
 * over batch and field together.
 *
 * worklists has a list for each kernel position and, within it, each worker: the number of items, then the items: place
 * in out, number of elements, place in in.  The elements of an item are in_stride and out_stride positions apart. */
#ifndef POPLIN_CONV_VERTICES_CONV_VERTEX_H
#define POPLIN_CONV_VERTICES_CONV_VERTEX_H

#define CONV_PAIRS(X, ...) X(float, float, __VA_ARGS__) X(half, float, __VA_ARGS__) X(half, half, __VA_ARGS__)

#ifdef __POPC__
#include <poplar/vertex.h>

/* Index is the type of worklists: unsigned short if all numbers fit, otherwise unsigned int.  interleaved is true for
 * conv units, which write 128 bits at once. */
#define CONV_DATA(input, partial, interleaved)                                                                         \
    POP_INPUT(POP_VECTORS(input, ONE_PTR, COMPACT_PTR, 16)) weights;                                                   \
    POP_INPUT(POP_VECTORS(input, ONE_PTR, COMPACT_PTR, 8)) in;                                                         \
    POP_OUTPUT(POP_VECTORS(partial, ONE_PTR, COMPACT_PTR, 16, interleaved)) out;
#define CONV_SIZES                                                                                                     \
    unsigned conv_groups, in_groups, out_groups, in_chans, out_chans;                                                  \
    unsigned kernel_size, filter_height, filter_width;                                                                 \
    unsigned in_stride, out_stride, out_elements, num_workers;
/* more: further fields. */
#define CONV_VERTEX_AND(name, input, partial, index, interleaved, more)                                                \
    POP_SUPERVISOR_VERTEX(name)                                                                                        \
    {                                                                                                                  \
        CONV_DATA(input, partial, interleaved)                                                                         \
        more POP_STATE(POP_VECTOR(index)) worklists;                                                                   \
        CONV_SIZES                                                                                                     \
    }
#define CONV_VERTEX(name, input, partial, index, interleaved)                                                          \
    CONV_VERTEX_AND(name, input, partial, index, interleaved, )
/* Inputs and weights of 8 bits, each with the metadata byte of its tensor. */
#define CONV_METADATA                                                                                                  \
    POP_INPUT(unsigned char) inMetadata;                                                                               \
    POP_INPUT(unsigned char) weightsMetadata;
#define CONV_QUARTER_VERTEX(name, index) CONV_VERTEX_AND(name, unsigned char, half, index, true, CONV_METADATA)

#else
#include "poplin/conv_vertices/performance.h"

#include <poplar/graph.h>

/* The worklists of a vertex in the form that the formulas take: for each row of filter_height kernel positions and each
 * worker the longest list.  The caller frees both arrays. */
struct conv_lists {
    struct worklist *lists;
    unsigned *items;
};
static inline unsigned conv_vertex_field(const pop_vertex_view *vertex, const char *field)
{
    return (unsigned)pop_vertex_view_field_value(vertex, field, 0);
}

/* The parameters of a vertex type's name, packed into an estimator's user pointer. */
#define CONV_KIND(float_inputs, float_partials, use_128, units)                                                        \
    ((uintptr_t)((float_inputs) | (float_partials) << 1 | (use_128) << 2 | (units) << 3))
enum { CONV_KIND_QUARTER = 1 << 8 }; /* beside it: inputs of 8 bits */
static inline bool kind_quarter_inputs(const void *user)
{
    return (uintptr_t)user & CONV_KIND_QUARTER;
}
static inline bool kind_float_inputs(const void *user)
{
    return (uintptr_t)user & 1;
}
static inline bool kind_float_partials(const void *user)
{
    return (uintptr_t)user & 2;
}
static inline bool kind_128(const void *user)
{
    return (uintptr_t)user & 4;
}
static inline unsigned kind_units(const void *user)
{
    return (unsigned)((uintptr_t)user >> 3 & 31);
}
#define CONV_IS_FLOAT(type)   CONV_IS_FLOAT_##type
#define CONV_IS_FLOAT_float   1u
#define CONV_IS_FLOAT_half    0u
#define CONV_IS_FLOAT_quarter 0u
#endif
#endif
