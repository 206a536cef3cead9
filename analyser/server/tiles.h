/* SPDX-License-Identifier: Apache-2.0 */
/* Figures by tile: their names, the orders in which tiles are drawn, and their reduction to the pixels of a graph.
 *
 * A figure has a name: "total" (bytes without gaps), "gaps" (bytes up to the last one in use), "nonInterleaved",
 * "interleaved", "overflowed", "alwaysLive", "notAlwaysLive" (the tile's maximum over steps), "category:NAME" (shared
 * addresses counted once), "variable:ID" of the graph's variables, "computeSet:ID" and "vertexType:ID" (code and
 * state), "exchange:ID" (code). */
#ifndef ANALYSER_TILES_H
#define ANALYSER_TILES_H

#include "answer.h"

struct tiles {
    pva_file *file;
    size_t count, per_ipu;
};

/* The tiles of the report's target. */
struct tiles tiles_of(pva_file *file);
/* A figure for all tiles, malloc'ed; NULL, with *error set, when the name is unknown. */
double *tiles_figure(const struct tiles *tiles, const char *name, pop_error *error);

/* The tiles of an IPU by increasing distance from the point where the IPU synchronises (the target's relative sync
 * delays), ties by number: the best approximation of a physical order in a report. per_ipu numbers, malloc'ed. */
uint32_t *tiles_by_distance(const struct tiles *tiles, pop_error *error);
/* The order of tiles in a graph, over all IPUs: by number, or by distance within each IPU. malloc'ed. */
uint32_t *tiles_order(const struct tiles *tiles, bool physical, pop_error *error);

/* Positions first (inclusive) to last (exclusive) that share a pixel; tile is the one with the largest key. */
struct tile_bin {
    uint32_t first, last, tile;
    double minimum, maximum;
};
/* Bins of positions from..to of an order, at most one for each pixel, by the figure key. malloc'ed; *bins receives
 * their number. */
struct tile_bin *tiles_bin(const uint32_t *order, const double *key, size_t from, size_t to, size_t pixels,
                           size_t *bins);

#endif
