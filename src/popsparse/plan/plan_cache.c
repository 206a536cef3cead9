/* SPDX-License-Identifier: Apache-2.0 */
#include "popsparse/plan/plan_cache.h"

#include <pthread.h>

struct cached {
    struct sparse_plan_key key;
    struct sparse_plan plan;
};
struct popsparse_planning_cache {
    pthread_mutex_t lock;
    struct cached *list;
    size_t count, capacity;
    poplin_planning_cache *dense;
};

popsparse_planning_cache *popsparse_planning_cache_create(poplin_planning_cache *dense)
{
    popsparse_planning_cache *cache = poplibs_zeros(1, sizeof(*cache));
    pthread_mutex_init(&cache->lock, NULL);
    cache->dense = dense;
    return cache;
}
void popsparse_planning_cache_destroy(popsparse_planning_cache *cache)
{
    if (!cache)
        return;
    pthread_mutex_destroy(&cache->lock);
    free(cache->list);
    free(cache);
}
size_t popsparse_planning_cache_size(const popsparse_planning_cache *cache)
{
    return cache ? cache->count : 0;
}
poplin_planning_cache *sparse_plan_cache_dense(const popsparse_planning_cache *cache)
{
    return cache ? cache->dense : NULL;
}

static bool same_shape(const struct sparse_shape *a, const struct sparse_shape *b)
{
    return a->type == b->type && a->groups == b->groups && a->rows == b->rows && a->columns == b->columns &&
           a->batch == b->batch && a->block_rows == b->block_rows && a->block_columns == b->block_columns &&
           a->nz == b->nz;
}
static bool same(const struct sparse_plan_key *a, const struct sparse_plan_key *b)
{
    return same_shape(&a->shape, &b->shape) && a->proportion == b->proportion && a->oversize == b->oversize &&
           a->grad_a == b->grad_a && a->grad_w == b->grad_w && a->sums == b->sums && a->splits[0] == b->splits[0] &&
           a->splits[1] == b->splits[1] && a->splits[2] == b->splits[2] && pop_target_equal(&a->target, &b->target);
}
/* NULL: not known. */
static const struct cached *find(const popsparse_planning_cache *cache, const struct sparse_plan_key *key)
{
    for (size_t i = 0; i < cache->count; ++i)
        if (same(&cache->list[i].key, key))
            return cache->list + i;
    return NULL;
}

bool sparse_plan_cache_find(popsparse_planning_cache *cache, const struct sparse_plan_key *key,
                            struct sparse_plan *plan)
{
    if (!cache)
        return false;
    pthread_mutex_lock(&cache->lock);
    const struct cached *found = find(cache, key);
    if (found)
        *plan = found->plan;
    pthread_mutex_unlock(&cache->lock);
    return found != NULL;
}

void sparse_plan_cache_insert(popsparse_planning_cache *cache, const struct sparse_plan_key *key,
                              const struct sparse_plan *plan)
{
    if (!cache)
        return;
    pthread_mutex_lock(&cache->lock);
    if (!find(cache, key)) /* another thread may have added it */
        *poplibs_push(cache) = (struct cached){ *key, *plan };
    pthread_mutex_unlock(&cache->lock);
}
