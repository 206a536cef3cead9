/* SPDX-License-Identifier: Apache-2.0 */
/* For codelets: sorting of anything by a heap.  What is sorted is known to the two functions alone, which gcc inlines.
 */
#ifndef POPOPS_SORT_HEAP_H
#define POPOPS_SORT_HEAP_H

#include <stdbool.h>
#include <stddef.h>

#define HEAP_INLINE static inline __attribute__((always_inline))

/* Whether element i comes before element k of the user's sequence; exchanges them. */
typedef bool heap_before(const void *user, size_t i, size_t k);
typedef void heap_exchange(const void *user, size_t i, size_t k);

/* Lets the element at a place of the heap of `end` elements sink to where it belongs. */
HEAP_INLINE void heap_sink(size_t at, size_t end, heap_before *before, heap_exchange *exchange, const void *user)
{
    for (size_t child; (child = 2 * at + 1) < end; at = child) {
        child += child + 1 < end && before(user, child, child + 1);
        if (!before(user, at, child))
            break;
        exchange(user, at, child);
    }
}

/* Sorts n elements: the last of all rises to the front of the heap, and goes to its end. */
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
