/* SPDX-License-Identifier: Apache-2.0 */
/* Counters: popops::ForLoopCounter<T> of loops, popops::CircBufIncrIndex and CircOffset of rings. */
#ifdef __POPC__
#include <poplar/vertex.h>

#define COUNTER_OF(tag, type, text)                                                                                    \
    POP_VERTEX(Counter_##tag)                                                                                          \
    {                                                                                                                  \
        POP_INOUT(type) count;                                                                                         \
        POP_INPUT(type) limit;                                                                                         \
        POP_OUTPUT(unsigned) comparisonResult;                                                                         \
        POP_STATE(int) increment;                                                                                      \
    };                                                                                                                 \
    POP_VERTEX_NAME(Counter_##tag, "popops::ForLoopCounter<" text ">");                                                \
    void Counter_##tag##_compute(Counter_##tag *v)                                                                     \
    {                                                                                                                  \
        *v->count = (type)((unsigned)*v->count + (unsigned)v->increment);                                              \
        *v->comparisonResult = v->increment > 0 ? *v->count < *v->limit : *v->count > *v->limit;                       \
    }
COUNTER_OF(int, int, "int")
COUNTER_OF(unsigned, unsigned, "unsigned int")

POP_VERTEX(CircBufIncrIndex)
{
    POP_INOUT(unsigned) index;
    POP_STATE(unsigned) hSize;
};
POP_VERTEX_NAME(CircBufIncrIndex, "popops::CircBufIncrIndex");
void CircBufIncrIndex_compute(CircBufIncrIndex *v)
{
    *v->index = (*v->index + 1) % v->hSize;
}

POP_VERTEX(CircOffset)
{
    POP_INPUT(unsigned) indexIn;
    POP_OUTPUT(unsigned) indexOut;
    POP_STATE(unsigned) hSize;
    POP_STATE(unsigned) offset;
};
POP_VERTEX_NAME(CircOffset, "popops::CircOffset");
void CircOffset_compute(CircOffset *v)
{
    *v->indexOut = (*v->indexIn + v->offset) % v->hSize;
}

#else
#include "popops/vertices.h"

/* Nothing is published: two or three loads, the sum, a comparison or division, a store. */
static pop_perf counter(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)vertex, (void)target, (void)user;
    return (pop_perf){ 14, 0 };
}
static pop_perf ring(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)vertex, (void)target, (void)user;
    return (pop_perf){ 20, 0 };
}

void popops_counter_vertices(pop_graph *graph)
{
    pop_graph_register_perf_estimator(graph, "popops::ForLoopCounter<int>", counter, NULL);
    pop_graph_register_perf_estimator(graph, "popops::ForLoopCounter<unsigned int>", counter, NULL);
    pop_graph_register_perf_estimator(graph, "popops::CircBufIncrIndex", ring, NULL);
    pop_graph_register_perf_estimator(graph, "popops::CircOffset", ring, NULL);
}
#endif
