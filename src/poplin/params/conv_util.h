/* SPDX-License-Identifier: Apache-2.0 */
/* Index arithmetic. */
#ifndef POPLIN_PARAMS_CONV_UTIL_H
#define POPLIN_PARAMS_CONV_UTIL_H

#include "poplin/params/params.h"

/* Along a field dimension: the place of an output element in the untransformed output, that of a kernel element in the
 * transformed kernel, and the input element at a place of the transformed input, where those two places add up to.
 * POPLIN_NO_INDEX where there is none. */
unsigned poplin_params_output_place(const poplin_conv_params *params, unsigned d, unsigned output);
unsigned poplin_params_kernel_place(const poplin_conv_params *params, unsigned d, unsigned kernel_index);
unsigned poplin_params_input_at(const poplin_conv_params *params, unsigned d, size_t place);

#endif
