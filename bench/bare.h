/* SPDX-License-Identifier: Apache-2.0 */
/* The baseline: the codelets' own compute functions, called through a pointer for each vertex over an array of states.
 */
#ifndef BENCH_BARE_H
#define BENCH_BARE_H

#include <stdbool.h>
#include <stddef.h>

/* The state of a BenchDot, with popc's layout. */
struct bare_dot {
    const float *a;
    size_t a_size;
    const float *b;
    size_t b_size;
    float *out;
};
typedef bool (*bare_compute)(void *state);

/* BenchDot's compute at the highest level of x86-64 of this machine, which is the level that popc compiles for. */
bare_compute bare_dot_compute(void);
/* Calls it for each state. */
void bare_run(bare_compute compute, struct bare_dot *states, size_t count);

/* One for each level (bare.c is compiled several times). */
bool bare_dot_1(void *state);
bool bare_dot_3(void *state);
bool bare_dot_4(void *state);

#endif
