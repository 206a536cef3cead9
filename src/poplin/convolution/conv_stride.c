/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel of one element meets as many input elements as there are outputs.  A stride leaves out the others: vertices
 * that take a view without them have no stride, and no tile receives what it does not need. */
#include "poplin/convolution/conv_stride.h"
#include "poplin/convolution/conv_dilate.h"
#include "poplin/convolution/conv_operands.h"
#include "poplin/convolution/conv_work.h"

#include <poplin/conv_util.h>

static bool strides(const poplin_conv_params *params, size_t d)
{
    const poplin_input_transform *kernel = &params->kernel_transform;
    return params->output_transform.stride[d] > 1 && params->kernel_shape[d] == 1 && !kernel->padding_lower[d] &&
           !kernel->padding_upper[d] && params->input_transform.dilation[d] == 1;
}

bool conv_unstrided(const poplin_conv_params *params, poplin_conv_params *unstrided)
{
    bool found = false;
    *unstrided = *params;
    for (size_t d = 0; d < params->num_field_dims; ++d) {
        if (!strides(params, d))
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

/* The input element that each of count outputs takes. */
static unsigned *taken_indices(const poplin_conv_params *params, unsigned d, size_t count)
{
    unsigned *indices = poplibs_new(count, sizeof(*indices));
    for (size_t o = 0; o < count; ++o)
        indices[o] = poplin_get_input_index(d, (unsigned)o, 0, params);
    return indices;
}

pop_tensor conv_take_input(const struct poplin_conv_call *call, pop_tensor input)
{
    struct conv_work work = { .call = call, .graph = call->graph, .where = call->where };
    for (unsigned d = 0; d < call->params->num_field_dims && poplibs_ready(call->graph); ++d)
        if (strides(call->params, d)) {
            size_t count = poplin_conv_output_size(call->params, d);
            unsigned *indices = taken_indices(call->params, d, count);
            input = conv_gather(&work, input, 2 + d, indices, count);
            free(indices);
        }
    return input;
}

/* For every input element an output that takes it, or its neighbour. */
static unsigned *nearest_outputs(const poplin_conv_params *params, unsigned d)
{
    size_t size = params->input_field_shape[d], count = poplin_conv_output_size(params, d);
    unsigned *taken = taken_indices(params, d, count), *near = poplibs_new(size, sizeof(*near));
    for (size_t i = 0; i < size; ++i)
        near[i] = POPLIN_NO_INDEX;
    for (size_t o = 0; o < count; ++o)
        if (taken[o] != POPLIN_NO_INDEX)
            near[taken[o]] = (unsigned)o;
    for (size_t i = 1; i < size; ++i)
        near[i] = near[i] == POPLIN_NO_INDEX ? near[i - 1] : near[i];
    for (size_t i = size; i-- > 0;)
        near[i] = near[i] != POPLIN_NO_INDEX ? near[i] : i + 1 < size ? near[i + 1] : 0;
    free(taken);
    return near;
}

pop_tensor conv_new_strided_input(const struct poplin_conv_call *call, pop_tensor taken)
{
    struct conv_work work = { .call = call, .graph = call->graph, .where = call->where };
    for (unsigned d = 0; d < call->params->num_field_dims && poplibs_ready(call->graph); ++d)
        if (strides(call->params, d)) {
            unsigned *near = nearest_outputs(call->params, d);
            taken = conv_gather(&work, taken, 2 + d, near, call->params->input_field_shape[d]);
            free(near);
        }
    return conv_new_like(call, taken);
}
