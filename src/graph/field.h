/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of a vertex: look-up, sizes and initial state. */
#ifndef GRAPH_FIELD_H
#define GRAPH_FIELD_H

#include "graph/build.h"

/* Finds it; errors are index_error (no such vertex) and unknown_field. */
bool field_find(struct field_ref *ref, pop_graph *graph, pop_where where, const char *api, pop_vertex vertex,
                const char *name);
/* Records an error about the field; the path is the vertex's compute set. */
bool field_fail(const struct field_ref *ref, pop_status status, const char *format, ...) POP_PRINTF(3, 4);
/* The edge of a field of a vertex, or NULL. */
struct edge *vertex_edge(const pop_store *store, const struct vertex *vertex, uint16_t field);
/* A new edge of the field, at the head of the vertex's list; NULL and overflow_error when there are too many. */
struct edge *field_edge_new(const struct field_ref *ref);
/* The index of count new edges in a row, none of them connected; UINT32_MAX and overflow_error when there are too many.
 */
uint32_t field_rows_new(const struct field_ref *ref, uint64_t count);

#endif
