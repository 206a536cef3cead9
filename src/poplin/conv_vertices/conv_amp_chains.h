/* SPDX-License-Identifier: Apache-2.0 */
/* The conv units' results with partials of float, each from zero to its end in registers: the same chains as those of
 * conv_amp_blocks.h, row by row (conv_chain_rows.h) instead of position by position of the kernel. */
#ifndef POPLIN_CONV_VERTICES_CONV_AMP_CHAINS_H
#define POPLIN_CONV_VERTICES_CONV_AMP_CHAINS_H

#include "poplin/conv_vertices/conv_chain_rows.h"
#ifndef __IPU__
#include "poplin/conv_vertices/fused_chain.h"
#include "poplin/conv_vertices/fused_twos.h"

/* Maximum groups, and elements of inputs and of weights, that are prepared at once. */
enum { CHAIN_GROUPS = 64, CHAIN_ELEMENTS = 1 << 14 };

/* Row e of those for one call, as float: in place, or converted to the buffer. */
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

/* Whether inputs are halves that several kernel positions read, or that one reads: these become float for each use. */
static bool conv_widens_once(const struct conv_operands *o)
{
    return !o->float_in && o->kernel_size > 1;
}
static bool conv_widens_rows(const struct conv_operands *o)
{
    return !o->float_in && o->kernel_size == 1;
}

/* Whether two rows may be in one vector: several kernel positions read their interleaved inputs, or inputs become
 * interleaved when they become float. */
static bool conv_may_be_twos(const struct conv_operands *o)
{
#ifdef __AVX512F__
    bool worth = conv_widens_rows(o) ? o->in_chans % 8 == 0 && 2 * FUSED_MANY * o->in_chans <= CHAIN_ELEMENTS
                                     : o->kernel_size > 1;
    return worth && o->out_chans == TWOS_COLUMNS && o->out_groups == 1 &&
           (size_t)o->kernel_size * o->in_chans * TWOS_LANES <= CHAIN_ELEMENTS;
#else
    (void)o;
    return false;
#endif
}
/* NULL if there are no chains for the vertex. */
static const struct conv_chains *conv_find_chains(const struct conv_operands *o, bool *twos)
{
    if (!o->float_out || (o->out_chans != 4 && o->out_chans != 8 && o->out_chans != 16) ||
        (size_t)o->kernel_size * o->in_chans * o->out_chans > CHAIN_ELEMENTS ||
        FUSED_MANY * o->in_chans > CHAIN_ELEMENTS)
        return NULL;
    *twos = conv_may_be_twos(o);
    const struct conv_chains *c = conv_chains_of(o, *twos);
    size_t reach = c && !conv_widens_rows(o) ? c->reach : 0; /* of inputs that are prepared at once */
    if (c && *twos && (2 * reach > CHAIN_ELEMENTS || 4 * c->items > 3 * c->rows)) {
        *twos = false;
        c = conv_chains_of(o, false);
    }
    return c && (!conv_widens_once(o) || c->reach <= CHAIN_ELEMENTS) ? c : NULL;
}

/* Some groups of input channels for one or two of output channels. */
struct conv_share {
    const void *in[CHAIN_GROUPS];
    const float *x[CHAIN_GROUPS]; /* the same as float; a few rows if conv_widens_rows */
    bool twos, first;             /* two rows are in a vector; chains begin here */
    size_t groups, pair;          /* pair: groups of output channels */
    float *out[2], *wide;         /* wide: a buffer for inputs as float */
};
/* The steps of a class in the order of the kernel's positions; returns their number. */
static size_t conv_class_steps(const struct conv_chains *c, const struct conv_operands *o, uint64_t class,
                               size_t columns, ptrdiff_t *shifts, size_t *weights)
{
    size_t count = 0;
    for (size_t k = 0; k < o->kernel_size; ++k)
        if (class >> k & 1) {
            shifts[count] = (ptrdiff_t)c->shifts[k] * o->in_chans;
            weights[count++] = k * o->in_chans * columns;
        }
    return count;
}
/* Sets x to `count` rows of halves, which are at `from`, as float, row after row. */
static void conv_widen_rows(const struct conv_operands *o, struct conv_share *share, const ptrdiff_t *from,
                            size_t count)
{
    const size_t chans = o->in_chans;
    for (size_t i = 0; i < share->groups; ++i) {
        float *rows = share->wide + i * count * chans;
        share->x[i] = rows;
        for (size_t e = 0; e < count; ++e)
            conv_row_as_float(share->in[i], (size_t)from[e], chans, false, rows, e);
    }
}
#ifdef __AVX512F__
/* Sets x to pairs of rows of halves as float, interleaved; both are the first one if they have the same place in `to`.
 */
