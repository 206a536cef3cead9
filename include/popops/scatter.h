/* SPDX-License-Identifier: Apache-2.0 */
/* Updates of slices of a tensor at a list of indices, as XLA's Scatter. */
#ifndef POPOPS_SCATTER_H
#define POPOPS_SCATTER_H

#include <poplar/graph.h>
#include <poplar/program.h>

/* Callback: returns the new value of a slice, given its old value and the update, both of one shape and type; adds its
 * computation to a sequence. */
typedef pop_tensor (*popops_update_computation)(pop_graph *graph, pop_tensor operand, pop_tensor update,
                                                pop_program sequence, void *user);

POP_BEGIN_DECLS

#define popops_scatter(...) popops_scatter_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: writes updates to slices of operand.
 *
 * indices are index vectors as in popops_gather: component k is for dimension scatter_dims_to_operand_dims[k] of the
 * operand. The dimensions update_window_dims of updates are those of a slice, without the dimensions insert_window_dims
 * of the operand, in which a slice has size 1; the others are those of indices without index_vector_dim.  An index that
 * is negative or beyond the operand is ignored if slices have size 1 along all indexed dimensions, otherwise clamped to
 * the nearest one at which the slice fits.  When indices are equal, any one of their updates remains.  The options are
 * those of popops_gather. poplar_error, index_error and type_error for arguments that do not match. */
POP_API void popops_scatter_at(pop_where where, pop_graph *graph, pop_tensor operand, pop_tensor indices,
                               pop_tensor updates, size_t index_vector_dim, pop_dims update_window_dims,
                               pop_dims insert_window_dims, pop_dims scatter_dims_to_operand_dims, pop_program sequence,
                               const char *name, pop_options options);
#define popops_scatter_with(...) popops_scatter_with_at(POP_HERE, __VA_ARGS__)
/* Slices are replaced by the result of a callback, one after the other.  The callback is called once, during this call
 * (not at all without indices). */
POP_API void popops_scatter_with_at(pop_where where, pop_graph *graph, pop_tensor operand, pop_tensor indices,
                                    pop_tensor updates, size_t index_vector_dim, pop_dims update_window_dims,
                                    pop_dims insert_window_dims, pop_dims scatter_dims_to_operand_dims,
                                    popops_update_computation computation, void *user, pop_program sequence,
                                    const char *name, pop_options options);

POP_END_DECLS
#endif
