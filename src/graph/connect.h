/* SPDX-License-Identifier: Apache-2.0 */
/* Connecting tensors to fields. */
#ifndef GRAPH_CONNECT_H
#define GRAPH_CONNECT_H

#include "graph/build.h"

/* Connects a tensor to the whole of a field; the graph is ready. */
void field_connect(pop_where where, const char *api, pop_graph *graph, pop_vertex vertex, const char *field,
                   const pop_tensor *t);

#endif
