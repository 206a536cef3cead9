/* SPDX-License-Identifier: Apache-2.0 */
/* Serialisation: layouts of tensors, which can be read back; dump.c writes the whole graph for tools. */
#ifndef GRAPH_SAVED_SERIALIZE_H
#define GRAPH_SAVED_SERIALIZE_H

#include "graph/saved/saved.h"

/* Whether the data was written; whether the arguments are valid. On false the graph has the error. */
bool saved_put(pop_graph *graph, pop_where where, const char *api, FILE *file, const void *data, size_t size);
bool saved_check_file(pop_graph *graph, pop_where where, const char *api, const FILE *file, pop_serialization format);

#endif
