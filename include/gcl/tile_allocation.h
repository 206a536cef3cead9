/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles for input and output: those of an IPU that programs should not use for compute. */
#ifndef GCL_TILE_ALLOCATION_H
#define GCL_TILE_ALLOCATION_H

#include <poplar/graph.h>

POP_BEGIN_DECLS

/* The minimum number of tiles for input and output on an IPU: 32, or all tiles of a smaller IPU. */
POP_API unsigned gcl_get_min_io_tiles(const pop_graph *graph);
#define gcl_per_ipu_tiles(...) gcl_per_ipu_tiles_at(POP_HERE, __VA_ARGS__)
/* Numbers of `count` tiles within an IPU, from `offset` on, in order of suitability for input and output: tiles that
 * share an exchange bus are adjacent, and the pairs are spread over the IPU. sorted: in ascending order instead.
 * pairs: offset and count must be even when the IPU has pairs. Returns false and records an index_error when there
 * are not enough tiles. */
POP_API bool gcl_per_ipu_tiles_at(pop_where where, pop_graph *graph, unsigned offset, unsigned count, bool sorted,
                                  bool pairs, unsigned *tiles);

POP_END_DECLS
#endif
