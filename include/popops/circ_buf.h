/* SPDX-License-Identifier: Apache-2.0 */
/* A circular buffer of tensors: a new entry overwrites the oldest one. */
#ifndef POPOPS_CIRC_BUF_H
#define POPOPS_CIRC_BUF_H

#include <poplar/graph.h>
#include <poplar/program.h>

/* Copied by value; the graph owns the storage. */
typedef struct popops_circ_buf {
    pop_tensor entries; /* {size, shape...} */
    pop_tensor index;   /* scalar UNSIGNED_INT: index of the entry that was added last; 0 after loading */
} popops_circ_buf;

POP_BEGIN_DECLS

#define popops_circ_buf_create(...) popops_circ_buf_create_at(POP_HERE, __VA_ARGS__)
/* Creates a buffer, which holds zeros after loading.  poplar_error when the size is 0. */
POP_API popops_circ_buf popops_circ_buf_create_at(pop_where where, pop_graph *graph, pop_type type, unsigned size,
                                                  pop_shape shape, const char *name);
#define popops_circ_buf_add(...) popops_circ_buf_add_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: t, which has the buffer's type and shape, becomes the entry after the last one. */
POP_API void popops_circ_buf_add_at(pop_where where, pop_graph *graph, const popops_circ_buf *ring, pop_tensor t,
                                    pop_program sequence, const char *name);
#define popops_circ_buf_prev(...) popops_circ_buf_prev_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: copies the entry that was added i additions before the last one to a new tensor.  index_error
 * unless i is less than the size. */
POP_API pop_tensor popops_circ_buf_prev_at(pop_where where, pop_graph *graph, const popops_circ_buf *ring, unsigned i,
                                           pop_program sequence, const char *name);

POP_END_DECLS
#endif
