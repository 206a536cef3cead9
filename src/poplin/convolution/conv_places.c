/* SPDX-License-Identifier: Apache-2.0 */
/* Improves the mapping of an operand's copy.  The exchange writes received pieces directly to their addresses, but data
 * that stays on its tile is copied by a worker, which is slow for many small pieces.  Such tiles swap their part of the
 * copy with that of another tile. */
#include "poplin/convolution/conv_views.h"
#include "poplin/convolution/convolution.h"

/* A copy worker's cycles for a piece of one element; cycles of an exchange that a swap may add. */
enum { PIECE_CYCLES = 8, EXCHANGE_CYCLES = 150 };

/* Flat source and destination, and the intervals of each on each tile. */
struct places {
    const struct call *call;
    pop_tensor from, to;
    pop_interval_lists sources, blocks;
    unsigned workers, bytes_per_cycle, element_bytes;
};

/* Cycles in which a tile receives a whole block. */
static uint64_t cycles_of_receiving(const struct places *places, size_t block)
{
    uint64_t elements = 0;
    for (size_t i = places->blocks.first[block]; i < places->blocks.first[block + 1]; ++i)
        elements += places->blocks.intervals[i].end - places->blocks.intervals[i].begin;
    return elements * places->element_bytes / places->bytes_per_cycle;
}

/* The pieces of elements [begin, end) that are contiguous in the source and in the destination; zeros are written in
 * place. */
static uint64_t pieces_between(const struct places *places, size_t begin, size_t end)
{
    const struct call *call = places->call;
    pop_variable_interval *from, *to;
    struct conv_constant last = { 0 };
    uint64_t pieces = 0;
    pop_mark mark = pop_graph_mark(call->graph);
    size_t from_count = pop_tensor_var_regions(pop_tensor_slice(places->from, begin, end, 0), &from);
    size_t to_count = pop_tensor_var_regions(pop_tensor_slice(places->to, begin, end, 0), &to);
    for (size_t i = 0, k = 0, at = 0, next = 0; i < from_count; ++i) { /* next: where destination's region k begins */
        bool zeros = conv_is_zeros(call, from[i].variable, &last);
        pieces += !zeros;
        size_t first = at;
        at += from[i].interval.end - from[i].interval.begin;
        for (; k < to_count && next < at; next += to[k].interval.end - to[k].interval.begin, ++k)
            pieces += !zeros && next > first;
    }
    free(from);
    free(to);
    pop_graph_release(call->graph, mark);
    return pieces;
}

/* The number of elements of a block that a tile has in the source already, or of their pieces. */
static uint64_t kept_by(const struct places *places, size_t block, size_t tile, bool pieces)
{
    uint64_t kept = 0;
    const pop_interval *to = places->blocks.intervals, *from = places->sources.intervals;
    for (size_t i = places->blocks.first[block], k = places->sources.first[tile];
         i < places->blocks.first[block + 1] && k < places->sources.first[tile + 1];) {
        size_t begin = poplibs_max(to[i].begin, from[k].begin), end = poplibs_min(to[i].end, from[k].end);
        if (begin < end)
            kept += pieces ? pieces_between(places, begin, end) : end - begin;
        if (to[i].end < from[k].end)
            ++i;
        else
            ++k;
    }
    return kept;
}

/* Whether a tile copies the elements that stay on it for longer than it receives the block; one worker has one of
 * num_workers issue slots.  Few tiles are slow even if each element is a piece; for those alone pieces are counted. */
static bool is_slow(const struct places *places, size_t block, size_t tile)
{
    uint64_t limit = EXCHANGE_CYCLES + cycles_of_receiving(places, block), cycles = PIECE_CYCLES * places->workers;
    return kept_by(places, block, tile, false) * cycles > limit && kept_by(places, block, tile, true) * cycles > limit;
}

static void move_block(const struct places *places, size_t block, size_t tile)
{
    const struct call *call = places->call;
    for (size_t i = places->blocks.first[block]; i < places->blocks.first[block + 1]; ++i) {
        pop_interval interval = places->blocks.intervals[i];
        pop_graph_set_tile_mapping(call->graph, pop_tensor_slice(places->to, interval.begin, interval.end, 0),
                                   (unsigned)tile);
    }
}

/* Swaps the blocks of slow tiles with those of following tiles if that is fast for both; a tile may swap again. */
static void exchange_blocks(const struct places *places)
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
            move_block(places, held[tile], tile);
    free(held);
}

void conv_avoid_local_pieces(const struct call *call, pop_tensor from, pop_tensor to)
{
    const pop_target *target = pop_graph_target(call->graph);
    if (!call_ready(call) || pop_target_num_tiles(target) < 2 || pop_tensor_num_elements(to) == 0)
        return;
    struct places places = { .call = call,
                             .from = pop_tensor_flatten(from),
                             .to = pop_tensor_flatten(to),
                             .workers = target->num_worker_contexts,
                             .bytes_per_cycle = target->exchange_bytes_per_cycle,
                             .element_bytes = pop_target_type_size(target, pop_tensor_type(to)) };
    bool complete = true; /* if something is not mapped, the copy reports it */
    if (pop_graph_get_tile_mapping(call->graph, places.from, &complete, &places.sources) && complete &&
        pop_graph_get_tile_mapping(call->graph, places.to, &complete, &places.blocks))
        exchange_blocks(&places);
    pop_interval_lists_free(&places.sources);
    pop_interval_lists_free(&places.blocks);
}
