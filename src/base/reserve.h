/* SPDX-License-Identifier: Apache-2.0 */
/* Fallback memory for failed mallocs: an address range that is reserved when the library is loaded and takes no memory
 * until used.  Only mem.c calls this. */
#ifndef BASE_RESERVE_H
#define BASE_RESERVE_H

#include "base/mem.h"

/* The range; both 0 if it could not be reserved. */
extern uintptr_t reserve_begin, reserve_end;

static inline bool reserve_owns(const void *block)
{
    return (uintptr_t)block - reserve_begin < reserve_end - reserve_begin;
}
void *reserve_alloc(size_t bytes); /* counts a failure; ends the process when the reserve is exhausted */
void *reserve_grow(void *block, size_t bytes);
size_t reserve_size(const void *block);
void reserve_free(void *memory);
/* Blocks of the reserve that are in use. */
size_t reserve_blocks(void);

#endif
