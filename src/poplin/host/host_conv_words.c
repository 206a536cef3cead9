/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/host/host_conv_words.h"
#include "poplibs/support.h"
#include "poplin/host/host_conv_shape.h"
#include "poplin/params/params.h"

#include <poplin/conv_util.h>

/* Maximum number of classes of a dimension: with more, padding the gaps is cheaper than phases of few outputs. */
enum { MAX_CLASSES = 4 };

static void push(struct host_conv_words *to, unsigned word)
{
    to->words[to->count++] = word;
}

/* Outputs whose positions in the transformed input are equal modulo its dilation use the same kernel indices, or
 * padding. */
static unsigned class_of(const poplin_conv_params *params, unsigned d, unsigned output, unsigned classes)
{
    unsigned place = params_output_place(params, d, output);
    return place == POPLIN_NO_INDEX ? 0 : place % classes;
}
static bool meets(const poplin_conv_params *params, unsigned d, unsigned class, unsigned classes, unsigned kernel)
{
    size_t outputs = poplin_conv_output_size(params, d);
    for (unsigned o = 0; o < outputs; ++o)
        if (class_of(params, d, o, classes) == class && poplin_get_input_index(d, o, kernel, params) != POPLIN_NO_INDEX)
            return true;
    return false;
}
/* A class without kernel indices has one index that refers to padding: its outputs are zeros. */
static void push_class(struct host_conv_words *to, const poplin_conv_params *params, unsigned d, unsigned class,
                       unsigned classes)
{
    size_t at = to->count;
    push(to, 0);
    for (unsigned k = 0; k < params->kernel_shape[d]; ++k)
        if (classes == 1 || meets(params, d, class, classes, k))
            push(to, k);
    if (to->count == at + 1)
        push(to, 0);
    to->words[at] = (unsigned)(to->count - at - 1);
}
static void push_dim(struct host_conv_words *to, const poplin_conv_params *params, unsigned d, size_t stride,
                     unsigned classes)
{
    unsigned outputs = (unsigned)poplin_conv_output_size(params, d), kernels = (unsigned)params->kernel_shape[d];
    push(to, outputs);
    push(to, kernels);
    push(to, classes);
    for (unsigned o = 0; o < outputs; ++o)
        for (unsigned k = 0; k < kernels; ++k) {
            unsigned index = poplin_get_input_index(d, o, k, params);
            push(to, index == POPLIN_NO_INDEX ? HOST_CONV_NONE : (unsigned)(index * stride));
        }
    for (unsigned o = 0; o < outputs; ++o)
        push(to, class_of(params, d, o, classes));
    for (unsigned class = 0; class < classes; ++class)
        push_class(to, params, d, class, classes);
}
static void push_batch(struct host_conv_words *to, const poplin_conv_params *params, size_t stride)
{
    push(to, (unsigned)params->batch_size);
    push(to, 1);
    push(to, 1);
    for (size_t n = 0; n < params->batch_size; ++n)
        push(to, (unsigned)(n * stride));
    for (size_t n = 0; n < params->batch_size; ++n)
        push(to, 0);
    push(to, 1);
    push(to, 0);
}

static unsigned classes_of(const poplin_conv_params *params, unsigned d, bool by_phases)
{
    unsigned dilation = params_distance(params->input_transform.dilation[d]);
    return by_phases && dilation <= MAX_CLASSES && dilation <= poplin_conv_output_size(params, d) ? dilation : 1;
}
struct host_conv_words host_conv_words(const poplin_conv_params *params, const size_t *strides, bool by_phases)
{
    size_t max = 1 + 3 + 2 * params->batch_size + 2;
    for (unsigned d = 0; d < params->num_field_dims; ++d)
        max += 3 + poplin_conv_output_size(params, d) * (params->kernel_shape[d] + 1) +
               MAX_CLASSES * (2 + params->kernel_shape[d]);
    struct host_conv_words made = { poplibs_new(max, sizeof(unsigned)), 0 };
    push(&made, (unsigned)params->num_field_dims + 1);
    push_batch(&made, params, strides[0]);
    for (unsigned d = 0; d < params->num_field_dims; ++d)
        push_dim(&made, params, d, strides[1 + d], classes_of(params, d, by_phases));
    return made;
}
