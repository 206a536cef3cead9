/* SPDX-License-Identifier: Apache-2.0 */
/* Cholesky factors and triangular systems. */
#include "rows.h"

#include <poplin/cholesky.h>
#include <poplin/triangular_solve.h>

#include <stdio.h>
#include <string.h>

void build_cholesky(pop_graph *graph, struct passes *passes, const struct row *row)
{
    pop_program program = pass_begin(passes, "fwd");
    char block[24];
    size_t batches = row_number(row, "batches", 1), n = row_number(row, "rank", 1);
    snprintf(block, sizeof(block), "%zu", row_number(row, "block-size", n));
    pop_options options = POP_OPTIONS({ "blockSize", block });
    bool lower = strcmp(row_word(row, "lower", "true"), "true") == 0;
    poplin_planning_cache *cache = poplin_planning_cache_create();
    pop_tensor a = poplin_create_cholesky_input(graph, row_type(row, POP_FLOAT), POP_SHAPE(batches, n, n), lower, "a",
                                                options, cache);
    poplin_cholesky_in_place(graph, a, lower, program, "cholesky", options, cache);
    poplin_planning_cache_destroy(cache);
}

void build_matrix_solver(pop_graph *graph, struct passes *passes, const struct row *row)
{
    pop_program program = pass_begin(passes, "fwd");
    size_t batches = row_number(row, "batches", 1), a_rank = row_number(row, "a-rank", 1),
           b_rank = row_number(row, "b-rank", 1);
    bool left = strcmp(row_word(row, "side", "left"), "left") == 0;
    pop_type type = row_type(row, POP_FLOAT);
    pop_shape a_shape = POP_SHAPE(batches, a_rank, a_rank),
              b_shape = left ? POP_SHAPE(batches, a_rank, b_rank) : POP_SHAPE(batches, b_rank, a_rank);
    poplin_planning_cache *cache = poplin_planning_cache_create();
    pop_tensor a =
        poplin_create_triangular_solve_input_lhs(graph, type, type, a_shape, b_shape, left, "a", POP_NO_OPTIONS, cache);
    pop_tensor b =
        poplin_create_triangular_solve_input_rhs(graph, type, type, a_shape, b_shape, left, "b", POP_NO_OPTIONS, cache);
    poplin_triangular_solve(graph, a, b, left, true, true, row_number(row, "block-size", 64), program, "solve",
                            POP_NO_OPTIONS, cache);
    poplin_planning_cache_destroy(cache);
}
