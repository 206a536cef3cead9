/* SPDX-License-Identifier: Apache-2.0 */
/* The computation of the conv units: a few output channels of many positions.  Each result is one chain of fused
 * multiply-adds in the order of input channels, kernel positions and groups; partials of half are rounded after each
 * kernel position. */
#ifndef POPLIN_CONV_VERTICES_CONV_AMP_BLOCKS_H
#define POPLIN_CONV_VERTICES_CONV_AMP_BLOCKS_H

#include "poplin/conv_vertices/conv_amp_chains.h"
#include "poplin/conv_vertices/conv_blocks.h"
#ifndef __IPU__
#include "poplin/conv_vertices/fused_rows.h"

enum { MAX_WEIGHTS = 1024 }; /* of a kernel position and a pair of groups; methods/amp.c proposes no larger ones */

typedef float conv_four __attribute__((vector_size(16), aligned(4), may_alias));

/* w[c][o] = weights[o][c], with rows `step` apart; gcc does not vectorise the plain loop. */
static void conv_transpose_weights(const float *weights, size_t out_chans, size_t in_chans, size_t step, float *w)
{
    size_t whole_out = out_chans & ~(size_t)3, whole_in = in_chans & ~(size_t)3;
    for (size_t o = 0; o < whole_out; o += 4)
        for (size_t c = 0; c < whole_in; c += 4) {
            const float *from = weights + o * in_chans + c;
            float *to = w + c * step + o;
            conv_four r0 = *(const conv_four *)from, r1 = *(const conv_four *)(from + in_chans);
            conv_four r2 = *(const conv_four *)(from + 2 * in_chans), r3 = *(const conv_four *)(from + 3 * in_chans);
            conv_four low01 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5),
                      high01 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
            conv_four low23 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5),
                      high23 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
            *(conv_four *)to = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
            *(conv_four *)(to + step) = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
            *(conv_four *)(to + 2 * step) = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
            *(conv_four *)(to + 3 * step) = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
        }
    for (size_t o = 0; o < out_chans; ++o)
        for (size_t c = o < whole_out ? whole_in : 0; c < in_chans; ++c)
            w[c * step + o] = weights[o * in_chans + c];
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
    conv_transpose_weights(untransposed, o->out_chans, o->in_chans, o->out_chans, w);
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

/* The weights of a share's groups, those of its output channels side by side, or twice with twos. */
static void conv_share_weights(const struct conv_operands *o, const struct conv_share *share, size_t in_group,
                               size_t out_group, float *w)
{
    float buffer[MAX_WEIGHTS], once[MAX_WEIGHTS];
    const size_t count = (size_t)o->out_chans * o->in_chans, columns = o->out_chans * share->pair;
    for (size_t i = 0; i < share->groups; ++i)
        for (size_t k = 0; k < o->kernel_size; ++k, w += o->in_chans * columns * (share->twos ? 2 : 1)) {
            for (size_t g = 0; g < share->pair; ++g) {
                const void *weights = o->weights[(out_group + g) * o->in_groups + in_group + i];
                conv_transpose_weights(conv_row_as_float(weights, k * count, count, o->float_in, buffer, 0),
                                       o->out_chans, o->in_chans, columns, share->twos ? once : w + g * o->out_chans);
            }
#ifdef __AVX512F__
            if (share->twos)
                twos_spread_weights(once, count, w);
#endif
        }
}
/* Converts inputs once that vertices cannot read directly: half to float, and pairs of rows. */
static void conv_share_inputs(const struct conv_operands *o, const struct conv_chains *c, struct conv_share *share,
                              size_t in_group)
{
    float *wide = share->wide;
    for (size_t i = 0; i < share->groups; ++i, wide += c->reach) {
        share->in[i] = o->in[in_group + i];
        share->x[i] = o->float_in ? share->in[i] : NULL;
        if (conv_widens_rows(o) || (o->float_in && !share->twos))
            continue;
        share->x[i] = wide;
        float *to = share->twos ? wide + c->reach : wide;
        if (o->float_in)
            memcpy(to, share->in[i], c->reach * sizeof(*to));
        else
            poplibs_widen(to, share->in[i], c->reach);
#ifdef __AVX512F__
        if (share->twos) {
            twos_spread_inputs(wide, c->reach, (size_t)o->in_stride * o->in_chans);
            wide += c->reach;
        }
#endif
    }
}
/* False if there are no chains for the vertex. */
static bool conv_amp_chains(const struct conv_operands *o)
{
    bool twos;
    const struct conv_chains *c = conv_find_chains(o, &twos);
    if (!c)
        return false;
    _Alignas(64) float wide[CHAIN_ELEMENTS], w[CHAIN_ELEMENTS];
    size_t of_kernel = (size_t)o->kernel_size * o->in_chans * o->out_chans, most = CHAIN_GROUPS;
    size_t pair = 2 * o->out_chans <= FUSED_COLUMNS && 2 * of_kernel <= CHAIN_ELEMENTS && o->out_groups > 1 ? 2 : 1;
    size_t copies = twos ? 2 : pair;
    bool at_once = o->kernel_size > 1 && (twos || !o->float_in); /* all inputs are prepared at once */
    size_t of_group = at_once ? c->reach : FUSED_MANY * o->in_chans;
    of_group *= twos ? 2 : 1;
    most = most * copies * of_kernel > CHAIN_ELEMENTS ? CHAIN_ELEMENTS / (copies * of_kernel) : most;
    most = most * of_group > CHAIN_ELEMENTS ? CHAIN_ELEMENTS / of_group : most;
    for (size_t group = 0; group < o->conv_groups; ++group)
        for (size_t i = 0; i < o->in_groups; i += most) {
            struct conv_share share = {
                .groups = o->in_groups - i < most ? o->in_groups - i : most, .twos = twos, .first = i == 0, .wide = wide
            };
            conv_share_inputs(o, c, &share, group * o->in_groups + i);
            for (size_t k = 0; k < o->out_groups; k += share.pair) {
                size_t out = group * o->out_groups + k;
                share.pair = o->out_groups - k < pair ? 1 : pair;
                for (size_t g = 0; g < share.pair; ++g)
                    share.out[g] = o->out[out + g];
                conv_share_weights(o, &share, i, out, w);
                conv_run_share(c, o, &share, w);
            }
        }
    return true;
}

static void conv_amp_blocks(const struct conv_operands *o)
{
    if (conv_amp_chains(o))
        return;
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
