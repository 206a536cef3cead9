/* SPDX-License-Identifier: Apache-2.0 */
/* What the library's files share about parameters, text and errors. */
#ifndef POPLIN_PARAMS_PARAMS_H
#define POPLIN_PARAMS_PARAMS_H

#include "poplibs/support.h"

#include <poplar/text.h>
#include <poplin/conv_params.h>

/* POP_OK, or what is wrong with them. */
pop_status poplin_params_wrong(const poplin_conv_params *params, char *text, size_t size);
/* The same as an error of the graph. */
bool poplin_params_valid(pop_where where, pop_graph *graph, const char *api, const poplin_conv_params *params);
/* What is computed from parameters does not end the program if nobody has checked them: a dilation or stride of 0
 * counts as 1, dimensions that are too many (or differ between field and kernel) as none. */
static inline unsigned poplin_distance(unsigned distance)
{
    return distance ? distance : 1;
}
static inline size_t poplin_params_dims(const poplin_conv_params *params)
{
    return params->num_field_dims <= POPLIN_MOST_FIELD_DIMS ? params->num_field_dims : 0;
}
/* Parameters without field dimensions as those with one, of 1 element in field and kernel. */
static inline poplin_conv_params poplin_params_with_field(const poplin_conv_params *params)
{
    poplin_conv_params with = *params;
    with.num_field_dims = with.input_field_shape[0] = with.kernel_shape[0] = 1;
    with.input_transform = with.kernel_transform = poplin_input_transform_none();
    with.output_transform = poplin_output_transform_none();
    return with;
}
/* Fills an error that the caller owns (NULL is allowed); returns status. */
pop_status poplin_fail(pop_error *error, pop_status status, pop_where where, const char *api, const char *text);

/* Along a field dimension: the place of an output element in the untransformed output, that of a kernel element in the
 * transformed kernel, and the input element at a place of the transformed input, where those two places add up to.
 * POPLIN_NO_INDEX where there is none. */
unsigned poplin_params_output_place(const poplin_conv_params *params, unsigned d, unsigned output);
unsigned poplin_params_kernel_place(const poplin_conv_params *params, unsigned d, unsigned kernel_index);
unsigned poplin_params_input_at(const poplin_conv_params *params, unsigned d, size_t place);

/* Text that grows in a buffer of fixed size, which may be too short: length is that of all of it. */
struct poplin_text {
    char *buffer;
    size_t size, length;
};
static inline void poplin_text_add(struct poplin_text *text, const char *format, ...) POP_PRINTF(2, 3);
static inline void poplin_text_add(struct poplin_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bool room = text->length < text->size;
    int length = pop_text_vformat(room ? text->buffer + text->length : NULL, room ? text->size - text->length : 0,
                                  format, arguments);
    va_end(arguments);
    text->length += length > 0 ? (size_t)length : 0;
}

/* "1 x (2x8x8x16) -> 32, kernel 3x3, half -> float": groups, batch, field, channels.  As snprintf. */
size_t poplin_conv_params_text(const poplin_conv_params *params, char *buffer, size_t size);

#endif
