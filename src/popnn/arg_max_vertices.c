/* SPDX-License-Identifier: Apache-2.0 */
/* popnn::ReduceMaxClassGather<T,unsigned int>: each worker's largest of a part of a row, and its place; ReduceMaxClassSparse: the largest of such.  And the same with Min. */
#include "poplibs/vertex_types.h"

#ifdef __POPC__
#include <poplar/vertex.h>

/* What is better than a NaN: anything, so that a row of NaN gives its first. */
#define GATHER_OF(tag, type, text, out_type, Name, better)                                                             \
    POP_SUPERVISOR_VERTEX(Name##Gather_##tag) {                                                                        \
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
            unsigned end = v->size - first < share ? v->size : first + share, best = first;                            \
            for (unsigned i = first + 1; i < end; ++i)                                                                 \
                if (v->activations.data[i] better v->activations.data[best])                                           \
                    best = i;                                                                                          \
            v->maxValue.data[part] = (out_type)v->activations.data[best];                                              \
            v->maxIndex.data[part] = v->index + best;                                                                  \
        }                                                                                                              \
    }
#define SPARSE_OF(tag, type, text, Name, better)                                                                       \
    POP_VERTEX(Name##Sparse_##tag) {                                                                                   \
        POP_INPUT(POP_VECTOR(type)) activations;                                                                       \
        POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) labels;                                                               \
        POP_OUTPUT(type) maxValue;                                                                                     \
        POP_OUTPUT(unsigned) maxIndex;                                                                                 \
    };                                                                                                                 \
    POP_VERTEX_NAME(Name##Sparse_##tag, "popnn::Reduce" #Name "ClassSparse<" text ",unsigned int>");                   \
    void Name##Sparse_##tag##_compute(Name##Sparse_##tag *v)                                                           \
    {                                                                                                                  \
        size_t best = 0;                                                                                               \
        for (size_t i = 1; i < v->activations.size; ++i)                                                               \
            if (v->activations.data[i] better v->activations.data[best])                                               \
                best = i;                                                                                              \
        *v->maxValue = v->activations.data[best];                                                                      \
        *v->maxIndex = v->labels.data[best];                                                                           \
    }
#define BOTH_OF(tag, type, text, out_type) GATHER_OF(tag, type, text, out_type, Max, >) GATHER_OF(tag, type, text, out_type, Min, <)
#define MERGE_OF(tag, type, text) SPARSE_OF(tag, type, text, Max, >) SPARSE_OF(tag, type, text, Min, <)
BOTH_OF(half, half, "half", float)
BOTH_OF(float, float, "float", float)
BOTH_OF(int, int, "int", int)
BOTH_OF(unsigned, unsigned, "unsigned int", unsigned)
MERGE_OF(float, float, "float")
POPLIBS_INTEGERS(MERGE_OF)

#else
#include "popnn/arg_max.h"
#include "poplibs/support.h"
#include "popnn/vertices.h"

static pop_perf estimate_gather(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    return (pop_perf){ popnn_max_class_gather_cycles((size_t)pop_vertex_view_field_value(vertex, "size", 0),
                                                     (size_t)1 << (unsigned)pop_vertex_view_field_value(vertex, "divisorLog2", 0)), 0 };
}
static pop_perf estimate_sparse(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    return (pop_perf){ popnn_max_class_sparse_cycles(pop_vertex_view_field_size(vertex, "activations", POP_WHOLE)), 0 };
}

void popnn_arg_max_vertices(pop_graph *graph)
{
#define REGISTER(tag, type, text)                                                                                      \
    pop_graph_register_perf_estimator(graph, "popnn::ReduceMaxClassGather<" text ",unsigned int>", estimate_gather, NULL); \
    pop_graph_register_perf_estimator(graph, "popnn::ReduceMinClassGather<" text ",unsigned int>", estimate_gather, NULL); \
    pop_graph_register_perf_estimator(graph, "popnn::ReduceMaxClassSparse<" text ",unsigned int>", estimate_sparse, NULL); \
    pop_graph_register_perf_estimator(graph, "popnn::ReduceMinClassSparse<" text ",unsigned int>", estimate_sparse, NULL);
    POPLIBS_NUMBERS(REGISTER)
}
#endif
