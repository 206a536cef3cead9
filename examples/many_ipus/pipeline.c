/* SPDX-License-Identifier: Apache-2.0 */
/* A pipeline of four stages, each a virtual graph with its own IPU.  In each round every stage works on another
 * micro-batch, and then all outputs go to the next stage at once; the last line prints the speed-up. */
#include <poplar/poplar.h>
#include <popops/codelets.h>
#include <popops/element_wise.h>
#include <pva/pva.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES = 4, TILES = 64, ELEMENTS = 1 << 14, BATCHES = 12, ROUNDS = BATCHES + STAGES - 1 };

/* A stage computes tanh(weight x + bias), a few times over. */
enum { LAYERS = 3 };
static const float weights[STAGES] = { 0.75f, 1.25f, 0.5f, 2 }, biases[STAGES] = { 0.25f, -0.5f, 1, -0.25f };

struct stage {
    pop_graph *graph;
    pop_tensor in, out;
};

static int failed(const pop_error *error)
{
    pop_error_print(error);
    return EXIT_FAILURE;
}

static pop_tensor constant(pop_graph *graph, float value)
{
    pop_tensor t = pop_graph_add_constant_float(graph, POP_FLOAT, POP_SHAPE(), value, "constant");
    pop_graph_set_tile_mapping(graph, t, 0);
    return t;
}

static struct stage add_stage(pop_graph *graph, unsigned number, pop_program work)
{
    struct stage stage = { .graph = pop_graph_create_virtual_range(graph, number * TILES, (number + 1) * TILES) };
    char name[32];
    snprintf(name, sizeof(name), "stage%u", number);
    stage.in = pop_graph_add_variable_mapped(stage.graph, POP_FLOAT, POP_SHAPE(ELEMENTS), POP_MAPPING_LINEAR, name);
    pop_tensor x = stage.in, weight = constant(stage.graph, weights[number]),
               bias = constant(stage.graph, biases[number]);
    for (unsigned layer = 0; layer < LAYERS; ++layer) {
        x = popops_mul(stage.graph, x, weight, work, name);
        popops_add_in_place(stage.graph, x, bias, work, name);
        popops_tanh_in_place(stage.graph, x, work, name);
    }
    stage.out = x;
    return stage;
}

/* The output of each stage becomes the input of the next, all in one exchange. */
static pop_program hand_on(const struct stage *stages)
{
    pop_tensor from[STAGES - 1], to[STAGES - 1];
    for (unsigned s = 0; s + 1 < STAGES; ++s) {
        from[s] = stages[s].out;
        to[s] = stages[s + 1].in;
    }
    return pop_copy(pop_tensor_concat((pop_tensors){ STAGES - 1, from }, 0),
                    pop_tensor_concat((pop_tensors){ STAGES - 1, to }, 0), false, "hand on");
}

static float expected(float x)
{
    for (unsigned s = 0; s < STAGES; ++s)
        for (unsigned layer = 0; layer < LAYERS; ++layer)
            x = tanhf(x * weights[s] + biases[s]);
    return x;
}

static float value(size_t batch, size_t i)
{
    return (float)((batch * 37 + i * 11) % 101) / 50 - 1;
}

/* The largest error of all micro-batches, which leave the pipeline STAGES - 1 rounds after they entered it. */
static double largest_error(const float *out)
{
    double largest = 0;
    for (size_t batch = 0; batch < BATCHES; ++batch)
        for (size_t i = 0; i < ELEMENTS; ++i)
            largest = fmax(largest, fabs(out[(batch + STAGES - 1) * ELEMENTS + i] - expected(value(batch, i))));
    return largest;
}

/* When the IPU of each stage computes, as lines of a chart, from the execution profile. */
static bool print_round(const pop_engine *engine, uint64_t cycles, pop_error *error)
{
    enum { COLUMNS = 60 };
    char directory[] = "/tmp/pipeline-XXXXXX", path[64];
    if (!mkdtemp(directory) || pop_engine_write_report(engine, directory, true, error) != POP_OK)
        return false;
    pva_file *file = pva_open_report(directory, NULL, error);
    if (file) {
        pva_object execution = pva_get(pva_root(file), PVA_REPORT_EXECUTION);
        char chart[STAGES][COLUMNS + 1] = { { 0 } };
        memset(chart, '.', sizeof(chart));
        for (uint64_t i = 0; i < pva_count(execution, PVA_EXECUTION_STEPS); ++i) {
            pva_object step = pva_at(execution, PVA_EXECUTION_STEPS, i);
            if (pva_uint(pva_get(step, PVA_STEP_PROGRAM), PVA_PROGRAM_TYPE) != PVA_PROGRAM_TYPE_ON_TILE_EXECUTE)
                continue;
            for (unsigned s = 0; s < STAGES; ++s) {
                pva_object ipu = pva_at(step, PVA_STEP_IPUS, s), range = pva_get(ipu, PVA_IPU_STEP_ACTIVE_CYCLES);
                uint64_t from = pva_uint(pva_get(range, PVA_CYCLE_RANGE_FROM), PVA_MIN_MAX_MIN),
                         to = pva_uint(pva_get(range, PVA_CYCLE_RANGE_TO), PVA_MIN_MAX_MAX);
                for (uint64_t at = from; at < to && at < cycles && pva_uint(ipu, PVA_IPU_STEP_CYCLES); ++at)
                    chart[s][at * COLUMNS / cycles] = '#';
            }
        }
        for (unsigned s = 0; s < STAGES; ++s)
            printf("stage %u on IPU %u  %.*s\n", s, s, COLUMNS, chart[s]);
    }
    bool good = file && pva_take_error(file, error) == POP_OK;
    pva_close(file);
    snprintf(path, sizeof(path), "%s/profile.pop", directory);
    remove(path);
    snprintf(path, sizeof(path), "%s/debug.cbor", directory);
    remove(path);
    remove(directory);
    return good;
}

