/* SPDX-License-Identifier: Apache-2.0 */
/* Enumeration of a tensor: strided pieces and maximal runs, in flat order. */
#include "graph/view/tensor.h"
#include "graph/view/tensor_form.h"
#include "graph/view/view.h"
#include "graph/view/view_table.h"
#include "graph/view/view_walk.h"

/* Joins neighbouring pieces that are contiguous and continue each other. */
struct piece_joiner {
    piece_fn fn;
    void *context;
    struct piece pending; /* elements 0: none */
    struct digit digit;
};

static bool piece_is_run(const struct piece *piece)
{
    return !piece->digits || (piece->digits == 1 && piece->digit->stride == 1);
}

static bool piece_flush(struct piece_joiner *joiner)
{
    struct piece piece = joiner->pending;
    joiner->pending.elements = 0;
    if (!piece.elements)
        return true;
    joiner->digit = (struct digit){ piece.elements, 1 };
    piece.digits = piece.elements > 1;
    piece.digit = &joiner->digit;
    return joiner->fn(&piece, joiner->context);
}

static bool piece_join(const struct piece *piece, void *context)
{
    struct piece_joiner *joiner = context;
    struct piece *pending = &joiner->pending;
    bool run = piece_is_run(piece);
    if (run && pending->elements && pending->variable == piece->variable &&
        pending->offset + pending->elements == piece->offset) {
        pending->elements += piece->elements;
        return true;
    }
    if (!piece_flush(joiner))
        return false;
    if (!run)
        return joiner->fn(piece, joiner->context);
    *pending = *piece;
    return true;
}

/* Pieces of a view over a composite, neighbours joined. */
static bool walk_joined(pop_store *store, const struct piece *flat, piece_fn fn, void *context)
{
    struct piece_joiner joiner = { .fn = fn, .context = context };
    return walk_pieces(store, flat, piece_join, &joiner) && piece_flush(&joiner);
}

/* A walk stops when its first pieces are so small that a table of the elements is faster. */
struct piece_counter {
    piece_fn fn;
    void *context;
    uint64_t pieces, elements, strided; /* passed on; strided: pieces that are not runs */
    bool stopped;
};
enum { STOP_AFTER = 256, SMALL_PIECE = 32, MAX_STRIDED = 16 };

/* Pieces of several runs are left to the walk: a table would take them apart. */
static bool count_piece(const struct piece *piece, void *context)
{
    struct piece_counter *counter = context;
    if (counter->pieces++ == STOP_AFTER) {
        counter->stopped = counter->elements < STOP_AFTER * SMALL_PIECE && counter->strided <= MAX_STRIDED;
        if (counter->stopped)
            return false;
    }
    counter->elements += piece->elements;
    counter->strided += !piece_is_run(piece);
    return counter->fn(piece, counter->context);
}

/* The pieces of a view over a composite. */
static bool walk_or_table(pop_store *store, const struct piece *flat, piece_fn fn, void *context)
{
    struct piece_counter counter = { .fn = fn, .context = context };
    bool made, whole = walk_joined(store, flat, count_piece, &counter);
    if (!counter.stopped)
        return whole;
    whole = table_each_piece(store, flat, counter.elements, fn, context, &made);
    return made ? whole : walk_pieces_in(store, flat, counter.elements, flat->elements, fn, context);
}

/* Pieces that are given and kept. */
struct piece_keeper {
    piece_fn fn;
    void *context;
    struct recent_walk *walk;
};
static bool give_and_keep(const struct piece *piece, void *context)
{
    struct piece_keeper *keeper = context;
    recent_walk_add(keeper->walk, piece);
    return keeper->fn(piece, keeper->context);
}

static bool may_be_kept(const struct piece *flat)
{
    return flat->elements > 2 * STOP_AFTER && (flat->variable & COMPOSITE);
}

