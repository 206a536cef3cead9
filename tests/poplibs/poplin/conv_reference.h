/* SPDX-License-Identifier: Apache-2.0 */
/* The convolution in double precision, by its definition: operands are transformed first, then multiplied and added. */
#ifndef TESTS_POPLIBS_POPLIN_CONV_REFERENCE_H
#define TESTS_POPLIBS_POPLIN_CONV_REFERENCE_H

#include <poplin/conv_params.h>
#include <stdbool.h>
#include <stdlib.h>

/* The source index of index i of a transformed operand: -1 for padding and the zeros between dilated elements. */
static inline long reference_source(const poplin_input_transform *t, size_t given, size_t d, size_t size, size_t i)
{
    size_t lower = t->truncation_lower[d], left = given - lower - t->truncation_upper[d],
           dilated = left ? (left - 1) * t->dilation[d] + 1 : 0;
    size_t at = t->flip[d] ? size - 1 - i : i;
    if (at < t->padding_lower[d] || at >= t->padding_lower[d] + dilated ||
        (at - t->padding_lower[d]) % t->dilation[d] != 0)
        return -1;
    return (long)(lower + (at - t->padding_lower[d]) / t->dilation[d]);
}
static inline size_t reference_product(const size_t *dims, size_t count)
{
    size_t product = 1;
    for (size_t i = 0; i < count; ++i)
        product *= dims[i];
    return product;
}

/* An index into a transformed field, as the index into the operand's own field; -1 if it has no source. */
static inline long reference_place(const poplin_conv_params *p, const poplin_input_transform *t, const size_t *given,
                                   const size_t *sizes, const size_t *at)
{
    long place = 0;
    for (size_t d = 0; d < p->num_field_dims; ++d) {
        long from = reference_source(t, given[d], d, sizes[d], at[d]);
        if (from < 0)
            return -1;
        place = place * (long)given[d] + from;
    }
    return place;
}
static inline void reference_next(const size_t *sizes, size_t count, size_t *at)
{
    for (size_t d = count; d-- > 0;) {
        if (++at[d] < sizes[d])
            return;
        at[d] = 0;
    }
}

/* Called for each pair of an output element and a transformed kernel element that both have sources: indices of output,
 * input and weights, within field and kernel only. */
typedef void (*reference_visitor)(long out, long in, long kernel, void *user);
static inline void reference_each(const poplin_conv_params *p, reference_visitor visit, void *user)
{
    size_t in_sizes[POPLIN_MAX_FIELD_DIMS], kernel_sizes[POPLIN_MAX_FIELD_DIMS], out_sizes[POPLIN_MAX_FIELD_DIMS],
        dims = p->num_field_dims;
    for (size_t d = 0; d < dims; ++d) {
        in_sizes[d] = poplin_conv_transformed_input_size(p, d);
        kernel_sizes[d] = poplin_conv_transformed_kernel_size(p, d);
        out_sizes[d] = poplin_conv_output_size(p, d);
    }
    size_t o[POPLIN_MAX_FIELD_DIMS] = { 0 };
    for (size_t out = 0; out < reference_product(out_sizes, dims); ++out, reference_next(out_sizes, dims, o)) {
        size_t k[POPLIN_MAX_FIELD_DIMS] = { 0 };
        for (size_t i = 0; i < reference_product(kernel_sizes, dims); ++i, reference_next(kernel_sizes, dims, k)) {
            size_t at[POPLIN_MAX_FIELD_DIMS];
            bool inside = true;
            for (size_t d = 0; d < dims; ++d) {
                const poplin_output_transform *t = &p->output_transform;
                size_t whole = in_sizes[d] - kernel_sizes[d] + 1,
                       strided =
                           (whole - t->truncation_lower[d] - t->truncation_upper[d] + t->stride[d] - 1) / t->stride[d];
                inside = inside && o[d] >= t->padding_lower[d] && o[d] < t->padding_lower[d] + strided;
                at[d] = t->truncation_lower[d] + (o[d] - t->padding_lower[d]) * t->stride[d] + k[d];
            }
            if (!inside)
                continue;
            long in = reference_place(p, &p->input_transform, p->input_field_shape, in_sizes, at);
            long kernel = reference_place(p, &p->kernel_transform, p->kernel_shape, kernel_sizes, k);
            if (in >= 0 && kernel >= 0)
                visit((long)out, in, kernel, user);
        }
    }
}

struct reference {
    const poplin_conv_params *p;
    double *out, *in, *weights; /* in the interface's order of dimensions */
    size_t out_field, in_field, kernel_field;
    int made; /* 0: out, 1: in, 2: weights */
};
static inline void reference_add(long out, long in, long kernel, void *user)
{
    struct reference *r = user;
    const poplin_conv_params *p = r->p;
    size_t groups = p->num_conv_groups, ins = p->input_channels_per_conv_group,
           outs = p->output_channels_per_conv_group;
    for (size_t n = 0; n < p->batch_size; ++n)
        for (size_t g = 0; g < groups; ++g)
            for (size_t co = 0; co < outs; ++co)
                for (size_t ci = 0; ci < ins; ++ci) {
                    double *y = r->out + ((n * groups + g) * outs + co) * r->out_field + (size_t)out;
                    double *x = r->in + ((n * groups + g) * ins + ci) * r->in_field + (size_t)in;
                    double *w = r->weights + ((g * outs + co) * ins + ci) * r->kernel_field + (size_t)kernel;
                    if (r->made == 0)
                        *y += *x * *w;
                    else if (r->made == 1)
                        *x += *y * *w;
                    else
                        *w += *x * *y;
                }
}
/* Calculates one of the three (0: output, 1: the gradient of the input, 2: that of the weights) from the two others;
 * the caller frees it. */
static inline double *reference_conv(const poplin_conv_params *p, int made, const double *a, const double *b)
{
    struct reference r = { .p = p, .made = made, .out_field = 1, .in_field = 1, .kernel_field = 1 };
    for (size_t d = 0; d < p->num_field_dims; ++d) {
        r.out_field *= poplin_conv_output_size(p, d);
        r.in_field *= p->input_field_shape[d];
        r.kernel_field *= p->kernel_shape[d];
    }
    size_t chans[3] = { p->batch_size * p->output_channels_per_conv_group,
                        p->batch_size * p->input_channels_per_conv_group,
                        p->output_channels_per_conv_group * p->input_channels_per_conv_group };
    size_t fields[3] = { r.out_field, r.in_field, r.kernel_field };
    double *result = calloc(chans[made] * p->num_conv_groups * fields[made] + 1, sizeof(*result));
    r.out = made == 0 ? result : (double *)(made == 1 ? a : b);
    r.in = made == 1 ? result : (double *)a;
    r.weights = made == 2 ? result : (double *)b;
    if (made == 2) {
        r.in = (double *)a;
        r.out = (double *)b;
    }
    reference_each(p, reference_add, &r);
    return result;
}

#endif
