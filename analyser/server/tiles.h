/* SPDX-License-Identifier: Apache-2.0 */
/* Figures by tile: what can be asked for, the orders that tiles are drawn in, and as many of them as a graph has
 * pixels.
 *
 * A figure has a name: "total" (bytes without gaps), "gaps" (bytes up to the last one in use), "nonInterleaved",
 * "interleaved", "overflowed", "alwaysLive", "notAlwaysLive" (the tile's maximum over steps), "category:NAME" (shared
 * addresses once), "variable:ID" of the graph's variables, "computeSet:ID" and "vertexType:ID" (code and state),
 * "exchange:ID" (code). */
#ifndef ANALYSER_TILES_H
#define ANALYSER_TILES_H

#include "answer.h"

struct tiles {
    pva_file *file;
    size_t count, per_ipu;
};

/* Of the report's target. */
struct tiles tiles_of(pva_file *file);
/* The figure of that name for all tiles, malloc'ed; NULL with *error where there is none of that name. */
double *tiles_figure(const struct tiles *tiles, const char *name, pop_error *error);

/* The tiles of an IPU in the order of their distance from the point where the IPU synchronises (the target's relative
 * sync delays), equal ones by number: the nearest to a physical order that a report has.  per_ipu numbers, malloc'ed.
 */
uint32_t *tiles_by_distance(const struct tiles *tiles, pop_error *error);
/* Tiles in the order of a graph, all IPUs: by number, or each IPU's by distance.  malloc'ed. */
uint32_t *tiles_order(const struct tiles *tiles, bool physical, pop_error *error);

/* Positions from first (inclusive) to last (exclusive) that stand for one pixel; tile is the one that needs most. */
struct tile_bin {
    uint32_t first, last, tile;
    double minimum, maximum;
};
/* Bins of positions from..to of an order, at most pixels of them, by the figure key.  malloc'ed; *bins are written. */
struct tile_bin *tiles_bin(const uint32_t *order, const double *key, size_t from, size_t to, size_t pixels,
                           size_t *bins);

#endif
