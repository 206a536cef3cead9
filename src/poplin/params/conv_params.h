/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of convolutions: sizes, checks, canonical form, order. */
#ifndef POPLIN_PARAMS_CONV_PARAMS_H
#define POPLIN_PARAMS_CONV_PARAMS_H

#include "poplibs/call.h"
#include "poplin/params/params.h"

/* Checks parameters: POP_OK, or a status with a message in text. */
pop_status poplin_params_wrong(const poplin_conv_params *params, char *text, size_t size);
/* Checks parameters; records an error of the graph. */
bool poplin_params_valid(const struct call *call, const poplin_conv_params *params);
/* Fills error, which may be NULL and which the caller owns, and returns status. */
pop_status poplin_fail(const struct call *call, pop_error *error, pop_status status, const char *text);
/* Writes "1 x (2x8x8x16) -> 32, kernel 3x3, half -> float": groups, batch, field, channels.  Buffer and result as
 * snprintf. */
size_t poplin_conv_params_text(const poplin_conv_params *params, char *buffer, size_t size);

#endif
