/* SPDX-License-Identifier: Apache-2.0 */
/* The computation of the conv units: a few output channels of many positions.  Each result is one chain of fused
 * multiply-adds in the order of input channels, kernel positions and groups; partials of half are rounded after each
 * kernel position. */
#ifndef POPLIN_CONV_VERTICES_CONV_AMP_BLOCKS_H
#define POPLIN_CONV_VERTICES_CONV_AMP_BLOCKS_H

#include "poplin/conv_vertices/conv_blocks.h"
#ifndef __IPU__
#include "poplin/conv_vertices/fused_rows.h"

enum { MAX_WEIGHTS = 1024 }; /* of a kernel position and a pair of groups; methods/amp.c proposes no larger ones */

typedef float conv_four __attribute__((vector_size(16), aligned(4), may_alias));

/* w[c][o] = weights[o][c]; gcc does not vectorise the plain loop. */
static void conv_transpose_weights(const float *weights, size_t out_chans, size_t in_chans, float *w)
{
    size_t whole_out = out_chans & ~(size_t)3, whole_in = in_chans & ~(size_t)3;
    for (size_t o = 0; o < whole_out; o += 4)
        for (size_t c = 0; c < whole_in; c += 4) {
            const float *from = weights + o * in_chans + c;
            float *to = w + c * out_chans + o;
            conv_four r0 = *(const conv_four *)from, r1 = *(const conv_four *)(from + in_chans);
            conv_four r2 = *(const conv_four *)(from + 2 * in_chans), r3 = *(const conv_four *)(from + 3 * in_chans);
            conv_four low01 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5),
                      high01 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
            conv_four low23 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5),
                      high23 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
            *(conv_four *)to = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
            *(conv_four *)(to + out_chans) = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
            *(conv_four *)(to + 2 * out_chans) = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
            *(conv_four *)(to + 3 * out_chans) = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
        }
    for (size_t o = 0; o < out_chans; ++o)
        for (size_t c = o < whole_out ? whole_in : 0; c < in_chans; ++c)
            w[c * out_chans + o] = weights[o * in_chans + c];
}

static void conv_amp_rows(const struct conv_operands *o, const void *in, const float *w, void *out,
                          const struct conv_item *item, size_t first, size_t rows)
{
    float in_buffer[2 * MAX_WEIGHTS], out_buffer[2 * MAX_WEIGHTS];
    float *x[FUSED_ROWS], *y[FUSED_ROWS];
    const size_t in_step = (size_t)o->in_stride * o->in_chans, out_step = (size_t)o->out_stride * o->out_chans;
    const size_t from = item->in + first * in_step, to = item->out + first * out_step;
    conv_rows_as_float(in, from, in_step, o->in_chans, rows, o->float_in, in_buffer, x);
    conv_rows_as_float(out, to, out_step, o->out_chans, rows, o->float_out, out_buffer, y);
    fused_rows(rows, o->out_chans, o->in_chans, x, w, y);
    for (size_t e = 0; !o->float_out && e < rows; ++e)
        poplibs_narrow((half *)out + to + e * out_step, y[e], o->out_chans);
}

static void conv_amp_block(const struct conv_operands *o, const void *in, const void *weights, void *out,
                           const struct conv_item *items, size_t count)
{
    float buffer[MAX_WEIGHTS], w[MAX_WEIGHTS], *untransposed;
    size_t wider = o->in_chans > o->out_chans ? o->in_chans : o->out_chans;
    size_t at_once = 2 * MAX_WEIGHTS / wider < FUSED_ROWS ? 2 * MAX_WEIGHTS / wider : FUSED_ROWS;
    conv_rows_as_float(weights, 0, 0, (size_t)o->out_chans * o->in_chans, 1, o->float_in, buffer, &untransposed);
    conv_transpose_weights(untransposed, o->out_chans, o->in_chans, w);
    for (const struct conv_item *item = items; item < items + count; ++item)
        for (size_t first = 0, rows; first < item->count; first += rows) {
            rows = item->count - first < at_once ? item->count - first : at_once;
            conv_amp_rows(o, in, w, out, item, first, rows);
        }
}
#endif

#endif
