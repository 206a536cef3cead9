/* SPDX-License-Identifier: Apache-2.0 */
/* Graph handles: lifetime, errors, marks and counts. */
#ifndef GRAPH_GRAPH_H
#define GRAPH_GRAPH_H

#include "graph/build.h"
#include "graph/clone.h"
#include "graph/store.h"
#include "graph/tensor.h"
#include "graph/view.h"

/* Whether a tensor can be used in the graph: valid and of the same store.  status is the kind of the error recorded
 * otherwise. */
bool graph_tensor(pop_graph *graph, pop_where where, const char *api, const char *path, pop_status status,
                  pop_tensor t);
/* Debug name of the variable that t begins with, "" when it has none. */
const char *tensor_debug_name(pop_tensor t);

/* connect.c: connecting tensors to fields. */

/* Connects a tensor to the whole of a field; the graph is ready. */
void field_connect(pop_where where, const char *api, pop_graph *graph, pop_vertex vertex, const char *field,
                   const pop_tensor *t);

/* estimate.c: estimators: their queries about a vertex, and limits of fields for the libraries' planners. */

/* Cycles of a vertex: its own estimate, else its type's estimator.  False when it has neither. */
bool store_estimate(pop_store *store, uint32_t vertex, pop_perf *perf);

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

/* replicate.c: replicas of an existing graph. A variable of the replicated graph is a placeholder, followed in the
 * store by one variable for each replica (its instances); a vertex is one vertex, which compiling multiplies. */

/* Adds a variable to a graph, and its instances where the graph is replicated; UINT32_MAX on error. */
uint32_t replicate_add_variable(pop_graph *graph, pop_where where, const char *api, pop_type type, uint64_t elements,
                                const char *name);
/* Maps elements of a variable, and those of its instances to the tiles of their replicas. */
void replicate_map(pop_store *store, uint32_t variable, uint64_t begin, uint64_t end, uint32_t tile);
/* Number of instances of a variable, which follow it in the store; 0 for variables that are not placeholders. */
uint32_t replicate_instances(const pop_store *store, uint32_t variable);
/* Maps a physical tile of replica 0 to that of another replica. */
uint32_t replicate_tile(const struct replica_group *group, uint32_t replica, uint32_t tile);
/* Notes that the latest vertex is one of a replicated graph. */
void replicate_note_vertex(pop_graph *graph);
/* The latest vertex goes. */
void replicate_take_back_vertex(pop_store *store);
/* The group of a vertex (its number from 1 on), or 0. */
uint32_t replicate_group_of(const pop_store *store, uint32_t vertex);
/* Whether placeholders of t are all of the group; graph_replication_error otherwise. */
bool replicate_check(pop_store *store, uint32_t group, pop_where where, const char *api, const char *path,
                     pop_tensor t);
/* The group of a placeholder that t holds, 0: none. */
uint32_t replicate_tensor_group(const pop_store *store, pop_tensor t);
/* Whether a tensor has elements that are not placeholders. */
bool replicate_holds_others(const pop_store *store, pop_tensor t);

/* variable.c: variables: shapes that are allowed, their storage in the graph, linear mapping. */

/* Adds a variable whose shape was checked; UINT32_MAX and an error when there are too many. */
uint32_t variable_add(pop_store *store, pop_where where, const char *api, pop_type type, uint64_t elements,
                      const char *name);
/* Elements of a shape; checks the type too.  tensor_creation_error says what is wrong. */
bool variable_shape(pop_store *store, pop_where where, const char *api, pop_type type, pop_shape shape,
                    const char *name, uint64_t *elements);

/* clone_layout.c: the order of a clone's elements in memory, and the tile mapping that comes with it. */

/* Each element of t (aliases too) is a new one, in row-major order. */
void clone_layout_row_major(struct clone_layout *layout, pop_tensor t);
/* The elements in the order in which they are in memory, each once; by_tile: all of one tile together. */
void clone_layout_in_memory(struct clone_layout *layout, pop_tensor t, bool by_tile);
/* n copies of it in one variable, such that the copies of each contiguous region of a tile are adjacent. */
void clone_layout_repeat(struct clone_layout *layout, size_t n);
void clone_layout_free(struct clone_layout *layout);

/* codelets.c: the vertex types that a graph knows. */

/* Registers the codelets of a module; takes ownership of the reference. */
bool store_add_module(pop_store *store, pop_where where, const char *api, struct module *module);
/* The index of a vertex type that is loaded; unknown_vertex_type otherwise. */
bool store_loaded_type(pop_store *store, pop_where where, const char *api, const char *path, const char *name,
                       uint32_t *type);
/* Index of a vertex type by name, or UINT32_MAX. */
uint32_t store_find_type(const pop_store *store, const char *name);

/* log_call.c: the calls of libraries that are in progress on this thread. */

