/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes struct edge by its form (enum edge_form); no other file does.  Edges of a vertex, the newest first:  for
 * (uint32_t e = vertex->edge; e != NO_EDGE; e = edge_next(edges, e)) */
#ifndef GRAPH_VIEW_EDGE_H
#define GRAPH_VIEW_EDGE_H

#include "graph/store/store.h"
#include "graph/view/view.h"

#include <assert.h>

/* In a vertex's list; NO_EDGE ends it. */
static inline uint32_t edge_next(const struct edge *edges, uint32_t edge)
{
    assert(edges[edge].form != EDGE_LINK);
    if (!edges[edge].back)
        return NO_EDGE;
    edge -= edges[edge].back;
    return edges[edge].form == EDGE_LINK ? edges[edge].variable : edge;
}
/* Adds an edge, or two, before a list, which may be NO_EDGE; returns the new first one. */
uint32_t edge_add(pop_store *store, uint32_t list, struct edge edge);

/* RUN: elements of a variable. */
static inline struct run edge_run(const struct edge *edge)
{
    assert(edge->form == EDGE_RUN);
    return (struct run){ edge->variable, edge->offset, edge->count };
}

/* VIEW. */
static inline const struct view *edge_view(const pop_store *store, const struct edge *edge)
{
    assert(edge->form == EDGE_VIEW && edge->variable < store->views.count);
    return store->views.data[edge->variable];
}

/* LIST: a row, valid until edges are added. */
static inline struct edge *edge_row(const pop_store *store, const struct edge *list, uint64_t row)
{
    assert(list->form == EDGE_LIST && row < list->count);
    return &store->edges.data[list->offset + row];
}

/* VALUE: the bits of scalar state, its first bytes at any size. */
static inline uint64_t edge_value(const struct edge *edge)
{
    assert(edge->form == EDGE_VALUE);
    return (uint64_t)edge->count << 32 | edge->variable;
}
static inline void edge_set_value(struct edge *edge, uint64_t bits)
{
    edge->form = EDGE_VALUE;
    edge->variable = (uint32_t)bits;
    edge->count = (uint32_t)(bits >> 32);
}

/* DATA: what vector state starts as. */
static inline const unsigned char *edge_data(const pop_store *store, const struct edge *edge)
{
    uint64_t offset = (uint64_t)edge->variable << 32 | edge->offset;
    assert(edge->form == EDGE_DATA && offset <= store->data.count);
    return store->data.data + offset;
}
static inline void edge_set_data(struct edge *edge, uint64_t offset, uint32_t count)
{
    edge->form = EDGE_DATA;
    edge->variable = (uint32_t)(offset >> 32);
    edge->offset = (uint32_t)offset;
    edge->count = count;
}

/* Elements of a RUN or VIEW edge, or of vector state; rows of a LIST. */
static inline uint64_t edge_elements(const pop_store *store, const struct edge *edge)
{
    return edge->form == EDGE_VIEW ? edge_view(store, edge)->elements : edge->count;
}

/* True, and *run, when a RUN or VIEW edge is one run or empty. */
static inline bool edge_single_run(const pop_store *store, const struct edge *edge, struct run *run)
{
    if (edge->form != EDGE_RUN)
        return view_single_run(edge_view(store, edge), run);
    *run = edge_run(edge);
    return true;
}

/* Runs of what an edge is connected to, the rows of a list in order; none for state. */
bool edge_each_run(const pop_store *store, const struct edge *edge, run_fn fn, void *context);

#endif
