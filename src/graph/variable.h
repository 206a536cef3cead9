/* SPDX-License-Identifier: Apache-2.0 */
/* Variables: shapes that are allowed, their storage in the graph, linear mapping. */
#ifndef GRAPH_VARIABLE_H
#define GRAPH_VARIABLE_H

#include "graph/build.h"

/* Adds a variable whose shape was checked; UINT32_MAX and an error when there are too many. */
uint32_t variable_add(pop_store *store, pop_where where, const char *api, pop_type type, uint64_t elements,
                      const char *name);
/* Elements of a shape; checks the type too.  tensor_creation_error says what is wrong. */
bool variable_shape(pop_store *store, pop_where where, const char *api, pop_type type, pop_shape shape,
                    const char *name, uint64_t *elements);

#endif
