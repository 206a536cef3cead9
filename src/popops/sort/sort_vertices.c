/* SPDX-License-Identifier: Apache-2.0 */
/* popops::HeapSortVertex<T> sorts one line in place, HeapSortVertexKV<K,V> the values with their keys. popops::TopK<T>:
 * the positions of the best keys of a line, in order; popops::TopKGather<T>: what stands at positions. */
#include "poplibs/vertex_types.h"

#define VALUES_OF(X, tag, type, text)                                                                                  \
    X(tag, type, text, half, half, "half")                                                                             \
    X(tag, type, text, float, float, "float")                                                                          \
    X(tag, type, text, int, int, "int") X(tag, type, text, unsigned, unsigned, "unsigned int")
#define PAIRS(X)                                                                                                       \
    VALUES_OF(X, half, half, "half")                                                                                   \
    VALUES_OF(X, float, float, "float") VALUES_OF(X, int, int, "int") VALUES_OF(X, unsigned, unsigned, "unsigned int")

#ifdef __POPC__
#include <poplar/vertex.h>

/* NaN are larger than numbers, and equal among themselves. */
#define LESS(a, b) ((a) < (b) || ((a) == (a) && (b) != (b)))

#define SWAP(list, i, j)                                                                                               \
    {                                                                                                                  \
        __typeof__((list)[0]) kept = (list)[i];                                                                        \
        (list)[i] = (list)[j];                                                                                         \
        (list)[j] = kept;                                                                                              \
    }
/* Sorts n things: BEFORE(i, j) compares places, EXCHANGE(i, j) swaps them.  The last of all comes to the front of a
 * heap, and goes to the end. */
#define HEAP_SORT(n, BEFORE, EXCHANGE)                                                                                 \
    for (size_t first = (n) / 2, end = (n); end > 1;) {                                                                \
        if (first) {                                                                                                   \
            --first;                                                                                                   \
        } else {                                                                                                       \
            --end;                                                                                                     \
            EXCHANGE(0, end)                                                                                           \
        }                                                                                                              \
        SIFT(first, end, BEFORE, EXCHANGE)                                                                             \
    }
/* Lets the thing at a place of a heap sink to where it belongs. */
#define SIFT(from, end, BEFORE, EXCHANGE)                                                                              \
    for (size_t at = (from), child; (child = 2 * at + 1) < (end); at = child) {                                        \
        child += child + 1 < (end) && BEFORE(child, child + 1);                                                        \
        if (!BEFORE(at, child))                                                                                        \
            break;                                                                                                     \
        EXCHANGE(at, child)                                                                                            \
    }

#define KEY_BEFORE(i, j)    LESS(keys[i], keys[j])
#define KEY_EXCHANGE(i, j)  SWAP(keys, i, j)
#define PAIR_EXCHANGE(i, j) SWAP(keys, i, j) SWAP(values, i, j)

