/* SPDX-License-Identifier: Apache-2.0 */
/* Index arithmetic of convolutions along one dimension.  Output element o is the element o * stride + truncation of the
 * untransformed output.  That one is the sum over transformed kernel places k of the transformed input's place o + k.
 * A place of a transformed operand holds an element, padding, or a gap of the dilation. */
#include "poplin/params/params.h"

#include <poplin/conv_util.h>

unsigned poplin_get_dilated_size(unsigned size, unsigned dilation)
{
    return size ? (size - 1) * dilation + 1 : 0;
}

/* The element at a place of a transformed operand, and the place of an element; POPLIN_NO_INDEX if there is none. */
static unsigned element_at(const poplin_input_transform *t, unsigned d, size_t size, size_t whole, size_t place)
{
    if (place >= whole)
        return POPLIN_NO_INDEX;
    if (t->flip[d])
        place = whole - 1 - place;
    unsigned dilation = params_distance(t->dilation[d]);
    if (place < t->padding_lower[d] || place >= whole - t->padding_upper[d] || (place - t->padding_lower[d]) % dilation)
        return POPLIN_NO_INDEX;
    size_t element = (place - t->padding_lower[d]) / dilation + t->truncation_lower[d];
    return element < size ? (unsigned)element : POPLIN_NO_INDEX;
}
static unsigned place_of(const poplin_input_transform *t, unsigned d, size_t size, size_t whole, size_t element)
{
    if (element >= size || element < t->truncation_lower[d] || element >= size - t->truncation_upper[d])
        return POPLIN_NO_INDEX;
    size_t place = (element - t->truncation_lower[d]) * params_distance(t->dilation[d]) + t->padding_lower[d];
    return (unsigned)(t->flip[d] ? whole - 1 - place : place);
}
unsigned params_output_place(const poplin_conv_params *p, unsigned d, unsigned output)
{
    const poplin_output_transform *t = &p->output_transform;
    size_t whole = poplin_conv_output_size(p, d);
    if (output < t->padding_lower[d] || output >= whole - t->padding_upper[d])
        return POPLIN_NO_INDEX;
    return (output - t->padding_lower[d]) * params_distance(t->stride[d]) + t->truncation_lower[d];
}

unsigned params_kernel_place(const poplin_conv_params *p, unsigned d, unsigned kernel_index)
{
    return place_of(&p->kernel_transform, d, p->kernel_shape[d], poplin_conv_transformed_kernel_size(p, d),
                    kernel_index);
}
unsigned params_input_at(const poplin_conv_params *p, unsigned d, size_t place)
{
    return element_at(&p->input_transform, d, p->input_field_shape[d], poplin_conv_transformed_input_size(p, d), place);
}

unsigned poplin_get_input_index(unsigned d, unsigned output_index, unsigned kernel_index, const poplin_conv_params *p)
{
    unsigned o = params_output_place(p, d, output_index), k = params_kernel_place(p, d, kernel_index);
    if (o == POPLIN_NO_INDEX || k == POPLIN_NO_INDEX)
        return POPLIN_NO_INDEX;
    return params_input_at(p, d, (size_t)o + k);
}
unsigned poplin_get_kernel_index(unsigned d, unsigned output_index, unsigned input_index, const poplin_conv_params *p)
{
    unsigned o = params_output_place(p, d, output_index);
    unsigned i = place_of(&p->input_transform, d, p->input_field_shape[d], poplin_conv_transformed_input_size(p, d),
                          input_index);
    if (o == POPLIN_NO_INDEX || i == POPLIN_NO_INDEX || i < o)
        return POPLIN_NO_INDEX;
    return element_at(&p->kernel_transform, d, p->kernel_shape[d], poplin_conv_transformed_kernel_size(p, d), i - o);
}

/* ---- ranges: the smallest interval that contains all results of an index function ---- */

static void widen(pop_interval *range, size_t index)
{
    if (range->begin == range->end)
        *range = (pop_interval){ index, index + 1 };
    range->begin = poplibs_min(range->begin, index);
    range->end = poplibs_max(range->end, index + 1);
}
typedef unsigned (*index_of)(unsigned dim, unsigned output, unsigned other, const poplin_conv_params *p);

