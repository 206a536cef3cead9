/* SPDX-License-Identifier: Apache-2.0 */
/* Improves the mapping of an operand's copy.  The exchange writes received pieces directly to their addresses, but data
 * that stays on its tile is copied by a worker, which is slow for many small pieces.  Such tiles swap their part of the
 * copy with that of another tile. */
#include "poplin/convolution/conv_views.h"
#include "poplin/convolution/convolution.h"

/* A copy worker's cycles for a piece of one element; cycles of an exchange that a swap may add. */
enum { PIECE_CYCLES = 8, EXCHANGE_CYCLES = 150 };

/* Where pieces of a block begin, in order, and a mark of the end. */
struct start {
    size_t at;       /* the element */
    uint64_t copied; /* pieces before it that are no zeros */
};
struct starts {
    struct start *list;
    size_t count, capacity; /* count is without the mark; 0: not asked for yet */
};

/* Flat source and destination, and the intervals of each on each tile. */
struct places {
    const struct call *call;
    pop_tensor from, to;
    pop_interval_lists sources, blocks;
    struct starts *starts; /* of each block */
    unsigned workers, bytes_per_cycle, element_bytes;
};

/* The parts of a block that a tile has in the source. */
static struct interval_common parts_kept(const struct places *places, size_t block, size_t tile)
{
    return interval_common_begin(&places->blocks, block, &places->sources, tile);
}

/* Cycles in which a tile receives a whole block. */
static uint64_t cycles_of_receiving(const struct places *places, size_t block)
{
    uint64_t elements = 0;
    for (size_t i = places->blocks.first[block]; i < places->blocks.first[block + 1]; ++i)
        elements += places->blocks.intervals[i].end - places->blocks.intervals[i].begin;
    return elements * places->element_bytes / places->bytes_per_cycle;
}

/* Adds where pieces of elements [begin, end) begin: those that are contiguous in the source and in the destination. */
static void add_starts(const struct places *places, size_t begin, size_t end, struct starts *starts)
{
    const struct call *call = places->call;
    pop_variable_interval *from, *to;
    struct conv_constant last = { 0 };
    pop_mark mark = pop_graph_mark(call->graph);
    size_t from_count = pop_tensor_var_regions(pop_tensor_slice(places->from, begin, end, 0), &from);
    size_t to_count = pop_tensor_var_regions(pop_tensor_slice(places->to, begin, end, 0), &to);
    uint64_t copied = starts->count ? starts->list[starts->count].copied : 0;
    poplibs_reserve(starts, from_count + to_count + 1);
    size_t next = begin; /* where destination's region k begins */
    for (size_t i = 0, k = 0, at = begin; i < from_count; ++i) {
        bool zeros = conv_is_zeros(call, from[i].variable, &last);
        size_t first = at;
        at += from[i].interval.end - from[i].interval.begin;
        starts->list[starts->count++] = (struct start){ first, copied };
        copied += !zeros;
        for (; k < to_count && next < at; next += to[k].interval.end - to[k].interval.begin, ++k)
            if (!zeros && next > first)
                starts->list[starts->count++] = (struct start){ next, copied++ };
    }
    starts->list[starts->count] = (struct start){ SIZE_MAX, copied };
    free(from);
    free(to);
    pop_graph_release(call->graph, mark);
}

/* The starts of a block's pieces, found when a tile first asks for them. */
static const struct starts *starts_of(const struct places *places, size_t block)
{
    struct starts *starts = places->starts + block;
    if (!starts->count)
        for (size_t i = places->blocks.first[block]; i < places->blocks.first[block + 1]; ++i)
            add_starts(places, places->blocks.intervals[i].begin, places->blocks.intervals[i].end, starts);
    return starts;
}

/* The first start from `from` on that is at or behind an element. */
static size_t find_start(const struct starts *starts, size_t from, size_t element)
{
    size_t to = starts->count; /* the mark of the end */
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (starts->list[middle].at < element)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* The number of elements of a block that a tile has in the source already. */
static uint64_t elements_kept(const struct places *places, size_t block, size_t tile)
{
    uint64_t kept = 0;
    struct interval_common common = parts_kept(places, block, tile);
    while (interval_common_next(&common))
        kept += common.end - common.begin;
    return kept;
}

/* The number of their pieces; zeros are written in place. */
static uint64_t pieces_kept(const struct places *places, size_t block, size_t tile)
{
    const struct starts *starts = starts_of(places, block);
    uint64_t kept = 0;
    size_t first = 0;
    if (!call_ready(places->call)) /* starts are missing */
        return 0;
    struct interval_common common = parts_kept(places, block, tile);
    while (interval_common_next(&common)) {
        first = find_start(starts, first, common.begin);
        size_t last = find_start(starts, first, common.end);
        const struct start *list = starts->list;
        kept += list[last].copied - list[first].copied;
        if (list[first].at != common.begin) /* it begins within a piece */
            kept += list[first].copied - list[first - 1].copied;
    }
    return kept;
}

/* Whether a tile copies the elements that stay on it for longer than it receives the block; one worker has one of
 * num_workers issue slots.  Few tiles are slow even if each element is a piece; for those alone pieces are counted. */
static bool is_slow(const struct places *places, size_t block, size_t tile)
{
    uint64_t limit = EXCHANGE_CYCLES + cycles_of_receiving(places, block), cycles = PIECE_CYCLES * places->workers;
    return elements_kept(places, block, tile) * cycles > limit && pieces_kept(places, block, tile) * cycles > limit;
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
        pop_graph_get_tile_mapping(call->graph, places.to, &complete, &places.blocks)) {
        places.starts = poplibs_zeros(places.blocks.count, sizeof(*places.starts));
        exchange_blocks(&places);
        for (size_t block = 0; block < places.blocks.count; ++block)
            free(places.starts[block].list);
        free(places.starts);
    }
    pop_interval_lists_free(&places.sources);
    pop_interval_lists_free(&places.blocks);
}
