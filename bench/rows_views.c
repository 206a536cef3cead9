/* SPDX-License-Identifier: Apache-2.0 */
/* Views: time of each for large variables, and memory of many temporary ones. */
#include "bench.h"

enum { BATCH = 10000, TIMES = 100 * BATCH, TEMPORARIES = 10000000, SIDE = 10000 };

typedef pop_tensor (*view)(pop_tensor matrix, size_t i);

static pop_tensor take_at(pop_tensor m, size_t i)
{
    return pop_tensor_at(m, i % SIDE);
}
static pop_tensor take_slice(pop_tensor m, size_t i)
{
    return pop_tensor_slice(m, i % SIDE, SIDE, 0);
}
static pop_tensor take_column(pop_tensor m, size_t i)
{
    return pop_tensor_slice(m, i % SIDE, i % SIDE + 1, 1);
}
static pop_tensor take_transpose(pop_tensor m, size_t i)
{
    return (void)i, pop_tensor_transpose(m);
}
static pop_tensor take_reshape(pop_tensor m, size_t i)
{
    return (void)i, pop_tensor_reshape(m, POP_SHAPE(100, 100, 10000));
}
static pop_tensor take_element(pop_tensor m, size_t i)
{
    return pop_tensor_index(m, POP_SHAPE(i % SIDE, i / SIDE % SIDE));
}
static pop_tensor take_concat(pop_tensor m, size_t i)
{
    return pop_tensor_concat(POP_TENSORS(pop_tensor_slice(m, i % SIDE, i % SIDE + 1, 0), pop_tensor_slice(m, 0, 1, 0)),
                             0);
}

/* Nanoseconds; nodes are released after each batch, as in a program's loop. */
static void measure(pop_graph *graph, pop_tensor matrix, const char *name, view take, double aim)
{
    size_t valid = 0;
    double seconds[TIMES / BATCH];
    for (size_t i = 0; i < TIMES;) {
        pop_mark mark = pop_graph_mark(graph);
        double start = bench_seconds();
        size_t batch = i / BATCH;
        for (size_t end = i + BATCH; i < end; ++i)
            valid += pop_tensor_valid(take(matrix, i));
        seconds[batch] = bench_seconds() - start;
        pop_graph_release(graph, mark);
    }
    bench_report(name, bench_min(seconds, TIMES / BATCH) / BATCH * 1e9, "ns", aim);
    if (valid != TIMES)
        bench_must(POP_RUNTIME_ERROR, &(pop_error){ .status = POP_RUNTIME_ERROR, .text = "a view is null" });
}

void row_views(void)
{
    pop_device *device = bench_device();
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    pop_tensor matrix =
        pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(SIDE, SIDE), "matrix"); /* 100 million elements */
    measure(graph, matrix, "at", take_at, 50);
    measure(graph, matrix, "slice of rows", take_slice, 50);
    measure(graph, matrix, "slice of a column", take_column, 50);
    measure(graph, matrix, "transpose", take_transpose, 0);
    measure(graph, matrix, "reshape", take_reshape, 0);
    measure(graph, matrix, "index", take_element, 0);
    measure(graph, matrix, "concat of two slices", take_concat, 0);
    double memory = bench_resident();
    size_t valid = 0;
    for (size_t i = 0; i < TEMPORARIES; ++i)
        valid += pop_tensor_valid(take_element(matrix, i));
    bench_report("growth by 10 million one-element views", (bench_resident() - memory) / 1e6, "MB", 1);
    memory = bench_resident();
    for (size_t i = 0; i < TEMPORARIES / 10;) {
        pop_mark mark = pop_graph_mark(graph);
        for (size_t end = i + 100; i < end; ++i)
            valid += pop_tensor_valid(take_concat(matrix, i));
        pop_graph_release(graph, mark);
    }
    bench_report("growth by a million concatenations, released", (bench_resident() - memory) / 1e6, "MB", 1);
    bench_must_build(graph);
    if (valid != TEMPORARIES + TEMPORARIES / 10)
        bench_must(POP_RUNTIME_ERROR, &(pop_error){ .status = POP_RUNTIME_ERROR, .text = "a view is null" });
    pop_graph_destroy(graph);
    pop_device_destroy(device);
}
