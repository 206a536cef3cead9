/* SPDX-License-Identifier: Apache-2.0 */
/* The tile of each block: in poplibs' release of 2021, the free one that has most of what the block reads
 * (poolUseIntrospectiveMapping); otherwise blocks are on tiles in order. */
#include "popnn/pooling/pooling.h"

#include <assert.h>

/* What a tile has of the operand: elements [begin, end) of it, flat. */
struct held {
    size_t begin, end;
    unsigned tile;
};
struct tiles {
    struct held *held; /* by element */
    size_t num_held;
    size_t *common;  /* of each tile, the elements that a block reads */
    unsigned *order; /* free tiles, those that hold few elements first */
    unsigned free;
};

static int by_element(const void *left, const void *right)
{
    const struct held *a = left, *b = right;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* A tile, and what it holds. */
struct load {
    size_t elements;
    unsigned tile;
};
static int by_load(const void *left, const void *right)
{
    const struct load *a = left, *b = right;
    if (a->elements != b->elements)
        return a->elements < b->elements ? -1 : 1;
    return a->tile < b->tile ? -1 : a->tile > b->tile;
}

static bool find_tiles(const struct pool *pool, pop_tensor operand, struct tiles *tiles)
{
    const struct call *call = pool->call;
    pop_interval_lists mapping;
    bool complete = true;
    if (!pop_graph_get_tile_mapping(call->graph, operand, &complete, &mapping))
        return false;
    unsigned count = pop_target_num_tiles(pop_graph_target(call->graph));
    size_t intervals = mapping.count ? mapping.first[mapping.count] : 0;
    struct load *loads = poplibs_zeros(count, sizeof(*loads));
    *tiles = (struct tiles){ .held = poplibs_new(poplibs_max(intervals, 1), sizeof(struct held)),
                             .common = poplibs_zeros(count, sizeof(size_t)),
                             .order = poplibs_new(count, sizeof(unsigned)),
                             .free = count };
    for (unsigned tile = 0; tile < count; ++tile) {
        loads[tile].tile = tile;
        for (size_t i = tile < mapping.count ? mapping.first[tile] : intervals;
             tile < mapping.count && i < mapping.first[tile + 1]; ++i) {
            pop_interval at = mapping.intervals[i];
            tiles->held[tiles->num_held++] = (struct held){ at.begin, at.end, tile };
            loads[tile].elements += at.end - at.begin;
        }
    }
    pop_interval_lists_free(&mapping);
    qsort(loads, count, sizeof(*loads), by_load);
    for (unsigned i = 0; i < count; ++i)
        tiles->order[i] = loads[i].tile;
    free(loads);
    if (tiles->num_held)
        qsort(tiles->held, tiles->num_held, sizeof(*tiles->held), by_element);
    return true;
}

/* Adds what tiles have of elements [begin, end). */
static void add_run(struct tiles *tiles, size_t begin, size_t end)
{
    size_t low = 0, high = tiles->num_held; /* the first piece that ends after `begin` */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tiles->held[middle].end > begin)
            high = middle;
        else
            low = middle + 1;
    }
    for (; low < tiles->num_held && tiles->held[low].begin < end; ++low) {
        const struct held *held = &tiles->held[low];
        tiles->common[held->tile] += poplibs_min(held->end, end) - poplibs_max(held->begin, begin);
    }
}

/* Adds what tiles have of a box of the operand, whose innermost dimension, the channels of a group, is whole. */
static void add_box(struct tiles *tiles, const size_t *sizes, const pop_interval *box, unsigned dims, size_t channels)
{
    size_t at[POOL_MAX_CUTS];
    for (unsigned i = 0; i < dims; ++i) {
        at[i] = box[i].begin;
        if (box[i].begin >= box[i].end)
            return;
    }
    for (unsigned d = dims; d;) {
        size_t row = 0;
        for (unsigned i = 0; i + 1 < dims; ++i)
            row = row * sizes[i] + at[i];
        row *= sizes[dims - 1];
        add_run(tiles, (row + box[dims - 1].begin) * channels, (row + box[dims - 1].end) * channels);
        for (d = dims - 1; d && ++at[d - 1] == box[d - 1].end; --d)
            at[d - 1] = box[d - 1].begin;
    }
}

/* Takes the free tile that has most of what was added; of equal ones the first in order. */
static unsigned take(struct tiles *tiles)
{
    unsigned best = 0;
    assert(tiles->free);
    for (unsigned i = 1; i < tiles->free; ++i)
        if (tiles->common[tiles->order[i]] > tiles->common[tiles->order[best]])
            best = i;
    unsigned tile = tiles->order[best];
    memmove(tiles->order + best, tiles->order + best + 1, (--tiles->free - best) * sizeof(*tiles->order));
    return tile;
}

unsigned *pool_tiles_of_blocks(const struct pool *pool, const struct pool_block *blocks, size_t count, size_t max)
{
    const struct call *call = pool->call;
    unsigned num_tiles = pop_target_num_tiles(pop_graph_target(call->graph)), dims = POOL_FIELD + pool->params->dims;
    unsigned *of = poplibs_new(poplibs_max(count, 1), sizeof(*of));
    pop_tensor operand = pool->read[pool->backward ? 2 : 0];
    struct tiles tiles;
    for (size_t i = 0; i < count; ++i)
        of[i] = (unsigned)(i * num_tiles / max);
    if (!pool->introspective || !pool_is_listed(pool) || !find_tiles(pool, operand, &tiles))
        return of;
    size_t sizes[POOL_MAX_CUTS];
    for (unsigned i = 0; i < dims; ++i)
        sizes[i] = pop_tensor_dim(operand, i);
    for (size_t i = 0; i < count; ++i) {
        memset(tiles.common, 0, num_tiles * sizeof(*tiles.common));
        add_box(&tiles, sizes, blocks[i].there, dims, pool->channels);
        of[i] = take(&tiles);
    }
    free(tiles.held);
    free(tiles.common);
    free(tiles.order);
    return of;
}
