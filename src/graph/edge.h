/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes struct edge by its form (enum edge_form); no other file does.  Edges of a vertex, the newest first:  for
 * (uint32_t e = vertex->edge; e != NO_EDGE; e = edges[e].next) */
#ifndef GRAPH_EDGE_H
#define GRAPH_EDGE_H

#include "graph/store.h"
#include "graph/view_keep.h"

#include <assert.h>

/* Of a RUN, LIST or DATA edge: of its elements in the variable, of its rows in store->edges, of its bytes in
 * store->data. */
static inline uint64_t edge_offset(const struct edge *edge)
{
    return (uint64_t)edge->offset_high << 32 | edge->offset;
}
static inline void edge_set_offset(struct edge *edge, uint64_t offset)
{
    assert(offset >> 40 == 0);
    edge->offset = (uint32_t)offset;
    edge->offset_high = (uint8_t)(offset >> 32);
}

/* RUN: elements of a variable. */
static inline struct run edge_run(const struct edge *edge)
{
    assert(edge->form == EDGE_RUN);
    return (struct run){ edge->variable, edge_offset(edge), edge->count };
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
    return &store->edges.data[edge_offset(list) + row];
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
    assert(edge->form == EDGE_DATA && edge_offset(edge) <= store->data.count);
    return store->data.data + edge_offset(edge);
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
