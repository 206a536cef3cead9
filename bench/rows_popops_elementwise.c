/* SPDX-License-Identifier: Apache-2.0 */
/* Element-wise operations of popops on the CPU device, on tensors far larger than the caches, compared with plain loops
 * over arrays of the same size on the same number of threads: the share of the memory bandwidth.  On all threads by the
 * clock, and on one in processor time. */
#include "bench.h"

#include <popnn/codelets.h>
#include <popnn/non_linearity.h>
#include <popops/codelets.h>
#include <popops/element_wise.h>
#include <popops/expr.h>
#include <poprand/codelets.h>
#include <poprand/random_gen.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ELEMENTS = 1 << 24, REPEATS = 9, MAX_THREADS = 64, SOFTMAX_ROW = 1024 };

/* ---- the loops ---- */

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define FOR_EACH_MACHINE __attribute__((target_clones("arch=skylake-avx512", "avx2", "default"), optimize("O3")))
#else
#define FOR_EACH_MACHINE
#endif

typedef void (*loop)(float *restrict a, const float *restrict b, size_t count);
FOR_EACH_MACHINE static void loop_add(float *restrict a, const float *restrict b, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        a[i] += b[i];
}
FOR_EACH_MACHINE static void loop_scale(float *restrict a, const float *restrict b, size_t count)
{
    (void)b;
    for (size_t i = 0; i < count; ++i)
        a[i] *= 0.5f;
}
FOR_EACH_MACHINE static void loop_blend(float *restrict a, const float *restrict b, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        a[i] = a[i] * 0.75f + b[i] * 0.25f;
}

FOR_EACH_MACHINE static void loop_set(float *restrict a, const float *restrict b, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        a[i] = b[0];
}

struct share {
    pthread_t thread;
    loop run;
    float *a;
    const float *b;
    size_t count;
};
static void *run_share(void *user)
{
    const struct share *share = user;
    share->run(share->a, share->b, share->count);
    return NULL;
}
static void run_loop(loop run, float *a, const float *b, unsigned threads)
{
    struct share shares[MAX_THREADS];
    for (unsigned i = 0; i < threads; ++i) {
        size_t from = ELEMENTS / threads * i, to = i + 1 == threads ? ELEMENTS : ELEMENTS / threads * (i + 1);
        shares[i] = (struct share){ .run = run, .a = a + from, .b = b + from, .count = to - from };
        if (i)
            pthread_create(&shares[i].thread, NULL, run_share, &shares[i]);
    }
    run_share(&shares[0]);
    for (unsigned i = 1; i < threads; ++i)
        pthread_join(shares[i].thread, NULL);
}
static float *array(float value)
{
    enum { LARGE_PAGE = 1 << 21 };
    float *a = aligned_alloc(LARGE_PAGE, ELEMENTS * sizeof(float));
    madvise(a, ELEMENTS * sizeof(float), MADV_HUGEPAGE);
    for (size_t i = 0; i < ELEMENTS; ++i)
        a[i] = value;
    return a;
}

/* ---- the operations ---- */

