/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of codelets: a signal handler that ends the batch of vertices that this thread runs, and under checked
 * execution handles the guarded regions of the current vertex. */
#ifndef ENGINE_FAULT_H
#define ENGINE_FAULT_H

#include "base/vec.h"

#include <setjmp.h>
#include <stdatomic.h>

/* On each side of a region as many inaccessible bytes are reserved: a codelet that runs on past a guard touches no
 * other memory. */
enum { FAULT_GUARD_BYTES = 1 << 20 };

/* A moat, a guard page, `bytes` bytes, another guard page, a moat.  A vertex's first write to a guard makes it
 * writable, filled with canaries, so that the bytes written outside the field can be counted when the vertex returns. A
 * read, or a write to the other guard or to a moat, ends the vertex. */
struct fault_region {
    unsigned char *low; /* start of the lower guard; NULL: not mapped yet */
    unsigned char *red; /* start of the canaries below the buffer */
    size_t bytes, page;
    bool low_open, high_open;
    const unsigned char *low_touch, *high_touch; /* first byte written in an opened guard */
};

/* Values that the longjmp to fault_watch_begin's buffer returns; FAULT_EXITED: the vertex called pthread_exit. */
enum { FAULT_HAPPENED = 2, FAULT_ABANDONED = 3, FAULT_EXITED = 4 };

/* What ended a vertex. */
struct fault {
    int signal, code;             /* si_code */
    const unsigned char *address; /* of the access, for memory faults */
    bool write, stack;
};

/* The guarded regions of a vertex under checked execution. */
struct fault_watch {
    VEC(struct fault_region) regions;
    size_t used; /* regions of the current vertex */
    bool opened; /* one of their guards */
};

/* The canary value of an address. */
static inline unsigned char fault_canary(const unsigned char *address)
{
    return (unsigned char)(0xa5 ^ ((uintptr_t)address * 31));
}

/* Between install and remove, SIGSEGV, SIGBUS, SIGFPE and SIGILL that a watching thread causes are handled here; all
 * others are passed to the previous handler. Calls nest and are thread-safe. A handler that the program installs in
 * between receives the signals first, and stays installed. */
void fault_handler_install(void);
void fault_handler_remove(void);

/* Per thread; in the header, for inline access, because a batch of vertices may take only 50 ns. */
extern _Thread_local __attribute__((tls_model("initial-exec"), visibility("hidden"))) struct fault_thread {
    jmp_buf *volatile jump; /* NULL: no vertex runs */
    bool prepared;          /* has a stack for the handler */
    struct fault_watch *watch;
    struct fault fault;
    const atomic_bool *abandon; /* flag of the engine that runs the vertex; NULL: it cannot be stopped */
} fault_thread;
void fault_prepare_thread(void);

/* Between begin and end, a fault of this thread, including stack overflow, sets fault_thread.fault and jumps to *jump
 * with FAULT_HAPPENED. watch is NULL without checked execution. */
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
/* Protects opened guards again. */
void fault_watch_close(struct fault_watch *watch);

#endif
