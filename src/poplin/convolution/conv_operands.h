/* SPDX-License-Identifier: Apache-2.0 */
/* The plan's transforms on tensors: forth for operands, back for the output and for new operands. */
#ifndef POPLIN_CONVOLUTION_CONV_OPERANDS_H
#define POPLIN_CONVOLUTION_CONV_OPERANDS_H

#include "poplin/convolution/conv_resolve.h"

void conv_transform_operands(const struct conv_resolved *conv, pop_tensor *input, pop_tensor *weights);
pop_tensor conv_transform_output_back(const struct conv_resolved *conv, pop_tensor grouped);
/* Whether a variable of the grouped form can be seen as the given operand: no step copies elements of it. */
bool conv_input_is_a_view(const struct conv_resolved *conv);
bool conv_weights_are_a_view(const struct conv_resolved *conv);
/* The given operand as a view of a grouped variable. */
pop_tensor conv_input_back(const struct conv_resolved *conv, pop_tensor grouped);
pop_tensor conv_weights_back(const struct conv_resolved *conv, pop_tensor grouped);
pop_shape conv_grouped_input_shape(const struct conv_resolved *conv, size_t *dims);
pop_shape conv_grouped_weights_shape(const struct conv_resolved *conv, size_t *dims);

#endif
