/* SPDX-License-Identifier: Apache-2.0 */
/* Begin and end of tiles in a step, read from the report's file. Steps that are equal relative to their base are
 * decoded once; a cache keeps the most recent. */
#ifndef ANALYSER_STEP_TILES_H
#define ANALYSER_STEP_TILES_H

#include "lod.h"

/* Times of a pattern of a program, relative to the base of each tile's IPU. */
struct tile_step {
    uint32_t pattern, program;
    uint64_t used;
    int64_t *from, *to; /* by tile */
};
struct tile_times {
    const struct lod *lod;
    pva_file *file;
    size_t count; /* number of cache entries, a power of 2 */
    uint64_t clock;
    struct tile_step *kept;
};
struct tile_times step_tiles_begin(const struct lod *lod, pva_file *file);
void step_tiles_end(struct tile_times *times);
/* The times of a step, valid until the next call. NULL on failure, which the file keeps. */
const struct tile_step *step_tiles(struct tile_times *times, uint64_t step);

static inline void step_tiles_when(const struct tile_times *times, const struct tile_step *tiles, uint64_t step,
                                   unsigned tile, double *from, double *to)
{
    uint64_t base = lod_base(times->lod, step, tile / times->lod->tiles_per_ipu);
    *from = (double)(int64_t)(base + (uint64_t)tiles->from[tile]);
    *to = (double)(int64_t)(base + (uint64_t)tiles->to[tile]);
}

#endif
