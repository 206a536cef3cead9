/* SPDX-License-Identifier: Apache-2.0 */
/* The computation of the conv units with 8-bit inputs: their values, scales included, are exact floats, which are
 * multiplied and added as those of other types; partials of half are rounded after each kernel position. */
#ifndef POPLIN_CONV_VERTICES_CONV_QUARTER_BLOCKS_H
#define POPLIN_CONV_VERTICES_CONV_QUARTER_BLOCKS_H

#include "poplin/conv_vertices/conv_amp_blocks.h"

#include <poplar/quarter.h>

enum { CONV_CODES = 256 };

/* Begins with the operands, which is what blocks get. */
struct conv_quarters {
    struct conv_operands operands;
#ifdef __IPU__ /* tables take too much of a tile's memory */
    unsigned char in_metadata, weights_metadata;
#else
    float in[CONV_CODES], weights[CONV_CODES]; /* the value of each code */
#endif
};

#ifdef __IPU__
static void conv_quarter_block(const struct conv_operands *o, const void *in, const void *weights, void *out,
                               const struct conv_item *items, size_t count)
{
    const struct conv_quarters *q = (const struct conv_quarters *)o;
    for (const struct conv_item *item = items; item < items + count; ++item)
        for (size_t e = 0; e < item->count; ++e)
            for (size_t k = 0; k < o->out_chans; ++k) {
                const unsigned char *x = (const unsigned char *)in + item->in + e * o->in_stride * o->in_chans,
                                    *w = (const unsigned char *)weights + k * o->in_chans;
                half *y = (half *)out + item->out + e * o->out_stride * o->out_chans + k;
                float sum = (float)*y;
                for (size_t c = 0; c < o->in_chans; ++c)
                    sum = poplibs_fused(pop_quarter_to_float(x[c], q->in_metadata),
                                        pop_quarter_to_float(w[c], q->weights_metadata), sum);
                *y = (half)sum;
            }
}
#else
static void conv_decode(float *to, const unsigned char *codes, size_t count, const float *values)
{
    for (size_t i = 0; i < count; ++i)
        to[i] = values[codes[i]];
}
static void conv_quarter_block(const struct conv_operands *o, const void *in, const void *weights, void *out,
                               const struct conv_item *items, size_t count)
{
    const struct conv_quarters *q = (const struct conv_quarters *)o;
    float buffer[MAX_WEIGHTS], w[MAX_WEIGHTS], in_buffer[2 * MAX_WEIGHTS], out_buffer[2 * MAX_WEIGHTS];
    const size_t in_chans = o->in_chans, out_chans = o->out_chans, wider = in_chans > out_chans ? in_chans : out_chans;
    const size_t at_once = 2 * MAX_WEIGHTS / wider < FUSED_ROWS ? 2 * MAX_WEIGHTS / wider : FUSED_ROWS;
    struct conv_rows r;
    size_t rows = 0;
    conv_decode(buffer, weights, out_chans * in_chans, q->weights);
    conv_transpose_weights(buffer, out_chans, in_chans, out_chans, w);
    for (const struct conv_item *item = items; item < items + count; ++item)
        for (size_t e = 0; e < item->count; ++e) {
            r.x[rows] = in_buffer + rows * in_chans;
            conv_decode(r.x[rows], (const unsigned char *)in + item->in + e * o->in_stride * in_chans, in_chans, q->in);
            r.stored[rows] = (half *)out + item->out + e * o->out_stride * out_chans;
            r.y[rows] = out_buffer + rows * out_chans;
            poplibs_widen(r.y[rows], r.stored[rows], out_chans);
            if (++rows == at_once) {
                conv_run_rows(&r, rows, false, out_chans, in_chans, w);
                rows = 0;
            }
        }
    if (rows)
        conv_run_rows(&r, rows, false, out_chans, in_chans, w);
}
#endif

/* Processes all groups of channels, from zero. */
static void conv_quarter_blocks(const struct conv_operands *o, unsigned char in_metadata,
                                unsigned char weights_metadata)
{
    struct conv_quarters q = { .operands = *o };
#ifdef __IPU__
    q.in_metadata = in_metadata;
    q.weights_metadata = weights_metadata;
#else
    for (size_t code = 0; code < CONV_CODES; ++code) {
        q.in[code] = pop_quarter_to_float((unsigned char)code, in_metadata);
        q.weights[code] = pop_quarter_to_float((unsigned char)code, weights_metadata);
    }
#endif
    for (unsigned group = 0; group < o->conv_groups * o->out_groups; ++group) {
        memset(o->out[group], 0, o->out_elements * sizeof(half));
        for (unsigned i = 0; i < o->in_groups; ++i) {
            const unsigned char *weights = o->weights[(size_t)group * o->in_groups + i];
            for (size_t k = 0, at = 0; k < o->kernel_size; ++k)
                at = conv_position(&q.operands, o->in[group / o->out_groups * o->in_groups + i],
                                   weights + k * o->in_chans * o->out_chans, o->out[group], at, conv_quarter_block);
        }
    }
}

#endif
