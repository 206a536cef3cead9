/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that build a graph share. */
#ifndef GRAPH_BUILD_H
#define GRAPH_BUILD_H

#include "graph/store.h"

/* Makes an empty store for a graph; its first handle is counted. */
pop_store *store_create(pop_graph *top, const pop_target *target);
/* Frees everything, the top graph included. */
void store_destroy(pop_store *store);

/* Whether a call on the graph may go on. */
static inline bool graph_ready(const pop_graph *graph)
{
    return graph && store_ready(graph->store);
}
unsigned graph_num_tiles(const pop_graph *graph);
/* A CPU runs as if on a single tile: what is not mapped lies on tile 0, and so does what is mapped to a tile that it
 * lacks. */
static inline bool graph_is_cpu(const pop_graph *graph)
{
    return graph->store->target.type == POP_TARGET_CPU;
}
/* The physical tile of one of the graph's; false and invalid_tile_mapping when it has no such tile. */
bool graph_tile(pop_graph *graph, pop_where where, const char *api, const char *path, unsigned tile,
                uint32_t *physical);

/* Whether a tensor can be used in the graph: valid and of the same store.  status is the kind of the error recorded
 * otherwise. */
bool graph_tensor(pop_graph *graph, pop_where where, const char *api, const char *path, pop_status status,
                  pop_tensor t);
/* Debug name of the variable that t begins with, "" when it has none. */
const char *tensor_debug_name(pop_tensor t);

/* Adds a variable whose shape was checked; UINT32_MAX and an error when there are too many. */
uint32_t variable_add(pop_store *store, pop_where where, const char *api, pop_type type, uint64_t elements,
                      const char *name);
/* Elements of a shape; checks the type too.  tensor_creation_error says what is wrong. */
bool variable_shape(pop_store *store, pop_where where, const char *api, pop_type type, pop_shape shape,
                    const char *name, uint64_t *elements);
/* Appends count values converted from value_type and returns where they lie. */
uint64_t store_convert(pop_store *store, pop_type value_type, const void *values, pop_type type, uint64_t count);

/* Appends a range to the log. */
void tile_map_add(struct tile_map *map, uint64_t begin, uint64_t end, uint32_t tile);

/* Makes the codelets of a module known; takes the reference over. */
bool store_add_module(pop_store *store, pop_where where, const char *api, struct module *module);
/* The index of a vertex type that is loaded; unknown_vertex_type otherwise. */
bool store_loaded_type(pop_store *store, pop_where where, const char *api, const char *path, const char *name,
                       uint32_t *type);

/* A field of a vertex that a call works on. */
struct field_ref {
    pop_graph *graph;
    pop_store *store;
    pop_where where;
    const char *api;
    struct vertex *vertex;
    const struct codelet *codelet;
    const struct codelet_field *field;
    uint16_t index;
};
/* Finds it; errors are index_error (no such vertex) and unknown_field. */
bool field_find(struct field_ref *ref, pop_graph *graph, pop_where where, const char *api, pop_vertex vertex,
                const char *name);
/* Records an error about the field; the path is the vertex's compute set. */
bool field_fail(const struct field_ref *ref, pop_status status, const char *format, ...) POP_PRINTF(3, 4);
/* Connects a tensor to the whole of a field; the graph is ready. */
void field_connect(pop_where where, const char *api, pop_graph *graph, pop_vertex vertex, const char *field,
                   const pop_tensor *t);
/* The edge of a field of a vertex, or NULL. */
struct edge *vertex_edge(const pop_store *store, const struct vertex *vertex, uint16_t field);
/* A new edge of the field, at the head of the vertex's list; NULL and overflow_error when there are too many. */
struct edge *field_edge_new(const struct field_ref *ref);
/* The index of count new edges in a row, none of them connected; UINT32_MAX and overflow_error when there are too many.
 */
uint32_t field_rows_new(const struct field_ref *ref, uint64_t count);

/* Equal text: names of fields are a few letters, for which a call of strcmp is the larger part. */
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

static inline void edge_set_offset(struct edge *edge, uint64_t offset)
{
    edge->offset = (uint32_t)offset;
    edge->offset_high = (uint8_t)(offset >> 32);
}

#endif
