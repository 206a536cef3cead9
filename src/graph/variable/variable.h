/* SPDX-License-Identifier: Apache-2.0 */
/* Variables: storage, initial values, tile mapping, replicas, clones. */
#ifndef GRAPH_VARIABLE_VARIABLE_H
#define GRAPH_VARIABLE_VARIABLE_H

#include "graph/store/store.h"
#include "graph/variable/clone.h"

/* variable.c: variables: shapes that are allowed, their storage in the graph, linear mapping. */

/* Adds a variable whose shape was checked; UINT32_MAX and an error when there are too many. */
uint32_t variable_add(pop_store *store, pop_where where, const char *api, pop_type type, uint64_t elements,
                      const char *name);
/* Elements of a shape; checks the type too.  tensor_creation_error says what is wrong. */
bool variable_shape(pop_store *store, pop_where where, const char *api, pop_type type, pop_shape shape,
                    const char *name, uint64_t *elements);

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

/* Whether a tensor can be used in the graph: valid, of the same store, of no other replicas.  status is the kind of the
 * error recorded otherwise. */
bool graph_tensor(pop_graph *graph, pop_where where, const char *api, const char *path, pop_status status,
                  pop_tensor t);

/* virtual.c: virtual graphs: handles on the same store that number a subset of its tiles from 0. */
unsigned graph_num_tiles(const pop_graph *graph);
/* The physical tile of one of the graph's; false and invalid_tile_mapping when it has no such tile. */
bool graph_tile(pop_graph *graph, pop_where where, const char *api, const char *path, unsigned tile,
                uint32_t *physical);

/* A handle that sees these tiles of its parent, num_ipus groups of them; parent_tiles is taken over. */
pop_graph *virtual_create(pop_graph *parent, unsigned *parent_tiles, unsigned num_ipus, unsigned tiles_per_ipu);

/* clone_layout.c: the order of a clone's elements in memory, and the tile mapping that comes with it. */

/* Each element of t (aliases too) is a new one, in row-major order. */
void clone_layout_row_major(struct clone_layout *layout, pop_tensor t);
/* The elements in the order in which they are in memory, each once; by_tile: all of one tile together. */
void clone_layout_in_memory(struct clone_layout *layout, pop_tensor t, bool by_tile);
/* n copies of it in one variable, such that the copies of each contiguous region of a tile are adjacent. */
void clone_layout_repeat(struct clone_layout *layout, size_t n);
void clone_layout_free(struct clone_layout *layout);

/* misfit.c: values of a program that the type they are converted to cannot hold: 70000 for an unsigned short, 1e300
 * for a float. Each field and each constant logs one warning, and the first is kept for the option
 * debug.requireValuesFit. */

/* The first of the values that type cannot hold, at value; key and what ("field 'n' of ...") say where it goes. */
void misfit_report(pop_store *store, pop_where where, uint64_t key, const char *what, pop_type value_type,
                   const void *value, pop_type type);
/* Values for a constant, or the initial value of a variable, with the given debug name. */
void misfit_tensor(pop_store *store, pop_where where, const char *name, pop_type value_type, const void *values,
                   pop_type type, size_t count);

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
