/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a vertex's worklists by the kernel positions that they use, for conv_amp_chains.h.
 *
 * A row is a position of the output.  Rows of one class use the same positions of the kernel; in the input, these are
 * equal distances apart for all rows (`shifts`), so that a row is known by its place alone.  All tiles of a convolution
 * have few different worklists, so a thread keeps the rows of the last ones. */
#ifndef POPLIN_CONV_VERTICES_CONV_CHAIN_ROWS_H
#define POPLIN_CONV_VERTICES_CONV_CHAIN_ROWS_H

#include "poplin/conv_vertices/conv_blocks.h"
#ifndef __IPU__
#include <limits.h>
#include <stdint.h>

/* Maximum rows and kernel positions (bits of a class), and bytes of worklists whose rows are kept. */
enum { CHAIN_ROWS = 1024, CHAIN_KERNEL = 64, CHAIN_LISTS = 1 << 13 };
#define NOWHERE INT_MIN

struct conv_chains {
    bool served;                                 /* the rows are as above */
    unsigned rows, reach;                        /* reach: input elements from the first to the last that is used */
    int shifts[CHAIN_KERNEL], place[CHAIN_ROWS]; /* in positions; NOWHERE: not known */
    uint64_t class[CHAIN_ROWS];                  /* kernel positions, as bits */
    /* Items class by class: their kernel positions, and the offsets of their places and of their outputs in elements.
     * An item is a row, or, with `twos`, a row and the next one if that follows in the input, or else the same once
     * more. */
    unsigned items;
    uint64_t sorted[CHAIN_ROWS];
    ptrdiff_t from[CHAIN_ROWS];
    size_t to[2 * CHAIN_ROWS];
};

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
/* Makes items of `count` rows of one class. */
static void conv_add_class(struct conv_chains *c, const struct conv_operands *o, const unsigned *rows, size_t count,
                           bool twos)
{
    for (size_t i = 0; i < count; ++i) {
        unsigned row = rows[i], item = c->items++;
        c->sorted[item] = c->class[row];
        c->from[item] = c->class[row] ? (ptrdiff_t)c->place[row] * o->in_chans : 0;
        if (!twos) {
            c->to[item] = (size_t)row * o->out_chans;
            continue;
        }
        c->to[2 * item] = c->to[2 * item + 1] = (size_t)row * o->out_chans;
        if (i + 1 < count && c->class[row] && c->place[rows[i + 1]] == c->place[row] + (int)o->in_stride)
            c->to[2 * item + 1] = (size_t)rows[++i] * o->out_chans;
    }
}
/* Rows of one class follow each other. */
static void conv_sort_rows(struct conv_chains *c, const struct conv_operands *o, bool twos)
{
    unsigned left[CHAIN_ROWS], same[CHAIN_ROWS], count = c->rows;
    c->items = 0;
    for (unsigned i = 0; i < count; ++i)
        left[i] = i;
    while (count) {
        uint64_t class = c->class[left[0]];
        unsigned kept = 0, found = 0;
        for (unsigned i = 0; i < count; ++i)
            if (c->class[left[i]] == class)
                same[found++] = left[i];
            else
                left[kept++] = left[i];
        conv_add_class(c, o, same, found, twos);
        count = kept;
    }
}
static bool conv_find_rows(struct conv_chains *c, const struct conv_operands *o, bool twos)
{
    c->rows = o->out_elements / o->out_chans;
    c->reach = 0;
    if (o->kernel_size > CHAIN_KERNEL || c->rows > CHAIN_ROWS)
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
    conv_sort_rows(c, o, twos);
    return true;
}

/* The worklists whose rows are kept; the same for all objects with this file, since a block does not depend on types.
 */
struct conv_kept {
    size_t bytes; /* 0: none */
    unsigned sizes[8];
    _Alignas(8) char lists[CHAIN_LISTS];
    struct conv_chains chains;
};
/* popc has it: a block of the thread, by its key; NULL without memory. */
void *popc_keep_block(unsigned key, size_t bytes);
/* NULL if the vertex's rows are not as above. */
__attribute__((noinline)) static const struct conv_chains *conv_chains_of(const struct conv_operands *o, bool twos)
{
    struct conv_kept *kept = popc_keep_block(twos, sizeof(*kept));
    const unsigned sizes[8] = { o->short_lists, o->kernel_size,  o->num_workers, o->in_chans,
                                o->out_chans,   o->out_elements, o->in_stride,   o->out_stride };
    size_t bytes = o->list_words * (o->short_lists ? sizeof(short) : sizeof(int));
    if (!kept)
        return NULL;
    if (!bytes || kept->bytes != bytes || memcmp(kept->sizes, sizes, sizeof(sizes)) != 0 ||
        memcmp(kept->lists, o->worklists, bytes) != 0) {
        kept->bytes = bytes <= CHAIN_LISTS ? bytes : 0;
        memcpy(kept->sizes, sizes, sizeof(sizes));
        memcpy(kept->lists, o->worklists, kept->bytes);
        kept->chains.served = conv_find_rows(&kept->chains, o, twos);
    }
    return kept->chains.served ? &kept->chains : NULL;
}
#endif
#endif
