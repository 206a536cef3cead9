/* SPDX-License-Identifier: Apache-2.0 */
/* What sets and programs read and write, by variable. Threads collect the accesses of sets, or of parts of large ones;
 * lists are joined in the order of sets. */
#include "compiler/common/edges.h"
#include "compiler/common/owners.h"
#include "compiler/common/prefetch.h"
#include "compiler/common/runs.h"
#include "compiler/common/set_parts.h"
#include "compiler/liveness/live.h"
#include "compiler/liveness/liveness.h"

#include "base/pool.h"

#include <assert.h>
#include <stdatomic.h>

/* Where a part's access of a variable is. */
struct access_place {
    uint32_t part; /* index + 1 of the part that it describes */
    uint32_t index;
};
/* What a thread needs to collect the accesses of one part after another. */
struct collect {
    const struct compiler *c;
    struct owners owners;
    struct access_place *marks; /* by variable */
    uint32_t *alignment;        /* by variable, as in struct live */
    bool *interleaved;
    uint32_t *last_tile; /* by variable: of the last constant_tile */
    VEC(struct constant_tile) constants;
    set_access_list *to; /* the part's */
    uint32_t part;       /* index + 1 */
    uint32_t tile, set;
    const struct codelet_field *field;
    bool exchanges; /* the set's plan has an exchange */
};
struct collecting {
    struct compiler *c;
    const struct live_inputs *in;
    set_part_list parts;
    set_access_list *lists; /* by part */
    struct collect *threads;
    unsigned thread_count;
    atomic_size_t next; /* part to take */
};

