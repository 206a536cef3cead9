/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/view/tensor.h"
#include "graph/view/tensor_form.h"
#include "graph/view/view.h"
#include "graph/view/view_walk.h"

#include <assert.h>

/* Walks that are kept, and pieces of the largest: 32 bytes each.  After PROBE pieces their size says how many there
 * will be. */
enum { WALKS = 8, MAX_PIECES = 1 << 18, PROBE = 1 << 10 };

struct recent_piece {
    uint32_t variable, digits;
    uint64_t offset, begin; /* begin: in the flat view */
    size_t first;           /* its digits, in the walk's pool */
};
struct recent_walk {
    uint64_t stamp; /* of the composite; 0: no walk */
    uint64_t used;  /* when it was looked up last */
    bool busy;      /* is written or read: must not be replaced */
    bool large;     /* has more pieces than are kept */
    uint32_t source, digits;
    uint64_t offset, elements; /* elements: those of its pieces */
    uint64_t all;              /* elements of the view */
    size_t found;              /* the last piece that was looked for */
    VEC(struct recent_piece) pieces;
    VEC(struct digit) pool; /* of the view first, then of its pieces */
};
struct recent_walks {
    struct recent_walk list[WALKS];
    uint64_t now;
};

static bool is_of(const struct recent_walk *walk, uint64_t stamp, const struct piece *flat)
{
    return walk->stamp == stamp && !walk->busy && walk->source == flat->variable && walk->offset == flat->offset &&
           walk->digits == flat->digits && digits_equal(walk->pool.data, flat->digit, flat->digits);
}

struct recent_walk *recent_walk_find(pop_store *store, const struct piece *flat)
{
    struct recent_walks *walks = store->walks;
    uint64_t stamp = composite_of(store, flat->variable)->stamp;
    for (unsigned i = 0; walks && i < WALKS; ++i)
        if (is_of(&walks->list[i], stamp, flat)) {
            walks->list[i].used = ++walks->now;
            return &walks->list[i];
        }
    return NULL;
}

static uint64_t piece_end(const struct recent_walk *walk, size_t i)
{
    return i + 1 < walk->pieces.count ? walk->pieces.data[i + 1].begin : walk->elements;
}

static struct piece piece_of(const struct recent_walk *walk, size_t i)
{
    const struct recent_piece *kept = &walk->pieces.data[i];
    return (struct piece){ kept->variable, kept->digits, kept->offset, piece_end(walk, i) - kept->begin,
                           walk->pool.data + kept->first };
}

bool recent_walk_each_piece(struct recent_walk *walk, piece_fn fn, void *context)
{
    bool more = true;
    walk->busy = true;
    for (size_t i = 0; more && i < walk->pieces.count; ++i) {
        struct piece piece = piece_of(walk, i);
        more = fn(&piece, context);
    }
    walk->busy = false;
    return more;
}

/* The piece that has an element: mostly the one that was found last, or the next one. */
static size_t find_piece(const struct recent_walk *walk, uint64_t element)
{
    const struct recent_piece *piece = walk->pieces.data;
    size_t low = 0, high = walk->pieces.count;
    assert(element < walk->elements);
    for (size_t i = walk->found; i < walk->found + 2 && i < high; ++i)
        if (piece[i].begin <= element && element < piece_end(walk, i))
            return i;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (piece[middle].begin <= element)
            low = middle;
        else
            high = middle;
    }
    return low;
}

bool recent_walk_each_piece_in(pop_store *store, struct recent_walk *walk, uint64_t begin, uint64_t end, piece_fn fn,
                               void *context)
{
    bool more = true;
    walk->busy = true;
    for (size_t i = find_piece(walk, begin); more && begin < end; ++i) {
        struct piece piece = piece_of(walk, i);
        uint64_t at = begin - walk->pieces.data[i].begin, stop = end - walk->pieces.data[i].begin;
        walk->found = i;
        stop = stop < piece.elements ? stop : piece.elements;
        begin += stop - at;
        more =
            !at && stop == piece.elements ? fn(&piece, context) : walk_pieces_in(store, &piece, at, stop, fn, context);
    }
    walk->busy = false;
    return more;
}

