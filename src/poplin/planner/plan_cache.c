/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/planner/plan_cache.h"

#include <assert.h>
#include <pthread.h>

struct poplin_planning_cache {
    pthread_mutex_t lock;
    struct plan_cached **places; /* an open-addressing hash table; size is a power of 2 */
    size_t size, count;
};

poplin_planning_cache *poplin_planning_cache_create(void)
{
    poplin_planning_cache *cache = poplibs_zeros(1, sizeof(*cache));
    pthread_mutex_init(&cache->lock, NULL);
    return cache;
}
void poplin_planning_cache_destroy(poplin_planning_cache *cache)
{
    if (!cache)
        return;
    for (size_t i = 0; i < cache->size; ++i)
        free(cache->places[i]);
    free(cache->places);
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}
size_t poplin_planning_cache_size(const poplin_planning_cache *cache)
{
    return cache ? cache->count : 0;
}

static bool same(const struct plan_cached *a, const struct plan_cached *b)
{
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): different padding only costs a search */
    bool options = memcmp(&a->options, &b->options, sizeof(a->options)) == 0;
    return options && poplin_conv_params_equal(&a->planned.params, &b->planned.params) &&
           pop_target_equal(&a->target, &b->target);
}
static size_t place_of(const poplin_planning_cache *cache, const struct plan_cached *asked)
{
    assert(cache->count < cache->size && (cache->size & (cache->size - 1)) == 0);
    uint64_t hash =
        poplin_conv_params_hash(&asked->planned.params) ^ (uint64_t)asked->options.pass * UINT64_C(0x9e3779b97f4a7c15);
    size_t i = (hash ^ hash >> 32) & (cache->size - 1);
    while (cache->places[i] && !same(cache->places[i], asked))
        i = (i + 1) & (cache->size - 1);
    return i;
}

bool plan_cache_find(poplin_planning_cache *cache, struct plan_cached *asked)
{
    if (!cache)
        return false;
    pthread_mutex_lock(&cache->lock);
    const struct plan_cached *found = cache->size ? cache->places[place_of(cache, asked)] : NULL;
    if (found)
        asked->planned = found->planned;
    pthread_mutex_unlock(&cache->lock);
    return found != NULL;
}

static void grow(poplin_planning_cache *cache)
{
    struct plan_cached **old = cache->places;
    size_t old_size = cache->size;
    cache->size = old_size ? 2 * old_size : 64;
    cache->places = poplibs_zeros(cache->size, sizeof(struct plan_cached *));
    for (size_t i = 0; i < old_size; ++i)
        if (old[i])
            cache->places[place_of(cache, old[i])] = old[i];
    free(old);
}
void plan_cache_insert(poplin_planning_cache *cache, const struct plan_cached *found)
{
    if (!cache)
        return;
    pthread_mutex_lock(&cache->lock);
    if (2 * (cache->count + 1) > cache->size)
        grow(cache);
    struct plan_cached **place = &cache->places[place_of(cache, found)];
    if (!*place) { /* another thread may have added it */
        *place = poplibs_new(1, sizeof(**place));
        **place = *found;
        ++cache->count;
    }
    pthread_mutex_unlock(&cache->lock);
}
