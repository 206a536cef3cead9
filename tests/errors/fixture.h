/* SPDX-License-Identifier: Apache-2.0 */
/* Objects for the rows of the error table: a graph with one object of each kind, a second graph, and (for rows about
 * running) an engine. */
#ifndef TESTS_ERRORS_FIXTURE_H
#define TESTS_ERRORS_FIXTURE_H

#include <poplar/popc.h>
#include <poplar/poplar.h>
#include <poplar/profile.h>
#include <poplar/ranks.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct fixture {
    const char *file; /* line of the row; 0: the error has no line of the user */
    int line;         /* of the row; 0: the error has no line of the user */
    pop_device *device, *other_device, *cpu;
    pop_device_manager *manager;
    pop_graph *graph, *other, *made; /* made: a graph that a row created by mistake, or saved */
    pop_tensor v, m, n, scalar, flag, sums, u, constant, null,
        foreign;        /* float {4}, float {3,4}, int {4}, int {}, bool {}, float {1}, unmapped */
    pop_tensor list[4]; /* v and m at first */
    pop_compute_set set, foreign_set;
    pop_vertex sum, mixed, foreign_sum; /* not connected; only in rows about building */
    pop_program main, copy, foreign_program;
    pop_stream in, out;
    pop_remote_buffer far; /* 3 rows of float {4} */
    pop_host_function host;
    pop_interval_lists lists;
    pop_target target;
    double low, high;
    pop_executable *executable, *good;
    pop_engine *engine, *unloaded;
    pop_error error;
    pop_profile_value value;
    FILE *scratch, *stream, *full;
    char directory[64], path[128];
    char bytes[64];
};

enum fixture_purpose { FIXTURE_BUILD, FIXTURE_COMPILE, FIXTURE_HOST };
void fixture_open(struct fixture *r, enum fixture_purpose purpose);
void fixture_close(struct fixture *r);
/* Closes the fixture that is open, if any; a fixture can stay open after the test that opened it. */
void fixture_close_failed(void);
/* Ends the test with the error's text unless it is POP_OK. */
void fixture_must(pop_status status, const pop_error *error);

/* Calls for rows; what they create has the row's line. */
void fixture_sum(struct fixture *r, pop_tensor in, pop_tensor out);
void fixture_source_without_tmp(struct fixture *r, const char *file,
                                int line); /* a new source, and no directory to compile it in */
void fixture_fill(struct fixture *r, pop_tensor out);
pop_vertex fixture_mixed(struct fixture *r); /* a and b are connected, rows and data are not */
void fixture_vertex(struct fixture *r, const char *type, const char *field, pop_tensor t); /* and executes it */
void fixture_state_vertex(struct fixture *r, const char *type, const char *field,
                          pop_tensor t); /* with two elements of state 'kept' */
const char *fixture_file(struct fixture *r, const char *name, const char *text);
FILE *fixture_stream(struct fixture *r, const char *text);
/* The good executable as a file, cut bytes longer (shorter when negative), the byte at flip changed (0: none). */
const char *fixture_executable(struct fixture *r, const char *name, int cut, long flip);
const pop_device *fixture_detached(struct fixture *r);
pop_status fixture_debug_on_a_full_disk(struct fixture *r); /* a file of debug information that cannot be written */
pop_status fixture_host(const void *const *inputs, void *const *outputs, void *user);

/* The status of calls that return a handle: it must be NULL. */
pop_status fixture_no_device(struct fixture *r, pop_device *device);
pop_status fixture_none(struct fixture *r, size_t count); /* of calls that return a count */
pop_status fixture_no_manager(struct fixture *r, pop_device_manager *manager);
pop_status fixture_no_engine(struct fixture *r, pop_engine *engine);
/* Larger programs. */
pop_status fixture_hazard(struct fixture *r);
pop_status fixture_link(struct fixture *r); /* a codelet that calls an undefined function */
pop_status fixture_load_huge(struct fixture *r);
const pop_profile_value *fixture_profile(struct fixture *r); /* not empty */
pop_status fixture_cycles(struct fixture *r);
pop_status fixture_cycles_on_the_cpu(struct fixture *r);
pop_status fixture_cycles_without_a_model(struct fixture *r);
pop_status fixture_environment(struct fixture *r, const char *text);

#endif
