/* SPDX-License-Identifier: Apache-2.0 */
/* Linked to every cmocka test: the environment variable TREMULA_TEST names the cases to run; * and ? are wildcards. */
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
