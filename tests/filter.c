/* SPDX-License-Identifier: Apache-2.0 */
/* Linked to every cmocka test: the environment variable TREMULA_TEST names the cases to run, * and ? are wildcards; and
 * options of sanitizers, for tests that run without those of CMakePresets.json. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the above first */
#include <cmocka.h>

#include <stdlib.h>

__attribute__((constructor)) static void take_filter(void)
{
    const char *filter = getenv("TREMULA_TEST");
    if (filter && *filter)
        cmocka_set_test_filter(filter);
}

#define VISIBLE __attribute__((visibility("default")))
VISIBLE const char *__asan_default_options(void);
VISIBLE const char *__tsan_default_options(void);

/* A request for too much memory must fail as it does without a sanitizer. LeakSanitizer takes bytes before a
 * thread-local block for its address and reads there (signal 11 in its tracer, and exit code 1 after all cases passed)
 * unless it leaves such blocks alone. */
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:intercept_tls_get_addr=0";
}
const char *__tsan_default_options(void)
{
    return "allocator_may_return_null=1";
}
