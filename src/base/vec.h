/* SPDX-License-Identifier: Apache-2.0 */
/* Growable arrays: VEC(int) numbers = {0}; *vec_push(&numbers) = 4; numbers.data[0]; vec_free(&numbers). */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define VEC(T)                                                                                                         \
    struct {                                                                                                           \
        T *data;                                                                                                       \
        size_t count, capacity;                                                                                        \
    }

static inline void *vec_grow(void *data, size_t *capacity, size_t count, size_t bytes)
{
    if (count <= *capacity)
        return data;
    size_t grown = *capacity ? *capacity + *capacity / 2 : 8;
    *capacity = grown < count ? count : grown;
    return mem_grow(data, bytes && *capacity > SIZE_MAX / bytes ? SIZE_MAX : *capacity * bytes);
}

static inline void *vec_shrink(void *data, size_t *capacity, size_t count, size_t bytes)
{
    enum { LITTLE = 512 };
    if (!count || (*capacity - count) * bytes < LITTLE)
        return data;
    *capacity = count;
    return mem_grow(data, count * bytes);
}

/* Ensures capacity for n more elements. */
#define vec_reserve(v, n) ((v)->data = vec_grow((v)->data, &(v)->capacity, (v)->count + (n), sizeof(*(v)->data)))
/* Pointer to a new, uninitialised last element. */
#define vec_push(v) (vec_reserve(v, 1), (v)->data + (v)->count++)
/* Pointer to the first of n new, uninitialised last elements. */
#define vec_extend(v, n) (vec_reserve(v, n), (v)->count += (n), (v)->data + (v)->count - (n))
/* Gives back capacity that is not used, unless it is little. */
#define vec_trim(v) ((v)->data = vec_shrink((v)->data, &(v)->capacity, (v)->count, sizeof(*(v)->data)))
#define vec_free(v) (mem_free((v)->data), (v)->data = NULL, (v)->count = (v)->capacity = 0)

#endif
