/* SPDX-License-Identifier: Apache-2.0 */
/* Cache of the pieces of recently enumerated views.  Programs ask for the same tensor's mapping, regions
 * and aliases, copies it and takes parts of it; a walk through composites of composites takes much longer than a look
 * at the pieces that the last one found. */
#include "graph/store/store.h"
#include "graph/view/tensor.h"
#include "graph/view/tensor_form.h"
#include "graph/view/view.h"
#include "graph/view/view_table.h"
#include "graph/view/view_walk.h"

/* Fewer pieces are walked as fast; more would take memory that the graph needs. */
enum { SLOTS = 4, FEW_PIECES = 32, MAX_PIECES = 1 << 20 };

struct walked_piece {
    uint64_t begin; /* in the flat tensor */
    uint64_t offset;
    uint32_t variable, digits;
    size_t first; /* of the pool */
};
struct kept_walk {
    struct piece of; /* its digits are first in the pool */
    uint64_t stamp;  /* of its composite; 0: none is kept */
    uint64_t used;   /* the latest has the largest number */
    VEC(struct walked_piece) pieces;
    VEC(struct digit) pool;
};
struct view_cache {
    struct kept_walk slots[SLOTS], fresh;
    uint64_t clock;
    unsigned busy; /* walks under way: none of them may change what another one reads */
};

void view_cache_free(pop_store *store)
{
    struct view_cache *cache = store->walks;
    store->walks = NULL;
    for (size_t i = 0; cache && i <= SLOTS; ++i) {
        struct kept_walk *walk = i < SLOTS ? &cache->slots[i] : &cache->fresh;
        vec_free(&walk->pieces);
        vec_free(&walk->pool);
    }
    free(cache);
}

static bool is_walk_of(const struct kept_walk *walk, uint64_t stamp, const struct piece *flat)
{
    return walk->stamp == stamp && walk->of.variable == flat->variable && walk->of.offset == flat->offset &&
           walk->of.digits == flat->digits && digits_equal(walk->pool.data, flat->digit, flat->digits);
}

static struct kept_walk *find_walk(struct view_cache *cache, uint64_t stamp, const struct piece *flat)
{
    for (size_t i = 0; cache && i < SLOTS; ++i)
        if (is_walk_of(&cache->slots[i], stamp, flat)) {
            cache->slots[i].used = ++cache->clock;
            return &cache->slots[i];
        }
    return NULL;
}

static uint64_t piece_end(const struct kept_walk *walk, size_t i)
{
    return i + 1 < walk->pieces.count ? walk->pieces.data[i + 1].begin : walk->of.elements;
}

