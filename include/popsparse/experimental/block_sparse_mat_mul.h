/* SPDX-License-Identifier: Apache-2.0 */
/* Products with matrices of blocks that are absent or present, which a mask says when the graph is built.
 *
 * A mask has a byte for each block, row by row, 0 for absent ones; the groups' masks follow each other.  A sparse
 * matrix is a tensor {present blocks, elements of a block} in the mask's order, each block row by row; a dense matrix
 * of several groups has the groups one after the other in dimension 0.
 *
 * Options: "memoryCycleRatio", "numberOfPass" and "partitionMethod" have no effect, because one plan is searched for
 * all; a warning names those that are given.  Errors: poplar_error, type_error (half sums of float operands among
 * them), invalid_option. */
#ifndef POPSPARSE_EXPERIMENTAL_BLOCK_SPARSE_MAT_MUL_H
#define POPSPARSE_EXPERIMENTAL_BLOCK_SPARSE_MAT_MUL_H

#include <poplar/graph.h>
#include <poplar/program.h>
#include <popsparse/experimental/block_sparse.h>

/* A product {m, k} x {k, n}. The mask is borrowed. */
typedef struct popsparse_experimental_bs_mat_mul_params {
    size_t dim[3];                                        /* m, k, n of a group */
    size_t block_size[3];                                 /* of a block, in the same order */
    const unsigned char *mask;                            /* of the sparse matrix */
    size_t mask_size;                                     /* bytes */
    bool sparse_result;                                   /* dense x dense = sparse; false: dense x sparse = dense */
    bool rhs_need_transpose;                              /* the sparse right matrix and its mask are given as {n, k} */
    pop_type in_type, out_type;                           /* of the operands and the result: HALF or FLOAT */
    pop_type partials_type;                               /* of partial sums; HALF: with HALF operands */
    popsparse_experimental_sub_block_mask sub_block_mask; /* of a sparse result */
    size_t num_groups;                                    /* independent products, at least 1 */
} popsparse_experimental_bs_mat_mul_params;

POP_BEGIN_DECLS

#define popsparse_experimental_create_bs_mat_mul_input_lhs(...)                                                        \
    popsparse_experimental_create_bs_mat_mul_input_lhs_at(POP_HERE, __VA_ARGS__)
/* A new left operand, {groups x m, k}. */
POP_API pop_tensor popsparse_experimental_create_bs_mat_mul_input_lhs_at(
    pop_where where, pop_graph *graph, const popsparse_experimental_bs_mat_mul_params *params, const char *name,
    pop_options options);
#define popsparse_experimental_create_bs_mat_mul_input_rhs(...)                                                        \
    popsparse_experimental_create_bs_mat_mul_input_rhs_at(POP_HERE, __VA_ARGS__)
/* A new right operand: {groups x k, n}, or {present blocks, elements of a block}. */
POP_API pop_tensor popsparse_experimental_create_bs_mat_mul_input_rhs_at(
    pop_where where, pop_graph *graph, const popsparse_experimental_bs_mat_mul_params *params, const char *name,
    pop_options options);
#define popsparse_experimental_bs_mat_mul(...) popsparse_experimental_bs_mat_mul_at(POP_HERE, __VA_ARGS__)
/* Adds a product to a sequence; the result is new: {groups x m, n}, or {present blocks, elements of a block}, with 0
 * where sub_block_mask says it in blocks on the diagonal. */
POP_API pop_tensor popsparse_experimental_bs_mat_mul_at(pop_where where, pop_graph *graph,
                                                        const popsparse_experimental_bs_mat_mul_params *params,
                                                        pop_program sequence, pop_tensor lhs, pop_tensor rhs,
                                                        pop_options options, const char *name);

POP_END_DECLS
#endif
