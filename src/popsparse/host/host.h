/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the host to and from buckets (buckets.h). */
#ifndef POPSPARSE_HOST_HOST_H
#define POPSPARSE_HOST_HOST_H

#include "popsparse/host/buckets.h"
#include "popsparse/host/entries.h"
#include "popsparse/plan/plan.h"

/* partition_data.c: values between a matrix of the host and the tensor of buckets. */

/* The contents of the values' tensor, which the caller frees; zeros where there is no place. */
double *sparse_values_of(const struct sparse_shape *shape, const struct sparse_plan *plan,
                         const struct sparse_buckets *buckets, const double *values);
/* The matrix of entries whose places are blocks of buckets. */
popsparse_matrix sparse_matrix_of(const struct sparse_shape *shape, const struct sparse_plan *plan,
                                  const struct sparse_entries *entries, const double *values, popsparse_format format);

/* read_buckets.c */

/* The entries of buckets, sorted; places are blocks of the tensor. The caller frees the list. False after the error
 * that meta_info is no pattern. */
bool sparse_buckets_read(const struct call *call, const struct sparse_shape *shape, const struct sparse_plan *plan,
                         const size_t *meta_info, struct sparse_entries *entries);

#endif
