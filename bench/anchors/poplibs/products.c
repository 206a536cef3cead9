/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products, and fully connected layers in all their passes. */
#include "rows.h"

#include <poplin/mat_mul.h>
#include <popops/scaled_add.h>

#include <string.h>

/* C += A B; C has the layout of the product, in other memory elements: published cycles and fullest tiles say so. */
void build_gemm(pop_graph *graph, struct passes *passes, const struct row *row)
{
    pop_program program = pass_begin(passes, "fwd");
    size_t m = row_number(row, "m", 1), k = row_number(row, "k", 1), n = row_number(row, "n", 1);
    pop_type type = row_type(row, POP_HALF);
    poplin_planning_cache *cache = poplin_planning_cache_create();
    pop_tensor a = poplin_create_mat_mul_input_lhs(graph, type, type, POP_SHAPE(m, k), POP_SHAPE(k, n), "a",
                                                   POP_NO_OPTIONS, cache);
    pop_tensor b = poplin_create_mat_mul_input_rhs(graph, type, type, POP_SHAPE(m, k), POP_SHAPE(k, n), "b",
                                                   POP_NO_OPTIONS, cache);
    pop_tensor product = poplin_mat_mul(graph, a, b, program, "gemm", POP_NO_OPTIONS, cache);
    pop_tensor c = pop_graph_clone(graph, POP_TYPE_NULL, product, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "c");
    popops_scaled_add_to_constant(graph, c, product, 1, program, "add", POP_OPTIONS({ "optimizeForSpeed", "true" }));
    pass_result(passes, c, "c");
    poplin_planning_cache_destroy(cache);
}

/* y = x w; dx = dy w^T; w -= rate x^T dy; in each group. */
void build_fc(pop_graph *graph, struct passes *passes, const struct row *row)
{
    pop_program program = pass_begin(passes, "fwd");
    size_t groups = row_number(row, "num-groups", 1), batch = row_number(row, "batch-size", 1),
           in = row_number(row, "input-size", 1), out = row_number(row, "output-size", 1);
    pop_shape x_shape = POP_SHAPE(groups, batch, in), w_shape = POP_SHAPE(groups, in, out);
    pop_type type = row_type(row, POP_HALF);
    bool forward_alone = strstr(row->parameters, "--inference-only") != NULL;
    pop_options forward = POP_OPTIONS({ "fullyConnectedPass", "TRAINING_FWD" }, { "remapOutputTensor", "false" }),
                backward = POP_OPTIONS({ "fullyConnectedPass", "TRAINING_BWD" }, { "remapOutputTensor", "false" }),
                update = POP_OPTIONS({ "fullyConnectedPass", "TRAINING_WU" });
    if (forward_alone)
        forward = POP_OPTIONS({ "fullyConnectedPass", "INFERENCE_FWD" }, { "remapOutputTensor", "false" });
    poplin_planning_cache *cache = poplin_planning_cache_create();
    pop_tensor x = poplin_create_mat_mul_grouped_input_lhs(graph, type, type, x_shape, w_shape, "x", forward, cache);
    pop_tensor w = poplin_create_mat_mul_grouped_input_rhs(graph, type, type, x_shape, w_shape, "w", forward, cache);
    pop_tensor y = poplin_mat_mul_grouped(graph, x, w, program, type, "fwd", forward, cache);
    pass_result(passes, x, "x");
    pass_result(passes, w, "w");
    pass_result(passes, y, "y");
    if (!forward_alone) {
        program = pass_begin(passes, "bwd");
        pop_tensor dy = poplin_create_mat_mul_grouped_input_lhs(graph, type, type, POP_SHAPE(groups, batch, out),
                                                                POP_SHAPE(groups, out, in), "dy", backward, cache);
        pass_result(passes, dy, "dy");
        pass_result(passes,
                    poplin_mat_mul_grouped(graph, dy, poplin_transpose_grouped_matrix(w), program, type, "bwd",
                                           backward, cache),
                    "dx");
        poplin_mat_mul_grouped_acc(graph, w, -0.125f, poplin_transpose_grouped_matrix(x), dy, program, "wu", update,
                                   cache);
    }
    poplin_planning_cache_destroy(cache);
}
