/* SPDX-License-Identifier: Apache-2.0 */
/* The data that tiles send to each other for an Execute or a Copy, and the data that they rearrange locally.
 *
 * Before a set runs, each tile receives once what its vertices read and do not have; after it, owners receive what
 * others wrote.  A word is sent once, however many tiles receive it.  An edge whose elements come from several places
 * has a buffer in the tile's memory: what comes from elsewhere is received into it; what the tile has itself is in
 * it, or is received with the rest where the tile sends it anyway. */
#include "compiler/exchange/step_traffic.h"
#include "compiler/common/edges.h"
#include "compiler/common/owners.h"
#include "compiler/common/runs.h"
#include "compiler/common/window.h"
#include "compiler/exchange/copy_merge.h"
#include "compiler/exchange/copy_parts.h"
#include "compiler/exchange/marks.h"
#include "compiler/exchange/traffic.h"

#include <assert.h>

/* The edge at hand, taken apart. */
struct edge_parts {
    struct traffic *t;
    size_t first_local;         /* its entries of t->locals begin here */
    struct copy_shape gathered; /* what the tile holds of it, whole */
    uint64_t runs;
    uint32_t last; /* the tile that its last elements were fetched from; NONE: they were not */
    bool remote;
};

static uint64_t content_of(struct variable_part part)
{
    uint64_t hash = (part.begin * 0x9e3779b97f4a7c15u ^ part.variable) * 0xd6e8feb86659fd93u;
    return (hash ^ hash >> 32) * (part.end - part.begin);
}

/* Ascends with the memory of a tile that has the part. */
static uint64_t address_of(struct variable_part part)
{
    return (uint64_t)part.variable << 40 | part.begin;
}

static uint64_t part_bytes(const struct traffic *t, struct variable_part part)
{
    return (part.end - part.begin) * variable_element_bytes(t->c, part.variable);
}

/* Sends elements from their tile, except those already sent in this step. */
static void send(struct traffic *t, uint32_t from, uint32_t to, struct variable_part part)
{
    assert(from < pop_target_num_tiles(&t->c->store->target) && to < pop_target_num_tiles(&t->c->store->target));
    uint64_t fresh = marks_set(&t->sent, part);
    if (fresh)
        loads_send(&t->before, from, to, fresh * variable_element_bytes(t->c, part.variable));
}

/* Splits off the front of a run that is on one tile, and returns that tile. */
static uint32_t next_part(struct traffic *t, struct run *left, struct variable_part *part)
{
    assert(left->count);
    uint64_t stop, end = left->offset + left->count;
    uint32_t owner = owners_find(&t->owners, left->variable, left->offset, &stop);
    *part = (struct variable_part){ left->variable, left->offset, stop < end ? stop : end };
    assert(part->end > part->begin);
    left->offset = part->end;
    left->count = end - part->end;
    return owner;
}

/* The current tile receives a part from another tile; returns whether all of it is new. */
static bool fetch_part(struct traffic *t, uint32_t owner, struct variable_part part)
{
    uint64_t fresh = marks_set(&t->delivered, part);
    if (!fresh)
        return false;
    loads_receive(&t->before, owner, t->tile, fresh * variable_element_bytes(t->c, part.variable), content_of(part));
    send(t, owner, t->tile, part);
    return fresh == part.end - part.begin;
}

/* Receives the next elements of an edge: a tile goes on receiving from the tile that the last ones came from. */
static void fetch_next(struct edge_parts *edge, uint32_t owner, struct variable_part part)
{
    bool whole = fetch_part(edge->t, owner, part);
    if (whole && owner == edge->last)
        loads_continue(&edge->t->before, edge->t->tile);
    edge->last = whole ? owner : NONE;
}

static void return_part(struct traffic *t, uint32_t owner, struct variable_part part)
{
    uint64_t bytes = part_bytes(t, part);
    loads_receive(&t->after, t->tile, owner, bytes, content_of(part));
    loads_send(&t->after, t->tile, owner, bytes);
}

static void copy_part(const struct traffic *t, struct copy_shape *shape, struct variable_part part)
{
    copy_shape_add(shape, part.begin * variable_element_bytes(t->c, part.variable), part_bytes(t, part));
}

/* Fetches the elements of a run that the current tile does not have. A run that the tile has already received is not
 * split again, because many vertices of a tile read the same data. */
