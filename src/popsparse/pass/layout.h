/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of a sparse operation, and where they are. */
#ifndef POPSPARSE_PASS_LAYOUT_H
#define POPSPARSE_PASS_LAYOUT_H

#include "popsparse/pass/request.h"

/* The lines of a dense matrix: those that the sparse matrix's columns multiply, or those that its rows give. */
enum sparse_lines { SPARSE_COLUMNS, SPARSE_ROWS };

static inline size_t sparse_num_lines(const struct sparse_request *request, enum sparse_lines lines)
{
    return lines == SPARSE_COLUMNS ? request->shape.columns : request->shape.rows;
}
static inline size_t sparse_cell(const struct sparse_plan *plan, size_t group, size_t x, size_t y)
{
    return (group * plan->x + x) * plan->y + y;
}

/* The tile that holds what controls a program. */
unsigned sparse_control_tile(const struct call *call, const struct sparse_request *request);
/* A dense matrix in the plan's order, {z, groups, lines, batch / z}; the tiles that need the same part share it. */
pop_tensor sparse_dense_variable(const struct call *call, const struct sparse_request *request, enum sparse_lines lines,
                                 const char *name);
/* Such a dense matrix seen as {groups, lines, batch}. */
pop_tensor sparse_dense_view(const struct call *call, const struct sparse_request *request, pop_tensor dense);
/* A dense {groups, lines, batch} in the plan's order, with contiguous parts: copied where it is not. */
pop_tensor sparse_dense_arranged(const struct call *call, const struct sparse_request *request, enum sparse_lines lines,
                                 pop_tensor t);
/* The part of a cell's tile of a matrix in the plan's order, flat. */
pop_tensor sparse_dense_part(const struct call *call, const struct sparse_request *request, enum sparse_lines lines,
                             pop_tensor dense, size_t cell, size_t z);

/* Maps {cells x elements}: a bucket's elements are on its tiles, in equal parts. */
void sparse_map_buckets(const struct call *call, const struct sparse_request *request, pop_tensor buckets,
                        size_t elements);
/* A variable {cells x elements}, mapped like this. */
pop_tensor sparse_bucket_variable(const struct call *call, const struct sparse_request *request, pop_type type,
                                  size_t elements, const char *name);
/* The pattern with its header. */
pop_tensor sparse_meta_info_variable(const struct call *call, const struct sparse_request *request, const char *name);

#endif
