/* SPDX-License-Identifier: Apache-2.0 */
/* Tutorial 4: profiling output, two matrix products and their profile. */
#include <poplar/poplar.h>
#include <poplin/codelets.h>
#include <poplin/mat_mul.h>
#include <popops/codelets.h>
#include <poputil/tile_mapping.h>
#include <stdio.h>
#include <stdlib.h>

static void check(pop_status status, const pop_error *error)
{
    if (status == POP_OK)
        return;
    pop_error_print(error);
    exit(EXIT_FAILURE);
}

int main(void)
{
    pop_error error = { 0 };

    /* Create the IPU Model device and a graph with the libraries' codelets. */
    pop_device *device = pop_ipu_model_create_device(&(pop_ipu_model){ 0 }, &error);
    check(error.status, &error);
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    popops_add_codelets(graph);
    poplin_add_codelets(graph);

    /* Add matrices, spread over the tiles. */
    pop_tensor m1 = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(900, 600), "m1");
    pop_tensor m2 = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(600, 300), "m2");
    pop_tensor m3 = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(300, 200), "m3");
    poputil_map_tensor_linearly(graph, m1);
    poputil_map_tensor_linearly(graph, m2);
    poputil_map_tensor_linearly(graph, m3);

    /* (m1 * m2) * m3. */
    pop_program prog = pop_sequence(graph, NULL);
    pop_tensor m4 = poplin_mat_mul(graph, m1, m2, prog, "m4", POP_NO_OPTIONS, NULL);
    pop_tensor m5 = poplin_mat_mul(graph, m4, m3, prog, "m5", POP_NO_OPTIONS, NULL);
    (void)m5;

    /* Create the engine, load and run it, and print the profile summary. */
    pop_engine *engine =
        pop_engine_create(graph, POP_PROGRAMS(prog), POP_OPTIONS({ "debug.instrument", "true" }), &error);
    check(error.status, &error);
    check(pop_engine_load(engine, device, &error), &error);
    printf("Running program\n");
    check(pop_engine_run(engine, 0, &error), &error);
    printf("Program complete\n");
    check(pop_engine_print_profile_summary(engine, stdout, POP_OPTIONS({ "showExecutionSteps", "true" }), &error),
          &error);

    pop_engine_destroy(engine);
    pop_graph_destroy(graph);
    pop_device_destroy(device);
    return 0;
}