static bool fetch_run(const struct run *run, void *context)
{
    struct edge_parts *edge = context;
    struct traffic *t = edge->t;
    struct run left = *run;
    struct variable_part part;
    uint32_t owner = next_part(t, &left, &part);
    ++edge->runs;
    if (owner == HOME_EVERYWHERE) {
        edge->last = NONE;
        return true;
    }
    if (left.count && marks_all(&t->delivered, run->variable, run->offset, run->offset + run->count)) {
        edge->remote = true;
        edge->last = NONE;
        return true;
    }
    for (;; owner = next_part(t, &left, &part)) {
        if (owner != t->tile) {
            edge->remote = true;
            fetch_next(edge, owner, part);
        } else {
            edge->last = NONE;
            copy_part(t, &edge->gathered, part);
            *vec_push(&t->locals) = (struct local_part){ t->tile, part };
        }
        if (!left.count)
            return true;
    }
}

/* Buffers are laid out once for all vertices of a tile that read the same: of the parts from `first` on, only elements
 * that are new to the tile stay in the list. */
static void clear_met(struct traffic *t, size_t first)
{
    size_t end = t->locals.count;
    assert(first <= end);
    for (size_t i = first; i < end; ++i) {
        struct variable_part part = t->locals.data[i].part;
        const uint64_t *met = marks_bits(&t->delivered, part.variable);
        for (uint64_t at = part.begin, stop; at < part.end; at = stop) {
            stop = bits_run(met, at, part.end);
            if (!(met[at >> 6] >> (at & 63) & 1))
                *vec_push(&t->locals) = (struct local_part){ t->tile, { part.variable, at, stop } };
        }
        marks_set(&t->delivered, part);
    }
    t->locals.count -= end - first;
    if (t->locals.count > first)
        memmove(t->locals.data + first, t->locals.data + end, (t->locals.count - first) * sizeof(*t->locals.data));
}

/* A row that a vertex reads must be contiguous on its tile. */
static void note_row(struct traffic *t, const struct edge *edge)
{
    const pop_store *store = t->c->store;
    uint64_t element = edge->form == EDGE_RUN ? variable_element_bytes(t->c, edge->variable)
                                              : pop_type_size((pop_type)edge_view(store, edge)->type);
    uint64_t bytes = edge_elements(store, edge) * element;
    t->longest = bytes > t->longest ? bytes : t->longest;
}

static void read_edge(struct traffic *t, const struct edge *edge)
{
    struct edge_parts parts = { .t = t, .first_local = t->locals.count, .last = NONE };
    loads_buffer(&t->before, t->tile);
    edge_each_run(t->c->store, edge, fetch_run, &parts);
    if (parts.remote) {
        note_row(t, edge);
        clear_met(t, parts.first_local);
        return;
    }
    t->locals.count = parts.first_local;
    if (parts.runs > 1 && parts.gathered.pieces)
        *vec_push(&t->copies_before) = (struct tile_copy){ t->tile, parts.gathered };
}

static bool return_run(const struct run *run, void *context)
{
    struct edge_parts *edge = context;
    struct variable_part part;
    ++edge->runs;
    for (struct run left = *run; left.count;) {
        uint32_t owner = next_part(edge->t, &left, &part);
        if (owner == edge->t->tile) {
            copy_part(edge->t, &edge->gathered, part);
        } else {
            edge->remote = true;
            return_part(edge->t, owner, part);
        }
    }
    return true;
}

static void write_edge(struct traffic *t, const struct edge *edge)
{
    struct edge_parts parts = { .t = t };
    edge_each_run(t->c->store, edge, return_run, &parts);
    parts.gathered.scatters = true;
    if (parts.gathered.pieces && (parts.remote || parts.runs > 1))
        *vec_push(&t->copies_after) = (struct tile_copy){ t->tile, parts.gathered };
}

static void edge_traffic(struct traffic *t, const struct edge *edge, uint32_t home, bool reads, bool writes)
{
    const pop_store *store = t->c->store;
    if (home == t->tile || home == HOME_EVERYWHERE)
        return;
    if (edge->form == EDGE_LIST) { /* each row has a buffer of its own */
        for (uint64_t i = 0; i < edge->count; ++i)
            edge_traffic(t, edge_row(store, edge, i), owners_edge(&t->owners, edge_row(store, edge, i)), reads, writes);
        return;
    }
    struct variable_part part = { edge->variable, edge->offset, (uint64_t)edge->offset + edge->count };
    if (reads && home == HOME_PARTS) {
        read_edge(t, edge);
    } else if (reads) {
        note_row(t, edge);
        fetch_part(t, home, part);
    }
    if (writes && home == HOME_PARTS)
        write_edge(t, edge);
    else if (writes)
        return_part(t, home, part);
}