#define SORT_OF(tag, type, text)                                                                                       \
    POP_VERTEX(Sort_##tag)                                                                                             \
    {                                                                                                                  \
        POP_INOUT(POP_VECTOR(type)) out;                                                                               \
    };                                                                                                                 \
    POP_VERTEX_NAME(Sort_##tag, "popops::HeapSortVertex<" text ">");                                                   \
    void Sort_##tag##_compute(Sort_##tag *v)                                                                           \
    {                                                                                                                  \
        type *keys = v->out.data;                                                                                      \
        HEAP_SORT(v->out.size, KEY_BEFORE, KEY_EXCHANGE)                                                               \
    }
POPLIBS_NUMBERS(SORT_OF)

#define SORT_PAIRS_OF(tag, type, text, value_tag, value_type, value_text)                                              \
    POP_VERTEX(SortKV_##tag##_##value_tag)                                                                             \
    {                                                                                                                  \
        POP_INOUT(POP_VECTOR(type)) key;                                                                               \
        POP_INOUT(POP_VECTOR(value_type, ONE_PTR)) value;                                                              \
    };                                                                                                                 \
    POP_VERTEX_NAME(SortKV_##tag##_##value_tag, "popops::HeapSortVertexKV<" text "," value_text ">");                  \
    void SortKV_##tag##_##value_tag##_compute(SortKV_##tag##_##value_tag *v)                                           \
    {                                                                                                                  \
        type *keys = v->key.data;                                                                                      \
        value_type *values = v->value.data;                                                                            \
        HEAP_SORT(v->key.size, KEY_BEFORE, PAIR_EXCHANGE)                                                              \
    }
PAIRS(SORT_PAIRS_OF)

/* The chosen positions are a heap with the worst in front, until they are sorted.  Of equal keys the earlier one is
 * better, and comes first. */
#define WORSE(a, b)        (v->largest ? LESS(in[a], in[b]) : LESS(in[b], in[a]))
#define BETTER_PLACE(i, j) (WORSE(chosen[j], chosen[i]) || (!WORSE(chosen[i], chosen[j]) && chosen[i] < chosen[j]))
#define COMES_BEFORE(i, j)                                                                                             \
    (v->ascending                                                                                                      \
         ? LESS(in[chosen[i]], in[chosen[j]]) || (!LESS(in[chosen[j]], in[chosen[i]]) && chosen[i] < chosen[j])        \
         : LESS(in[chosen[j]], in[chosen[i]]) || (!LESS(in[chosen[i]], in[chosen[j]]) && chosen[i] < chosen[j]))
#define CHOSEN_EXCHANGE(i, j) SWAP(chosen, i, j)

#define TOP_K_OF(tag, type, text)                                                                                      \
    POP_VERTEX(TopK_##tag)                                                                                             \
    {                                                                                                                  \
        POP_INPUT(POP_VECTOR(type)) keys;                                                                              \
        POP_OUTPUT(POP_VECTOR(unsigned)) positions;                                                                    \
        POP_OUTPUT(POP_VECTOR(type, ONE_PTR)) out;                                                                     \
        POP_STATE(unsigned) base;                                                                                      \
        POP_STATE(bool) largest;                                                                                       \
        POP_STATE(bool) ascending;                                                                                     \
    };                                                                                                                 \
    POP_VERTEX_NAME(TopK_##tag, "popops::TopK<" text ">");                                                             \
    void TopK_##tag##_compute(TopK_##tag *v)                                                                           \
    {                                                                                                                  \
        const type *in = v->keys.data;                                                                                 \
        unsigned *chosen = v->positions.data;                                                                          \
        size_t k = v->positions.size;                                                                                  \
        for (size_t i = 0; i < k; ++i)                                                                                 \
            chosen[i] = (unsigned)i;                                                                                   \
        for (size_t i = k / 2; i-- > 0;)                                                                               \
            SIFT(i, k, BETTER_PLACE, CHOSEN_EXCHANGE)                                                                  \
        for (size_t i = k; i < v->keys.size; ++i)                                                                      \
            if (WORSE(chosen[0], i)) {                                                                                 \
                chosen[0] = (unsigned)i;                                                                               \
                SIFT(0, k, BETTER_PLACE, CHOSEN_EXCHANGE)                                                              \
            }                                                                                                          \
        HEAP_SORT(k, COMES_BEFORE, CHOSEN_EXCHANGE)                                                                    \
        for (size_t i = 0; i < k; ++i) {                                                                               \
            v->out.data[i] = in[chosen[i]];                                                                            \
            chosen[i] += v->base;                                                                                      \
        }                                                                                                              \
    }                                                                                                                  \
    POP_VERTEX(TopKGather_##tag)                                                                                       \
    {                                                                                                                  \
        POP_INPUT(POP_VECTOR(type)) in;                                                                                \
        POP_INPUT(POP_VECTOR(unsigned)) positions;                                                                     \
        POP_OUTPUT(POP_VECTOR(type, ONE_PTR)) out;                                                                     \
        POP_STATE(unsigned) base;                                                                                      \
    };                                                                                                                 \
    POP_VERTEX_NAME(TopKGather_##tag, "popops::TopKGather<" text ">");                                                 \
    void TopKGather_##tag##_compute(TopKGather_##tag *v)                                                               \
    {                                                                                                                  \
        for (size_t i = 0; i < v->positions.size; ++i) {                                                               \
            unsigned at = v->positions.data[i] - v->base;                                                              \
            if (at < v->in.size)                                                                                       \
                v->out.data[i] = v->in.data[at];                                                                       \
        }                                                                                                              \
    }
POPLIBS_NUMBERS(TOP_K_OF)

#else
#include "poplibs/support.h"
#include "popops/vertices.h"

#include <math.h>

/* poplibs.md 2.2. */
static uint64_t sort_cycles(uint64_t n)
{
    uint64_t levels = 0;
    while (n >> (levels + 1))
        ++levels;
    return 8 * (19 * n * levels + 6 * n + 2);
}
static pop_perf sort(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    return (pop_perf){ user ? 2 * sort_cycles(pop_vertex_view_field_size(vertex, "key", POP_WHOLE))
                            : sort_cycles(pop_vertex_view_field_size(vertex, "out", POP_WHOLE)),
                       0 };
}
static pop_perf top_k(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    uint64_t n = pop_vertex_view_field_size(vertex, "keys", POP_WHOLE),
             k = pop_vertex_view_field_size(vertex, "positions", POP_WHOLE);
    return (pop_perf){ 35 + (uint64_t)((double)(n - k) * (13 + 20 * log((double)k))) + 8 * k + sort_cycles(k), 0 };
}
/* A load of the position, a subtraction, a comparison, a load and a store for each. */
static pop_perf gather(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    return (pop_perf){ 12 + 6 * pop_vertex_view_field_size(vertex, "positions", POP_WHOLE), 0 };
}

void popops_sort_vertices(pop_graph *graph)
{
#define REGISTER(tag, type, text)                                                                                      \
    pop_graph_register_perf_estimator(graph, "popops::HeapSortVertex<" text ">", sort, poplibs_as_user(false));        \
    pop_graph_register_perf_estimator(graph, "popops::TopK<" text ">", top_k, NULL);                                   \
    pop_graph_register_perf_estimator(graph, "popops::TopKGather<" text ">", gather, NULL);
    POPLIBS_NUMBERS(REGISTER)
#define REGISTER_PAIR(tag, type, text, value_tag, value_type, value_text)                                              \
    pop_graph_register_perf_estimator(graph, "popops::HeapSortVertexKV<" text "," value_text ">", sort,                \
                                      poplibs_as_user(true));
    PAIRS(REGISTER_PAIR)
}
#endif
