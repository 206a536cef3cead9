/* SPDX-License-Identifier: Apache-2.0 */
/* debug.cbor of a report: contexts of a graph's library calls, variables, compute sets, vertices and programs. */
#ifndef REPORT_DEBUG_GRAPH_H
#define REPORT_DEBUG_GRAPH_H

#include "graph/store.h"

/* Writes the contexts to path as CBOR; the file gets its final name only when complete. id: the id of its report;
 * NULL: none. *records: of the process's records (debug_process.h) the file has so many. Call it after compiling, which
 * numbers the contexts. file_load_error when it cannot be written. */
pop_status debug_graph_write(const pop_store *store, const char *path, const char *id, size_t *records,
                             pop_error *error);
/* Writes the contexts to the process's stream if one is open. */
void debug_graph_stream(const pop_store *store);

#endif
