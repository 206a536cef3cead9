/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions of 64 million elements on the CPU device, compared with a loop that only reads as many bytes on the same
 * threads: the share of the memory bandwidth.  On all threads by the clock, and on one in processor time.  Rounds of
 * both alternate, so that other load affects both alike; the best of each counts. */
#include "bench.h"

#include <popops/codelets.h>
#include <popops/reduce.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROUNDS = 9, MAX_THREADS = 64 };
static const size_t BYTES = (size_t)256 << 20;

/* ---- reading ---- */

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define FOR_EACH_MACHINE __attribute__((target_clones("arch=skylake-avx512", "avx2", "default"), optimize("O3")))
#else
#define FOR_EACH_MACHINE
#endif

FOR_EACH_MACHINE static uint64_t read_all(const uint64_t *data, size_t count)
{
    uint64_t sums[64] = { 0 }, all = 0;
    for (size_t i = 0; i + 64 <= count; i += 64)
        for (size_t k = 0; k < 64; ++k)
            sums[k] |= data[i + k];
    for (size_t k = 0; k < 64; ++k)
        all |= sums[k];
    return all;
}

struct share {
    pthread_t thread;
    const uint64_t *data;
    size_t count;
    uint64_t result;
};
static void *run_share(void *user)
{
    struct share *share = user;
    share->result = read_all(share->data, share->count);
    return NULL;
}

static void read_on(const uint64_t *data, unsigned threads)
{
    struct share shares[MAX_THREADS];
    size_t count = BYTES / sizeof(*data);
    for (unsigned i = 0; i < threads; ++i) {
        shares[i] = (struct share){ .data = data + count / threads * i, .count = count / threads };
        if (pthread_create(&shares[i].thread, NULL, run_share, &shares[i]) != 0)
            exit(1);
    }
    for (unsigned i = 0; i < threads; ++i)
        pthread_join(shares[i].thread, NULL);
}

/* ---- reducing ---- */

static void measure_on(unsigned threads, const char *name, pop_type type, pop_shape shape, pop_dims dims,
                       popops_operation op, const uint64_t *data)
{
    pop_error error;
    char text[96], number[16];
    double (*seconds)(void) = threads == 1 ? bench_processor_seconds : bench_seconds;
    snprintf(number, sizeof(number), "%u", threads);
    pop_device *device = pop_cpu_device_create(&error);
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    popops_add_codelets(graph);
    pop_tensor in = pop_graph_add_variable(graph, type, shape, "in");
    pop_graph_set_tile_mapping(graph, in, 0);
    pop_program program = pop_sequence(graph, NULL);
    pop_tensor out =
        popops_reduce(graph, in, type, dims, (popops_reduce_params){ .op = op }, program, "reduce", POP_NO_OPTIONS);
    bench_must_build(graph);
    double bytes = (double)(pop_tensor_num_elements(in) + pop_tensor_num_elements(out)) *
                   (double)pop_type_size(type); /* read and written */
    pop_engine *engine =
        pop_engine_create(graph, POP_PROGRAMS(program), POP_OPTIONS({ "target.hostThreads", number }), &error);
    if (!engine)
        bench_must(error.status, &error);
    bench_must(pop_engine_load(engine, device, &error), &error);
    double reading[ROUNDS], reducing[ROUNDS];
    for (int i = 0; i < ROUNDS; ++i) {
        double start = seconds();
        read_on(data, threads);
        double between = seconds();
        bench_must(pop_engine_run(engine, 0, &error), &error);
        reading[i] = between - start;
        reducing[i] = seconds() - between;
    }
    double best = bench_min(reducing, ROUNDS);
    const char *on = threads == 1 ? ", one thread" : "";
    snprintf(text, sizeof(text), "%s%s, GB/s", name, on);
    bench_report(text, bytes / best * 1e-9, "GB/s", 0);
    snprintf(text, sizeof(text), "%s%s, of the bandwidth", name, on);
    bench_report(text, bytes / best / ((double)BYTES / bench_min(reading, ROUNDS)), "x reading", -0.8);
    pop_engine_destroy(engine);
    pop_graph_destroy(graph);
    pop_device_destroy(device);
}

