/* SPDX-License-Identifier: Apache-2.0 */
/* Index arithmetic of convolutions. */
#ifndef POPLIN_PARAMS_CONV_UTIL_H
#define POPLIN_PARAMS_CONV_UTIL_H

#include "poplin/params/params.h"

/* Along a field dimension: the place of an output element in the untransformed output; the place of a kernel element in
 * the transformed kernel; the input element at a place of the transformed input, which is the sum of those two.
 * POPLIN_NO_INDEX if there is none. */
unsigned poplin_params_output_place(const poplin_conv_params *params, unsigned d, unsigned output);
unsigned poplin_params_kernel_place(const poplin_conv_params *params, unsigned d, unsigned kernel_index);
unsigned poplin_params_input_at(const poplin_conv_params *params, unsigned d, size_t place);

#endif
