/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that build a graph share. */
#ifndef GRAPH_BUILD_H
#define GRAPH_BUILD_H

#include "graph/store.h"

/* Whether a call on the graph may go on. */
static inline bool graph_ready(const pop_graph *graph)
{
    return graph && store_ready(graph->store);
}
/* A CPU behaves as a single tile: elements that are not mapped are on tile 0, and so are those mapped to a tile that it
 * lacks. */
static inline bool graph_is_cpu(const pop_graph *graph)
{
    return graph->store->target.type == POP_TARGET_CPU;
}

/* A field of a vertex that a call works on. */
struct field_ref {
    pop_graph *graph;
    pop_store *store;
    pop_where where;
    const char *api;
    struct vertex *vertex;
    uint32_t group; /* of replicas that the vertex is in; 0: none */
    const struct codelet *codelet;
    const struct codelet_field *field;
    uint16_t index;
};

/* Inline string comparison: field names are short, so the call overhead of strcmp would dominate. */
static inline bool same_name(const char *a, const char *b)
{
    for (int i = 0; i < 8; ++i) {
        if (a[i] != b[i])
            return false;
        if (!a[i])
            return true;
    }
    return strcmp(a + 8, b + 8) == 0;
}

#endif
