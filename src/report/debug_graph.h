/* SPDX-License-Identifier: Apache-2.0 */
/* Debug contexts of a graph's library calls, variables, compute sets, vertices and programs. */
#ifndef REPORT_DEBUG_GRAPH_H
#define REPORT_DEBUG_GRAPH_H

#include "graph/store.h"
#include "report/debug_stream.h"

/* Writes the contexts of a store (user) to a stream. Call it after compiling, which numbers the contexts. */
void debug_graph_put(struct debug_stream *stream, const void *user);
/* Writes the contexts to the process's stream if one is open. */
void debug_graph_stream(const pop_store *store);

#endif
