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

/* Row e of those for one call of fused_rows, as float: in place, or converted to the buffer. */
__attribute__((always_inline)) static inline float *conv_row_as_float(const void *data, size_t at, size_t count,
                                                                      const bool is_float, float *buffer, size_t e)
{
    if (is_float)
        return (float *)data + at;
    float *row = buffer + e * count;
    const half *from = (const half *)data + at;
    if (count % 8)
        poplibs_widen(row, from, count);
    else
        for (size_t i = 0; i < count; i += 8)
            *(poplibs_eight *)(void *)(row + i) = poplibs_widen_eight(from + i);
    return row;
}

/* Rows of any items, because each position is an output of its own. */
struct conv_rows {
    float *x[FUSED_ROWS], *y[FUSED_ROWS];
    half *stored[FUSED_ROWS]; /* where outputs of half are stored */
};
__attribute__((always_inline)) static inline void conv_run_rows(const struct conv_rows *r, size_t rows,
                                                                const bool float_out, size_t out_chans, size_t in_chans,
                                                                const float *w)
{
    fused_rows(rows, out_chans, in_chans, r->x, w, r->y);
    for (size_t e = 0; !float_out && e < rows; ++e)
        poplibs_narrow(r->stored[e], r->y[e], out_chans);
}
__attribute__((always_inline)) static inline void conv_amp_items(const bool float_in, const bool float_out,
                                                                 const struct conv_operands *o, const void *in,
                                                                 const float *w, void *out,
                                                                 const struct conv_item *items, size_t count)
{
    float in_buffer[2 * MAX_WEIGHTS], out_buffer[2 * MAX_WEIGHTS];
    struct conv_rows r;
    const size_t in_chans = o->in_chans, out_chans = o->out_chans, wider = in_chans > out_chans ? in_chans : out_chans;
    const size_t at_once = 2 * MAX_WEIGHTS / wider < FUSED_ROWS ? 2 * MAX_WEIGHTS / wider : FUSED_ROWS;
    const size_t in_step = o->in_stride * in_chans, out_step = o->out_stride * out_chans;
    size_t rows = 0;
    for (const struct conv_item *item = items; item < items + count; ++item)
        for (size_t left = item->count, from = item->in, to = item->out; left;
             --left, from += in_step, to += out_step) {
            r.x[rows] = conv_row_as_float(in, from, in_chans, float_in, in_buffer, rows);
            r.y[rows] = conv_row_as_float(out, to, out_chans, float_out, out_buffer, rows);
            if (!float_out)
                r.stored[rows] = (half *)out + to;
            if (++rows == at_once) {
                conv_run_rows(&r, rows, float_out, out_chans, in_chans, w);
                rows = 0;
            }
        }
    if (rows)
        conv_run_rows(&r, rows, float_out, out_chans, in_chans, w);
}

static void conv_amp_block(const struct conv_operands *o, const void *in, const void *weights, void *out,
                           const struct conv_item *items, size_t count)
{
    float buffer[MAX_WEIGHTS], w[MAX_WEIGHTS];
    const float *untransposed =
        conv_row_as_float(weights, 0, (size_t)o->out_chans * o->in_chans, conv_float_weights(o), buffer, 0);
    conv_transpose_weights(untransposed, o->out_chans, o->in_chans, w);
    if (o->float_in && o->float_out)
        conv_amp_items(true, true, o, in, w, out, items, count);
    else if (o->float_in)
        conv_amp_items(true, false, o, in, w, out, items, count);
    else if (o->float_out)
        conv_amp_items(false, true, o, in, w, out, items, count);
    else
        conv_amp_items(false, false, o, in, w, out, items, count);
}

/* Inputs of half that several kernel positions read are converted to float once, if there are at most this many. */
enum { WIDE = 1 << 14 };
/* The number of elements of a group of input channels that the worklists reach. */
static inline size_t conv_reach(const struct conv_operands *o)
{
    size_t reach = 0, at = 0;
    for (size_t list = 0; list < (size_t)o->kernel_size * o->num_workers; ++list)
        for (size_t left = conv_list_at(o, at++); left; --left, at += 3) {
            size_t count = conv_list_at(o, at + 1), last = conv_list_at(o, at + 2) + (count - 1) * o->in_stride;
            if (count && (last + 1) * o->in_chans > reach)
                reach = (last + 1) * o->in_chans;
        }
    return reach;
}
static void conv_amp_blocks(const struct conv_operands *o)
{
#ifdef __F16C__
    float wide[WIDE];
    size_t reach = o->float_in || o->kernel_size == 1 ? 0 : conv_reach(o);
    if (reach && reach <= WIDE) {
        struct conv_operands widened = *o;
        widened.float_in = widened.half_weights = true;
        for (unsigned group = 0; group < o->conv_groups * o->out_groups; ++group) {
            memset(o->out[group], 0, o->out_elements * (o->float_out ? sizeof(float) : sizeof(half)));
            for (unsigned i = 0; i < o->in_groups; ++i) {
                poplibs_widen(wide, o->in[group / o->out_groups * o->in_groups + i], reach);
                conv_positions(&widened, wide, o->weights[(size_t)group * o->in_groups + i], o->out[group],
                               conv_amp_block);
            }
        }
        return;
    }
#endif
    conv_blocks(o, conv_amp_block);
}
#else
#define conv_amp_blocks(o) conv_blocks(o, conv_amp_block)
#endif

#endif
