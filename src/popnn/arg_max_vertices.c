/* SPDX-License-Identifier: Apache-2.0 */
/* popnn::ReduceMaxClassGather<T,unsigned int>: each worker's largest of a part of a row, and its place;
 * ReduceMaxClassSparse: the largest of such.  And the same with Min. */
#include "poplibs/vertex_types.h"

#ifdef __POPC__
#include <poplar/vertex.h>

/* The first place of the best: the best of each lane, the best of lanes, and then where that is.  Nothing is better
 * than a NaN, which is not found: the first place stands for it. */
enum { LANES = 16 };
#define BEST_OF(tag, type, Name, better)                                                                               \
    static unsigned best_##Name##_##tag(const type *values, unsigned count)                                            \
    {                                                                                                                  \
        type lanes[LANES], best = values[0];                                                                           \
        unsigned i = 0;                                                                                                \
        for (unsigned lane = 0; lane < LANES; ++lane)                                                                  \
            lanes[lane] = best;                                                                                        \
        for (; i + LANES <= count; i += LANES)                                                                         \
            for (unsigned lane = 0; lane < LANES; ++lane)                                                              \
                lanes[lane] = values[i + lane] better lanes[lane] ? values[i + lane] : lanes[lane];                    \
        for (unsigned lane = 0; lane < LANES; ++lane)                                                                  \
            best = lanes[lane] better best ? lanes[lane] : best;                                                       \
        for (; i < count; ++i)                                                                                         \
            best = values[i] better best ? values[i] : best;                                                           \
        for (i = 0; i < count && values[i] != best; ++i) {                                                             \
        }                                                                                                              \
        return i < count ? i : 0;                                                                                      \
    }
#define GATHER_OF(tag, type, text, out_type, Name)                                                                     \
    POP_SUPERVISOR_VERTEX(Name##Gather_##tag)                                                                          \
    {                                                                                                                  \
        POP_INPUT(POP_VECTOR(type, ONE_PTR)) activations;                                                              \
        POP_OUTPUT(POP_VECTOR(out_type, ONE_PTR)) maxValue;                                                            \
        POP_OUTPUT(POP_VECTOR(unsigned, ONE_PTR)) maxIndex;                                                            \
        unsigned index; /* of the first element in its row */                                                          \
        unsigned size;                                                                                                 \
        unsigned char divisorLog2; /* elements of a share */                                                           \
    };                                                                                                                 \
    POP_VERTEX_NAME(Name##Gather_##tag, "popnn::Reduce" #Name "ClassGather<" text ",unsigned int>");                   \
    void Name##Gather_##tag##_compute(Name##Gather_##tag *v)                                                           \
    {                                                                                                                  \
        unsigned share = 1u << v->divisorLog2;                                                                         \
        for (unsigned first = 0, part = 0; first < v->size; first += share, ++part) {                                  \
            unsigned end = v->size - first < share ? v->size : first + share;                                          \
            unsigned best = first + best_##Name##_##tag(v->activations.data + first, end - first);                     \
            v->maxValue.data[part] = (out_type)v->activations.data[best];                                              \
            v->maxIndex.data[part] = v->index + best;                                                                  \
        }                                                                                                              \
    }
#define SPARSE_OF(tag, type, text, Name)                                                                               \
    POP_VERTEX(Name##Sparse_##tag)                                                                                     \
    {                                                                                                                  \
        POP_INPUT(POP_VECTOR(type)) activations;                                                                       \
        POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) labels;                                                               \
        POP_OUTPUT(type) maxValue;                                                                                     \
        POP_OUTPUT(unsigned) maxIndex;                                                                                 \
    };                                                                                                                 \
    POP_VERTEX_NAME(Name##Sparse_##tag, "popnn::Reduce" #Name "ClassSparse<" text ",unsigned int>");                   \
    void Name##Sparse_##tag##_compute(Name##Sparse_##tag *v)                                                           \
    {                                                                                                                  \
        unsigned best = best_##Name##_##tag(v->activations.data, (unsigned)v->activations.size);                       \
        *v->maxValue = v->activations.data[best];                                                                      \
        *v->maxIndex = v->labels.data[best];                                                                           \
    }
#define BOTH_OF(tag, type, text, out_type)                                                                             \
    BEST_OF(tag, type, Max, >)                                                                                         \
    BEST_OF(tag, type, Min, <) GATHER_OF(tag, type, text, out_type, Max) GATHER_OF(tag, type, text, out_type, Min)
#define MERGE_OF(tag, type, text) SPARSE_OF(tag, type, text, Max) SPARSE_OF(tag, type, text, Min)
BOTH_OF(half, half, "half", float)
BOTH_OF(float, float, "float", float)
BOTH_OF(int, int, "int", int)
BOTH_OF(unsigned, unsigned, "unsigned int", unsigned)
MERGE_OF(float, float, "float")
POPLIBS_INTEGERS(MERGE_OF)

#else
#include "poplibs/support.h"
#include "popnn/arg_max.h"
#include "popnn/vertices.h"

static pop_perf estimate_gather(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    return (pop_perf){ popnn_max_class_gather_cycles(
                           (size_t)pop_vertex_view_field_value(vertex, "size", 0),
                           (size_t)1 << (unsigned)pop_vertex_view_field_value(vertex, "divisorLog2", 0)),
                       0 };
}
static pop_perf estimate_sparse(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    return (pop_perf){ popnn_max_class_sparse_cycles(pop_vertex_view_field_size(vertex, "activations", POP_WHOLE)), 0 };
}

void popnn_arg_max_vertices(pop_graph *graph)
{
#define REGISTER(tag, type, text)                                                                                      \
    pop_graph_register_perf_estimator(graph, "popnn::ReduceMaxClassGather<" text ",unsigned int>", estimate_gather,    \
                                      NULL);                                                                           \
    pop_graph_register_perf_estimator(graph, "popnn::ReduceMinClassGather<" text ",unsigned int>", estimate_gather,    \
                                      NULL);                                                                           \
    pop_graph_register_perf_estimator(graph, "popnn::ReduceMaxClassSparse<" text ",unsigned int>", estimate_sparse,    \
                                      NULL);                                                                           \
    pop_graph_register_perf_estimator(graph, "popnn::ReduceMinClassSparse<" text ",unsigned int>", estimate_sparse,    \
                                      NULL);
    POPLIBS_NUMBERS(REGISTER)
}
#endif
