/* SPDX-License-Identifier: Apache-2.0 */
/* The macros of the public headers as users write them: clean in pedantic C11, empty lists included. */
#include <poplar/popc.h>
#include <poplar/poplar.h>

pop_program every_macro(pop_graph *graph);

pop_program every_macro(pop_graph *graph)
{
    pop_tensor scalar = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(), "scalar");
    pop_tensor matrix = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(3, 4), "matrix");
    pop_tensor turned = pop_tensor_dim_shuffle(matrix, POP_DIMS(1, 0));
    pop_tensor both = pop_tensor_concat(POP_TENSORS(matrix, pop_tensor_transpose(turned)), 0);
    pop_compute_set set = pop_graph_add_compute_set(graph, "set");
    pop_vertex vertex = pop_graph_add_vertex_connected(
        graph, set, "Sum", POP_CONNECTIONS({ "in", pop_tensor_flatten(both) }, { "out", scalar }));
    pop_graph_set_field_vector(graph, vertex, POP_FIELD("table", POP_WHOLE), POP_INT, (const int[]){ 1, 2, 3 }, 3);
    pop_graph_set_cycle_estimate(graph, vertex, 20);
    pop_graph_add_host_to_device_fifo(graph, "in", POP_FLOAT, 12, POP_STREAM_REPLICATE,
                                      POP_OPTIONS({ "bufferingDepth", "2" }));
    pop_graph_add_device_to_host_fifo(graph, "out", POP_FLOAT, 12, POP_NO_OPTIONS);
    return pop_sequence_of(graph, POP_PROGRAMS(pop_execute(set, NULL), pop_print_tensor(NULL, scalar, NULL)), "both");
}
