/* SPDX-License-Identifier: Apache-2.0 */
/* Rows by what they ran, and how far from the published figures each family is. */
#ifndef BENCH_ANCHORS_FAMILIES_H
#define BENCH_ANCHORS_FAMILIES_H

#include "rows.h"

enum figure { CYCLES, TOTAL_MEMORY, TILE_MEMORY, FIGURES };

size_t num_families(void);
/* The first one that the row's operation and parameters fit; the last takes all others. */
size_t family_of(const struct row *row);

/* A row's figures (NULL: missed) to its family's.  Gives whether it is within 10 % in cycles and 25 % in both kinds of
 * memory. */
bool family_add(size_t family, const struct row *row, const struct figures *ours, double ratios[FIGURES]);
/* Of all families that had rows: rows, those within, and the median and the 90th percentile of |ratio - 1|. */
void print_families(void);

#endif
