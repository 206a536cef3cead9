/* SPDX-License-Identifier: Apache-2.0 */
/* The tile mapping of one variable: a log of calls, sorted at the first query. */
#include "graph/store/store.h"

void tile_map_add(struct tile_map *map, uint64_t begin, uint64_t end, uint32_t tile)
{
    if (begin >= end)
        return;
    struct tile_range *last = map->ranges.count ? &map->ranges.data[map->ranges.count - 1] : NULL;
    while (last && begin <= last->begin && last->end <= end) /* covered: as if it had never been */
        last = --map->ranges.count ? last - 1 : NULL;
    if (!last) {
        map->compact = true;
    } else if (begin == last->end && tile == last->tile) {
        last->end = end;
        return;
    } else if (begin < last->end) {
        map->compact = false;
    }
    if (!map->ranges.capacity) { /* most variables have one range */
        map->ranges.data = mem_alloc(sizeof(*map->ranges.data));
        map->ranges.capacity = 1;
    }
    *vec_push(&map->ranges) = (struct tile_range){ begin, end, tile };
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Sorted bounds of all ranges, each once. */
static uint64_t *bounds_of(const struct tile_map *map, size_t *count)
{
    size_t n = map->ranges.count * 2, kept = 0;
    uint64_t *bounds = mem_alloc(n * sizeof(*bounds));
    for (size_t i = 0; i < map->ranges.count; ++i) {
        bounds[2 * i] = map->ranges.data[i].begin;
        bounds[2 * i + 1] = map->ranges.data[i].end;
    }
    qsort(bounds, n, sizeof(*bounds), compare);
    for (size_t i = 0; i < n; ++i)
        if (!kept || bounds[i] != bounds[kept - 1])
            bounds[kept++] = bounds[i];
    *count = kept;
    return bounds;
}

static size_t bound_index(const uint64_t *bounds, size_t count, uint64_t bound)
{
    return (size_t)((uint64_t *)bsearch(&bound, bounds, count, sizeof(*bounds), compare) - bounds);
}

/* The first unpainted cell from cell on (union-find with path halving). */
static size_t unpainted(size_t *next, size_t cell)
{
    while (next[cell] != cell)
        cell = next[cell] = next[next[cell]];
    return cell;
}

/* Paints the cells between bounds from the latest call back to the first, each cell once: n log n, the sort. */
void tile_map_compact(struct tile_map *map)
{
    if (map->compact || !map->ranges.count) {
        map->compact = true;
        return;
    }
    size_t count;
    uint64_t *bounds = bounds_of(map, &count);
    size_t cells = count - 1;
    uint32_t *tile = mem_alloc(cells * sizeof(*tile));
    size_t *next = mem_alloc(count * sizeof(*next));
    for (size_t i = 0; i < count; ++i)
        next[i] = i;
    for (size_t i = 0; i < cells; ++i)
        tile[i] = UNMAPPED_TILE;
    for (size_t i = map->ranges.count; i-- > 0;) {
        const struct tile_range *range = &map->ranges.data[i];
        size_t end = bound_index(bounds, count, range->end);
        for (size_t c = unpainted(next, bound_index(bounds, count, range->begin)); c < end; c = unpainted(next, c)) {
            tile[c] = range->tile;
            next[c] = c + 1;
        }
    }
    map->ranges.count = 0;
    map->compact = true;
    for (size_t i = 0; i < cells; ++i)
        if (tile[i] != UNMAPPED_TILE)
            tile_map_add(map, bounds[i], bounds[i + 1], tile[i]);
    free(bounds);
    free(tile);
    free(next);
}

bool tile_map_is_whole(struct tile_map *map, uint64_t elements)
{
    if (map->whole)
        return true;
    uint64_t reached = 0;
    tile_map_compact(map);
    for (size_t i = 0; i < map->ranges.count && map->ranges.data[i].begin == reached; ++i)
        reached = map->ranges.data[i].end;
    return map->whole = reached == elements;
}

/* Bounds of the first range that ends behind an element: from the cursor on or back by twice as many each time. */
static void bound_search(const struct tile_map *map, uint64_t element, size_t cursor, size_t *low, size_t *high)
{
    const struct tile_range *ranges = map->ranges.data;
    size_t count = map->ranges.count, width = 2, at = cursor < count ? cursor : count;
    *low = 0;
    *high = count;
    if (at < count && ranges[at].end <= element) {
        for (*low = at + 1; width < count - at; width *= 2) {
            if (ranges[at + width].end > element) {
                *high = at + width;
                return;
            }
            *low = at + width + 1;
        }
    } else {
        for (*high = at; width <= at; width *= 2) {
            if (ranges[at - width].end <= element) {
                *low = at - width + 1;
                return;
            }
            *high = at - width;
        }
    }
}

uint32_t tile_map_find(const struct tile_map *map, uint64_t element, size_t *cursor)
{
    const struct tile_range *ranges = map->ranges.data;
    size_t count = map->ranges.count, at = *cursor, low, high;
    for (size_t i = at; i < count && i < at + 2; ++i)
        if (element >= ranges[i].begin && element < ranges[i].end)
            return *cursor = i, ranges[i].tile;
    bound_search(map, element, at, &low, &high);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranges[middle].end <= element)
            low = middle + 1;
        else
            high = middle;
    }
    *cursor = low;
    return low < count && element >= ranges[low].begin ? ranges[low].tile : UNMAPPED_TILE;
}