static void conv_widen_twos(const struct conv_operands *o, struct conv_share *share, const ptrdiff_t *from,
                            const size_t *to, size_t count)
{
    const size_t chans = o->in_chans, apart = o->in_stride * chans;
    for (size_t i = 0; i < share->groups; ++i) {
        float *pairs = share->wide + 2 * i * count * chans;
        share->x[i] = pairs;
        for (size_t e = 0; e < count; ++e) {
            const half *first = (const half *)share->in[i] + from[e];
            twos_widen(pairs + 2 * e * chans, first, to[2 * e] == to[2 * e + 1] ? first : first + apart, chans);
        }
    }
}
#endif
/* `count` items of one class; with paired rows, each item has two outputs. */
static void conv_run_class(const struct conv_operands *o, struct conv_share *share, const struct fused_chain *chain,
                           const ptrdiff_t *from, const size_t *to, size_t count)
{
    const size_t most = share->twos ? FUSED_MANY : fused_chain_rows(o->out_chans * share->pair);
    const size_t tiles = (count + most - 1) / most;
    const bool widen = conv_widens_rows(o) && chain->steps;
    ptrdiff_t close[FUSED_MANY]; /* places of rows that were made float */
    for (size_t e = 0; e < FUSED_MANY; ++e)
        close[e] = (ptrdiff_t)(e * o->in_chans);
    for (size_t i = 0, begin = 0, end; i < tiles; ++i, begin = end) {
        end = count * (i + 1) / tiles;
        const ptrdiff_t *places = widen ? close : from + begin;
#ifdef __AVX512F__
        if (share->twos) {
            if (widen)
                conv_widen_twos(o, share, from + begin, to + 2 * begin, end - begin);
            fused_twos(end - begin, chain, places, to + 2 * begin);
            continue;
        }
#endif
        if (widen)
            conv_widen_rows(o, share, from + begin, end - begin);
        fused_chain(end - begin, o->out_chans, share->pair, chain, places, to + begin);
    }
}
static void conv_run_share(const struct conv_chains *c, const struct conv_operands *o, struct conv_share *share,
                           const float *w)
{
    size_t twice = share->twos ? 2 : 1, columns = o->out_chans * share->pair * twice, weights[CHAIN_KERNEL];
    ptrdiff_t shifts[CHAIN_KERNEL];
    struct fused_chain chain = { .x = share->x,
                                 .groups = share->groups,
                                 .depth = o->in_chans,
                                 .shifts = shifts,
                                 .weights = weights,
                                 .w = w,
                                 .y = share->out[0],
                                 .apart = share->pair > 1 ? share->out[1] - share->out[0] : 0,
                                 .first = share->first,
                                 .group_weights = (size_t)o->kernel_size * o->in_chans * columns };
    for (size_t at = 0, end; at < c->items; at = end) {
        chain.steps = conv_class_steps(c, o, c->sorted[at], columns, shifts, weights);
        for (end = at + 1; end < c->items && c->sorted[end] == c->sorted[at];)
            ++end;
        conv_run_class(o, share, &chain, c->from + at, c->to + at * twice, end - at);
    }
}
#endif
#endif
