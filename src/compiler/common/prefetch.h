/* SPDX-License-Identifier: Apache-2.0 */
/* Software prefetching of the vertices, edges and views that follow vertex i of an order: in tile order they are far
 * apart in memory unless they were created in that order, and cache misses would dominate.
 *
 * Always inline: gcc removes calls of a function that only prefetches, as it has no effect. */
#ifndef COMPILER_COMMON_PREFETCH_H
#define COMPILER_COMMON_PREFETCH_H

#include "compiler/common/compiler.h"
#include "graph/view/edge.h"

/* Prefetch distances in vertices: each stage uses what the previous one fetched. */
enum { AHEAD_VIEWS = 4, AHEAD_EDGES = 8, AHEAD_VERTEX = 16 };
#define PREFETCH_INLINE static inline __attribute__((always_inline))

PREFETCH_INLINE void prefetch_vertex(const pop_store *store, const struct order_result *order, uint64_t i)
{
    if (i + AHEAD_VERTEX < order->count)
        __builtin_prefetch(&store->vertices.data[order->vertices[i + AHEAD_VERTEX]]);
}

/* Views that the first few edges of a list name. */
PREFETCH_INLINE void prefetch_views(const pop_store *store, const struct edge *edges, uint32_t e)
{
    for (unsigned few = 0; few < 4 && e != NO_EDGE; ++few, e = edge_next(edges, e))
        if (edges[e].form == EDGE_VIEW) {
            const struct view *view = edge_view(store, &edges[e]);
            __builtin_prefetch(view);
            __builtin_prefetch(view + 1);
        }
}

/* The first few edges of a list; the newest is first, and older ones before it in memory. */
PREFETCH_INLINE void prefetch_list(const pop_store *store, uint32_t edge)
{
    if (edge == NO_EDGE)
        return;
    __builtin_prefetch(&store->edges.data[edge]);
    __builtin_prefetch(&store->edges.data[edge > 2 ? edge - 2 : 0]);
}

PREFETCH_INLINE void prefetch_edges(const pop_store *store, const struct order_result *order, uint64_t i)
{
    prefetch_vertex(store, order, i);
    if (i + AHEAD_EDGES >= order->count)
        return;
    prefetch_list(store, store->vertices.data[order->vertices[i + AHEAD_EDGES]].edge);
    if (store->views.count)
        prefetch_views(store, store->edges.data, store->vertices.data[order->vertices[i + AHEAD_VIEWS]].edge);
}

#endif
