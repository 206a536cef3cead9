/* SPDX-License-Identifier: Apache-2.0 */
/* Divides entries into the buckets of a plan (plan.h has their layout). */
#ifndef POPSPARSE_HOST_BUCKETS_H
#define POPSPARSE_HOST_BUCKETS_H

#include "popsparse/host/entries.h"
#include "popsparse/plan/plan.h"

enum { SPARSE_NO_PLACE = -1 };

/* The contents of buckets: meta_info, and for each block of the values' tensor the place of its values (SIZE_MAX:
 * none).  blocks: places of a bucket. */
struct sparse_buckets {
    size_t *meta_info, *places;
    size_t blocks;
};
/* Sorted entries, in buckets. False after the error that there is no place. Freed by sparse_buckets_free. */
bool sparse_buckets_fill(const struct call *call, const struct sparse_shape *shape, const struct sparse_plan *plan,
                         const struct sparse_options *options, const struct sparse_entries *entries,
                         struct sparse_buckets *buckets);
void sparse_buckets_free(struct sparse_buckets *buckets);

#endif
