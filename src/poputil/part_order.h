/* SPDX-License-Identifier: Apache-2.0 */
/* The tile of part i of a mapping that begins at an offset and ascends, or descends from the last tile; and the part of
 * a tile. (poputil_transform_tile_index descends from one tile further on: programs depend on both.) */
#ifndef POPUTIL_PART_ORDER_H
#define POPUTIL_PART_ORDER_H

#include <stdbool.h>
#include <stdint.h>

static inline unsigned tile_of_part(unsigned part, unsigned num_tiles, unsigned offset, bool ascending)
{
    unsigned moved = (unsigned)(((uint64_t)part + offset) % num_tiles);
    return ascending ? moved : num_tiles - 1 - moved;
}

static inline unsigned part_of_tile(unsigned tile, unsigned num_tiles, unsigned offset, bool ascending)
{
    unsigned moved = ascending ? tile % num_tiles : num_tiles - 1 - tile % num_tiles;
    return (unsigned)(((uint64_t)moved + num_tiles - offset % num_tiles) % num_tiles);
}

#endif
