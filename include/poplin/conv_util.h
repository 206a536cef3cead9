/* SPDX-License-Identifier: Apache-2.0 */
/* Which elements of input, kernel and output are combined by a convolution, along one field dimension; and the
 * convolutions of training.
 *
 * Indices and ranges refer to the tensors before input and kernel transforms and after output transforms.  An empty
 * range is {0, 0}. */
#ifndef POPLIN_CONV_UTIL_H
#define POPLIN_CONV_UTIL_H

#include <poplin/conv_params.h>

/* The result of poplin_get_input_index and similar calls for padding. */
#define POPLIN_NO_INDEX UINT32_MAX

POP_BEGIN_DECLS

/* Size after dilation: (size - 1) * dilation + 1, 0 if size is 0. */
POP_API unsigned poplin_get_dilated_size(unsigned size, unsigned dilation);

/* The input element that is multiplied with a kernel element for an output element; POPLIN_NO_INDEX if it is padding or
 * truncated. */
POP_API unsigned poplin_get_input_index(unsigned dim, unsigned output_index, unsigned kernel_index,
                                        const poplin_conv_params *params);
/* The kernel element that is multiplied with an input element for an output element; POPLIN_NO_INDEX if there is
 * none. */
POP_API unsigned poplin_get_kernel_index(unsigned dim, unsigned output_index, unsigned input_index,
                                         const poplin_conv_params *params);

/* The smallest range that holds all output elements of output_range to which the kernel or input elements
 * contribute. */
POP_API pop_interval poplin_get_output_range_for_kernel_index(unsigned dim, pop_interval output_range,
                                                              unsigned kernel_index, const poplin_conv_params *params);
/* The smallest range that holds all output elements of output_range to which this input element contributes. */
POP_API pop_interval poplin_get_output_range_for_input_index(unsigned dim, pop_interval output_range,
                                                             unsigned input_index, const poplin_conv_params *params);
/* The smallest range that holds all output elements of output_range to which kernel elements of a range contribute. */
POP_API pop_interval poplin_get_output_range_for_kernel_range(unsigned dim, pop_interval output_range,
                                                              pop_interval kernel_range,
                                                              const poplin_conv_params *params);
/* The smallest range that holds all output elements of output_range to which input elements of a range contribute. */
POP_API pop_interval poplin_get_output_range_for_input_range(unsigned dim, pop_interval output_range,
                                                             pop_interval input_range,
                                                             const poplin_conv_params *params);

/* The smallest range of the input that is combined with kernel_range in output_range, and of the kernel that is
 * combined with input_range. */
POP_API pop_interval poplin_get_input_range(unsigned dim, pop_interval output_range, pop_interval kernel_range,
                                            const poplin_conv_params *params);
POP_API pop_interval poplin_get_kernel_range(unsigned dim, pop_interval output_range, pop_interval input_range,
                                             const poplin_conv_params *params);
/* The smallest range of the input that is combined with any kernel element in output_range, and of the kernel that is
 * combined with any input element. */
POP_API pop_interval poplin_get_input_range_of_output(unsigned dim, pop_interval output_range,
                                                      const poplin_conv_params *params);
POP_API pop_interval poplin_get_kernel_range_of_output(unsigned dim, pop_interval output_range,
                                                       const poplin_conv_params *params);

/* The convolution that computes the gradient of the input from that of the output.  Its weights are the forward weights
 * with input and output channels exchanged and each field dimension reversed. */
POP_API poplin_conv_params poplin_get_gradient_params(const poplin_conv_params *params);
/* The convolution that computes the gradient of the weights: its input is the forward input with channels as batch, its
 * kernel is the gradient of the output. */
POP_API poplin_conv_params poplin_get_weight_update_params(const poplin_conv_params *params);

POP_END_DECLS
#endif
