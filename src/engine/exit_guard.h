/* SPDX-License-Identifier: Apache-2.0 */
/* Codelets and callbacks that end their thread with pthread_exit: the thread is the engine's, or the caller's in the
 * middle of a call, so that it goes on behind the guard.  This is what pthread_cleanup_push does, except that the end
 * of the thread is not resumed. */
#ifndef ENGINE_EXIT_GUARD_H
#define ENGINE_EXIT_GUARD_H

#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>

struct exit_guard {
    __pthread_unwind_buf_t buffer;
};

/* True at first; false when pthread_exit was called after it.  The function that enters must leave, whatever the
 * result; a macro, because the function that calls setjmp must not return. */
#define EXIT_GUARD_ENTER(guard)                                                                                        \
    (__sigsetjmp_cancel((guard)->buffer.__cancel_jmp_buf, 0) ? false                                                   \
                                                             : (__pthread_register_cancel(&(guard)->buffer), true))
static inline void exit_guard_leave(struct exit_guard *guard)
{
    __pthread_unregister_cancel(&guard->buffer);
}

/* Calls fn; false if it called pthread_exit. */
bool exit_guard_call(void (*fn)(void *), void *context);

#endif
