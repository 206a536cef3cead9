/* SPDX-License-Identifier: Apache-2.0 */
/* What the library's files share about parameters, text and errors. */
#ifndef POPLIN_PARAMS_PARAMS_H
#define POPLIN_PARAMS_PARAMS_H

#include "poplibs/support.h"

#include <poplar/text.h>
#include <poplin/conv_params.h>

/* What is computed from parameters does not end the program if nobody has checked them: a dilation or stride of 0
 * counts as 1, dimensions that are too many (or differ between field and kernel) as none. */
static inline unsigned poplin_distance(unsigned distance)
{
    return distance ? distance : 1;
}
static inline size_t poplin_params_dims(const poplin_conv_params *params)
{
    return params->num_field_dims <= POPLIN_MAX_FIELD_DIMS ? params->num_field_dims : 0;
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

/* "prefix/name", as debug paths join, or name alone where there is no prefix; free(). */
static inline char *poplin_path(const char *prefix, const char *name)
{
    size_t size = (prefix ? strlen(prefix) + 1 : 0) + strlen(name) + 1;
    char *path = poplibs_new(size, 1);
    poplibs_path(path, size, prefix, name);
    return path;
}

#endif