static bool each_piece_of_composite(pop_store *store, const struct piece *flat, piece_fn fn, void *context)
{
    if (!may_be_kept(flat))
        return walk_joined(store, flat, fn, context);
    struct recent_walk *walk = recent_walk_find(store, flat);
    if (walk)
        return recent_walk_each_piece(walk, fn, context);
    walk = recent_walk_begin(store, flat);
    if (!walk)
        return walk_or_table(store, flat, fn, context);
    struct piece_keeper keeper = { fn, context, walk };
    bool whole = walk_or_table(store, flat, give_and_keep, &keeper);
    recent_walk_end(store, walk, whole);
    return whole;
}

bool view_each_piece_in(pop_store *store, const struct piece *flat, uint64_t begin, uint64_t end, piece_fn fn,
                        void *context)
{
    if (!begin && end == flat->elements && (flat->variable & COMPOSITE))
        return each_piece_of_composite(store, flat, fn, context);
    struct recent_walk *walk = begin < end && may_be_kept(flat) ? recent_walk_find(store, flat) : NULL;
    return walk ? recent_walk_each_piece_in(store, walk, begin, end, fn, context)
                : walk_pieces_in(store, flat, begin, end, fn, context);
}

bool tensor_each_piece(pop_tensor t, piece_fn fn, void *context)
{
    if (!t.store || (t.form & FORM_EMPTY))
        return true;
    struct flat flat;
    tensor_flat(t, &flat);
    return t.source & COMPOSITE ? each_piece_of_composite(t.store, &flat.piece, fn, context) : fn(&flat.piece, context);
}

static bool ignore_piece(const struct piece *piece, void *context)
{
    (void)piece;
    (void)context;
    return true;
}

void tensor_keep_walk(pop_tensor t, size_t parts)
{
    if (parts >= RECENT_WALK_MIN)
        tensor_each_piece(t, ignore_piece, NULL);
}

/* Who visits runs keeps something of each; more than these would take minutes (sorting 2^22 takes
 * four seconds). */
#define MAX_RUNS ((uint64_t)1 << 26)

struct run_joiner {
    run_fn fn;
    void *context;
    pop_store *store; /* for the error of too many; NULL: as many as there are */
    uint64_t runs;
    struct run pending; /* count 0: none */
};

static bool run_flush(struct run_joiner *joiner)
{
    struct run run = joiner->pending;
    joiner->pending.count = 0;
    return !run.count || joiner->fn(&run, joiner->context);
}

bool runs_count(pop_store *store, const struct piece *piece, uint64_t *runs)
{
    bool inner = piece->digits && piece->digit[piece->digits - 1].stride == 1;
    *runs += inner ? piece->elements / piece->digit[piece->digits - 1].extent : piece->elements;
    if (*runs <= MAX_RUNS)
        return true;
    return store_fail(store, POP_OVERFLOW_ERROR, NO_WHERE, "",
                      "the tensor has more than 2^26 separate runs of memory, which are too many to list: "
                      "take a part of it at a time, or copy it "
                      "to a variable of its own");
}

static bool run_join(struct run_joiner *joiner, uint32_t variable, uint64_t offset, uint64_t count)
{
    struct run *pending = &joiner->pending;
    if (pending->count && pending->variable == variable && pending->offset + pending->count == offset) {
        pending->count += count;
        return true;
    }
    if (!run_flush(joiner))
        return false;
    *pending = (struct run){ variable, offset, count };
    return true;
}

/* The runs of a digit; only the first may join what came before. */
static bool runs_of_row(struct run_joiner *joiner, uint32_t variable, uint64_t offset, uint64_t length,
                        struct digit row)
{
    bool more = run_join(joiner, variable, offset, length);
    if (row.stride == (int64_t)length) {
        joiner->pending.count += (row.extent - 1) * length;
        return more;
    }
    for (uint64_t i = 1; more && i < row.extent; ++i) {
        struct run run = joiner->pending;
        joiner->pending = (struct run){ variable, offset += (uint64_t)row.stride, length };
        more = joiner->fn(&run, joiner->context);
    }
    return more;
}

