/* SPDX-License-Identifier: Apache-2.0 */
/* Vertices: their types, fields, connections and cycles. */
#ifndef GRAPH_VERTEX_VERTEX_H
#define GRAPH_VERTEX_VERTEX_H

#include "graph/store/store.h"

/* A field of a vertex that a call works on. */
struct field_ref {
    pop_graph *graph;
    pop_store *store;
    pop_where where;
    const char *api;
    struct vertex *vertex;
    uint32_t group; /* of replicas that the vertex is in; 0: none */
    const struct codelet *codelet;
    const struct codelet_field *field;
    uint16_t index;
};

/* Inline string comparison: field names are short, so the call overhead of strcmp would dominate. */
static inline bool same_name(const char *a, const char *b)
{
    for (int i = 0; i < 8; ++i) {
        if (a[i] != b[i])
            return false;
        if (!a[i])
            return true;
    }
    return strcmp(a + 8, b + 8) == 0;
}

/* connect.c: connecting tensors to fields. */

/* Connects a tensor to the whole of a field; the graph is ready. */
void field_connect(pop_where where, const char *api, pop_graph *graph, pop_vertex vertex, const char *field,
                   const pop_tensor *t);

/* field.c: fields of a vertex: look-up, sizes and initial state. */

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

/* Whether a field takes values of a type: fields of quarter take codes, since they have no metadata. False after an
 * error. */
bool field_takes_codes(const struct field_ref *ref, pop_type value_type);
/* Reports the first of the values that the field cannot hold. */
void field_check_fit(const struct field_ref *ref, pop_type value_type, const void *values, size_t count);

/* estimate.c: estimators: their queries about a vertex, and limits of fields for the libraries' planners. */

/* Cycles of a vertex: its own estimate, else its type's estimator.  False when it has neither. */
bool store_estimate(pop_store *store, uint32_t vertex, pop_perf *perf);

/* codelets.c: the vertex types that a graph knows. */

/* Registers the codelets of a module; takes ownership of the reference. */
bool store_add_module(pop_store *store, pop_where where, const char *api, struct module *module);
/* The index of a vertex type that is loaded; unknown_vertex_type otherwise. */
bool store_loaded_type(pop_store *store, pop_where where, const char *api, const char *path, const char *name,
                       uint32_t *type);
/* Index of a vertex type by name, or UINT32_MAX. */
uint32_t store_find_type(const pop_store *store, const char *name);

#endif