/* The piece that holds an element. Most walks have pieces of one size, so that its place is known. */
static size_t find_piece(const struct kept_walk *walk, uint64_t element)
{
    size_t low = (size_t)((double)element / (double)walk->of.elements * (double)walk->pieces.count),
           high = walk->pieces.count;
    if (low < high && walk->pieces.data[low].begin <= element) {
        for (size_t stop = low + 2; low < stop; ++low)
            if (low + 1 >= high || walk->pieces.data[low + 1].begin > element)
                return low;
    } else {
        high = low < high ? low : high;
        low = 0;
    }
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (walk->pieces.data[middle].begin <= element)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Elements [begin, end) of a piece; those of a run or of one digit are known without a walk. */
static bool part_of_piece(pop_store *store, const struct piece *piece, uint64_t begin, uint64_t end, piece_fn fn,
                          void *context)
{
    if (piece->digits != 1)
        return walk_pieces_in(store, piece, begin, end, fn, context);
    struct digit digit = { end - begin, piece->digit->stride };
    struct piece part = { piece->variable, end - begin > 1, piece->offset + begin * (uint64_t)digit.stride, end - begin,
                          &digit };
    return fn(&part, context);
}

static bool replay(pop_store *store, const struct kept_walk *walk, uint64_t begin, uint64_t end, piece_fn fn,
                   void *context)
{
    bool more = true;
    for (size_t i = find_piece(walk, begin); more && i < walk->pieces.count && walk->pieces.data[i].begin < end; ++i) {
        const struct walked_piece *kept = &walk->pieces.data[i];
        uint64_t stop = piece_end(walk, i);
        struct piece piece = { kept->variable, kept->digits, kept->offset, stop - kept->begin,
                               walk->pool.data + kept->first };
        if (begin <= kept->begin && stop <= end)
            more = fn(&piece, context);
        else
            more = part_of_piece(store, &piece, begin > kept->begin ? begin - kept->begin : 0,
                                 (stop < end ? stop : end) - kept->begin, fn, context);
    }
    return more;
}

/* A walk that is kept as it goes; it is cut when its first pieces are so small that a table of the elements is faster.
 */
struct view_recorder {
    struct kept_walk *walk;
    uint64_t at, strided; /* elements passed; pieces that are not runs */
    piece_fn fn;
    void *context;
    bool may_cut, cut;
};
enum { CUT_AFTER = 256, SMALL_PIECE = 32, MAX_STRIDED = 16 };

/* Pieces of several runs are left to the walk: a table would take them apart. */
static bool should_cut(const struct view_recorder *recorder)
{
    return recorder->at < CUT_AFTER * SMALL_PIECE && recorder->strided <= MAX_STRIDED;
}

static bool record(const struct piece *piece, void *context)
{
    struct view_recorder *recorder = context;
    struct kept_walk *walk = recorder->walk;
    if (recorder->may_cut && walk->pieces.count == CUT_AFTER) {
        recorder->may_cut = false;
        recorder->cut = should_cut(recorder);
        if (recorder->cut)
            return false;
    }
    if (walk->pieces.count < MAX_PIECES) {
        *vec_push(&walk->pieces) =
            (struct walked_piece){ recorder->at, piece->offset, piece->variable, piece->digits, walk->pool.count };
        if (piece->digits)
            digits_copy(vec_extend(&walk->pool, piece->digits), piece->digit, piece->digits);
    }
    recorder->at += piece->elements;
    recorder->strided += piece->digits > 1 || (piece->digits && piece->digit->stride != 1);
    return recorder->fn(piece, recorder->context);
}

/* A whole walk takes the place of the one that was not used for longest. */
static void keep_walk(struct view_cache *cache)
{
    struct kept_walk *oldest = cache->slots, whole = cache->fresh;
    if (whole.pieces.count < FEW_PIECES || whole.pieces.count >= MAX_PIECES)
        return;
    for (size_t i = 1; i < SLOTS; ++i)
        if (cache->slots[i].used < oldest->used)
            oldest = &cache->slots[i];
    cache->fresh = *oldest;
    *oldest = whole;
    oldest->used = ++cache->clock;
}

/* What is left of a walk that was cut. */
static bool walk_rest(pop_store *store, const struct piece *flat, struct view_recorder *recorder)
{
    bool made, whole = table_each_piece(store, flat, recorder->at, record, recorder, &made);
    return made ? whole : walk_pieces_in(store, flat, recorder->at, flat->elements, record, recorder);
}

static bool walk_and_keep(pop_store *store, uint64_t stamp, const struct piece *flat, piece_fn fn, void *context)
{
    struct view_cache *cache = store->walks;
    struct kept_walk *fresh = &cache->fresh;
    struct view_recorder recorder = { fresh, 0, 0, fn, context, flat->elements > 2 * CUT_AFTER, false };
    fresh->of = *flat;
    fresh->stamp = stamp;
    fresh->pieces.count = fresh->pool.count = 0;
    vec_reserve(&fresh->pool, flat->digits + 1); /* never NULL, even when a view has no digits */
    if (flat->digits)
        memcpy(vec_extend(&fresh->pool, flat->digits), flat->digit, flat->digits * sizeof(*flat->digit));
    bool whole = walk_joined(store, flat, record, &recorder);
    if (recorder.cut)
        whole = walk_rest(store, flat, &recorder);
    if (whole)
        keep_walk(cache);
    return whole;
}

bool view_each_piece(pop_store *store, const struct piece *flat, piece_fn fn, void *context)
{
    if (!store->walks)
        store->walks = MEM_NEW(struct view_cache);
    struct view_cache *cache = store->walks;
    uint64_t stamp = composite_of(store, flat->variable)->stamp;
    const struct kept_walk *walk = find_walk(cache, stamp, flat);
    if (!walk && cache->busy)
        return walk_joined(store, flat, fn, context);
    ++cache->busy;
    bool whole =
        walk ? replay(store, walk, 0, flat->elements, fn, context) : walk_and_keep(store, stamp, flat, fn, context);
    --cache->busy;
    return whole;
}

bool view_each_piece_in(pop_store *store, const struct piece *flat, uint64_t begin, uint64_t end, piece_fn fn,
                        void *context)
{
    if (!(flat->variable & COMPOSITE))
        return walk_pieces_in(store, flat, begin, end, fn, context);
    if (!begin && end == flat->elements)
        return view_each_piece(store, flat, fn, context);
    const struct kept_walk *walk = find_walk(store->walks, composite_of(store, flat->variable)->stamp, flat);
    if (!walk)
        return walk_pieces_in(store, flat, begin, end, fn, context);
    ++store->walks->busy;
    bool whole = replay(store, walk, begin, end, fn, context);
    --store->walks->busy;
    return whole;
}
