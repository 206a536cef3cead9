/* SPDX-License-Identifier: Apache-2.0 */
/* The edges of a group's vertices in the order in which they run.  That order is by tile; if vertices were created in
 * another order, each edge would be on a different page. So some tens of thousands of vertices at a time are visited in
 * memory order, and their edges are copied into execution order. */
#ifndef COMPILER_COMMON_WINDOW_H
#define COMPILER_COMMON_WINDOW_H

#include "compiler/common/owners.h"
#include "compiler/common/prefetch.h"

struct window {
    const pop_store *store;
    const struct order_result *order;
    uint64_t last;            /* end of the group's places in order->vertices */
    uint32_t capacity;        /* in vertices */
    uint64_t first, end;      /* places of order->vertices that it holds */
    bool direct;              /* they are close to each other where they are */
    VEC(struct edge) edges;   /* copies */
    struct owners *owners;    /* NULL: homes are not computed */
    VEC(uint32_t) homes;      /* by edge: owners_edge, looked up together with those of neighbours */
    uint32_t *head;           /* by place - first: the vertex's first edge, or NO_EDGE */
    uint32_t *visit, *bucket; /* places - first by where their vertices are, roughly */
};
/* Edges of one vertex: for (uint32_t e = list.first; e != NO_EDGE; e = edge_next(list.edges, e)).  Good until another
 * is asked for. */
struct edge_list {
    const struct edge *edges;
    uint32_t first;
    const uint32_t *homes; /* NULL: not known */
};
enum { WINDOW_MAX = 1 << 16, WINDOW_MIN = 1 << 12 };
/* share: of how many windows that are open at once.  owners may be NULL. */
void window_init(struct window *window, const pop_store *store, const struct order_result *order,
                 const struct vertex_group *group, uint32_t share, struct owners *owners);
void window_free(struct window *window);
void window_move(struct window *window, uint64_t place);

/* The edges of the vertex at a place of order->vertices; a group's places must be requested in ascending order. */
static inline struct edge_list window_edges(struct window *window, uint64_t place)
{
    const pop_store *store = window->store;
    if (place >= window->end)
        window_move(window, place);
    if (window->direct) {
        prefetch_edges(store, window->order, place);
        return (struct edge_list){ store->edges.data, store->vertices.data[window->order->vertices[place]].edge, NULL };
    }
    if (place + AHEAD_EDGES < window->end && window->head[place + AHEAD_EDGES - window->first] != NO_EDGE)
        __builtin_prefetch(&window->edges.data[window->head[place + AHEAD_EDGES - window->first]]);
    if (store->views.count && place + AHEAD_VIEWS < window->end)
        prefetch_views(store, window->edges.data, window->head[place + AHEAD_VIEWS - window->first]);
    return (struct edge_list){ window->edges.data, window->head[place - window->first], window->homes.data };
}

/* Edges of the vertex AHEAD_VIEWS later, for prefetching; empty if outside of the window. */
static inline struct edge_list window_ahead(const struct window *window, uint64_t place)
{
    bool known = !window->direct && place + AHEAD_VIEWS < window->end;
    return (struct edge_list){ window->edges.data, known ? window->head[place + AHEAD_VIEWS - window->first] : NO_EDGE,
                               window->homes.data };
}

#endif
