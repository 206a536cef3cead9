/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx/model/model.h"

#include <poplar/text.h>
#include <stdarg.h>
#include <string.h>

pop_status onnx_fail(pop_error *error, pop_status status, const char *format, ...)
{
    if (!error)
        return status;
    va_list arguments;
    memset(error, 0, sizeof(*error));
    error->status = status;
    va_start(arguments, format);
    pop_text_vformat(error->text, sizeof(error->text), format, arguments);
    va_end(arguments);
    return status;
}
