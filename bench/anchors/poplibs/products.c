/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products, and fully connected layers in all their passes. */
#include "rows.h"

#include <poplin/mat_mul.h>
#include <poputil/tile_mapping.h>

#include <string.h>

void build_gemm(pop_graph *graph, struct passes *passes, const struct row *row)
{
    pop_program program = pass_begin(passes, "fwd");
    size_t g = row_number(row, "groups", 1), m = row_number(row, "m", 1), k = row_number(row, "k", 1), n = row_number(row, "n", 1);
    pop_shape a_shape = POP_SHAPE(g, m, k), b_shape = POP_SHAPE(g, k, n);
    pop_type type = row_type(row, POP_HALF);
    poplin_planning_cache *cache = poplin_planning_cache_create();
    pop_tensor a = poplin_create_mat_mul_grouped_input_lhs(graph, type, type, a_shape, b_shape, "a", POP_NO_OPTIONS, cache);
    pop_tensor b = poplin_create_mat_mul_grouped_input_rhs(graph, type, type, a_shape, b_shape, "b", POP_NO_OPTIONS, cache);
    poplin_mat_mul_grouped(graph, a, b, program, type, "gemm", POP_NO_OPTIONS, cache);
    poplin_planning_cache_destroy(cache);
}

/* y = x w; dx = dy w^T; w -= rate x^T dy. */
void build_fc(pop_graph *graph, struct passes *passes, const struct row *row)
{
    pop_program program = pass_begin(passes, "fwd");
    size_t batch = row_number(row, "batch-size", 1), in = row_number(row, "input-size", 1), out = row_number(row, "output-size", 1);
    pop_type type = row_type(row, POP_HALF);
    bool forward_alone = strstr(row->parameters, "--inference-only") != NULL;
    pop_options forward = POP_OPTIONS({ "fullyConnectedPass", "TRAINING_FWD" }), backward = POP_OPTIONS({ "fullyConnectedPass", "TRAINING_BWD" }),
                update = POP_OPTIONS({ "fullyConnectedPass", "TRAINING_WU" });
    if (forward_alone)
        forward = POP_OPTIONS({ "fullyConnectedPass", "INFERENCE_FWD" });
    poplin_planning_cache *cache = poplin_planning_cache_create();
    pop_tensor x = poplin_create_mat_mul_input_lhs(graph, type, type, POP_SHAPE(batch, in), POP_SHAPE(in, out), "x", forward, cache);
    pop_tensor w = poplin_create_mat_mul_input_rhs(graph, type, type, POP_SHAPE(batch, in), POP_SHAPE(in, out), "w", forward, cache);
    pass_result(passes, poplin_mat_mul(graph, x, w, program, "fwd", forward, cache), "y");
    if (!forward_alone) {
        program = pass_begin(passes, "bwd");
        pop_tensor dy = pop_graph_add_variable(graph, type, POP_SHAPE(batch, out), "dy");
        poputil_map_tensor_linearly(graph, dy);
        pass_result(passes, poplin_mat_mul(graph, dy, pop_tensor_transpose(w), program, "bwd", backward, cache), "dx");
        poplin_mat_mul_acc(graph, w, -0.125f, pop_tensor_transpose(x), dy, program, "wu", update, cache);
    }
    poplin_planning_cache_destroy(cache);
}
