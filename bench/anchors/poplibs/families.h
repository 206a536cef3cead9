/* SPDX-License-Identifier: Apache-2.0 */
/* Rows by operation, and the deviation of each family from the published figures. */
#ifndef BENCH_ANCHORS_FAMILIES_H
#define BENCH_ANCHORS_FAMILIES_H

#include "rows.h"

enum figure { CYCLES, TOTAL_MEMORY, TILE_MEMORY, FIGURES };

size_t num_families(void);
/* The first family that the row's operation and parameters match; the last one matches all. */
size_t family_of(const struct row *row);

/* Adds a row's figures (NULL: missed) to its family's.  Returns whether it is within 10 % in cycles and 25 % in both
 * kinds of memory. */
bool family_add(size_t family, const struct row *row, const struct figures *ours, double ratios[FIGURES]);
/* Of all families with rows: rows, those within, and the median and the 90th percentile of |ratio - 1|. */
void print_families(void);

#endif
