/* SPDX-License-Identifier: Apache-2.0 */
/* Improves the mapping of an operand's copy.  The exchange writes received pieces directly to their addresses, but data
 * that stays on its tile is copied by a worker, which is slow for many small pieces.  Such tiles swap their part of the
 * copy with that of another tile. */
#include "poplin/convolution/conv_places.h"
#include "poplin/convolution/conv_views.h"

/* A copy worker's cycles for a piece of one element; cycles of an exchange that a swap may add. */
enum { PIECE_CYCLES = 8, EXCHANGE_CYCLES = 150 };

/* An element of the flat source and destination: the tile of its source (NO_TILE for zeros, which are written in
 * place), and whether a contiguous piece of both begins with it. */
#define NO_TILE UINT32_MAX
struct element {
    uint32_t tile;
    bool begins;
};
struct element_places {
    struct element *elements;
    pop_interval_lists blocks; /* the destination's mapping: the intervals on each tile */
    unsigned workers, bytes_per_cycle, element_bytes;
};

static void mark_begins(pop_where where, pop_graph *graph, pop_tensor t, struct element *elements)
{
    pop_variable_interval *regions;
    struct conv_constant last = { 0 };
    size_t count = pop_tensor_var_regions(t, &regions);
    for (size_t i = 0, at = 0; i < count; ++i) {
        size_t size = regions[i].interval.end - regions[i].interval.begin;
        elements[at].begins = true;
        bool zeros = conv_is_zeros(where, graph, regions[i].variable, &last);
        for (size_t k = at; zeros && k < at + size; ++k)
            elements[k].tile = NO_TILE;
        at += size;
    }
    free(regions);
}

/* Cycles in which a tile receives a whole block. */
static uint64_t cycles_of_receiving(const struct element_places *places, size_t block)
{
    uint64_t elements = 0;
    for (size_t i = places->blocks.first[block]; i < places->blocks.first[block + 1]; ++i)
        elements += places->blocks.intervals[i].end - places->blocks.intervals[i].begin;
    return elements * places->element_bytes / places->bytes_per_cycle;
}

/* The number of elements of a tile's block that it has in the source already. */
static uint64_t kept_elements(const struct element_places *places, const pop_interval_lists *sources, size_t tile)
{
    uint64_t kept = 0;
    const pop_interval *to = places->blocks.intervals, *from = sources->intervals;
    for (size_t i = places->blocks.first[tile], k = sources->first[tile];
         i < places->blocks.first[tile + 1] && k < sources->first[tile + 1];) {
        size_t begin = to[i].begin > from[k].begin ? to[i].begin : from[k].begin,
               end = to[i].end < from[k].end ? to[i].end : from[k].end;
        kept += begin < end ? end - begin : 0;
        if (to[i].end < from[k].end)
            ++i;
        else
            ++k;
    }
    return kept;
}

/* Whether some tile may be slow, even if each element that it keeps is a piece. */
static bool any_may_be_slow(const struct element_places *places, const pop_interval_lists *sources)
{
    size_t tile = 0, tiles = places->blocks.count < sources->count ? places->blocks.count : sources->count;
    while (tile < tiles && kept_elements(places, sources, tile) * PIECE_CYCLES * places->workers <=
                               EXCHANGE_CYCLES + cycles_of_receiving(places, tile))
        ++tile;
    return tile < tiles;
}

