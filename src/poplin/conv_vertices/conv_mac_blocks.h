/* SPDX-License-Identifier: Apache-2.0 */
/* The computation of MAC vertices: a few output channels of many positions, by dot products over the input channels. */
#ifndef POPLIN_CONV_VERTICES_CONV_MAC_BLOCKS_H
#define POPLIN_CONV_VERTICES_CONV_MAC_BLOCKS_H

#include "poplin/conv_vertices/conv_blocks.h"

#ifndef __IPU__

__attribute__((always_inline)) static inline poplibs_eight conv_eight(const bool is_float, const void *from, size_t at)
{
    return is_float ? *(const poplibs_eight *)conv_at(from, at, true) : poplibs_widen_eight((const half *)from + at);
}
__attribute__((always_inline)) static inline float conv_one(const bool is_float, const void *from, size_t at)
{
    return is_float ? ((const float *)from)[at] : (float)((const half *)from)[at];
}

/* The sum of a[i] b[i], in an order that depends only on n: two vectors of sums, the remainder one by one, then the
 * lanes. */
__attribute__((always_inline)) static inline float conv_dot(const bool is_float, const void *a, const void *b, size_t n)
{
    poplibs_eight low = { 0 }, high = { 0 };
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        low += conv_eight(is_float, a, i) * conv_eight(is_float, b, i);
        high += conv_eight(is_float, a, i + 8) * conv_eight(is_float, b, i + 8);
    }
    float sum = 0;
    for (; i < n; ++i)
        sum += conv_one(is_float, a, i) * conv_one(is_float, b, i);
    for (int lane = 0; lane < 8; ++lane)
        sum += low[lane];
    for (int lane = 0; lane < 8; ++lane)
        sum += high[lane];
    return sum;
}

static void conv_mac_item(const struct conv_operands *o, const void *in, const void *weights, void *out,
                          const struct conv_item *item)
{
    for (size_t e = 0; e < item->count; ++e) {
        const void *x = conv_at(in, item->in + e * o->in_stride * o->in_chans, o->float_in);
        size_t y = item->out + e * o->out_stride * o->out_chans;
        for (size_t channel = 0; channel < o->out_chans; ++channel) {
            const void *w = conv_at(weights, channel * o->in_chans, o->float_in);
            float sum = o->float_in ? conv_dot(true, x, w, o->in_chans) : conv_dot(false, x, w, o->in_chans);
            if (o->float_out)
                ((float *)out)[y + channel] += sum;
            else
                ((half *)out)[y + channel] = (half)((float)((half *)out)[y + channel] + sum);
        }
    }
}

static void conv_mac_block(const struct conv_operands *o, const void *in, const void *weights, void *out,
                           const struct conv_item *items, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        conv_mac_item(o, in, weights, out, items + i);
}
#endif

#endif
