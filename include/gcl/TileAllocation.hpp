// SPDX-License-Identifier: Apache-2.0
// Tiles for input and output (gcl/tile_allocation.h).
#ifndef GCL_TILE_ALLOCATION_HPP
#define GCL_TILE_ALLOCATION_HPP

#include <gcl/tile_allocation.h>
#include <poplar/Graph.hpp>
#include <poputil/detail/call.hpp>
#include <vector>

namespace gcl
{

// For releases that had it as a constant.
enum : unsigned { MIN_IO_TILES = 32 };

inline unsigned getMinIoTiles(const poplar::Graph &graph)
{
    return gcl_get_min_io_tiles(graph.c());
}
inline std::vector<unsigned> perIPUTiles(const poplar::Graph &graph, unsigned offset, unsigned count,
                                         bool sorted = true, bool tilePairs = true)
{
    std::vector<unsigned> tiles(count);
    gcl_per_ipu_tiles(graph.c(), offset, count, sorted, tilePairs, tiles.data());
    poputil::detail::check(graph.c());
    return tiles;
}

// Number of exchange buses that collectives reserved in releases 2.0 to 2.2: none are reserved here.
inline unsigned getNumXBsUsed()
{
    return 0;
}

} // namespace gcl
#endif
