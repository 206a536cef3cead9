/* SPDX-License-Identifier: Apache-2.0 */
/* Tutorial 3: writing vertex code.  Two variables, v1 initialised, v2 printed: add a compute set that sets v2 to the
 * suffix sums of v1. */
#include <poplar/poplar.h>
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

    /* Add codelets to the graph here. */

    /* Add variables to the graph, an element on each of four tiles. */
    pop_tensor v1 = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(4), "v1");
    pop_tensor v2 = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(4), "v2");
    for (unsigned i = 0; i < 4; ++i) {
        pop_graph_set_tile_mapping(graph, pop_tensor_at(v1, i), i);
        pop_graph_set_tile_mapping(graph, pop_tensor_at(v2, i), i);
    }

    /* Create a control program that initialises v1. */
    pop_program prog = pop_sequence(graph, NULL);
    pop_tensor c1 = pop_graph_add_constant(graph, POP_FLOAT, POP_SHAPE(4), POP_FLOAT,
                                           (const float[]){ 1.0f, 1.5f, 2.0f, 2.5f }, "c1");
    pop_graph_set_tile_mapping(graph, c1, 0);
    pop_sequence_add(prog, pop_copy(c1, v1, false, NULL));

    /* Create a compute set, add its vertices and execute it here. */

    /* Print v2. */
    pop_sequence_add(prog, pop_print_tensor("v2", v2, NULL));

    /* Create the engine, load and run it. */
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
