/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of codelets under checked execution: a signal handler that knows the guarded regions of the vertex that this thread runs. */
#ifndef ENGINE_FAULT_H
#define ENGINE_FAULT_H

#include "base/vec.h"

#include <setjmp.h>

/* On each side of a region so many bytes are reserved that nobody may touch: a codelet that runs on past a guard meets nobody's memory. */
enum { FAULT_MOAT = 1 << 20 };

/* A moat, a guard page, `bytes` bytes, another guard page, a moat.  A vertex's first write to a guard opens it, painted with canaries, so that what
 * was written beyond a field can be counted when the vertex returns; a read, or a write to a second guard or to a moat, ends the vertex. */
struct fault_region {
    unsigned char *low; /* start of the lower guard; NULL: not made */
    unsigned char *red; /* start of the canaries below the buffer */
    size_t bytes, page;
    bool low_open, high_open;
    const unsigned char *low_touch, *high_touch; /* first byte written in an opened guard */
};

struct fault_watch {
    VEC(struct fault_region) regions;
    size_t used; /* regions of the vertex at hand */
    bool opened; /* one of their guards */
    jmp_buf *jump;
    const unsigned char *address; /* of the touch that ended the vertex */
    bool write;
};

/* The byte that a painted address holds. */
static inline unsigned char fault_canary(const unsigned char *address)
{
    return (unsigned char)(0xa5 ^ ((uintptr_t)address * 31));
}

/* Between these, SIGSEGV and SIGBUS of a watching thread come to us; calls nest and may come from several threads. */
void fault_handler_install(void);
void fault_handler_remove(void);
/* Between these, a fault of this thread jumps to *jump with 2. */
void fault_watch_begin(struct fault_watch *watch, jmp_buf *jump);
void fault_watch_end(void);
/* Guards that were opened are closed again. */
void fault_watch_close(struct fault_watch *watch);

#endif
