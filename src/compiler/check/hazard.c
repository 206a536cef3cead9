/* SPDX-License-Identifier: Apache-2.0 */
/* hazard: checks that within a compute set no element is written twice, and no vertex reads what another one writes, so
 * that the host can run vertices in place on the variables' storage, in any order. Uses one bit per element of the
 * variables that a set writes, unless a glance shows that it has no hazard (ascending.c). */
#include "compiler/check/check.h"
#include "compiler/common/edges.h"
#include "compiler/common/prefetch.h"

#include <assert.h>
#include <stdio.h>

/* Elements of a variable that the current set writes. */
struct written {
    uint32_t set; /* index + 1 of the set that it describes; for other sets the bits need not be read */
    uint64_t begin, end;
};
struct hazard {
    struct compiler *c;
    const struct order_result *sets;
    struct written *written; /* by variable */
    VEC(uint32_t) variables; /* that the current set writes */
    uint32_t set;            /* index + 1 */
    uint64_t runs;           /* that it writes */
    struct run culprit;
    uint32_t vertex;
    const struct edge *edge;
};

static uint64_t *bits_of(const struct hazard *h, uint32_t variable)
{
    return bitmaps_get(&h->c->bits, variable, h->c->store->variables.data[variable].elements);
}

static bool write_run(const struct run *run, void *context)
{
    struct hazard *h = context;
    assert(run->variable < h->c->store->variables.count && run->count);
    struct written *written = &h->written[run->variable];
    uint64_t end = run->offset + run->count;
    if (written->set != h->set) {
        *written = (struct written){ h->set, run->offset, end };
        *vec_push(&h->variables) = run->variable;
    }
    written->begin = run->offset < written->begin ? run->offset : written->begin;
    written->end = end > written->end ? end : written->end;
    ++h->runs;
    if (bits_set(bits_of(h, run->variable), run->offset, run->offset + run->count) == run->count)
        return true;
    h->culprit = *run;
    return false;
}

static bool clear_run(const struct run *run, void *context)
{
    const struct hazard *h = context;
    bits_clear(bits_of(h, run->variable), run->offset, run->offset + run->count);
    return true;
}

static bool set_run(const struct run *run, void *context)
{
    const struct hazard *h = context;
    bits_set(bits_of(h, run->variable), run->offset, run->offset + run->count);
    return true;
}

/* False when some element of a run is written in the set. */
static bool read_run(const struct run *run, void *context)
{
    struct hazard *h = context;
    if (h->written[run->variable].set != h->set ||
        !bits_any(bits_of(h, run->variable), run->offset, run->offset + run->count))
        return true;
    h->culprit = *run;
    return false;
}

/* Applies fn to the edges of h->vertex: those that only read, or those that write. */
static bool each_edge_of(struct hazard *h, bool writes, run_fn fn, void *context)
{
    const pop_store *store = h->c->store;
    const struct vertex *v = &store->vertices.data[h->vertex];
    const struct codelet *codelet = vertex_codelet(h->c, v);
    for (uint32_t e = v->edge; e != NO_EDGE; e = edge_next(store->edges.data, e)) {
        uint8_t direction = codelet->fields[store->edges.data[e].field].direction;
        if (direction == FIELD_STATE || (direction == FIELD_INPUT) == writes)
            continue;
        h->edge = &store->edges.data[e];
        if (!edge_each_run(store, h->edge, fn, context))
            return false;
    }
    return true;
}
static bool each_edge(struct hazard *h, uint32_t vertex, bool writes, run_fn fn)
{
    h->vertex = vertex;
    return each_edge_of(h, writes, fn, h);
}

/* Whether the failing edge alone writes some element twice. */
static bool edge_aliases(struct hazard *h)
{
    struct bitmaps shared = h->c->bits;
    bitmaps_init(&h->c->bits, shared.count);
    struct run culprit = h->culprit;
    bool aliases = !edge_each_run(h->c->store, h->edge, write_run, h);
    h->culprit = culprit;
    bitmaps_free(&h->c->bits);
    h->c->bits = shared;
    return aliases;
}

/* Another vertex that writes elements of the culprit, and the first run of those. */
struct other {
    struct run culprit, overlap;
    bool found;
};
static bool find_overlap(const struct run *run, void *context)
{
    struct other *o = context;
    uint64_t begin = run->offset > o->culprit.offset ? run->offset : o->culprit.offset, end = run->offset + run->count,
             last = o->culprit.offset + o->culprit.count;
    end = end < last ? end : last;
    o->found = run->variable == o->culprit.variable && begin < end;
    if (o->found)
        o->overlap = (struct run){ .variable = run->variable, .offset = begin, .count = end - begin };
    return !o->found;
}