/* Good until the next one is asked for. */
static struct set_access *find(struct collect *k, uint32_t variable)
{
    struct access_place *mark = &k->marks[variable];
    if (mark->part != k->part) {
        *mark = (struct access_place){ k->part, (uint32_t)k->to->count };
        *vec_push(k->to) = (struct set_access){ .set = k->set, .variable = variable };
    }
    return &k->to->data[mark->index];
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
    if (k->field->alignment > k->alignment[variable])
        k->alignment[variable] = k->field->alignment;
    k->interleaved[variable] |= k->field->interleaved;
    if (k->owners.home[variable] == HOME_EVERYWHERE && k->last_tile[variable] != k->tile) {
        *vec_push(&k->constants) = (struct constant_tile){ variable, k->tile };
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

static bool exchanges(const struct step_plan *plan)
{
    return plan->exchange_before != NONE || plan->exchange_after != NONE || plan->global_before != NONE ||
           plan->global_after != NONE;
}

static void collect_part(struct collecting *all, struct collect *k, size_t index)
{
    const pop_store *store = all->c->store;
    const struct order_result *sets = all->in->sets;
    const struct set_part *part = &all->parts.data[index];
    k->part = (uint32_t)index + 1;
    k->set = part->set;
    k->to = &all->lists[index];
    k->exchanges = exchanges(&all->in->exchange->of_set[part->set]);
    for (uint64_t i = part->first; i < part->first + part->count; ++i) {
        const struct vertex *v = &store->vertices.data[sets->vertices[i]];
        const struct codelet *codelet = store->types.data[v->type].codelet;
        prefetch_edges(store, sets, i);
        k->tile = v->tile;
        for (uint32_t e = v->edge; e != NO_EDGE; e = edge_next(store->edges.data, e)) {
            k->field = &codelet->fields[store->edges.data[e].field];
            if (k->field->direction != FIELD_STATE)
                add_edge(k, &store->edges.data[e]);
        }
    }
}

static void collect_init(struct collect *k, const struct collecting *all)
{
    const pop_store *store = all->c->store;
    size_t variables = store->variables.count;
    k->c = all->c;
    owners_init(&k->owners, store, all->in->check);
    k->marks = mem_lines(variables, sizeof(*k->marks));
    k->alignment = mem_lines(variables, sizeof(*k->alignment));
    k->interleaved = mem_lines(variables, sizeof(*k->interleaved));
    k->last_tile = mem_lines(variables + 1, sizeof(*k->last_tile));
    memset(k->last_tile, 0xff, variables * sizeof(*k->last_tile));
}

static void collect_parts(void *context, uint32_t thread)
{
    struct collecting *all = context;
    struct collect k = all->threads[thread]; /* on no cache line of another thread */
    for (size_t i; (i = atomic_fetch_add(&all->next, 1)) < all->parts.count;) {
        if (!k.c)
            collect_init(&k, all);
        collect_part(all, &k, i);
    }
    all->threads[thread] = k;
}

/* What threads know of variables, into `live`. */
static void join_threads(struct collecting *all, struct live *live)
{
    size_t variables = all->c->store->variables.count;
    for (unsigned t = 0; t < all->thread_count; ++t) {
        struct collect *k = &all->threads[t];
        if (!k->c)
            continue;
        for (size_t v = 0; v < variables; ++v) {
            live->alignment[v] = k->alignment[v] > live->alignment[v] ? k->alignment[v] : live->alignment[v];
            live->interleaved[v] |= k->interleaved[v];
        }
        if (k->constants.count)
            memcpy(vec_extend(&live->constants, k->constants.count), k->constants.data,
                   k->constants.count * sizeof(*k->constants.data));
        vec_free(&k->constants);
        free(k->alignment);
        free(k->interleaved);
        free(k->last_tile);
        owners_free(&k->owners);
    }
    sort_constants(live);
}

/* Accesses of a part after those of parts of the same set, each variable once. */
static void join_part(set_access_list *to, const set_access_list *part, struct access_place *marks, uint32_t mark)
{
    for (size_t i = 0; i < part->count; ++i) {
        const struct set_access *a = &part->data[i];
        if (marks[a->variable].part != mark) {
            marks[a->variable] = (struct access_place){ mark, (uint32_t)to->count };
            *vec_push(to) = *a;
            continue;
        }
        to->data[marks[a->variable].index].what |= a->what;
        to->data[marks[a->variable].index].written += a->written;
    }
}

/* The lists of parts, which are in the order of sets, as one. */
static void join_parts(struct collecting *all, struct set_accesses *to)
{
    size_t sets = all->in->sets->sets.count, part = 0, count = 0;
    struct access_place *marks = NULL; /* of a thread that took a part */
    for (unsigned t = 0; t < all->thread_count && !marks; ++t)
        marks = all->threads[t].marks;
    for (size_t i = 0; i < all->parts.count; ++i)
        count += all->lists[i].count;
    vec_reserve(&to->list, count);
    to->first = mem_alloc((sets + 1) * sizeof(*to->first));
    for (uint32_t s = 0; s <= sets; ++s) {
        to->first[s] = to->list.count;
        uint32_t mark = (uint32_t)(all->parts.count + part + 1); /* no part's */
        for (; part < all->parts.count && all->parts.data[part].set == s; ++part) {
            set_access_list *list = &all->lists[part];
            if (!all->parts.data[part].whole)
                join_part(&to->list, list, marks, mark);
            else if (list->count)
                memcpy(vec_extend(&to->list, list->count), list->data, list->count * sizeof(*list->data));
            vec_free(list);
        }
    }
}

/* Without an exchange all is on its tile; and what kills. */
static void finish(struct collecting *all, struct set_accesses *to)
{
    const pop_store *store = all->c->store;
    for (size_t i = 0; i < to->list.count; ++i) {
        struct set_access *a = &to->list.data[i];
        const struct step_plan *plan = &all->in->exchange->of_set[a->set];
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

void accesses_of_sets(struct compiler *c, const struct live_inputs *in, struct live *live,
                      struct set_accesses *accesses)
{
    struct collecting all = { .c = c, .in = in };
    all.thread_count = compiler_threads(c);
    set_parts_list(&all.parts, in->sets);
    assert(all.parts.count < UINT32_MAX / 2); /* vertices are */
    all.lists = mem_zero(all.parts.count, sizeof(*all.lists));
    all.threads = mem_zero(all.thread_count, sizeof(*all.threads));
    pool_run(c->pool, all.thread_count, collect_parts, &all);
    join_threads(&all, live);
    join_parts(&all, accesses);
    finish(&all, accesses);
    for (unsigned t = 0; t < all.thread_count; ++t)
        free(all.threads[t].marks);
    free(all.threads);
    free(all.lists);
    vec_free(&all.parts);
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
