/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a graph down: the layout of tensors, to be read again; dump.c has everything, for tools. */
#ifndef GRAPH_SERIALIZE_H
#define GRAPH_SERIALIZE_H

#include "graph/saved.h"

/* Whether data went to the file; whether there is a file and a format.  The graph has the error. */
bool saved_put(pop_graph *graph, pop_where where, const char *api, FILE *file, const void *data, size_t size);
bool saved_check_file(pop_graph *graph, pop_where where, const char *api, const FILE *file, pop_serialization format);

#endif
