/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions: a tensor mapped linearly, its result mapped by the reduction. */
#include "rows.h"

#include <popops/reduce.h>
#include <poputil/tile_mapping.h>

#include <stdlib.h>
#include <string.h>

static popops_operation operation_of(const char *name)
{
    for (int op = 0; op < POPOPS_OPERATIONS; ++op)
        if (strcmp(popops_operation_name((popops_operation)op), name) == 0)
            return (popops_operation)op;
    abort();
}

void build_reduction(pop_graph *graph, struct passes *passes, const struct row *row)
{
    pop_program program = pass_begin(passes, "fwd");
    size_t shape[8], wide[8];
    unsigned dims[8];
    size_t rank = row_list(row, "shape", shape, 8), count = row_list(row, "dims", wide, 8);
    for (size_t i = 0; i < count; ++i)
        dims[i] = (unsigned)wide[i];
    pop_type type = row_type(row, POP_HALF);
    pop_tensor in = pop_graph_add_variable(graph, type, (pop_shape){ rank, shape }, "in");
    poputil_map_tensor_linearly(graph, in);
    popops_reduce_params params = { .op = operation_of(row_word(row, "operation", "ADD")),
                                    .update = strcmp(row_word(row, "update", "false"), "true") == 0 };
    pass_result(passes,
                popops_reduce(graph, in, type, (pop_dims){ count, dims }, params, program, "reduce", POP_NO_OPTIONS),
                "out");
}
