/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the libraries based on libpoplar: growing arrays, lists of intervals, and errors with the user's line.
 * Uses only libpoplar's public headers. */
#ifndef POPLIBS_SUPPORT_H
#define POPLIBS_SUPPORT_H

#include <poplar/graph.h>
#include <poplar/memory.h>
#include <poplar/program.h>
#include <poplar/text.h>
#include <stdarg.h>
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
/* Records an error in the graph and returns false. */
static inline bool poplibs_fail(pop_graph *graph, pop_status status, pop_where where, const char *api,
                                const char *format, ...) POP_PRINTF(5, 6);
static inline bool poplibs_fail(pop_graph *graph, pop_status status, pop_where where, const char *api,
                                const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    pop_text_vformat(text, sizeof(text), format, arguments);
    va_end(arguments);
    return pop_graph_fail(graph, status, where, api, text);
}
/* Whether a number of elements is plausible: allocating eight times the target's memory or more would take long to
 * fail (smaller excesses are reported by the compiler). Otherwise returns false with an error that names `what`. */
static inline bool poplibs_fits_memory(pop_graph *graph, pop_where where, const char *api, const char *what,
                                       size_t elements, pop_type type)
{
    double bytes = (double)elements * (double)pop_type_size(type),
           memory = (double)pop_target_memory_bytes(pop_graph_target(graph));
    return bytes < 8 * memory || poplibs_fail(graph, POP_GRAPH_MEMORY_ALLOCATION_ERROR, where, api,
                                              "%s takes %.4g bytes; the target's memory has %.4g", what, bytes, memory);
}
/* Whether t can be an operand: a tensor of this graph whose elements are all mapped. Otherwise returns false with an
 * error that names `what`. */
static inline bool poplibs_is_operand(pop_graph *graph, pop_where where, const char *api, const char *what,
                                      pop_tensor t)
{
    bool mapped;
    if (!pop_tensor_valid(t))
        return poplibs_fail(graph, POP_POPLAR_ERROR, where, api, "%s is a null tensor", what);
    if (t.store != pop_graph_store(graph))
        return poplibs_fail(graph, POP_POPLAR_ERROR, where, api, "%s belongs to another graph", what);
    if (!poplibs_fits_memory(graph, where, api, what, pop_tensor_num_elements(t), pop_tensor_type(t)) ||
        !pop_graph_get_tile_mapping_at(where, graph, t, &mapped, NULL))
        return false;
    return mapped || poplibs_fail(graph, POP_INVALID_TILE_MAPPING, where, api,
                                  "%s is not mapped completely: give each of its elements a tile first", what);
}
/* The same for a scale: one element; if it is not mapped, it is mapped to tile 0, as in Poplibs. */
static inline bool poplibs_is_scale(pop_graph *graph, pop_where where, const char *api, const char *what, pop_tensor t)
{
    bool mapped = true;
    if (pop_tensor_valid(t) && t.store == pop_graph_store(graph) && pop_tensor_num_elements(t) == 1 &&
        pop_graph_get_tile_mapping_at(where, graph, t, &mapped, NULL) && !mapped)
        pop_graph_set_tile_mapping_at(where, graph, t, 0);
    return poplibs_is_operand(graph, where, api, what, t);
}
/* Formats a shape as "{3,4}". */
static inline const char *poplibs_shape_text(char *buffer, size_t size, pop_shape shape)
{
    size_t length = (size_t)snprintf(buffer, size, "{");
    for (size_t i = 0; i < shape.rank && length < size; ++i)
        length += (size_t)snprintf(buffer + length, size - length, "%s%zu", i ? "," : "", shape.dims[i]);
    if (length < size)
        snprintf(buffer + length, size - length, "}");
    return buffer;
}
/* Formats the shape of a tensor. */
static inline const char *poplibs_shape_of(char *buffer, size_t size, pop_tensor t)
{
    size_t rank = pop_tensor_rank(t), *dims = poplibs_new(rank, sizeof(*dims));
    for (size_t i = 0; i < rank; ++i)
        dims[i] = pop_tensor_dim(t, (unsigned)i);
    poplibs_shape_text(buffer, size, (pop_shape){ rank, dims });
    free(dims);
    return buffer;
}
static inline bool poplibs_shapes_equal(pop_tensor a, pop_tensor b)
{
    bool equal = pop_tensor_rank(a) == pop_tensor_rank(b);
    for (unsigned i = 0; equal && i < pop_tensor_rank(a); ++i)
        equal = pop_tensor_dim(a, i) == pop_tensor_dim(b, i);
    return equal;
}

/* Converts a number to an estimator's user pointer, and back. */
static inline void *poplibs_as_user(uintptr_t number)
{
    return (void *)number;
}
static inline pop_type poplibs_type_of_user(void *user)
{
    return (pop_type)(uintptr_t)user;
}

/* Size of a buffer for a debug path: those of deep networks have several hundred characters. */
enum { POPLIBS_PATH_SIZE = 4096 };
/* "prefix/name", as debug paths are joined, in the caller's buffer; only name when there is no prefix. */
static inline const char *poplibs_path(char *buffer, size_t size, const char *prefix, const char *name)
{
    snprintf(buffer, size, "%s%s%s", prefix ? prefix : "", prefix && *prefix ? "/" : "", name);
    return buffer;
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
static inline void lists_begin(struct lists_vec *lists)
{
    lists->first = poplibs_grown(lists->first, &lists->capacity, lists->count + 2, sizeof(*lists->first));
    lists->first[lists->count++] = lists->intervals.count;
    lists->first[lists->count] = lists->intervals.count;
}
static inline void lists_push(struct lists_vec *lists, size_t begin, size_t end)
{
    interval_push(&lists->intervals, begin, end);
    lists->first[lists->count] = lists->intervals.count;
}
static inline pop_interval_lists lists_take(struct lists_vec *lists)
{
    pop_interval_lists taken = { lists->count, lists->first, lists->intervals.list };
    *lists = (struct lists_vec){ 0 };
    return taken;
}

#endif
