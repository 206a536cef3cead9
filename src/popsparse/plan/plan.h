/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a sparse operation.  The matrix is cut into x parts of its rows and y of its columns; a part of a group
 * is a cell, and z tiles share it, each with a part of the batch.  A cell has a bucket: places for a fixed number of
 * values, and for the pattern of these.  A plan depends on the target, the shape and the options alone, so that host
 * and device agree. */
#ifndef POPSPARSE_PLAN_PLAN_H
#define POPSPARSE_PLAN_PLAN_H

#include "popsparse/plan/cycles.h"
#include "popsparse/plan/options.h"
#include "popsparse/plan/shape.h"

#include <popsparse/planning_cache.h>

struct sparse_plan {
    size_t x, y, z;
    size_t cell_rows, cell_columns, cell_batch; /* elements of a cell that is not at an edge */
    size_t cells;                               /* of all groups: group, x, y; y changes fastest */
    size_t nz, meta_info;                       /* elements of a bucket: values, pattern */
    uint64_t cycles, bytes;                     /* of the passes it is for; of a tile, for the time of a pass */
};

/* The pattern of all buckets begins with the number of steps that they travel; the rest of it is not used. */
enum { SPARSE_HEADER = 4 };
/* A part of a bucket's pattern: the cell + 1, elements to the next part, values in blocks, block rows; then for each
 * block row its position in the cell, its number of blocks, and their positions.  After the last part is a 0, or the
 * end. */
enum { SPARSE_PART = 4, SPARSE_ROW = 2, SPARSE_PART_MAX = 65532 };

static inline size_t sparse_meta_info_elements(const struct sparse_plan *plan)
{
    return SPARSE_HEADER + plan->cells * plan->meta_info;
}
/* The tile of a cell's part of the batch: tiles with the same operand are neighbours. */
unsigned sparse_plan_tile(const struct sparse_plan *plan, const pop_target *target, size_t cell, size_t z);
/* What a vertex has to do for its own bucket, as planned. */
struct sparse_work sparse_plan_work(const struct sparse_shape *shape, const struct sparse_plan *plan);

/* Sets the sizes of buckets that have places for so many blocks, and for a pattern of any such blocks of the cell. */
void sparse_plan_size_buckets(const struct sparse_shape *shape, size_t blocks, double oversize,
                              struct sparse_plan *plan);

/* Finds the plan with the fewest cycles.  False after an error of the graph: constraints that no plan has. */
bool sparse_plan_find(const struct call *call, const pop_target *target, const struct sparse_shape *shape,
                      const struct sparse_options *options, popsparse_planning_cache *cache, struct sparse_plan *plan);

#endif
