/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of the store: composites, wide views and additions to composites, in the order in which they were made. */
#ifndef GRAPH_TENSOR_NODES_H
#define GRAPH_TENSOR_NODES_H

#include "graph/tensor.h"
#include "graph/view.h"

/* ---- tensor_nodes.c ---- */
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

#endif
