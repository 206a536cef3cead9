/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the rows of the bench: clock, memory, and reporting of results.  Each row runs in its own process, so that
 * its memory is measured alone and a crash costs one row. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <poplar/poplar.h>

POP_BEGIN_DECLS

/* A measure: its value must be at most aim (at least, if aim is negative: -aim); 0: no aim. */
void bench_report(const char *measure, double value, const char *unit, double aim);
double bench_seconds(void);
/* Processor time of the process: the time of one thread, independent of other processes. */
double bench_processor_seconds(void);
/* Bytes of memory in use by this process. */
double bench_resident(void);
/* Ends the row unless status is POP_OK. */
void bench_must(pop_status status, const pop_error *error);
void bench_must_build(pop_graph *graph);
/* The minimum: the time without disturbance by other processes. */
double bench_min(const double *values, size_t count);

/* The machine of the measurements: one ipu2. */
pop_device *bench_device(void);
/* An engine of one host thread, loaded, with a graph's only program; destroys the graph. */
pop_engine *bench_engine(pop_graph *graph, pop_program program, const pop_device *device);
/* Vertices of a type over all tiles in one set: vertex i reads elements [i * n, (i + 1) * n) of a and of b and writes
 * element i of out. */
struct bench_set {
    pop_graph *graph;
    pop_tensor a, b, out;
    pop_compute_set set;
};
struct bench_set bench_build(const pop_device *device, const char *type, size_t vertices, size_t elements);

/* Compute sets on every so many tiles and copies of as many elements, alternating, in a loop: a step's cost differs
 * from tile to tile.  2 x pairs x times steps. */
struct bench_looped {
    pop_graph *graph;
    pop_program main;
};
struct bench_looped bench_loop(const pop_device *device, unsigned pairs, unsigned times, unsigned stride);
/* Seconds of a run, including writing its report to directory if there is one. */
double bench_loop_run(const struct bench_looped *program, const pop_device *device, const char *directory);

void row_build(void);
void row_compile(void);
void row_step(void);
void row_run(void);
void row_time(void);
void row_profile(void);
void row_report(void);
void row_analyser(void);
void row_large(void);
void row_views(void);
void row_file(void);
void row_whole(void);
void row_scale(void);
void row_cpp(void);
void row_codelet(void);
void row_assembly(void);
void row_start(void);
void row_plan(void);
void row_conv(void);
void row_matmul(void);
void row_model(void);
void row_reduce(void);
void row_elementwise(void);
void row_replicas(void);
void row_ranks(void);
/* The program that row_ranks starts under mpirun: the work with this number. */
int ranks_program(const char *number);

POP_END_DECLS

#endif
