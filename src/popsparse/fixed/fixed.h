/* SPDX-License-Identifier: Apache-2.0 */
/* Static products: the pattern is fixed, so each bucket is as large as the fullest cell needs, and none travels. */
#ifndef POPSPARSE_FIXED_FIXED_H
#define POPSPARSE_FIXED_FIXED_H

#include "popsparse/host/buckets.h"
#include "popsparse/pass/request.h"

/* A product's request for a pattern, without the sizes of buckets. False after an error of the graph. */
struct sparse_fixed {
    const popsparse_static_mat_mul_params *params;
    pop_type type;
    const struct sparse_options *options; /* NULL: the call's */
    const pop_target *target;
    popsparse_planning_cache *cache;
};
bool sparse_fixed_request(const struct call *call, const struct sparse_fixed *fixed, const popsparse_matrix *matrix,
                          struct sparse_request *request);
/* Sets the sizes of buckets and fills them. buckets are freed by sparse_buckets_free. */
bool sparse_fixed_fill(const struct call *call, struct sparse_request *request, const popsparse_matrix *matrix,
                       struct sparse_buckets *buckets);
/* The pattern without its header, as a constant on the tiles of the buckets. */
pop_tensor sparse_pattern_constant(const struct call *call, const struct sparse_request *request,
                                   const struct sparse_buckets *buckets);

#endif