static void vertex_traffic(struct traffic *t, const struct codelet *codelet, struct edge_list list)
{
    for (uint32_t e = list.first; e != NO_EDGE; e = edge_next(list.edges, e)) {
        const struct edge *edge = &list.edges[e];
        uint8_t direction = codelet->fields[edge->field].direction;
        if (direction != FIELD_STATE)
            edge_traffic(t, edge, list.homes ? list.homes[e] : owners_edge(&t->owners, edge), direction != FIELD_OUTPUT,
                         direction != FIELD_INPUT);
    }
}

/* Where what a vertex reads from other tiles is marked. */
PREFETCH_INLINE void prefetch_bits(const struct traffic *t, struct edge_list list)
{
    for (uint32_t e = list.first; e != NO_EDGE; e = edge_next(list.edges, e)) {
        const struct edge *edge = &list.edges[e];
        if (list.homes[e] == t->tile || edge->form != EDGE_RUN)
            continue;
        const uint64_t *delivered = t->delivered_bits.of[edge->variable], *sent = t->sent.bits->of[edge->variable];
        if (delivered)
            __builtin_prefetch(delivered + (edge->offset >> 6));
        if (delivered && sent)
            __builtin_prefetch(sent + (edge->offset >> 6));
    }
}

/* What a tile has of its own buffers: received where it is sent to others anyway, else it is in the buffer (inferred:
 * tutorial 7's partial sums on the tile of their reduction, 68 on ipu1 and 54 on ipu2, are not among the copies of its
 * listings, 63 and 32). */
static void receive_local(struct traffic *t, uint32_t tile, struct variable_part part)
{
    const uint64_t *sent = marks_bits(&t->sent, part.variable);
    for (uint64_t at = part.begin, stop; at < part.end; at = stop) {
        stop = bits_run(sent, at, part.end);
        struct variable_part range = { part.variable, at, stop };
        if (sent[at >> 6] >> (at & 63) & 1)
            loads_receive(&t->before, tile, tile, part_bytes(t, range), content_of(range));
    }
}

static void receive_locals(struct traffic *t)
{
    for (size_t i = 0; i < t->locals.count; ++i)
        receive_local(t, t->locals.data[i].tile, t->locals.data[i].part);
    t->locals.count = 0;
}

static void set_traffic(struct traffic *t, const struct used_set *set)
{
    const struct vertex_group *groups = &t->order->groups.data[set->first_group];
    struct window *windows = mem_alloc(set->groups * sizeof(*windows));
    struct tile_walk walk;
    for (uint32_t g = 0; g < set->groups; ++g)
        window_init(&windows[g], t->c->store, t->order, &groups[g], set->groups, &t->owners);
    tile_walk_begin(&walk, t->order, set);
    while (tile_walk_next(&walk)) {
        t->tile = walk.tile;
        for (uint32_t g = 0; g < set->groups; ++g) {
            const struct codelet *codelet = t->c->store->types.data[groups[g].type].codelet;
            for (uint64_t i = walk.first[g]; i < walk.last[g]; ++i) {
                struct edge_list list = window_edges(&windows[g], i);
                prefetch_bits(t, window_ahead(&windows[g], i));
                vertex_traffic(t, codelet, list);
            }
        }
        marks_clear(&t->delivered);
    }
    tile_walk_end(&walk);
    receive_locals(t);
    marks_clear(&t->sent);
    for (uint32_t g = 0; g < set->groups; ++g)
        window_free(&windows[g]);
    free(windows);
}

/* Moves the collected loads and copies into the draft and clears them. */
static void make_draft(struct traffic *t, struct step_draft *draft)
{
    loads_draft(&t->before, &draft->before);
    loads_draft(&t->after, &draft->after);
    draft->copies_before = t->copies_before;
    draft->copies_after = t->copies_after;
    draft->longest = t->longest;
    t->copies_before = t->copies_after = (tile_copies){ 0 };
    t->longest = 0;
}

void traffic_of_local_set(struct traffic *t, struct step_draft *draft)
{
    make_draft(t, draft);
}

void traffic_of_set(struct traffic *t, const struct used_set *set, struct step_draft *draft)
{
    assert(!t->locals.count && !t->copies_before.count && !t->copies_after.count); /* of the set before */
    set_traffic(t, set);
    make_draft(t, draft);
}

