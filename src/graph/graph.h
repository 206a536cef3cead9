/* SPDX-License-Identifier: Apache-2.0 */
/* Graph handles: lifetime, errors, marks and counts. */
#ifndef GRAPH_GRAPH_H
#define GRAPH_GRAPH_H

#include "graph/build.h"

/* Whether a tensor can be used in the graph: valid and of the same store.  status is the kind of the error recorded
 * otherwise. */
bool graph_tensor(pop_graph *graph, pop_where where, const char *api, const char *path, pop_status status,
                  pop_tensor t);
/* Debug name of the variable that t begins with, "" when it has none. */
const char *tensor_debug_name(pop_tensor t);

#endif
