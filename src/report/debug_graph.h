/* SPDX-License-Identifier: Apache-2.0 */
/* debug.cbor of a report: the contexts of a graph's library calls, variables, compute sets, vertices and programs. */
#ifndef REPORT_DEBUG_GRAPH_H
#define REPORT_DEBUG_GRAPH_H

#include "graph/store.h"

/* Writes them to path, as CBOR; the file has its name only when it is whole.  id: of the report that it belongs to;
 * NULL: of none.  Call it after compiling, which numbers the contexts.  file_load_error when it cannot be written. */
pop_status debug_graph_write(const pop_store *store, const char *path, const char *id, pop_error *error);
/* Adds them to the process's stream, while one is open. */
void debug_graph_stream(const pop_store *store);

#endif
