/* SPDX-License-Identifier: Apache-2.0 */
/* Programs without host memory: codelets compiled from source and from a .gp file, cycles counted from their device
 * code, and reports of all kinds. */
#include "host_memory.h"

#include <poplar/device.h>
#include <poplar/engine.h>
#include <poplar/graph.h>
#include <poplar/popc.h>
#include <poplar/program.h>
#include <unistd.h>

static const char source[] =
    "#include <poplar/vertex.h>\n"
    "POP_VERTEX(Sum) { POP_INPUT(POP_VECTOR(float)) in; POP_OUTPUT(float) out; };\n"
    "bool Sum_compute(Sum *v) { float s = 0; for (size_t i = 0; i < v->in.size; ++i) s += v->in.data[i];\n"
    "  *v->out = s; return true; }\n";

static char file[64], directory[64]; /* a .c and, compiled, a .gp; the directory of reports */

struct program {
    pop_device *device;
    pop_graph *graph;
    pop_engine *engine;
};

static pop_status build(struct program *p, pop_program *sequence, pop_error *error)
{
    char object[80];
    snprintf(object, sizeof(object), "%s.gp", file);
    const char *inputs[] = { file };
    pop_status status = popc_compile_files(inputs, 1, "-O1 --target ipu2", object, false, error);
    if (status != POP_OK)
        return status;
    p->graph = pop_graph_create(pop_device_target(p->device));
    pop_graph_add_codelets(p->graph, object);
    pop_tensor in = pop_graph_add_variable(p->graph, POP_FLOAT, POP_SHAPE(8), "in"),
               out = pop_graph_add_variable(p->graph, POP_FLOAT, POP_SHAPE(), "out");
    pop_compute_set set = pop_graph_add_compute_set(p->graph, "set");
    pop_vertex vertex = pop_graph_add_vertex(p->graph, set, "Sum");
    pop_graph_set_tile_mapping(p->graph, in, 0);
    pop_graph_set_tile_mapping(p->graph, out, 1);
    pop_graph_connect(p->graph, vertex, "in", in);
    pop_graph_connect(p->graph, vertex, "out", out);
    pop_graph_map_vertex(p->graph, vertex, 1);
    pop_graph_set_initial_value(p->graph, in, POP_FLOAT, (float[]){ 1, 2, 3, 4, 5, 6, 7, 8 });
    pop_graph_create_host_read(p->graph, "out", out);
    *sequence = pop_sequence(p->graph, "all");
    pop_sequence_add(*sequence, pop_execute(set, "sum"));
    return pop_graph_take_error(p->graph, error);
}

static pop_status run(void *context, pop_error *error)
{
    struct program *p = context;
    pop_program sequence;
    float out = 0;
    memset(p, 0, sizeof(*p));
    if (!(p->device = pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu2", .tiles_per_ipu = 2 }, error)))
        return error->status;
    pop_status status = build(p, &sequence, error);
    if (status != POP_OK)
        return status;
    p->engine =
        pop_engine_create(p->graph, POP_PROGRAMS(sequence),
                          POP_OPTIONS({ "autoReport.all", "true" }, { "autoReport.directory", directory }), error);
    if (!p->engine)
        return error->status;
    if ((status = pop_engine_load(p->engine, p->device, error)) != POP_OK ||
        (status = pop_engine_run(p->engine, 0, error)) != POP_OK ||
        (status = pop_engine_read_tensor(p->engine, "out", &out, POP_WHOLE, error)) != POP_OK)
        return status;
    assert_true(out == 36);
    return POP_OK;
}

/* Writes the rest of the report. */
static void end_engine(void *context)
{
    struct program *p = context;
    pop_engine_destroy(p->engine);
    p->engine = NULL;
}

static void close_program(void *context)
{
    struct program *p = context;
    pop_engine_destroy(p->engine);
    pop_graph_destroy(p->graph);
    pop_device_destroy(p->device);
}

static struct program program;
static const struct memory_program cases = { run, end_engine, close_program, &program };

static void each_allocation_fails(void **state)
{
    (void)state;
    memory_failures(&cases, false, 60);
}
static void all_from_each_fail(void **state)
{
    (void)state;
    memory_failures(&cases, true, 60);
}

int main(void)
{
    snprintf(file, sizeof(file), "host_memory.%ld.c", (long)getpid());
    snprintf(directory, sizeof(directory), "host_memory.%ld", (long)getpid());
    FILE *text = fopen(file, "w");
    if (!text || fputs(source, text) < 0 || fclose(text) != 0)
        return 1;
    const struct CMUnitTest tests[] = { cmocka_unit_test(each_allocation_fails), cmocka_unit_test(all_from_each_fail) };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[400];
    snprintf(command, sizeof(command), "rm -rf %s %s.gp %s", file, file, directory);
    return system(command) != 0 || failed;
}
