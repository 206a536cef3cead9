/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the sparse weights of a fully connected layer, as an embedding that is tied to it: the weights are one sparse
 * {output channels, input channels} matrix, and an index selects one of its rows.  The layer has one group.
 *
 * Params and options are those of the layer (popsparse/fully_connected.h).  Errors are the same. */
#ifndef POPSPARSE_EMBEDDING_H
#define POPSPARSE_EMBEDDING_H

#include <popsparse/fully_connected.h>

POP_BEGIN_DECLS

#define popsparse_dynamic_create_indices_tensor(...) popsparse_dynamic_create_indices_tensor_at(POP_HERE, __VA_ARGS__)
/* A new UNSIGNED_INT {num_indices}, mapped linearly with at least 32 elements on a tile. */
POP_API pop_tensor popsparse_dynamic_create_indices_tensor_at(pop_where where, pop_graph *graph,
                                                              const popsparse_dynamic_fully_connected_params *params,
                                                              size_t num_indices, pop_options options,
                                                              const char *name);
#define popsparse_dynamic_create_slice_tensor(...) popsparse_dynamic_create_slice_tensor_at(POP_HERE, __VA_ARGS__)
/* A new {num_indices, in} with the layout that an update needs; others are copied. */
POP_API pop_tensor popsparse_dynamic_create_slice_tensor_at(pop_where where, pop_graph *graph, pop_type data_type,
                                                            const popsparse_dynamic_fully_connected_params *params,
                                                            size_t num_indices, const char *name, pop_options options,
                                                            popsparse_planning_cache *cache);
#define popsparse_dynamic_embedding_slice(...) popsparse_dynamic_embedding_slice_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: row indices[i] of the weights becomes row i of a new {indices, in}; elements that the weights do
 * not have, and rows of indices out of range, are 0. */
POP_API pop_tensor popsparse_dynamic_embedding_slice_at(pop_where where, pop_graph *graph,
                                                        popsparse_dynamic_sparse_tensor t, pop_tensor indices,
                                                        pop_program sequence,
                                                        const popsparse_dynamic_fully_connected_params *params,
                                                        const char *name, pop_options options,
                                                        popsparse_planning_cache *cache);
#define popsparse_dynamic_embedding_update_add(...) popsparse_dynamic_embedding_update_add_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: scale times row i of slices {indices, in} is added to row indices[i] of the weights, where they
 * have values.  Slices of the same row are summed in float.  An index out of range (0xffffffff) has no effect.  scale:
 * one element, HALF or FLOAT.  Needs option doGradWPass. */
POP_API void popsparse_dynamic_embedding_update_add_at(pop_where where, pop_graph *graph,
                                                       popsparse_dynamic_sparse_tensor t, pop_tensor slices,
                                                       pop_tensor indices, pop_tensor scale, pop_program sequence,
                                                       const popsparse_dynamic_fully_connected_params *params,
                                                       const char *name, pop_options options,
                                                       popsparse_planning_cache *cache);

POP_END_DECLS
#endif
