/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of a convolution: Poplibs' ConvParams, copied by value.
 *
 * The input {batch size, groups x input channels, field...} is truncated, dilated, padded and flipped, in this order;
 * so are the weights {groups, output channels, input channels, kernel...}.  Both are convolved; the output is
 * truncated, strided and padded.  Field and kernel may have no dimensions: the convolution is then a matrix product
 * over each group's channels. Truncation is the number of elements removed at an end, dilation the new distance of
 * neighbouring elements; a flip reverses the dilated and padded elements. */
#ifndef POPLIN_CONV_PARAMS_H
#define POPLIN_CONV_PARAMS_H

#include <poplar/error.h>
#include <poplar/graph.h>
#include <poplar/type.h>

enum { POPLIN_MAX_FIELD_DIMS = 6 };

/* Transform of the input or the kernel, for each field dimension: numbers of elements truncated, dilation, numbers of
 * zeros added, whether reversed. */
typedef struct poplin_input_transform {
    /* elements cut off before each dimension, first; elements cut off after it, first */
    unsigned truncation_lower[POPLIN_MAX_FIELD_DIMS], truncation_upper[POPLIN_MAX_FIELD_DIMS];
    unsigned dilation[POPLIN_MAX_FIELD_DIMS]; /* distance between neighbouring elements: 1 is none */
    /* zeros added before each dimension, after dilation; zeros added after it, after dilation */
    unsigned padding_lower[POPLIN_MAX_FIELD_DIMS], padding_upper[POPLIN_MAX_FIELD_DIMS];
    bool flip[POPLIN_MAX_FIELD_DIMS]; /* whether the order of elements is reversed */
} poplin_input_transform;

/* Transform of the output, for each field dimension: numbers of elements truncated, stride, numbers of zeros added. */
typedef struct poplin_output_transform {
    /* elements cut off before each dimension, first; elements cut off after it, first */
    unsigned truncation_lower[POPLIN_MAX_FIELD_DIMS], truncation_upper[POPLIN_MAX_FIELD_DIMS];
    unsigned stride[POPLIN_MAX_FIELD_DIMS]; /* every stride-th element is kept */
    /* zeros added before each dimension, last; zeros added after it, last */
    unsigned padding_lower[POPLIN_MAX_FIELD_DIMS], padding_upper[POPLIN_MAX_FIELD_DIMS];
} poplin_output_transform;

/* Only the first num_field_dims entries of arrays are used. */
typedef struct poplin_conv_params {
    pop_type input_type, output_type; /* types of inputs and kernel, and of the output */
    size_t batch_size;                /* images */
    size_t num_field_dims;            /* dimensions of the field: 1 to POPLIN_MAX_FIELD_DIMS */
    /* extents of an image, channels aside; extents of the kernel */
    size_t input_field_shape[POPLIN_MAX_FIELD_DIMS], kernel_shape[POPLIN_MAX_FIELD_DIMS];
    size_t input_channels_per_conv_group, output_channels_per_conv_group; /* channels of a group */
    size_t num_conv_groups;                                   /* groups: channels of one group use none of another */
    poplin_input_transform input_transform, kernel_transform; /* what happens to input and kernel first */
    poplin_output_transform output_transform;                 /* what happens to the output last */
} poplin_conv_params;

POP_BEGIN_DECLS

/* Parameters with identity transforms.  poplin_conv_params_validate reports ranks that differ or exceed
 * POPLIN_MAX_FIELD_DIMS. */
POP_API poplin_conv_params poplin_conv_params_make(pop_type input_type, pop_type output_type, size_t batch_size,
                                                   pop_shape input_field_shape, pop_shape kernel_shape,
                                                   size_t input_channels, size_t output_channels,
                                                   size_t num_conv_groups);
/* The identity transform: dilation and stride 1, the rest 0. */
POP_API poplin_input_transform poplin_input_transform_none(void);
/* The identity transform of outputs: stride 1, the rest 0. */
POP_API poplin_output_transform poplin_output_transform_none(void);

/* Whether the parameters are valid; poplar_error names the wrong field and dimension. */
#define poplin_conv_params_validate(...) poplin_conv_params_validate_at(POP_HERE, __VA_ARGS__)
POP_API pop_status poplin_conv_params_validate_at(pop_where where, const poplin_conv_params *params, pop_error *error);
/* The canonical form of the same convolution, which the planner uses for all equivalent parameters: for example,
 * padding that truncation removes again is dropped. */
POP_API poplin_conv_params poplin_conv_params_canonicalize(const poplin_conv_params *params);

/* Sizes along a field dimension, in the order of the transforms.  Parameters may be invalid: a dilation or stride of 0
 * counts as 1. */
POP_API size_t poplin_conv_truncated_input_size(const poplin_conv_params *params, size_t dim);
POP_API size_t poplin_conv_transformed_input_size(const poplin_conv_params *params, size_t dim);
POP_API size_t poplin_conv_truncated_kernel_size(const poplin_conv_params *params, size_t dim);
POP_API size_t poplin_conv_transformed_kernel_size(const poplin_conv_params *params, size_t dim);
POP_API size_t poplin_conv_untransformed_output_size(const poplin_conv_params *params, size_t dim);
POP_API size_t poplin_conv_output_size(const poplin_conv_params *params, size_t dim);

/* An order, equality and a hash over all fields that are used. */
POP_API int poplin_conv_params_compare(const poplin_conv_params *a, const poplin_conv_params *b);
/* Whether two convolutions are the same. */
POP_API bool poplin_conv_params_equal(const poplin_conv_params *a, const poplin_conv_params *b);
/* A hash: equal convolutions have equal hashes. */
POP_API uint64_t poplin_conv_params_hash(const poplin_conv_params *params);
/* Writes lines of names and values, lists as "{1,2}".  Returns the length of the whole text; the buffer, of size bytes,
 * is always terminated. */
POP_API size_t poplin_conv_params_to_text(const poplin_conv_params *params, char *buffer, size_t size);
/* The inverse, for any text that begins with such lines; a missing name has the value of poplin_conv_params_make.
 * parse_error names the wrong word.  *used, which may be NULL, receives the number of bytes read. */
#define poplin_conv_params_from_text(...) poplin_conv_params_from_text_at(POP_HERE, __VA_ARGS__)
POP_API pop_status poplin_conv_params_from_text_at(pop_where where, const char *text, poplin_conv_params *params,
                                                   size_t *used, pop_error *error);

POP_END_DECLS
#endif
