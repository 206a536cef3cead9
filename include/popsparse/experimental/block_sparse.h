/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax over the rows of a matrix of blocks that are absent or present (block_sparse_mat_mul.h describes masks and
 * tensors). */
#ifndef POPSPARSE_EXPERIMENTAL_BLOCK_SPARSE_H
#define POPSPARSE_EXPERIMENTAL_BLOCK_SPARSE_H

#include <poplar/graph.h>
#include <poplar/program.h>

/* Elements of blocks on the diagonal that count as absent: none, those above the diagonal, those below. */
typedef enum popsparse_experimental_sub_block_mask {
    POPSPARSE_SUB_BLOCK_MASK_NONE = 0,
    POPSPARSE_SUB_BLOCK_MASK_ZERO_UPPER_TRIANGLE = 1,
    POPSPARSE_SUB_BLOCK_MASK_ZERO_LOWER_TRIANGLE = 2
} popsparse_experimental_sub_block_mask;

/* A matrix of blocks. The mask is borrowed. */
typedef struct popsparse_experimental_block_matrix {
    size_t dim[2];             /* rows and columns of a group */
    size_t block_size[2];      /* rows and columns of a block */
    const unsigned char *mask; /* which blocks are present, of all groups */
    size_t mask_size;          /* bytes */
    size_t num_groups;         /* at least 1 */
} popsparse_experimental_block_matrix;

POP_BEGIN_DECLS

#define popsparse_experimental_bs_softmax_in_place(...)                                                                \
    popsparse_experimental_bs_softmax_in_place_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: replaces each row of t {present blocks, elements of a block}, HALF or FLOAT, by its softmax over
 * the elements that are present.  Elements that sub_block_mask takes away become 0. */
POP_API void popsparse_experimental_bs_softmax_in_place_at(pop_where where, pop_graph *graph, pop_tensor t,
                                                           const popsparse_experimental_block_matrix *matrix,
                                                           popsparse_experimental_sub_block_mask sub_block_mask,
                                                           pop_program sequence, const char *name);
#define popsparse_experimental_bs_softmax(...) popsparse_experimental_bs_softmax_at(POP_HERE, __VA_ARGS__)
/* The softmax as a new tensor; t keeps its values. */
POP_API pop_tensor popsparse_experimental_bs_softmax_at(pop_where where, pop_graph *graph, pop_tensor t,
                                                        const popsparse_experimental_block_matrix *matrix,
                                                        popsparse_experimental_sub_block_mask sub_block_mask,
                                                        pop_program sequence, const char *name);
#define popsparse_experimental_bs_softmax_grad(...) popsparse_experimental_bs_softmax_grad_at(POP_HERE, __VA_ARGS__)
/* Adds the gradient of a softmax's input to a sequence: out (grad - the row's sum of out grad), a new tensor.  out is
 * the softmax's result. */
POP_API pop_tensor popsparse_experimental_bs_softmax_grad_at(pop_where where, pop_graph *graph, pop_tensor out,
                                                             pop_tensor grad,
                                                             const popsparse_experimental_block_matrix *matrix,
                                                             pop_program sequence, const char *name);

POP_END_DECLS
#endif
