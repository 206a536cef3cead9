/* SPDX-License-Identifier: Apache-2.0 */
/* Tutorial 2: using Poplibs, the starting point: two matrices with values, and nothing done with them. */
#include <poplar/poplar.h>
#include <popops/codelets.h>
#include <popops/element_wise.h>
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

    /* Create the IPU Model device and a graph for its target. */
    pop_device *device = pop_ipu_model_create_device(&(pop_ipu_model){ 0 }, &error);
    check(error.status, &error);
    pop_graph *graph = pop_graph_create(pop_device_target(device));

    /* Add the library's codelets to the graph. */
    popops_add_codelets(graph);

    /* Add variables to the graph, a row on each of two tiles. */
    pop_tensor v1 = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(2, 2), "v1");
    pop_tensor v2 = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(2, 2), "v2");
    for (unsigned i = 0; i < 2; ++i) {
        pop_graph_set_tile_mapping(graph, pop_tensor_at(v1, i), i);
        pop_graph_set_tile_mapping(graph, pop_tensor_at(v2, i), i);
    }

    /* Create a control program that initialises them. */
    pop_program prog = pop_sequence(graph, NULL);
    pop_tensor c1 = pop_graph_add_constant(graph, POP_FLOAT, POP_SHAPE(4), POP_FLOAT,
                                           (const float[]){ 1.0f, 1.5f, 2.0f, 2.5f }, "c1");
    pop_tensor c2 = pop_graph_add_constant(graph, POP_FLOAT, POP_SHAPE(4), POP_FLOAT,
                                           (const float[]){ 4.0f, 3.0f, 2.0f, 1.0f }, "c2");
    pop_graph_set_tile_mapping(graph, c1, 0);
    pop_graph_set_tile_mapping(graph, c2, 0);
    pop_sequence_add(prog, pop_copy(c1, pop_tensor_flatten(v1), false, NULL));
    pop_sequence_add(prog, pop_copy(c2, pop_tensor_flatten(v2), false, NULL));

    /* Add the operations here. */

    /* Create the engine (errors of the calls above are reported here), load and run it. */
    pop_engine *engine =
        pop_engine_create(graph, POP_PROGRAMS(prog), POP_OPTIONS({ "print.guideFormat", "true" }), &error);
    check(error.status, &error);
    pop_engine_set_print_stream(engine, stdout);
    check(pop_engine_load(engine, device, &error), &error);
    printf("Running program\n");
    check(pop_engine_run(engine, 0, &error), &error);
    printf("Program complete\n");

    pop_engine_destroy(engine);
    pop_graph_destroy(graph);
    pop_device_destroy(device);
    return 0;
}
