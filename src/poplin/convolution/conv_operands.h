/* SPDX-License-Identifier: Apache-2.0 */
/* Applies the plan's transforms to operands, and their inverses to the output and to new operands. */
#ifndef POPLIN_CONVOLUTION_CONV_OPERANDS_H
#define POPLIN_CONVOLUTION_CONV_OPERANDS_H

#include "poplin/convolution/conv_resolve.h"

void conv_transform_operands(const struct conv_resolved *conv, pop_tensor *input, pop_tensor *weights);
/* The input alone, of a plan by which it is a view of a grouped variable and not swapped. */
pop_tensor conv_transform_input(const struct conv_resolved *conv, pop_tensor input);
pop_tensor conv_transform_output_back(const struct conv_resolved *conv, pop_tensor grouped);
/* Whether the given operand can be a view of a grouped variable: no step duplicates elements of it. */
bool conv_input_is_a_view(const struct conv_resolved *conv);
bool conv_weights_are_a_view(const struct conv_resolved *conv);
/* Views a grouped variable as the given operand. */
pop_tensor conv_input_back(const struct conv_resolved *conv, pop_tensor grouped);
pop_tensor conv_weights_back(const struct conv_resolved *conv, pop_tensor grouped);
pop_shape conv_grouped_input_shape(const struct conv_resolved *conv, size_t *dims);
pop_shape conv_grouped_weights_shape(const struct conv_resolved *conv, size_t *dims);

#endif
