/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products on the CPU device, square and in float, compared with the peak of the machine's units and with
 * OpenBLAS (loaded if it is installed), all on the same threads: all of them, by the clock, and one, in processor time.
 * Rounds of the products alternate, so that other load affects all alike; the best of each counts. */
#include "bench.h"
#include "peak.h"

#include <dlfcn.h>
#include <poplin/codelets.h>
#include <poplin/mat_mul.h>
#include <popops/codelets.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MIN_ROUNDS = 3, MAX_ROUNDS = 15 };
static const double long_enough = 3; /* seconds */

typedef void (*sgemm)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float *a,
                      int lda, const float *b, int ldb, float beta, float *c, int ldc);

static sgemm find_openblas(void (**set_threads)(int))
{
    void *library = dlopen("libopenblas.so.0", RTLD_NOW);
    if (!library)
        return NULL;
    sgemm found;
    *(void **)(void *)set_threads = dlsym(library, "openblas_set_num_threads");
    *(void **)(void *)&found = dlsym(library, "cblas_sgemm");
    return *set_threads ? found : NULL;
}

static pop_engine *build(const pop_device *device, size_t size, unsigned threads)
{
    pop_error error;
    char number[16];
    snprintf(number, sizeof(number), "%u", threads);
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    popops_add_codelets(graph);
    poplin_add_codelets(graph);
    pop_tensor a = poplin_create_mat_mul_input_lhs(graph, POP_FLOAT, POP_FLOAT, POP_SHAPE(size, size),
                                                   POP_SHAPE(size, size), "a", POP_NO_OPTIONS, NULL);
    pop_tensor b = poplin_create_mat_mul_input_rhs(graph, POP_FLOAT, POP_FLOAT, POP_SHAPE(size, size),
                                                   POP_SHAPE(size, size), "b", POP_NO_OPTIONS, NULL);
    pop_program program = pop_sequence(graph, NULL);
    pop_tensor c = poplin_mat_mul(graph, a, b, program, "mm", POP_NO_OPTIONS, NULL);
    pop_graph_create_host_write(graph, "a", a);
    pop_graph_create_host_write(graph, "b", b);
    pop_graph_create_host_read(graph, "c", c);
    bench_must_build(graph);
    pop_engine *engine =
        pop_engine_create(graph, POP_PROGRAMS(program), POP_OPTIONS({ "target.hostThreads", number }), &error);
    if (!engine)
        bench_must(error.status, &error);
    bench_must(pop_engine_load(engine, device, &error), &error);
    pop_graph_destroy(graph);
    return engine;
}

static void measure(const pop_device *device, size_t size, unsigned threads, sgemm openblas)
{
    pop_error error;
    size_t elements = size * size;
    float *a = malloc(elements * sizeof(*a)), *b = malloc(elements * sizeof(*b)), *c = malloc(elements * sizeof(*c));
    for (size_t i = 0; i < elements; ++i) {
        a[i] = (float)(i % 97) / 97;
        b[i] = (float)(i % 89) / 89;
    }
    double (*seconds)(void) = threads == 1 ? bench_processor_seconds : bench_seconds;
    pop_engine *engine = build(device, size, threads);
    bench_must(pop_engine_write_tensor(engine, "a", a, POP_WHOLE, &error), &error);
    bench_must(pop_engine_write_tensor(engine, "b", b, POP_WHOLE, &error), &error);
    double flops = 2.0 * (double)size * (double)elements, ours = 0, theirs = 0, peak = 0;
    int times = size < 512 ? 20 : size < 2048 ? 5 : 1; /* each round long enough for the clock's resolution */
    double begin = bench_seconds();
    for (int round = 0; round < MAX_ROUNDS && (round < MIN_ROUNDS || bench_seconds() - begin < long_enough); ++round) {
        double now = peak_gflops(threads);
        peak = now > peak ? now : peak;
        for (int i = 0; i < times; ++i) {
            double start = seconds();
            bench_must(pop_engine_run(engine, 0, &error), &error);
            now = flops / (seconds() - start) / 1e9;
            ours = now > ours ? now : ours;
        }
        for (int i = 0; openblas && i < times; ++i) {
            int n = (int)size;
            double start = seconds();
            openblas(101, 111, 111, n, n, n, 1, a, n, b, n, 0, c, n);
            now = flops / (seconds() - start) / 1e9;
            theirs = now > theirs ? now : theirs;
        }
    }
    char text[96];
    const char *on = threads == 1 ? ", one thread" : "";
    snprintf(text, sizeof(text), "%zu x %zu%s: of the units' peak", size, size, on);
    bench_report(text, ours / peak, "", size >= 1024 ? -0.8 : 0);
    snprintf(text, sizeof(text), "%zu x %zu%s", size, size, on);
    bench_report(text, ours, "GFLOP/s", 0);
    snprintf(text, sizeof(text), "%zu x %zu%s: times OpenBLAS", size, size, on);
    if (openblas)
        bench_report(text, ours / theirs, "", -1);
    pop_engine_destroy(engine);
    free(a);
    free(b);
    free(c);
}

void row_matmul(void)
{
    pop_error error;
    pop_device *device = pop_cpu_device_create(&error);
    if (!device)
        bench_must(error.status, &error);
    unsigned all = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    void (*set_threads)(int) = NULL;
    sgemm openblas = find_openblas(&set_threads);
    bench_report("units' peak", peak_gflops(all), "GFLOP/s", 0);
    static const size_t sizes[] = { 256, 512, 1000, 1024, 2048, 4096 };
    for (unsigned threads = all;; threads = 1) {
        if (openblas)
            set_threads((int)threads);
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i)
            measure(device, sizes[i], threads, openblas);
        if (threads == 1)
            break;
    }
    pop_device_destroy(device);
}
