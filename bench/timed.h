/* SPDX-License-Identifier: Apache-2.0 */
/* For measurements that are programs of their own: the clock, and the end of a program at an error. */
#ifndef BENCH_TIMED_H
#define BENCH_TIMED_H

#include <poplar/poplar.h>
#include <stdlib.h>
#include <time.h>

static inline void must(pop_status status, const pop_error *error)
{
    if (status != POP_OK) {
        pop_error_print(error);
        exit(1);
    }
}

static inline double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

#endif
