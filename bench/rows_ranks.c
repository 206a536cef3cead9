/* SPDX-License-Identifier: Apache-2.0 */
/* Two ranks under mpirun compared with one process: four replicas that compute much between exchanges, and four that do
 * little else than exchange.  Each runs in a separate process, this program with --ranks. */
#include "bench.h"

#include <poplar/text.h>
#include <popops/codelets.h>
#include <popops/collectives.h>
#include <popops/element_wise.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REPLICAS = 4, LAYERS = 24, TURNS = 3, MEETINGS = 6 /* of a ring of four: three to reduce, three to gather */ };
static const struct work {
    const char *name;
    unsigned steps, elements, sum;
} works[] = { { "layers of 2^20 floats", 8, 1 << 20, 1 << 16 }, { "a word a tile, meetings alone", 200, 1472, 1472 } };
enum { WORKS = sizeof(works) / sizeof(works[0]) };

static pop_engine *build(const struct work *work, pop_device **device, pop_graph **graph)
{
    pop_error error = { 0 };
    *device = pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu2", .num_ipus = REPLICAS }, &error);
    bench_must(error.status, &error);
    pop_graph *g = *graph = pop_graph_create_replicated(pop_device_target(*device), REPLICAS);
    popops_add_codelets(g);
    pop_tensor x = pop_graph_add_variable_mapped(g, POP_FLOAT, POP_SHAPE(work->elements), POP_MAPPING_LINEAR, "x");
    pop_program step = pop_sequence(g, "step");
    for (unsigned layer = 0; layer < LAYERS; ++layer) {
        pop_tensor y = pop_graph_clone(g, POP_TYPE_NULL, x, POP_CLONE_PRESERVE_ORDER_AND_ALIASES, "y");
        popops_mul_with_output(g, x, x, y, step, "square");
        popops_add_in_place(g, x, y, step, "add");
    }
    popops_replicated_all_reduce_in_place(g, pop_tensor_slice(x, 0, work->sum, 0), POPOPS_ADD, step, "sum",
                                          POP_OPTIONS({ "method", "bidirectional_ring_pair" }));
    bench_must_build(g);
    pop_engine *engine =
        pop_engine_create(g, POP_PROGRAMS(pop_repeat(work->steps, step, "steps")), POP_NO_OPTIONS, &error);
    bench_must(error.status, &error);
    return engine;
}

/* A rank, or the one process: rank 0 prints the seconds of a run. */
int ranks_program(const char *number)
{
    pop_error error = { 0 };
    pop_device *device;
    pop_graph *graph;
    pop_engine *engine = build(&works[(unsigned)atoi(number) % WORKS], &device, &graph);
    bench_must(pop_engine_load_and_run(engine, device, 0, &error), &error);
    double start = bench_seconds();
    bench_must(pop_engine_run(engine, 0, &error), &error);
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    if (!rank || !strcmp(rank, "0"))
        printf("seconds %.9f\n", bench_seconds() - start);
    pop_engine_destroy(engine);
    pop_graph_destroy(graph);
    pop_device_destroy(device);
    return 0;
}

/* Seconds of a run by this number of ranks; below 0: they cannot be started here. */
static double seconds_of(unsigned work, unsigned ranks)
{
    char own[4096], command[8192], line[256];
    double seconds = -1;
    ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
    if (length < 0)
        return -1;
    own[length] = 0;
    if (ranks == 1)
        snprintf(command, sizeof(command), "'%s' --ranks %u", own, work);
    else
        snprintf(command, sizeof(command), "mpirun --oversubscribe -np %u '%s' --ranks %u 2>/dev/null", ranks, own,
                 work);
    FILE *output = popen(command, "r");
    while (output && fgets(line, sizeof(line), output))
        if (strncmp(line, "seconds ", 8) == 0)
            seconds = pop_text_to_double(line + 8, NULL);
    return output && pclose(output) == 0 ? seconds : -1;
}

void row_ranks(void)
{
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0); /* as in a container */
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
    setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 0);
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
    for (unsigned w = 0; w < WORKS; ++w) {
        double seconds[2][TURNS];
        char text[96];
        for (unsigned turn = 0; turn < TURNS; ++turn)
            for (unsigned ranks = 1; ranks <= 2; ++ranks)
                if ((seconds[ranks - 1][turn] = seconds_of(w, ranks)) < 0)
                    return;
        double one = bench_min(seconds[0], TURNS), two = bench_min(seconds[1], TURNS);
        snprintf(text, sizeof(text), "%s: one process", works[w].name);
        bench_report(text, one * 1e3, "ms", 0);
        bench_report("  two ranks", two * 1e3, "ms", 0);
        bench_report("  two ranks, of one process's time", 100 * two / one, "%", 0);
        bench_report("  longer for each meeting", (two - one) * 1e6 / (works[w].steps * MEETINGS), "us", 0);
    }
}
