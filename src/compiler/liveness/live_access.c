/* SPDX-License-Identifier: Apache-2.0 */
/* What sets and programs read and write, by variable. */
#include "compiler/liveness/live_access.h"
#include "compiler/common/edges.h"
#include "compiler/common/owners.h"
#include "compiler/common/prefetch.h"
#include "compiler/common/runs.h"
#include "compiler/liveness/live.h"

#include <assert.h>

/* Vertices are met as they were created; mostly those of one set follow each other, and so do the variables that they
 * touch. */
enum { CACHE = 256 };
struct collect {
    struct compiler *c;
    const struct live_inputs *in;
    struct live *live;
    struct set_accesses *to;
    struct owners owners;
    uint32_t *slots; /* of a table by set and variable: index of list + 1 */
    size_t slot_count;
    uint32_t cache[CACHE];
    uint32_t tile, set;
    const struct codelet_field *field;
    bool exchanges;      /* the set's plan has an exchange */
    uint32_t *last_tile; /* by variable: of the last constant_tile */
};

static uint64_t hash_pair(uint32_t a, uint32_t b)
{
    uint64_t h = ((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static void grow_table(struct collect *k)
{
    k->slot_count = k->slot_count ? k->slot_count * 2 : 1024;
    free(k->slots);
    k->slots = mem_zero(k->slot_count, sizeof(*k->slots));
    for (size_t i = 0; i < k->to->list.count; ++i) {
        const struct set_access *a = &k->to->list.data[i];
        size_t at = hash_pair(a->set, a->variable) & (k->slot_count - 1);
        while (k->slots[at])
            at = (at + 1) & (k->slot_count - 1);
        k->slots[at] = (uint32_t)i + 1;
    }
}

static uint32_t find_slow(struct collect *k, uint32_t variable, uint64_t hash)
{
    if (2 * (k->to->list.count + 1) > k->slot_count)
        grow_table(k);
    size_t at = hash & (k->slot_count - 1);
    for (; k->slots[at]; at = (at + 1) & (k->slot_count - 1)) {
        const struct set_access *a = &k->to->list.data[k->slots[at] - 1];
        if (a->set == k->set && a->variable == variable)
            return k->slots[at] - 1;
    }
    *vec_push(&k->to->list) = (struct set_access){ .set = k->set, .variable = variable };
    k->slots[at] = (uint32_t)k->to->list.count;
    return k->slots[at] - 1;
}

static struct set_access *find(struct collect *k, uint32_t variable)
{
    assert(k->set != NONE);
    uint64_t hash = hash_pair(k->set, variable);
    uint32_t *cached = &k->cache[hash >> 20 & (CACHE - 1)];
    if (*cached < k->to->list.count) {
        struct set_access *a = &k->to->list.data[*cached];
        if (a->set == k->set && a->variable == variable)
            return a;
    }
    *cached = find_slow(k, variable, hash);
    return &k->to->list.data[*cached];
}

/* The tile of a run, HOME_PARTS when that is several; asked for only where a set exchanges, until it is known that it
 * does both. */
static uint32_t home_of_run(struct collect *k, struct set_access *a, uint64_t begin, uint64_t end)
{
    enum { BOTH_READS = ACCESS_READ_HERE | ACCESS_READ_AWAY, BOTH_WRITES = ACCESS_WRITE_HERE | ACCESS_WRITE_AWAY };
    uint8_t all = (uint8_t)((k->field->direction != FIELD_OUTPUT ? BOTH_READS : 0) |
                            (k->field->direction != FIELD_INPUT ? BOTH_WRITES : 0));
    uint32_t home = k->owners.home[a->variable];
    if (home != HOME_PARTS)
        return home;
    if (!k->exchanges)
        return k->tile;
    if ((a->what & all) == all || end == begin)
        return HOME_PARTS;
    if (begin < a->begin || begin >= a->end) {
        a->begin = begin;
        a->tile = owners_find(&k->owners, a->variable, begin, &a->end);
    }
    return end <= a->end ? a->tile : HOME_PARTS;
}

/* begin: NONE_KNOWN for elements that are here and there. */
#define NONE_KNOWN UINT64_MAX
static void add_access(struct collect *k, uint32_t variable, uint64_t begin, uint64_t elements)
{
    struct live *live = k->live;
    struct set_access *a = find(k, variable);
    uint32_t home = begin == NONE_KNOWN ? k->owners.home[variable] : home_of_run(k, a, begin, begin + elements);
    bool here = home == k->tile || home == HOME_EVERYWHERE || home == HOME_PARTS,
         away = home != k->tile && home != HOME_EVERYWHERE;
    if (k->field->direction != FIELD_OUTPUT)
        a->what |= (uint8_t)((here ? ACCESS_READ_HERE : 0) | (away ? ACCESS_READ_AWAY : 0));
    if (k->field->direction != FIELD_INPUT) {
        a->what |= (uint8_t)((here ? ACCESS_WRITE_HERE : 0) | (away ? ACCESS_WRITE_AWAY : 0));
        a->written += elements; /* pass_hazard has checked that no element is written twice */
    }
    if (k->field->alignment > live->alignment[variable])
        live->alignment[variable] = k->field->alignment;
    live->interleaved[variable] |= k->field->interleaved;
    if (k->owners.home[variable] == HOME_EVERYWHERE && k->last_tile[variable] != k->tile) {
        *vec_push(&live->constants) = (struct constant_tile){ variable, k->tile };
        k->last_tile[variable] = k->tile;
    }
}

static int by_variable(const void *left, const void *right)
{
    const struct constant_tile *a = left, *b = right;
    if (a->variable != b->variable)
        return a->variable < b->variable ? -1 : 1;
    return a->tile < b->tile ? -1 : a->tile > b->tile;
}

static void sort_constants(struct live *live)
{
    size_t kept = 0;
    if (live->constants.count)
        qsort(live->constants.data, live->constants.count, sizeof(*live->constants.data), by_variable);
    for (size_t i = 0; i < live->constants.count; ++i)
        if (!i || by_variable(&live->constants.data[i - 1], &live->constants.data[i]))
            live->constants.data[kept++] = live->constants.data[i];
    live->constants.count = kept;
}

static void add_edge(struct collect *k, const struct edge *edge)
{
    const pop_store *store = k->c->store;
    if (edge->form == EDGE_RUN) {
        if (edge->count)
            add_access(k, edge->variable, edge->offset, edge->count);
    } else if (edge->form == EDGE_VIEW) {
        const struct view *view = edge_view(store, edge);
        for (uint32_t i = 0; i < view->piece_count; ++i) {
            struct piece piece = view_piece(view, i);
            if (piece.elements)
                add_access(k, piece.variable, NONE_KNOWN, piece.elements);
        }
    } else if (edge->form == EDGE_LIST) {
        for (uint64_t i = 0; i < edge->count; ++i)
            add_edge(k, edge_row(store, edge, i));
    }
}

/* By set; mostly they are, since programs make sets and vertices in one order. */
static void sort_by_set(struct set_accesses *accesses, size_t sets)
{
    bool sorted = true;
    for (size_t i = 1; i < accesses->list.count && sorted; ++i)
        sorted = accesses->list.data[i - 1].set <= accesses->list.data[i].set;
    if (sorted)
        return;
    struct set_access *to = mem_alloc(accesses->list.count * sizeof(*to));
    size_t *at = mem_zero(sets + 1, sizeof(*at));
    for (size_t i = 0; i < accesses->list.count; ++i)
        ++at[accesses->list.data[i].set + 1];
    for (size_t s = 0; s < sets; ++s)
        at[s + 1] += at[s];
    for (size_t i = 0; i < accesses->list.count; ++i)
        to[at[accesses->list.data[i].set]++] = accesses->list.data[i];
    free(at);
    free(accesses->list.data);
    accesses->list.data = to;
    accesses->list.capacity = accesses->list.count;
}

static void finish(struct collect *k)
{
    const pop_store *store = k->c->store;
    struct set_accesses *to = k->to;
    size_t at = 0;
    sort_by_set(to, k->in->order->sets.count);
    to->first = mem_alloc((k->in->order->sets.count + 1) * sizeof(*to->first));
    for (uint32_t s = 0; s <= k->in->order->sets.count; ++s) {
        to->first[s] = at;
        for (; at < to->list.count && to->list.data[at].set == s; ++at) {
            struct set_access *a = &to->list.data[at];
            const struct step_plan *plan = &k->in->exchange->of_set[s];
            bool fetched = plan->exchange_before != NONE || plan->global_before != NONE;
            bool returned = plan->exchange_after != NONE || plan->global_after != NONE;
            if (!fetched && a->what & ACCESS_READ_AWAY)
                a->what = (uint8_t)((a->what & ~ACCESS_READ_AWAY) | ACCESS_READ_HERE);
            if (!returned && a->what & ACCESS_WRITE_AWAY)
                a->what = (uint8_t)((a->what & ~ACCESS_WRITE_AWAY) | ACCESS_WRITE_HERE);
            if (a->written == store->variables.data[a->variable].elements &&
                !(a->what & (ACCESS_READ_HERE | ACCESS_READ_AWAY)))
                a->what |= ACCESS_KILL;
        }
    }
}

static bool exchanges(const struct step_plan *plan)
{
    return plan->exchange_before != NONE || plan->exchange_after != NONE || plan->global_before != NONE ||
           plan->global_after != NONE;
}

void accesses_of_sets(struct compiler *c, const struct live_inputs *in, struct live *live,
                      struct set_accesses *accesses)
{
    const pop_store *store = c->store;
    struct collect k = { .c = c, .in = in, .live = live, .to = accesses };
    owners_init(&k.owners, store, in->check);
    k.last_tile = mem_alloc((store->variables.count + 1) * sizeof(*k.last_tile));
    memset(k.last_tile, 0xff, store->variables.count * sizeof(*k.last_tile));
    for (size_t i = 0; i < CACHE; ++i)
        k.cache[i] = NONE;
    for (size_t i = 0; i < store->vertices.count; ++i) {
        const struct vertex *v = &store->vertices.data[i];
        if (i + AHEAD_VERTEX < store->vertices.count)
            prefetch_list(store, v[AHEAD_VERTEX].edge);
        k.set = in->use->set_of[v->set];
        if (k.set == NONE)
            continue;
        const struct codelet *codelet = store->types.data[v->type].codelet;
        k.tile = v->tile;
        k.exchanges = exchanges(&in->exchange->of_set[k.set]);
        for (uint32_t e = v->edge; e != NO_EDGE; e = edge_next(store->edges.data, e)) {
            k.field = &codelet->fields[store->edges.data[e].field];
            if (k.field->direction != FIELD_STATE)
                add_edge(&k, &store->edges.data[e]);
        }
    }
    finish(&k);
    sort_constants(live);
    free(k.last_tile);
    owners_free(&k.owners);
    free(k.slots);
}

void accesses_free(struct set_accesses *accesses)
{
    vec_free(&accesses->list);
    free(accesses->first);
}

/* ---- programs ---- */

struct view_sums {
    const pop_store *store;
    uint64_t *elements;      /* by variable; 0 between views */
    VEC(uint32_t) variables; /* of the view */
};

struct view_sums *view_sums_create(const struct compiler *c)
{
    struct view_sums *sums = MEM_NEW(struct view_sums);
    sums->store = c->store;
    sums->elements = mem_zero(c->store->variables.count, sizeof(*sums->elements));
    return sums;
}

void view_sums_free(struct view_sums *sums)
{
    vec_free(&sums->variables);
    free(sums->elements);
    free(sums);
}

/* Each variable once, however many pieces of it there are. */
static void read_view(struct view_sums *sums, const struct view *view, access_fn fn, void *context)
{
    sums->variables.count = 0;
    for (uint32_t i = 0; view && i < view->piece_count; ++i) {
        struct piece piece = view_piece(view, i);
        if (!piece.elements || sums->elements[piece.variable])
            continue;
        sums->elements[piece.variable] = piece.elements;
        *vec_push(&sums->variables) = piece.variable;
        fn(piece.variable, FLOW_READ, context);
    }
    for (size_t i = 0; i < sums->variables.count; ++i)
        sums->elements[sums->variables.data[i]] = 0;
}

static bool reads(const struct view *view, uint32_t variable)
{
    for (uint32_t i = 0; view && i < view->piece_count; ++i)
        if (view->pieces[i].variable == variable && view_piece(view, i).elements)
            return true;
    return false;
}

/* what: of a variable that is covered in part; kill: added when it is covered wholly and the program does not read it.
 */
static void write_view(struct view_sums *sums, const struct view *view, const struct view *source, uint8_t what,
                       access_fn fn, void *context)
{
    sums->variables.count = 0;
    for (uint32_t i = 0; view && i < view->piece_count; ++i) {
        struct piece piece = view_piece(view, i);
        if (!piece.elements)
            continue;
        if (!sums->elements[piece.variable])
            *vec_push(&sums->variables) = piece.variable;
        sums->elements[piece.variable] += piece.elements;
    }
    for (size_t i = 0; i < sums->variables.count; ++i) {
        uint32_t v = sums->variables.data[i];
        assert(sums->elements[v]);
        bool all = sums->elements[v] >= sums->store->variables.data[v].elements && !reads(source, v);
        sums->elements[v] = 0;
        if (what || all)
            fn(v, (uint8_t)(what | (all ? FLOW_KILL : 0)), context);
    }
}

void accesses_of_node(const struct compiler *c, struct view_sums *sums, const struct program_node *n, access_fn fn,
                      void *context)
{
    size_t inputs = n->kind == PROGRAM_CALL_HOST ? c->store->host_functions.data[n->object].input_count : 0;
    switch (n->kind) {
    case PROGRAM_EXECUTE: /* the consensus */
        write_view(sums, n->source, NULL, FLOW_WRITE, fn, context);
        return;
    case PROGRAM_WRITE_UNDEF:
        if (n->source && view_distinct(n->source))
            write_view(sums, n->source, NULL, 0, fn, context);
        return;
    case PROGRAM_CALL_HOST:
        for (size_t i = 0; i < inputs; ++i)
            read_view(sums, n->operands.data[i], fn, context);
        for (size_t i = inputs; i < n->operands.count; ++i)
            write_view(sums, n->operands.data[i], NULL, FLOW_WRITE, fn, context);
        return;
    default:
        read_view(sums, n->source, fn, context);
        read_view(sums, n->control, fn, context);
        write_view(sums, n->destination, n->source ? n->source : n->control, FLOW_WRITE, fn, context);
        return;
    }
}
