/* SPDX-License-Identifier: Apache-2.0 */
/* The conv units' results with partials of float, each from zero to its end in registers: the same chains as those of
 * conv_amp_blocks.h, row by row instead of position by position of the kernel.
 *
 * A row is a position of the output.  Rows of one class use the same positions of the kernel; in the input, these are
 * equal distances apart for all rows (`shifts`), so that a row is known by its place alone. */
#ifndef POPLIN_CONV_VERTICES_CONV_AMP_CHAINS_H
#define POPLIN_CONV_VERTICES_CONV_AMP_CHAINS_H

#include "poplin/conv_vertices/conv_blocks.h"
#ifndef __IPU__
#include "poplin/conv_vertices/fused_chain.h"

#include <limits.h>
#include <stdint.h>

/* Maximum rows, kernel positions (bits of a class), and elements of inputs and of weights that are prepared at once. */
enum { CHAIN_ROWS = 1024, CHAIN_KERNEL = 64, CHAIN_GROUPS = 64, CHAIN_ELEMENTS = 1 << 14 };
#define NOWHERE INT_MIN

struct conv_chains {
    unsigned rows, reach;                        /* reach: input elements from the first to the last that is used */
    int shifts[CHAIN_KERNEL], place[CHAIN_ROWS]; /* in positions; NOWHERE: not known */
    uint64_t class[CHAIN_ROWS];                  /* kernel positions, as bits */
    unsigned order[CHAIN_ROWS];                  /* rows, class by class */
};

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

/* Whether inputs are halves that several kernel positions read. */
static bool conv_widens_once(const struct conv_operands *o)
{
    return !o->float_in && o->kernel_size > 1;
}

/* Sets the distance of kernel position k, whose lists begin at `at`, by a row that earlier ones use. */
static void conv_find_shift(struct conv_chains *c, const struct conv_operands *o, size_t k, size_t at)
{
    c->shifts[k] = 0;
    for (unsigned worker = 0; worker < o->num_workers; ++worker)
        for (size_t left = conv_list_at(o, at++); left; --left, at += 3) {
            size_t row = conv_list_at(o, at), count = conv_list_at(o, at + 1), in = conv_list_at(o, at + 2);
            for (size_t e = 0; e < count && row < c->rows; ++e, row += o->out_stride, in += o->in_stride)
                if (c->class[row]) {
                    c->shifts[k] = (int)in - c->place[row];
                    return;
                }
        }
}
/* Adds an item's rows, whose first one is at `place`; false if they have other places, or the kernel position already.
 * Two loops without branches, which become vectors where steps are 1. */
__attribute__((always_inline)) static inline bool conv_mark(int *places, uint64_t *classes, size_t count, int place,
                                                            uint64_t bit, const size_t step, const size_t in_step)
{
    int differ = 0;
    uint64_t again = 0;
    for (size_t e = 0; e < count; ++e) {
        int old = places[e * step], new = place + (int)(e * in_step);
        differ |= (old != NOWHERE) & (old != new);
        places[e * step] = new;
    }
    for (size_t e = 0; e < count; ++e) {
        again |= classes[e * step];
        classes[e * step] |= bit;
    }
    return !differ && !(again & bit);
}
/* Adds an item of kernel position k; false if its distances are not equal to those of other rows. */
static bool conv_add_item(struct conv_chains *c, const struct conv_operands *o, size_t k, size_t at)
{
    const size_t first = conv_list_at(o, at), count = conv_list_at(o, at + 1), in = conv_list_at(o, at + 2),
                 step = o->out_stride, in_step = o->in_stride;
    const uint64_t bit = (uint64_t)1 << k;
    if (!count)
        return true;
    size_t reach = (in + (count - 1) * in_step + 1) * o->in_chans;
    if (first + (count - 1) * step >= c->rows || reach > INT_MAX)
        return false;
    c->reach = reach > c->reach ? (unsigned)reach : c->reach;
    int *places = c->place + first, place = (int)in - c->shifts[k];
    return step == 1 && in_step == 1 ? conv_mark(places, c->class + first, count, place, bit, 1, 1)
                                     : conv_mark(places, c->class + first, count, place, bit, step, in_step);
}
/* Rows of one class follow each other. */
static void conv_sort_rows(struct conv_chains *c)
{
    unsigned left[CHAIN_ROWS], count = c->rows, made = 0;
    for (unsigned i = 0; i < count; ++i)
        left[i] = i;
    while (count) {
        uint64_t class = c->class[left[0]];
        unsigned kept = 0;
        for (unsigned i = 0; i < count; ++i)
            if (c->class[left[i]] == class)
                c->order[made++] = left[i];
            else
                left[kept++] = left[i];
        count = kept;
    }
}
/* False if the vertex's rows are not served. */
static bool conv_find_chains(struct conv_chains *c, const struct conv_operands *o)
{
    c->rows = o->out_elements / o->out_chans;
    c->reach = 0;
    if (!o->float_out || o->kernel_size > CHAIN_KERNEL || c->rows > CHAIN_ROWS ||
        (o->out_chans != 4 && o->out_chans != 8 && o->out_chans != 16))
        return false;
    memset(c->class, 0, c->rows * sizeof(*c->class));
    for (unsigned i = 0; i < c->rows; ++i)
        c->place[i] = NOWHERE;
    size_t at = 0;
    for (size_t list = 0; list < (size_t)o->kernel_size * o->num_workers; ++list) {
        if (list % o->num_workers == 0)
            conv_find_shift(c, o, list / o->num_workers, at);
        for (size_t left = conv_list_at(o, at++); left; --left, at += 3)
            if (!conv_add_item(c, o, list / o->num_workers, at))
                return false;
    }
    conv_sort_rows(c);
    return (size_t)o->kernel_size * o->in_chans * o->out_chans <= CHAIN_ELEMENTS &&
           (!conv_widens_once(o) || c->reach <= CHAIN_ELEMENTS) && FUSED_MANY * o->in_chans <= CHAIN_ELEMENTS;
}

