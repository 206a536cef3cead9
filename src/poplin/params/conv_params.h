/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of convolutions: sizes, checks, the canonical form, order. */
#ifndef POPLIN_PARAMS_CONV_PARAMS_H
#define POPLIN_PARAMS_CONV_PARAMS_H

#include "poplin/params/params.h"

/* POP_OK, or what is wrong with them. */
pop_status poplin_params_wrong(const poplin_conv_params *params, char *text, size_t size);
/* The same as an error of the graph. */
bool poplin_params_valid(pop_where where, pop_graph *graph, const char *api, const poplin_conv_params *params);
/* Fills an error that the caller owns (NULL is allowed); returns status. */
pop_status poplin_fail(pop_error *error, pop_status status, pop_where where, const char *api, const char *text);
/* "1 x (2x8x8x16) -> 32, kernel 3x3, half -> float": groups, batch, field, channels.  As snprintf. */
size_t poplin_conv_params_text(const poplin_conv_params *params, char *buffer, size_t size);

#endif
