/* SPDX-License-Identifier: Apache-2.0 */
/* The plan's transforms on tensors: forth for operands, back for the output and for new operands. */
#ifndef POPLIN_CONVOLUTION_CONV_OPERANDS_H
#define POPLIN_CONVOLUTION_CONV_OPERANDS_H

#include "poplin/convolution/conv_work.h"

/* ---- conv_operands.c ---- */
void conv_transform_operands(struct conv_work *work, pop_tensor *input, pop_tensor *weights);
pop_tensor conv_transform_output_back(struct conv_work *work, pop_tensor grouped);
/* Whether a variable of the grouped form can be seen as the given operand: no step copies elements of it. */
bool conv_input_is_a_view(const struct conv_work *work);
bool conv_weights_are_a_view(const struct conv_work *work);
/* The given operand as a view of a grouped variable. */
pop_tensor conv_input_back(struct conv_work *work, pop_tensor grouped);
pop_tensor conv_weights_back(struct conv_work *work, pop_tensor grouped);
pop_shape conv_grouped_input_shape(const struct conv_work *work, size_t *dims);
pop_shape conv_grouped_weights_shape(const struct conv_work *work, size_t *dims);
bool conv_is_zeros(pop_where where, pop_graph *graph, uint32_t variable, struct conv_constant *last);
/* Elements indices[0 .. count) along a dimension; zeros for POPLIN_NO_INDEX. */
pop_tensor conv_gather(const struct conv_work *work, pop_tensor t, unsigned dim, const unsigned *indices, size_t count);

#endif
