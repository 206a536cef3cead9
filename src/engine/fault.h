/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of codelets: a signal handler that ends the batch of vertices that this thread runs, and under checked
 * execution knows the guarded regions of the current one. */
#ifndef ENGINE_FAULT_H
#define ENGINE_FAULT_H

#include "base/vec.h"

#include <setjmp.h>
#include <stdatomic.h>

/* On each side of a region as many inaccessible bytes are reserved: a codelet that runs on past a guard touches no
 * other memory. */
enum { FAULT_MOAT = 1 << 20 };

/* A moat, a guard page, `bytes` bytes, another guard page, a moat.  A vertex's first write to a guard opens it, painted
 * with canaries, so that what was written beyond a field can be counted when the vertex returns; a read, or a write to
 * a second guard or to a moat, ends the vertex. */
struct fault_region {
    unsigned char *low; /* start of the lower guard; NULL: not made */
    unsigned char *red; /* start of the canaries below the buffer */
    size_t bytes, page;
    bool low_open, high_open;
    const unsigned char *low_touch, *high_touch; /* first byte written in an opened guard */
};

/* What the jump of fault_watch_begin is made with. */
enum { FAULT_HAPPENED = 2, FAULT_ABANDONED = 3 };

/* What ended a vertex. */
struct fault {
    int signal, code;             /* si_code */
    const unsigned char *address; /* of the touch, when it was one */
    bool write, stack;
};

/* The guarded regions of a vertex under checked execution. */
struct fault_watch {
    VEC(struct fault_region) regions;
    size_t used; /* regions of the current vertex */
    bool opened; /* one of their guards */
};

/* The byte that a painted address holds. */
static inline unsigned char fault_canary(const unsigned char *address)
{
    return (unsigned char)(0xa5 ^ ((uintptr_t)address * 31));
}

/* Between these, SIGSEGV, SIGBUS, SIGFPE and SIGILL that a watching thread causes come to us, and all others go to whom
 * they went before; calls nest and may come from several threads.  A handler that the program sets between them has the
 * signals first, and stays. */
void fault_handler_install(void);
void fault_handler_remove(void);

/* This thread's; here because a batch of vertices may take 50 ns. */
extern _Thread_local __attribute__((tls_model("initial-exec"), visibility("hidden"))) struct fault_thread {
    jmp_buf *volatile jump; /* NULL: no vertex runs */
    bool prepared;          /* has a stack for the handler */
    struct fault_watch *watch;
    struct fault fault;
    const atomic_bool *abandon; /* of the engine that runs the vertex; NULL: it cannot be stopped */
} fault_thread;
void fault_prepare_thread(void);

/* Between these, a fault of this thread jumps to *jump with FAULT_HAPPENED, even when its stack is full, and
 * fault_thread.fault says what it was.  watch is NULL without checked execution. */
static inline void fault_watch_begin(struct fault_watch *watch, jmp_buf *jump)
{
    if (!fault_thread.prepared)
        fault_prepare_thread();
    fault_thread.watch = watch;
    fault_thread.jump = jump;
}

static inline void fault_watch_end(void)
{
    fault_thread.jump = NULL;
}

/* What the vertex did: "divided by zero". */
void fault_text(const struct fault *fault, char *text, size_t size);
/* Guards that were opened are closed again. */
void fault_watch_close(struct fault_watch *watch);

#endif
