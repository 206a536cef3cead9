/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse operands on the device: the pattern and the values of a matrix, in buckets.  Their sizes depend on the
 * operation's parameters and options alone; sparse_partitioner.h makes their contents. */
#ifndef POPSPARSE_SPARSE_TENSOR_H
#define POPSPARSE_SPARSE_TENSOR_H

#include <poplar/tensor.h>

/* An operand of dynamic operations. */
typedef struct popsparse_dynamic_sparse_tensor {
    pop_tensor meta_info; /* UNSIGNED_SHORT, rank 1: the pattern */
    pop_tensor nz_values; /* HALF or FLOAT, rank 1: the values */
    const char *op;       /* the operation that it was created for, which calls check: a text that the graph owns;
                           * NULL: not known, and not checked */
} popsparse_dynamic_sparse_tensor;

#endif
