/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/edge.h"
#include "graph/view_runs.h"

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
        assert(edge_offset(edge) + edge->count <= store->edges.count);
        for (uint64_t i = 0; i < edge->count; ++i)
            if (!edge_each_run(store, edge_row(store, edge, i), fn, context))
                return false;
        return true;
    default:
        return true;
    }
}
