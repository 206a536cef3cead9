/* SPDX-License-Identifier: Apache-2.0 */
/* The traffic of a set is found by one thread, tile by tile. That of a large set without any is known from a walk over
 * its vertices in the order of creation, which threads share. */
#include "compiler/common/edges.h"
#include "compiler/common/prefetch.h"
#include "compiler/common/set_parts.h"
#include "compiler/exchange/exchange.h"

#include "base/pool.h"

#include <stdatomic.h>

struct local_search {
    struct compiler *c;
    const struct order_result *sets;
    struct traffic *threads;
    set_part_list parts;
    atomic_bool *remote; /* by set */
    atomic_size_t next;  /* part to take */
};

static bool edge_is_local(struct owners *owners, const struct edge *edge, uint32_t tile)
{
    if (edge->form == EDGE_LIST) {
        for (uint64_t i = 0; i < edge->count; ++i)
            if (!edge_is_local(owners, edge_row(owners->store, edge, i), tile))
                return false;
        return true;
    }
    uint32_t home = owners_edge(owners, edge);
    return home == tile || home == HOME_EVERYWHERE;
}

static bool vertex_is_local(const struct local_search *s, struct owners *owners, uint32_t vertex)
{
    const pop_store *store = s->c->store;
    const struct vertex *v = &store->vertices.data[vertex];
    const struct codelet *codelet = vertex_codelet(s->c, v);
    for (uint32_t e = v->edge; e != NO_EDGE; e = edge_next(store->edges.data, e)) {
        const struct edge *edge = &store->edges.data[e];
        if (codelet->fields[edge->field].direction != FIELD_STATE && !edge_is_local(owners, edge, v->tile))
            return false;
    }
    return true;
}

static void search_parts(void *context, uint32_t thread)
{
    struct local_search *s = context;
    struct owners *owners = &s->threads[thread].owners;
    for (size_t p; (p = atomic_fetch_add(&s->next, 1)) < s->parts.count;) {
        const struct set_part *part = &s->parts.data[p];
        bool local = !part->whole && !atomic_load(&s->remote[part->set]);
        for (uint64_t i = part->first; local && i < part->first + part->count; ++i) {
            prefetch_edges(s->c->store, s->sets, i);
            local = vertex_is_local(s, owners, s->sets->vertices[i]);
        }
        if (!local)
            atomic_store(&s->remote[part->set], true);
    }
}

bool *local_sets(struct compiler *c, const struct order_result *sets, struct traffic *threads, unsigned count)
{
    struct local_search s = { .c = c, .sets = sets, .threads = threads };
    bool *local = mem_zero(sets->sets.count, sizeof(*local));
    s.remote = mem_zero(sets->sets.count, sizeof(*s.remote));
    set_parts_list(&s.parts, sets);
    pool_run(c->pool, count, search_parts, &s);
    for (size_t i = 0; i < sets->sets.count; ++i)
        local[i] = sets->sets.data[i].count && !atomic_load(&s.remote[i]);
    vec_free(&s.parts);
    free(s.remote);
    return local;
}
