/* SPDX-License-Identifier: Apache-2.0 */
/* The split of a host's product over vertices, by its shape only, so that results do not depend on the machine. */
#ifndef POPLIN_HOST_HOST_SPLIT_H
#define POPLIN_HOST_HOST_SPLIT_H

#include "poplibs/cpu_parts.h"
#include "poplin/host/host_gemm_shape.h"

/* Minimum multiply-adds of a vertex, and the shape of parts.  Bands have BAND_ROWS rows, which suits B best,
 * or fewer if there would be fewer bands than FEW; parts of columns have at least PART_COLUMNS, because each part packs
 * A again. */
enum { BLOCK_WORK = 1 << 21, FEW = 8, BAND_ROWS = 112, MIN_BAND_ROWS = 64, PART_COLUMNS = 256 };

/* Bands of rows; if there are few, each is split into parts of columns.  Both numbers are powers of two, which divide
 * evenly over the usual numbers of threads. */
struct host_split {
    size_t rows, columns, bands, parts;
};

static inline size_t host_power_of_two_up_to(size_t n)
{
    size_t power = 1;
    while (2 * power <= n)
        power *= 2;
    return power;
}
static inline struct host_split host_split(size_t rows, size_t columns, size_t depth)
{
    double work = (double)rows * (double)columns * (double)depth / BLOCK_WORK;
    size_t blocks = work < 1 ? 1 : work > POPLIBS_CPU_PARTS ? POPLIBS_CPU_PARTS : (size_t)work;
    size_t bands = host_power_of_two_up_to(
        poplibs_min(blocks, poplibs_max(rows / BAND_ROWS, poplibs_min(FEW, rows / MIN_BAND_ROWS))));
    size_t parts = poplibs_min(poplibs_min(blocks, FEW) / bands, poplibs_ceil_div(columns, PART_COLUMNS));
    parts = poplibs_max(1, poplibs_min(parts, gemm_panels_of(columns)));
    return (struct host_split){ rows, columns, bands, parts };
}
/* Whole strips of nearly equal heights, because a kernel of few rows is slower. */
static inline pop_interval host_band(const struct host_split *split, size_t i)
{
    size_t strips = poplibs_ceil_div(split->rows, GEMM_STRIP);
    return (pop_interval){ split->rows * (strips * i / split->bands) / strips,
                           split->rows * (strips * (i + 1) / split->bands) / strips };
}
static inline pop_interval host_part(const struct host_split *split, size_t k)
{
    size_t panels = gemm_panels_of(split->columns);
    return (pop_interval){ panels * k / split->parts * GEMM_PANEL,
                           poplibs_min(split->columns, panels * (k + 1) / split->parts * GEMM_PANEL) };
}

#endif
