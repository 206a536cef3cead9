/* SPDX-License-Identifier: Apache-2.0 */
#include "blocks.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 64 };

/* Sets the drawn times of blocks first to end - 1, which belong to one tile and are sorted by their known times. */
static void show_unknown_times(struct lod *lod, uint64_t first, uint64_t end)
{
    double begins = -1; /* begin of the next overflow, as the loop runs backward */
    for (uint64_t i = end; i-- > first;) {
        struct lod_block *block = &lod->block[i];
        if (block->kind == BLOCK_OVERFLOW)
            begins = block->from;
        block->shown_from = block->from;
        block->shown_to = block->to >= 0 ? block->to : begins >= block->from ? begins : block->from;
    }
    double ended = -1; /* end of the previous overflow */
    for (uint64_t i = first; i < end; ++i) {
        struct lod_block *block = &lod->block[i];
        if (block->kind == BLOCK_OVERFLOW)
            ended = block->to;
        if (block->from < 0)
            block->shown_from = ended >= 0 && ended <= block->to ? ended : block->to;
    }
}

static int compare_shown(const void *a, const void *b)
{
    const struct lod_block *x = a, *y = b;
    if (x->tile != y->tile)
        return x->tile < y->tile ? -1 : 1;
    if (x->shown_from != y->shown_from)
        return x->shown_from < y->shown_from ? -1 : 1;
    if (x->shown_to != y->shown_to)
        return x->shown_to > y->shown_to ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

void blocks_place(struct lod *lod)
{
    for (uint64_t i = 0, first = 0; i < lod->blocks; ++i)
        if (i + 1 == lod->blocks || lod->block[i + 1].tile != lod->block[first].tile) {
            show_unknown_times(lod, first, i + 1);
            first = i + 1;
        }
    if (lod->blocks)
        qsort(lod->block, lod->blocks, sizeof(*lod->block), compare_shown);
    double ends[ROWS] = { 0 };
    for (uint64_t i = 0; i < lod->blocks; ++i) {
        struct lod_block *block = &lod->block[i];
        if (!i || block[-1].tile != block->tile)
            memset(ends, 0, sizeof(ends));
        unsigned row = 0;
        while (row + 1 < ROWS && ends[row] > block->shown_from)
            ++row;
        ends[row] = block->shown_to;
        block->row = (uint8_t)row;
    }
}

unsigned block_phase(const struct lod *lod, const struct lod_block *block)
{
    bool copies = block->kind == BLOCK_STREAM_COPY || block->kind == BLOCK_FLUSH;
    return copies && block->program < lod->programs ? lod->of_program[block->program].kind : KINDS;
}

bool block_of_selected(const struct lod *lod, const struct lod_block *block)
{
    unsigned phase = block_phase(lod, block);
    return block->kind != BLOCK_STREAM_COPY || phase == KIND_COPY_BEGIN || phase == KIND_COPY_END;
}