/* Whether all of a view is on one tile, because each of its variables is. */
static bool one_tile(const struct traffic *t, const struct view *view, uint32_t *tile)
{
    for (uint32_t i = 0; i < view->piece_count; ++i) {
        uint32_t home = t->owners.home[view->pieces[i].variable];
        if (home == HOME_PARTS || (i && home != *tile))
            return false;
        *tile = home;
    }
    return true;
}

/* Whether no element is in a source twice. */
static bool sends_once(struct traffic *t, const struct view *source)
{
    bool once = true;
    struct run_cursor from;
    if (view_distinct(source))
        return true;
    for (run_cursor_begin(&from, source); once && from.run.count; run_cursor_skip(&from, from.run.count))
        once = marks_set(&t->sent, (struct variable_part){ from.run.variable, from.run.offset,
                                                           from.run.offset + from.run.count }) == from.run.count;
    marks_clear(&t->sent);
    return once;
}

/* Sends each element once to each receiving tile; data that stays on its tile is copied locally. */
static void copy_traffic(struct traffic *t, const struct view *source, const struct view *destination,
                         struct tile_moves *moves)
{
    bool once = sends_once(t, source);
    uint64_t element = pop_type_size((pop_type)source->type);
    struct copy_parts parts;
    struct copy_merge merge; /* what is sent to several tiles is not merged: they would have no part in common */
    copy_merge_find(&merge, &t->owners, source, destination, !once);
    copy_parts_begin(&parts, &t->owners, source, destination);
    for (uint64_t index = 0; copy_parts_next(&parts); ++index) {
        uint64_t begin = parts.from.run.offset, count = copy_merge_count(&merge, index, parts.count),
                 bytes = count * element;
        struct variable_part part = { parts.from.run.variable, begin, begin + count };
        if (!count)
            continue;
        if (parts.sender == parts.receiver || parts.sender == HOME_EVERYWHERE) {
            tile_moves_add(moves, parts.receiver, begin * element, parts.to.run.offset * element, bytes);
            continue;
        }
        loads_receive_part(&t->before, parts.sender, parts.receiver, bytes, once ? EXCHANGE_ONCE : content_of(part),
                           address_of(part));
        if (once)
            loads_send(&t->before, parts.sender, parts.receiver, bytes);
        else
            send(t, parts.sender, parts.receiver, part);
    }
    copy_merge_free(&merge);
    marks_clear(&t->sent);
}

static uint64_t view_runs(const struct view *view)
{
    uint64_t runs = 0;
    struct run_cursor cursor;
    for (run_cursor_begin(&cursor, view); cursor.run.count; ++runs)
        run_cursor_skip(&cursor, cursor.run.count);
    return runs;
}

void traffic_of_copy(struct traffic *t, const struct program_node *n, struct step_draft *draft)
{
    uint32_t from = NONE, to = NONE;
    struct tile_moves moves;
    tile_moves_begin(&moves, &t->c->store->target);
    if (one_tile(t, n->source, &from) && one_tile(t, n->destination, &to) && from == to && from != NONE) {
        uint64_t bytes = n->source->elements * pop_type_size((pop_type)n->source->type), a = view_runs(n->source),
                 b = view_runs(n->destination);
        if (bytes)
            tile_moves_add(&moves, from, 0, 0, bytes);
        moves.shapes[from].pieces = bytes ? (a > b ? a : b) : 0;
        moves.shapes[from].scatters = b > a;
    } else {
        copy_traffic(t, n->source, n->destination, &moves);
    }
    tile_moves_end(&moves, &t->copies_before);
    make_draft(t, draft);
}

void traffic_init(struct traffic *t, struct compiler *c, const struct order_result *order,
                  const struct check_result *check, struct bitmaps *sent)
{
    const pop_store *store = c->store;
    *t = (struct traffic){ .c = c, .order = order };
    loads_init(&t->before, &store->target);
    loads_init(&t->after, &store->target);
    owners_init(&t->owners, store, check);
    bitmaps_init(&t->delivered_bits, store->variables.count);
    if (!sent)
        bitmaps_init(&t->sent_bits, store->variables.count);
    marks_init(&t->delivered, &t->delivered_bits, store);
    marks_init(&t->sent, sent ? sent : &t->sent_bits, store);
}

void traffic_free(struct traffic *t)
{
    marks_free(&t->delivered);
    marks_free(&t->sent);
    bitmaps_free(&t->delivered_bits);
    bitmaps_free(&t->sent_bits);
    loads_free(&t->before);
    loads_free(&t->after);
    owners_free(&t->owners);
    vec_free(&t->locals);
}
