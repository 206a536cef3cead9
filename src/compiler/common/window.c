/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/common/window.h"

#include <assert.h>

/* A bucket's vertices are on few pages, and those of a window in a core's cache.  Few vertices stay where they are, and
 * so do those that mostly follow each other: a vertex is near the last one when it was created at most NEAR later, and
 * one in eight may be far. */
enum { BUCKETS = 1 << 12, NEAR = 16, FEW = 1 << 12 };

void window_init(struct window *window, const pop_store *store, const struct order_result *order,
                 const struct vertex_group *group, uint32_t share, struct owners *owners)
{
    assert(share && group->first + group->count <= order->count);
    *window = (struct window){ .store = store,
                               .order = order,
                               .last = group->first + group->count,
                               .owners = owners,
                               .capacity = WINDOW_MAX / share };
    if (window->capacity < WINDOW_MIN)
        window->capacity = WINDOW_MIN;
    if (window->capacity > group->count)
        window->capacity = (uint32_t)group->count;
}

void window_free(struct window *window)
{
    vec_free(&window->edges);
    vec_free(&window->homes);
    free(window->head);
    free(window->visit);
    free(window->bucket);
}

/* Which places come when, by the high bits of their vertices' indices. */
static void sort_places(struct window *window, uint32_t min, uint32_t max)
{
    const uint32_t *order = window->order->vertices + window->first;
    uint32_t count = (uint32_t)(window->end - window->first), shift = 0;
    assert(min <= max && count <= window->capacity);
    while ((max - min) >> shift >= BUCKETS)
        ++shift;
    memset(window->bucket, 0, (BUCKETS + 1) * sizeof(*window->bucket));
    for (uint32_t i = 0; i < count; ++i)
        ++window->bucket[((order[i] - min) >> shift) + 1];
    for (uint32_t b = 0; b < BUCKETS; ++b)
        window->bucket[b + 1] += window->bucket[b];
    for (uint32_t i = 0; i < count; ++i)
        window->visit[window->bucket[(order[i] - min) >> shift]++] = i;
}

/* The copy of a list is without gaps, the newest edge last; returns where that is. */
static uint32_t copy_list(struct window *window, const struct edge *edges, uint32_t first)
{
    uint32_t count = 0;
    for (uint32_t e = first; e != NO_EDGE; e = edge_next(edges, e))
        ++count;
    struct edge *copy = vec_extend(&window->edges, count) + count;
    uint32_t *home = window->owners ? vec_extend(&window->homes, count) + count : NULL;
    for (uint32_t e = first; e != NO_EDGE; e = edge_next(edges, e)) {
        *--copy = edges[e];
        copy->back = edges[e].back != 0;
        if (home)
            *--home = owners_edge(window->owners, copy);
    }
    return count ? (uint32_t)window->edges.count - 1 : NO_EDGE;
}

static void copy_edges(struct window *window)
{
    const pop_store *store = window->store;
    const uint32_t *order = window->order->vertices + window->first;
    uint64_t count = window->end - window->first;
    window->edges.count = window->homes.count = 0;
    for (uint64_t i = 0; i < count; ++i) {
        if (i + AHEAD_VERTEX < count)
            __builtin_prefetch(&store->vertices.data[order[window->visit[i + AHEAD_VERTEX]]]);
        if (i + AHEAD_EDGES < count)
            prefetch_list(store, store->vertices.data[order[window->visit[i + AHEAD_EDGES]]].edge);
        uint32_t place = window->visit[i];
        window->head[place] = copy_list(window, store->edges.data, store->vertices.data[order[place]].edge);
    }
}

void window_move(struct window *window, uint64_t place)
{
    assert(place >= window->end && place < window->last); /* precondition: ascending places */
    const uint32_t *vertices = window->order->vertices;
    uint32_t min = UINT32_MAX, max = 0;
    uint64_t far = 0;
    window->first = place;
    window->end = window->last - place > window->capacity ? place + window->capacity : window->last;
    for (uint64_t i = window->first; i < window->end; ++i) {
        far += i > window->first && vertices[i] - vertices[i - 1] > NEAR; /* one that was created before is far too */
        min = vertices[i] < min ? vertices[i] : min;
        max = vertices[i] > max ? vertices[i] : max;
    }
    window->direct = window->end - window->first < FEW || far < (window->end - window->first) / 8;
    if (window->direct)
        return;
    if (!window->head) {
        window->head = mem_alloc(window->capacity * sizeof(*window->head));
        window->visit = mem_alloc(window->capacity * sizeof(*window->visit));
        window->bucket = mem_alloc((BUCKETS + 1) * sizeof(*window->bucket));
    }
    sort_places(window, min, max);
    copy_edges(window);
}