static bool runs_of_piece(const struct piece *piece, void *context)
{
    struct run_joiner *joiner = context;
    const struct digit *digit = piece->digit;
    unsigned outer = piece->digits;
    uint64_t offset = piece->offset, length = 1;
    if (outer && digit[outer - 1].stride == 1)
        length = digit[--outer].extent;
    uint64_t index[MAX_DIGITS + 2];
    if (joiner->store && !runs_count(joiner->store, piece, &joiner->runs))
        return false;
    struct digit row = outer ? digit[--outer] : (struct digit){ 1, 0 };
    memset(index, 0, outer * sizeof(*index));
    for (;;) {
        if (!runs_of_row(joiner, piece->variable, offset, length, row))
            return false;
        unsigned k = outer;
        for (; k; --k) {
            const struct digit *d = &digit[k - 1];
            offset += (uint64_t)d->stride;
            if (++index[k - 1] < d->extent)
                break;
            offset -= d->extent * (uint64_t)d->stride;
            index[k - 1] = 0;
        }
        if (!k)
            return true;
    }
}

bool tensor_first_runs(pop_tensor t, run_fn fn, void *context)
{
    struct run_joiner joiner = { .fn = fn, .context = context };
    return tensor_each_piece(t, runs_of_piece, &joiner) && run_flush(&joiner);
}

bool tensor_each_run(pop_tensor t, run_fn fn, void *context)
{
    struct run_joiner joiner = { .fn = fn, .context = context, .store = t.store };
    return tensor_each_piece(t, runs_of_piece, &joiner) && run_flush(&joiner);
}

bool tensor_each_run_in(pop_tensor t, uint64_t begin, uint64_t end, run_fn fn, void *context)
{
    if (!t.store || (t.form & FORM_EMPTY))
        return true;
    struct flat flat;
    tensor_flat(t, &flat);
    if (end > flat.piece.elements)
        end = flat.piece.elements;
    if (begin >= end)
        return true;
    struct run_joiner joiner = { .fn = fn, .context = context, .store = t.store };
    return view_each_piece_in(t.store, &flat.piece, begin, end, runs_of_piece, &joiner) && run_flush(&joiner);
}

bool piece_each_run(const struct piece *piece, run_fn fn, void *context)
{
    struct run_joiner joiner = { .fn = fn, .context = context };
    return runs_of_piece(piece, &joiner) && run_flush(&joiner);
}

bool view_each_run(const struct view *view, run_fn fn, void *context)
{
    struct run_joiner joiner = { .fn = fn, .context = context };
    for (size_t i = 0; i < view->piece_count; ++i) {
        struct piece piece = view_piece(view, i);
        if (!runs_of_piece(&piece, &joiner))
            return false;
    }
    return run_flush(&joiner);
}

static bool only_run(const struct run *run, void *context)
{
    struct run *first = context;
    if (first->count)
        return false;
    *first = *run;
    return true;
}

bool tensor_single_run(pop_tensor t, struct run *run)
{
    if (!t.store)
        return false;
    if (t.form & FORM_EMPTY) {
        *run = (struct run){ t.source & COMPOSITE ? 0 : t.source, 0, 0 };
        return true;
    }
    if (!t.form && !(t.source & COMPOSITE)) {
        uint64_t count = 1;
        for (unsigned i = t.digits; i-- > 0; count *= t.digit[i].extent)
            if (t.digit[i].stride < 0 || (uint64_t)t.digit[i].stride != count)
                return false;
        *run = (struct run){ t.source, t.offset, count };
        return true;
    }
    struct run first = { 0 };
    if (!tensor_first_runs(t, only_run, &first))
        return false;
    *run = first;
    return true;
}

static bool first_variable(const struct piece *piece, void *context)
{
    *(uint32_t *)context = piece->variable;
    return false;
}

const char *tensor_debug_name(pop_tensor t)
{
    uint32_t variable = UINT32_MAX;
    if (!pop_tensor_valid(t))
        return "";
    tensor_each_piece(t, first_variable, &variable);
    return variable < t.store->variables.count ? store_name(t.store, t.store->variables.data[variable].name) : "";
}
