/* SPDX-License-Identifier: Apache-2.0 */
/* Embeddings: rows of a matrix looked up, and gradients added to them. */
#include "rows.h"

#include <popops/dynamic_slice.h>

void build_embedding(pop_graph *graph, struct passes *passes, const struct row *row)
{
    pop_program program = pass_begin(passes, "fwd");
    size_t shape[2] = { 1, 1 }, lookups = row_number(row, "num-indices", 1);
    row_list(row, "shape", shape, 2);
    pop_type type = row_type(row, POP_HALF);
    pop_shape whole = { 2, shape };
    popops_slice_plan plan = popops_embedding_plan(graph, type, shape[0], shape[1], POP_SHAPE(lookups), POP_NO_OPTIONS);
    pop_tensor table = popops_create_sliceable_tensor_planned(graph, type, whole, POP_DIMS(0), POP_SHAPE(1), &plan,
                                                              "table", POP_NO_OPTIONS);
    pop_tensor indices = popops_create_indices_tensor(graph, POP_DIMS(0), lookups, &plan, "indices", POP_NO_OPTIONS);
    pass_result(
        passes,
        popops_multi_slice(graph, table, indices, POP_DIMS(0), POP_SHAPE(1), program, &plan, "slice", POP_NO_OPTIONS),
        "slices");
    pop_tensor deltas = popops_create_slice_tensor_planned(graph, type, whole, POP_DIMS(0), POP_SHAPE(1), lookups,
                                                           &plan, "deltas", POP_NO_OPTIONS);
    pop_tensor scale = pop_graph_add_constant_float(graph, POP_FLOAT, POP_SHAPE(), 1, "scale");
    pop_graph_set_tile_mapping(graph, scale, 0);
    popops_multi_update_add(graph, table, deltas, indices, scale, POP_DIMS(0), POP_SHAPE(1), program, &plan, "update",
                            POP_NO_OPTIONS);
}
