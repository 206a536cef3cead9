/* SPDX-License-Identifier: Apache-2.0 */
/* The field of a host's convolution, for its vertices (host_conv_shape.h). */
#ifndef POPLIN_HOST_HOST_CONV_FIELD_H
#define POPLIN_HOST_HOST_CONV_FIELD_H

#include "poplin/host/host_conv_shape.h"

#include <stdbool.h>
#include <stddef.h>

struct conv_dim {
    unsigned outputs, kernels, classes;
    const unsigned *offsets, *class_of, *lists;
};
struct conv_field {
    unsigned count;
    struct conv_dim dims[HOST_CONV_DIMS];
};
/* Outputs of one class in each dimension, and the kernel positions that they use. */
struct host_conv_phase {
    unsigned chosen[HOST_CONV_DIMS]; /* classes */
    const unsigned *kernels[HOST_CONV_DIMS];
    unsigned counts[HOST_CONV_DIMS];
    size_t positions;
};

static inline const unsigned *list_of_class(const struct conv_dim *dim, unsigned class)
{
    const unsigned *list = dim->lists;
    for (; class > 0; --class)
        list += 1 + list[0];
    return list;
}
static inline void read_field(struct conv_field *field, const unsigned *words)
{
    field->count = *words++;
    for (unsigned d = 0; d < field->count; ++d) {
        struct conv_dim *dim = &field->dims[d];
        dim->outputs = words[0];
        dim->kernels = words[1];
        dim->classes = words[2];
        dim->offsets = words + 3;
        dim->class_of = dim->offsets + (size_t)dim->outputs * dim->kernels;
        dim->lists = dim->class_of + dim->outputs;
        words = list_of_class(dim, dim->classes);
    }
}

/* The phases in order, the last dimension's classes fastest; false after the last. */
static inline void enter_phase(const struct conv_field *field, struct host_conv_phase *phase)
{
    phase->positions = 1;
    for (unsigned d = 0; d < field->count; ++d) {
        const unsigned *list = list_of_class(&field->dims[d], phase->chosen[d]);
        phase->counts[d] = list[0];
        phase->kernels[d] = list + 1;
        phase->positions *= list[0];
    }
}
static inline struct host_conv_phase first_phase(const struct conv_field *field)
{
    struct host_conv_phase phase = { .positions = 0 };
    enter_phase(field, &phase);
    return phase;
}
static inline bool next_phase(const struct conv_field *field, struct host_conv_phase *phase)
{
    for (unsigned d = field->count; d-- > 0;) {
        if (++phase->chosen[d] < field->dims[d].classes) {
            enter_phase(field, phase);
            return true;
        }
        phase->chosen[d] = 0;
    }
    return false;
}

/* An output, as its row of offsets in each dimension. */
struct conv_row {
    const unsigned *offsets[HOST_CONV_DIMS];
};
/* Outputs in order, the last dimension fastest. */
struct conv_cursor {
    unsigned at[HOST_CONV_DIMS];
};
static inline struct conv_cursor cursor_at(const struct conv_field *field, size_t output)
{
    struct conv_cursor cursor = { { 0 } };
    for (unsigned d = field->count; d-- > 0; output /= field->dims[d].outputs)
        cursor.at[d] = (unsigned)(output % field->dims[d].outputs);
    return cursor;
}
static inline void cursor_next(const struct conv_field *field, struct conv_cursor *cursor)
{
    for (unsigned d = field->count; d-- > 0;) {
        if (++cursor->at[d] < field->dims[d].outputs)
            return;
        cursor->at[d] = 0;
    }
}
static inline void row_of(const struct conv_field *field, const struct conv_cursor *cursor, struct conv_row *row)
{
    for (unsigned d = 0; d < field->count; ++d)
        row->offsets[d] = field->dims[d].offsets + (size_t)cursor->at[d] * field->dims[d].kernels;
}
/* Whether outputs have the same index in all dimensions but the last one. */
static inline bool share_outer_dims(const struct conv_field *field, const struct conv_row *a, const struct conv_row *b)
{
    for (unsigned d = 0; d + 1 < field->count; ++d)
        if (a->offsets[d] != b->offsets[d])
            return false;
    return true;
}
static inline bool is_of_phase(const struct conv_field *field, const struct host_conv_phase *phase,
                               const struct conv_cursor *cursor)
{
    for (unsigned d = field->count; d-- > 0;)
        if (field->dims[d].class_of[cursor->at[d]] != phase->chosen[d])
            return false;
    return true;
}

/* A kernel position of a phase, as an index in each dimension. */
struct conv_position {
    unsigned kernel[HOST_CONV_DIMS];
};
static inline struct conv_position position_of(const struct conv_field *field, const struct host_conv_phase *phase,
                                               size_t number)
{
    struct conv_position position = { { 0 } };
    for (unsigned d = field->count; d-- > 0;) {
        position.kernel[d] = phase->kernels[d][number % phase->counts[d]];
        number /= phase->counts[d];
    }
    return position;
}
/* The offset of the input element of an output at a kernel position, without the last dimension's part; HOST_CONV_NONE
 * for padding. */
static inline unsigned outer_offset_at(const struct conv_field *field, const struct conv_row *row,
                                       const struct conv_position *position)
{
    unsigned sum = 0;
    for (unsigned d = 0; d + 1 < field->count; ++d) {
        unsigned offset = row->offsets[d][position->kernel[d]];
        if (offset == HOST_CONV_NONE)
            return HOST_CONV_NONE;
        sum += offset;
    }
    return sum;
}
/* Contiguous elements of neighbouring positions, or padding (HOST_CONV_NONE). */
struct conv_run {
    unsigned offset, elements;
};
/* The offset of the one run of a dimension's kernel positions; HOST_CONV_NONE if there are several, or padding. */
static inline unsigned one_run_of(const unsigned *offsets, const unsigned *kernels, size_t count, size_t channels)
{
    unsigned first = offsets[kernels[0]];
    for (size_t k = 1; k < count && first != HOST_CONV_NONE; ++k)
        if (offsets[kernels[k]] != first + k * channels)
            return HOST_CONV_NONE;
    return first;
}
/* The runs of a dimension's kernel positions, whose elements are `channels` channels; returns their number. */
static inline size_t runs_of(const unsigned *offsets, const unsigned *kernels, size_t count, size_t channels,
                             struct conv_run *runs)
{
    size_t made = 0;
    unsigned first = one_run_of(offsets, kernels, count, channels);
    if (first != HOST_CONV_NONE) {
        runs[0] = (struct conv_run){ first, (unsigned)(count * channels) };
        return 1;
    }
    for (size_t k = 0; k < count; ++k) {
        unsigned at = offsets[kernels[k]];
        struct conv_run *before = made ? &runs[made - 1] : NULL;
        bool padding = at == HOST_CONV_NONE;
        if (before && padding == (before->offset == HOST_CONV_NONE) &&
            (padding || at == before->offset + before->elements))
            before->elements += (unsigned)channels;
        else
            runs[made++] = (struct conv_run){ at, (unsigned)channels };
    }
    return made;
}
/* The offset of a position over all dimensions. */
static inline unsigned offset_at(const struct conv_field *field, const struct conv_row *row,
                                 const struct conv_position *position)
{
    unsigned sum = 0;
    for (unsigned d = 0; d < field->count; ++d) {
        unsigned offset = row->offsets[d][position->kernel[d]];
        if (offset == HOST_CONV_NONE)
            return HOST_CONV_NONE;
        sum += offset;
    }
    return sum;
}

#endif
