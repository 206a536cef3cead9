/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"
#include "target/target.h"

#include <pthread.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Limits and flows follow in the same block. */
struct kept_limits {
    struct kept_limits *next;
    pop_exchange_limits limits;
};
static struct kept_limits *all_kept;
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_limit(const pop_exchange_limit *a, const pop_exchange_limit *b)
{
    if (a->bandwidth != b->bandwidth)
        return a->bandwidth < b->bandwidth ? -1 : 1;
    int order = compare_numbers(a->num_flows, b->num_flows);
    for (uint32_t f = 0; f < a->num_flows && !order; ++f) {
        order = compare_numbers(a->flows[f].source, b->flows[f].source);
        order = order ? order : compare_numbers(a->flows[f].destination, b->flows[f].destination);
    }
    return order;
}

int exchange_limits_compare(const pop_exchange_limits *a, const pop_exchange_limits *b)
{
    int order = compare_numbers(a->count, b->count);
    for (uint32_t i = 0; i < a->count && a->limits != b->limits && !order; ++i)
        order = compare_limit(&a->limits[i], &b->limits[i]);
    return order;
}

uint64_t exchange_limits_hash(const pop_exchange_limits *limits, uint64_t seed)
{
    for (uint32_t i = 0; i < limits->count; ++i) {
        const pop_exchange_limit *limit = &limits->limits[i];
        seed = XXH3_64bits_withSeed(&limit->bandwidth, sizeof(limit->bandwidth), seed);
        seed = XXH3_64bits_withSeed(limit->flows, limit->num_flows * sizeof(*limit->flows), seed);
    }
    return seed;
}

static struct kept_limits *copy_of(const pop_exchange_limits *limits)
{
    size_t flows = 0;
    for (uint32_t i = 0; i < limits->count; ++i)
        flows += limits->limits[i].num_flows;
    struct kept_limits *kept =
        mem_zero(1, sizeof(*kept) + limits->count * sizeof(pop_exchange_limit) + flows * sizeof(pop_exchange_flow));
    pop_exchange_limit *to = (pop_exchange_limit *)(void *)(kept + 1);
    pop_exchange_flow *flow = (pop_exchange_flow *)(void *)(to + limits->count);
    kept->limits = (pop_exchange_limits){ limits->count, to };
    for (uint32_t i = 0; i < limits->count; ++i) {
        const pop_exchange_limit *from = &limits->limits[i];
        memcpy(flow, from->flows, from->num_flows * sizeof(*flow));
        to[i] = (pop_exchange_limit){ from->bandwidth, from->num_flows, flow };
        flow += from->num_flows;
    }
    return kept;
}

void exchange_limits_keep(pop_exchange_limits *limits)
{
    if (!limits->count) {
        limits->limits = NULL;
        return;
    }
    pthread_mutex_lock(&kept_lock);
    struct kept_limits *kept = all_kept;
    while (kept && exchange_limits_compare(&kept->limits, limits) != 0)
        kept = kept->next;
    if (!kept) {
        kept = copy_of(limits);
        kept->next = all_kept;
        all_kept = kept;
    }
    *limits = kept->limits;
    pthread_mutex_unlock(&kept_lock);
}
