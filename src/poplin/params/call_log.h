/* SPDX-License-Identifier: Apache-2.0 */
/* Formats poplin's own argument types for the call log. */
#ifndef POPLIN_PARAMS_CALL_LOG_H
#define POPLIN_PARAMS_CALL_LOG_H

#include "poplibs/call.h"
#include "poplibs/log.h"
#include "poplin/params/params.h"

static inline size_t log_params(char *buffer, size_t size, const void *params)
{
    return conv_params_text(params, buffer, size);
}

#endif
