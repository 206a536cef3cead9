/* SPDX-License-Identifier: Apache-2.0 */
/* Most sets write their variables from the first element to the last and read others, which one walk over their edges
 * shows without a bit for each element. Threads take parts of sets; what those of a large set touch is joined in
 * order. */
#include "compiler/check/check.h"
#include "compiler/common/edges.h"
#include "compiler/common/prefetch.h"
#include "compiler/common/set_parts.h"

#include "base/pool.h"

#include <assert.h>
#include <stdatomic.h>

/* What a part does with a variable; written elements are [begin, end). */
struct last_touch {
    uint32_t part; /* index + 1 of the part that it describes */
    bool written;
    uint64_t begin, end;
};
struct touched {
    uint32_t variable;
    bool written;
    uint64_t begin, end;
};
typedef VEC(struct touched) touched_list;
struct walker {
    struct last_touch *marks; /* by variable */
    VEC(uint32_t) variables;  /* that the part touches */
    uint32_t part;            /* index + 1 */
    bool writes;              /* the current edge does */
};
struct ascending {
    struct compiler *c;
    const struct order_result *sets;
    set_part_list parts;
    touched_list *touched; /* one list per part that is only a part of its set */
    bool *good;            /* by part */
    struct walker *walkers;
    unsigned threads;
    atomic_size_t next; /* part to take */
};

static bool touch(struct walker *w, uint32_t variable, bool writes, uint64_t begin, uint64_t end)
{
    struct last_touch *mark = &w->marks[variable];
    if (mark->part != w->part) {
        *mark = (struct last_touch){ w->part, writes, begin, end };
        *vec_push(&w->variables) = variable;
        return true;
    }
    if (!writes || !mark->written)
        return writes == mark->written;
    bool ascends = begin >= mark->end;
    mark->end = end;
    return ascends;
}

static bool touch_run(const struct run *run, void *context)
{
    struct walker *w = context;
    return touch(w, run->variable, w->writes, run->offset, run->offset + run->count);
}

static bool touch_vertex(struct walker *w, const struct compiler *c, uint32_t vertex)
{
    const pop_store *store = c->store;
    const struct vertex *v = &store->vertices.data[vertex];
    const struct codelet *codelet = vertex_codelet(c, v);
    for (uint32_t e = v->edge; e != NO_EDGE; e = edge_next(store->edges.data, e)) {
        const struct edge *edge = &store->edges.data[e];
        uint8_t direction = codelet->fields[edge->field].direction;
        w->writes = direction != FIELD_INPUT;
        if (direction != FIELD_STATE && !edge_each_run(store, edge, touch_run, w))
            return false;
    }
    return true;
}

static bool touch_part(struct ascending *a, struct walker *w, size_t index)
{
    const struct set_part *part = &a->parts.data[index];
    w->part = (uint32_t)index + 1;
    w->variables.count = 0;
    for (uint64_t i = part->first; i < part->first + part->count; ++i) {
        prefetch_edges(a->c->store, a->sets, i);
        if (!touch_vertex(w, a->c, a->sets->vertices[i]))
            return false;
    }
    for (size_t i = 0; i < w->variables.count && !part->whole; ++i) {
        const struct last_touch *mark = &w->marks[w->variables.data[i]];
        *vec_push(&a->touched[index]) = (struct touched){ w->variables.data[i], mark->written, mark->begin, mark->end };
    }
    return true;
}

static void take_parts(void *context, uint32_t thread)
{
    struct ascending *a = context;
    struct walker walker = a->walkers[thread]; /* on no cache line of another thread */
    for (size_t i; (i = atomic_fetch_add(&a->next, 1)) < a->parts.count;)
        a->good[i] = touch_part(a, &walker, i);
    a->walkers[thread] = walker;
}

/* A set is good if its parts are, one after another. */
static void join_parts(struct ascending *a, bool *good)
{
    struct walker *w = a->walkers;
    for (size_t i = 0; i < a->parts.count; ++i) {
        uint32_t set = a->parts.data[i].set;
        if (!i || a->parts.data[i - 1].set != set)
            w->part = (uint32_t)(a->parts.count + i + 1); /* no part's */
        good[set] = good[set] && a->good[i];
        for (size_t t = 0; t < a->touched[i].count && good[set]; ++t) {
            const struct touched *touched = &a->touched[i].data[t];
            good[set] = touch(w, touched->variable, touched->written, touched->begin, touched->end);
        }
        vec_free(&a->touched[i]);
    }
}

bool *ascending_sets(struct compiler *c, const struct order_result *sets)
{
    bool *good = mem_alloc(sets->sets.count * sizeof(*good));
    memset(good, true, sets->sets.count * sizeof(*good));
    unsigned threads = compiler_threads(c);
    struct ascending a = { .c = c, .sets = sets, .threads = threads };
    set_parts_list(&a.parts, sets);
    assert(a.parts.count < UINT32_MAX / 2); /* vertices are */
    a.touched = mem_zero(a.parts.count, sizeof(*a.touched));
    a.good = mem_zero(a.parts.count, sizeof(*a.good));
    a.walkers = mem_zero(threads, sizeof(*a.walkers));
    for (unsigned i = 0; i < threads; ++i)
        a.walkers[i].marks = mem_lines(c->store->variables.count, sizeof(*a.walkers->marks));
    pool_run(c->pool, threads, take_parts, &a);
    join_parts(&a, good);
    for (unsigned i = 0; i < threads; ++i) {
        vec_free(&a.walkers[i].variables);
        free(a.walkers[i].marks);
    }
    free(a.walkers);
    free(a.good);
    free(a.touched);
    vec_free(&a.parts);
    return good;
}
