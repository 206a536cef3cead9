/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors for data exchange with the host, spread evenly over all tiles. */
#ifndef POPOPS_HOST_SLICE_TENSOR_H
#define POPOPS_HOST_SLICE_TENSOR_H

#include <poplar/graph.h>

/* Rows of a remote buffer, and their indices in it. */
typedef struct popops_indices_and_tensor {
    pop_tensor indices; /* UNSIGNED_INT {rows} */
    pop_tensor tensor;  /* {rows, elements} */
} popops_indices_and_tensor;

POP_BEGIN_DECLS

#define popops_create_host_transferable_tensor(...) popops_create_host_transferable_tensor_at(POP_HERE, __VA_ARGS__)
/* A mapped tensor in row-major order.  is_read, which says that the host reads the tensor, has no effect.  offset:
 * bytes of such tensors that are there already; the first tile is the number of their packets of 512 bytes, modulo the
 * tiles. */
POP_API pop_tensor popops_create_host_transferable_tensor_at(pop_where where, pop_graph *graph, pop_type type,
                                                             pop_shape shape, bool is_read, size_t offset,
                                                             const char *name);
#define popops_create_host_sliceable_tensor(...) popops_create_host_sliceable_tensor_at(POP_HERE, __VA_ARGS__)
/* Both tensors for a shape {rows, elements}; poplar_error for another rank. */
POP_API popops_indices_and_tensor popops_create_host_sliceable_tensor_at(pop_where where, pop_graph *graph,
                                                                         pop_type type, pop_shape shape, bool is_read,
                                                                         size_t offset, const char *name);

POP_END_DECLS
#endif