/* The range of outputs for which the index function has a result (of_outputs), or of these results.  others are indices
 * of the kernel or of the input. */
static pop_interval hull(index_of index, unsigned d, pop_interval outputs, pop_interval others, bool of_outputs,
                         const poplin_conv_params *p)
{
    pop_interval range = { 0, 0 };
    outputs.end = poplibs_min(outputs.end, poplin_conv_output_size(p, d));
    for (size_t other = others.begin; other < others.end; ++other)
        for (size_t o = outputs.begin; o < outputs.end; ++o) {
            unsigned found = index(d, (unsigned)o, (unsigned)other, p);
            if (found != POPLIN_NO_INDEX)
                widen(&range, of_outputs ? o : found);
        }
    return range;
}

pop_interval poplin_get_output_range_for_kernel_range(unsigned d, pop_interval outputs, pop_interval kernel,
                                                      const poplin_conv_params *p)
{
    kernel.end = poplibs_min(kernel.end, p->kernel_shape[d]);
    return hull(poplin_get_input_index, d, outputs, kernel, true, p);
}
pop_interval poplin_get_output_range_for_input_range(unsigned d, pop_interval outputs, pop_interval input,
                                                     const poplin_conv_params *p)
{
    input.end = poplibs_min(input.end, p->input_field_shape[d]);
    return hull(poplin_get_kernel_index, d, outputs, input, true, p);
}
pop_interval poplin_get_output_range_for_kernel_index(unsigned d, pop_interval outputs, unsigned kernel_index,
                                                      const poplin_conv_params *p)
{
    return poplin_get_output_range_for_kernel_range(d, outputs,
                                                    (pop_interval){ kernel_index, (size_t)kernel_index + 1 }, p);
}
pop_interval poplin_get_output_range_for_input_index(unsigned d, pop_interval outputs, unsigned input_index,
                                                     const poplin_conv_params *p)
{
    return poplin_get_output_range_for_input_range(d, outputs, (pop_interval){ input_index, (size_t)input_index + 1 },
                                                   p);
}
pop_interval poplin_get_input_range(unsigned d, pop_interval outputs, pop_interval kernel, const poplin_conv_params *p)
{
    kernel.end = poplibs_min(kernel.end, p->kernel_shape[d]);
    return hull(poplin_get_input_index, d, outputs, kernel, false, p);
}
pop_interval poplin_get_kernel_range(unsigned d, pop_interval outputs, pop_interval input, const poplin_conv_params *p)
{
    input.end = poplibs_min(input.end, p->input_field_shape[d]);
    return hull(poplin_get_kernel_index, d, outputs, input, false, p);
}
pop_interval poplin_get_input_range_of_output(unsigned d, pop_interval outputs, const poplin_conv_params *p)
{
    return poplin_get_input_range(d, outputs, (pop_interval){ 0, p->kernel_shape[d] }, p);
}
pop_interval poplin_get_kernel_range_of_output(unsigned d, pop_interval outputs, const poplin_conv_params *p)
{
    return poplin_get_kernel_range(d, outputs, (pop_interval){ 0, p->input_field_shape[d] }, p);
}

/* ---- convolutions of training ---- */

/* The gradient of the output is transformed by the inverse of the output transform, convolved ("full") with the flipped
 * kernel, then transformed by the inverse of the input transform.  Callers flip the stored weights, so lower and upper
 * of the kernel transform are exchanged. */
