/* SPDX-License-Identifier: Apache-2.0 */
/* Applies the transforms of a plan to parameters. */
#include "poplin/planner/plan_params.h"
#include "poplin/planner/plan.h"

#include <assert.h>

static void plain_dim(poplin_conv_params *p, size_t d)
{
    poplin_input_transform *const operands[] = { &p->input_transform, &p->kernel_transform };
    poplin_output_transform *out = &p->output_transform;
    for (size_t i = 0; i < 2; ++i) {
        operands[i]->truncation_lower[d] = operands[i]->truncation_upper[d] = operands[i]->padding_lower[d] =
            operands[i]->padding_upper[d] = 0;
        operands[i]->dilation[d] = 1;
        operands[i]->flip[d] = false;
    }
    out->truncation_lower[d] = out->truncation_upper[d] = out->padding_lower[d] = out->padding_upper[d] = 0;
    out->stride[d] = 1;
}

#define SHIFT(array) memmove((array) + extra, (array), (POPLIN_MAX_FIELD_DIMS - extra) * sizeof(*(array)))
static void shift_input(poplin_input_transform *t, unsigned extra)
{
    SHIFT(t->truncation_lower);
    SHIFT(t->truncation_upper);
    SHIFT(t->dilation);
    SHIFT(t->padding_lower);
    SHIFT(t->padding_upper);
    SHIFT(t->flip);
}
poplin_conv_params params_add_field_dims(const poplin_conv_params *params, unsigned extra)
{
    poplin_conv_params p = *params;
    SHIFT(p.input_field_shape);
    SHIFT(p.kernel_shape);
    shift_input(&p.input_transform, extra);
    shift_input(&p.kernel_transform, extra);
    SHIFT(p.output_transform.truncation_lower);
    SHIFT(p.output_transform.truncation_upper);
    SHIFT(p.output_transform.stride);
    SHIFT(p.output_transform.padding_lower);
    SHIFT(p.output_transform.padding_upper);
    p.num_field_dims += extra;
    for (unsigned d = 0; d < extra; ++d) {
        p.input_field_shape[d] = p.kernel_shape[d] = 1;
        plain_dim(&p, d);
    }
    return p;
}

/* The kernel becomes the field.  It must be the larger operand, so it is padded at both ends; then the former field
 * slides over it in the opposite direction, and both operands are flipped. */
poplin_conv_params params_swap_operands(const poplin_conv_params *params)
{
    poplin_conv_params p = *params;
    p.batch_size = params->output_channels_per_conv_group;
    p.output_channels_per_conv_group = params->batch_size;
    memcpy(p.input_field_shape, params->kernel_shape, sizeof(p.input_field_shape));
    memcpy(p.kernel_shape, params->input_field_shape, sizeof(p.kernel_shape));
    p.input_transform = params->kernel_transform;
    p.kernel_transform = params->input_transform;
    for (size_t d = 0; d < p.num_field_dims; ++d) {
        size_t input = poplin_conv_transformed_input_size(params, d),
               kernel = poplin_conv_transformed_kernel_size(params, d);
        unsigned more = (unsigned)(input - kernel);
        p.input_transform.padding_lower[d] += more;
        p.input_transform.padding_upper[d] += more;
        /* A flip of one element has no effect and is dropped, because flipped dimensions cannot be flattened. */
        p.input_transform.flip[d] = !p.input_transform.flip[d] && poplin_conv_transformed_input_size(&p, d) > 1;
        p.kernel_transform.flip[d] = !p.kernel_transform.flip[d] && input > 1;
    }
    return p;
}

poplin_conv_params params_expand_dim(const poplin_conv_params *params, unsigned d)
{
    poplin_conv_params p = *params;
    size_t output = poplin_conv_output_size(&p, d), kernel = poplin_conv_truncated_kernel_size(&p, d);
    p.input_channels_per_conv_group *= kernel;
    p.input_field_shape[d] = output;
    p.kernel_shape[d] = 1;
    plain_dim(&p, d);
    return p;
}

poplin_conv_params params_flatten_out_chans(const poplin_conv_params *params, unsigned dims)
{
    if (!dims)
        return *params;
    poplin_conv_params p = params_swap_operands(params);
    for (unsigned d = 0; d < p.num_field_dims; ++d)
        if (dims >> d & 1) {
            p = params_expand_dim(&p, d);
            p.batch_size *= p.input_field_shape[d];
            p.input_field_shape[d] = 1;
        }
    return params_swap_operands(&p);
}