static void measure(const char *name, pop_type type, pop_shape shape, pop_dims dims, popops_operation op,
                    const uint64_t *data, unsigned threads)
{
    if (threads > 1)
        measure_on(threads, name, type, shape, dims, op, data);
    measure_on(1, name, type, shape, dims, op, data);
}

/* Time and memory of building a reduction of 16 million elements on a whole IPU. */
static void measure_building(void)
{
    pop_device *device = bench_device();
    double seconds[ROUNDS];
    for (int i = 0; i < ROUNDS; ++i) {
        pop_graph *graph = pop_graph_create(pop_device_target(device));
        popops_add_codelets(graph);
        pop_tensor in =
            pop_graph_add_variable_mapped(graph, POP_FLOAT, POP_SHAPE(64, 1000, 250), POP_MAPPING_LINEAR, "in");
        pop_program program = pop_sequence(graph, NULL);
        double start = bench_seconds();
        popops_reduce(graph, in, POP_FLOAT, POP_DIMS(1), (popops_reduce_params){ .op = POPOPS_ADD }, program, "reduce",
                      POP_NO_OPTIONS);
        seconds[i] = bench_seconds() - start;
        bench_must_build(graph);
        pop_graph_destroy(graph);
    }
    bench_report("building {64,1000,250} over 1, 1472 tiles", bench_min(seconds, ROUNDS) * 1e3, "ms", 0);
    pop_device_destroy(device);
}

void row_reduce(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned threads = processors < 1 ? 1 : processors > MAX_THREADS ? MAX_THREADS : (unsigned)processors;
    uint64_t *data = aligned_alloc((size_t)1 << 21, BYTES);
    if (!data)
        exit(1);
    madvise(data, BYTES, MADV_HUGEPAGE); /* with the engine's own threads */
    memset(data, 1, BYTES);
    measure("sum of 64M float", POP_FLOAT, POP_SHAPE((size_t)64 << 20), POP_DIMS(0), POPOPS_ADD, data, threads);
    measure("sums of 8192 rows", POP_FLOAT, POP_SHAPE(8192, 8192), POP_DIMS(1), POPOPS_ADD, data, threads);
    measure("sums of 8192 columns", POP_FLOAT, POP_SHAPE(8192, 8192), POP_DIMS(0), POPOPS_ADD, data, threads);
    measure("sums of a million rows", POP_FLOAT, POP_SHAPE((size_t)1 << 20, 64), POP_DIMS(1), POPOPS_ADD, data,
            threads);
    measure("sums of rows of 4", POP_FLOAT, POP_SHAPE((size_t)16 << 20, 4), POP_DIMS(1), POPOPS_ADD, data, threads);
    measure("sums of rows of 17", POP_FLOAT, POP_SHAPE(((size_t)64 << 20) / 17, 17), POP_DIMS(1), POPOPS_ADD, data,
            threads);
    measure("sums over the middle of three", POP_FLOAT, POP_SHAPE(64, 1024, 1024), POP_DIMS(1), POPOPS_ADD, data,
            threads);
    measure("maximum of 64M float", POP_FLOAT, POP_SHAPE((size_t)64 << 20), POP_DIMS(0), POPOPS_MAX, data, threads);
    measure("sum of 128M half", POP_HALF, POP_SHAPE((size_t)128 << 20), POP_DIMS(0), POPOPS_ADD, data, threads);
    measure("maxima of half rows of 64", POP_HALF, POP_SHAPE((size_t)2 << 20, 64), POP_DIMS(1), POPOPS_MAX, data,
            threads);
    measure_building();
    free(data);
}
