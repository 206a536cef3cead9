/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers for parameters, text and errors that the library's sources share. */
#ifndef POPLIN_PARAMS_PARAMS_H
#define POPLIN_PARAMS_PARAMS_H

#include "poplibs/call.h"
#include "poplibs/support.h"

#include <poplar/text.h>
#include <poplin/conv_params.h>

/* Functions of unchecked parameters must not crash: a dilation or stride of 0 counts as 1, too many dimensions (or
 * numbers that differ between field and kernel) count as none. */
static inline unsigned params_distance(unsigned distance)
{
    return distance ? distance : 1;
}
static inline size_t params_dims(const poplin_conv_params *params)
{
    return params->num_field_dims <= POPLIN_MAX_FIELD_DIMS ? params->num_field_dims : 0;
}
/* Adds a field dimension of 1 element to parameters without field dimensions. */
static inline poplin_conv_params params_with_field(const poplin_conv_params *params)
{
    poplin_conv_params with = *params;
    with.num_field_dims = with.input_field_shape[0] = with.kernel_shape[0] = 1;
    with.input_transform = with.kernel_transform = poplin_input_transform_none();
    with.output_transform = poplin_output_transform_none();
    return with;
}

/* Text in a buffer of fixed size, which may be too short; length is that of the whole text. */
struct params_text {
    char *buffer;
    size_t size, length;
};
static inline void params_text_add(struct params_text *text, const char *format, ...) POP_PRINTF(2, 3);
static inline void params_text_add(struct params_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bool fits = text->length < text->size;
    int length = pop_text_vformat(fits ? text->buffer + text->length : NULL, fits ? text->size - text->length : 0,
                                  format, arguments);
    va_end(arguments);
    text->length += length > 0 ? (size_t)length : 0;
}

/* conv_params.c: parameters of convolutions: sizes, checks, canonical form, order. */

/* Checks parameters: POP_OK, or a status with a message in text. */
pop_status params_wrong(const poplin_conv_params *params, char *text, size_t size);
/* Checks parameters; records an error of the graph. */
bool params_valid(const struct call *call, const poplin_conv_params *params);
/* Writes "1 x (2x8x8x16) -> 32, kernel 3x3, half -> float": groups, batch, field, channels.  Buffer and result as
 * snprintf. */
size_t conv_params_text(const poplin_conv_params *params, char *buffer, size_t size);

/* conv_util.c: index arithmetic of convolutions. */

/* Along a field dimension: the place of an output element in the untransformed output; the place of a kernel element in
 * the transformed kernel; the input element at a place of the transformed input, which is the sum of those two.
 * POPLIN_NO_INDEX if there is none. */
unsigned params_output_place(const poplin_conv_params *params, unsigned d, unsigned output);
unsigned params_kernel_place(const poplin_conv_params *params, unsigned d, unsigned kernel_index);
unsigned params_input_at(const poplin_conv_params *params, unsigned d, size_t place);

#endif
