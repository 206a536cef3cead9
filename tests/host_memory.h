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

/* As many rounds as TREMULA_ALLOCATIONS or the caller says, spread evenly over the allocations of a run.  The number
 * does not depend on the machine's speed: a test that passes here passes elsewhere. */
static void memory_failures(const struct memory_program *p, bool onwards, size_t rounds)
{
    enum { FAR = 1 << 30 };
    memory_round(p, FAR, false); /* blocks that are kept until the process ends */
    size_t total = FAR - memory_round(p, FAR, false), rounds_done = 0;
    const char *wanted = getenv("TREMULA_ALLOCATIONS");
    size_t step = 1 + total / (wanted ? strtoul(wanted, NULL, 10) + 1 : rounds);
    for (size_t call = 1 + (onwards ? step / 2 : 0); call <= total; call += step, ++rounds_done)
        memory_round(p, call, onwards);
    print_message("%zu allocations, %zu rounds\n", total, rounds_done);
}

#endif
