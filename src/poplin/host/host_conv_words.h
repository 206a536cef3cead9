/* SPDX-License-Identifier: Apache-2.0 */
/* The field of a host's convolution, written for its vertices (host_conv_shape.h). */
#ifndef POPLIN_HOST_HOST_CONV_WORDS_H
#define POPLIN_HOST_HOST_CONV_WORDS_H

#include <poplin/conv_params.h>

struct host_conv_words {
    unsigned *words; /* free() */
    size_t count;
};
/* strides: elements of the input between neighbours in the batch, and in each dimension of the field.  by_phases:
 * outputs in classes; else all outputs and all positions are one phase. */
struct host_conv_words host_conv_words(const poplin_conv_params *params, const size_t *strides, bool by_phases);

#endif
