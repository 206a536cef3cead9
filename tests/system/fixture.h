/* SPDX-License-Identifier: Apache-2.0 */
/* One small machine with one graph, for tests that use only the public interface.  Every helper ends the test if a call
 * fails that should not, and prints the library's error. */
#ifndef TESTS_SYSTEM_FIXTURE_H
#define TESTS_SYSTEM_FIXTURE_H

#include <poplar/poplar.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct fixture {
    const char *machine; /* "ipu1", "ipu2", "cpu" */
    bool checked;        /* debug.checkedExecution */
    unsigned tiles;
    pop_device *device;
    pop_graph *graph;
    pop_engine *engine; /* after fixture_start */
};

/* A row of a cmocka table that runs a scenario on a small ipu1, a small ipu2 and the CPU, each in the normal and in the
 * checked mode. */
struct scenario {
    void (*run)(struct fixture *w);
};
void on_every_machine(void **scenario);
#define SCENARIO(function)                                                                                             \
    {                                                                                                                  \
#function, on_every_machine, NULL, NULL, &(struct scenario)                                                    \
        {                                                                                                              \
            function                                                                                                   \
        }                                                                                                              \
    }
void fixture_open(struct fixture *w, const char *machine, bool checked);
/* The same with replicas of one IPU each; tiles are those of one. */
void fixture_open_replicas(struct fixture *w, const char *machine, bool checked, unsigned replicas);
void fixture_close(struct fixture *w);

/* A variable over all tiles, with a host read and a host write handle of its name. */
pop_tensor fixture_variable(struct fixture *w, pop_type type, pop_shape shape, const char *name);
/* The same around a tensor: maps it linearly over the tiles. */
void fixture_spread(struct fixture *w, pop_tensor t);
/* A constant on tile 0. */
pop_tensor fixture_constant(struct fixture *w, pop_type type, pop_shape shape, double value);
pop_tensor fixture_ints(struct fixture *w, size_t count, const int *values);
/* Loads the codelets of tests/system/codelets.c. */
void fixture_codelets(struct fixture *w);
/* A vertex on a tile (modulo the number of tiles) in a set. */
pop_vertex fixture_vertex(struct fixture *w, pop_compute_set set, const char *type, unsigned tile);

/* Compiles and loads; options are added to the mode's own. */
void fixture_start(struct fixture *w, pop_programs programs);
void fixture_start_with(struct fixture *w, pop_programs programs, pop_options options);
void fixture_run(struct fixture *w, unsigned program);
/* Runs; the run must fail with this kind of error and a text that contains words. */
void fixture_run_fails(struct fixture *w, unsigned program, pop_status status, const char *words);
void fixture_put(struct fixture *w, const char *handle, const void *data, size_t bytes);
void fixture_get(struct fixture *w, const char *handle, void *data, size_t bytes);

#define FIXTURE_PUT(w, handle, array) fixture_put(w, handle, array, sizeof(array))
/* Reads an int variable and compares: FIXTURE_INTS(w, "v", 1, 2, 3). */
#define FIXTURE_INTS(w, handle, ...)                                                                                   \
    fixture_expect(w, handle, POP_INT, (const int[]){ __VA_ARGS__ }, sizeof((const int[]){ __VA_ARGS__ }))
#define FIXTURE_FLOATS(w, handle, ...)                                                                                 \
    fixture_expect(w, handle, POP_FLOAT, (const float[]){ __VA_ARGS__ }, sizeof((const float[]){ __VA_ARGS__ }))
void fixture_expect(struct fixture *w, const char *handle, pop_type type, const void *expected, size_t bytes);

/* Ends the test, with the error's text, unless status is POP_OK. */
void must(pop_status status, const pop_error *error);
/* Ends the test if the graph has an error. */
void must_build(struct fixture *w);

/* A small random generator, the same on every machine. */
struct dice {
    uint64_t state;
};
uint32_t dice_roll(struct dice *dice, uint32_t sides);

#endif