/* The walk whose last use is the earliest, of those that have memory for so many pieces. */
static struct recent_walk *oldest(struct recent_walks *walks, size_t capacity)
{
    struct recent_walk *found = NULL;
    for (unsigned i = 0; i < WALKS; ++i) {
        struct recent_walk *walk = &walks->list[i];
        if (!walk->busy && walk->pieces.capacity >= capacity && (!found || walk->used < found->used))
            found = walk;
    }
    return found;
}

struct recent_walk *recent_walk_begin(pop_store *store, const struct piece *flat)
{
    if (!store->walks)
        store->walks = MEM_NEW(struct recent_walks);
    struct recent_walk *walk = oldest(store->walks, 0);
    if (!walk)
        return NULL;
    walk->stamp = composite_of(store, flat->variable)->stamp;
    walk->busy = true;
    walk->large = false;
    walk->source = flat->variable;
    walk->offset = flat->offset;
    walk->digits = flat->digits;
    walk->all = flat->elements;
    walk->elements = walk->found = 0;
    walk->pieces.count = walk->pool.count = 0;
    digits_copy(vec_extend(&walk->pool, flat->digits + 1), flat->digit, flat->digits);
    walk->pool.count = flat->digits;
    return walk;
}

/* The place of a piece's digits: those of the piece before it, mostly. */
static size_t place_digits(struct recent_walk *walk, const struct piece *piece)
{
    if (walk->pieces.count) {
        const struct recent_piece *last = &walk->pieces.data[walk->pieces.count - 1];
        if (last->digits == piece->digits && digits_equal(walk->pool.data + last->first, piece->digit, piece->digits))
            return last->first;
    }
    size_t first = walk->pool.count;
    if (piece->digits)
        digits_copy(vec_extend(&walk->pool, piece->digits), piece->digit, piece->digits);
    return first;
}

void recent_walk_add(struct recent_walk *walk, const struct piece *piece)
{
    if (walk->large)
        return;
    size_t first = place_digits(walk, piece);
    *vec_push(&walk->pieces) =
        (struct recent_piece){ piece->variable, piece->digits, piece->offset, walk->elements, first };
    walk->elements += piece->elements;
    walk->large = walk->pieces.count > MAX_PIECES ||
                  (walk->pieces.count == PROBE && walk->all > walk->elements * (MAX_PIECES / PROBE));
}

static void forget(struct recent_walk *walk)
{
    walk->stamp = walk->used = 0;
    vec_free(&walk->pieces);
    vec_free(&walk->pool);
}

/* Forgets walks that were not asked for lately, until few pieces are kept. */
static void forget_oldest(struct recent_walks *walks)
{
    size_t kept = 0;
    struct recent_walk *walk;
    for (unsigned i = 0; i < WALKS; ++i)
        kept += walks->list[i].pieces.capacity;
    while (kept > 2 * MAX_PIECES && (walk = oldest(walks, RECENT_WALK_MIN))) {
        kept -= walk->pieces.capacity;
        forget(walk);
    }
}

void recent_walk_end(pop_store *store, struct recent_walk *walk, bool whole)
{
    bool kept = whole && !walk->large && walk->pieces.count >= RECENT_WALK_MIN;
    assert(walk->busy);
    walk->busy = false;
    walk->used = kept ? ++store->walks->now : 0;
    walk->stamp = kept ? walk->stamp : 0;
    forget_oldest(store->walks);
}

void recent_walks_free(struct recent_walks *walks)
{
    for (unsigned i = 0; walks && i < WALKS; ++i)
        forget(&walks->list[i]);
    free(walks);
}