poplin_conv_params poplin_get_gradient_params(const poplin_conv_params *p)
{
    poplin_conv_params g = *p;
    g.input_channels_per_conv_group = p->output_channels_per_conv_group;
    g.output_channels_per_conv_group = p->input_channels_per_conv_group;
    g.input_transform = poplin_input_transform_none();
    g.output_transform = poplin_output_transform_none();
    for (size_t d = 0; d < params_dims(p); ++d) {
        const poplin_input_transform *in = &p->input_transform;
        const poplin_output_transform *out = &p->output_transform;
        size_t kernel = poplin_conv_transformed_kernel_size(p, d), output = poplin_conv_output_size(p, d);
        g.input_field_shape[d] = output;
        g.kernel_transform.truncation_lower[d] = p->kernel_transform.truncation_upper[d];
        g.kernel_transform.truncation_upper[d] = p->kernel_transform.truncation_lower[d];
        g.kernel_transform.padding_lower[d] = p->kernel_transform.padding_upper[d];
        g.kernel_transform.padding_upper[d] = p->kernel_transform.padding_lower[d];
        /* The places of the untransformed output that have a gradient begin at `lower` and are stride apart; "full"
         * adds kernel - 1 places at each end. */
        size_t untransformed = poplin_conv_untransformed_output_size(p, d);
        size_t strided = output - out->padding_lower[d] - out->padding_upper[d];
        size_t covered = strided ? (strided - 1) * out->stride[d] + 1 : 0;
        g.input_transform.truncation_lower[d] = out->padding_lower[d];
        g.input_transform.truncation_upper[d] = out->padding_upper[d];
        g.input_transform.dilation[d] = out->stride[d];
        g.input_transform.padding_lower[d] = (unsigned)(out->truncation_lower[d] + kernel - 1);
        g.input_transform.padding_upper[d] =
            (unsigned)(untransformed - covered - out->truncation_lower[d] + kernel - 1);
        /* The result has as many places as the transformed input: undo flip, padding, dilation and truncation. */
        if (in->flip[d]) {
            g.input_transform.flip[d] = true;
            g.kernel_transform.flip[d] = !p->kernel_transform.flip[d];
        }
        g.output_transform.truncation_lower[d] = in->padding_lower[d];
        g.output_transform.truncation_upper[d] = in->padding_upper[d];
        g.output_transform.stride[d] = in->dilation[d];
        g.output_transform.padding_lower[d] = in->truncation_lower[d];
        g.output_transform.padding_upper[d] = in->truncation_upper[d];
    }
    return poplin_conv_params_canonicalize(&g);
}

poplin_conv_params poplin_get_weight_update_params(const poplin_conv_params *p)
{
    poplin_conv_params w = *p;
    w.batch_size = p->input_channels_per_conv_group;
    w.input_channels_per_conv_group = p->batch_size;
    w.output_transform = poplin_output_transform_none();
    w.kernel_transform = poplin_input_transform_none();
    for (size_t d = 0; d < params_dims(p); ++d) {
        const poplin_output_transform *out = &p->output_transform;
        const poplin_input_transform *kernel = &p->kernel_transform;
        size_t output = poplin_conv_output_size(p, d), untransformed = poplin_conv_untransformed_output_size(p, d);
        size_t strided = output - out->padding_lower[d] - out->padding_upper[d];
        size_t covered = strided ? (strided - 1) * out->stride[d] + 1 : 0;
        /* The kernel is the gradient of the output with the output transform undone. */
        w.kernel_shape[d] = output;
        w.kernel_transform.truncation_lower[d] = out->padding_lower[d];
        w.kernel_transform.truncation_upper[d] = out->padding_upper[d];
        w.kernel_transform.dilation[d] = out->stride[d];
        w.kernel_transform.padding_lower[d] = out->truncation_lower[d];
        w.kernel_transform.padding_upper[d] = (unsigned)(untransformed - covered - out->truncation_lower[d]);
        /* The result has the places of the transformed kernel; for a flipped kernel everything is flipped. */
        if (kernel->flip[d]) {
            w.input_transform.flip[d] = !p->input_transform.flip[d];
            w.kernel_transform.flip[d] = true;
        }
        w.output_transform.truncation_lower[d] = kernel->padding_lower[d];
        w.output_transform.truncation_upper[d] = kernel->padding_upper[d];
        w.output_transform.stride[d] = kernel->dilation[d];
        w.output_transform.padding_lower[d] = kernel->truncation_lower[d];
        w.output_transform.padding_upper[d] = kernel->truncation_upper[d];
    }
    return poplin_conv_params_canonicalize(&w);
}
