/* SPDX-License-Identifier: Apache-2.0 */
/* Values between a matrix of the host and the tensor of buckets. */
#ifndef POPSPARSE_HOST_PARTITION_DATA_H
#define POPSPARSE_HOST_PARTITION_DATA_H

#include "popsparse/host/buckets.h"

/* The contents of the values' tensor, which the caller frees; zeros where there is no place. */
double *sparse_values_of(const struct sparse_shape *shape, const struct sparse_plan *plan,
                         const struct sparse_buckets *buckets, const double *values);
/* The matrix of entries whose places are blocks of buckets. */
popsparse_matrix sparse_matrix_of(const struct sparse_shape *shape, const struct sparse_plan *plan,
                                  const struct sparse_entries *entries, const double *values, popsparse_format format);

#endif
