/* SPDX-License-Identifier: Apache-2.0 */
/* A ring of tensors: what was added last overwrites what is oldest. */
#ifndef POPOPS_CIRC_BUF_H
#define POPOPS_CIRC_BUF_H

#include <poplar/graph.h>
#include <poplar/program.h>

/* A value; its storage belongs to the graph. */
typedef struct popops_circ_buf {
    pop_tensor entries; /* {size, shape...} */
    pop_tensor index;   /* scalar UNSIGNED_INT: the entry that was added last; 0 at load */
} popops_circ_buf;

POP_BEGIN_DECLS

#define popops_circ_buf_create(...) popops_circ_buf_create_at(POP_HERE, __VA_ARGS__)
/* Zeros at load.  poplar_error for a size of 0. */
POP_API popops_circ_buf popops_circ_buf_create_at(pop_where where, pop_graph *graph, pop_type type, unsigned size,
                                                  pop_shape shape, const char *name);
#define popops_circ_buf_add(...) popops_circ_buf_add_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: t, of the ring's type and shape, becomes the entry after the last one. */
POP_API void popops_circ_buf_add_at(pop_where where, pop_graph *graph, const popops_circ_buf *ring, pop_tensor t,
                                    pop_program sequence, const char *name);
#define popops_circ_buf_prev(...) popops_circ_buf_prev_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: gives a new tensor with the entry that was added i times before the last one.  index_error for an
 * i that the ring does not keep. */
POP_API pop_tensor popops_circ_buf_prev_at(pop_where where, pop_graph *graph, const popops_circ_buf *ring, unsigned i,
                                           pop_program sequence, const char *name);

POP_END_DECLS
#endif
