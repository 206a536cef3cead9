/* SPDX-License-Identifier: Apache-2.0 */
/* Walking the edges of vertices, and the tiles that a range of a variable is on. */
#ifndef COMPILER_COMMON_EDGES_H
#define COMPILER_COMMON_EDGES_H

#include "compiler/common/compiler.h"
#include "graph/view/edge.h"

/* First element of [begin, end) that no tile has, or end. */
uint64_t tile_map_gap(const struct tile_map *map, uint64_t begin, uint64_t end);

/* Vertices of a set tile by tile: while (tile_walk_next(&walk)) for each group g of the set, vertices
 * order->vertices[walk.first[g] .. walk.last[g]). */
struct tile_walk {
    const struct order_result *order;
    const struct used_set *set;
    uint32_t tile;
    uint64_t *first, *last; /* by group of the set */
    size_t *span;           /* the same: its next one */
};
void tile_walk_begin(struct tile_walk *walk, const struct order_result *order, const struct used_set *set);
bool tile_walk_next(struct tile_walk *walk);
void tile_walk_end(struct tile_walk *walk);

#endif
