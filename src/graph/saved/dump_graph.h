/* SPDX-License-Identifier: Apache-2.0 */
/* Dumps of graphs for tools. */
#ifndef GRAPH_SAVED_DUMP_GRAPH_H
#define GRAPH_SAVED_DUMP_GRAPH_H

#include "graph/saved/dump.h"
#include "graph/store/store.h"
#include "graph/view/view.h"

#include <stdio.h>

/* [variable, begin, end] of a run; context is the dump. */
bool dump_run(const struct run *run, void *context);

/* A call that dumps a graph: more, which may be NULL, adds keys behind those of the graph. */
struct dump_call {
    pop_where where;
    const char *api;
    void (*more)(struct dump *dump, const pop_store *store, void *context);
    void *context;
};
/* Dumps the whole graph to a file; false with the graph's error recorded. */
bool dump_graph(const struct dump_call *call, pop_graph *graph, FILE *file, pop_serialization format);

#endif
