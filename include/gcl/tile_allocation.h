/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles for input and output: which tiles of an IPU programs leave to it. */
#ifndef GCL_TILE_ALLOCATION_H
#define GCL_TILE_ALLOCATION_H

#include <poplar/graph.h>

POP_BEGIN_DECLS

/* The fewest tiles of an IPU that are given to input and output: 32, or all of a smaller IPU. */
POP_API unsigned gcl_get_min_io_tiles(const pop_graph *graph);
#define gcl_per_ipu_tiles(...) gcl_per_ipu_tiles_at(POP_HERE, __VA_ARGS__)
/* Numbers of `count` tiles within an IPU, those from `offset` on of an order that begins with the tiles that are best
 * for input and output: tiles that share an exchange bus stand together, and the pairs are spread over the IPU. sorted:
 * in ascending order.  pairs: offset and count must be even where the IPU has pairs.  False, and the error recorded
 * (index_error), when there are no such tiles. */
POP_API bool gcl_per_ipu_tiles_at(pop_where where, pop_graph *graph, unsigned offset, unsigned count, bool sorted,
                                  bool pairs, unsigned *tiles);

POP_END_DECLS
#endif
