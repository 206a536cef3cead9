/* SPDX-License-Identifier: Apache-2.0 */
/* Counters: popops::ForLoopCounter<T> for loops, popops::CircBufIncrIndex and CircOffset for circular buffers. */
#include "poplibs/vertex_types.h"

#define TYPES POPLIBS_INTEGERS

#ifdef __POPC__
#define TEMPLATE "popops/loop/counter_typed.h"
#include "poplibs/each_type.h"

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
#include "poplibs/estimates.h"
#include "popops/vertices.h"

/* Poplibs publishes no formula: estimated as two or three loads, the sum, a comparison or division, and a store. */
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

void register_counter_vertices(pop_graph *graph)
{
    static const struct poplibs_estimate families[] = { { "popops::ForLoopCounter<%s>", counter } };
    poplibs_register_estimates(graph, TYPES, families, sizeof(families) / sizeof(families[0]));
    pop_graph_register_perf_estimator(graph, "popops::CircBufIncrIndex", ring, NULL);
    pop_graph_register_perf_estimator(graph, "popops::CircOffset", ring, NULL);
}
#endif
