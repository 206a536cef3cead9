/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the codelets AMP and MAC: operands of any type, and the loops over groups, kernel positions and
 * worklists. One copy of the code serves all vertex types; the code that depends on a type processes several positions
 * at a time. */
#ifndef POPLIN_CONV_VERTICES_CONV_BLOCKS_H
#define POPLIN_CONV_VERTICES_CONV_BLOCKS_H

#include "poplibs/half_vectors.h"

#include <string.h>

/* The arrays are those of conv_vertex.h. */
struct conv_operands {
    const void *const *in, *const *weights;
    void *const *out;
    const void *worklists;
    bool float_in, float_out, short_lists;
    unsigned conv_groups, in_groups, out_groups, in_chans, out_chans, kernel_size, out_elements;
    unsigned in_stride, out_stride, num_workers;
#ifndef __IPU__
    size_t list_words; /* of worklists */
    bool half_weights; /* weights are half though inputs are float: inputs were converted */
#endif
};
static inline bool conv_float_weights(const struct conv_operands *o)
{
#ifdef __IPU__
    return o->float_in;
#else
    return o->float_in && !o->half_weights;
#endif
}
#ifdef __IPU__
#define CONV_LISTS(v)
#else
#define CONV_LISTS(v) , .list_words = (v)->worklists.size
#endif
#define CONV_OPERANDS(v, input, partial, index)                                                                        \
    ((struct conv_operands){                                                                                           \
        (const void *const *)(const void *)(v)->in.data, (const void *const *)(const void *)(v)->weights.data,         \
        (void *const *)(const void *)(v)->out.data, (v)->worklists.data, sizeof(input) == sizeof(float),               \
        sizeof(partial) == sizeof(float), sizeof(index) == sizeof(unsigned short), (v)->conv_groups, (v)->in_groups,   \
        (v)->out_groups, (v)->in_chans, (v)->out_chans, (v)->kernel_size, (v)->out_elements, (v)->in_stride,           \
        (v)->out_stride, (v)->num_workers CONV_LISTS(v) })

/* `count` positions, in_stride and out_stride apart; in and out are the indices of the first. */
struct conv_item {
    size_t out, in;
    unsigned count;
};
/* Processes items; in, weights and out are the data of the current groups of channels, weights that of the kernel
 * position. */
typedef void conv_block(const struct conv_operands *o, const void *in, const void *weights, void *out,
                        const struct conv_item *items, size_t count);

static inline const void *conv_at(const void *data, size_t element, bool is_float)
{
    return (const char *)data + element * (is_float ? sizeof(float) : sizeof(half));
}

#ifdef __IPU__ /* a device has no vectors, and there small code matters: one block serves AMP and MAC */
#include "poplibs/fused.h"
static inline float conv_get(const void *data, size_t i, bool is_float)
{
    return is_float ? ((const float *)data)[i] : (float)((const half *)data)[i];
}
static void conv_plain_block(const struct conv_operands *o, const void *in, const void *weights, void *out,
                             const struct conv_item *items, size_t count)
{
    for (const struct conv_item *item = items; item < items + count; ++item)
        for (size_t e = 0; e < item->count; ++e)
            for (size_t k = 0; k < o->out_chans; ++k) {
                size_t from = item->in + e * o->in_stride * o->in_chans,
                       to = item->out + e * o->out_stride * o->out_chans + k;
                float sum = conv_get(out, to, o->float_out);
                for (size_t c = 0; c < o->in_chans; ++c)
                    sum = poplibs_fused(conv_get(in, from + c, o->float_in),
                                        conv_get(weights, k * o->in_chans + c, o->float_in), sum);
                if (o->float_out)
                    ((float *)out)[to] = sum;
                else
                    ((half *)out)[to] = (half)sum;
            }
}
#define conv_amp_block conv_plain_block
#define conv_mac_block conv_plain_block
#endif

static inline size_t conv_list_at(const struct conv_operands *o, size_t i)
{
    return o->short_lists ? ((const unsigned short *)o->worklists)[i] : ((const unsigned *)o->worklists)[i];
}

/* Processes the items of one kernel position for all workers; returns the place of the next position's lists. */
static size_t conv_position(const struct conv_operands *o, const void *in, const void *weights, void *out, size_t at,
                            conv_block *block)
{
#ifdef __IPU__
    enum { AT_ONCE = 1 };
#else
    enum { AT_ONCE = 64 };
#endif
    struct conv_item items[AT_ONCE];
    size_t count = 0;
    for (unsigned worker = 0; worker < o->num_workers; ++worker)
        for (size_t left = conv_list_at(o, at++); left; --left, at += 3) {
            if (count == AT_ONCE) {
                block(o, in, weights, out, items, count);
                count = 0;
            }
            items[count++] =
                (struct conv_item){ conv_list_at(o, at) * o->out_chans, conv_list_at(o, at + 2) * o->in_chans,
                                    (unsigned)conv_list_at(o, at + 1) };
        }
    if (count)
        block(o, in, weights, out, items, count);
    return at;
}

/* Processes a group of input channels for one of output channels. */
static inline void conv_positions(const struct conv_operands *o, const void *in, const void *weights, void *out,
                                  conv_block *block)
{
    for (size_t k = 0, at = 0; k < o->kernel_size; ++k)
        at = conv_position(o, in, conv_at(weights, k * o->in_chans * o->out_chans, conv_float_weights(o)), out, at,
                           block);
}

/* Processes all groups of channels; out must be zero. */
static void conv_blocks(const struct conv_operands *o, conv_block *block)
{
    for (unsigned group = 0; group < o->conv_groups * o->out_groups; ++group) {
        memset(o->out[group], 0, o->out_elements * (o->float_out ? sizeof(float) : sizeof(half)));
        for (unsigned i = 0; i < o->in_groups; ++i)
            conv_positions(o, o->in[group / o->out_groups * o->in_groups + i],
                           o->weights[(size_t)group * o->in_groups + i], o->out[group], block);
    }
}

#endif