/* A handler of errors may leave by longjmp, and the calls then never end: while it runs there are none, so that the
 * next call is an outermost one. Returns what log_calls_resume takes when the handler has returned. */
unsigned log_calls_pause(void);
void log_calls_resume(unsigned calls);

/* misfit.c: values of a program that the type they are converted to cannot hold: 70000 for an unsigned short, 1e300
 * for a float. Each field and each constant logs one warning, and the first is kept for the option
 * debug.requireValuesFit. */

/* Values for a field of a vertex, and for a constant or the initial value of a variable with the given debug name. */
void misfit_field(const struct field_ref *ref, pop_type value_type, const void *values, size_t count);
void misfit_tensor(pop_store *store, pop_where where, const char *name, pop_type value_type, const void *values,
                   pop_type type, size_t count);

/* tensor_nodes.c: nodes of the store: composites, wide views and additions to composites, in the order in which
 * they were made. */
struct composite *composite_of(const pop_store *store, uint32_t source);
/* Adds strided elements of a source (piece->variable) to the end, merged with the last child where they continue it. */
void composite_add(pop_store *store, struct composite *composite, const struct piece *piece);
/* Frees a composite that the store does not have. */
void composite_free(pop_store *store, struct composite *composite);
/* Transfers a composite to the store; returns its source. */
uint32_t composite_keep(pop_store *store, struct composite *composite);
/* Removes a composite that was made in the same call, unless another node refers to it. */
void composite_drop_unused(pop_store *store, uint32_t source);
/* Call before adding to a stored composite, so that a release can undo the addition. */
void composite_open(pop_store *store, uint32_t source);
/* All variables of a source are between these. */
void source_bounds(const pop_store *store, uint32_t source, uint32_t *low, uint32_t *high);
/* The child that holds an element. */
size_t composite_find(struct composite *composite, uint64_t element);
struct wide *wide_keep(pop_store *store, uint32_t source, unsigned digits);
struct tensor_nodes *tensor_nodes_create(void);
void tensor_nodes_destroy(struct tensor_nodes *nodes);
size_t tensor_nodes_count(const struct tensor_nodes *nodes);
size_t tensor_nodes_mark(const struct tensor_nodes *nodes);
/* Nodes that a retained value needs stay. */
void tensor_nodes_release(struct tensor_nodes *nodes, size_t mark);

/* tile_map.c: the tile mapping of one variable: a log of calls, sorted at the first query. */

/* Appends a range to the log. */
void tile_map_add(struct tile_map *map, uint64_t begin, uint64_t end, uint32_t tile);
/* Sorts the log: linear when it already is in order, n log n otherwise. */
void tile_map_compact(struct tile_map *map);
/* Whether each of the variable's elements has a tile; the result is cached. */
bool tile_map_is_whole(struct tile_map *map, uint64_t elements);
/* Tile of an element of a compact map, UNMAPPED_TILE when it has none.  *cursor makes ascending look-ups constant time;
 * start it at 0. */
uint32_t tile_map_find(const struct tile_map *map, uint64_t element, size_t *cursor);

/* virtual.c: virtual graphs: handles on the same store that number a subset of its tiles from 0. */
unsigned graph_num_tiles(const pop_graph *graph);
/* The physical tile of one of the graph's; false and invalid_tile_mapping when it has no such tile. */
bool graph_tile(pop_graph *graph, pop_where where, const char *api, const char *path, unsigned tile,
                uint32_t *physical);

/* A handle that sees these tiles of its parent, num_ipus groups of them; parent_tiles is taken over. */
pop_graph *virtual_create(pop_graph *parent, unsigned *parent_tiles, unsigned num_ipus, unsigned tiles_per_ipu);

/* ---- metadata.c: a QUARTER variable refers to one element of a QUARTER_METADATA variable ---- */
/* A new variable as replicate_add_variable makes; one of QUARTER shares the metadata, or gets an element of its own,
 * on the graph's first tile, when metadata is NULL.  UINT32_MAX on error. */
uint32_t metadata_add_variable(pop_graph *graph, pop_where where, const char *api, pop_type type, uint64_t elements,
                               const char *name, const pop_tensor *metadata);
/* Makes a QUARTER variable of a store without replicas refer to a new element on tile 0. */
void metadata_add_own(pop_store *store, pop_where where, const char *api, uint32_t variable, const char *name);
/* The metadata of the first element of a QUARTER tensor, with shape {}; the null tensor when there is none. */
pop_tensor metadata_of(pop_tensor t);
/* The byte of a metadata tensor that is a constant, or has an initial value; false when it is not known. */
bool metadata_known(pop_tensor metadata, uint8_t *byte);
/* Whether a QUARTER tensor's metadata is known; otherwise records that host values cannot be converted. */
bool metadata_to_convert(pop_store *store, pop_where where, const char *api, const char *path, pop_tensor metadata,
                         uint8_t *byte);

#endif
