/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of a tensor changed at many places, as XLA's Scatter. */
#ifndef POPOPS_SCATTER_H
#define POPOPS_SCATTER_H

#include <poplar/graph.h>
#include <poplar/program.h>

/* Gives what becomes of a slice of the operand, of what it was and of the update, both of one shape and type; adds what
 * that needs to a sequence. */
typedef pop_tensor (*popops_update_computation)(pop_graph *graph, pop_tensor operand, pop_tensor update,
                                                pop_program sequence, void *user);

POP_BEGIN_DECLS

#define popops_scatter(...) popops_scatter_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: slices of operand become those of updates.
 *
 * indices are index vectors as popops_gather has them, component k for dimension scatter_dims_to_operand_dims[k] of the
 * operand.  The dimensions update_window_dims of updates are those of a slice, without those of the operand in
 * insert_window_dims, where a slice has size 1; the others are those of indices without index_vector_dim.  An index
 * that is negative or beyond the operand does nothing where slices have size 1 along all indexed dimensions, and begins
 * at the nearest place that fits where they have not.  Of equal indices any one counts.  The options are those of
 * popops_gather.  poplar_error, index_error and type_error for what does not fit together. */
POP_API void popops_scatter_at(pop_where where, pop_graph *graph, pop_tensor operand, pop_tensor indices,
                               pop_tensor updates, size_t index_vector_dim, pop_dims update_window_dims,
                               pop_dims insert_window_dims, pop_dims scatter_dims_to_operand_dims, pop_program sequence,
                               const char *name, pop_options options);
#define popops_scatter_with(...) popops_scatter_with_at(POP_HERE, __VA_ARGS__)
/* Slices become what a computation gives, one after the other.  It is called once, now (for no index not at all). */
POP_API void popops_scatter_with_at(pop_where where, pop_graph *graph, pop_tensor operand, pop_tensor indices,
                                    pop_tensor updates, size_t index_vector_dim, pop_dims update_window_dims,
                                    pop_dims insert_window_dims, pop_dims scatter_dims_to_operand_dims,
                                    popops_update_computation computation, void *user, pop_program sequence,
                                    const char *name, pop_options options);

POP_END_DECLS
#endif