/* Cycles of one program, from its start to its end. */
static uint64_t cycles_of(pop_engine *engine, unsigned program, pop_error *error)
{
    pop_cycles cycles = { 0 };
    pop_engine_reset_execution_profile(engine);
    if (pop_engine_run(engine, program, error) != POP_OK || pop_engine_cycles(engine, &cycles, error) != POP_OK)
        return 0;
    return cycles.total;
}

int main(void)
{
    pop_error error = { 0 };
    pop_device *device = pop_ipu_model_create_device(
        &(pop_ipu_model){ .version = "ipu2", .num_ipus = STAGES, .tiles_per_ipu = TILES }, &error);
    if (!device)
        return failed(&error);
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    popops_add_codelets(graph);
    pop_program work = pop_sequence(graph, "work"), one_by_one = pop_sequence(graph, "one by one");
    struct stage stages[STAGES];
    pop_program alone[STAGES];
    for (unsigned s = 0; s < STAGES; ++s) {
        alone[s] = pop_sequence(graph, "stage");
        stages[s] = add_stage(graph, s, alone[s]);
        pop_sequence_add(work, alone[s]);
    }
    /* One micro-batch after the other: a stage waits for the one before it. */
    for (unsigned s = 0; s < STAGES; ++s) {
        pop_sequence_add(one_by_one, alone[s]);
        if (s + 1 < STAGES)
            pop_sequence_add(one_by_one, pop_copy(stages[s].out, stages[s + 1].in, false, "next"));
    }
    pop_stream in = pop_graph_add_host_to_device_fifo(graph, "in", POP_FLOAT, ELEMENTS, POP_STREAM_REPLICATE,
                                                      POP_NO_OPTIONS),
               out = pop_graph_add_device_to_host_fifo(graph, "out", POP_FLOAT, ELEMENTS, POP_NO_OPTIONS);
    pop_program round = pop_sequence(graph, "round");
    pop_sequence_add(round, pop_copy_from_stream(in, stages[0].in, false, "in"));
    pop_sequence_add(round, work);
    pop_sequence_add(round, hand_on(stages));
    pop_sequence_add(round, pop_copy_to_stream(stages[STAGES - 1].out, out, false, "out"));
    pop_program once = pop_sequence(graph, "once");
    pop_sequence_add(once, work);
    pop_sequence_add(once, hand_on(stages));
    pop_engine *engine = pop_engine_create(graph, POP_PROGRAMS(pop_repeat(ROUNDS, round, "rounds"), once, one_by_one),
                                           POP_NO_OPTIONS, &error);
    float *fed = calloc((size_t)ROUNDS * ELEMENTS, sizeof(float)),
          *got = calloc((size_t)ROUNDS * ELEMENTS, sizeof(float));
    for (size_t i = 0; i < (size_t)BATCHES * ELEMENTS; ++i)
        fed[i] = value(i / ELEMENTS, i % ELEMENTS);
    size_t bytes = (size_t)ROUNDS * ELEMENTS * sizeof(float);
    int result = EXIT_FAILURE;
    if (!engine || pop_engine_load(engine, device, &error) != POP_OK ||
        pop_engine_connect_stream_circular(engine, "in", fed, (char *)fed + bytes, &error) != POP_OK ||
        pop_engine_connect_stream_circular(engine, "out", got, (char *)got + bytes, &error) != POP_OK ||
        pop_engine_run(engine, 0, &error) != POP_OK) {
        failed(&error);
    } else {
        uint64_t together = cycles_of(engine, 1, &error);
        bool shown = print_round(engine, together, &error);
        uint64_t single = cycles_of(engine, 2, &error);
        double worst = largest_error(got);
        printf("largest error %s 1e-5\n", worst < 1e-5 ? "<" : ">=");
        printf("a micro-batch every %llu cycles; one by one, every %llu: %.1f times as many\n",
               (unsigned long long)together, (unsigned long long)single, (double)single / (double)together);
        result = shown && worst < 1e-5 && together && single ? EXIT_SUCCESS : failed(&error);
    }
    free(fed);
    free(got);
    for (unsigned s = 0; s < STAGES; ++s)
        pop_graph_destroy(stages[s].graph);
    pop_engine_destroy(engine);
    pop_graph_destroy(graph);
    pop_device_destroy(device);
    return result;
}