/* Some groups of input channels for one or two of output channels. */
struct conv_share {
    const void *in[CHAIN_GROUPS]; /* halves if they are and conv_widens_once is false, else floats */
    size_t groups, pair;          /* pair: groups of output channels */
    float *out[2], *wide;         /* wide: a buffer for inputs as float */
    bool first;                   /* chains begin here */
};
/* The steps of a class in the order of the kernel's positions, and its rows' offset from their places. */
static int conv_class_steps(const struct conv_chains *c, const struct conv_operands *o, uint64_t class, size_t columns,
                            size_t *shifts, size_t *weights, size_t *steps)
{
    int low = 0;
    size_t count = 0;
    for (size_t k = 0; k < o->kernel_size; ++k)
        if (class >> k & 1) {
            low = !count || c->shifts[k] < low ? c->shifts[k] : low;
            weights[count++] = k * o->in_chans * columns;
        }
    count = 0;
    for (size_t k = 0; k < o->kernel_size; ++k)
        if (class >> k & 1)
            shifts[count++] = (size_t)(c->shifts[k] - low) * o->in_chans;
    *steps = count;
    return low;
}
/* Sets x to the rows of each group, which are at `from`; those of half become float, and `from` their places then. */
static void conv_chain_rows(const struct conv_operands *o, const struct conv_share *share, size_t count, size_t *from,
                            const float **x)
{
    const size_t chans = o->in_chans;
    bool narrow = !o->float_in && !conv_widens_once(o);
    for (size_t i = 0; i < share->groups; ++i) {
        float *rows = share->wide + i * count * chans;
        x[i] = narrow ? rows : share->in[i];
        for (size_t e = 0; narrow && e < count; ++e)
            conv_row_as_float(share->in[i], from[e], chans, false, rows, e);
    }
    for (size_t e = 0; narrow && e < count; ++e)
        from[e] = e * chans;
}
/* `count` rows of a class, whose places are `low` away. */
static void conv_run_chains(const struct conv_chains *c, const struct conv_operands *o, const struct conv_share *share,
                            struct fused_chain *chain, const unsigned *rows, size_t count, int low)
{
    const float *x[CHAIN_GROUPS];
    float *y[FUSED_MANY];
    size_t from[FUSED_MANY];
    for (size_t e = 0; e < count; ++e) {
        from[e] = chain->steps ? (size_t)(c->place[rows[e]] + low) * o->in_chans : 0;
        y[e] = share->out[0] + (size_t)rows[e] * o->out_chans;
    }
    conv_chain_rows(o, share, chain->steps ? count : 0, from, x);
    chain->x = x;
    fused_chain(count, o->out_chans, share->pair, chain, from, y);
}
static void conv_run_share(const struct conv_chains *c, const struct conv_operands *o, const struct conv_share *share,
                           const float *w)
{
    size_t columns = o->out_chans * share->pair, shifts[CHAIN_KERNEL], weights[CHAIN_KERNEL];
    for (size_t at = 0, count; at < c->rows; at += count) {
        const unsigned *rows = c->order + at;
        uint64_t class = c->class[rows[0]];
        struct fused_chain chain = { .groups = share->groups,
                                     .depth = o->in_chans,
                                     .shifts = shifts,
                                     .weights = weights,
                                     .w = w,
                                     .apart = share->pair > 1 ? share->out[1] - share->out[0] : 0,
                                     .first = share->first,
                                     .group_weights = (size_t)o->kernel_size * o->in_chans * columns };
        int low = conv_class_steps(c, o, class, columns, shifts, weights, &chain.steps);
        for (count = 0; at + count < c->rows && c->class[rows[count]] == class;)
            ++count;
        size_t tiles = (count + fused_chain_rows(columns) - 1) / fused_chain_rows(columns);
        for (size_t i = 0; i < tiles; ++i) {
            size_t begin = count * i / tiles, end = count * (i + 1) / tiles;
            conv_run_chains(c, o, share, &chain, rows + begin, end - begin, low);
        }
    }
}
#endif
#endif
