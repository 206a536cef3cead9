/* SPDX-License-Identifier: Apache-2.0 */
/* Which elements of input, kernel and output meet in a convolution, along one field dimension; and the convolutions of
 * its training.
 *
 * Indices and ranges are of the tensors as they are given, before and after all transforms.  A range that is empty is
 * {0, 0}. */
#ifndef POPLIN_CONV_UTIL_H
#define POPLIN_CONV_UTIL_H

#include <poplin/conv_params.h>

#define POPLIN_NO_INDEX UINT32_MAX

POP_BEGIN_DECLS

/* Elements from the first to the last when neighbours are dilation apart: (size - 1) * dilation + 1, 0 for none. */
POP_API unsigned poplin_get_dilated_size(unsigned size, unsigned dilation);

/* The input element that meets a kernel element in an output element; POPLIN_NO_INDEX when that is padding or
 * truncated. */
POP_API unsigned poplin_get_input_index(unsigned dim, unsigned output_index, unsigned kernel_index,
                                        const poplin_conv_params *params);
/* The kernel element that meets an input element in an output element; POPLIN_NO_INDEX when there is none. */
POP_API unsigned poplin_get_kernel_index(unsigned dim, unsigned output_index, unsigned input_index,
                                         const poplin_conv_params *params);

/* The least range that holds all output elements of output_range to which kernel or input elements contribute. */
POP_API pop_interval poplin_get_output_range_for_kernel_index(unsigned dim, pop_interval output_range,
                                                              unsigned kernel_index, const poplin_conv_params *params);
POP_API pop_interval poplin_get_output_range_for_input_index(unsigned dim, pop_interval output_range,
                                                             unsigned input_index, const poplin_conv_params *params);
POP_API pop_interval poplin_get_output_range_for_kernel_range(unsigned dim, pop_interval output_range,
                                                              pop_interval kernel_range,
                                                              const poplin_conv_params *params);
POP_API pop_interval poplin_get_output_range_for_input_range(unsigned dim, pop_interval output_range,
                                                             pop_interval input_range,
                                                             const poplin_conv_params *params);

/* The least range of the input that meets kernel_range in output_range, and of the kernel that meets input_range. */
POP_API pop_interval poplin_get_input_range(unsigned dim, pop_interval output_range, pop_interval kernel_range,
                                            const poplin_conv_params *params);
POP_API pop_interval poplin_get_kernel_range(unsigned dim, pop_interval output_range, pop_interval input_range,
                                             const poplin_conv_params *params);
/* The same for the whole kernel, the whole input. */
POP_API pop_interval poplin_get_input_range_of_output(unsigned dim, pop_interval output_range,
                                                      const poplin_conv_params *params);
POP_API pop_interval poplin_get_kernel_range_of_output(unsigned dim, pop_interval output_range,
                                                       const poplin_conv_params *params);

/* The convolution that makes the gradient of the input from that of the output, with weights that were transposed in
 * their channels and turned around in each field dimension before. */
POP_API poplin_conv_params poplin_get_gradient_params(const poplin_conv_params *params);
/* The convolution that makes the gradient of the weights: of the input, whose channels are the batch, with the gradient
 * of the output as kernel. */
POP_API poplin_conv_params poplin_get_weight_update_params(const poplin_conv_params *params);

POP_END_DECLS
#endif
