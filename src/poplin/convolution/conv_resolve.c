/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/convolution/conv_resolve.h"
#include "poplin/planner/method.h"

#include <assert.h>

static void swap_unsigned(unsigned *a, unsigned *b)
{
    unsigned kept = *a;
    *a = *b;
    *b = kept;
}
/* A flip after the other transforms equals a flip before them with lower and upper exchanged. */
static void resolve_flips(poplin_input_transform *transform, size_t dims)
{
    for (size_t d = 0; d < dims; ++d)
        if (transform->flip[d]) {
            swap_unsigned(&transform->truncation_lower[d], &transform->truncation_upper[d]);
            swap_unsigned(&transform->padding_lower[d], &transform->padding_upper[d]);
            transform->flip[d] = false;
        }
}

/* Whether vertices write each result only once: with one group of input channels and one kernel position, and no sums
 * over partials. */
static bool writes_results(const struct conv_resolved *conv)
{
    const struct plan_partition *partition = &conv->plan.partition;
    bool once = conv->plan.method->writes_once && conv->c1 == 1 && partition->in_chan_split.serial == 1 &&
                partition->in_chan_split.parallel == 1;
    for (unsigned d = 0; d < conv->plan.num_field_dims; ++d)
        once = once && conv->params.kernel_shape[d] == 1;
    return once;
}

void conv_group_channels(struct conv_resolved *conv)
{
    poplin_conv_params *params = &conv->params;
    *params = conv->transformed.params;
    conv->g2 = (unsigned)poplibs_max(conv->plan.conv_groups_per_group, 1);
    conv->c2 = conv->plan.in_chans_per_group;
    conv->o2 = conv->plan.partial_chans_per_group;
    conv->g1 = poplibs_ceil_div(params->num_conv_groups, conv->g2);
    conv->c1 = poplibs_ceil_div(params->input_channels_per_conv_group, conv->c2);
    conv->o1 = poplibs_ceil_div(params->output_channels_per_conv_group, conv->o2);
    assert(conv->c2 && conv->o2);
    params->num_conv_groups = conv->g1 * conv->g2;
    params->input_channels_per_conv_group = conv->c1 * conv->c2;
    params->output_channels_per_conv_group = conv->o1 * conv->o2;
    if (!conv->plan.method->reads_flipped) {
        resolve_flips(&params->input_transform, params->num_field_dims);
        resolve_flips(&params->kernel_transform, params->num_field_dims);
    }
    for (unsigned d = 0; d < params->num_field_dims; ++d)
        conv->output_shape[d] = poplin_conv_output_size(params, d);
}

void conv_take_metadata(struct conv_resolved *conv, pop_tensor input, pop_tensor weights)
{
    const struct call *call = conv->call;
    if (!conv->request->options.keeps_quarter || !call_ready(call))
        return;
    conv->metadata[0] = pop_tensor_reinterpret(pop_tensor_get_metadata(input), POP_UNSIGNED_CHAR);
    conv->metadata[1] = pop_tensor_reinterpret(pop_tensor_get_metadata(weights), POP_UNSIGNED_CHAR);
}

bool conv_resolve(struct conv_resolved *conv, const struct conv_call *request, const char *name)
{
    struct conv_planned planned;
    *conv = (struct conv_resolved){ .call = request->call, .request = request, .name = name };
    if (!call_ready(request->call))
        return false;
    if (request->simple.is_empty)
        return true;
    /* convolutions that share tiles have been planned again since */
    if (request->is_planned && request->options.share.objective == POPLIN_ALONE)
        planned = request->planned;
    else if (!plan_get(request->call, &request->simple.params, &request->options, request->cache, &planned))
        return false;
    conv->plan = planned.plan;
    conv->swapped = conv->plan.transform.swap_operands;
    assert(conv->plan.method && conv->plan.num_field_dims && conv->plan.num_field_dims <= POPLIN_MAX_FIELD_DIMS);
    params_transform(&conv->plan.transform, &planned.params, &conv->transformed);
    assert(conv->transformed.params.num_field_dims == conv->plan.num_field_dims);
    conv_group_channels(conv);
    if (conv->params.input_type == POP_HALF && conv->params.output_type == POP_HALF && writes_results(conv))
        conv->plan.tile_partial_type = POP_HALF; /* wider partials would only have to be cast to half */
    return true;
}