/* False if no tile can be slow, or something is not mapped; the copy reports that error. */
static bool find_places(pop_where where, pop_graph *graph, pop_tensor from, pop_tensor to,
                        struct element_places *places)
{
    pop_interval_lists sources;
    bool complete = true;
    if (!pop_graph_get_tile_mapping_at(where, graph, from, &complete, &sources))
        return false;
    if (!complete || !pop_graph_get_tile_mapping_at(where, graph, to, &complete, &places->blocks) ||
        !any_may_be_slow(places, &sources)) {
        pop_interval_lists_free(&sources);
        return false;
    }
    places->elements = poplibs_zeros(pop_tensor_num_elements(to), sizeof(*places->elements));
    for (size_t tile = 0; tile < sources.count; ++tile)
        for (size_t i = sources.first[tile]; i < sources.first[tile + 1]; ++i)
            for (size_t k = sources.intervals[i].begin; k < sources.intervals[i].end; ++k)
                places->elements[k].tile = (uint32_t)tile;
    pop_interval_lists_free(&sources);
    mark_begins(where, graph, from, places->elements);
    mark_begins(where, graph, to, places->elements);
    return true;
}

/* Cycles in which a tile copies the elements that stay on it if it has this block; one worker has one of num_workers
 * issue slots. */
static uint64_t cycles_of_keeping(const struct element_places *places, size_t block, size_t tile)
{
    uint64_t pieces = 0;
    for (size_t i = places->blocks.first[block]; i < places->blocks.first[block + 1]; ++i)
        for (size_t k = places->blocks.intervals[i].begin; k < places->blocks.intervals[i].end; ++k)
            pieces += places->elements[k].tile == tile &&
                      (k == places->blocks.intervals[i].begin || places->elements[k].begins ||
                       places->elements[k - 1].tile != tile);
    return pieces * PIECE_CYCLES * places->workers;
}

static bool is_slow(const struct element_places *places, size_t block, size_t tile)
{
    return cycles_of_keeping(places, block, tile) > EXCHANGE_CYCLES + cycles_of_receiving(places, block);
}

static void move_block(pop_where where, pop_graph *graph, const struct element_places *places, pop_tensor to,
                       size_t block, size_t tile)
{
    for (size_t i = places->blocks.first[block]; i < places->blocks.first[block + 1]; ++i) {
        pop_interval interval = places->blocks.intervals[i];
        pop_graph_set_tile_mapping_at(where, graph, pop_tensor_slice_at(where, to, interval.begin, interval.end, 0),
                                      (unsigned)tile);
    }
}

/* Swaps the blocks of slow tiles with those of following tiles if that is fast for both; a tile may swap again. */
static void exchange_blocks(pop_where where, pop_graph *graph, const struct element_places *places, pop_tensor to)
{
    enum { MAX_TRIES = 16 };
    size_t tiles = places->blocks.count, *held = poplibs_new(tiles, sizeof(*held));
    for (size_t tile = 0; tile < tiles; ++tile)
        held[tile] = tile;
    for (size_t tile = 0; tile < tiles; ++tile)
        for (size_t i = 1; i <= MAX_TRIES && i < tiles && is_slow(places, held[tile], tile); ++i) {
            size_t other = (tile + i) % tiles, block = held[tile];
            if (is_slow(places, block, other) || is_slow(places, held[other], tile))
                continue;
            held[tile] = held[other];
            held[other] = block;
        }
    for (size_t tile = 0; tile < tiles; ++tile)
        if (held[tile] != tile)
            move_block(where, graph, places, to, held[tile], tile);
    free(held);
}

void conv_avoid_local_pieces(pop_where where, pop_graph *graph, pop_tensor from, pop_tensor to)
{
    const pop_target *target = pop_graph_target(graph);
    if (!poplibs_ready(graph) || pop_target_num_tiles(target) < 2 || pop_tensor_num_elements(to) == 0)
        return;
    struct element_places places = { .workers = target->num_worker_contexts,
                                     .bytes_per_cycle = target->exchange_bytes_per_cycle,
                                     .element_bytes = pop_target_type_size(target, pop_tensor_type(to)) };
    from = pop_tensor_flatten_at(where, from);
    to = pop_tensor_flatten_at(where, to);
    if (find_places(where, graph, from, to, &places))
        exchange_blocks(where, graph, &places, to);
    pop_interval_lists_free(&places.blocks);
    free(places.elements);
}
