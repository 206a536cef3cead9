/* SPDX-License-Identifier: Apache-2.0 */
/* Weak scaling over 1 to 64 modelled IPUs, 94,208 tiles: the replicas compute the same and add up their results.
 * Compiling one replica's graph must not take longer for more of them, and an executable must not be larger.
 * scripts/scale-table makes the tables of docs/concepts/replicas.md from this output. */
#include "bench.h"

#include <math.h>
#include <popops/codelets.h>
#include <popops/collectives.h>
#include <popops/element_wise.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 25, SIZES = 4, ELEMENTS = 1 << 20, STEPS = 4, LAYERS = 24, LIMIT = 64 };

struct scaled {
    pop_device *device;
    pop_graph *graph;
    pop_program program;
};

/* Layers of element-wise work, and at the end of each step, if requested, the sum over all replicas. */
static struct scaled build(unsigned replicas, bool sum)
{
    pop_error error = { 0 };
    struct scaled s;
    s.device = pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu2", .num_ipus = replicas }, &error);
    bench_must(error.status, &error);
    s.graph = pop_graph_create_replicated(pop_device_target(s.device), replicas);
    popops_add_codelets(s.graph);
    pop_tensor x = pop_graph_add_variable_mapped(s.graph, POP_FLOAT, POP_SHAPE(ELEMENTS), POP_MAPPING_LINEAR, "x");
    pop_program step = pop_sequence(s.graph, "step");
    for (unsigned layer = 0; layer < LAYERS; ++layer) {
        pop_tensor y = pop_graph_clone(s.graph, POP_TYPE_NULL, x, POP_CLONE_PRESERVE_ORDER_AND_ALIASES, "y");
        popops_mul_with_output(s.graph, x, x, y, step, "square");
        popops_add_in_place(s.graph, x, y, step, "add");
    }
    if (sum)
        popops_replicated_all_reduce_in_place(s.graph, pop_tensor_slice(x, 0, ELEMENTS / 16, 0), POPOPS_ADD, step,
                                              "sum", POP_OPTIONS({ "method", "bidirectional_ring_pair" }));
    s.program = pop_repeat(STEPS, step, "steps");
    bench_must_build(s.graph);
    return s;
}

static void destroy(struct scaled *s)
{
    pop_graph_destroy(s->graph);
    pop_device_destroy(s->device);
}

/* Processor time of one compilation, and the bytes of the executable. */
static double compile(const struct scaled *s, pop_executable **executable)
{
    pop_error error = { 0 };
    double start = bench_processor_seconds();
    bench_must(pop_compile_graph(s->graph, POP_PROGRAMS(s->program), POP_NO_OPTIONS, NULL, NULL, executable, &error),
               &error);
    return bench_processor_seconds() - start;
}

static double executable_bytes(pop_executable *executable)
{
    pop_error error = { 0 };
    void *data;
    size_t size;
    bench_must(pop_executable_to_memory(executable, &data, &size, &error), &error);
    free(data);
    return (double)size;
}

/* All numbers of replicas alternate, each round starts with another one, so that other load affects them alike; the
 * best of each counts.  The others are compared with the first number. */
static void compare_compiling(const unsigned *replicas, bool sum)
{
    struct scaled s[SIZES];
    double seconds[SIZES][ROUNDS], bytes[SIZES];
    for (unsigned i = 0; i < SIZES; ++i)
        s[i] = build(replicas[i], sum);
    for (unsigned round = 0; round < ROUNDS; ++round)
        for (unsigned turn = 0; turn < SIZES; ++turn) {
            unsigned i = (round + turn) % SIZES;
            pop_executable *executable;
            seconds[i][round] = compile(&s[i], &executable);
            if (!round)
                bytes[i] = executable_bytes(executable);
            pop_executable_destroy(executable);
        }
    double first = bench_min(seconds[0], ROUNDS);
    for (unsigned i = 0; i < SIZES; ++i) {
        char text[96];
        double best = bench_min(seconds[i], ROUNDS);
        snprintf(text, sizeof(text), "compiling %s for %u replicas of an IPU", sum ? "with sums" : "layers",
                 replicas[i]);
        bench_report(text, best * 1e3, "ms", 0);
        if (i) {
            snprintf(text, sizeof(text), "  longer than for %u", replicas[0]);
            bench_report(text, 100 * (best / first - 1), "%", 5);
            snprintf(text, sizeof(text), "  executable larger than for %u", replicas[0]);
            bench_report(text, 100 * (bytes[i] / bytes[0] - 1), "%", 5);
        }
        destroy(&s[i]);
    }
}

static double running(unsigned replicas, double *bytes, double *cycles)
{
    pop_error error = { 0 };
    double before = bench_resident();
    struct scaled s = build(replicas, true);
    pop_engine *engine = pop_engine_create(s.graph, POP_PROGRAMS(s.program), POP_NO_OPTIONS, &error);
    bench_must(error.status, &error);
    bench_must(pop_engine_load_and_run(engine, s.device, 0, &error), &error);
    double start = bench_seconds();
    bench_must(pop_engine_run(engine, 0, &error), &error);
    double seconds = bench_seconds() - start;
    pop_cycles all;
    bench_must(pop_engine_cycles(engine, &all, &error), &error);
    *bytes = bench_resident() - before;
    *cycles = (double)all.total / 2;
    pop_engine_destroy(engine);
    destroy(&s);
    return seconds;
}

void row_replicas(void)
{
    /* One replica has nothing to sum: with sums the min is two. */
    compare_compiling((const unsigned[SIZES]){ 1, 4, 16, 64 }, false);
    compare_compiling((const unsigned[SIZES]){ 2, 4, 16, 64 }, true);
    for (unsigned n = 1; n <= LIMIT; n *= 4) {
        char text[96];
        double bytes, cycles, seconds = running(n, &bytes, &cycles);
        snprintf(text, sizeof(text), "a run, for each of %u modelled IPUs", n);
        bench_report(text, seconds / n * 1e3, "ms", 0);
        bench_report("  memory for each", bytes / n / 1e6, "MB", 0);
        bench_report("  modelled cycles", cycles, "cycles", 0);
    }
}
