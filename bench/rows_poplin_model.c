/* SPDX-License-Identifier: Apache-2.0 */
/* Square matrix products on the modelled IPU compared with the same products on the CPU device: processor time of one
 * thread, the best of a few alternating rounds. */
#include "bench.h"

#include <poplin/codelets.h>
#include <poplin/mat_mul.h>
#include <popops/codelets.h>
#include <stdio.h>

enum { ROUNDS = 5 };

static pop_engine *build(const pop_device *device, size_t size, pop_type type)
{
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    popops_add_codelets(graph);
    poplin_add_codelets(graph);
    pop_tensor a = poplin_create_mat_mul_input_lhs(graph, type, type, POP_SHAPE(size, size), POP_SHAPE(size, size), "a",
                                                   POP_NO_OPTIONS, NULL);
    pop_tensor b = poplin_create_mat_mul_input_rhs(graph, type, type, POP_SHAPE(size, size), POP_SHAPE(size, size), "b",
                                                   POP_NO_OPTIONS, NULL);
    pop_program program = pop_sequence(graph, NULL);
    poplin_mat_mul(graph, a, b, program, "mm", POP_NO_OPTIONS, NULL);
    return bench_engine(graph, program, device);
}

static double run(pop_engine *engine)
{
    pop_error error;
    double start = bench_processor_seconds();
    bench_must(pop_engine_run(engine, 0, &error), &error);
    return bench_processor_seconds() - start;
}

static void measure(const pop_device *model, const pop_device *cpu, size_t size, pop_type type, const char *name)
{
    pop_engine *engines[] = { build(model, size, type), build(cpu, size, type) };
    double best[] = { 0, 0 }, flops = 2.0 * (double)size * (double)size * (double)size;
    for (int round = 0; round < ROUNDS; ++round)
        for (int i = 0; i < 2; ++i) {
            double now = flops / run(engines[i]) / 1e9;
            best[i] = now > best[i] ? now : best[i];
        }
    char text[96];
    snprintf(text, sizeof(text), "product of %zu x %zu, %s, one thread", size, size, name);
    bench_report(text, best[0], "GFLOP/s", 0);
    snprintf(text, sizeof(text), "product of %zu x %zu, %s: times the CPU device", size, size, name);
    bench_report(text, best[0] / best[1], "", type == POP_HALF ? -0.4 : -0.5);
    pop_engine_destroy(engines[0]);
    pop_engine_destroy(engines[1]);
}

void row_model(void)
{
    pop_error error;
    pop_device *model = pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu2" }, &error);
    if (!model)
        bench_must(error.status, &error);
    pop_device *cpu = pop_cpu_device_create(&error);
    if (!cpu)
        bench_must(error.status, &error);
    static const size_t sizes[] = { 1024, 2048, 4096 };
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
        measure(model, cpu, sizes[i], POP_FLOAT, "float");
        measure(model, cpu, sizes[i], POP_HALF, "half");
    }
    pop_device_destroy(model);
    pop_device_destroy(cpu);
}
