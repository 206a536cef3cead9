/* SPDX-License-Identifier: Apache-2.0 */
/* LSD radix sort of records by a number: a few passes sort millions. Inline, so that it is specialised for each record
 * size and key. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SORT_BITS = 11 };

typedef uint64_t (*sort_key_fn)(const void *record);

/* One pass, by the digit of a key that begins at bit `shift`. */
static inline void sort_by_digit(const unsigned char *from, unsigned char *to, size_t count, size_t bytes,
                                 sort_key_fn key, unsigned shift)
{
    size_t next[(1 << SORT_BITS) + 1] = { 0 };
    uint64_t mask = (1 << SORT_BITS) - 1;
    for (size_t i = 0; i < count; ++i)
        ++next[(key(from + i * bytes) >> shift & mask) + 1];
    for (size_t digit = 1; digit < mask; ++digit)
        next[digit + 1] += next[digit];
    for (size_t i = 0; i < count; ++i)
        memcpy(to + next[key(from + i * bytes) >> shift & mask]++ * bytes, from + i * bytes, bytes);
}

/* Ascending and stable: to sort by several numbers, sort by the least significant one first. */
static inline void sort_by_key(void *records, size_t count, size_t bytes, sort_key_fn key)
{
    unsigned char *from = records;
    uint64_t differ = 0;
    bool sorted = true;
    for (size_t i = 1; i < count; ++i) {
        uint64_t last = key(from + (i - 1) * bytes), next = key(from + i * bytes);
        sorted &= last <= next;
        differ |= last ^ next;
    }
    if (sorted)
        return;
    unsigned char *spare = mem_alloc(count * bytes), *to = spare;
    for (unsigned shift = 0; shift < 64 && differ >> shift; shift += SORT_BITS) {
        if (!(differ >> shift & ((1 << SORT_BITS) - 1)))
            continue;
        sort_by_digit(from, to, count, bytes, key, shift);
        unsigned char *swap = from;
        from = to;
        to = swap;
    }
    if (from == spare)
        memcpy(records, spare, count * bytes);
    free(spare);
}

#endif