static bool flattens(const poplin_conv_params *p, size_t d)
{
    const poplin_input_transform *in = &p->input_transform;
    const poplin_output_transform *out = &p->output_transform;
    return poplin_conv_transformed_kernel_size(p, d) == 1 && !in->truncation_lower[d] && !in->truncation_upper[d] &&
           in->dilation[d] == 1 && !in->padding_lower[d] && !in->padding_upper[d] && !in->flip[d] &&
           out->stride[d] == 1 && !out->truncation_lower[d] && !out->truncation_upper[d] && !out->padding_lower[d] &&
           !out->padding_upper[d] && !p->kernel_transform.padding_lower[d] && !p->kernel_transform.padding_upper[d];
}
bool params_are_of_product(const poplin_conv_params *p)
{
    for (size_t d = 0; d < p->num_field_dims; ++d)
        if (!flattens(p, d) || p->kernel_shape[d] != 1 || (d + 1 < p->num_field_dims && p->input_field_shape[d] != 1))
            return false;
    return p->num_field_dims && p->batch_size == 1;
}
poplin_conv_params params_exchange_operands(const poplin_conv_params *params)
{
    assert(params_are_of_product(params));
    poplin_conv_params p = *params;
    size_t *columns = &p.input_field_shape[p.num_field_dims - 1];
    p.batch_size = p.output_channels_per_conv_group;
    p.output_channels_per_conv_group = *columns;
    *columns = 1;
    return p;
}
unsigned params_flattenable(const poplin_conv_params *p)
{
    unsigned dims = p->batch_size ? 1 : 0;
    for (unsigned d = 0; d < p->num_field_dims; ++d)
        dims |= flattens(p, d) ? 2u << d : 0;
    return dims & (dims - 1) ? dims : 0;
}
poplin_conv_params params_flatten(const poplin_conv_params *params, unsigned dims)
{
    poplin_conv_params p = *params;
    if (!dims)
        return p;
    unsigned last = 0;
    while (dims >> (last + 1))
        ++last;
    for (unsigned d = 0; d < last; ++d)
        if (dims >> d & 1) {
            size_t *size = d ? &p.input_field_shape[d - 1] : &p.batch_size;
            p.input_field_shape[last - 1] *= *size;
            *size = 1;
        }
    return p;
}

poplin_conv_params params_combine_groups(const poplin_conv_params *params, unsigned factor)
{
    poplin_conv_params p = *params;
    p.num_conv_groups = poplibs_ceil_div(p.num_conv_groups, factor);
    p.input_channels_per_conv_group *= factor;
    p.output_channels_per_conv_group *= factor;
    return p;
}

/* ---- all transforms of a plan ---- */

static void add_step(struct params_transformed *to, enum params_step_kind kind, unsigned number,
                     poplin_conv_params after)
{
    to->steps[to->count++] = (struct params_step){ kind, number, to->params };
    to->params = after;
}

void params_transform(const struct plan_transform *t, const poplin_conv_params *params, struct params_transformed *to)
{
    poplin_conv_params *p = &to->params;
    to->count = 0;
    *p = *params;
    if (t->extra_field_dims)
        add_step(to, POPLIN_STEP_FIELD_DIMS, t->extra_field_dims, params_add_field_dims(p, t->extra_field_dims));
    if (t->swap_operands && params_are_of_product(p))
        add_step(to, POPLIN_STEP_EXCHANGE, 0, params_exchange_operands(p));
    else if (t->swap_operands)
        add_step(to, POPLIN_STEP_SWAP, 0, params_swap_operands(p));
    for (unsigned d = (unsigned)p->num_field_dims; d-- > 0;) /* the innermost first: its elements are adjacent */
        if (t->expand_dims >> d & 1)
            add_step(to, POPLIN_STEP_EXPAND, d, params_expand_dim(p, d));
    if (t->out_chan_flatten_dims)
        add_step(to, POPLIN_STEP_OUT_CHANS, t->out_chan_flatten_dims,
                 params_flatten_out_chans(p, t->out_chan_flatten_dims));
    if (t->flatten_dims)
        add_step(to, POPLIN_STEP_FLATTEN, t->flatten_dims, params_flatten(p, t->flatten_dims));
    if (t->combine_conv_groups_factor > 1)
        add_step(to, POPLIN_STEP_COMBINE, t->combine_conv_groups_factor,
                 params_combine_groups(p, t->combine_conv_groups_factor));
}