struct operation {
    pop_graph *graph;
    pop_tensor a, b;
    pop_program program;
};
static void add_in_place(struct operation *o)
{
    popops_add_in_place(o->graph, o->a, o->b, o->program, "add");
}
static void scale_in_place(struct operation *o)
{
    popops_mul_in_place(o->graph, o->a, 0.5, o->program, "scale");
}
static void blend_in_place(struct operation *o)
{
    popops_map_in_place(o->graph, "_1 * 0.75 + _2 * 0.25", POP_TENSORS(o->a, o->b), o->program, "blend",
                        POP_NO_OPTIONS);
}
#define UNARY(name, call)                                                                                              \
    static void name##_in_place(struct operation *o)                                                                   \
    {                                                                                                                  \
        call(o->graph, o->a, o->program, #name);                                                                       \
    }
UNARY(exp, popops_exp_in_place)
UNARY(log, popops_log_in_place)
UNARY(tanh, popops_tanh_in_place)
UNARY(sigmoid, popops_sigmoid_in_place)
UNARY(erf, popops_erf_in_place)
UNARY(gelu, popops_gelu_erf_in_place)
#undef UNARY
static void softmax_in_place(struct operation *o)
{
    pop_tensor rows = pop_tensor_reshape(o->a, POP_SHAPE(ELEMENTS / SOFTMAX_ROW, SOFTMAX_ROW));
    popnn_softmax_stable_in_place(o->graph, rows, o->program, "softmax");
}
static void draw_normal(struct operation *o)
{
    pop_tensor drawn = poprand_normal(o->graph, NULL, 0, o->a, POP_FLOAT, 0, 1, o->program, "normal");
    (void)drawn;
}

/* Alternating, so that other load affects both; the min of each counts. */
static void compare_on(unsigned threads, const char *what, void (*build)(struct operation *), loop run, double bytes,
                       double aim)
{
    pop_error error = { 0 };
    char text[96], number[16];
    double (*now)(void) = threads == 1 ? bench_processor_seconds : bench_seconds;
    snprintf(number, sizeof(number), "%u", threads);
    pop_device *device = pop_cpu_device_create(&error);
    bench_must(error.status, &error);
    struct operation o = { .graph = pop_graph_create(pop_device_target(device)) };
    popops_add_codelets(o.graph);
    popnn_add_codelets(o.graph);
    poprand_add_codelets(o.graph);
    o.a = pop_graph_add_variable(o.graph, POP_FLOAT, POP_SHAPE(ELEMENTS), "a");
    o.b = pop_graph_add_variable(o.graph, POP_FLOAT, POP_SHAPE(ELEMENTS), "b");
    pop_graph_set_tile_mapping(o.graph, o.a, 0);
    pop_graph_set_tile_mapping(o.graph, o.b, 0);
    pop_graph_set_initial_fill(o.graph, o.a, POP_FLOAT, &(float){ 1 });
    pop_graph_set_initial_fill(o.graph, o.b, POP_FLOAT, &(float){ 2 });
    o.program = pop_sequence(o.graph, NULL);
    build(&o);
    bench_must_build(o.graph);
    pop_engine *engine =
        pop_engine_create(o.graph, POP_PROGRAMS(o.program), POP_OPTIONS({ "target.hostThreads", number }), &error);
    bench_must(error.status, &error);
    bench_must(pop_engine_load(engine, device, &error), &error);
    float *a = array(1), *b = array(2);
    double seconds[2][REPEATS + 1];
    for (int i = 0; i <= REPEATS; ++i) { /* the first round warms up */
        double start = now();
        run_loop(run, a, b, threads);
        double between = now();
        bench_must(pop_engine_run(engine, 0, &error), &error);
        seconds[0][i] = between - start;
        seconds[1][i] = now() - between;
    }
    double plain = bench_min(seconds[0] + 1, REPEATS), ours = bench_min(seconds[1] + 1, REPEATS);
    const char *on = threads == 1 ? ", one thread" : "";
    snprintf(text, sizeof(text), "%s%s, bandwidth", what, on);
    bench_report(text, bytes * ELEMENTS / ours * 1e-9, "GB/s", 0);
    snprintf(text, sizeof(text), "%s%s, of the plain loop's", what, on);
    bench_report(text, plain / ours, "x loop", aim);
    free(a);
    free(b);
    pop_engine_destroy(engine);
    pop_graph_destroy(o.graph);
    pop_device_destroy(device);
}

static void compare(const char *what, void (*build)(struct operation *), loop run, double bytes, double aim)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (processors > 1)
        compare_on(processors > MAX_THREADS ? MAX_THREADS : (unsigned)processors, what, build, run, bytes, -aim);
    compare_on(1, what, build, run, bytes, processors > 1 && aim > 0.8 ? 0 : -aim);
}

void row_elementwise(void)
{
    static const struct {
        const char *what;
        void (*build)(struct operation *);
        loop run;
        double bytes, aim; /* bytes moved for each element; part of the loop's speed, at least */
    } rows[] = { { "a += b, 16M floats", add_in_place, loop_add, 12, 0.8 },
                 { "a *= 0.5", scale_in_place, loop_scale, 8, 0.8 },
                 { "a = 0.75 a + 0.25 b, one map", blend_in_place, loop_blend, 12, 0.8 },
                 { "a = exp(a)", exp_in_place, loop_scale, 8, 0.9 },
                 { "a = log(a)", log_in_place, loop_scale, 8, 0.9 },
                 { "a = tanh(a)", tanh_in_place, loop_scale, 8, 0.9 },
                 { "a = sigmoid(a)", sigmoid_in_place, loop_scale, 8, 0.9 },
                 { "a = erf(a)", erf_in_place, loop_scale, 8, 0.9 },
                 { "a = gelu(a)", gelu_in_place, loop_scale, 8, 0.9 },
                 { "a = softmax(a), rows of 1024", softmax_in_place, loop_scale, 8, 0.9 },
                 { "a random normal", draw_normal, loop_set, 4, 0.9 } };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i)
        compare(rows[i].what, rows[i].build, rows[i].run, rows[i].bytes, rows[i].aim);
}
