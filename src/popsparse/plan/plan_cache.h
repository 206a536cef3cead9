/* SPDX-License-Identifier: Apache-2.0 */
#ifndef POPSPARSE_PLAN_PLAN_CACHE_H
#define POPSPARSE_PLAN_PLAN_CACHE_H

#include "popsparse/plan/plan.h"

/* What a plan depends on. */
struct sparse_plan_key {
    pop_target target;
    struct sparse_shape shape;
    double proportion, oversize;
    bool grad_a, grad_w;
    pop_type sums;
    size_t splits[3];
};
bool sparse_plan_cache_find(popsparse_planning_cache *cache, const struct sparse_plan_key *key,
                            struct sparse_plan *plan);
void sparse_plan_cache_insert(popsparse_planning_cache *cache, const struct sparse_plan_key *key,
                              const struct sparse_plan *plan);
/* The cache for plans of dense products; NULL: none. */
poplin_planning_cache *sparse_plan_cache_dense(const popsparse_planning_cache *cache);

#endif
