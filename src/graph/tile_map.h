/* SPDX-License-Identifier: Apache-2.0 */
/* The tile mapping of one variable: a log of calls, sorted at the first query. */
#ifndef GRAPH_TILE_MAP_H
#define GRAPH_TILE_MAP_H

#include "graph/build.h"
#include "graph/store.h"

/* Appends a range to the log. */
void tile_map_add(struct tile_map *map, uint64_t begin, uint64_t end, uint32_t tile);
/* Sorts the log: linear when it already is in order, n log n otherwise. */
void tile_map_compact(struct tile_map *map);
/* Whether each of the variable's elements has a tile; the result is cached. */
bool tile_map_is_whole(struct tile_map *map, uint64_t elements);
/* Tile of an element of a compact map, UNMAPPED_TILE when it has none.  *cursor makes ascending look-ups constant time;
 * start it at 0. */
uint32_t tile_map_find(const struct tile_map *map, uint64_t element, size_t *cursor);

#endif
