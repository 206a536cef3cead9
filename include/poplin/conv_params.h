/* SPDX-License-Identifier: Apache-2.0 */
/* What a convolution is: Poplibs' ConvParams, as a value.
 *
 * The input {batch size, groups x input channels, field...} is transformed (truncated, dilated, padded, flipped, in
 * this order), so are the weights {groups, output channels, input channels, kernel...}; they are convolved, and the
 * output is transformed (truncated, strided, padded). Field and kernel may have no dimension: the convolution is then a
 * product of each group's channels. Truncation counts elements that are taken away, dilation the distance that
 * neighbours get, flips reverse what padding and all gave. */
#ifndef POPLIN_CONV_PARAMS_H
#define POPLIN_CONV_PARAMS_H

#include <poplar/error.h>
#include <poplar/graph.h>
#include <poplar/type.h>

enum { POPLIN_MAX_FIELD_DIMS = 6 };

typedef struct poplin_input_transform {
    unsigned truncation_lower[POPLIN_MAX_FIELD_DIMS], truncation_upper[POPLIN_MAX_FIELD_DIMS];
    unsigned dilation[POPLIN_MAX_FIELD_DIMS];
    unsigned padding_lower[POPLIN_MAX_FIELD_DIMS], padding_upper[POPLIN_MAX_FIELD_DIMS];
    bool flip[POPLIN_MAX_FIELD_DIMS];
} poplin_input_transform;

typedef struct poplin_output_transform {
    unsigned truncation_lower[POPLIN_MAX_FIELD_DIMS], truncation_upper[POPLIN_MAX_FIELD_DIMS];
    unsigned stride[POPLIN_MAX_FIELD_DIMS];
    unsigned padding_lower[POPLIN_MAX_FIELD_DIMS], padding_upper[POPLIN_MAX_FIELD_DIMS];
} poplin_output_transform;

/* Entries of arrays from num_field_dims on mean nothing. */
typedef struct poplin_conv_params {
    pop_type input_type, output_type;
    size_t batch_size;
    size_t num_field_dims;
    size_t input_field_shape[POPLIN_MAX_FIELD_DIMS], kernel_shape[POPLIN_MAX_FIELD_DIMS];
    size_t input_channels_per_conv_group, output_channels_per_conv_group;
    size_t num_conv_groups;
    poplin_input_transform input_transform, kernel_transform;
    poplin_output_transform output_transform;
} poplin_conv_params;

POP_BEGIN_DECLS

/* Parameters whose transforms change nothing.  Ranks that differ, or are above POPLIN_MAX_FIELD_DIMS, are found by
 * validate. */
POP_API poplin_conv_params poplin_conv_params_make(pop_type input_type, pop_type output_type, size_t batch_size,
                                                   pop_shape input_field_shape, pop_shape kernel_shape,
                                                   size_t input_channels, size_t output_channels,
                                                   size_t num_conv_groups);
/* Transforms that change nothing: dilation and stride 1, the rest 0. */
POP_API poplin_input_transform poplin_input_transform_none(void);
POP_API poplin_output_transform poplin_output_transform_none(void);

/* Whether there is such a convolution; poplar_error names the field and dimension that cannot be. */
#define poplin_conv_params_validate(...) poplin_conv_params_validate_at(POP_HERE, __VA_ARGS__)
POP_API pop_status poplin_conv_params_validate_at(pop_where where, const poplin_conv_params *params, pop_error *error);
/* The same convolution in the words that the planner uses for all that are equal: padding that truncation takes away
 * again is neither, and so on. */
POP_API poplin_conv_params poplin_conv_params_canonicalize(const poplin_conv_params *params);

/* Sizes along a field dimension, in the order in which they come about.  Of parameters that are not valid too: a
 * dilation or stride of 0 counts as 1. */
POP_API size_t poplin_conv_truncated_input_size(const poplin_conv_params *params, size_t dim);
POP_API size_t poplin_conv_transformed_input_size(const poplin_conv_params *params, size_t dim);
POP_API size_t poplin_conv_truncated_kernel_size(const poplin_conv_params *params, size_t dim);
POP_API size_t poplin_conv_transformed_kernel_size(const poplin_conv_params *params, size_t dim);
POP_API size_t poplin_conv_untransformed_output_size(const poplin_conv_params *params, size_t dim);
POP_API size_t poplin_conv_output_size(const poplin_conv_params *params, size_t dim);

/* An order, equality and a hash over every field that means something. */
POP_API int poplin_conv_params_compare(const poplin_conv_params *a, const poplin_conv_params *b);
POP_API bool poplin_conv_params_equal(const poplin_conv_params *a, const poplin_conv_params *b);
POP_API uint64_t poplin_conv_params_hash(const poplin_conv_params *params);
/* Lines of names and values; "{1,2}" for lists.  Returns the length; the buffer is always terminated. */
POP_API size_t poplin_conv_params_to_text(const poplin_conv_params *params, char *buffer, size_t size);
/* The inverse, of any text that begins so; names that are left out stay as in poplin_conv_params_make.  parse_error
 * names the word that is wrong. *used (may be NULL) is the number of bytes read. */
#define poplin_conv_params_from_text(...) poplin_conv_params_from_text_at(POP_HERE, __VA_ARGS__)
POP_API pop_status poplin_conv_params_from_text_at(pop_where where, const char *text, poplin_conv_params *params,
                                                   size_t *used, pop_error *error);

POP_END_DECLS
#endif
