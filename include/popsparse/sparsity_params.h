/* SPDX-License-Identifier: Apache-2.0 */
/* How the non-zero values of a sparse matrix are grouped: single elements, or blocks of rows and columns. */
#ifndef POPSPARSE_SPARSITY_PARAMS_H
#define POPSPARSE_SPARSITY_PARAMS_H

#include <poplar/visibility.h>
#include <stddef.h>

/* Single elements, or blocks that are absent or present as a whole. */
typedef enum popsparse_sparsity_type {
    POPSPARSE_SPARSITY_ELEMENT = 0,
    POPSPARSE_SPARSITY_BLOCK = 1
} popsparse_sparsity_type;
/* Where non-zero values can be: anywhere. */
typedef enum popsparse_sparsity_structure { POPSPARSE_SPARSITY_UNSTRUCTURED = 0 } popsparse_sparsity_structure;

/* The kind of a sparse matrix. {0} stands for single elements. */
typedef struct popsparse_sparsity_params {
    popsparse_sparsity_type type;           /* ELEMENT exactly when a block has one element */
    popsparse_sparsity_structure structure; /* UNSTRUCTURED */
    size_t block_dimensions[2];             /* rows and columns of a block */
} popsparse_sparsity_params;

POP_BEGIN_DECLS

/* The parameters for blocks of so many rows and columns; the type follows from them. */
POP_API popsparse_sparsity_params popsparse_sparsity_params_make(size_t block_rows, size_t block_columns);

POP_END_DECLS
#endif
