/* SPDX-License-Identifier: Apache-2.0 */
/* For codelets: heap sort of any sequence.  Only the two callbacks, which gcc inlines, access its elements. */
#ifndef POPOPS_SORT_HEAP_H
#define POPOPS_SORT_HEAP_H

#include <stdbool.h>
#include <stddef.h>

#define HEAP_INLINE static inline __attribute__((always_inline))

/* Callbacks: whether element i comes before element k of the user's sequence; exchange the two. */
typedef bool heap_before(const void *user, size_t i, size_t k);
typedef void heap_exchange(const void *user, size_t i, size_t k);

/* Sifts the element at index `at` down in the heap of `end` elements. */
HEAP_INLINE void heap_sink(size_t at, size_t end, heap_before *before, heap_exchange *exchange, const void *user)
{
    for (size_t child; (child = 2 * at + 1) < end; at = child) {
        child += child + 1 < end && before(user, child, child + 1);
        if (!before(user, at, child))
            break;
        exchange(user, at, child);
    }
}

/* Sorts n elements: builds the heap, then moves its root, the last element in order, to the end, again and again. */
HEAP_INLINE void heap_sort(size_t n, heap_before *before, heap_exchange *exchange, const void *user)
{
    for (size_t first = n / 2, end = n; end > 1;) {
        if (first) {
            --first;
        } else {
            --end;
            exchange(user, 0, end);
        }
        heap_sink(first, end, before, exchange, user);
    }
}

#endif
