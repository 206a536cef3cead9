/* SPDX-License-Identifier: Apache-2.0 */
/* Programs without host memory: the n-th allocation fails, or all from the n-th on.  Every call reports it, everything
 * can be destroyed, and nothing is leaked (AddressSanitizer checks for leaks after each round). */
#ifndef TESTS_HOST_MEMORY_H
#define TESTS_HOST_MEMORY_H

#include <poplar/error.h>
#include <poplar/memory.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#else
static int __lsan_do_recoverable_leak_check(void)
{
    return 0;
}
#endif

/* run creates objects, close frees them.  ends (NULL: none) runs in between, still without memory, and reports no
 * errors. */
struct memory_program {
    pop_status (*run)(void *program, pop_error *error);
    void (*ends)(void *program);
    void (*close)(void *program);
    void *program;
};

/* One round; returns how many allocations short of the failing one the run was: 0 if that one failed. */
static size_t memory_round(const struct memory_program *p, size_t call, bool onwards)
{
    pop_error error = { .status = POP_OK };
    size_t before = pop_memory_failures();
    pop_memory_fail(call, onwards);
    pop_status status = p->run(p->program, &error);
    size_t left = pop_memory_fail(0, false);
    if (onwards && left == 1)
        left = pop_memory_failures() == before && status == POP_OK;
    if (pop_memory_failures() != before && status == POP_OK)
        fail_msg("allocation %zu failed, and no call reported it", call);
    if (left && status != POP_OK)
        fail_msg("allocation %zu was not reached: %s: %s", call, error.api, error.text);
    if (p->ends) {
        pop_memory_fail(left ? left : onwards, onwards);
        p->ends(p->program);
        left = pop_memory_fail(0, false);
    }
    if (status != POP_OK && !strstr(error.text, "host memory"))
        fail_msg("allocation %zu: the message is '%s'", call, error.text);
    p->close(p->program);
    if (pop_memory_reserve_in_use() || __lsan_do_recoverable_leak_check())
        fail_msg("allocation %zu%s: %zu blocks of the reserve are in use", call, onwards ? " and all after it" : "",
                 pop_memory_reserve_in_use());
    return left;
}

static double memory_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* With TREMULA_ALL_ALLOCATIONS the first dense allocations one by one, later ones in growing steps; else as many as
 * limit seconds allow, spread evenly. */
static void memory_failures(const struct memory_program *p, bool onwards, double limit)
{
    const char *all = getenv("TREMULA_ALL_ALLOCATIONS");
    enum { DENSE = 5000, FAR = 1 << 30 };
    memory_round(p, FAR, false); /* blocks that are kept until the process ends */
    size_t total = FAR - memory_round(p, FAR, false), rounds_done = 0;
    double begin = memory_seconds();
    memory_round(p, FAR, false);
    double each = memory_seconds() - begin;
    size_t step = all ? 1 : 1 + (size_t)((double)total * each / limit);
    for (size_t call = 1 + (onwards ? step / 2 : 0); call <= total; ++rounds_done) {
        memory_round(p, call, onwards);
        call += !all || call < DENSE ? step : 1 + call / 200;
    }
    print_message("%zu allocations, %zu rounds of %.0f ms\n", total, rounds_done, 1e3 * each);
}

#endif
