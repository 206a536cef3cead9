/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/view/edge.h"
#include "graph/view/view.h"

uint32_t edge_add(pop_store *store, uint32_t list, struct edge edge)
{
    assert(list == NO_EDGE || (list < store->edges.count && store->edges.data[list].form != EDGE_LINK));
    uint32_t index = (uint32_t)store->edges.count;
    edge.back = 0;
    if (list != NO_EDGE && index - list > EDGE_BACK_MAX) {
        *vec_push(&store->edges) = (struct edge){ .variable = list, .form = EDGE_LINK };
        list = index++;
    }
    if (list != NO_EDGE)
        edge.back = (uint16_t)((index - list) & EDGE_BACK_MAX);
    *vec_push(&store->edges) = edge;
    return index;
}

bool edge_each_run(const pop_store *store, const struct edge *edge, run_fn fn, void *context)
{
    switch (edge->form) {
    case EDGE_RUN: {
        struct run run = edge_run(edge);
        assert(run.offset + run.count <= store->variables.data[run.variable].elements);
        return !run.count || fn(&run, context);
    }
    case EDGE_VIEW:
        return view_each_run(edge_view(store, edge), fn, context);
    case EDGE_LIST:
        assert((uint64_t)edge->offset + edge->count <= store->edges.count);
        for (uint64_t i = 0; i < edge->count; ++i)
            if (!edge_each_run(store, edge_row(store, edge, i), fn, context))
                return false;
        return true;
    default:
        return true;
    }
}
