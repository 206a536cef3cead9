/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers for parameters, text and errors that the library's sources share. */
#ifndef POPLIN_PARAMS_PARAMS_H
#define POPLIN_PARAMS_PARAMS_H

#include "poplibs/support.h"

#include <poplar/text.h>
#include <poplin/conv_params.h>

/* Functions of unchecked parameters must not crash: a dilation or stride of 0 counts as 1, too many dimensions (or
 * numbers that differ between field and kernel) count as none. */
static inline unsigned poplin_distance(unsigned distance)
{
    return distance ? distance : 1;
}
static inline size_t poplin_params_dims(const poplin_conv_params *params)
{
    return params->num_field_dims <= POPLIN_MAX_FIELD_DIMS ? params->num_field_dims : 0;
}
/* Adds a field dimension of 1 element to parameters without field dimensions. */
static inline poplin_conv_params poplin_params_with_field(const poplin_conv_params *params)
{
    poplin_conv_params with = *params;
    with.num_field_dims = with.input_field_shape[0] = with.kernel_shape[0] = 1;
    with.input_transform = with.kernel_transform = poplin_input_transform_none();
    with.output_transform = poplin_output_transform_none();
    return with;
}

/* Text in a buffer of fixed size, which may be too short; length is that of the whole text. */
struct poplin_text {
    char *buffer;
    size_t size, length;
};
static inline void poplin_text_add(struct poplin_text *text, const char *format, ...) POP_PRINTF(2, 3);
static inline void poplin_text_add(struct poplin_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bool fits = text->length < text->size;
    int length = pop_text_vformat(fits ? text->buffer + text->length : NULL, fits ? text->size - text->length : 0,
                                  format, arguments);
    va_end(arguments);
    text->length += length > 0 ? (size_t)length : 0;
}

/* "prefix/name", as in debug names, or name if there is no prefix; the caller frees it. */
static inline char *poplin_path(const char *prefix, const char *name)
{
    size_t size = (prefix ? strlen(prefix) + 1 : 0) + strlen(name) + 1;
    char *path = poplibs_new(size, 1);
    poplibs_path(path, size, prefix, name);
    return path;
}

#endif
