/* SPDX-License-Identifier: Apache-2.0 */
/* prog CODELETS: doubles 21 on a modelled IPU; succeeds if the result is 42. */
#include <poplar/poplar.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    pop_error error = { 0 };
    pop_device *device = pop_ipu_model_create_device(&(pop_ipu_model){ 0 }, &error);
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    pop_graph_add_codelets(graph, argc > 1 ? argv[1] : "codelets.c");
    pop_tensor x = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(), "x");
    pop_tensor y = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(), "y");
    pop_graph_set_tile_mapping(graph, x, 0);
    pop_graph_set_tile_mapping(graph, y, 1);
    pop_compute_set set = pop_graph_add_compute_set(graph, "set");
    pop_vertex vertex =
        pop_graph_add_vertex_connected(graph, set, "Double", POP_CONNECTIONS({ "in", x }, { "out", y }));
    pop_graph_map_vertex(graph, vertex, 1);
    pop_graph_create_host_write(graph, "x", x);
    pop_graph_create_host_read(graph, "y", y);

    pop_engine *engine = pop_engine_create(graph, POP_PROGRAMS(pop_execute(set, NULL)), POP_NO_OPTIONS, &error);
    float in = 21, out = 0;
    bool ok = engine && pop_engine_load(engine, device, &error) == POP_OK &&
              pop_engine_write_tensor(engine, "x", &in, sizeof(in), &error) == POP_OK &&
              pop_engine_run(engine, 0, &error) == POP_OK &&
              pop_engine_read_tensor(engine, "y", &out, sizeof(out), &error) == POP_OK;
    if (ok)
        printf("%g\n", out);
    else
        pop_error_print(&error);
    pop_engine_destroy(engine);
    pop_graph_destroy(graph);
    pop_device_destroy(device);
    return ok && out == 42 ? 0 : 1;
}
