/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the generators of one convolution and of several. */
#ifndef TESTS_FUZZ_CONV_H
#define TESTS_FUZZ_CONV_H

#include "generators.h"

#include <poplin/conv_params.h>

enum conv_kind { CONV_FORWARD, CONV_FLIPPED, CONV_DELTAS, CONV_UPDATE };

/* Shapes of input, weights and output. */
void conv_sizes(const poplin_conv_params *p, size_t *in, size_t *weights, size_t *out);
/* Valid parameters, small enough for the reference. */
poplin_conv_params any_conv(struct world *w, pop_type type);
/* The parameters as one line of the operation's text. */
void conv_text(struct operation *op, const poplin_conv_params *p);
/* whole[0] is a kind, extra the parameters; in: input, weights or deltas, for updates the weights, and the scale if
 * whole[1] is set (else number[0]). */
void conv_reference(const struct operation *op, double *const *in, struct expected *out);

#endif
