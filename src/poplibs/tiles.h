/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of element-wise operations over tiles: visits a tensor's elements on each tile, in regions that are
 * contiguous in memory. */
#ifndef POPLIBS_TILES_H
#define POPLIBS_TILES_H

#include "poplibs/call.h"

#include <poputil/util.h>

/* The number of elements in one of the lists. */
size_t poplibs_list_elements(const pop_interval_lists *lists, size_t list);

/* The distribution of elements: the maximum on a tile, and the number of tiles that have any. */
struct poplibs_spread {
    size_t max, tiles;
};
struct poplibs_spread poplibs_spread_of(const pop_interval_lists *mapping);
static inline bool poplibs_spread_better(struct poplibs_spread a, struct poplibs_spread b)
{
    return a.max < b.max || (a.max == b.max && a.tiles > b.tiles);
}

/* Regions of a flattened tensor on one tile: each list is one contiguous region of memory. */
struct poplibs_tile {
    unsigned tile;
    const pop_interval_lists *regions;
};
typedef void (*call_tile_visitor)(const struct call *call, const struct poplibs_tile *tile, void *user);

/* The first tile that has elements of t: that of a scalar. Tile 0 for a tensor without elements. False after an error
 * of the graph. */
bool call_first_tile(const struct call *call, pop_tensor t, unsigned *tile);

/* Visits each tile that has elements of t, which must be flat; an element that occurs several times in t is visited
 * once. */
void call_for_each_tile(const struct call *call, pop_tensor flat, call_tile_visitor visit, void *user);
/* The elements of a flat tensor that a list of intervals selects, as a tensor of rank 1. */
pop_tensor call_slice_of_list(const struct call *call, pop_tensor flat, const pop_interval_lists *lists, size_t list);
/* Connects a vector of vectors: row i gets the elements of list first + i. */
void call_connect_rows(const struct call *call, pop_vertex vertex, const char *field, pop_tensor flat,
                       const pop_interval_lists *lists, size_t first, size_t count);

#endif
