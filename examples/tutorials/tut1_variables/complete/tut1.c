/* SPDX-License-Identifier: Apache-2.0 */
/* Tutorial 1: programs and variables.  With --new-format, tensors are printed as later versions of Poplar print them.
 */
#include <poplar/poplar.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(pop_status status, const pop_error *error)
{
    if (status == POP_OK)
        return;
    pop_error_print(error);
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
    const char *guide_format = argc > 1 && strcmp(argv[1], "--new-format") == 0 ? "false" : "true";
    pop_error error = { 0 };

    /* Create the IPU Model device and a graph for its target. */
    pop_device *device = pop_ipu_model_create_device(&(pop_ipu_model){ 0 }, &error);
    check(error.status, &error);
    pop_graph *graph = pop_graph_create(pop_device_target(device));

    /* Add variables to the graph. */
    pop_tensor v1 = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(4), "v1");
    pop_tensor v2 = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(4), "v2");
    pop_tensor v3 = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(4, 4), "v3");
    pop_tensor v4 = pop_graph_add_variable(graph, POP_INT, POP_SHAPE(10), "v4");

    /* Allocate v1 to reside on tile 0, spread v2 over tiles 0..3, v3 and v4 on separate tiles. */
    pop_graph_set_tile_mapping(graph, v1, 0);
    for (unsigned i = 0; i < 4; ++i)
        pop_graph_set_tile_mapping(graph, pop_tensor_at(v2, i), i);
    pop_graph_set_tile_mapping(graph, v3, 0);
    pop_graph_set_tile_mapping(graph, v4, 1);

    /* Add a constant tensor to the graph, on tile 0. */
    pop_tensor c1 = pop_graph_add_constant(graph, POP_FLOAT, POP_SHAPE(4), POP_FLOAT,
                                           (const float[]){ 1.0f, 1.5f, 2.0f, 2.5f }, "c1");
    pop_graph_set_tile_mapping(graph, c1, 0);

    /* Create a control program that is a sequence of steps: initialise v1 with the constant, print it, copy it to v2.
     */
    pop_program prog = pop_sequence(graph, NULL);
    pop_sequence_add(prog, pop_copy(c1, v1, false, NULL));
    pop_sequence_add(prog, pop_print_tensor("v1-debug", v1, NULL));
    pop_sequence_add(prog, pop_copy(v1, v2, false, NULL));
    pop_sequence_add(prog, pop_print_tensor("v2-debug", v2, NULL));

    /* Create host read and write handles for v3, and copy a slice of v1 into the middle of it. */
    pop_graph_create_host_write(graph, "v3-write", v3);
    pop_graph_create_host_read(graph, "v3-read", v3);
    pop_tensor v1_slice = pop_tensor_slice(v1, 0, 3, 0);
    pop_tensor v3_slice = pop_tensor_slice_nd(v3, POP_SHAPE(1, 1), POP_SHAPE(2, 4));
    pop_sequence_add(prog, pop_copy(v1_slice, v3_slice, false, NULL));

    /* Add a data stream to fill v4, twice. */
    pop_stream in_stream =
        pop_graph_add_host_to_device_fifo(graph, "v4-input-stream", POP_INT, 10, POP_STREAM_REPLICATE, POP_NO_OPTIONS);
    pop_sequence_add(prog, pop_copy_from_stream(in_stream, v4, false, NULL));
    pop_sequence_add(prog, pop_print_tensor("v4-0", v4, NULL));
    pop_sequence_add(prog, pop_copy_from_stream(in_stream, v4, false, NULL));
    pop_sequence_add(prog, pop_print_tensor("v4-1", v4, NULL));

    /* Create the engine: errors of the calls above are reported here. */
    pop_engine *engine =
        pop_engine_create(graph, POP_PROGRAMS(prog), POP_OPTIONS({ "print.guideFormat", guide_format }), &error);
    check(error.status, &error);
    pop_engine_set_print_stream(engine, stdout);
    check(pop_engine_load(engine, device, &error), &error);

    /* Copy host data via the write handle to v3 on the device. */
    float h3[4 * 4] = { 0 };
    check(pop_engine_write_tensor(engine, "v3-write", h3, sizeof(h3), &error), &error);

    /* Connect the data stream to a circular buffer. */
    int in_data[10 * 3];
    for (int i = 0; i < 10 * 3; ++i)
        in_data[i] = i;
    check(pop_engine_connect_stream_circular(engine, "v4-input-stream", in_data, in_data + 10 * 3, &error), &error);

    /* Run the control program. */
    printf("Running program\n");
    check(pop_engine_run(engine, 0, &error), &error);
    printf("Program complete\n");

    /* Copy v3 back to the host via the read handle and output it. */
    check(pop_engine_read_tensor(engine, "v3-read", h3, sizeof(h3), &error), &error);
    printf("\nh3 data:\n");
    for (unsigned i = 0; i < 4; ++i) {
        printf("  ");
        for (unsigned j = 0; j < 4; ++j)
            printf("%g ", h3[i * 4 + j]);
        printf("\n");
    }

    pop_engine_destroy(engine);
    pop_graph_destroy(graph);
    pop_device_destroy(device);
    return 0;
}
