/* SPDX-License-Identifier: Apache-2.0 */
#ifndef POPSPARSE_HOST_READ_BUCKETS_H
#define POPSPARSE_HOST_READ_BUCKETS_H

#include "popsparse/host/entries.h"
#include "popsparse/plan/plan.h"

/* The entries of buckets, sorted; places are blocks of the tensor. The caller frees the list. False after the error
 * that meta_info is no pattern. */
bool sparse_buckets_read(const struct call *call, const struct sparse_shape *shape, const struct sparse_plan *plan,
                         const size_t *meta_info, struct sparse_entries *entries);

#endif
