/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/common/owners.h"

#include <assert.h>

static uint32_t home_of(const struct variable *variable)
{
    const struct tile_map *map = &variable->map;
    if (variable->follows_vertex)
        return HOME_EVERYWHERE;
    if (map->ranges.count != 1 || map->ranges.data[0].begin || map->ranges.data[0].end != variable->elements)
        return HOME_PARTS;
    return map->ranges.data[0].tile;
}

void owners_init(struct owners *owners, const pop_store *store, const struct check_result *check)
{
    assert(check->variable_use);
    *owners = (struct owners){ .store = store, .count = store->variables.count };
    owners->home = mem_alloc(owners->count * sizeof(*owners->home));
    owners->index = mem_zero(owners->count, sizeof(*owners->index));
    for (size_t v = 0; v < owners->count; ++v)
        owners->home[v] = check->variable_use[v] ? home_of(&store->variables.data[v]) : HOME_PARTS;
}

void owners_free(struct owners *owners)
{
    for (size_t v = 0; v < owners->count; ++v)
        if (owners->home[v] == HOME_PARTS)
            free(owners->index[v].first);
    free(owners->home);
    free(owners->index);
}

/* About as many buckets as ranges, so that few buckets contain more than one bound. */
static void make_index(struct owner_index *index, const struct variable *variable)
{
    const struct tile_map *map = &variable->map;
    assert(!index->first && map->ranges.count);
    while (variable->elements >> index->shift > 2 * map->ranges.count)
        ++index->shift;
    uint64_t places = (variable->elements >> index->shift) + 2;
    index->first = mem_alloc(places * sizeof(*index->first));
    uint32_t range = 0;
    for (uint64_t place = 0; place < places; ++place) {
        while (range < map->ranges.count && map->ranges.data[range].end <= place << index->shift)
            ++range;
        index->first[place] = range;
    }
}

uint32_t owners_search(struct owners *owners, uint32_t variable, uint64_t element, uint64_t *end)
{
    assert(variable < owners->count && owners->home[variable] == HOME_PARTS);
    assert(element < owners->store->variables.data[variable].elements);
    struct owner_index *index = &owners->index[variable];
    const struct tile_range *ranges = owners->store->variables.data[variable].map.ranges.data;
    if (!index->first)
        make_index(index, &owners->store->variables.data[variable]);
    uint32_t low = index->first[element >> index->shift], high = index->first[(element >> index->shift) + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ranges[middle].end <= element)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low < owners->store->variables.data[variable].map.ranges.count && ranges[low].begin <= element);
    *end = ranges[low].end;
    return ranges[low].tile;
}
