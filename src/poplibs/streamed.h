/* SPDX-License-Identifier: Apache-2.0 */
/* For codelets: results of which there are more than the caches hold until they are read, written around them.  A write into a cache reads the line first. */
#ifndef POPLIBS_STREAMED_H
#define POPLIBS_STREAMED_H

#include <poplar/vertex.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { POPLIBS_MANY_BYTES = 256 << 10 }; /* of one vertex; a CPU device has some sixty at a time */

/* As memcpy.  A vertex whose results are streamed ends with poplibs_end_streams. */
__attribute__((unused, noinline, noclone)) static void poplibs_copy_streamed(void *restrict to, const void *restrict from, size_t bytes)
{
#ifdef __AVX__
    typedef float stored __attribute__((vector_size(32)));
    typedef float loaded __attribute__((vector_size(32), aligned(1), may_alias));
    size_t before = -(uintptr_t)to % sizeof(stored);
    if (before < bytes) {
        memcpy(to, from, before);
        to = (char *)to + before, from = (const char *)from + before, bytes -= before;
        for (; bytes >= sizeof(stored); bytes -= sizeof(stored)) {
            __builtin_ia32_movntps256(to, *(const loaded *)from);
            to = (char *)to + sizeof(stored), from = (const char *)from + sizeof(stored);
        }
    }
#endif
    memcpy(to, from, bytes);
}
/* Other threads see them once they know that this vertex is done. */
__attribute__((unused)) static inline void poplibs_end_streams(bool streamed)
{
#ifdef __AVX__
    if (streamed)
        __builtin_ia32_sfence();
#endif
    (void)streamed;
}

#endif
