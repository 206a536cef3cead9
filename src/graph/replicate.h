/* SPDX-License-Identifier: Apache-2.0 */
/* Replicas of an existing graph.  A variable of the replicated graph is a placeholder, followed in the store by one
 * variable for each replica (its instances); a vertex is one vertex, which compiling multiplies. */
#ifndef GRAPH_REPLICATE_H
#define GRAPH_REPLICATE_H

#include "graph/build.h"

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

#endif
