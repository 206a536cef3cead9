/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/common/edges.h"

#include <assert.h>

/* Index of the first range that ends after an element. */
static size_t range_search(const struct tile_map *map, uint64_t element)
{
    size_t low = 0, high = map->ranges.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (map->ranges.data[middle].end <= element)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t tile_map_gap(const struct tile_map *map, uint64_t begin, uint64_t end)
{
    for (size_t i = range_search(map, begin); begin < end; ++i) {
        if (i == map->ranges.count || map->ranges.data[i].begin > begin)
            return begin;
        begin = map->ranges.data[i].end;
    }
    return end;
}

void tile_walk_begin(struct tile_walk *walk, const struct order_result *order, const struct used_set *set)
{
    assert((uint64_t)set->first_group + set->groups <= order->groups.count); /* pass_order has made them */
    *walk = (struct tile_walk){ .order = order, .set = set };
    walk->first = mem_alloc(set->groups * sizeof(*walk->first));
    walk->last = mem_alloc(set->groups * sizeof(*walk->last));
    walk->span = mem_zero(set->groups, sizeof(*walk->span));
    for (uint32_t g = 0; g < set->groups; ++g)
        walk->first[g] = walk->last[g] = order->groups.data[set->first_group + g].first;
}

bool tile_walk_next(struct tile_walk *walk)
{
    const struct order_result *order = walk->order;
    const struct vertex_group *groups = order->groups.data + walk->set->first_group;
    walk->tile = NONE;
    for (uint32_t g = 0; g < walk->set->groups; ++g)
        if (walk->span[g] < groups[g].spans &&
            order->spans.data[groups[g].first_span + walk->span[g]].tile < walk->tile)
            walk->tile = order->spans.data[groups[g].first_span + walk->span[g]].tile;
    for (uint32_t g = 0; g < walk->set->groups; ++g) {
        const struct tile_span *span = &order->spans.data[groups[g].first_span + walk->span[g]];
        walk->first[g] = walk->last[g];
        if (walk->span[g] == groups[g].spans || span->tile != walk->tile)
            continue;
        walk->last[g] += span->count;
        ++walk->span[g];
        assert(walk->last[g] <= groups[g].first + groups[g].count);
    }
    return walk->tile != NONE;
}

void tile_walk_end(struct tile_walk *walk)
{
    free(walk->first);
    free(walk->last);
    free(walk->span);
}
