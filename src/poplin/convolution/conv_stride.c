/* SPDX-License-Identifier: Apache-2.0 */
/* With a kernel of one element, each output uses one input element, and a stride skips the others.  The vertices get a
 * view without the skipped elements: it needs no stride, and no tile receives elements that it does not use. */
#include "poplin/convolution/conv_views.h"
#include "poplin/convolution/convolution.h"

#include <poplin/conv_util.h>

/* The input element that each of `count` outputs uses. */
static unsigned *taken_indices(const poplin_conv_params *params, unsigned d, size_t count)
{
    unsigned *indices = poplibs_new(count, sizeof(*indices));
    for (size_t o = 0; o < count; ++o)
        indices[o] = poplin_get_input_index(d, (unsigned)o, 0, params);
    return indices;
}

pop_tensor conv_take_input(const struct conv_call *request, pop_tensor input)
{
    for (unsigned d = 0; d < request->convolved.num_field_dims && call_ready(request->call); ++d)
        if (conv_strides(&request->convolved, d)) {
            size_t count = poplin_conv_output_size(&request->convolved, d);
            unsigned *indices = taken_indices(&request->convolved, d, count);
            input = conv_gather(request->call, input, 2 + d, indices, count);
            free(indices);
        }
    return input;
}

/* For each input element an output that uses it, or that uses a neighbour of it. */
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

pop_tensor conv_new_strided_input(const struct conv_resolved *conv, pop_tensor taken)
{
    const struct conv_call *request = conv->request;
    for (unsigned d = 0; d < request->convolved.num_field_dims && call_ready(request->call); ++d)
        if (conv_strides(&request->convolved, d)) {
            unsigned *near = nearest_outputs(&request->convolved, d);
            taken = conv_gather(request->call, taken, 2 + d, near, request->convolved.input_field_shape[d]);
            free(near);
        }
    return conv_new_like(request->call, taken, conv->name);
}
