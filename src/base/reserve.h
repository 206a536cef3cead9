/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for when malloc has none: an address range that is set aside when the library is loaded and costs nothing
 * until it is used.  Only mem.c calls this. */
#ifndef BASE_RESERVE_H
#define BASE_RESERVE_H

#include "base/mem.h"

/* The range; both 0 where none could be had. */
extern uintptr_t reserve_begin, reserve_end;

static inline bool reserve_owns(const void *block)
{
    return (uintptr_t)block - reserve_begin < reserve_end - reserve_begin;
}
void *reserve_alloc(size_t bytes); /* counts a failure; ends the process when the reserve has no more */
void *reserve_grow(void *block, size_t bytes);
size_t reserve_size(const void *block);
void reserve_free(void *memory);
/* Blocks of the reserve that are in use. */
size_t reserve_blocks(void);

#endif
