/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the libraries based on libpoplar: growing arrays, lists of intervals, and errors with the user's line.
 * Uses only libpoplar's public headers. */
#ifndef POPLIBS_SUPPORT_H
#define POPLIBS_SUPPORT_H

#include <poplar/graph.h>
#include <poplar/memory.h>
#include <poplar/program.h>
#include <poplar/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* free also accepts blocks of libpoplar's memory reserve. */
#define free(block) pop_memory_free(block)

static inline size_t poplibs_ceil_div(size_t a, size_t b)
{
    return a / b + (a % b != 0);
}
static inline size_t poplibs_min(size_t a, size_t b)
{
    return a < b ? a : b;
}
static inline size_t poplibs_max(size_t a, size_t b)
{
    return a > b ? a : b;
}
/* The greatest common divisor; of a number and 0 it is the number. */
static inline size_t poplibs_gcd(size_t a, size_t b)
{
    return b ? poplibs_gcd(b, a % b) : a;
}

/* Reallocates to count elements of size bytes. Never returns NULL: see poplar/memory.h. */
static inline void *poplibs_resize(void *old, size_t count, size_t size)
{
    return pop_memory_resize(old, count, size);
}
static inline void *poplibs_new(size_t count, size_t size)
{
    return poplibs_resize(NULL, count, size);
}
static inline void *poplibs_zeros(size_t count, size_t size)
{
    return memset(poplibs_resize(NULL, count, size), 0, count * size);
}

/* ---- errors ---- */

static inline bool poplibs_ready(const pop_graph *graph)
{
    return graph && !pop_graph_error(graph);
}
/* Formats a shape as "{3,4}". */
const char *poplibs_shape_text(char *buffer, size_t size, pop_shape shape);
/* Formats the shape of a tensor. */
const char *poplibs_shape_of(char *buffer, size_t size, pop_tensor t);
bool poplibs_shapes_equal(pop_tensor a, pop_tensor b);

/* Converts a number to an estimator's user pointer, and back. */
static inline void *poplibs_as_user(uintptr_t number)
{
    return (void *)number;
}
static inline pop_type poplibs_type_of_user(void *user)
{
    return (pop_type)(uintptr_t)user;
}

/* ---- arrays that grow ---- */

/* Grows a list, when *capacity is below count, to at least count elements of `bytes` bytes. */
static inline void *poplibs_grown(void *list, size_t *capacity, size_t count, size_t bytes)
{
    if (count <= *capacity)
        return list;
    *capacity = poplibs_max(count, *capacity ? *capacity + *capacity / 2 : 16);
    return poplibs_resize(list, *capacity, bytes);
}
/* For a struct { T *list; size_t count, capacity; }. reserve: ensures capacity for n more elements; push: appends an
 * uninitialised element and returns a pointer to it. */
#define poplibs_reserve(v, n)                                                                                          \
    ((v)->list = poplibs_grown((v)->list, &(v)->capacity, (v)->count + (n), sizeof(*(v)->list)))
#define poplibs_push(v) (poplibs_reserve(v, 1), (v)->list + (v)->count++)

struct tensor_vec {
    pop_tensor *list;
    size_t count, capacity;
};
static inline pop_tensors tensors_of(const struct tensor_vec *vec)
{
    return (pop_tensors){ vec->count, vec->list };
}

/* ---- lists of intervals under construction ---- */

struct interval_vec {
    pop_interval *list;
    size_t count, capacity;
};
static inline void interval_push(struct interval_vec *vec, size_t begin, size_t end)
{
    *poplibs_push(vec) = (pop_interval){ begin, end };
}

/* Lists that are filled one after another: pushes go to the last list begun. */
struct lists_vec {
    struct interval_vec intervals;
    size_t *first;
    size_t count, capacity;
};
void lists_begin(struct lists_vec *lists);
void lists_push(struct lists_vec *lists, size_t begin, size_t end);
pop_interval_lists lists_take(struct lists_vec *lists);

/* ---- intervals that are in two lists ---- */

/* The parts that two lists of ascending intervals have in common, one after the other:
 * interval_common_begin(...); while (interval_common_next(&common)) ... */
struct interval_common {
    const pop_interval *a, *a_end, *b, *b_end; /* what is left of the lists */
    size_t begin, end;                         /* the part */
};
static inline struct interval_common interval_common_begin(const pop_interval_lists *a, size_t of_a,
                                                           const pop_interval_lists *b, size_t of_b)
{
    return (struct interval_common){ .a = a->intervals + a->first[of_a],
                                     .a_end = a->intervals + a->first[of_a + 1],
                                     .b = b->intervals + b->first[of_b],
                                     .b_end = b->intervals + b->first[of_b + 1] };
}
static inline bool interval_common_next(struct interval_common *c)
{
    while (c->a < c->a_end && c->b < c->b_end) {
        c->begin = poplibs_max(c->a->begin, c->b->begin);
        c->end = poplibs_min(c->a->end, c->b->end);
        if (c->a->end < c->b->end)
            ++c->a;
        else
            ++c->b;
        if (c->begin < c->end)
            return true;
    }
    return false;
}

#endif
