/* SPDX-License-Identifier: Apache-2.0 */
/* popnn::ReduceMaxNClassGather<T,sorted>: the k largest of a part of a row, with their places; ReduceMaxNClassSparse:
 * the k largest of such. */
#include "poplibs/vertex_types.h"

#ifdef __POPC__
#include <poplar/vertex.h>

/* A heap of the best so far, the worst of them first.  Of equals the one with the lower place is better. */
#define HEAP_OF(tag, type)                                                                                             \
    static inline bool worse_##tag(type a, unsigned ia, type b, unsigned ib)                                           \
    {                                                                                                                  \
        return a < b || (a == b && ia > ib);                                                                           \
    }                                                                                                                  \
    static void sink_##tag(type *values, unsigned *places, unsigned size, type value, unsigned place)                  \
    {                                                                                                                  \
        unsigned at = 0;                                                                                               \
        for (unsigned child = 1; child < size; child = 2 * at + 1) {                                                   \
            if (child + 1 < size && worse_##tag(values[child + 1], places[child + 1], values[child], places[child]))   \
                ++child;                                                                                               \
            if (!worse_##tag(values[child], places[child], value, place))                                              \
                break;                                                                                                 \
            values[at] = values[child], places[at] = places[child];                                                    \
            at = child;                                                                                                \
        }                                                                                                              \
        values[at] = value, places[at] = place;                                                                        \
    }                                                                                                                  \
    static void rise_##tag(type *values, unsigned *places, unsigned at, type value, unsigned place)                    \
    {                                                                                                                  \
        for (; at && worse_##tag(value, place, values[(at - 1) / 2], places[(at - 1) / 2]); at = (at - 1) / 2)         \
            values[at] = values[(at - 1) / 2], places[at] = places[(at - 1) / 2];                                      \
        values[at] = value, places[at] = place;                                                                        \
    }                                                                                                                  \
    static inline void offer_##tag(type *values, unsigned *places, unsigned k, unsigned seen, type value,              \
                                   unsigned place)                                                                     \
    {                                                                                                                  \
        if (seen < k)                                                                                                  \
            rise_##tag(values, places, seen, value, place);                                                            \
        else if (worse_##tag(values[0], places[0], value, place))                                                      \
            sink_##tag(values, places, k, value, place);                                                               \
    }                                                                                                                  \
    static void sort_##tag(type *values, unsigned *places, unsigned k)                                                 \
    {                                                                                                                  \
        while (k-- > 1) {                                                                                              \
            type value = values[k];                                                                                    \
            unsigned place = places[k];                                                                                \
            values[k] = values[0], places[k] = places[0];                                                              \
            sink_##tag(values, places, k, value, place);                                                               \
        }                                                                                                              \
    }
HEAP_OF(half, half)
HEAP_OF(float, float)
HEAP_OF(int, int)
HEAP_OF(unsigned, unsigned)

#define GATHER_OF(tag, type, text, sorted)                                                                             \
    POP_VERTEX(Gather_##tag##_##sorted)                                                                                \
    {                                                                                                                  \
        POP_INPUT(POP_VECTOR(type)) activations;                                                                       \
        POP_INOUT(POP_VECTOR(type)) maxValues;                                                                         \
        POP_INOUT(POP_VECTOR(unsigned, ONE_PTR)) maxValuesIndices;                                                     \
        unsigned index; /* of the first element in its row */                                                          \
    };                                                                                                                 \
    POP_VERTEX_NAME(Gather_##tag##_##sorted, "popnn::ReduceMaxNClassGather<" text "," #sorted ">");                    \
    void Gather_##tag##_##sorted##_compute(Gather_##tag##_##sorted *v)                                                 \
    {                                                                                                                  \
        unsigned k = (unsigned)v->maxValues.size;                                                                      \
        for (unsigned i = 0; i < v->activations.size; ++i)                                                             \
            offer_##tag(v->maxValues.data, v->maxValuesIndices.data, k, i, v->activations.data[i], v->index + i);      \
        if (sorted)                                                                                                    \
            sort_##tag(v->maxValues.data, v->maxValuesIndices.data, k);                                                \
    }
#define SPARSE_OF(tag, type, text, sorted)                                                                             \
    POP_VERTEX(Sparse_##tag##_##sorted)                                                                                \
    {                                                                                                                  \
        POP_INPUT(POP_VECTOR(type)) activations;                                                                       \
        POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) labels;                                                               \
        POP_INOUT(POP_VECTOR(type)) maxValues;                                                                         \
        POP_INOUT(POP_VECTOR(unsigned, ONE_PTR)) maxValuesIndices;                                                     \
    };                                                                                                                 \
    POP_VERTEX_NAME(Sparse_##tag##_##sorted, "popnn::ReduceMaxNClassSparse<" text "," #sorted ">");                    \
    void Sparse_##tag##_##sorted##_compute(Sparse_##tag##_##sorted *v)                                                 \
    {                                                                                                                  \
        unsigned k = (unsigned)v->maxValues.size;                                                                      \
        for (unsigned i = 0; i < v->activations.size; ++i)                                                             \
            offer_##tag(v->maxValues.data, v->maxValuesIndices.data, k, i, v->activations.data[i], v->labels.data[i]); \
        if (sorted)                                                                                                    \
            sort_##tag(v->maxValues.data, v->maxValuesIndices.data, k);                                                \
    }
#define ALL_OF(tag, type, text)                                                                                        \
    GATHER_OF(tag, type, text, true)                                                                                   \
    GATHER_OF(tag, type, text, false) SPARSE_OF(tag, type, text, true) SPARSE_OF(tag, type, text, false)
POPLIBS_NUMBERS(ALL_OF)

#else
#include "poplibs/support.h"
#include "popnn/top_k.h"
#include "popnn/vertices.h"

static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    return (pop_perf){ popnn_top_k_cycles(pop_vertex_view_field_size(vertex, "activations", POP_WHOLE),
                                          pop_vertex_view_field_size(vertex, "maxValues", POP_WHOLE), user != NULL),
                       0 };
}

void popnn_top_k_vertices(pop_graph *graph)
{
#define REGISTER(tag, type, text)                                                                                      \
    pop_graph_register_perf_estimator(graph, "popnn::ReduceMaxNClassGather<" text ",true>", estimate,                  \
                                      poplibs_as_user(1));                                                             \
    pop_graph_register_perf_estimator(graph, "popnn::ReduceMaxNClassGather<" text ",false>", estimate, NULL);          \
    pop_graph_register_perf_estimator(graph, "popnn::ReduceMaxNClassSparse<" text ",true>", estimate,                  \
                                      poplibs_as_user(1));                                                             \
    pop_graph_register_perf_estimator(graph, "popnn::ReduceMaxNClassSparse<" text ",false>", estimate, NULL);
    POPLIBS_NUMBERS(REGISTER)
}
#endif
