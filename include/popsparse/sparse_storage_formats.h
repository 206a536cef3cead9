/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse matrices of the host: coordinates (COO), compressed rows (CSR) and compressed columns (CSC).
 *
 * Positions are those of elements: of a block, its first row and first column, which are multiples of the block's rows
 * and columns.  The values of a block are stored row by row, and blocks one after the other.
 *
 *   format  row_indices                            column_indices
 *   COO     the row of each block                  the column of each block
 *   CSR     rows / block rows + 1 offsets          the column of each block
 *   CSC     the row of each block                  columns / block columns + 1 offsets
 *
 * Offsets count values, so they are multiples of a block's number of elements; the last is the number of values. */
#ifndef POPSPARSE_SPARSE_STORAGE_FORMATS_H
#define POPSPARSE_SPARSE_STORAGE_FORMATS_H

#include <poplar/visibility.h>
#include <stddef.h>

/* How a matrix is stored. */
typedef enum popsparse_format { POPSPARSE_COO, POPSPARSE_CSR, POPSPARSE_CSC } popsparse_format;

/* A sparse matrix of the host.  As an argument it is borrowed; as a result its arrays are the caller's
 * (popsparse_matrix_free). */
typedef struct popsparse_matrix {
    popsparse_format format;                                   /* how it is stored */
    size_t num_rows, num_columns;                              /* its size in elements; 0: that of the operation */
    size_t block_dimensions[2];                                /* rows and columns of a block; {0, 0}: {1, 1} */
    size_t num_nz_values, num_row_indices, num_column_indices; /* lengths of the arrays */
    double *nz_values;                                         /* the values */
    size_t *row_indices;                                       /* rows, or offsets of rows */
    size_t *column_indices;                                    /* columns, or offsets of columns */
} popsparse_matrix;

POP_BEGIN_DECLS

/* Frees the arrays of a result, and makes it empty.  NULL is allowed. */
POP_API void popsparse_matrix_free(popsparse_matrix *matrix);

POP_END_DECLS
#endif