/* Adds to the error which vertex the failing one meets, and what to do. */
static void note_other(struct hazard *h, const struct used_set *set, uint32_t failing)
{
    struct compiler *c = h->c;
    struct other other = { .culprit = h->culprit };
    struct hazard search = *h;
    for (uint64_t i = 0; i < set->count && !other.found; ++i) {
        search.vertex = h->sets->vertices[set->first + i];
        if (search.vertex != failing)
            each_edge_of(&search, true, find_overlap, &other);
    }
    if (!other.found) {
        error_note(c->error, "another output field of the same vertex has them: connect each element to one of them");
        return;
    }
    const struct vertex *v = &c->store->vertices.data[search.vertex];
    const struct codelet *codelet = vertex_codelet(c, v);
    pop_where where = c->store->wheres.data[v->where];
    unsigned long long begin = other.overlap.offset, end = begin + other.overlap.count;
    char place[300] = "";
    if (where.file)
        snprintf(place, sizeof(place), ", added at %s:%d,", where.file, where.line);
    error_note(c->error,
               "vertex %s on tile %u%s writes [%llu:%llu) through its field %s; the first one is on tile %u\n"
               "let vertices of a compute set write different elements, or put one of the two into another compute set",
               codelet->name, v->tile, place, begin, end, codelet->fields[search.edge->field].name,
               c->store->vertices.data[failing].tile);
}

static bool fail(struct hazard *h, const struct used_set *set, bool writes)
{
    struct compiler *c = h->c;
    const struct vertex *v = &c->store->vertices.data[h->vertex];
    const struct codelet *codelet = vertex_codelet(c, v);
    const char *field = codelet->fields[h->edge->field].name;
    unsigned long long begin = h->culprit.offset, end = begin + h->culprit.count;
    if (writes && edge_aliases(h))
        return compiler_fail_vertex(
            c, POP_GRAPH_CONNECTION_ERROR, h->vertex,
            "field %s.%s writes to elements [%llu:%llu) of variable '%s' more than once: the tensor holds aliases",
            codelet->name, field, begin, end, variable_name(c, h->culprit.variable));
    pop_where where = c->store->wheres.data[v->where];
    char place[300] = "";
    if (where.file)
        snprintf(place, sizeof(place), "%s:%d ", where.file, where.line);
    compiler_fail_vertex(
        c, POP_GRAPH_CYCLE_ERROR, h->vertex,
        "%sField %s.%s %s elements [%llu:%llu) of variable '%s' that are written to elsewhere in same compute set",
        place, codelet->name, field, writes ? "writes to" : "reads from", begin, end,
        variable_name(c, h->culprit.variable));
    note_other(h, set, h->vertex);
    return false;
}

/* A vertex may read elements that it writes itself, so its own bits are cleared while its reads are checked. */
static bool check_reads(struct hazard *h, uint32_t vertex)
{
    if (each_edge(h, vertex, false, read_run))
        return true;
    each_edge(h, vertex, true, clear_run);
    bool good = each_edge(h, vertex, false, read_run);
    const struct edge *edge = h->edge;
    each_edge(h, vertex, true, set_run);
    h->edge = edge;
    return good;
}

/* Clears the set's bits: the whole range between the first and the last one if that is less work than clearing run by
 * run. */
static void clear_set(struct hazard *h, const struct used_set *set)
{
    assert(set->first + set->count <= h->sets->count);
    uint64_t words = 0;
    for (size_t i = 0; i < h->variables.count; ++i)
        words += (h->written[h->variables.data[i]].end - h->written[h->variables.data[i]].begin) / 64;
    if (words / 8 <= h->runs)
        for (size_t i = 0; i < h->variables.count; ++i)
            bits_clear(bits_of(h, h->variables.data[i]), h->written[h->variables.data[i]].begin,
                       h->written[h->variables.data[i]].end);
    else
        for (uint64_t i = 0; i < set->count; ++i)
            each_edge(h, h->sets->vertices[set->first + i], true, clear_run);
    h->variables.count = h->runs = 0;
}

static bool check_set(struct hazard *h, const struct used_set *set)
{
    assert(!h->variables.count && !h->runs); /* of the set before */
    const uint32_t *order = h->sets->vertices + set->first;
    for (uint64_t i = 0; i < set->count; ++i) {
        prefetch_edges(h->c->store, h->sets, set->first + i);
        if (!each_edge(h, order[i], true, write_run))
            return fail(h, set, true);
    }
    for (uint64_t i = 0; i < set->count; ++i) {
        prefetch_edges(h->c->store, h->sets, set->first + i);
        if (!check_reads(h, order[i]))
            return fail(h, set, false);
    }
    clear_set(h, set);
    return true;
}

bool pass_hazard(struct compiler *c, const struct order_result *sets)
{
    struct hazard h = { .c = c, .sets = sets };
    bool good = true, *ascending = ascending_sets(c, sets);
    for (uint32_t s = 0; good && s < sets->sets.count; ++s) {
        if (ascending[s])
            continue;
        if (!h.written)
            h.written = mem_zero(c->store->variables.count, sizeof(*h.written));
        h.set = s + 1;
        good = check_set(&h, &sets->sets.data[s]);
    }
    vec_free(&h.variables);
    free(h.written);
    free(ascending);
    return good;
}
