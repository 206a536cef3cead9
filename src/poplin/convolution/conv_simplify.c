/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/convolution/conv_simplify.h"

static bool is_empty(const poplin_conv_params *params)
{
    size_t min = poplibs_min(poplibs_min(params->input_channels_per_conv_group, params->output_channels_per_conv_group),
                             poplibs_min(params->batch_size, params->num_conv_groups));
    for (size_t d = 0; d < params->num_field_dims; ++d)
        min = poplibs_min(
            poplibs_min(min, poplin_conv_output_size(params, d)),
            poplibs_min(poplin_conv_truncated_input_size(params, d), poplin_conv_truncated_kernel_size(params, d)));
    return min == 0;
}

bool conv_dilates(const poplin_conv_params *params, size_t d)
{
    const poplin_input_transform *kernel = &params->kernel_transform;
    return params->input_transform.dilation[d] > 1 && params->input_field_shape[d] > 1 &&
           params->kernel_shape[d] == 1 && !kernel->padding_lower[d] && !kernel->padding_upper[d] &&
           params->output_transform.stride[d] == 1;
}

static bool undilate(const poplin_conv_params *params, poplin_conv_params *undilated)
{
    bool found = false;
    *undilated = *params;
    for (size_t d = 0; d < params->num_field_dims; ++d) {
        if (!conv_dilates(params, d))
            continue;
        poplin_input_transform *in = &undilated->input_transform;
        poplin_output_transform *out = &undilated->output_transform;
        in->truncation_lower[d] = in->truncation_upper[d] = in->padding_lower[d] = in->padding_upper[d] = 0;
        in->dilation[d] = 1;
        in->flip[d] = false;
        out->truncation_lower[d] = out->truncation_upper[d] = out->padding_lower[d] = out->padding_upper[d] = 0;
        found = true;
    }
    return found;
}

bool conv_strides(const poplin_conv_params *params, size_t d)
{
    const poplin_input_transform *kernel = &params->kernel_transform;
    return params->output_transform.stride[d] > 1 && params->kernel_shape[d] == 1 && !kernel->padding_lower[d] &&
           !kernel->padding_upper[d] && params->input_transform.dilation[d] == 1;
}

static bool unstride(const poplin_conv_params *params, poplin_conv_params *unstrided)
{
    bool found = false;
    *unstrided = *params;
    for (size_t d = 0; d < params->num_field_dims; ++d) {
        if (!conv_strides(params, d))
            continue;
        poplin_input_transform *in = &unstrided->input_transform;
        poplin_output_transform *out = &unstrided->output_transform;
        unstrided->input_field_shape[d] = poplin_conv_output_size(params, d);
        in->truncation_lower[d] = in->truncation_upper[d] = in->padding_lower[d] = in->padding_upper[d] = 0;
        in->flip[d] = false;
        out->truncation_lower[d] = out->truncation_upper[d] = out->padding_lower[d] = out->padding_upper[d] = 0;
        out->stride[d] = 1;
        found = true;
    }
    return found;
}

struct conv_simple conv_simplify(const poplin_conv_params *params)
{
    struct conv_simple simple = { .params = *params, .is_empty = is_empty(params) };
    poplin_conv_params undilated;
    if (simple.is_empty)
        return simple;
    simple.dilates = undilate(params, &undilated);
    simple.strides = unstride(&undilated, &simple.params);
    return simple;
}
