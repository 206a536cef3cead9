/* SPDX-License-Identifier: Apache-2.0 */
/* The graph profile, and vectors with an element for each tile. */
#ifndef PROFILE_GRAPH_PROFILE_H
#define PROFILE_GRAPH_PROFILE_H

#include "image/image.h"
#include "timeline/costs.h"
#include "value/value.h"

/* A vector with an element for each tile, from entries in order of tile; tiles that none names have 0. */
struct by_tile {
    pop_profile_value vector;
    size_t at, tiles;
};
struct by_tile by_tile_begin(size_t tiles, size_t entries);
void by_tile_add(struct by_tile *by, size_t tile, size_t tiles, uint64_t value);
pop_profile_value by_tile_end(struct by_tile *by);
pop_profile_value by_tile_of(const uint64_t *values, size_t tiles);

/* The graph profile (docs/reports/profiling.md), owned by the caller; a CPU's has target and graph alone. costs: what
 * was counted in runs; NULL: nothing. */
pop_profile_value graph_profile(const struct image *image, const struct step_costs *costs);

#endif
