/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/exit_guard.h"

bool exit_guard_call(void (*fn)(void *), void *context)
{
    struct exit_guard guard;
    volatile bool returned = EXIT_GUARD_ENTER(&guard);
    if (returned)
        fn(context);
    exit_guard_leave(&guard);
    return returned;
}
